// Whether writes may come about in a circle, each behind a read that finds the one before (line.h).
//
// Places are nodes. An edge leads from a place that a thread reads to one that it writes later. The threads of a cluster count as one,
// since barriers order them.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "kernel/module.h"
#include "sweep/log.h"

namespace litmus::sweep {

class Circles {
public:
    // `acquires`: the thread has acquired, when it writes, what the read found. `releases`: the write releases the read.
    void add(const Memory& read, const Memory& written, bool acquires, bool releases, const kernel::Statement* read_by);
    void add(const Circles& other);
    void give_up(const kernel::Statement* read_by) { too_many_ = read_by; }
    bool has_given_up() const { return too_many_ != nullptr; }

    // A read in a circle of places that is not forbidden, or one of more pairs than are looked at; null: there is none.
    const kernel::Statement* find() const;

private:
    static constexpr size_t most_edges = 1024;
    struct Edge {
        bool acquires = true, releases = true;  // each of them
        const kernel::Statement* read_by = nullptr;
    };
    std::map<Memory, std::map<Memory, Edge>> edges_;
    size_t count_ = 0;  // of edges
    const kernel::Statement* too_many_ = nullptr;
};

}  // namespace litmus::sweep
