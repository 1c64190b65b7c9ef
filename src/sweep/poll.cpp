// Polls: loops that read a flag until it has a value.
//
// How often such a loop goes round depends on the order of the threads, and what it knows in the end need not. A read after which the lane
// comes back to it, with nothing but arithmetic between, decides nothing. The last read of the loop decides, and it finds the same in every
// order where all other values that it could have found lead back to it: those that the place has had since the last write that the thread
// is ordered after. Where writes among these are not ordered, other orders give other values, unless all do the same. A write that comes
// later, and is not ordered after the read, is another matter: what the loop finds then depends.
#include <algorithm>

#include "ptx/value.h"
#include "sweep/machine.h"
#include "sweep/rounds.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

constexpr size_t most_steps = 200;  // of one round of a loop

}  // namespace

// Whether a round leaves something behind that matters, such as a count of the rounds: a register that is not as it was before. `before`:
// what registers were before they were written.
bool Machine::hands_on(const Warp& warp, uint32_t lane, const Step& read, const std::vector<std::pair<int, Value>>& before) {
    std::set<size_t> seen;
    return std::any_of(before.begin(), before.end(), [&](const std::pair<int, Value>& one) {
        const auto reg = static_cast<size_t>(one.first);
        if (!seen.insert(reg).second || !std::binary_search(read.carried.begin(), read.carried.end(), reg)) return false;
        const bool is_known = warp.registers.is_known(reg, lane);
        return is_known != static_cast<bool>(one.second) || (is_known && warp.registers.bits(reg, lane) != *one.second);
    });
}

// The statement that the lane comes to if this read finds that value, with nothing but arithmetic before, whatever clocks and the like say
// on the way, but for time-outs: this read again, the read of its loop, or whatever else comes first. Its registers are as before
// afterwards.
Machine::Round Machine::round_of(Warp& warp, uint32_t lane, const Step& read, Value found) {
    const Lanes own = Lanes{1} << lane;
    std::vector<std::pair<int, Value>> before;
    const auto keep = [&](const Argument& to) {
        if (to.kind == Argument::Kind::reg) before.emplace_back(to.reg, this->read(warp, lane, to));
        for (const Argument& element : to.elements)
            if (element.kind == Argument::Kind::reg) before.emplace_back(element.reg, this->read(warp, lane, element));
    };
    const auto place_of = [&](const Step& one) {
        const Argument& named = one.statement->arguments.at(1);
        const Value address = this->read(warp, lane, named.elements.at(0));
        return address ? std::optional(*address + static_cast<uint64_t>(named.offset)) : std::nullopt;
    };
    const std::optional<uint64_t> place = place_of(read);
    const size_t here = task_.number_of(read), stands = warp.at[lane];
    keep(read.statement->arguments[0]);
    found.doubt = 0;  // it is what is asked about: any doubt of a branch comes from elsewhere
    write(warp, lane, read.statement->arguments[0], std::vector<Value>{found});
    size_t at = here + 1;
    for (size_t n = 0; n < most_steps && at < task_.code.size() && at != here && at != read.loop; ++n) {
        const Step& step = task_.code[at];
        const int guard = step.statement->guard;
        if (guard >= 0 && !warp.registers.is_known(static_cast<size_t>(guard), lane)) break;
        const Doubt doubt = guard >= 0 ? warp.registers.doubt(static_cast<size_t>(guard), lane) : 0;
        const std::optional<bool> other_way = timing_.unless_it_gives_up(doubt, step);
        if (doubt != 0 && !other_way) break;
        const bool goes =
            guard < 0 || other_way.value_or((warp.registers.bits(static_cast<size_t>(guard), lane) != 0) != step.statement->guard_negated);
        if (goes && step.name() == "bra") {
            at = step.target;
            continue;
        }
        const bool hint = step.form && traits(step.form->op).kind == Traits::Kind::hint;
        if (goes && !hint) {
            if (!is_only_computing(step) || step.writes_carry) break;
            keep(step.statement->arguments[0]);
            warp.at[lane] = at;
            compute(warp, own, step);
        }
        ++at;
    }
    warp.at[lane] = stands;
    Round round{at, false};
    if (at == here || at == read.loop) round.is_same = place && place_of(task_.code[at]) == place;
    if (at == here) round.is_same = round.is_same && !hands_on(warp, lane, read, before);
    for (size_t i = before.size(); i-- > 0;) write_register(warp, own, before[i].first, before[i].second);
    return round;
}

// Whether the lane comes back to a read of the same place if it finds that value there.
bool Machine::comes_back(Warp& warp, uint32_t lane, const Step& read, const Value& found) {
    const Round round = round_of(warp, lane, read, found);
    if (round.to == task_.number_of(read)) return round.is_same;
    return round.to == read.loop && round.is_same && comes_back(warp, lane, task_.code[*read.loop], found);
}

// Whether the first round of the loop, where it stands apart, and the others go on alike when they find that value.
bool Machine::ends_alike(Warp& warp, uint32_t lane, const Step& read, const Value& found) {
    const size_t to = round_of(warp, lane, read, found).to;
    const auto is_alike = [&](size_t other) { return round_of(warp, lane, task_.code[other], found).to == to; };
    return (!read.loop || is_alike(*read.loop)) && std::all_of(read.first_rounds.begin(), read.first_rounds.end(), is_alike);
}

void Machine::look_at_poll(Warp& warp, uint32_t lane, const Step& step, const Spot& spot, Access& access) {
    if (step.scope == Scope::none || step.elements != 1) return;
    const Value now = instances_[spot.number].get(spot.offset, step.bytes, doubts_);
    if (!now) return;
    access.repeats = comes_back(warp, lane, step, extended(now, step.type));
    if (access.repeats) return;
    const auto others = observer_.found_otherwise(thread(warp, lane), spot, *now);
    access.settled = others && ends_alike(warp, lane, step, extended(now, step.type)) &&
                     std::all_of(others->begin(), others->end(),
                                 [&](const Value& other) { return other && comes_back(warp, lane, step, extended(other, step.type)); });
}

}  // namespace litmus::sweep
