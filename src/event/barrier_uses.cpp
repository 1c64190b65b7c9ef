// What the kinds of barriers share: see the header.
#include "event/barrier_uses.h"

#include <algorithm>
#include <stdexcept>

namespace litmus {

BarrierUses::Cta BarrierUses::cta_of(const BarrierUse& u) const {
    const Placement& at = placement(u);
    return {at.gpu, at.cluster, at.cta};
}

uint64_t BarrierUses::weight(const BarrierUse& u) const {
    const Placement& at = placement(u);
    uint64_t placed = 0;
    int first = at.lane;
    for (const Thread& t : p_.test->threads) {
        if (!same_cta(t.at, at) || t.at.warp != at.warp) continue;
        ++placed;
        first = std::min(first, t.at.lane);
    }
    return first == at.lane ? 32 - (placed - 1) : 1;
}

void BarrierUses::fail(const BarrierUse& u, std::string message, std::string hint) const {
    throw Failure(p_.test->source, u.instruction->span, std::move(message), std::move(hint));
}

uint64_t BarrierUses::constant_of(const BarrierUse& u, ExprId e, const char* what) const {
    if (!x_.is_constant(e)) fail(u, std::string("the ") + what + " of this barrier depends on a value read from memory: not modelled");
    return x_[e].value;
}

// ---- constraints and relations ----------------------------------------------------------------

void BarrierUses::require(ExprId e) {
    if (e != ExprPool::yes) p_.constraints.push_back(e);
}

void BarrierUses::relate(const char* relation, const BarrierUse& from, const BarrierUse& to, ExprId when) {
    relate_events(relation, from.event, to.event, when);
}

void BarrierUses::relate_events(const char* relation, size_t from, size_t to, ExprId when) {
    if (when == ExprPool::no || from == to) return;
    p_.conditional[relation].push_back({from, to, when});
}

void BarrierUses::wait_for(size_t from, const BarrierUse& blocked, ExprId when) {
    when = x_.both(when, guard(blocked));  // what comes after may happen without the use
    const char* relation = blocked.is_kept ? "waits" : "generations";
    for (const size_t later : p_.relations.find("po")->second.successors(blocked.event)) relate_events(relation, from, later, when);
}

// ---- sums of small numbers --------------------------------------------------------------------

ExprId BarrierUses::plus_if(ExprId sum, ExprId condition, uint64_t n) {
    return x_.apply(Operator::add, Type::u16, sum, x_.ite(condition, number(n), number(0)));
}

ExprId BarrierUses::index_in_thread(const Uses& uses, const BarrierUse& u) {
    ExprId k = number(0);
    for (const BarrierUse& v : uses) {
        if (thread_of(v) == thread_of(u) && v.event < u.event) k = plus_if(k, guard(v), 1);
    }
    return k;
}

ExprId BarrierUses::Count::before(size_t event, int thread) const {
    for (const auto& [u, index] : uses.at(thread))
        if (u->event == event) return index;
    throw std::logic_error("a use that was not counted");
}

// Where a use happens whose guard implies that of the one before it in its thread, that one has happened, too: one more comes before.
BarrierUses::Count BarrierUses::count_in_threads(const Uses& uses) {
    Count result;
    for (const BarrierUse& u : uses) {
        p_.budget.check();
        auto& of_thread = result.uses[thread_of(u)];
        ExprId before = number(0);
        if (!of_thread.empty() && implies(x_, guard(u), guard(*of_thread.back().first))) {
            before = plus_if(of_thread.back().second, ExprPool::yes, 1);
        } else {
            for (const auto& [v, of_v] : of_thread) {
                p_.budget.check();
                before = plus_if(before, implies(x_, guard(u), guard(*v)) ? ExprPool::yes : guard(*v), 1);
            }
        }
        of_thread.emplace_back(&u, before);
        ExprId& all = result.all.try_emplace(thread_of(u), number(0)).first->second;
        all = plus_if(all, guard(u), 1);
    }
    return result;
}

ExprId BarrierUses::uses_of_thread(const Count& counted, int thread) {
    const auto found = counted.all.find(thread);
    return found == counted.all.end() ? number(0) : found->second;
}

// ---- who meets whom ---------------------------------------------------------------------------

void BarrierUses::meet_by_index(const Uses& uses, const Among& among, const Meet& meet) {
    const Count counted = count_in_threads(uses);
    std::vector<ExprId> index;
    for (const BarrierUse& u : uses) index.push_back(counted.before(u.event, thread_of(u)));
    for (size_t v = 0; v < uses.size(); ++v) {
        p_.budget.check();
        for (size_t u = 0; u < uses.size(); ++u) {
            if (thread_of(uses[u]) == thread_of(uses[v]) || !among(uses[v], placement(uses[u]))) continue;
            meet(uses[u], uses[v], equal(index[u], index[v]));
        }
        wait_for_exits(counted, uses[v], index[v], among);
        stay_unless_all(counted, uses[v], index[v], among);
    }
}

void BarrierUses::stay_unless_all(const Count& arrivals, const BarrierUse& v, ExprId index, const Among& among, ExprId itself) {
    if (v.stays == BarrierUse::absent) return;
    const ExprId all = x_.both(itself, all_arrive(arrivals, v, index, among));
    require(x_.either(x_.negate(guard(v)), x_.compare(Operator::eq, Type::pred, v.stays, x_.negate(all))));
}

ExprId BarrierUses::all_arrive(const Count& arrivals, const BarrierUse& v, ExprId index, const Among& among) {
    ExprId all = ExprPool::yes;
    for (size_t t = 0; t < p_.test->threads.size(); ++t) {
        const auto thread = static_cast<int>(t);
        if (thread == thread_of(v) || !among(v, p_.test->threads[t].at)) continue;
        ExprId here = ExprPool::no;
        if (const auto uses = arrivals.uses.find(thread); uses != arrivals.uses.end())
            for (const auto& [u, before] : uses->second) here = x_.either(here, x_.both(guard(*u), equal(before, index)));
        if (const auto exit = exits_.find(thread); exit != exits_.end())
            here = x_.either(
                here, x_.both(p_.events[exit->second].guard, x_.compare(Operator::le, Type::u16, uses_of_thread(arrivals, thread), index)));
        all = x_.both(all, here);
    }
    return all;
}

void BarrierUses::wait_for_exits(const Count& arrivals, const BarrierUse& v, ExprId index, const Among& among, ExprId when) {
    if (!blocks(v)) return;
    for (const auto& [thread, exit] : exits_) {
        if (thread == thread_of(v) || !among(v, p_.test->threads[static_cast<size_t>(thread)].at)) continue;
        wait_for(exit, v, x_.both(when, x_.compare(Operator::le, Type::u16, uses_of_thread(arrivals, thread), index)));
    }
}

}  // namespace litmus
