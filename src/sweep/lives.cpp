// A block that has done nothing since its life began knows what all know that began with it: blocks are looked at again where they went on.
#include "sweep/lives.h"

#include <algorithm>
#include <array>

#include "ptx/traits.h"
#include "sweep/exchange.h"

namespace litmus::sweep {

namespace {

bool may_be_in_life(const Step& step) {
    using K = Traits::Kind;
    if (!step.form) return true;  // parameters, memory of the thread, and arithmetic; anything else is refused
    if (is_multimem(step.form->op)) return false;
    const K kind = traits(step.form->op).kind;
    return kind == K::load || kind == K::store || kind == K::atomic || kind == K::fence || kind == K::arithmetic || kind == K::hint ||
           kind == K::branch || kind == K::exit || kind == K::warp_barrier || kind == K::warp_reduction || step.form->op == Op::bar_sync;
}

// Threads of a kernel of plain steps know this of each other.
void know(Knowledge& known, const Knowledge& other) {
    known.order.join(other.order);
    known.time.events.join(other.time.events);
    known.time.accesses.join(other.time.accesses);
}

void know_only(Knowledge& known, const Knowledge& other) {
    known.order.meet(other.order);
    known.time.events.meet(other.time.events);
    known.time.accesses.meet(other.time.accesses);
}

bool cover(const Knowledge& known, const Knowledge& other) {
    return known.order.covers(other.order) && known.time.events.covers(other.time.events) &&
           known.time.accesses.covers(other.time.accesses);
}

// Stands for the place of an access whose address names its block: all that are alike make theirs there (exchange.h).
constexpr uint64_t by_name = UINT64_MAX;

constexpr std::array all_scopes{Scope::cta, Scope::cluster, Scope::gpu, Scope::sys};

// Likewise of releases by fences.
void know_only(Levels& released, const Levels& other) {
    Levels both;
    for (const Scope scope : all_scopes)
        if (released.has(scope) && other.has(scope)) {
            Knowledge known = released[scope];
            know_only(known, other[scope]);
            both.set(scope, known);
        }
    released = std::move(both);
}

bool cover(const Levels& released, const Levels& other) {
    return std::all_of(all_scopes.begin(), all_scopes.end(),
                       [&](Scope scope) { return !other.has(scope) || (released.has(scope) && cover(released[scope], other[scope])); });
}

}  // namespace

bool Lives::fits(const Task& task) {
    const Schedule& how = task.options.schedule;
    const bool has_narrow = !task.scopes.empty() && task.scopes.front() < Scope::gpu;
    return Exchange::fits(task, Alike::lives) && !how.splits && !how.orders_fences && !task.asks_wide && !has_narrow &&
           std::all_of(task.code.begin(), task.code.end(), may_be_in_life);
}

Lives::Lives(const Task& task, std::vector<Thread>& threads, std::vector<Past>& pasts, size_t& components)
    : task_(task),
      threads_(threads),
      pasts_(pasts),
      components_(components),
      is_idle_(task.options.schedule.places != nullptr && task.options.schedule.places->empty()),
      lives_(threads.size()),
      blocks_(task.geometry.blocks()) {
    for (uint32_t block = 0; block < blocks_.size() && !is_idle_; ++block) {
        blocks_[block].tail.ways.resize(task_.geometry.threads());
        for (Thread& thread : threads_of(block)) thread.known = {};
        begin_part(block);
        blocks_[block].tail.bases = {blocks_[block].tail.base};
    }
    parts_ = 0;
}

std::span<Thread> Lives::threads_of(uint32_t block) {
    const size_t count = task_.geometry.threads();
    return std::span(threads_).subspan(block * count, count);
}

// ---- what blocks do --------------------------------------------------------------------------------------------------------------

void Lives::touch(const Thread& thread, const Spot& spot, std::span<const std::pair<uint64_t, uint64_t>> ranges, const Access& access,
                  const Step& step) {
    if (is_idle_) return;
    Block& block = blocks_[thread.seat.block];
    if (spot.shared) {
        if (access.scope != Scope::none) not_alike_ = step.original;
        look_at_shared(thread, spot, ranges, access.writes, step);
        return;
    }
    block.tail.touched = true;
    if (chosen_ == thread.seat.block && !access.writes) return;
    block.has_published = block.has_published || (access.writes && access.scope != Scope::none);
    uint64_t& way = block.tail.ways[thread.seat.thread];
    for (const auto& [begin, bytes] : ranges) {
        const uint64_t place = access.by_name ? by_name : begin;
        for (const uint64_t part : {uint64_t{access.statement}, uint64_t{spot.object}, place, bytes, uint64_t{access.writes}})
            way = mixed(way, part);
    }
}

void Lives::go(uint32_t first, Lanes on, uint32_t statement) {
    const Step& step = task_.code[statement];
    const bool orders = step.form && (is_barrier(step.form->op) || traits(step.form->op).kind == Traits::Kind::warp_barrier ||
                                      traits(step.form->op).kind == Traits::Kind::fence);
    if (!orders || is_idle_) return;
    const kernel::Seat& seat = task_.seats[first];
    for (const uint32_t lane : each(on)) {
        uint64_t& way = blocks_[seat.block].tail.ways[seat.thread + lane];
        way = mixed(way, statement);
    }
}

void Lives::begin_choice(uint32_t block, bool is_fresh) {
    Block& own = blocks_[block];
    chosen_ = block;
    if (!own.has_chosen) {
        own.has_chosen = true;
        std::fill(own.tail.ways.begin(), own.tail.ways.end(), 0);
        if (!is_fresh) begin_tail(block);  // it has found what others did, and what it did since then has no way
    }
    if (own.tail.touched)
        begin_part(block);
    else
        std::erase(own.tail.bases, own.tail.base);
}

void Lives::end_choice(uint32_t block) {
    chosen_.reset();
    begin_part(block);
    blocks_[block].tail.bases.push_back(blocks_[block].tail.base);
}

void Lives::end_step(uint32_t block) {
    Block& own = blocks_[block];
    ++own.steps;
    if (std::exchange(own.has_published, false)) begin_tail(block);
}

// Components that are whole widths of a clock are told apart at once.
void Lives::begin_part(uint32_t block) {
    Tail& tail = blocks_[block].tail;
    const auto round_up = [](size_t n) { return (n + Clock::width - 1) / Clock::width * Clock::width; };
    tail.touched = false;
    if (++parts_ > most_parts) return;
    tail.base = round_up(components_);
    components_ = tail.base + round_up(tail.ways.size());
    for (Thread& thread : threads_of(block)) {
        if (thread.exited) continue;
        thread.component = tail.base + thread.seat.thread;
        thread.known.own(thread.component, thread.number);
    }
}

void Lives::begin_tail(uint32_t block) {
    Tail& tail = blocks_[block].tail;
    tail.is_first = false;
    std::fill(tail.ways.begin(), tail.ways.end(), 0);
    begin_part(block);
    tail.bases = {tail.base};
}

uint64_t Lives::tail_of(uint32_t block, const Exchange& exchange) const {
    const Tail& tail = blocks_[block].tail;
    uint64_t all = tail.is_first ? mixed(1, exchange.way(block)) : 0;
    for (const uint64_t way : tail.ways) all = mixed(all, way);
    return all;
}

Knowledge Lives::of_tail(const Knowledge& known, uint32_t block) const {
    const Tail& tail = blocks_[block].tail;
    Knowledge all;
    for (const size_t base : tail.bases) {
        const size_t end = base + (tail.ways.size() + Clock::width - 1) / Clock::width * Clock::width;
        all.order.join(known.order.of(base, end));
        all.time.events.join(known.time.events.of(base, end));
        all.time.accesses.join(known.time.accesses.of(base, end));
        all.time.awaited.join(known.time.awaited.of(base, end));
    }
    return all;
}

// ---- shared memory -----------------------------------------------------------------------------------------------------------------

void Lives::look_at_shared(const Thread& thread, const Spot& spot, std::span<const std::pair<uint64_t, uint64_t>> ranges, bool writes,
                           const Step& step) {
    Block& block = blocks_[thread.seat.block];
    block.pieces.emplace(spot.number, spot.object);
    ByteSet& written = block.written[spot.object];
    const auto& known = task_.options.schedule.handed_on;
    const auto known_here = known != nullptr ? known->find(spot.object) : std::map<size_t, ByteSet>::const_iterator();
    for (const auto& [begin, bytes] : ranges) {
        const uint64_t end = begin + bytes;
        const bool is_known = known != nullptr && known_here != known->end() && known_here->second.has_all(begin, end);
        if (writes)
            written.add(begin, end);
        else if (block.common && !is_known && !written.has_all(begin, end))
            handed_on_[spot.object].add(begin, end);
        if (!block.common) continue;
        const auto meets = [&, begin = begin](const Residue& some) {
            return some.written.meet(begin, end) || (writes && some.read.meet(begin, end));
        };
        const auto all = all_residues_.find(spot.object);
        if (all == all_residues_.end() || !meets(all->second)) continue;
        for (auto one = residues_.lower_bound({spot.object, 0}); one != residues_.end() && one->first.first == spot.object; ++one) {
            const uint32_t other = one->first.second;
            const bool is_behind = other == thread.seat.thread || thread.known.order[block.base + other] >= block.numbers[other];
            if (!is_behind && meets(one->second)) not_alike_ = step.original;
        }
    }
}

// `known`: what each thread of the block knows that has not exited.
void Lives::leave_shared(uint32_t block, const Clock& known) {
    Block& own = blocks_[block];
    for (const auto& [number, shared] : own.pieces) {
        pasts_[number].shadow.each([&, object = shared](uint64_t begin, uint64_t end, const Access& access) {
            if (known[access.component] >= access.number) return;
            for (Residue* const some : {&residues_[{object, task_.seats[access.thread].thread}], &all_residues_[object]})
                (access.writes ? some->written : some->read).add(begin, end);
        });
        pasts_[number].shadow = {};
    }
    own.written.clear();
}

// ---- new lives ---------------------------------------------------------------------------------------------------------------------

// It is known to each thread of the block that has not exited.
Clock Lives::known_to_all(uint32_t block) {
    Clock known;
    bool is_first = true;
    for (const Thread& thread : threads_of(block)) {
        if (thread.exited) continue;
        if (std::exchange(is_first, false))
            known.join(thread.known.order);
        else
            known.meet(thread.known.order);
    }
    return known;
}

Lives::Common Lives::common_of(uint32_t block) {
    Common common;
    for (const Thread& thread : threads_of(block)) {
        know(common.known.emplace_back(), thread.known);
        common.released.push_back(thread.released);
    }
    return common;
}

std::vector<uint32_t> Lives::begin(const std::vector<uint32_t>& blocks, const Exchange& exchange, Line& line) {
    const auto went_on = [&](uint32_t block) { return !blocks_[block].common || blocks_[block].steps != blocks_[block].begun; };
    std::optional<uint64_t> tail = tail_of(blocks.front(), exchange);
    const auto has_it = [&](uint32_t block) { return blocks_[block].has_chosen && tail_of(block, exchange) == tail; };
    if (!std::all_of(blocks.begin(), blocks.end(), has_it)) tail.reset();
    std::optional<Common> all;
    std::set<size_t> epochs;  // of blocks that have not gone on
    Clock before;             // in the line
    for (const uint32_t block : blocks) {
        const std::span<Thread> threads = threads_of(block);
        if (!went_on(block) && !epochs.insert(blocks_[block].common->number).second) continue;
        const Common own = went_on(block) ? common_of(block) : *blocks_[block].common;
        for (const Thread& thread : threads) {
            before.join(thread.known.time.line);
            before.join(thread.known.time.events);
        }
        if (went_on(block)) {
            leave_shared(block, known_to_all(block));
            line.end_life(threads);
        }
        if (!all) {
            all = own;
            continue;
        }
        for (size_t t = 0; t < threads.size(); ++t) {
            know_only(all->known[t], own.known[t]);
            know_only(all->released[t], own.released[t]);
        }
    }
    // Where nobody knows less than before, those that have not gone on are as they were.
    const auto is_as_before = [&](const Common& before) {
        return before.tail == tail &&
               std::equal(all->known.begin(), all->known.end(), before.known.begin(), before.known.end(),
                          [](const Knowledge& now, const Knowledge& then) { return cover(now, then); }) &&
               std::equal(all->released.begin(), all->released.end(), before.released.begin(), before.released.end(),
                          [](const Levels& now, const Levels& then) { return cover(now, then); });
    };
    const auto idle = std::find_if_not(blocks.begin(), blocks.end(), went_on);
    const bool stays = epochs.size() == 1 && is_as_before(*blocks_[*idle].common);
    all->tail = tail;
    all->number = stays ? *epochs.begin() : ++epochs_;
    std::vector<uint32_t> renewed;
    for (const uint32_t block : blocks) {
        if (!stays || went_on(block)) {
            renew(block, *all);
            renewed.push_back(block);
        }
        for (Thread& thread : threads_of(block)) thread.known.time.line = before;
    }
    return renewed;
}

void Lives::renew(uint32_t block, const Common& common) {
    Block& own = blocks_[block];
    const bool loses_tail = !common.tail && (!own.common || own.common->tail || own.steps != own.begun);
    own.common = common;
    own.begun = own.steps;
    own.numbers.resize(own.tail.ways.size());
    for (Thread& thread : threads_of(block)) {
        const Knowledge before = std::exchange(thread.known, common.known[thread.seat.thread]);
        const Levels released = std::exchange(thread.released, common.released[thread.seat.thread]);
        if (common.tail) {
            const Knowledge kept = of_tail(before, block);
            know(thread.known, kept);
            thread.known.time.awaited = kept.time.awaited;
            for (const Scope scope : all_scopes)
                if (thread.released.has(scope)) know(thread.released[scope], of_tail(released[scope], block));
        } else {
            thread.loaded.clear();
        }
        for (const size_t component : own.own) thread.known.time.events.raise(component, before.time.events[component]);
        thread.released_at.clear();
        thread.seen = {};
        thread.seen_at.clear();
        thread.observed.clear();
        thread.life = lives_++;
        own.numbers[thread.seat.thread] = ++thread.number;
        if (!loses_tail) thread.known.own(thread.component, thread.number);
    }
    if (loses_tail) begin_tail(block);
    own.base = own.tail.base;
}

}  // namespace litmus::sweep
