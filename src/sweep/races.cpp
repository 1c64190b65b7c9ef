// Accesses, and which of them race.
#include <algorithm>

#include "sweep/observer.h"

namespace litmus::sweep {

namespace {

constexpr uint64_t bytes_of_work = 512;  // that are touched in the time of an instruction

// Of Thread::late.
uint64_t late_key(uint32_t number, uint32_t statement) {
    return uint64_t{number} << 32 | statement;
}

}  // namespace

void Observer::add_memory(size_t object, bool shared) {
    Past& made = pasts_.emplace_back();
    if (!shared) take_over_accesses(made, object);
}

void Observer::reach(const Access& access, const Spot& spot, const Step& step) {
    const Thread& thread = threads_[access.thread];
    const size_t threads = task_.geometry.threads(), first = spot.block * threads;
    bool begun = false, ended = true;
    for (size_t t = first; t < first + threads && (!begun || ended); ++t) {
        begun = begun || thread.known.time[threads_[t].component] > 0;
        ended = ended && threads_[t].exited;
    }
    const std::string block = std::to_string(spot.block);
    if (!begun) account_.find(Breach::block_not_begun, {block}, {place(thread, step)});
    if (ended)
        account_.find(Breach::block_ended, {"an access to the shared memory of block " + block + ", which", ""}, {place(thread, step)});
    presence_.note_guest(spot.block, access);
}

Access Observer::own_access(const Thread& thread, const Step& step, bool writes) const {
    Access access;
    access.component = thread.component;
    access.number = thread.number;
    access.thread = thread.index;
    access.statement = task_.number_of(step);
    access.since = thread.since;
    access.scope = task_.groups.widest(step.scope);
    access.size = static_cast<uint8_t>(step.bytes / static_cast<uint32_t>(lanes(step.type)));  // packed ones are two (8.2.5)
    access.reduction = writes ? step.reduction : 0;
    access.writes = writes;
    return access;
}

FencedSpace Observer::space_of(const Thread& thread, const Spot& spot) const {
    if (!spot.shared) return FencedSpace::global;
    return spot.block == thread.seat.block ? FencedSpace::own_shared : FencedSpace::shared_of_peers;
}

// A complete operation is over. Global accesses of another block go through another async proxy (8.6), and are not.
bool Observer::is_over(const Causes& known, const Access& earlier, const Access& access, const Spot& spot) const {
    if (!access.asynchronous) return false;
    if (!earlier.asynchronous) return !earlier.writes && is_given(known, earlier);
    return known.completed[earlier.component] >= earlier.number &&
           (spot.shared || task_.seat_of(earlier.thread).block == task_.seat_of(access.thread).block);
}

bool Observer::races_in_wide(const Access& earlier, const Access& access, const Spot& spot) const {
    const Thread& own = threads_[access.thread];
    if (!own.known.wide) return true;
    const Causes& known = *own.known.wide;
    const Clock& before = access.asynchronous ? known.before_async(own.seat.block, space_of(own, spot)) : known.order;
    if (earlier.address != access.address && known.aliased[earlier.component] < earlier.number) return true;
    return before[earlier.component] < earlier.number && !is_over(known, earlier, access, spot);
}

Unordered Observer::touch(const Spot& spot, uint64_t bytes, const Access& access, const Step& step) {
    const std::pair whole(spot.offset, bytes);
    return touch(spot, std::span(&whole, 1), access, step);
}

Unordered Observer::touch(const Spot& spot, std::span<const std::pair<uint64_t, uint64_t>> ranges, const Access& given, const Step& step) {
    Access access = given;
    access.address = spot.address;
    const Thread& own = threads_[access.thread];
    // A read past the coherent caches has no order with a write (9.7.9.9).
    static const Clock nothing;
    const bool past_caches = step.past_caches;
    const auto cached = past_caches ? own.known.fenced.find(caches_as_block) : own.known.fenced.end();
    const Clock& uncached = cached == own.known.fenced.end() ? nothing : cached->second;
    const Clock& known = past_caches           ? uncached
                         : access.asynchronous ? own.known.before_async(own.seat.block, space_of(own, spot))
                                               : own.known.order;
    const Clock& aliased = past_caches ? uncached : own.known.aliased;
    const Shadow::Before before{{known, &aliased}, {known, &aliased}, {past_caches ? uncached : own.known.order, &aliased}, task_.narrow};
    if (spot.shared && spot.block != own.seat.block)
        reach(access, spot, step);
    else if (spot.shared && access.asynchronous && mbarriers_.find(access.component) != nullptr)
        presence_.note_guest(spot.block, access);  // it may go on when its thread has exited
    if (exchange_) exchange_->touch(own, spot, ranges, access, known);
    if (lives_) lives_->touch(own, spot, ranges, access, step);
    Past& touched = pasts_[spot.number];
    for (const auto& [from, bytes] : ranges) {
        if (access.writes && access.scope == Scope::none) touched.forget(from, from + bytes);
        if (access.writes && access.scope != Scope::none) {
            const uint64_t word = is_chosen(step) ? step.bytes : bytes;
            for (uint64_t at = from; at < from + bytes; at += word) touched.change(at, at + word, word == step.bytes);
            if (line_) line_->note_write(memory_of(spot, from), bytes, step);
        }
        if (from >= touched.objects_end || from + bytes <= touched.objects_begin) continue;
        Spot part = spot;
        part.offset = from;
        over_object(part, bytes, access, step);
    }
    const kernel::Object& object = task_.layout.objects()[spot.object];
    Unordered others = Unordered::none;
    bool settled = false;
    const auto conflict = [&](const Access& last, uint64_t at) {
        Access earlier = last;
        if (!earlier.writes && !access.writes) return;
        const bool unaliased = earlier.address != access.address && aliased[earlier.component] < earlier.number;
        if (!unaliased && is_over(own.known, earlier, access, spot)) return;
        if (task_.meet(earlier, access)) {
            if (access.repeats || settled) return;
            contend(earlier, access, spot, at);
            if (task_.is_earlier(earlier.thread) && access.writes && !earlier.reduces)
                account_.findings().condition("an earlier launch that may still run accesses this place, too: which comes first is open",
                                              *step.statement);
            const bool alike = access.reduction != 0 && earlier.reduction == access.reduction;
            if (earlier.writes) others = std::max(others, alike ? Unordered::alike : Unordered::unlike);
            return;
        }
        // what a thread observes in every order comes before what it does then (8.9.5)
        const auto observed = own.observed.find({spot.number, at});
        const bool is_observed = observed != own.observed.end() && observed->second == std::pair(earlier.component, earlier.number);
        if (!unaliased && is_observed && earlier.writes) {  // not what its thread did before with it
            const std::optional<Access> before = unknown_before(own, spot, at, earlier);
            if (!before) return;
            earlier = *before;
        }
        const bool in_wide = past_caches || races_in_wide(earlier, access, spot);
        if (in_wide) account_.findings().note_wide();
        if (!raced_.insert({earlier.statement, access.statement}).second) return;  // said
        const std::string where =
            "`" + object.name + "`" + (spot.shared ? " of block " + std::to_string(spot.block) : "") + " at byte " + std::to_string(at);
        Breach breach = Breach::unordered;
        if (task_.is_earlier(earlier.thread)) {
            breach = Breach::overlap;
        } else if (past_caches) {
            breach = Breach::uncached;
        } else if (access.asynchronous && !earlier.asynchronous && own.known.order[earlier.component] >= earlier.number) {
            breach = Breach::proxy;  // of cp.async and st.async, too, where they are waited for: they write through the generic proxy
        } else if (unaliased && known[earlier.component] >= earlier.number) {
            breach = Breach::alias;
        } else if (earlier.apart && earlier.component != access.component) {
            breach = Breach::incomplete;
        }
        account_.find(breach, {where}, {task_.place_of(earlier), place(own, step)}, Memory{spot.object, spot.shared ? spot.block : 0, at},
                      clash_of(earlier, access, touched.shadow, at), !in_wide);
    };
    const Shadow::Conflict on_conflict = std::ref(conflict);
    for (const auto& [at, bytes] : ranges) {
        effort_.add(1 + bytes / bytes_of_work);
        if (bytes > object.bytes.size() || at > object.bytes.size() - bytes)
            throw Failure(task_.module.source, Span{step.statement->span.begin, step.statement->span.end},
                          "it accesses bytes past the end of `" + object.name + "` (" + line_of(task_.module, *step.statement) + ")");
        ++accesses_;
        Spot part = spot;
        part.offset = at;
        account_.log_access(access, own, step, part, bytes);
        const bool is_inner = spot.shared && spot.block == own.seat.block && !access.asynchronous;
        if (access.writes) is_inner ? note_inner_change() : note_change();
        if (!access.writes && !is_inner && access.scope == Scope::none) ++changes_.reads;
        const uint64_t piece = step.elements > 1 && access.scope != Scope::none ? step.bytes : bytes;  // each element is in an order
        for (uint64_t begin = at; begin < at + bytes; begin += piece) {
            settled = (access.settled >> (begin - at) / piece & 1) != 0;
            touched.shadow.access(begin, begin + piece, access, before, on_conflict);
        }
    }
    return others;
}

// A strong write of the byte that comes before another one which the thread has observed. That one does not publish it.
std::optional<Access> Observer::unknown_before(const Thread& thread, const Spot& spot, uint64_t at, const Access& observed) const {
    const auto& words = pasts_[spot.number].written;
    auto word = words.upper_bound(at);
    if (word == words.begin() || at >= (--word)->first + word->second.bytes) return std::nullopt;
    for (const Written& one : word->second.values) {
        if (one.access.component == observed.component && one.access.number == observed.number) return std::nullopt;
        if (one.access.number > 0 && thread.known.order[one.access.component] < one.access.number) return one.access;
    }
    return word->second.values.size() > WordPast::most ? std::optional(observed) : std::nullopt;  // others were before it
}

// Two strong accesses that are not ordered. A vector is aligned to its size (ISA 6.4.1), and so is global memory. Where memory need not be,
// any element may be meant.
void Observer::contend(const Access& earlier, const Access& access, const Spot& spot, uint64_t offset) {
    const bool in_line = line_ && !is_of_grid(spot) && line_->note_contended(earlier, access, spot, offset);
    const auto note = [&](uint32_t part) {
        decisions_.contend(part);
        if (in_line) line_->note_part(memory_of(spot, offset), part);
    };
    for (const Access* const one : {&earlier, &access}) {
        if (task_.is_earlier(one->thread)) continue;
        const Step& step = task_.step_of(one->statement);
        const uint64_t bytes = uint64_t{step.bytes} * step.elements;
        const bool is_aligned = !spot.shared || task_.layout.objects()[spot.object].align % bytes == 0;
        const auto element = static_cast<uint32_t>(offset % bytes / step.bytes);
        if (step.elements == 1)
            note(one->statement);
        else
            for (uint32_t e = 0; e < step.elements; ++e)
                if (e == element || !is_aligned) note(decisions_.parts().of(one->statement, e));
    }
}

Clash::Side Observer::side_of(const Access& access) const {
    Clash::Side side{{}, access.writes, access.apart, access.scope, access.size, {}, nullptr};
    if (access.since != since_begin && !task_.is_earlier(access.thread)) side.since = task_.step_of(access.since).original;
    if (const auto& form = task_.step_of(access.statement).form) side.op = form->op;
    if (const Mbarrier* const object = mbarriers_.find(access.component)) side.object = object->name;
    return side;
}

Clash Observer::clash_of(const Access& earlier, const Access& later, const Shadow& shadow, uint64_t at) const {
    Clash clash;
    clash.earlier = side_of(earlier);
    clash.later = side_of(later);
    clash.fresh = !shadow.is_written(at);
    clash.again = !clash.earlier.object.empty() && earlier.number > 1;
    clash.apart = task_.groups.gpu_of(task_.seat_of(earlier.thread).block) != task_.groups.gpu_of(task_.seat_of(later.thread).block);
    return clash;
}

// An initialised object knows mbarrier operations only (9.7.13.15). Those of its life are no accesses here.
void Observer::over_object(const Spot& spot, uint64_t bytes, const Access& access, const Step& step) {
    if (step.form && step.form->op == Op::mbarrier_init) return;
    if (const Mbarrier* const object = mbarriers_.under({spot.number, spot.offset}, bytes))
        account_.find(Breach::over_object, {access.writes ? "writes" : "reads", object->name},
                      {place(threads_[access.thread], step), task_.place_of(object->init)});
}

void Observer::perform(const Thread& first, Lanes lanes, uint32_t statement) {
    auto& pending = pending_[warp_of(first)];
    const auto found = pending.find(statement);
    if (found == pending.end()) return;
    auto& [open, numbers] = found->second;
    for (const uint32_t lane : each(open & lanes)) {
        Thread& own = threads_[first.index - first.seat.lane() + lane];
        if (numbers[lane] != own.number) own.late[late_key(numbers[lane], statement)] = own.number;
        if (account_.events().has_everything()) account_.log({.what = Event::What::need}, own, task_.step_of(statement));
    }
    open &= ~lanes;
    if (open == 0) pending.erase(found);
}

void Observer::read_pending(Thread& thread, const Step& step) {
    if (!step.awaited) return;
    const uint32_t statement = task_.number_of(step), lane = thread.seat.lane();
    auto& [open, numbers] = pending_[warp_of(thread)][statement];
    if ((open >> lane & 1) != 0 && numbers[lane] != thread.number) thread.late[late_key(numbers[lane], statement)] = UINT32_MAX;
    open |= Lanes{1} << lane;
    numbers[lane] = thread.number;
}

bool Observer::is_given(const Causes& known, const Access& read) const {
    if (task_.is_earlier(read.thread)) return false;  // mbarrier objects are those of one launch
    const Thread& reader = threads_[read.thread];
    const uint32_t lane = reader.seat.lane();
    const auto& pending = pending_[warp_of(reader)];
    const auto open = pending.find(read.statement);
    if (open != pending.end() && (open->second.lanes >> lane & 1) != 0 && open->second.numbers[lane] == read.number) return false;
    const auto found = reader.late.find(late_key(read.number, read.statement));
    const uint32_t performed = found != reader.late.end() ? found->second : read.number;
    return performed < UINT32_MAX && known.given[read.component] >= performed;
}

}  // namespace litmus::sweep
