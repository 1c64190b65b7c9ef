// Memory: what it holds, who touched it, and what fences and flags order.
//
// A strong write carries what its thread had published when it was made (ISA 8.7, 8.8): all that it knew where the write releases, what its
// last fence covered otherwise. An atomic operation hands on what it has read from a write that is morally strong with it (8.9.2). Who
// reads the last write gets all that at once where the read acquires, or with its next fence, as far as the scopes of both ends allow
// (8.9.4).
#include <algorithm>

#include "ptx/value.h"
#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;
using kernel::Pointee;

namespace {

constexpr uint64_t bytes_of_work = 512;  // that are touched in the time of an instruction
constexpr size_t most_timed = 4096;      // places of an array whose strong writes say how far others had come: flags are few

bool is_shared(std::string_view space) {
    return space.rfind("shared", 0) == 0;
}

bool are_known(std::span<const Value> values) {
    return std::all_of(values.begin(), values.end(), [](const Value& value) { return value.has_value(); });
}

bool are_equal(std::span<const Value> some, std::span<const Value> others) {
    return std::equal(some.begin(), some.end(), others.begin(), [](const Value& one, const Value& other) { return *one == *other; });
}

// ISA 9.7.13.4. Fences of other proxies order nothing here.
void fence_proxy(Thread& thread, const Step& step) {
    if (step.has("alias")) thread.known.cover_aliases();
    if (!step.has("async")) return;
    // what an earlier fence covered, here or elsewhere, is in that order
    const auto cover = [&](FencedSpace space) { thread.known.cover(Causes::fence_key(thread.seat.block, space)); };
    const bool all = !step.has("global") && !step.has("shared::cta") && !step.has("shared::cluster");
    if (all || step.has("global")) cover(FencedSpace::global);
    if (all || step.has("shared::cta") || step.has("shared::cluster")) cover(FencedSpace::own_shared);
    if (all || step.has("shared::cluster")) cover(FencedSpace::shared_of_peers);
}

// Of Thread::late.
uint64_t late_key(uint32_t number, uint32_t statement) {
    return uint64_t{number} << 32 | statement;
}

}  // namespace

// ---- places ----------------------------------------------------------------------------------------------------------------------

uint64_t Machine::address(const Warp& warp, uint32_t lane, const Step& step, const Argument& argument) {
    if (argument.kind != Argument::Kind::address || argument.elements.empty())
        fail(warp, lane, step, "an address in brackets is expected here");
    return need(warp, lane, step, argument.elements[0], "an address") + static_cast<uint64_t>(argument.offset);
}

Pointee Machine::pointee(const Warp& warp, uint32_t lane, const Step& step, std::string_view space, uint64_t address) const {
    const uint64_t at = is_shared(space) ? truncate(address, 32) : address;
    const auto found = task_.layout.find(space, at, warp.block);
    if (!found) fail(warp, lane, step, "it accesses " + task_.layout.nowhere(space, at).place);
    const bool is_of_several = found->kind == Pointee::Kind::object && !task_.layout.objects()[found->object].points_to.empty();
    if (is_of_several && (!step.form || !is_multimem(step.form->op)))
        fail(warp, lane, step,
             "`" + task_.layout.objects()[found->object].name + "` is a multimem address, for multimem operations alone (ISA 8.2.3)");
    return *found;
}

Instance& Machine::instance(size_t object, uint32_t block, size_t& number) {
    const bool shared = task_.layout.objects()[object].space == Space::shared;
    const size_t place = shared ? block : 0;
    if (object >= numbers_.size()) numbers_.resize(object + 1);
    if (place >= numbers_[object].size()) numbers_[object].resize(place + 1, SIZE_MAX);
    number = numbers_[object][place];
    if (number == SIZE_MAX) {
        task_.options.budget.check();
        number = numbers_[object][place] = instances_.size();
        Instance& made = instances_.emplace_back();
        made.object = object;
        made.bytes = task_.layout.objects()[object].bytes;
        made.known.assign(made.bytes.size(), !shared);
        if (object < task_.launch.arrays.size() && task_.launch.arrays[object].map)
            put_map(*task_.launch.arrays[object].map, made.bytes, 0);
        take_over(made);
        if (!shared) take_over_accesses(made);
    }
    return instances_[number];
}

// What was recorded when this launch began is so, whatever was left: a copy or another kernel may have come between.
void Machine::take_over(Instance& instance) const {
    if (task_.before == nullptr || task_.layout.objects()[instance.object].space == Space::shared) return;
    const bool is_array = instance.object < task_.launch.arrays.size();
    const kernel::Module* const owner = task_.options.changed_from != nullptr ? task_.options.changed_from : &task_.module;
    const auto variable = task_.before->variables.find({owner, task_.layout.objects()[instance.object].name});
    if (!is_array && variable == task_.before->variables.end()) return;
    Contents now = is_array ? task_.before->arrays.at(instance.object) : variable->second;
    if (is_array)
        for (const auto& [begin, bytes] : task_.launch.arrays[instance.object].recorded)
            for (uint64_t at = begin; at < begin + bytes; ++at) {
                now.bytes[at] = instance.bytes[at];
                now.known[at] = true;
            }
    static_cast<Contents&>(instance) = std::move(now);
}

// Not what a grid's barrier counts in, which belongs to the launch, nor what the kernel allocated.
std::shared_ptr<const Left> Machine::left() {
    auto result = std::make_shared<Left>();
    if (task_.before != nullptr) result->variables = task_.before->variables;
    const auto workspace = task_.layout.workspace() != 0 ? task_.layout.find("global", task_.layout.workspace(), 0) : std::nullopt;
    for (size_t object = 0; object < given_; ++object) {
        if (task_.layout.objects()[object].space == Space::shared || (workspace && workspace->object == object)) continue;
        size_t number = 0;
        Instance& contents = instance(object, 0, number);
        for (const auto& [begin, end] : contents.shadow.written())
            result->written.push_back({task_.layout.objects()[object].name, begin, end});
        if (object < task_.launch.arrays.size())
            result->arrays.push_back(static_cast<Contents&&>(contents));
        else
            result->variables[{&task_.module, task_.layout.objects()[object].name}] = static_cast<Contents&&>(contents);
    }
    if (task_.options.keeps_running) result->running = running();
    result->began = decisions_.left();
    result->doubts = std::move(doubts_);
    return result;
}

Spot Machine::spot_of(const Warp& warp, uint32_t lane, const Step& step, std::string_view space, uint64_t address) {
    const Pointee found = pointee(warp, lane, step, space, address);
    if (found.kind != Pointee::Kind::object) fail(warp, lane, step, "it accesses " + task_.layout.nowhere(space, address).place);
    return spot_in(warp, found);
}

Spot Machine::spot_in(const Warp& warp, const Pointee& object) {
    Spot spot;
    spot.block = object.cta >= 0 ? static_cast<uint32_t>(object.cta) : warp.block;
    spot.offset = object.offset;
    spot.object = object.object;
    spot.shared = task_.layout.objects()[object.object].space == Space::shared;
    instance(object.object, spot.block, spot.number);
    return spot;
}

std::optional<Spot> Machine::spot(const Warp& warp, uint32_t lane, const Step& step, Role role, uint64_t extra) {
    const Argument* const named = step.find(role);
    if (named == nullptr) return std::nullopt;
    const uint64_t at = address(warp, lane, step, *named) + extra;
    const Spot found = spot_of(warp, lane, step, step.space(role), at);
    ask_place(warp, lane, step, *named, found, at);
    return found;
}

// ---- races -----------------------------------------------------------------------------------------------------------------------

void Machine::reach(const Access& access, const Spot& spot, const Step& step) {
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

Access Machine::own_access(const Thread& thread, const Step& step, bool writes) const {
    Access access;
    access.component = thread.component;
    access.number = thread.number;
    access.thread = thread.index;
    access.statement = task_.number_of(step);
    access.scope = task_.groups.widest(step.scope);
    access.size = static_cast<uint8_t>(step.bytes / static_cast<uint32_t>(lanes(step.type)));  // packed ones are two (8.2.5)
    access.reduction = writes ? step.reduction : 0;
    access.writes = writes;
    return access;
}

FencedSpace Machine::space_of(const Thread& thread, const Spot& spot) const {
    if (!spot.shared) return FencedSpace::global;
    return spot.block == thread.seat.block ? FencedSpace::own_shared : FencedSpace::shared_of_peers;
}

// What is complete is: but another block's global accesses go through another async proxy (8.6).
bool Machine::is_over(const Causes& known, const Access& earlier, const Access& access, const Spot& spot) const {
    if (!access.asynchronous) return false;
    if (!earlier.asynchronous) return !earlier.writes && is_given(known, earlier);
    return known.completed[earlier.component] >= earlier.number &&
           (spot.shared || task_.seat_of(earlier.thread).block == task_.seat_of(access.thread).block);
}

bool Machine::races_in_wide(const Access& earlier, const Access& access, const Spot& spot) const {
    const Thread& own = threads_[access.thread];
    if (!own.known.wide) return true;
    const Causes& known = *own.known.wide;
    const Clock& before = access.asynchronous ? known.before_async(own.seat.block, space_of(own, spot)) : known.order;
    if (earlier.address != access.address && known.aliased[earlier.component] < earlier.number) return true;
    return before[earlier.component] < earlier.number && !is_over(known, earlier, access, spot);
}

Unordered Machine::touch(const Spot& spot, uint64_t bytes, const Access& access, const Step& step) {
    const std::pair whole(spot.offset, bytes);
    return touch(spot, std::span(&whole, 1), access, step);
}

Unordered Machine::touch(const Spot& spot, std::span<const std::pair<uint64_t, uint64_t>> ranges, const Access& given, const Step& step) {
    Access access = given;
    access.address = spot.address;
    const Thread& own = threads_[access.thread];
    // What is read past the coherent caches has no order with a write (9.7.9.9).
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
    Instance& touched = instances_[spot.number];
    for (const auto& [from, bytes] : ranges) {
        if (from >= touched.objects_end || from + bytes <= touched.objects_begin) continue;
        Spot part = spot;
        part.offset = from;
        over_object(part, bytes, access, step);
    }
    const kernel::Object& object = task_.layout.objects()[touched.object];
    Unordered others = Unordered::none;
    const auto conflict = [&](const Access& earlier, uint64_t at) {
        if (!earlier.writes && !access.writes) return;
        const bool unaliased = earlier.address != access.address && aliased[earlier.component] < earlier.number;
        if (!unaliased && is_over(own.known, earlier, access, spot)) return;
        if (task_.meet(earlier, access)) {
            if (access.repeats || access.settled) return;
            decisions_.contend(earlier.statement, access.statement);
            if (task_.is_earlier(earlier.thread) && access.writes && !earlier.reduces)
                account_.findings().condition("an earlier launch that may still run accesses this place, too: which comes first is open",
                                              *step.statement);
            const bool alike = access.reduction != 0 && earlier.reduction == access.reduction;
            if (earlier.writes) others = std::max(others, alike ? Unordered::alike : Unordered::unlike);
            return;
        }
        // what a thread observes in every order comes before what it does then (8.9.5)
        const auto observed = own.observed.find({spot.number, at});
        if (!unaliased && observed != own.observed.end() && observed->second == std::pair(earlier.component, earlier.number)) return;
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
        account_.find(breach, {where}, {task_.place_of(earlier), place(own, step)},
                      Memory{touched.object, spot.shared ? spot.block : 0, at}, clash_of(earlier, access, touched.shadow, at), !in_wide);
    };
    const Shadow::Conflict on_conflict = std::ref(conflict);
    for (const auto& [at, bytes] : ranges) {
        work(1 + bytes / bytes_of_work);
        if (bytes > touched.bytes.size() || at > touched.bytes.size() - bytes)
            throw Failure(task_.module.source, Span{step.statement->span.begin, step.statement->span.end},
                          "it accesses bytes past the end of `" + object.name + "` (" + line_of(task_.module, *step.statement) + ")");
        ++swept_.accesses;
        Spot part = spot;
        part.offset = at;
        account_.log_access(access, own, step, part, bytes);
        changes_ += access.writes ? 1 : 0;
        touched.shadow.access(at, at + bytes, access, before, on_conflict);
    }
    return others;
}

Clash::Side Machine::side_of(const Access& access) const {
    Clash::Side side{{}, access.writes, access.apart, access.scope, access.size, {}};
    if (const auto& form = task_.step_of(access.statement).form) side.op = form->op;
    if (const Mbarrier* const object = mbarriers_.find(access.component)) side.object = object->name;
    return side;
}

Clash Machine::clash_of(const Access& earlier, const Access& later, const Shadow& shadow, uint64_t at) const {
    Clash clash;
    clash.earlier = side_of(earlier);
    clash.later = side_of(later);
    clash.fresh = !shadow.is_written(at);
    clash.again = !clash.earlier.object.empty() && earlier.number > 1;
    clash.apart = task_.groups.gpu_of(task_.seat_of(earlier.thread).block) != task_.groups.gpu_of(task_.seat_of(later.thread).block);
    return clash;
}

// ---- fences and flags --------------------------------------------------------------------------------------------------------------

void Machine::publish(Thread& thread, const Spot& spot, const Step& step) {
    auto& releases = instances_[spot.number].releases;
    if (step.scope == Scope::none) {
        if (!releases.empty()) releases.erase(spot.offset);
        return;
    }
    const bool releases_here = step.sem == Sem::release || step.sem == Sem::acq_rel || step.sem == Sem::sc;
    const bool updates = step.form && operation(*step.form) != Operator::none;  // also as an asynchronous operation does
    const Access access = own_access(thread, step, true);
    for (uint32_t e = 0; e < step.elements; ++e) {
        Release& release = releases[spot.offset + uint64_t{e} * step.bytes];
        if (!updates) release = {};
        if (!task_.meet(release.by, access)) release.within.clear();  // it is no link of an observation chain (8.9.2)
        for (const Scope scope : task_.scopes) {
            const bool all = releases_here && scope <= access.scope;
            if (all || thread.released.has(scope))
                release.within[{scope, task_.groups.of(scope, thread.seat)}].join(all ? thread.known : thread.released[scope]);
        }
        if (releases.size() <= most_timed) release.time.join(thread.known.time);
        release.by = access;
    }
    thread.renew();
}

void Machine::observe(Thread& thread, const Spot& spot, const Step& step, bool settled) {
    if (step.scope == Scope::none) return;
    const auto& releases = instances_[spot.number].releases;
    const bool acquires = step.sem == Sem::acquire || step.sem == Sem::acq_rel || step.sem == Sem::sc;
    const Access access = own_access(thread, step, false);
    for (uint32_t e = 0; e < step.elements; ++e) {
        const auto found = releases.find(spot.offset + uint64_t{e} * step.bytes);
        if (found == releases.end() || !task_.meet(found->second.by, access)) continue;
        const Release& release = found->second;
        for (const Scope scope : task_.scopes) {
            const auto published = release.within.find({scope, task_.groups.of(scope, thread.seat)});
            if (published == release.within.end()) continue;
            const bool at_once = acquires && scope <= access.scope;
            if (!thread.known.order.covers(published->second.order)) {
                const Doubt doubt = doubt_of_strong(spot, step);
                if (at_once)
                    decide(doubt, step);
                else
                    thread.seen_doubts[scope] = doubts_.join(thread.seen_doubts[scope], doubt);
            }
            (at_once ? thread.known : thread.seen[scope]).join(published->second);
        }
        if (!settled) continue;
        // in every order the writer has come so far
        thread.known.time.join(release.time);
        thread.known.time.raise(release.by.component, release.by.number);
        thread.observed[{spot.number, found->first}] = {release.by.component, release.by.number};
    }
}

void Machine::perform(Warp& warp, Lanes lanes, uint32_t statement) {
    const auto found = warp.pending.find(statement);
    if (found == warp.pending.end()) return;
    auto& [open, numbers] = found->second;
    for (const uint32_t lane : each(open & lanes)) {
        Thread& own = thread(warp, lane);
        if (numbers[lane] != own.number) own.late[late_key(numbers[lane], statement)] = own.number;
        if (account_.events().has_everything()) account_.log({.what = Event::What::need}, own, task_.step_of(statement));
    }
    open &= ~lanes;
    if (open == 0) warp.pending.erase(found);
}

// A read is performed when something waits for its value (code.h).
void Machine::read_pending(Warp& warp, uint32_t lane, const Step& step) {
    if (!step.awaited) return;
    Thread& own = thread(warp, lane);
    auto& [open, numbers] = warp.pending[task_.number_of(step)];
    if ((open >> lane & 1) != 0 && numbers[lane] != own.number) own.late[late_key(numbers[lane], task_.number_of(step))] = UINT32_MAX;
    open |= Lanes{1} << lane;
    numbers[lane] = own.number;
}

bool Machine::is_given(const Causes& known, const Access& read) const {
    if (task_.is_earlier(read.thread)) return false;  // mbarrier objects are those of one launch
    const Thread& reader = threads_[read.thread];
    const uint32_t lane = reader.seat.lane();
    const auto& pending = warps_[warp_of(reader)].pending;
    const auto open = pending.find(read.statement);
    if (open != pending.end() && (open->second.lanes >> lane & 1) != 0 && open->second.numbers[lane] == read.number) return false;
    const auto found = reader.late.find(late_key(read.number, read.statement));
    const uint32_t performed = found != reader.late.end() ? found->second : read.number;
    return performed < UINT32_MAX && known.given[read.component] >= performed;
}

void Machine::fence(Warp& warp, Lanes lanes, const Step& step) {
    for (const uint32_t lane : each(lanes)) {
        Thread& own = thread(warp, lane);
        account_.log({.what = Event::What::fence}, own, step);
        if (step.form->op == Op::fence_proxy) {
            if (step.has("async::generic"))
                fail(warp, lane, step, "`" + kernel::dotted(step.statement->words) + "` is not executed by the sweep");
            fence_proxy(own, step);
        } else if (step.has("mbarrier_init")) {
            own.known.initialise(own.component, own.number);
        } else {
            if (step.sem == Sem::acq_rel || step.sem == Sem::sc)
                for (auto read = warp.pending.begin(); read != warp.pending.end();) perform(warp, Lanes{1} << lane, (read++)->first);
            const bool one_way = step.sem == Sem::acquire;
            if (step.has("sync_restrict::shared::cta") || step.has("sync_restrict::shared::cluster"))
                fail(warp, lane, step, "`" + kernel::dotted(step.statement->words) + "` is not executed by the sweep");
            const Scope reach = task_.groups.widest(step.scope);
            for (const Scope scope : {Scope::cta, Scope::cluster, Scope::gpu, Scope::sys}) {
                if (step.sem == Sem::release || scope > reach) break;
                own.known.join(own.seen[scope]);
                if (const auto doubt = own.seen_doubts.find(scope); doubt != own.seen_doubts.end()) decide(doubt->second, step);
            }
            if (!one_way) own.released.set(reach, own.known);
        }
        own.renew();
    }
}

// ---- accesses ----------------------------------------------------------------------------------------------------------------------

// What a strong access finds, and which of several strong writes is the last, depends on the order where some are not ordered. The memory
// of the grid's barrier is not asked: cooperative groups count in it, and what they do with the numbers is the same in every order.
Doubt Machine::doubt_of_strong(const Spot& spot, const Step& step) {
    if (step.scope == Scope::none) return 0;
    const bool of_grid =
        task_.layout.workspace() != 0 && task_.layout.find("global", task_.layout.workspace(), 0)->object == instances_[spot.number].object;
    return of_grid ? 0 : doubt_of(step);
}

void Machine::load(Warp& warp, Lanes lanes, const Step& step) {
    const Argument& from = step.statement->arguments.at(1);
    const std::string_view space = step.space(Role::address);
    std::vector<Value> values;
    for (const uint32_t lane : each(lanes)) {
        const uint64_t at = address(warp, lane, step, from);
        const Pointee found = pointee(warp, lane, step, space, at);
        values.clear();
        if (found.kind == Pointee::Kind::object) {
            const Spot spot = spot_in(warp, found);
            Thread& own = thread(warp, lane);
            ask_place(warp, lane, step, from, spot, at);
            Access access = own_access(own, step, false);
            access.finds = step.scope != Scope::none;
            look_at_poll(warp, lane, step, spot, access);
            warp.looked = warp.looked || step.scope != Scope::none;
            warp.yields = warp.yields || access.repeats;
            touch(spot, uint64_t{step.bytes} * step.elements, access, step);
            if (spot.shared) read_pending(warp, lane, step);
            if (!access.repeats) {
                account_.log_flag(
                    {.reads = true, .read = instances_[spot.number].get(spot.offset, step.bytes, doubts_), .settled = access.settled}, own,
                    spot, step);
                observe(own, spot, step, access.settled);  // not before: what it reads is no matter of order
            }
            const Doubt doubt = doubt_of_strong(spot, step);
            for (uint32_t e = 0; e < step.pieces(); ++e) {
                Value& value = values.emplace_back(
                    instances_[spot.number].get(spot.offset + uint64_t{e} * step.piece_bytes(), step.piece_bytes(), doubts_));
                value.doubt = doubts_.join(value.doubt, doubt);
            }
        } else if (found.kind == Pointee::Kind::own) {
            for (uint32_t e = 0; e < step.pieces(); ++e)
                values.push_back(
                    own_memory_[warp.first + lane].get(found.offset + uint64_t{e} * step.piece_bytes(), step.piece_bytes(), doubts_));
        } else {
            const auto& bytes = found.kind == Pointee::Kind::parameter ? parameters_ : task_.layout.constants();
            for (uint32_t e = 0; e < step.pieces(); ++e) {
                Gathered value(step.piece_bytes());
                for (uint32_t i = 0; i < step.piece_bytes(); ++i) {
                    const uint64_t byte = found.offset + uint64_t{e} * step.piece_bytes() + i;
                    if (byte < bytes.size()) value.add(i, bytes[byte], 0, doubts_);
                }
                values.push_back(value.value());
            }
        }
        for (Value& value : values) value = extended(value, step.type);
        write(warp, lane, step.statement->arguments[0], values);
    }
}

void Machine::store(Warp& warp, Lanes lanes, const Step& step) {
    const Argument& to = step.statement->arguments.at(0);
    const Argument& what = step.statement->arguments.at(1);
    const std::string_view space = step.space(Role::address);
    for (const uint32_t lane : each(lanes)) {
        const uint64_t at = address(warp, lane, step, to);
        const Pointee found = pointee(warp, lane, step, space, at);
        const auto value_of = [&](uint32_t e) {
            return read(warp, lane, what.kind == Argument::Kind::vector ? what.elements.at(e) : what);
        };
        if (found.kind == Pointee::Kind::own) {
            for (uint32_t e = 0; e < step.pieces(); ++e)
                own_memory_[warp.first + lane].put(found.offset + uint64_t{e} * step.piece_bytes(), step.piece_bytes(), value_of(e));
            continue;
        }
        if (found.kind != Pointee::Kind::object) fail(warp, lane, step, "it accesses " + task_.layout.nowhere(space, at).place);
        const Spot spot = spot_in(warp, found);
        Thread& own = thread(warp, lane);
        ask_place(warp, lane, step, to, spot, at);
        const Access access = own_access(own, step, true);
        const bool last = touch(spot, uint64_t{step.bytes} * step.elements, access, step) == Unordered::none;
        account_.log_flag({.writes = true, .operand = value_of(0)}, own, spot, step);
        note_written(spot, step, instances_[spot.number].get(spot.offset, step.bytes, doubts_),
                     {value_of(0), access, {.type = step.type, .by = value_of(0), .swapped = {}}, !last});
        publish(own, spot, step);
        for (uint32_t e = 0; e < step.pieces(); ++e) {
            Value value = value_of(e);
            if (!last) value.doubt = doubts_.join(value.doubt, doubt_of_strong(spot, step));
            instances_[spot.number].put(spot.offset + uint64_t{e} * step.piece_bytes(), step.piece_bytes(), value);
        }
    }
}

// Whether a compare-and-swap writes is decided by what it compares.
void Machine::decide_writing(Warp& warp, uint32_t lane, const Step& step, std::span<const Value> old, std::span<const Value> by) {
    for (const std::span<const Value> compared : {old, by})
        for (const Value& value : compared) decide(value.doubt, step);
    if (are_known(old) && are_known(by)) return;
    decisions_.guess(task_.number_of(step));
    decide(doubt_of(step), step);
    account_.note_guess(thread(warp, lane));
}

void Machine::atomic(Warp& warp, Lanes lanes, const Step& step) {
    const bool gives = traits(step.form->op).result != Traits::Result::none;
    const auto& arguments = step.statement->arguments;
    const Operator does = operation(*step.form);
    for (const uint32_t lane : each(lanes)) {
        const Argument& to = arguments.at(gives ? 1 : 0);
        const uint64_t at = address(warp, lane, step, to);
        const Spot spot = spot_of(warp, lane, step, step.space(Role::address), at);
        Thread& own = thread(warp, lane);
        ask_place(warp, lane, step, to, spot, at);
        const bool compares = does == Operator::cas;
        auto [old, by, now] = update_from_registers(warp, lane, step, spot);
        const Value swapped = compares ? read(warp, lane, *step.find(Role::swap)) : Value();
        // A compare-and-swap that fails writes nothing (model/semantics.md, section 2).
        const bool fails = compares && are_known(old) && are_known(by) && !are_equal(old, by);
        Access access = own_access(own, step, !fails);
        const bool observes = gives && arguments[0].kind != Argument::Kind::sink;  // a reduction does not (8.11.1)
        access.reduces = !observes;
        access.finds = observes;
        const uint64_t changes = changes_;
        warp.looked = true;
        const Unordered others = touch(spot, uint64_t{step.bytes} * step.elements, access, step);
        if (observes) observe(own, spot, step, false);
        if (!fails) publish(own, spot, step);
        account_.log_flag({.reads = observes || fails,
                           .writes = !fails,
                           .read = old[0],
                           .operand = compares ? swapped : by[0],
                           .compared = by[0],
                           .does = does},
                          own, spot, step);
        if (are_known(old) && are_known(now) && are_equal(old, now)) {  // nobody can tell
            changes_ = changes;
            warp.yields = true;
        }
        const Doubt doubt = doubt_of_strong(spot, step);
        if (compares) {
            decide(doubt, step);
            decide_writing(warp, lane, step, old, by);
        }
        for (Value& value : now)
            if (others == Unordered::unlike) value.doubt = doubts_.join(value.doubt, doubt);
        if (!fails) note_written(spot, step, old[0], {now[0], access, {does, step.type, by[0], swapped}, others != Unordered::none});
        put_elements(spot, step.piece_bytes(), now);
        for (Value& value : old) value.doubt = doubts_.join(value.doubt, doubt);
        if (gives) write(warp, lane, arguments[0], old);
    }
}

// ldmatrix and stmatrix (9.7.14): eight lanes give the addresses of the rows, of 16 bytes, of each matrix.
void Machine::matrix_rows(Warp& warp, Lanes lanes, const Step& step) {
    const bool loads = step.name() == "ldmatrix";
    const uint32_t matrices = step.has("x4") ? 4 : step.has("x2") ? 2 : 1;
    constexpr uint32_t rows = 8, row_bytes = 16;
    for (const uint32_t lane : each(lanes)) {
        if (lane < matrices * rows) {
            const Argument& row = step.statement->arguments.at(loads ? 1 : 0);
            const uint64_t at = address(warp, lane, step, row);
            const Spot spot = spot_of(warp, lane, step, step.space(Role::address), at);
            ask_place(warp, lane, step, row, spot, at);
            Thread& own = thread(warp, lane);
            touch(spot, row_bytes, own_access(own, step, !loads), step);
            if (loads) read_pending(warp, lane, step);
            if (!loads) instances_[spot.number].put(spot.offset, row_bytes, std::nullopt);
        }
        if (loads) write(warp, lane, step.statement->arguments[0], {});
    }
}

}  // namespace litmus::sweep
