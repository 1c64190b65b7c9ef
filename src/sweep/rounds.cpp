// Both ways of each branch are gone, each statement once.
#include "sweep/rounds.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ptx/traits.h"

namespace litmus::sweep {

namespace {

using kernel::Argument;
using kernel::Step;

constexpr size_t most_statements = 400;  // of the way behind a round

bool is_round(const Step& step) {
    if (!step.form) return false;
    const Traits::Kind kind = traits(step.form->op).kind;
    return kind == Traits::Kind::mbarrier_wait || (kind == Traits::Kind::load && step.scope != Scope::none);
}

bool is_alike(const Step& one, const Step& other) {
    return one.statement->words == other.statement->words && one.statement->guard < 0 && other.statement->guard < 0;
}

bool are_equal(const Argument* one, const Argument* other) {
    if (one == nullptr || other == nullptr) return one == other;
    return one->kind == other->kind && one->reg == other->reg && one->bits == other->bits && one->offset == other->offset &&
           one->negated == other->negated && one->name == other->name &&
           std::equal(one->elements.begin(), one->elements.end(), other->elements.begin(), other->elements.end(),
                      [](const Argument& a, const Argument& b) { return are_equal(&a, &b); });
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

std::optional<Rounds::Way> Rounds::from(size_t first) const {
    Way way;
    std::set<size_t> seen;
    std::vector<size_t> open{first};
    while (!open.empty()) {
        const size_t at = open.back();
        open.pop_back();
        if (!seen.insert(at).second) continue;
        if (seen.size() > most_statements) return std::nullopt;
        const bool branches = at < steps_.size() && steps_[at].name() == "bra";
        const bool is_end = at >= steps_.size() || (!branches && !is_only_computing(steps_[at]));
        (is_end ? way.ends : way.statements).insert(at);
        if (at >= steps_.size()) continue;
        if (branches) open.push_back(steps_[at].target);
        if ((!is_end && !branches) || steps_[at].statement->guard >= 0) open.push_back(at + 1);
    }
    return way;
}

std::set<size_t> Rounds::leaves(const Way& way) const {
    std::set<size_t> ends;
    for (const size_t end : way.ends)
        if (end >= steps_.size() || !is_round(steps_[end])) ends.insert(end);
    return ends;
}

// Whether such values make no difference: what is computed from them in these statements is live at none of the ends, is no operand of the
// round, and decides no branch of which one way comes to other ends than the other.
bool Rounds::make_no_difference(std::set<size_t> registers, size_t round, const std::set<size_t>& statements,
                                const std::set<size_t>& ends) const {
    const auto reads_some = [&](const Step& step) {
        return std::any_of(step.reads.begin(), step.reads.end(), [&](size_t reg) { return registers.contains(reg); });
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (const size_t s : statements) {
            const Step& step = steps_[s];
            if (!reads_some(step)) continue;
            if (step.name() == "bra") {
                const auto there = from(step.target), here = from(s + 1);
                if (!there || !here || there->ends != here->ends) return false;
            }
            for (const size_t reg : step.writes) changed = registers.insert(reg).second || changed;
        }
    }
    return !reads_some(steps_[round]) && std::all_of(ends.begin(), ends.end(), [&](size_t end) {
        return std::none_of(registers.begin(), registers.end(), [&](size_t reg) { return live_[std::min(end, steps_.size())].has(reg); });
    });
}

bool Rounds::leave_alike(size_t one, const Way& behind_one, size_t other, const Way& behind_other) const {
    const std::set<size_t> ends = leaves(behind_one);
    if (ends != leaves(behind_other)) return false;
    std::set<size_t> own = without(behind_one.statements, behind_other.statements);
    std::set<size_t> others = without(behind_other.statements, behind_one.statements);
    own.insert(one);
    others.insert(other);
    // what the one leaves for a round of the other
    std::set<size_t> left;
    for (const size_t s : own)
        for (const size_t reg : steps_[s].writes)
            if (live_[other].has(reg)) left.insert(reg);
    if (!make_no_difference(left, other, behind_other.statements, ends)) return false;
    // what each leaves for the way that both go
    std::set<size_t> unlike;
    for (const auto& [apart, round] : {std::pair(&own, one), std::pair(&others, other)})
        for (const size_t s : *apart)
            if (s != round || steps_[one].writes != steps_[other].writes) unlike.insert(steps_[s].writes.begin(), steps_[s].writes.end());
    return make_no_difference(unlike, other, without(behind_one.statements, own), ends);
}

bool Rounds::matter(const std::set<size_t>& registers, size_t round) const {
    if (registers.empty()) return false;
    const auto way = from(round + 1);
    return !way || !make_no_difference(registers, round, way->statements, leaves(*way));
}

std::optional<size_t> Rounds::loop_of(size_t read) const {
    const auto way = from(read + 1);
    if (!way || way->ends.contains(read)) return std::nullopt;
    std::optional<size_t> loop;
    for (const size_t end : way->ends) {
        if (end >= steps_.size() || !is_alike(steps_[read], steps_[end])) continue;
        if (loop) return std::nullopt;
        loop = end;
    }
    const auto round = loop ? from(*loop + 1) : std::nullopt;
    if (!round || !round->ends.contains(*loop) || !leave_alike(read, *way, *loop, *round)) return std::nullopt;
    return loop;
}

bool Rounds::are_of_one_wait(size_t one, size_t other) const {
    const Step &a = steps_[one], &b = steps_[other];
    for (const Role role : {Role::mbarrier, Role::parity, Role::state})
        if (!are_equal(a.find(role), b.find(role))) return false;
    if (a.sem != b.sem || a.scope != b.scope || a.statement->guard >= 0 || b.statement->guard >= 0) return false;
    const auto behind_one = from(one + 1), behind_other = from(other + 1);
    return behind_one && behind_other && leave_alike(one, *behind_one, other, *behind_other);
}

}  // namespace litmus::sweep
