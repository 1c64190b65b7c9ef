// `decides` and `values`: which reads can change what a thread does, and what it stores.
//
// A dependency is what the value read can change (model/semantics.md section 2), whatever registers it passes through.
// influence.cpp finds the reads that can change an expression. What happens alike on both ways of a branch does not depend on
// the branch. So the stores of a thread to one place, on ways that exclude each other, are taken as one store: it happens when
// one of them does, and has the value of that one. A read that can change neither of these decides none of the stores. (Other
// instructions that stand on both ways, votes and values that go into a redux.sync are not taken as one.)
#include <algorithm>
#include <set>
#include <string_view>

#include "event/relations.h"
#include "ptx/traits.h"

namespace litmus {

Reads Relations::deciding_guard(size_t event) {
    Reads reads = influence_.of(program_.events[event].guard);
    const auto same = same_stores_.find(event);
    if (same == same_stores_.end()) return reads;
    const auto changes_nothing = [&](uint32_t read) {
        return !influence_.can_change(read, same->second.happens) && !influence_.can_change(read, same->second.value);
    };
    reads.erase(std::remove_if(reads.begin(), reads.end(), changes_nothing), reads.end());
    return reads;
}

void Relations::find_same_stores() {
    ExprPool& exprs = program_.exprs;
    using Kind = std::tuple<int, int, int, Type, Sem, Scope, Proxy, bool, bool>;
    std::map<Kind, std::vector<size_t>> stores;
    for (size_t e = 0; e < program_.events.size(); ++e) {
        const Event& w = program_.events[e];
        if (w.kind != Event::Kind::write || w.partner >= 0 || w.asynchronous || w.initialises || w.invalidates) continue;
        stores[{w.thread, w.cell, w.address, w.type, w.sem, w.scope, w.proxy, w.volatile_, w.mmio}].push_back(e);
    }
    for (const auto& [kind, alike] : stores) {
        for (const size_t e : alike) {
            program_.budget.check();
            SameStores same{program_.events[e].guard, program_.events[e].value};
            std::vector<ExprId> ways{same.happens};
            for (const size_t other : alike) {
                const Event& w = program_.events[other];
                if (!std::all_of(ways.begin(), ways.end(), [&](ExprId way) { return contradict(program_.exprs, way, w.guard); })) continue;
                ways.push_back(w.guard);
                same.happens = exprs.either(same.happens, w.guard);
                same.value = exprs.ite(w.guard, w.value, same.value);
            }
            if (ways.size() > 1) same_stores_.emplace(e, same);
        }
    }
}

// Takes out of stored values the reads that cannot change them, since every read in a value counts as a dependency.
void Relations::drop_idle_reads() {
    find_same_stores();
    for (size_t e = 0; e < program_.events.size(); ++e) {
        Event& event = program_.events[e];
        if (event.kind != Event::Kind::write) continue;
        program_.budget.check();
        event.value = without_idle_reads(program_.exprs, event.value);
        const auto same = same_stores_.find(e);
        if (same == same_stores_.end()) continue;
        const Reads &own = influence_.of(event.value), &of_all = influence_.of(same->second.value);
        const bool fewer =
            std::all_of(of_all.begin(), of_all.end(), [&](uint32_t read) { return influence_.can_change(read, event.value); });
        if (fewer && of_all.size() < own.size()) event.value = without_idle_reads(program_.exprs, same->second.value);
    }
}

// What the lanes of a warp do together: they wait for each other, and order nothing.
static bool is_exchange(Traits::Kind what) {
    return what == Traits::Kind::warp_reduction || what == Traits::Kind::warp_matrix;
}

// The assembler drops a redux.sync, a vote, a shuffle or an election whose result nothing uses: no event, no condition of the execution, no
// exchange that is kept, and nothing that the test observes. It blocks all the same, as the ISA says, but what follows waits for no value
// of it. Nor does what follows an ldmatrix or stmatrix, the lanes of which meet without a value.
void Relations::drop_unused_results() {
    std::set<size_t> used;
    const auto use = [&](ExprId e) { used.insert(influence_.of(e).begin(), influence_.of(e).end()); };
    if (std::none_of(notes_.barriers.begin(), notes_.barriers.end(),
                     [](const BarrierUse& u) { return is_exchange(kind(u.instruction->op)); }))
        return;
    for (const Event& e : program_.events) {
        use(e.guard);
        if (e.kind == Event::Kind::write) use(e.value);
    }
    for (const ExprId constraint : program_.constraints) use(constraint);
    for (const Observable& observed : observables(program_, false)) use(observed.value);
    for (BarrierUse& u : notes_.barriers) u.is_kept = !is_exchange(kind(u.instruction->op));
    for (bool changed = true; changed;) {
        changed = false;
        for (BarrierUse& u : notes_.barriers) {
            if (u.is_kept && u.contribution != BarrierUse::absent) use(u.contribution);
            if (u.is_kept || used.count(u.event) == 0) continue;
            u.is_kept = changed = true;
            use(u.contribution);
        }
    }
    std::set<size_t> dropped;
    for (const BarrierUse& u : notes_.barriers)
        if (!u.is_kept) dropped.insert(u.event);
    const auto is_of_dropped = [&](const Notes::Dependency& d) {
        return std::string_view(d.relation) == "blocks" && dropped.count(d.read) != 0;
    };
    notes_.dependencies.erase(std::remove_if(notes_.dependencies.begin(), notes_.dependencies.end(), is_of_dropped),
                              notes_.dependencies.end());
}

// `values` leads from a read to each write whose value or existence it can change. `decides` has these pairs, and leads also to
// the barrier uses and issues that happen because of the read, and to the issue of an operation that takes the value read from
// a register.
void Relations::add_value_flow() {
    const size_t n = program_.size();
    Relation values(n);
    const auto into = [&](Relation& relation, size_t event, const Reads& reads) {
        for (const uint32_t read : reads) relation.add(read, event);
    };
    for (size_t e = 0; e < n; ++e) {
        if (program_.events[e].kind != Event::Kind::write) continue;
        program_.budget.check();
        into(values, e, deciding_guard(e));
        into(values, e, influence_.of(program_.events[e].value));
    }
    std::vector<ConditionalPair> sometimes;  // into the results of barriers
    for (const ConditionalPair& flow : program_.conditional["values"])
        flow.when == ExprPool::yes ? values.add(flow.from, flow.to) : sometimes.push_back(flow);
    Relation decides = values;
    std::map<int, size_t> issues;  // by operation
    for (size_t e = 0; e < n; ++e) {
        program_.budget.check();
        into(decides, e, deciding_guard(e));
        if (program_.events[e].kind == Event::Kind::issue) issues[program_.events[e].operation] = e;
    }
    for (size_t e = 0; e < n; ++e) {
        const Event& event = program_.events[e];
        if (!event.asynchronous || event.kind != Event::Kind::write) continue;
        for (const uint32_t read : influence_.of(event.value))
            if (!program_.events[read].asynchronous) decides.add(read, issues.at(event.operation));
    }
    for (const BarrierUse& use : notes_.barriers) {
        if (use.barrier != BarrierUse::absent) into(decides, use.event, influence_.of(use.barrier));
        // an exit stands for the arrivals that its thread has not made; which these are depends on the uses before it
        if (const auto exit = notes_.exits.find(program_.events[use.event].thread); exit != notes_.exits.end())
            into(decides, exit->second, influence_.of(program_.events[use.event].guard));
    }
    // likewise, an exit for which a dependent grid waits where its thread has not triggered
    for (const size_t trigger : notes_.triggers)
        if (const auto exit = notes_.exits.find(program_.events[trigger].thread); exit != notes_.exits.end())
            into(decides, exit->second, influence_.of(program_.events[trigger].guard));
    program_.conditional["values"] = program_.conditional["decides"] = std::move(sometimes);
    program_.relations.emplace("values", std::move(values));
    program_.relations.emplace("decides", std::move(decides));
}

}  // namespace litmus
