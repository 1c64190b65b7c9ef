// The orders of fences and flags.
//
// A strong write carries what its thread had published when it was made (ISA 8.7, 8.8). A write that releases carries all that its thread
// knew. Another one carries what the last fence of its thread covered, and what the thread knew at its last release of this very place. An
// atomic operation hands on what it has read from a write that is morally strong with it (8.9.2). Who reads the last write gets all that at
// once where the read acquires, or with its next fence. The scopes of both ends limit it (8.9.4).
#include <algorithm>

#include "ptx/value.h"
#include "sweep/observer.h"
#include "sweep/tensor_map.h"

namespace litmus::sweep {

namespace {

constexpr size_t most_timed = 4096;  // places of an array whose strong writes say how far others had come: flags are few

// Whether a store of a vector and a read of it are each taken for one access.
bool are_one_access(const Step& store, const Step& read) {
    return store.elements > 1 && is_whole(store) && store.bytes == read.bytes && store.elements == read.elements;
}

// Whether both are of one write, and give the same to whoever acquires it.
bool carry_the_same(const Release& one, const Release& other) {
    const auto is_same = [](const auto& a, const auto& b) {
        return a.first == b.first && a.second.order.covers(b.second.order) && b.second.order.covers(a.second.order);
    };
    return one.by.component == other.by.component && one.by.number == other.by.number &&
           std::equal(one.within.begin(), one.within.end(), other.within.begin(), other.within.end(), is_same);
}

}  // namespace

// ---- fences ------------------------------------------------------------------------------------------------------------------------

void Observer::fence(Thread& thread, const Step& step) {
    account_.log({.what = Event::What::fence}, thread, step);
    if (step.form->op == Op::fence_proxy) {
        fence_proxy(thread, step);
    } else if (step.has("mbarrier_init")) {
        thread.known.initialise(thread.component, thread.number);
    } else {
        const auto& pending = pending_[warp_of(thread)];
        if (step.sem == Sem::acq_rel || step.sem == Sem::sc)
            for (auto read = pending.begin(); read != pending.end();) perform(thread, Lanes{1} << thread.seat.lane(), (read++)->first);
        const Scope reach = task_.groups.widest(step.scope);
        if (step.sem != Sem::release) acquire(thread, thread.seen, reach, step);
        if (line_ && task_.options.schedule.orders_fences && is_fence_sc(step)) order_fence(thread, step);
        if (step.sem != Sem::acquire) thread.released.set(reach, thread.known);
        if (line_) line_->fence(thread, step);
    }
    thread.renew();
}

// An operation of this scope acquires what strong reads before it observed.
void Observer::acquire(Thread& thread, const Seen& seen, Scope reach, const Step& step) {
    for (const Scope scope : {Scope::cta, Scope::cluster, Scope::gpu, Scope::sys}) {
        if (scope > reach) break;
        const bool is_new = !thread.known.order.covers(seen.levels[scope].order);
        if (const auto doubt = seen.doubts.find(scope); is_new && doubt != seen.doubts.end()) decisions_.decide(doubt->second, step);
        thread.known.join(seen.levels[scope]);
    }
}

// A fence.sc synchronizes with those that come after it in their order (ISA 8.9.4, 8.10.2).
void Observer::order_fence(Thread& thread, const Step& step) {
    line_->order_fence(thread, step);
    for (const Scope scope : task_.scopes) {
        if (scope > task_.groups.widest(step.scope)) continue;
        Knowledge& released = fences_[{scope, task_.groups.of(scope, thread.seat)}];
        thread.known.join(released);
        released.join(thread.known);
    }
    note_change();
}

// ISA 9.7.13.4. Fences of other proxies order nothing here.
void Observer::fence_proxy(Thread& thread, const Step& step) {
    if (step.has("alias")) thread.known.cover_aliases();
    if (!step.has("async")) return;
    // what an earlier fence covered, here or elsewhere, is in that order
    const auto cover = [&](FencedSpace space) { thread.known.cover(Causes::fence_key(thread.seat.block, space)); };
    const bool all = !step.has("global") && !step.has("shared::cta") && !step.has("shared::cluster");
    if (all || step.has("global")) cover(FencedSpace::global);
    if (all || step.has("shared::cta") || step.has("shared::cluster")) cover(FencedSpace::own_shared);
    if (all || step.has("shared::cluster")) cover(FencedSpace::shared_of_peers);
}

// ---- flags -------------------------------------------------------------------------------------------------------------------------

void Observer::choose_lanes(Lanes lanes) {
    if (line_) line_->choose_lanes(lanes);
}

void Observer::enter_line(Thread& thread, const Spot& spot, const Step& step, Line::Kind kind) {
    if (line_ && step.scope != Scope::none && line_->access(thread, spot, step, kind) > 1 && is_whole(step)) whole_ = step.original;
}

void Observer::leave_line(Thread& thread) {
    if (line_) thread.renew();
}

Observer::Released Observer::begin_release(Thread& thread, const Step& step) {
    if (step.elements == 1 || !releases(step.sem)) return std::nullopt;
    Released released = thread.known;
    thread.renew();
    return released;
}

void Observer::publish(Thread& thread, const Spot& spot, const Step& step, const Released& before_it) {
    auto& kept = pasts_[spot.number].releases;
    if (step.scope == Scope::none) return;
    const Knowledge& known = before_it ? *before_it : thread.known;
    const bool releases_here = releases(step.sem);
    const bool updates = step.form && operation(*step.form) != Operator::none;  // also as an asynchronous operation does
    const bool in_program_order = !step.form || traits(step.form->op).kind != Traits::Kind::from_registers;
    const Access access = own_access(thread, step, true);
    for (uint32_t e = 0; e < step.elements; ++e) {
        const Word word{spot.number, spot.offset + uint64_t{e} * step.bytes, step.bytes};
        Release& release = kept[word.offset];
        if (!updates) release = {};
        if (!task_.meet(release.by, access)) release.within.clear();  // it is no link of an observation chain (8.9.2)
        const auto before = in_program_order ? thread.released_at.find(word) : thread.released_at.end();
        for (const Scope scope : task_.scopes) {
            const auto add = [&](const Knowledge& released) {
                release.within[{scope, task_.groups.of(scope, thread.seat)}].join(released);
            };
            if (releases_here && scope <= access.scope) {
                add(known);
                continue;
            }
            if (thread.released.has(scope)) add(thread.released[scope]);
            if (before != thread.released_at.end() && before->second.has(scope)) add(before->second[scope]);
        }
        if (releases_here && in_program_order) thread.released_at[word].set(access.scope, known);
        if (line_ || kept.size() <= most_timed) release.time.join(thread.known.time);  // the line leads through all of them
        release.by = access;
        if (task_.options.schedule.detours) pasts_[spot.number].published[word.offset].push_back(release);
    }
    thread.renew();
}

// Elements of a vector may all be of one write. Then each of them gives what that has released, and any is enough.
void Observer::observe(Thread& thread, const Spot& spot, const Step& step, uint8_t settled) {
    if (step.scope == Scope::none) return;
    const auto& releases = pasts_[spot.number].releases;
    const Access access = own_access(thread, step, false);
    const auto word_of = [&](uint32_t e) { return Word{spot.number, element_at(spot, step, e).offset, step.bytes}; };
    const auto release_of = [&](uint32_t e) {
        const auto found = releases.find(word_of(e).offset);
        return found != releases.end() && task_.meet(found->second.by, access) ? &found->second : nullptr;
    };
    bool are_alike = step.elements > 1;
    for (uint32_t e = 0; e < step.elements && are_alike; ++e)
        are_alike = release_of(e) != nullptr && carry_the_same(*release_of(0), *release_of(e));
    for (uint32_t e = 0; e < step.elements; ++e) {
        const Word word = word_of(e);
        if (const Release* const found = release_of(e)) {
            note_whole(thread, found->by, step);
            const Doubt strong = doubt_of_strong(spot, step, e);
            observe(thread, *found, word, step, strong != 0 && are_alike ? decisions_.doubt_of_whole(step) : strong);
            if ((settled >> e & 1) != 0) {  // in every order the writer has come so far
                const Access& by = found->by;
                thread.known.time.join(found->time);
                thread.known.time.raise(by.component, by.number);
                thread.observed[{word.instance, word.offset}] = {by.component, by.number};
            }
        }
        const auto before = thread.seen_at.find(word);
        if (acquires(step.sem) && before != thread.seen_at.end()) acquire(thread, before->second, access.scope, step);
    }
}

// A read of a vector may find a part of what one store has left there, where nothing orders the two (ISA 8.2.4).
void Observer::note_whole(const Thread& thread, const Access& by, const Step& step) {
    if (by.number == 0 || by.asynchronous || task_.is_earlier(by.thread)) return;
    const Step& store = task_.step_of(by.statement);
    if (are_one_access(store, step) && thread.known.order[by.component] < by.number) whole_ = step.original;
}

void Observer::observe(Thread& thread, const Release& release, const Word& word, const Step& step, Doubt doubt) {
    if (exchange_ && !task_.is_earlier(release.by.thread)) exchange_->learn(thread.index, release.by.thread);
    const bool is_own = release.by.number != 0 && !release.by.asynchronous && !task_.is_earlier(release.by.thread);
    const Step& by = task_.step_of(release.by.statement);
    const bool is_vector = is_own && by.elements > 1 && releases(by.sem);
    const bool is_as_one = is_vector && are_one_access(by, step);
    for (const Scope scope : task_.scopes) {
        const auto published = release.within.find({scope, task_.groups.of(scope, thread.seat)});
        if (published == release.within.end()) continue;
        const bool finds_it = is_as_one && thread.known.order[release.by.component] < release.by.number;
        const bool is_new = finds_it || !thread.known.order.covers(published->second.order);
        const auto join = [&](Knowledge& known) {
            known.join(published->second);
            if (is_as_one) known.find(release.by.component, release.by.number);
        };
        if (acquires(step.sem) && scope <= task_.groups.widest(step.scope)) {
            if (is_new) decisions_.decide(doubt, step);
            join(thread.known);
            if (is_vector && !is_as_one) thread.observed[{word.instance, word.offset}] = {release.by.component, release.by.number};
            continue;
        }
        const auto see = [&](Seen& seen) {
            join(seen.levels[scope]);
            if (is_new) seen.doubts[scope] = decisions_.join(seen.doubts[scope], doubt);
        };
        see(thread.seen);
        if (is_new) see(thread.seen_at[word]);
    }
}

// In the memory of the grid's barrier cooperative groups count, and do the same with any number.
bool Observer::is_of_grid(const Spot& spot) const {
    return task_.layout.workspace() != 0 && task_.layout.find("global", task_.layout.workspace(), 0)->object == spot.object;
}

// The value that a strong access finds depends on the order where some strong accesses are not ordered, and so does the last of several
// strong writes.
Doubt Observer::doubt_of_strong(const Spot& spot, const Step& step, uint32_t element) {
    return step.scope == Scope::none || is_of_grid(spot) ? 0 : decisions_.doubt_of(step, element);
}

// A weak write is ordered with all others, or it races.
void Observer::note_written(const Spot& spot, const Step& step, const Value& before, const Written& now) {
    if (now.access.scope == Scope::none || (step.elements != 1 && !is_chosen(step))) return;
    auto& [bytes, values] = pasts_[spot.number].written[spot.offset];
    if (values.empty()) {
        bytes = step.bytes;
        values.push_back({before, {}, {}, false});
    }
    if (bytes != step.bytes || values.size() > WordPast::most) return;
    values.push_back(now);
    values.back().value = narrowed(now.value, bytes);  // a register may be wider
}

// The values that the place has had by strong writes, or some of them.
std::vector<Value> Observer::found_before(const Spot& spot, const Step& step) const {
    std::vector<Value> values;
    const auto found = pasts_[spot.number].written.find(spot.offset);
    if (found != pasts_[spot.number].written.end() && found->second.bytes == step.bytes)
        for (const Written& one : found->second.values) values.push_back(one.value);
    return values;
}

std::optional<std::vector<Value>> Observer::found_otherwise(const Thread& thread, const Spot& spot, const Step& step) const {
    const Past& past = pasts_[spot.number];
    const auto found = past.written.find(spot.offset);
    if (found == past.written.end() || found->second.bytes != step.bytes) return std::nullopt;
    if (past.in_part.meet(spot.offset, spot.offset + step.bytes)) return std::nullopt;
    const std::vector<Written>& written = found->second.values;
    if (written.size() > WordPast::most) return std::nullopt;
    const Known known(thread.known.order, &thread.known.aliased);
    size_t last_known = 0;
    for (size_t w = 0; w < written.size(); ++w) {
        const Access& by = written[w].access;
        if (by.number == 0 || known.has(by.component, by.number, by.address != spot.address)) last_known = w;
    }
    // of writes that are not ordered with each other any may have been the first
    while (last_known > 0 && written[last_known].unordered) --last_known;
    const auto begin = written.begin() + static_cast<std::ptrdiff_t>(last_known);
    const bool same_in_any_order = std::none_of(begin, written.end(), [](const Written& one) { return one.unordered; }) ||
                                   std::all_of(begin, written.end(), [&](const Written& one) {
                                       return one.access.number == 0 || one.change == written.back().change;
                                   });
    if (!same_in_any_order) return std::nullopt;
    std::vector<Value> values;
    std::transform(begin, written.end() - 1, std::back_inserter(values), [](const Written& one) { return one.value; });
    return values;
}

// ---- reads of a detour (detours.h) ---------------------------------------------------------------------------------------------------

size_t Observer::writes_of(const Spot& spot) const {
    const auto& written = pasts_[spot.number].written;
    const auto found = written.find(spot.offset);
    return found == written.end() ? 0 : found->second.values.size();
}

// All that the word has had since the last write that is known, which comes last of those that are ordered with each other.
std::optional<std::vector<Observer::Findable>> Observer::may_find(const Clock& known, const Spot& spot, const Step& step) const {
    const Past& past = pasts_[spot.number];
    const auto found = past.written.find(spot.offset);
    if (past.in_part.meet(spot.offset, spot.offset + step.bytes)) return std::nullopt;
    if (found == past.written.end()) return std::vector<Findable>{};
    const std::vector<Written>& written = found->second.values;
    if (found->second.bytes != step.bytes || written.size() > WordPast::most) return std::nullopt;
    size_t begin = 0;
    for (size_t w = 1; w < written.size(); ++w) {
        const Access& by = written[w].access;
        if (written[w].unordered || by.asynchronous || by.address != spot.address) return std::nullopt;
        if (known[by.component] >= by.number) begin = w;
    }
    const auto published = past.published.find(spot.offset);
    std::vector<Findable> all;
    for (size_t w = begin; w < written.size(); ++w) {
        const Access& by = written[w].access;
        Findable& one = all.emplace_back(Findable{written[w].value, nullptr});
        if (by.number == 0 || published == past.published.end()) continue;
        for (const Release& release : published->second)
            if (release.by.component == by.component && release.by.number == by.number) one.release = &release;
    }
    return all;
}

void Observer::find(Found& by, const Thread& thread, const Release& release, const Step& step) const {
    if (!task_.meet(release.by, own_access(thread, step, false))) return;
    for (const Scope scope : task_.scopes) {
        const auto published = release.within.find({scope, task_.groups.of(scope, thread.seat)});
        if (published == release.within.end()) continue;
        if (acquires(step.sem) && scope <= task_.groups.widest(step.scope))
            by.known.join(published->second);
        else
            by.seen[scope].join(published->second);
    }
}

void Observer::acquire(Found& by, const Step& fence) const {
    if (fence.sem == Sem::release) return;
    for (const Scope scope : task_.scopes)
        if (scope <= task_.groups.widest(fence.scope)) by.known.join(by.seen[scope]);
}

bool Observer::may_read(const Knowledge& known, const Spot& spot, uint64_t bytes, const Access& access) const {
    bool may = true;
    const auto conflict = [&](const Access& earlier, uint64_t) { may = may && (!earlier.writes || task_.meet(earlier, access)); };
    const Shadow::Before before{{known.order, &known.aliased}, {known.order, &known.aliased}, {known.order, &known.aliased}, task_.narrow};
    pasts_[spot.number].shadow.probe(spot.offset, spot.offset + bytes, access, before, std::ref(conflict));
    return may && (spot.offset >= pasts_[spot.number].objects_end || spot.offset + bytes <= pasts_[spot.number].objects_begin);
}

void Observer::note_read(const Thread& thread, const Spot& spot, uint64_t bytes, const Access& access) {
    const Knowledge& known = thread.known;
    const auto conflict = [&](const Access& earlier, uint64_t at) {
        if (earlier.writes && task_.meet(earlier, access)) contend(earlier, access, spot, at);
    };
    const Shadow::Before before{{known.order, &known.aliased}, {known.order, &known.aliased}, {known.order, &known.aliased}, task_.narrow};
    const std::pair range(spot.offset, bytes);
    if (exchange_) exchange_->touch(thread, spot, std::span(&range, 1), access, known.order);
    ++accesses_;
    pasts_[spot.number].shadow.access(spot.offset, spot.offset + bytes, access, before, std::ref(conflict));
}

// No thread of this grid can wait until it is complete. So it is ordered before the threads that acquire from it, and before no others.
std::pair<Access, Unordered> Observer::release_apart(Thread& thread, const Spot& to, const Step& step) {
    const uint64_t bytes = uint64_t{step.bytes} * step.elements;
    Access access = own_access(thread, step, true);
    access.component = components_++;  // who knows that this one is complete knows it of no other one
    access.number = 1;
    access.apart = true;
    account_.log_copy(thread, step, to, {}, to, {{to.offset, bytes}}, nullptr);
    const Unordered others = touch(to, bytes, access, step);
    publish(thread, to, step);
    Release& release = pasts_[to.number].releases[to.offset];
    for (const Scope scope : task_.scopes)
        if (scope <= access.scope) release.within[{scope, task_.groups.of(scope, thread.seat)}].complete(access.component, access.number);
    release.by = access;
    return {access, others};
}

void Observer::begin_objects(const Spot& spot) {
    Past& past = pasts_[spot.number];
    past.objects_begin = std::min(past.objects_begin, spot.offset);
    past.objects_end = std::max(past.objects_end, spot.offset + mbarrier_bytes);
}

// ---- tensor maps -------------------------------------------------------------------------------------------------------------------
//
// A read of a map through its proxy is ordered after a write where a release and an acquire of fence.proxy.tensormap::generic lie between.
// The acquire names the map (9.7.13.4).

void Observer::read_map(const Thread& thread, const Spot& map, uint64_t address, const Access& reader, const Step& step) {
    const auto acquired = thread.maps.find(address);
    const Clock known = acquired == thread.maps.end() ? Clock() : acquired->second;
    pasts_[map.number].shadow.access(
        map.offset, map.offset + map_bytes, reader, {known, known, known}, [&](const Access& earlier, uint64_t) {
            if (!earlier.writes) return;
            account_.find(Breach::tensor_map, {task_.layout.objects()[map.object].name}, {task_.place_of(earlier), place(thread, step)});
        });
}

void Observer::release_map(Thread& thread, const Clock& released) {
    thread.known.fenced[maps_as_block].join(thread.known.order);
    thread.known.fenced[maps_as_block].join(released);
    thread.renew();
}

void Observer::acquire_map(Thread& thread, uint64_t address) {
    thread.maps[address].join(thread.known.fenced[maps_as_block]);
    thread.renew();
}

}  // namespace litmus::sweep
