// The relations of a program, from what execution has noted of its threads.
//
// Most relations are known pair by pair while threads are executed; here they become matrices, or, where a pair holds only in
// some executions, lists with conditions. Others need all events of the test: which value flows where (dependency.cpp), what an
// instruction has waited for (performed.cpp), the phases of mbarrier objects (mbarrier.cpp), the generations of barriers
// (barrier.cpp).
#include "event/relations.h"

#include "event/aligned.h"

namespace litmus {

void Relations::make() {
    relate_phases();
    relate_lives();
    relate_warpgroups();
    relate_failures();
    for (const Violation& v : program_.violations) notes_.pairs.push_back({v.relation, v.event, v.event, v.when});
    relate_exits();
    relate_grids();
    drop_idle_reads();
    drop_unused_results();
    relate_performed();
    relate_program_order();
    store_notes();
    check_counts();
    add_barriers(program_, notes_.barriers, notes_.exits);
    add_columns(program_, notes_.columns, notes_.exits);
    add_aligned(program_, notes_.aligned, notes_.exits);
    add_value_flow();
}

void Relations::relate_program_order() {
    const size_t n = program_.events.size();
    Relation po(n), rmw(n);
    for (size_t a = 0; a < n; ++a) {
        program_.budget.check();
        const Event& x = program_.events[a];
        if (x.kind == Event::Kind::read && x.partner >= 0) rmw.add(a, static_cast<size_t>(x.partner));
        if (x.thread < 0 || x.asynchronous) continue;
        for (size_t b = a + 1; b < n; ++b) {
            const Event& y = program_.events[b];
            if (x.thread != y.thread || y.asynchronous) continue;
            const bool same = x.instruction >= 0 && x.instruction == y.instruction && x.iteration == y.iteration;
            if (same && x.element != y.element) continue;  // elements of one access are unordered
            po.add(a, b);
        }
    }
    program_.relations.emplace("po", std::move(po));
    program_.relations.emplace("rmw", std::move(rmw));
}

void Relations::store_notes() {
    for (const char* name : {"addr", "data", "ctrl", "blocks", "performed", "iss", "aio", "aio-multicast", "aio-map", "aio-warpgroup",
                             "completes-grid", "completes-in-order", "completes-untriggered", "begins-grid"})
        program_.relations.emplace(name, Relation(program_.events.size()));
    for (const Notes::Pair& p : notes_.pairs) {
        program_.budget.check();
        const auto stored = program_.relations.find(p.relation);
        if (stored != program_.relations.end() && p.when == ExprPool::yes)
            stored->second.add(p.from, p.to);
        else
            program_.conditional[p.relation].push_back({p.from, p.to, p.when});
    }
    for (const Notes::Dependency& d : notes_.dependencies) {
        program_.budget.check();
        const ExprId both = program_.exprs.both(program_.events[d.read].guard, program_.events[d.event].guard);
        const ExprId holds = program_.exprs.both(both, d.when);
        if (holds == ExprPool::no) continue;
        if (holds == both) {  // whenever both events happen
            program_.relations.find(d.relation)->second.add(d.read, d.event);
        } else {
            program_.conditional[d.relation].push_back({d.read, d.event, d.when});
        }
    }
}

// `outlived`: accesses to the shared memory of a CTA that does not exit. With threads that stay blocked there are such CTAs.
void Relations::relate_exits() {
    if (!blocked_) return;
    for (size_t e = 0; e < program_.events.size(); ++e) {
        program_.budget.check();
        const Event& event = program_.events[e];
        if (event.cell < 0 || event.thread < 0) continue;
        const int instance = program_.cells[static_cast<size_t>(event.cell)].instance;
        if (instance < 0) continue;
        ExprId all_exit = ExprPool::yes;
        for (size_t t = 0; t < program_.test->threads.size(); ++t) {
            const auto exit = notes_.exits.find(static_cast<int>(t));
            if (!same_cta(program_.test->threads[t].at, program_.ctas[static_cast<size_t>(instance)])) continue;
            all_exit = program_.exprs.both(all_exit, exit == notes_.exits.end() ? ExprPool::no : program_.events[exit->second].guard);
        }
        if (all_exit != ExprPool::yes) notes_.pairs.push_back({"outlived", e, e, program_.exprs.negate(all_exit)});
    }
}

// `aio-warpgroup`: the n-th wgmma.mma_async of each warp of a warpgroup are parts of one operation.
void Relations::relate_warpgroups() {
    const auto placed = [&](const Notes::Multiplication& m) { return program_.test->threads[static_cast<size_t>(m.thread)].at; };
    ExprPool& exprs = program_.exprs;
    for (const Notes::Multiplication& one : notes_.multiplications) {
        for (const Notes::Multiplication& other : notes_.multiplications) {
            program_.budget.check();
            if (one.thread == other.thread || !same_warpgroup(placed(one), placed(other))) continue;
            const ExprId same = exprs.compare(Operator::eq, Type::u16, one.earlier, other.earlier);
            for (const size_t read : one.reads) notes_.pairs.push_back({"aio-warpgroup", read, other.completion, same});
        }
    }
}

}  // namespace litmus
