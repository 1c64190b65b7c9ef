// What the kinds of barriers share: who uses a barrier, when, as which use of its thread, and what two uses relate.
//
// Private to the barrier files of this folder.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "event/barrier.h"

namespace litmus {

using Uses = std::vector<BarrierUse>;
using Partners = std::vector<std::pair<BarrierUse, ExprId>>;                              // who meets a use, and when
using Meet = std::function<void(const BarrierUse& u, const BarrierUse& v, ExprId when)>;  // called where u and v may meet
using Among = std::function<bool(const BarrierUse& u, const Placement& thread)>;          // whether u waits for that thread

class BarrierUses {
public:
    BarrierUses(Program& program, const std::map<int, size_t>& exits) : p_(program), x_(program.exprs), exits_(exits) {}

protected:
    using Cta = std::tuple<int, int, int>;
    Cta cta_of(const BarrierUse& u) const;
    int thread_of(const BarrierUse& u) const { return p_.events[u.event].thread; }
    const Placement& placement(const BarrierUse& u) const { return p_.test->threads[static_cast<size_t>(thread_of(u))].at; }
    ExprId guard(const BarrierUse& u) const { return p_.events[u.event].guard; }
    static bool same_warp(const Placement& a, const Placement& b) { return same_cta(a, b) && a.warp == b.warp; }

    // Threads a use stands for: its whole warp, unless the test places other lanes of that warp; then
    // the first placed lane also stands for the lanes that are not placed.
    uint64_t weight(const BarrierUse& u) const;

    // bar.warp.sync, redux.sync and other exchanges: the lanes that take part.
    uint64_t mask(const BarrierUse& u) const { return constant_of(u, u.count, "mask"); }

    [[noreturn]] void fail(const BarrierUse& u, std::string message, std::string hint = {}) const;
    uint64_t constant_of(const BarrierUse& u, ExprId e, const char* what) const;

    // ---- constraints and relations --------------------------------------------------------------

    void require(ExprId e);
    void relate(const char* relation, const BarrierUse& from, const BarrierUse& to, ExprId when);
    void relate_events(const char* relation, size_t from, size_t to, ExprId when);

    // Whatever comes after the blocking use in its thread waits for `from`; not the use itself, which is also an arrival that
    // others wait for. After a use that the assembler drops (is_kept) the order counts for termination only.
    void wait_for(size_t from, const BarrierUse& blocked, ExprId when);

    // ---- sums of small numbers ------------------------------------------------------------------

    ExprId number(uint64_t n) { return x_.constant(n, 16); }
    ExprId plus_if(ExprId sum, ExprId condition, uint64_t n);
    ExprId equal(ExprId a, ExprId b) { return x_.compare(Operator::eq, Type::u16, a, b); }

    // How many of the thread's uses in `uses` (all its uses of one barrier) happen before `u`.
    ExprId index_in_thread(const Uses& uses, const BarrierUse& u);

    // The same for all of them at once, each where it happens, and the uses of each thread.
    struct Count {
        std::map<int, std::vector<std::pair<const BarrierUse*, ExprId>>> uses;  // by thread, with how many come before it
        std::map<int, ExprId> all;                                              // by thread

        ExprId before(size_t event, int thread) const;
    };
    Count count_in_threads(const Uses& uses);
    ExprId uses_of_thread(const Count& counted, int thread);

    // ---- who meets whom -------------------------------------------------------------------------

    // The k-th use of each thread meets the k-th of every other; `among` says which threads take part.
    // A thread that has exited counts as arrived.
    void meet_by_index(const Uses& uses, const Among& among, const Meet& meet);

    // A thread stays at a blocking use exactly when one that takes part neither arrives for the index-th time nor exits.
    void stay_unless_all(const Count& arrivals, const BarrierUse& v, ExprId index, const Among& among, ExprId itself = ExprPool::yes);

    // Every thread that takes part, that of `v` apart, arrives for the index-th time or exits.
    ExprId all_arrive(const Count& arrivals, const BarrierUse& v, ExprId index, const Among& among);

    void wait_for_exits(const Count& arrivals, const BarrierUse& v, ExprId index, const Among& among, ExprId when = ExprPool::yes);

    Program& p_;
    ExprPool& x_;
    const std::map<int, size_t>& exits_;
};

// barrier_count.cpp: calls `meet` for each two uses of one barrier that may fall in one generation, where uses name counts.
void meet_by_count(const BarrierUses& all, const Uses& uses, const Meet& meet);

// barrier_result.cpp: what bar.red and the exchanges of a warp return, and the ways of values into it. `partners`: of each use of one
// barrier, by event. `counted`: generations are choices, so who meets whom does not depend on the uses that come before.
void give_bar_red_results(const BarrierUses& all, const Uses& uses, std::map<size_t, Partners>& partners, bool counted);
void give_exchanged(const BarrierUses& all, const Uses& uses, std::map<size_t, Partners>& partners);

}  // namespace litmus
