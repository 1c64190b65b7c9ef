// Loops that wait: polls, which read a flag until it has a value, and waits for a phase.
//
// How often such a loop goes round depends on the order of the threads, and what it knows in the end need not. A read after which the lane
// comes back to it, with nothing but arithmetic between, decides nothing. The last read of the loop decides, and it finds the same in every
// order where all other values that it could have found lead back to it: those that the place has had since the last write that the thread
// is ordered after. Where writes among these are not ordered, other orders give other values, unless all do the same. A write that comes
// later, and is not ordered after the read, is another matter: what the loop finds then depends.
//
// A wait for a phase is run as if it gave true at once. So it is tried what comes if it gives false first, once or more often.
#include <algorithm>

#include "ptx/value.h"
#include "sweep/machine.h"
#include "sweep/rounds.h"

namespace litmus::sweep {

using kernel::Argument;
using kernel::Pointee;

namespace {

constexpr size_t most_steps_of_a_round = 200;  // of one round of a loop

}  // namespace

// Whether the guard of a statement holds for the lane, whatever clocks and the like say, but for time-outs. None: it is not known.
std::optional<bool> Machine::holds(const Warp& warp, uint32_t lane, const Step& step) {
    const int guard = step.statement->guard;
    if (guard < 0) return true;
    const auto reg = static_cast<size_t>(guard);
    if (!step.decides_nothing && !warp.registers.is_known(reg, lane)) return std::nullopt;
    const Doubt doubt = step.decides_nothing ? 0 : warp.registers.doubt(reg, lane);
    const std::optional<bool> other_way = timing_.unless_it_gives_up(doubt, step);
    if (is_named(doubt)) decisions_.decide(names_block, step);  // in another block it may not wait
    if (doubt != 0 && !other_way && (!chooses_ || !decisions_.is_of_order(doubt))) return std::nullopt;
    if (task_.options.schedule.detours) decisions_.decide(doubt, step);  // else choices decide what depends on the order
    return other_way.value_or((warp.registers.bits(reg, lane) != 0) != step.statement->guard_negated);
}

void Machine::keep(const Warp& warp, uint32_t lane, const Argument& to, Undo& undo) {
    if (to.kind == Argument::Kind::reg) undo.emplace_back(to.reg, read(warp, lane, to));
    for (const Argument& element : to.elements)
        if (element.kind == Argument::Kind::reg) undo.emplace_back(element.reg, read(warp, lane, element));
}

// The statement that comes behind this one, which is executed if it is arithmetic, a branch or a hint. None: it is something else.
std::optional<size_t> Machine::go_over(Warp& warp, uint32_t lane, size_t at, bool holds, Undo& undo) {
    const Step& step = task_.code[at];
    if (!holds) return at + 1;
    if (step.name() == "bra") return step.target;
    if (step.form && traits(step.form->op).kind == Traits::Kind::hint) return at + 1;
    if (!is_only_computing(step) || step.writes_carry) return std::nullopt;
    keep(warp, lane, step.statement->arguments[0], undo);
    warp.at[lane] = at;
    compute(warp, Lanes{1} << lane, step);
    return at + 1;
}

// Goes on behind a statement as if it had given that value, through arithmetic, whatever clocks and the like say on the way, but for
// time-outs. Gives the first statement that is something else, or the end; none: it is not known. `undo` gets what registers were before.
std::optional<size_t> Machine::go_on(Warp& warp, uint32_t lane, const Step& from, std::vector<Value> given, Undo& undo) {
    const size_t stands = warp.at[lane];
    keep(warp, lane, from.statement->arguments[0], undo);
    for (Value& value : given) value.doubt = 0;  // it is what is asked about: any doubt of a branch comes from elsewhere
    write(warp, lane, from.statement->arguments[0], given);
    std::optional<size_t> to;
    size_t at = task_.number_of(from) + 1;
    for (size_t n = 0; n < most_steps_of_a_round && !to; ++n) {
        if (at >= task_.code.size()) {
            to = at;
            break;
        }
        const Step& step = task_.code[at];
        const std::optional<bool> goes = holds(warp, lane, step);
        if (!goes) break;
        if (const auto again = *goes && step.repeats ? loaded_again(warp, lane, step) : std::nullopt) {
            keep(warp, lane, step.statement->arguments[0], undo);
            write(warp, lane, step.statement->arguments[0], *again);
            ++at;
        } else if (const auto next = go_over(warp, lane, at, *goes, undo)) {
            at = *next;
        } else {
            to = at;
        }
    }
    warp.at[lane] = stands;
    return to;
}

void Machine::note_loaded(Thread& thread, const Spot& spot, const Step& step) {
    constexpr size_t most = 8;
    std::erase_if(thread.loaded, [&](const Loaded& one) { return one.number != thread.number; });
    if (thread.loaded.size() == most) thread.loaded.erase(thread.loaded.begin());
    thread.loaded.push_back({spot.number, spot.offset, step.statement, thread.number});
}

// The values of a weak load that a round repeats. None: they may be others, or its thread has not loaded there since it last published. A
// read of shared memory may be performed late, and counts as none.
std::optional<std::vector<Value>> Machine::loaded_again(const Warp& warp, uint32_t lane, const Step& step) {
    const Argument& from = step.statement->arguments.at(1);
    const Value address = this->read(warp, lane, from.elements.at(0));
    if (!address || address.doubt != 0) return std::nullopt;
    const auto found = task_.layout.find(step.space(Role::address), *address + static_cast<uint64_t>(from.offset), warp.block);
    if (!found) return std::nullopt;
    if (found->kind == Pointee::Kind::object) {
        const Spot spot = spot_in(warp, *found);
        const Thread& own = thread(warp, lane);
        const bool was_loaded = std::any_of(own.loaded.begin(), own.loaded.end(), [&](const Loaded& one) {
            return one.number == own.number && one.instance == spot.number && one.offset == spot.offset &&
                   one.by->words == step.statement->words;
        });
        if (spot.shared || !was_loaded) return std::nullopt;
    }
    return loaded(warp, lane, step, *found, 0);
}

void Machine::take_back(Warp& warp, uint32_t lane, const Undo& undo) {
    for (size_t i = undo.size(); i-- > 0;) write_register(warp, Lanes{1} << lane, undo[i].first, undo[i].second);
}

// The registers whose values matter from a statement on (carried.h).
std::vector<Value> Machine::what_matters(const Warp& warp, uint32_t lane, size_t at) const {
    std::vector<Value> values;
    if (at < task_.code.size())
        for (const size_t reg : task_.code[at].carried) values.push_back(warp.registers.at(reg, lane));
    return values;
}

// The place that an operation names; none: it is not computed.
std::optional<uint64_t> Machine::place_named(const Warp& warp, uint32_t lane, const Argument& named) {
    const Value address = this->read(warp, lane, named.elements.at(0));
    return address ? std::optional(*address + static_cast<uint64_t>(named.offset)) : std::nullopt;
}

// Whether the lane comes to the next round of its loop if this read finds that value. That is a read of the same place, and nothing that
// matters was handed on, such as a count of the rounds. The registers are as before afterwards.
bool Machine::comes_back(Warp& warp, uint32_t lane, const Step& read, const std::vector<Value>& found) {
    const auto place_of = [&](const Step& one) { return place_named(warp, lane, one.statement->arguments.at(1)); };
    const size_t here = task_.number_of(read);
    const std::optional<uint64_t> place = place_of(read);
    const std::vector<Value> before = what_matters(warp, lane, here);
    Undo undo;
    const auto to = go_on(warp, lane, read, found, undo);
    bool comes = place && to && (to == here || to == read.loop) && place_of(task_.code[*to]) == place;
    if (comes && to == here) {
        const std::vector<Value> after = what_matters(warp, lane, here);
        comes = std::equal(before.begin(), before.end(), after.begin(), after.end(), hold_the_same);
    }
    take_back(warp, lane, undo);
    if (comes && is_of_block(found)) decisions_.decide(names_block, read);  // another one may not lead back
    return comes && (to == here || comes_back(warp, lane, task_.code[*read.loop], found));
}

// Where the lane comes to if the read finds that. The registers are as before afterwards.
std::optional<size_t> Machine::end_of(Warp& warp, uint32_t lane, const Step& read, const std::vector<Value>& found) {
    Undo undo;
    const auto to = go_on(warp, lane, read, found, undo);
    take_back(warp, lane, undo);
    return to;
}

// Whether the first round of the loop, where it stands apart, and the others go on alike when they find that value.
bool Machine::ends_alike(Warp& warp, uint32_t lane, const Step& read, const std::vector<Value>& found) {
    const auto to = end_of(warp, lane, read, found);
    const auto is_alike = [&](size_t other) { return to && end_of(warp, lane, task_.code[other], found) == to; };
    return (!read.loop || is_alike(*read.loop)) && std::all_of(read.first_rounds.begin(), read.first_rounds.end(), is_alike);
}

// Whether it is no matter how often the wait gives false before it gives true. Each round that gives false has to lead to a wait for the
// same phase, with nothing but arithmetic between. The last one leads to a round that was before, with the registers that matter as they
// were then. Each round that gives true has to lead to the same statement, with the registers that matter there alike.
bool Machine::is_repeated(Warp& warp, uint32_t lane, const Step& wait) {
    struct Left {
        std::optional<size_t> to;
        std::vector<Value> values;
    };
    const auto if_true = [&](const Step& round) {
        Undo undo;
        Left left;
        left.to = go_on(warp, lane, round, {Value(1)}, undo);
        if (left.to) left.values = what_matters(warp, lane, *left.to);
        take_back(warp, lane, undo);
        return left;
    };
    const auto waits_for = [&](const Step& round) {
        const Argument* const parity = round.find(Role::parity);
        const Value phase = this->read(warp, lane, parity != nullptr ? *parity : *round.find(Role::state));
        return std::tuple(place_named(warp, lane, *round.find(Role::mbarrier)), round.space(Role::mbarrier), parity != nullptr,
                          static_cast<std::optional<uint64_t>>(phase), round.sem, round.scope);
    };
    const auto are_same = [](const std::vector<Value>& one, const std::vector<Value>& other) {
        return std::equal(one.begin(), one.end(), other.begin(), other.end(), hold_the_same);
    };
    const Left first = if_true(wait);
    const auto phase = waits_for(wait);
    std::map<size_t, std::vector<Value>> rounds;  // what mattered when the lane came to this one
    Undo undo;
    bool repeats = first.to.has_value();
    for (size_t round = task_.number_of(wait); repeats;) {
        std::vector<Value> values = what_matters(warp, lane, round);
        if (const auto before = rounds.find(round); before != rounds.end()) {
            repeats = are_same(before->second, values);
            break;
        }
        rounds.emplace(round, std::move(values));
        const auto to = go_on(warp, lane, task_.code[round], {Value(0)}, undo);
        repeats = to && *to < task_.code.size() && is_wait(task_.code[*to]) && waits_for(task_.code[*to]) == phase;
        if (!repeats) break;
        round = *to;
        const Left left = if_true(task_.code[round]);
        repeats = left.to == first.to && are_same(left.values, first.values);
    }
    take_back(warp, lane, undo);
    return repeats;
}

// The value of each element that lies there, as registers hold it. None: it is not known, or has more bits than a register.
std::optional<std::vector<Value>> Machine::held_at(const Spot& spot, const Step& step) {
    if (step.pieces() != step.elements) return std::nullopt;
    std::vector<Value> values;
    for (uint32_t e = 0; e < step.elements; ++e) {
        const Spot word = element_at(spot, step, e);
        values.push_back(extended(instances_[word.number].get(word.offset, step.bytes, doubts_), step.type));
    }
    const bool are_known = std::all_of(values.begin(), values.end(), [](const Value& value) { return value.has_value(); });
    return are_known ? std::optional(std::move(values)) : std::nullopt;
}

// Whether the lane stays in the loop that begins with this read, as long as it finds that value. None: that depends on which of the reads
// of the loop finds it.
std::optional<bool> Machine::waits_with(Warp& warp, uint32_t lane, const Step& read, const std::vector<Value>& found) {
    if (read.rounds.empty()) return comes_back(warp, lane, read, found);
    const auto stays = [&](size_t round) -> std::optional<bool> {
        const auto to = end_of(warp, lane, task_.code[round], found);
        return to ? std::optional(std::find(read.rounds.begin(), read.rounds.end(), *to) != read.rounds.end()) : std::nullopt;
    };
    const std::optional<bool> first = stays(task_.number_of(read));
    if (first && !*first) return false;
    if (is_of_block(found)) decisions_.decide(names_block, read);  // another one may lead elsewhere
    const bool all = std::all_of(read.rounds.begin(), read.rounds.end(), [&](size_t round) { return stays(round) == true; });
    return all ? std::optional(true) : std::nullopt;
}

// Whether this read may end a loop that only waits. Some value leads back to it, of those that the place has had, or that are near to what
// it has. All that comes behind the loop waits for the read (ISA 8.10.4). A compare-and-swap waits where it fails.
bool Machine::awaits(Warp& warp, uint32_t lane, const Step& step, const Spot& spot) {
    const Value now = instances_[spot.number].get(spot.offset, step.bytes, doubts_);
    if (!observer_.line() || step.scope == Scope::none || step.pieces() != 1 || (step.loop && step.rounds.empty()) || !now) return false;
    std::vector<Value> others = observer_.found_before(spot, step);
    for (const uint64_t other : {uint64_t{0}, uint64_t{1}, *now - 1, *now + 1}) others.emplace_back(truncate(other, bits(step.type)));
    const bool compares = operation(*step.form) == Operator::cas;
    const Value compared = compares ? read(warp, lane, step.statement->arguments.at(2)) : Value();
    if (compares && !compared) return false;
    if (!waits_with(warp, lane, step, {extended(now, step.type)}))
        return false;  // what it finds may lead to a later read, which ends the loop
    return std::any_of(others.begin(), others.end(), [&](const Value& other) {
        const bool may_wait = other && (!compares || truncate(*compared, bits(step.type)) != *other);
        return may_wait && waits_with(warp, lane, step, {extended(other, step.type)}).value_or(false);
    });
}

// A vector may have flags and data. An element is a flag if it is not known without it where the lane goes. The flags are settled if each
// other set of values that they may have leads back. Elements are read in no order (ISA 8.2.4), so that each may have any of its values.
void Machine::look_at_poll(Warp& warp, uint32_t lane, const Step& step, const Spot& spot, Access& access) {
    constexpr size_t most_sets = 64;
    if (step.scope == Scope::none) return;
    const auto now = held_at(spot, step);
    if (!now) return;
    if (comes_back(warp, lane, step, *now)) {
        // Where each order is run, nobody asks whether a first round ends where its loop does. So it is a read like any other.
        access.repeats = !step.loop || !is_chosen(memory_of(spot), uint64_t{step.bytes} * step.elements);
        return;
    }
    std::vector<Value> last = *now;  // of data nothing is known
    const auto to = end_of(warp, lane, step, last);
    std::vector<uint32_t> flags;
    for (uint32_t e = 0; e < step.elements; ++e) {
        std::vector<Value> without = last;
        without[e] = Value();
        if (step.elements > 1 && to && end_of(warp, lane, step, without) == to)
            last = std::move(without);
        else
            flags.push_back(e);
    }
    std::vector<std::vector<Value>> sets{last};
    for (const uint32_t flag : flags) {
        const auto others = observer_.found_otherwise(thread(warp, lane), element_at(spot, step, flag), step);
        if (!others || sets.size() * (others->size() + 1) > most_sets) return;
        for (size_t n = sets.size(); n-- > 0;)
            for (const Value& other : *others) {
                sets.push_back(sets[n]);
                sets.back()[flag] = extended(other, step.type);
                if (!other) return;
            }
    }
    const bool lead_back =
        std::all_of(sets.begin() + 1, sets.end(), [&](const auto& found) { return comes_back(warp, lane, step, found); });
    if (!lead_back || !ends_alike(warp, lane, step, last)) return;
    for (const uint32_t flag : flags) access.settled |= static_cast<uint8_t>(1U << flag);
}

}  // namespace litmus::sweep
