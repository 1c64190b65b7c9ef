// Vector clocks along program order, what synchronizes, and meetings in places.
#include "sweep/line.h"

#include <algorithm>
#include <bit>

#include "sweep/levels.h"

namespace litmus::sweep {

bool is_in_line(const Step& step) {
    if (!step.form || step.scope == Scope::none) return false;
    const Traits::Kind kind = traits(step.form->op).kind;
    return kind == Traits::Kind::load || kind == Traits::Kind::store || kind == Traits::Kind::atomic;
}

void Line::look_for_weak(const Thread& thread, const Meeting& meeting, const Step& step) {
    const auto own = meeting.known.find(thread.component);
    for (size_t w = own == meeting.known.end() ? 0 : own->second; w < meeting.writes.size() && weak_ == nullptr; ++w) {
        const Write& write = meeting.writes[w];
        const bool is_before = thread.known.time.events[write.component] >= write.number;
        if (is_before && thread.known.order[write.component] < write.number) weak_ = step.original;
    }
}

// A place that a thread reads and then writes is a step of a circle, too, but for an atomic operation: a release goes on through it
// (8.9.2).
void Line::note_pairs(const Thread& thread, const Memory& place, const Step& step, Kind kind) {
    std::vector<Read>& reads = reads_[task_.geometry.cluster(thread.seat.block)];
    if (kind.writes) {
        for (const Read& read : reads) circles_.add(read.place, place, read.acquired, read.by);
        if (!releases(step.sem) && !thread.released.has(step.scope)) circles_.note_unreleased(place);
    }
    if (!kind.reads) return;
    const auto before =
        std::find_if(reads.begin(), reads.end(), [&](const Read& read) { return read.thread == thread.component && read.place == place; });
    const Read now{thread.component, place, step.scope, acquires(step.sem), step.original};
    if (before == reads.end())
        reads.push_back(now);
    else if (!now.acquired)
        *before = now;
}

void Line::access(Thread& thread, const Spot& spot, const Step& step, Kind kind) {
    Meeting& meeting = meetings_[{spot.number, spot.offset}];
    look_for_weak(thread, meeting, step);
    note_pairs(thread, memory_of(spot), step, kind);
    if (!kind.settled) meeting.lanes[thread.index - thread.seat.lane()] |= Lanes{1} << thread.seat.lane();
    meeting.only_sums = meeting.only_sums && kind.sums;
    meeting.last = step.original;
    Clock& before = thread.known.time.events;
    before.join(meeting.written);
    if (kind.writes) {
        before.join(meeting.read);
        meeting.written = before;
        meeting.read = {};
        meeting.writes.push_back({thread.component, thread.number});
    } else {
        meeting.read.join(before);
    }
    meeting.known[thread.component] = meeting.writes.size();
}

// A read is acquired by a fence of its thread whose scope has the writer.
void Line::fence(const Thread& thread, const Step& step) {
    if (!acquires(step.sem)) return;
    for (Read& read : reads_[task_.geometry.cluster(thread.seat.block)])
        if (read.thread == thread.component && task_.groups.widest(step.scope) >= task_.groups.widest(read.scope)) read.acquired = true;
}

const kernel::Statement* Line::of_lanes() const {
    std::map<size_t, Lanes> lanes;
    for (const auto& [key, meeting] : meetings_) {
        if (meeting.only_sums) continue;
        for (const auto& [warp, some] : meeting.lanes) {
            lanes[warp] |= some;
            if (std::popcount(lanes[warp]) > 1) return meeting.last;
        }
    }
    return nullptr;
}

}  // namespace litmus::sweep
