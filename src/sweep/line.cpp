// Vector clocks along program order, what synchronizes, and meetings in places.
#include "sweep/line.h"

#include <algorithm>
#include <bit>

#include "sweep/levels.h"

namespace litmus::sweep {

namespace {

constexpr size_t most_writes = 4096;  // of one place
constexpr size_t most_reads = 1024;   // of a cluster

}  // namespace

bool is_in_line(const Step& step) {
    if (!step.form || step.scope == Scope::none) return false;
    const Traits::Kind kind = traits(step.form->op).kind;
    return kind == Traits::Kind::load || kind == Traits::Kind::store || kind == Traits::Kind::atomic;
}

bool is_fence_sc(const Step& step) {
    return step.form && step.form->op == Op::fence && step.sem == Sem::sc;
}

// `ordered`: what causality leads to the thread from, or what cannot come behind it.
void Line::look_for_weak(const Thread& thread, const Clock& ordered, const Meeting& meeting, const Step& step) {
    const auto own = meeting.known.find(thread.component);
    for (size_t w = own == meeting.known.end() ? 0 : own->second; w < meeting.writes.size() && weak_ == nullptr; ++w) {
        const Write& write = meeting.writes[w];
        const bool is_before = thread.known.time.line[write.component] >= write.number;
        if (is_before && ordered[write.component] < write.number) weak_ = step.original;
    }
}

// A place that a thread reads and then writes is a step of a circle, too, but for an atomic operation: a release goes on through it
// (8.9.2).
void Line::note_pairs(const Thread& thread, const Memory& place, const Step& step, Kind kind) {
    if (circles_.has_given_up()) return;
    std::vector<Read>& reads = reads_[task_.geometry.cluster(thread.seat.block)];
    if (reads.size() == most_reads) return circles_.give_up(step.original);
    if (kind.writes)
        for (const Read& read : reads) {
            const bool is_released = (releases(step.sem) && reaches_all(step.scope)) || read.released_by.contains(thread.component);
            circles_.add(read.place, place, read.acquired, is_released, read.by);
        }
    if (!kind.reads) return;
    const auto before =
        std::find_if(reads.begin(), reads.end(), [&](const Read& read) { return read.thread == thread.component && read.place == place; });
    Read now{thread.component, place, acquires(step.sem) && reaches_all(step.scope), step.original, {}};
    if (before == reads.end()) {
        reads.push_back(std::move(now));
    } else {
        now.acquired = now.acquired && before->acquired;
        *before = std::move(now);
    }
}

void Line::access(Thread& thread, const Spot& spot, const Step& step, Kind kind) {
    const Key key{spot.number, spot.offset};
    meet(thread, thread.known.order, key, memory_of(spot), step, kind);
    if (!task_.options.schedule.orders_fences) return;
    Conflicts& conflicts = conflicts_[key];
    Clock& met = met_[thread.component];
    met.join(conflicts.writes);
    if (kind.writes) met.join(conflicts.reads);
    Clock& own = kind.writes ? conflicts.writes : conflicts.reads;
    own.join(thread.known.order);
    own.raise(thread.component, thread.number);
}

// Suppose that the fence came before another one instead. Let that one be ordered before an access with which an earlier one of this thread
// conflicts. Then causality would lead from the later of the two accesses to the earlier one. That is forbidden (8.10.6).
void Line::order_fence(Thread& thread, const Step& step) {
    const Key key{place_of_fences.object, 0};
    for (const Write& other : meetings_[key].writes)
        if (thread.known.order[other.component] < other.number) contended_.insert(place_of_fences);
    Clock ordered = thread.known.order;
    ordered.join(met_[thread.component]);
    meet(thread, ordered, key, place_of_fences, step, {.reads = true, .writes = true});
}

void Line::meet(Thread& thread, const Clock& ordered, const Key& key, const Memory& place, const Step& step, Kind kind) {
    Meeting& meeting = meetings_[key];
    Clock& before = thread.known.time.line;
    before.join(thread.known.time.events);
    before.own(thread.component, thread.number);
    look_for_weak(thread, ordered, meeting, step);
    note_pairs(thread, place, step, kind);
    const Lanes lane = Lanes{1} << thread.seat.lane();
    Lanes& all = lanes_[thread.index - thread.seat.lane()];
    if (kind.sum == 0) all |= lane;
    (kind.settled ? meeting.settled : meeting.lanes)[thread.index - thread.seat.lane()] |= lane;
    meeting.alike = meeting.last == nullptr || meeting.sum == kind.sum ? meeting.alike : false;
    meeting.sum = kind.sum;
    meeting.last = step.original;
    before.join(meeting.written);
    if (kind.writes) {
        before.join(meeting.read);
        meeting.written = before;
        meeting.read = {};
        if (meeting.writes.size() < most_writes)
            meeting.writes.push_back({thread.component, thread.number});
        else
            crowded_ = step.original;
    } else {
        meeting.read.join(before);
    }
    meeting.known[thread.component] = meeting.writes.size();
}

// A scope as wide as any in the kernel has the other thread, whichever it is.
bool Line::reaches_all(Scope scope) const {
    return task_.scopes.empty() || task_.groups.widest(scope) >= task_.groups.widest(task_.scopes.back());
}

// A read is acquired by a fence of its thread. A fence of the thread that writes releases the reads before it.
void Line::fence(const Thread& thread, const Step& step) {
    if (!reaches_all(step.scope)) return;
    for (Read& read : reads_[task_.geometry.cluster(thread.seat.block)]) {
        if (acquires(step.sem) && read.thread == thread.component) read.acquired = true;
        if (releases(step.sem)) read.released_by.insert(thread.component);
    }
}

void Line::note_contended(const Access& earlier, const Access& access, const Spot& spot, uint64_t offset) {
    const uint16_t sum = task_.step_of(access.statement).sum;
    if (!earlier.finds && !access.finds && sum != 0 && sum == task_.step_of(earlier.statement).sum) return;
    meetings_[{spot.number, offset}].contended = true;
    contended_.insert(memory_of(spot, offset));
    for (const Access* const one : {&earlier, &access}) {
        const Step& step = task_.step_of(one->statement);
        if (!is_in_line(step) || step.elements != 1 || litmus::lanes(step.type) != 1) not_chosen_ = step.original;
    }
}

const kernel::Statement* Line::of_lanes() const {
    for (const auto& [key, meeting] : meetings_) {
        if (meeting.alike && meeting.sum != 0) continue;
        for (const auto& [warp, some] : meeting.settled)
            if (meeting.contended && !std::has_single_bit(some)) return meeting.last;
        for (const auto& [warp, some] : meeting.lanes)
            if (!std::has_single_bit(lanes_.at(warp) | some)) return meeting.last;
    }
    return nullptr;
}

}  // namespace litmus::sweep
