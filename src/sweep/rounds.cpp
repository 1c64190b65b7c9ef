// Both ways of each branch are gone, each statement once.
#include "sweep/rounds.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ptx/traits.h"
#include "sweep/timing.h"

namespace litmus::sweep {

namespace {

using kernel::Step;

bool is_alike(const Step& one, const Step& other) {
    return one.statement->words == other.statement->words && one.statement->guard < 0 && other.statement->guard < 0;
}

bool reads_some(const Step& step, const std::set<size_t>& registers) {
    return std::any_of(step.reads.begin(), step.reads.end(), [&](size_t reg) { return registers.contains(reg); });
}

std::set<size_t> without(const std::set<size_t>& some, const std::set<size_t>& others) {
    std::set<size_t> left;
    std::set_difference(some.begin(), some.end(), others.begin(), others.end(), std::inserter(left, left.end()));
    return left;
}

}  // namespace

bool is_only_computing(const Step& step) {
    if (!step.form) return step.computes;
    const Traits::Kind kind = traits(step.form->op).kind;
    return kind == Traits::Kind::arithmetic || kind == Traits::Kind::hint;
}

bool is_wait(const Step& step) {
    return step.form && traits(step.form->op).kind == Traits::Kind::mbarrier_wait;
}

bool is_weak_load(const Step& step) {
    const bool is_plain = !step.form || (traits(step.form->op).kind == Traits::Kind::load && !is_multimem(step.form->op));
    return step.name() == "ld" && is_plain && step.scope == Scope::none;
}

bool is_strong_read(const Step& step) {
    return step.form && step.scope != Scope::none && traits(step.form->op).kind == Traits::Kind::load;
}

bool may_fail(const Step& step) {
    return step.form && step.scope != Scope::none && step.elements == 1 && operation(*step.form) == Operator::cas;
}

Rounds::Rounds(const std::vector<Step>& steps, const std::vector<kernel::Registers>& live, const Budget& budget)
    : steps_(steps), live_(live) {
    for (size_t s = 0; s < steps_.size(); ++s)
        if (is_wait(steps_[s]) || is_strong_read(steps_[s])) matter_[s];
    for (const Step& step : steps_) {
        const auto& arguments = step.statement->arguments;
        const bool moves = step.name() == "mov" && step.statement->guard < 0 && arguments.size() == 2 &&
                           arguments[1].kind == kernel::Argument::Kind::immediate;
        for (const size_t reg : step.writes) {
            const std::optional<uint64_t> moved = moves ? std::optional(arguments[1].bits) : std::nullopt;
            std::optional<uint64_t>& constant = constants_.try_emplace(reg, moved).first->second;
            if (constant != moved) constant.reset();
        }
    }
    note_loads(budget);
    note_matter(budget);
}

Rounds::Way Rounds::from(size_t first, std::optional<size_t> until) const {
    return follow(first, until, [&](size_t at) { return loads_.contains(at); });
}

void Rounds::note_loads(const Budget& budget) {
    const auto passes = [&](size_t at) { return is_weak_load(steps_[at]); };
    for (const auto& [round, registers] : matter_) {
        budget.check();
        const Way way = follow(round + 1, {}, passes);
        if (!way.ends.contains(round)) continue;
        for (const size_t s : way.statements)
            if (passes(s) && follow(s + 1, {}, passes).ends.contains(round)) loads_.insert(s);
    }
}

template <typename Passes>
Rounds::Way Rounds::follow(size_t first, std::optional<size_t> until, const Passes& passes) const {
    Way way;
    std::set<size_t> seen;
    std::vector<size_t> open{first};
    while (!open.empty()) {
        const size_t at = open.back();
        open.pop_back();
        if (!seen.insert(at).second) continue;
        const bool is_last = at >= steps_.size() || at == until;
        const bool branches = !is_last && steps_[at].name() == "bra";
        const bool is_end = is_last || (!branches && !is_only_computing(steps_[at]));
        const bool goes_on = !is_last && !branches && (!is_end || passes(at));
        if (is_end) way.ends.insert(at);
        if (!is_end || goes_on) way.statements.insert(at);
        if (is_last) continue;
        if (branches) open.push_back(steps_[at].target);
        if (goes_on || steps_[at].statement->guard >= 0) open.push_back(at + 1);
    }
    return way;
}

// A statement that comes behind both ways of a branch, whatever registers hold; none: they do not come to one end.
std::optional<size_t> Rounds::join_of(size_t branch) const {
    const size_t target = steps_[branch].target;
    const Way one = from(branch + 1), other = from(target);
    if (one.ends.size() > 1 || one.ends != other.ends) return std::nullopt;
    const auto is_join = [&](size_t at) {
        const std::set<size_t> alone{at};
        return from(branch + 1, at).ends == alone && from(target, at).ends == alone;
    };
    const auto join = std::find_if(one.statements.begin(), one.statements.end(), is_join);
    return join != one.statements.end() ? *join : *one.ends.begin();
}

// The registers that these statements compute from those, or that are written or not as those say. None: one of them decides a branch whose
// ways do not come to one end.
std::optional<std::set<size_t>> Rounds::computed_from(std::set<size_t> registers, const std::set<size_t>& statements) const {
    for (bool changed = true; changed;) {
        changed = false;
        const auto write = [&](const Step& step) {
            for (const size_t reg : step.writes) changed = registers.insert(reg).second || changed;
        };
        for (const size_t s : statements) {
            const Step& step = steps_[s];
            if (!reads_some(step, registers)) continue;
            write(step);
            if (step.name() != "bra") continue;
            const auto join = join_of(s);
            if (!join) return std::nullopt;
            for (const size_t way : {s + 1, step.target})
                for (const size_t decided : from(way, join).statements) write(steps_[decided]);
        }
    }
    return registers;
}

// Whether such values make no difference: what is computed from them on this way matters at none of its ends.
bool Rounds::make_no_difference(const std::set<size_t>& registers, const Way& way) const {
    const auto all = computed_from(registers, way.statements);
    return all && std::none_of(way.ends.begin(), way.ends.end(), [&](size_t end) {
               const auto round = matter_.find(end);
               return std::any_of(all->begin(), all->end(),
                                  [&](size_t reg) { return round == matter_.end() ? live_[end].has(reg) : round->second.contains(reg); });
           });
}

// Each register by itself, until nothing changes: what is computed from two of them is computed from one.
void Rounds::note_matter(const Budget& budget) {
    for (bool changed = true; changed;) {
        changed = false;
        for (auto& [round, here] : matter_) {
            budget.check();
            const Way way = from(round + 1);
            for (const size_t reg : live_[round].all())
                if (!here.contains(reg) && (reads_some(steps_[round], {reg}) || !make_no_difference({reg}, way)))
                    changed = here.insert(reg).second;
        }
    }
}

// Whether the two leave the same for what comes behind them, the loop too. That both come to it, and read one place, is tried in the run
// (poll.cpp). It is tried at either of the two where they go, so that what decides that has to be the same there.
bool Rounds::leave_alike(size_t first, const Way& behind_first, size_t loop, const Way& behind_loop) const {
    const std::set<size_t> own = without(behind_first.statements, behind_loop.statements);
    const std::set<size_t> others = without(behind_loop.statements, behind_first.statements);
    std::set<size_t> unlike;
    const auto add = [&](size_t s) { unlike.insert(steps_[s].writes.begin(), steps_[s].writes.end()); };
    std::for_each(own.begin(), own.end(), add);
    std::for_each(others.begin(), others.end(), add);
    if (steps_[first].writes != steps_[loop].writes) {  // else their results are alike: they find the same
        add(first);
        add(loop);
    }
    if (!make_no_difference(unlike, {without(behind_first.statements, own), behind_first.ends})) return false;
    const auto keeps_ways = [&](size_t s) {
        return std::all_of(steps_[s].writes.begin(), steps_[s].writes.end(),
                           [&](size_t reg) { return !live_[first].has(reg) || computed_from({reg}, behind_first.statements); });
    };
    return std::all_of(behind_first.statements.begin(), behind_first.statements.end(), keeps_ways) &&
           std::all_of(others.begin(), others.end(), keeps_ways);
}

std::optional<size_t> Rounds::loop_of(size_t read) const {
    const Way way = from(read + 1);
    if (way.ends.contains(read)) return std::nullopt;
    for (const size_t end : way.ends) {
        if (end >= steps_.size() || !is_alike(steps_[read], steps_[end])) continue;
        const Way round = from(end + 1);
        if (round.ends.contains(end) && leave_alike(read, way, end, round)) return end;
    }
    return std::nullopt;
}

std::optional<uint64_t> Rounds::constant(const kernel::Argument& argument) const {
    if (argument.kind == kernel::Argument::Kind::immediate) return argument.bits;
    const auto known = argument.kind == kernel::Argument::Kind::reg ? constants_.find(static_cast<size_t>(argument.reg)) : constants_.end();
    return known != constants_.end() ? known->second : std::nullopt;
}

bool Rounds::is_same(const kernel::Argument& one, const kernel::Argument& other) const {
    if (const auto value = constant(one)) return value == constant(other);
    return one.kind == other.kind && one.reg == other.reg && one.name == other.name && one.offset == other.offset &&
           std::equal(one.elements.begin(), one.elements.end(), other.elements.begin(), other.elements.end(),
                      [&](const auto& a, const auto& b) { return is_same(a, b); });
}

bool Rounds::reads_the_same(const Step& one, const Step& other) const {
    const auto &first = one.statement->arguments, &second = other.statement->arguments;
    return is_alike(one, other) && std::equal(first.begin() + 1, first.end(), second.begin() + 1, second.end(),
                                              [&](const auto& a, const auto& b) { return is_same(a, b); });
}

std::vector<size_t> Rounds::rounds_of(size_t read) const {
    constexpr size_t most = 64;
    std::set<size_t> rounds, ends, results, written;
    std::vector<size_t> open{read};
    while (!open.empty()) {
        const size_t round = open.back();
        open.pop_back();
        if (!rounds.insert(round).second) continue;
        if (rounds.size() > most) return {};
        const Way way = from(round + 1);
        bool goes_round = false;
        for (const size_t end : way.ends) {
            const bool is_round = end < steps_.size() && reads_the_same(steps_[read], steps_[end]);
            goes_round = goes_round || is_round;
            if (is_round)
                open.push_back(end);
            else if (!gives_up(steps_, end))
                ends.insert(end);
        }
        if (!goes_round) return {};
        for (const size_t s : way.statements) written.insert(steps_[s].writes.begin(), steps_[s].writes.end());
        results.insert(steps_[round].writes.begin(), steps_[round].writes.end());
    }
    if (rounds.size() == 1 || ends.size() != 1) return {};
    const auto matters = [&](const std::set<size_t>& registers, size_t at) {
        return std::any_of(registers.begin(), registers.end(), [&](size_t reg) {
            const auto constant = constants_.find(reg);
            return live_[at].has(reg) && (constant == constants_.end() || !constant->second);
        });
    };
    for (const size_t round : rounds)
        if (matters(written, round) || matters(results, round)) return {};
    const bool give_alike = results.size() == steps_[read].writes.size();
    if (matters(written, *ends.begin()) || (!give_alike && matters(results, *ends.begin()))) return {};
    return {rounds.begin(), rounds.end()};
}

}  // namespace litmus::sweep
