// What a run has observed and skipped, and the file that keeps it.
//
// The file is written again and again, each time with more tests, so that a crash loses little. A process that goes on after
// another one puts what that one wrote in front of its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpu/run/observed.h"

namespace litmus::gpu {

// The text of a file of at most 128 MiB; of a pipe that has no writer, no longer than a minute. Throws std::runtime_error, whose
// text ends with `purpose`.
std::string text_of_file(const std::string& path, const std::string& purpose = "");

// A file is replaced, by one with more tests, again and again; a pipe or a terminal gets one document from each process.
bool is_replaced(const std::string& output);

class Ledger {
public:
    // `output`: the path; empty: nothing is written. `earlier`: what other processes of the same run have written there, if any.
    Ledger(std::string output, RunHeader header, std::string earlier)
        : output_(std::move(output)), header_(std::move(header)), earlier_(std::move(earlier)) {}

    void add(const Observation& observation) { observations_.push_back(observation); }
    void skip(const Test& test, const std::string& file, const std::string& reason) {
        header_.skipped.push_back({test.name, file, reason});
    }
    size_t tests() const { return observations_.size(); }

    // Whether to write now what a crash would lose: as often as that takes a twentieth of the time at most.
    bool is_due(double now) const { return is_replaced(output_) && now - written_at_ >= 20 * seconds_to_write_; }
    double written_at() const { return written_at_; }  // by now(), or when that was last tried; 0: not yet

    // Writes all tests, and those that still run behind them. Without any, a file that is there stays unless `even_empty`. Returns
    // whether it was written and can be read again. Throws std::runtime_error when it cannot be written.
    bool write(const std::vector<Observation>& running = {}, bool even_empty = false);

private:
    std::string output_;
    RunHeader header_;
    std::string earlier_;
    std::vector<Observation> observations_;
    double written_at_ = 0, seconds_to_write_ = 0;
};

}  // namespace litmus::gpu
