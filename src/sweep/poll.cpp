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

namespace litmus::sweep {

using kernel::Argument;

namespace {

constexpr size_t most_steps = 200;  // of one round of a loop

bool is_arithmetic(const Step& step) {
    if (!step.form) return step.computes;
    return traits(step.form->op).kind == Traits::Kind::arithmetic && step.form->op != Op::activemask;
}

// The first round of a loop may stand before it, with a read of its own.
bool is_alike(const Step& one, const Step& other) {
    return one.statement->words == other.statement->words && one.statement->guard < 0;
}

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

// Whether the lane comes back to this read of the same place if it finds that value there, whatever clocks and the like say on the way, but
// for time-outs. Its registers are as before afterwards.
bool Machine::comes_back(Warp& warp, uint32_t lane, const Step& read, Value found) {
    const Lanes own = Lanes{1} << lane;
    std::vector<std::pair<int, Value>> before;
    const auto keep = [&](const Argument& to) {
        if (to.kind == Argument::Kind::reg) before.emplace_back(to.reg, this->read(warp, lane, to));
        for (const Argument& element : to.elements)
            if (element.kind == Argument::Kind::reg) before.emplace_back(element.reg, this->read(warp, lane, element));
    };
    const Argument& from = read.statement->arguments.at(1).elements.at(0);
    const Value place = this->read(warp, lane, from);
    const auto same_place = [&](const Step& other) {
        const Argument& named = other.statement->arguments.at(1);
        const Value now = this->read(warp, lane, named.elements.at(0));
        return place && now && *place == *now && named.offset == read.statement->arguments[1].offset;
    };
    const size_t here = task_.number_of(read);
    size_t first = here;       // the read that the lane is to come back to
    std::ptrdiff_t round = 0;  // in `before`: where the round from there on begins
    keep(read.statement->arguments[0]);
    found.doubt = 0;  // it is what is asked about: any doubt of a branch comes from elsewhere
    write(warp, lane, read.statement->arguments[0], std::vector<Value>{found});
    size_t at = first + 1;
    for (size_t n = 0; n < most_steps && at < task_.code.size() && at != first; ++n) {
        const Step& step = task_.code[at];
        if (first == here && is_alike(step, read)) {
            first = at++;
            round = static_cast<std::ptrdiff_t>(before.size());
            keep(step.statement->arguments[0]);
            write(warp, lane, step.statement->arguments[0], std::vector<Value>{found});
            continue;
        }
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
            if (!is_arithmetic(step) || step.writes_carry) break;
            keep(step.statement->arguments[0]);
            warp.at[lane] = at;
            compute(warp, own, step);
        }
        ++at;
    }
    warp.at[lane] = here;
    const bool comes_back =
        at == first && same_place(task_.code[first]) && !hands_on(warp, lane, task_.code[first], {before.begin() + round, before.end()});
    for (size_t i = before.size(); i-- > 0;) write_register(warp, own, before[i].first, before[i].second);
    return comes_back;
}

void Machine::look_at_poll(Warp& warp, uint32_t lane, const Step& step, const Spot& spot, Access& access) {
    if (step.scope == Scope::none || step.elements != 1) return;
    const Value now = instances_[spot.number].get(spot.offset, step.bytes, doubts_);
    if (!now) return;
    access.repeats = comes_back(warp, lane, step, extended(now, step.type));
    if (access.repeats) return;
    const auto others = observer_.found_otherwise(thread(warp, lane), spot, *now);
    access.settled = others && std::all_of(others->begin(), others->end(), [&](const Value& other) {
                         return other && comes_back(warp, lane, step, extended(other, step.type));
                     });
}

}  // namespace litmus::sweep
