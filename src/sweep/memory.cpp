// Memory: what addresses lead to, and what lies there.
#include <algorithm>

#include "ptx/value.h"
#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;
using kernel::Pointee;

namespace {

bool is_shared(std::string_view space) {
    return space.rfind("shared", 0) == 0;
}

bool are_known(std::span<const Value> values) {
    return std::all_of(values.begin(), values.end(), [](const Value& value) { return value.has_value(); });
}

bool are_equal(std::span<const Value> some, std::span<const Value> others) {
    return std::equal(some.begin(), some.end(), others.begin(), [](const Value& one, const Value& other) { return *one == *other; });
}

}  // namespace

// ---- places ----------------------------------------------------------------------------------------------------------------------

uint64_t Machine::address(const Warp& warp, uint32_t lane, const Step& step, const Argument& argument) {
    if (argument.kind != Argument::Kind::address || argument.elements.empty())
        fail(warp, lane, step, "an address in brackets is expected here");
    return need(warp, lane, step, argument.elements[0], "an address") + static_cast<uint64_t>(argument.offset);
}

// Threads that are alike choose an access at one place, so that its address names none of them then.
Doubt Machine::mark_of(const Warp& warp, uint32_t lane, const Step& step, const Argument& place) {
    if (!observer_.exchange()) return 0;
    const bool is_late = observer_.exchange()->is_of_threads() && !observer_.exchange()->is_fresh(thread(warp, lane).index);
    if (is_late && step.scope != Scope::none) return found_late;
    const Doubt named = place.elements.empty() ? 0 : read(warp, lane, place.elements[0]).doubt & names_block;
    return named | (is_late ? found_late : 0);
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
        observer_.add_memory(object, shared);
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
bool Machine::outlives(size_t object) const {
    const auto workspace = task_.layout.workspace() != 0 ? task_.layout.find("global", task_.layout.workspace(), 0) : std::nullopt;
    return object < given_ && task_.layout.objects()[object].space != Space::shared && !(workspace && workspace->object == object);
}

std::vector<Part> Machine::written() const {
    std::vector<Part> parts;
    for (size_t object = 0; object < std::min(given_, numbers_.size()); ++object) {
        if (!outlives(object) || numbers_[object].empty() || numbers_[object].front() == SIZE_MAX) continue;  // nobody came to it
        for (const auto& [begin, end] : observer_.past(numbers_[object].front()).shadow.written())
            parts.push_back({task_.layout.objects()[object].name, begin, end});
    }
    return parts;
}

std::shared_ptr<const Left> Machine::left() {
    auto result = std::make_shared<Left>();
    if (task_.before != nullptr) result->variables = task_.before->variables;
    result->written = written();
    for (size_t object = 0; object < given_; ++object) {
        if (!outlives(object)) continue;
        size_t number = 0;
        Instance& contents = instance(object, 0, number);
        if (object < task_.launch.arrays.size())
            result->arrays.push_back(static_cast<Contents&&>(contents));
        else
            result->variables[{&task_.module, task_.layout.objects()[object].name}] = static_cast<Contents&&>(contents);
    }
    if (task_.options.keeps_running) {
        std::vector<size_t> numbers(task_.layout.common_objects());
        for (size_t object = 0; object < numbers.size(); ++object) instance(object, 0, numbers[object]);
        result->running = observer_.running(numbers);
    }
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

// Without a state space the address of an mbarrier object is generic, and lies in the window of shared memory (9.7.13.15, 9.7.16.12.1). One
// that is a number within that window instead is undefined. The run goes on with the object that it would name there.
std::string_view Machine::space_of(const Warp& warp, uint32_t lane, const Step& step, Role role, uint64_t address) {
    constexpr std::string_view meant = "shared::cluster";
    const std::string_view space = step.space(role);
    if (role != Role::mbarrier || !space.empty() || task_.layout.find(space, address, warp.block)) return space;
    const auto object = address == truncate(address, 32) ? task_.layout.find(meant, address, warp.block) : std::nullopt;
    if (!object) return space;
    account_.find(Breach::not_generic, {citation({}, *step.form)}, {place(thread(warp, lane), step)});
    return meant;
}

std::optional<Spot> Machine::spot(const Warp& warp, uint32_t lane, const Step& step, Role role, uint64_t extra) {
    const Argument* const named = step.find(role);
    if (named == nullptr) return std::nullopt;
    const uint64_t at = address(warp, lane, step, *named) + extra;
    const Spot found = spot_of(warp, lane, step, space_of(warp, lane, step, role, at), at);
    ask_place(warp, lane, step, *named, found, at);
    return found;
}

// ---- accesses ----------------------------------------------------------------------------------------------------------------------

// A fence has no operands that a lane would have to read.
void Machine::fence(Warp& warp, Lanes lanes, const Step& step) {
    if (step.has("async::generic") || step.has("sync_restrict::shared::cta") || step.has("sync_restrict::shared::cluster"))
        fail(warp, *each(lanes).begin(), step, "`" + kernel::dotted(step.statement->words) + "` is not executed by the sweep");
    for (const uint32_t lane : each(lanes)) observer_.fence(thread(warp, lane), step);
}

void Machine::load(Warp& warp, Lanes lanes, const Step& step) {
    const Argument& from = step.statement->arguments.at(1);
    const std::string_view space = step.space(Role::address);
    for (const uint32_t lane : each(lanes)) {
        const uint64_t at = address(warp, lane, step, from);
        const Pointee found = pointee(warp, lane, step, space, at);
        const Doubt mark = mark_of(warp, lane, step, from);
        if (found.kind == Pointee::Kind::object) {
            const Spot spot = spot_in(warp, found);
            Thread& own = thread(warp, lane);
            ask_place(warp, lane, step, from, spot, at);
            if (is_named(mark) && spot.shared && !observer_.exchange()->is_of_threads()) decisions_.decide(names_block, step);
            Access access = observer_.own_access(own, step, false);
            access.finds = step.scope != Scope::none;
            access.by_name = is_named(mark);
            look_at_poll(warp, lane, step, spot, access);
            warp.looked = warp.looked || step.scope != Scope::none;
            warp.polls = warp.polls || access.repeats;
            warp.yields = warp.yields || access.repeats;
            if (!access.repeats)
                observer_.enter_line(own, spot, step, {.reads = true, .settled = access.settled, .awaits = awaits(warp, lane, step, spot)});
            observer_.touch(spot, uint64_t{step.bytes} * step.elements, access, step);
            if (spot.shared) observer_.read_pending(thread(warp, lane), step);
            if (step.repeats) note_loaded(own, spot, step);
            if (!access.repeats) {
                account_.log_flag(
                    {.reads = true, .read = instances_[spot.number].get(spot.offset, step.bytes, doubts_), .settled = access.settled != 0},
                    own, spot, step);
                observer_.observe(own, spot, step, access.settled);  // not before: what it reads is no matter of order
                if (access.finds) observer_.leave_line(own);
            }
        }
        write(warp, lane, step.statement->arguments[0], loaded(warp, lane, step, found, mark));
    }
}

std::vector<Value> Machine::loaded(const Warp& warp, uint32_t lane, const Step& step, const Pointee& from, Doubt mark) {
    std::vector<Value> values;
    const auto piece = [&](uint32_t e) { return from.offset + uint64_t{e} * step.piece_bytes(); };
    if (from.kind == Pointee::Kind::object) {
        const Spot spot = spot_in(warp, from);
        for (uint32_t e = 0; e < step.pieces(); ++e) {
            Value& value = values.emplace_back(instances_[spot.number].get(piece(e), step.piece_bytes(), doubts_));
            const Doubt doubt = observer_.doubt_of_strong(spot, step, step.element_of(e));
            value.doubt = doubts_.join(value.doubt, doubts_.join(doubt, mark));
        }
    } else if (from.kind == Pointee::Kind::own) {
        for (uint32_t e = 0; e < step.pieces(); ++e)
            values.push_back(own_memory_[warp.first + lane].get(piece(e), step.piece_bytes(), doubts_));
    } else {
        const auto& bytes = from.kind == Pointee::Kind::parameter ? parameters_ : task_.layout.constants();
        for (uint32_t e = 0; e < step.pieces(); ++e) {
            Gathered value(step.piece_bytes());
            for (uint32_t i = 0; i < step.piece_bytes(); ++i)
                if (piece(e) + i < bytes.size()) value.add(i, bytes[piece(e) + i], 0, doubts_);
            values.push_back(value.value());
        }
    }
    for (Value& value : values) {
        value = extended(value, step.type);
        if (mark != 0) value.doubt = doubts_.join(value.doubt, mark & names_block);
    }
    return values;
}

void Machine::store(Warp& warp, Lanes lanes, const Step& step) {
    const Argument& to = step.statement->arguments.at(0);
    const Argument& what = step.statement->arguments.at(1);
    const std::string_view space = step.space(Role::address);
    for (const uint32_t lane : each(lanes)) {
        const uint64_t at = address(warp, lane, step, to);
        const Pointee found = pointee(warp, lane, step, space, at);
        const bool named = is_named(mark_of(warp, lane, step, to));
        // behind its first choice another block may leave another value here
        const bool is_late = named && !observer_.exchange()->is_fresh(thread(warp, lane).index);
        const auto value_of = [&](uint32_t e) {
            Value value = read(warp, lane, what.kind == Argument::Kind::vector ? what.elements.at(e) : what);
            if (is_late) value.doubt = doubts_.join(value.doubt, names_block);
            return value;
        };
        if (found.kind == Pointee::Kind::own) {
            if (named) decisions_.decide(names_block, step);
            for (uint32_t e = 0; e < step.pieces(); ++e)
                own_memory_[warp.first + lane].put(found.offset + uint64_t{e} * step.piece_bytes(), step.piece_bytes(), value_of(e));
            continue;
        }
        if (found.kind != Pointee::Kind::object) fail(warp, lane, step, "it accesses " + task_.layout.nowhere(space, at).place);
        const Spot spot = spot_in(warp, found);
        Thread& own = thread(warp, lane);
        ask_place(warp, lane, step, to, spot, at);
        if (named && spot.shared && !observer_.exchange()->is_of_threads()) decisions_.decide(names_block, step);
        const Observer::Released released = Observer::begin_release(own, step);
        Access access = observer_.own_access(own, step, true);
        access.by_name = named;
        observer_.enter_line(own, spot, step, {.writes = true});
        const bool last = observer_.touch(spot, uint64_t{step.bytes} * step.elements, access, step) == Unordered::none;
        account_.log_flag({.writes = true, .operand = value_of(0)}, own, spot, step);
        for (uint32_t e = 0; e < step.elements; ++e) {
            const Spot word = element_at(spot, step, e);
            const Value value = value_of(e * step.pieces() / step.elements);
            observer_.note_written(word, step, instances_[word.number].get(word.offset, step.bytes, doubts_),
                                   {value, access, {.type = step.type, .by = value, .swapped = {}}, !last});
        }
        observer_.publish(own, spot, step, released);
        for (uint32_t e = 0; e < step.pieces(); ++e) {
            Value value = value_of(e);
            if (!last) value.doubt = doubts_.join(value.doubt, observer_.doubt_of_strong(spot, step, step.element_of(e)));
            instances_[spot.number].put(spot.offset + uint64_t{e} * step.piece_bytes(), step.piece_bytes(), value);
        }
    }
}

// A weak write of a range: of zeros (st.bulk, 9.7.9.13), or of what nobody may use (discard, 9.7.9.17).
void Machine::fill(Warp& warp, uint32_t lane, const Step& step) {
    constexpr uint32_t piece = 8;  // bytes: sizes are multiples of it
    task_.options.budget.check();
    const Argument& place = *step.find(Role::copy_to);
    const uint64_t bytes = need(warp, lane, step, *step.find(Role::size), "a size");
    if (const Argument* const initial = step.find(Role::initial)) need(warp, lane, step, *initial, "a value");
    const Spot to = *spot(warp, lane, step, Role::copy_to);
    Instance& filled = instances_[to.number];
    if (bytes > filled.bytes.size() - to.offset)
        fail(warp, lane, step, "it fills " + std::to_string(bytes) + " bytes, which is more than there is");
    if (to.shared && is_named(mark_of(warp, lane, step, place))) decisions_.decide(names_block, step);
    observer_.touch(to, bytes, observer_.own_access(thread(warp, lane), step, true), step);
    const Value value = step.form->op == Op::discard ? Value() : Value(uint64_t{0});
    for (uint64_t at = 0; at < bytes; at += piece) filled.put(to.offset + at, piece, value);
}

// Whether a compare-and-swap writes is decided by what it compares.
void Machine::decide_writing(Warp& warp, uint32_t lane, const Step& step, std::span<const Value> old, std::span<const Value> by) {
    for (const std::span<const Value> compared : {old, by})
        for (const Value& value : compared) decisions_.decide(value.doubt, step);
    if (are_known(old) && are_known(by)) return;
    decisions_.guess(task_.number_of(step), {});
    decisions_.decide(decisions_.doubt_of(step), step);
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
        const Doubt mark = mark_of(warp, lane, step, to);
        auto [old, by, now] = update_from_registers(warp, lane, step, spot);
        const Value swapped = compares ? read(warp, lane, *step.find(Role::swap)) : Value();
        // A compare-and-swap that fails writes nothing (model/semantics.md, section 2).
        const bool fails = compares && are_known(old) && are_known(by) && !are_equal(old, by);
        const Observer::Released released = acquires(step.sem) ? std::nullopt : Observer::begin_release(own, step);
        Access access = observer_.own_access(own, step, !fails);
        const bool observes = gives && arguments[0].kind != Argument::Kind::sink;  // a reduction does not (8.11.1)
        access.reduces = !observes;
        access.finds = observes;
        const Observer::Changes changes = observer_.changes();
        warp.looked = true;
        observer_.enter_line(own, spot, step,
                             {.reads = observes || fails,
                              .writes = !fails,
                              .sum = observes ? uint16_t{0} : step.sum,
                              .awaits = compares && awaits(warp, lane, step, spot),
                              .ignores = does == Operator::exch});
        const Unordered others = observer_.touch(spot, uint64_t{step.bytes} * step.elements, access, step);
        if (observes) observer_.observe(own, spot, step, false);
        if (fails)
            observer_.leave_line(own);
        else
            observer_.publish(own, spot, step, released);
        account_.log_flag({.reads = observes || fails,
                           .writes = !fails,
                           .read = old[0],
                           .operand = compares ? swapped : by[0],
                           .compared = by[0],
                           .does = does},
                          own, spot, step);
        if (are_known(old) && are_known(now) && are_equal(old, now)) {  // nobody can tell
            observer_.take_back_to(changes);
            warp.yields = true;
        }
        const auto with_doubt = [&](std::vector<Value>& values) {
            for (uint32_t e = 0; e < values.size(); ++e)
                values[e].doubt = doubts_.join(values[e].doubt, observer_.doubt_of_strong(spot, step, step.element_of(e)));
        };
        if (compares) {
            decisions_.decide(observer_.doubt_of_strong(spot, step), step);
            decide_writing(warp, lane, step, old, by);
        }
        if (others == Unordered::unlike) with_doubt(now);
        if (!fails)
            observer_.note_written(spot, step, old[0], {now[0], access, {does, step.type, by[0], swapped}, others != Unordered::none});
        put_elements(spot, step.piece_bytes(), now);
        with_doubt(old);
        for (Value& value : old) value.doubt = doubts_.join(value.doubt, mark);
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
            observer_.touch(spot, row_bytes, observer_.own_access(own, step, !loads), step);
            if (loads) observer_.read_pending(thread(warp, lane), step);
            if (!loads) instances_[spot.number].put(spot.offset, row_bytes, std::nullopt);
        }
        if (loads) write(warp, lane, step.statement->arguments[0], {});
    }
}

}  // namespace litmus::sweep
