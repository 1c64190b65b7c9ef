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

bool has_some(const std::set<Memory>& places, const Memory& from, uint64_t bytes) {
    const auto next = places.lower_bound(from);
    return next != places.end() && next->object == from.object && next->block == from.block && next->offset - from.offset < bytes;
}

bool is_in_line(const Step& step) {
    if (!step.form || step.scope == Scope::none) return false;
    const Traits::Kind kind = traits(step.form->op).kind;
    return kind == Traits::Kind::load || kind == Traits::Kind::store || kind == Traits::Kind::atomic;
}

bool is_chosen(const Step& step) {
    if (!is_in_line(step) || is_multimem(step.form->op)) return false;
    const bool is_single = step.elements == 1 || traits(step.form->op).kind != Traits::Kind::atomic;
    return is_single && litmus::lanes(step.type) == 1;
}

bool is_whole(const Step& step) {
    constexpr uint64_t most = 16;  // bytes
    return is_chosen(step) && uint64_t{step.bytes} * step.elements <= most;
}

bool is_fence_sc(const Step& step) {
    return step.form && step.form->op == Op::fence && step.sem == Sem::sc;
}

bool Line::may_be_weak(const Thread& thread, const Meeting& meeting) const {
    const auto own = meeting.known.find(thread.life);
    const size_t first = own == meeting.known.end() ? 0 : own->second;
    return std::any_of(meeting.writes.begin() + static_cast<std::ptrdiff_t>(first), meeting.writes.end(), [&](const Write& write) {
        const bool is_before = thread.known.time.near[write.component] >= write.number;
        return is_before && thread.known.order[write.component] < write.number;
    });
}

// A place that a thread reads and then writes is a step of a circle, too, but for an atomic operation: a release goes on through it
// (8.9.2). Another thread of the cluster may write than the one that has read. Scopes are not asked here. A scope may leave a thread out,
// and does not order it then: look_for_weak() finds its access, or there is a race.
void Line::note_pairs(const Thread& thread, const Memory& place, const Step& step, Kind kind) {
    if (circles_.has_given_up()) return;
    circles_.visit(place, thread.index);
    std::vector<Reads>& cluster = reads_[task_.geometry.cluster(thread.seat.block)];
    if (cluster.size() == most_reads) return circles_.give_up(step.original);
    if (kind.writes)
        for (const Reads& reads : cluster) {
            const auto last = std::find_if(reads.each.rbegin(), reads.each.rend(), [&](const Read& read) {
                return thread.known.time[read.at.component] >= read.at.number;  // before the write
            });
            if (last == reads.each.rend()) continue;
            const auto [component, number] = last->at;
            const Clock& ordered = thread.known.order;
            const bool is_released = releases(step.sem) || thread.released[task_.scopes.back()].order[component] >= number;
            const bool waits = last->awaits && thread.known.time.awaited[component] >= number;
            circles_.add(
                reads.place, place,
                {ordered[component] >= number, ordered[last->acquired.component] >= last->acquired.number, is_released, waits, reads.by});
        }
    if (kind.writes)
        for (const auto& [by, before] : reads_before_) {
            const bool is_own = by.first == thread.seat.thread;  // then program order leads from the read to the write
            circles_.add(by.second, place, {is_own, is_own && before.acquired, releases(step.sem), is_own && before.awaits, before.by});
        }
    // It comes anyway, and whoever finds it comes behind what it finds.
    if (kind.ignores) circles_.add(place, place, {.leads = true, .acquires = true, .releases = true, .read_by = step.original});
    if (!kind.reads) return;
    auto own = std::find_if(cluster.begin(), cluster.end(),
                            [&](const Reads& reads) { return reads.thread == thread.index && reads.place == place; });
    if (own == cluster.end()) own = cluster.insert(own, {thread.index, place, nullptr, {}});
    const Write acquired{thread.component, acquires(step.sem) ? thread.number : never};
    own->by = step.original;
    const Read before = own->each.empty() ? Read() : own->each.back();
    own->each.push_back({{thread.component, thread.number},
                         kind.awaits && before.awaits,
                         acquired.number >= before.acquired.number ? acquired : before.acquired});
}

// An access comes behind what was met in its own life, or what causality orders before it. Else no later life may have an access there.
void Line::end_life(std::span<const Thread> threads) {
    for (const auto& [key, meeting] : meetings_)
        for (const Thread& thread : threads)
            if (may_be_weak(thread, meeting)) weak_before_.emplace(thread.seat.thread, key);
    for (const Thread& thread : threads) {
        std::vector<Reads>& all = reads_[task_.geometry.cluster(thread.seat.block)];
        for (const Reads& reads : all) {
            if (reads.thread != thread.index) continue;
            ReadBefore& before = reads_before_[{thread.seat.thread, reads.place}];
            before.awaits = before.awaits && reads.each.back().awaits;
            before.acquired = before.acquired && reads.each.back().acquired.number != never;
            before.by = reads.by;
        }
        std::erase_if(all, [&](const Reads& reads) { return reads.thread == thread.index; });
    }
}

size_t Line::warp_of(const Thread& thread) const {
    const bool is_of_block = task_.options.schedule.exchanges == Alike::lives;
    return (is_of_block ? thread.seat.thread : thread.index) - thread.seat.lane();
}

bool Line::decides(const Memory& from, uint64_t bytes) const {
    const auto& places = task_.options.schedule.places;
    return places == nullptr || has_some(*places, from, bytes);
}

bool Line::decides_nothing(const Memory& from, uint64_t bytes) const {
    const auto& others = task_.options.schedule.others;
    return others != nullptr && has_some(*others, from, bytes) && !decides(from, bytes);
}

// A vector is an access to each of its elements, in no order (ISA 8.2.4). If one element alone decides, the order of the others is no
// matter. If several do, an order of each would have to be run, but where they are taken for one access. All accesses to these elements
// have to be of this vector then, so that these are one place. A scalar may find or leave one element alone. Scalars at two elements are in
// no order.
uint32_t Line::access(Thread& thread, const Spot& spot, const Step& step, Kind kind) {
    uint32_t decide = 0;
    const auto settled = static_cast<uint32_t>(std::popcount(kind.settled));
    const auto in_line = [&](const auto& each) {
        for (uint32_t e = 0; e < step.elements; ++e) {
            const Spot word = element_at(spot, step, e);
            const bool is_settled = (kind.settled >> e & 1) != 0;
            if (is_settled || !decides_nothing(memory_of(word), step.bytes))
                each(Key{word.number, word.offset}, memory_of(word), is_settled);
        }
    };
    in_line([&](const Key& key, const Memory& place, bool is_settled) {
        decide += is_settled || decides(place, step.bytes) ? 1 : 0;
        const bool has_lived = thread.life >= task_.seats.size();
        if (weak_ == nullptr && (may_be_weak(thread, meetings_[key]) || (has_lived && weak_before_.contains({thread.seat.thread, key}))))
            weak_ = step.original;
    });
    in_line([&](const Key& key, const Memory& place, bool is_settled) {
        Kind own = kind;
        own.settled = is_settled ? 1 : 0;
        meet(thread, key, place, step, own);
    });
    const Extent extent{spot.offset, step.bytes, step.elements};
    const bool is_several = decide > 1 && decide != settled;
    in_line([&](const Key& key, const Memory&, bool) {
        Meeting& meeting = meetings_[key];
        meeting.mixed = meeting.mixed || (meeting.extent && *meeting.extent != extent);
        meeting.extent = extent;
        if (is_several) meeting.whole = step.original;
    });
    if (!is_several) return 1;
    if (!is_whole(step)) not_chosen_ = step.original;
    return decide;
}

// Each order of the fences is run, so that none of them is early or late.
void Line::order_fence(Thread& thread, const Step& step) {
    const Key key{place_of_fences.object, 0};
    for (const Write& other : meetings_[key].writes)
        if (thread.known.order[other.component] < other.number) contended_.try_emplace(place_of_fences);
    meet(thread, key, place_of_fences, step, {.reads = true, .writes = true});
}

void Line::meet(Thread& thread, const Key& key, const Memory& place, const Step& step, Kind kind) {
    Meeting& meeting = meetings_[key];
    Clock& before = thread.known.time.line;
    before.join(thread.known.time.events);
    thread.known.time.near.join(thread.known.time.events);
    if (kind.settled != 0) waited_.insert(place);
    if (kind.awaits) thread.known.time.awaited.raise(thread.component, thread.number);
    note_pairs(thread, place, step, kind);
    const Lanes lane = Lanes{1} << thread.seat.lane();
    const size_t warp = warp_of(thread);
    const bool is_apart = task_.options.schedule.splits && (chosen_ & ~lane) == 0;
    if (!is_apart && (kind.settled != 0 || decides(place, step.bytes))) {
        if (kind.sum == 0) lanes_[warp] |= lane;
        (kind.settled != 0 ? meeting.settled : meeting.lanes)[warp] |= lane;
    }
    meeting.alike = meeting.last == nullptr || meeting.sum == kind.sum ? meeting.alike : false;
    meeting.sum = kind.sum;
    meeting.last = step.original;
    before.join(meeting.written);
    thread.known.time.near.join(meeting.written);
    if (kind.writes) {
        before.join(meeting.read);
        thread.known.time.near.join(meeting.read);
        meeting.written = before;
        meeting.read = {};
        if (meeting.writes.size() < most_writes)
            meeting.writes.push_back({thread.component, thread.number});
        else
            crowded_ = step.original;
    } else {
        meeting.read.join(before);
    }
    meeting.known[thread.life] = meeting.writes.size();
}

// A scope as wide as any in the kernel has the other thread, whichever it is.
bool Line::reaches_all(Scope scope) const {
    return task_.scopes.empty() || task_.groups.widest(scope) >= task_.groups.widest(task_.scopes.back());
}

// It acquires what its thread has read before.
void Line::fence(const Thread& thread, const Step& step) {
    if (!acquires(step.sem) || !reaches_all(step.scope)) return;
    for (Reads& reads : reads_[task_.geometry.cluster(thread.seat.block)])
        if (reads.thread == thread.index)
            for (auto read = reads.each.rbegin(); read != reads.each.rend() && read->acquired.number == never; ++read)
                read->acquired = {thread.component, thread.number};
}

bool Line::note_contended(const Access& earlier, const Access& access, const Spot& spot, uint64_t offset) {
    const uint16_t sum = task_.step_of(access.statement).sum;
    if (!earlier.finds && !access.finds && sum != 0 && sum == task_.step_of(earlier.statement).sum) return false;
    meetings_[{spot.number, offset}].contended = true;
    if (!decides(memory_of(spot, offset), 1)) return true;
    for (const Access* const one : {&earlier, &access}) {
        const Step& step = task_.step_of(one->statement);
        if (!is_chosen(step)) not_chosen_ = step.original;
    }
    return true;
}

void Line::note_write(const Memory& from, uint64_t bytes, const Step& step) {
    if (is_chosen(step)) return;
    auto& [written, by] = written_apart_[{from.object, from.block}];
    written.add(from.offset, from.offset + bytes);
    by = step.original;
}

// A later write of its own thread stands for a write in the shadow, and a poll may have gone on over it. So it is looked for in the place.
const kernel::Statement* Line::not_chosen() const {
    if (not_chosen_ != nullptr) return not_chosen_;
    for (const auto& [key, meeting] : meetings_)
        if (meeting.whole != nullptr && meeting.mixed) return meeting.whole;
    for (const auto& [place, parts] : contended_)
        if (const kernel::Statement* const write = decides(place, 1) ? written_apart(place, 1) : nullptr) return write;
    return nullptr;
}

const kernel::Statement* Line::written_apart(const Memory& from, uint64_t bytes) const {
    const auto found = written_apart_.find({from.object, from.block});
    const bool is_written = found != written_apart_.end() && found->second.first.meet(from.offset, from.offset + bytes);
    return is_written ? found->second.second : nullptr;
}

const kernel::Statement* Line::of_lanes() const {
    std::map<size_t, Lanes> all = lanes_;
    for (const auto& [key, meeting] : meetings_)
        if (!meeting.alike || meeting.sum == 0)
            for (const auto& [warp, some] : meeting.lanes) all[warp] |= some;
    for (const auto& [key, meeting] : meetings_) {
        if (meeting.alike && meeting.sum != 0) continue;
        for (const auto& [warp, some] : meeting.settled)
            if (meeting.contended && !std::has_single_bit(some)) return meeting.last;
        for (const auto& [warp, some] : meeting.lanes)
            if (!std::has_single_bit(all.at(warp))) return meeting.last;
    }
    return nullptr;
}

}  // namespace litmus::sweep
