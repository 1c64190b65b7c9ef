// The account of a run: what is found, each in the words of its breach, and what threads did.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sweep/event_log.h"
#include "sweep/findings.h"
#include "sweep/mbarrier.h"
#include "sweep/spot.h"
#include "sweep/task.h"
#include "sweep/thread.h"

namespace litmus::sweep {

using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;  // of an object: offset, bytes

inline Place place(const Thread& thread, const Step& step) {
    return {thread.seat, step.original};
}

class Account {
public:
    explicit Account(const Task& task)
        : task_(task), findings_(task.module, task.options), log_(task.options.watch), guessed_(task.seats.size()) {}

    // ---- findings: `with` fills in the words of the breach
    void find(Breach breach, const Filling& with, std::vector<Place> places, std::optional<Memory> byte = {},
              std::optional<Clash> clash = {}, bool of_scopes = false);
    // `brought`: bytes that are not counted yet.
    void find_in_phase(const Mbarrier& object, Breach breach, const Filling& with, std::vector<Place> places, int64_t brought = 0);
    // From here on the thread does what depends on a value that is not computed.
    void note_guess(const Thread& thread) { guessed_[thread.index] = true; }
    Findings& findings() { return findings_; }
    const Findings& findings() const { return findings_; }

    // ---- the log
    void log(const Event& event, const Thread& thread, const Step& step) { log_.add(event, thread.index, step); }
    void log_flag(Event event, const Thread& thread, const Spot& spot, const Step& step);
    // An asynchronous operation; `by`: the mbarrier object that completes it, null: none does.
    void log_copy(const Thread& thread, const Step& step, const Spot& from, const Ranges& read, const Spot& to, const Ranges& written,
                  const Mbarrier* by);
    // A range that the thread accesses itself.
    void log_access(const Access& access, const Thread& thread, const Step& step, const Spot& spot, uint64_t bytes);
    EventLog& events() { return log_; }

private:
    bool is_guessed(const std::vector<Place>& places) const;  // whether one of these threads comes there

    const Task& task_;
    Findings findings_;
    EventLog log_;
    std::vector<bool> guessed_;  // by thread
};

}  // namespace litmus::sweep
