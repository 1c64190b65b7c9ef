// Both ways of each branch are gone, each statement once.
#include "sweep/rounds.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ptx/traits.h"

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
    return (kind == Traits::Kind::arithmetic && step.form->op != Op::activemask) || kind == Traits::Kind::hint;
}

bool is_wait(const Step& step) {
    return step.form && traits(step.form->op).kind == Traits::Kind::mbarrier_wait;
}

bool is_strong_read(const Step& step) {
    return step.form && step.scope != Scope::none && step.elements == 1 && traits(step.form->op).kind == Traits::Kind::load;
}

Rounds::Way Rounds::from(size_t first) const {
    Way way;
    std::set<size_t> seen;
    std::vector<size_t> open{first};
    while (!open.empty()) {
        const size_t at = open.back();
        open.pop_back();
        if (!seen.insert(at).second) continue;
        const bool branches = at < steps_.size() && steps_[at].name() == "bra";
        const bool is_end = at >= steps_.size() || (!branches && !is_only_computing(steps_[at]));
        (is_end ? way.ends : way.statements).insert(at);
        if (at >= steps_.size()) continue;
        if (branches) open.push_back(steps_[at].target);
        if ((!is_end && !branches) || steps_[at].statement->guard >= 0) open.push_back(at + 1);
    }
    return way;
}

// The registers that these statements compute from those; none: one of them decides a branch whose ways do not come to one end.
std::optional<std::set<size_t>> Rounds::computed_from(std::set<size_t> registers, const std::set<size_t>& statements) const {
    for (bool changed = true; changed;) {
        changed = false;
        for (const size_t s : statements) {
            const Step& step = steps_[s];
            if (!reads_some(step, registers)) continue;
            if (step.name() == "bra") {
                const std::set<size_t> here = from(s + 1).ends;
                if (here.size() > 1 || from(step.target).ends != here) return std::nullopt;
            }
            for (const size_t reg : step.writes) changed = registers.insert(reg).second || changed;
        }
    }
    return registers;
}

// Whether such values make no difference: what is computed from them in these statements is live at none of the ends.
bool Rounds::make_no_difference(const std::set<size_t>& registers, const std::set<size_t>& statements, const std::set<size_t>& ends) const {
    const auto all = computed_from(registers, statements);
    return all && std::all_of(ends.begin(), ends.end(), [&](size_t end) {
               return std::none_of(all->begin(), all->end(), [&](size_t reg) { return live_[end].has(reg); });
           });
}

// Each register by itself, until nothing changes: what is computed from two of them is computed from one.
std::map<size_t, std::set<size_t>> Rounds::matter(const Budget& budget) const {
    std::map<size_t, std::set<size_t>> matter;
    for (size_t s = 0; s < steps_.size(); ++s)
        if (is_wait(steps_[s]) || is_strong_read(steps_[s])) matter[s];
    for (bool changed = true; changed;) {
        changed = false;
        for (auto& [round, here] : matter) {
            budget.check();
            const Way way = from(round + 1);
            for (const size_t reg : live_[round].all()) {
                if (here.contains(reg)) continue;
                const auto all = computed_from({reg}, way.statements);
                const auto is_used = [&](size_t end) {
                    const auto other = matter.find(end);
                    return std::any_of(all->begin(), all->end(), [&](size_t one) {
                        return other == matter.end() ? live_[end].has(one) : other->second.contains(one);
                    });
                };
                if (!all || reads_some(steps_[round], *all) || std::any_of(way.ends.begin(), way.ends.end(), is_used))
                    changed = here.insert(reg).second;
            }
        }
    }
    return matter;
}

// Whether the two leave the same for what comes behind the loop. That both come to it, and read one place, is tried in the run (poll.cpp).
bool Rounds::leave_alike(size_t first, const Way& behind_first, size_t loop, const Way& behind_loop) const {
    std::set<size_t> ends = behind_first.ends;
    ends.insert(behind_loop.ends.begin(), behind_loop.ends.end());
    ends.erase(loop);
    std::set<size_t> own = without(behind_first.statements, behind_loop.statements);
    std::set<size_t> others = without(behind_loop.statements, behind_first.statements);
    own.insert(first);
    others.insert(loop);
    // what the first leaves for the others
    std::set<size_t> left;
    for (const size_t s : own)
        for (const size_t reg : steps_[s].writes)
            if (live_[loop].has(reg)) left.insert(reg);
    if (!make_no_difference(left, behind_loop.statements, ends)) return false;
    // what each leaves for the way that both go
    std::set<size_t> unlike;
    for (const auto& [apart, round] : {std::pair(&own, first), std::pair(&others, loop)})
        for (const size_t s : *apart)
            if (s != round) unlike.insert(steps_[s].writes.begin(), steps_[s].writes.end());
    return make_no_difference(unlike, without(behind_first.statements, own), ends);
}

std::optional<size_t> Rounds::loop_of(size_t read) const {
    const Way way = from(read + 1);
    if (way.ends.contains(read)) return std::nullopt;
    std::optional<size_t> loop;
    for (const size_t end : way.ends) {
        if (end >= steps_.size() || !is_alike(steps_[read], steps_[end])) continue;
        if (loop) return std::nullopt;
        loop = end;
    }
    if (!loop) return std::nullopt;
    const Way round = from(*loop + 1);
    return round.ends.contains(*loop) && leave_alike(read, way, *loop, round) ? loop : std::nullopt;
}

}  // namespace litmus::sweep
