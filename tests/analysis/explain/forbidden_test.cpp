// Why no execution satisfies a condition: which final states are explained, and what is said where there is none.
#include "analysis/explain/forbidden.h"

#include <doctest/doctest.h>

#include "analysis/small_tests.h"
#include "cat/readings.h"
#include "language/syntax/outcome.h"

namespace litmus {
namespace {

Forbidden none(const Test& test, const std::string& outcome, size_t most = 8, double timeout = 0) {
    static ModelFamily models("ptx", {});
    Solver solver;
    return why_none(test, parse_outcome(test, outcome), models.by_default(), {.budget = Budget(timeout), .most_cases = most}, solver);
}

TEST_CASE("the state that satisfies a condition, and the axiom that forbids it") {
    const Forbidden stale = none(parsed(message), "P1:r0=1; P1:r1=0");
    CHECK(stale.complete);
    REQUIRE(stale.cases.size() == 1);
    CHECK(stale.cases[0].values == std::vector<uint64_t>{1, 0});
    REQUIRE(stale.cases[0].why.refuted.size() == 1);
    CHECK(stale.cases[0].why.refuted[0].axiom == "causality");
}

TEST_CASE("of a conjunction that is denied, the states in which few parts fail come first") {
    const Test test = parsed(R"(test "two"
.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
  st.weak.global.u32 [y], 1;
  ld.weak.global.u32 r0, [x];
  ld.weak.global.u32 r1, [y];
}
forall (P0:r0 == 1 /\ P0:r1 == 1)
)");
    const Forbidden all = none(test, "~(P0:r0 == 1 /\\ P0:r1 == 1)");
    CHECK(all.complete);
    REQUIRE(all.cases.size() == 3);
    CHECK(all.cases[2].values == std::vector<uint64_t>{0, 0});
    const Forbidden two = none(test, "~(P0:r0 == 1 /\\ P0:r1 == 1)", 2);
    CHECK_FALSE(two.complete);
    CHECK(two.cases.size() == 2);
}

TEST_CASE("values that nothing computes") {
    const Forbidden never = none(parsed(message), "P1:r0=7");
    CHECK(never.cases.empty());
    CHECK_FALSE(never.filtered_out);
    REQUIRE(never.observables.size() == 2);
    CHECK(never.possible == std::vector<std::vector<uint64_t>>{{0, 1}, {0, 1}});
}

TEST_CASE("states that the filter leaves out") {
    Test test = parsed(message);
    test.filter = parse_outcome(test, "P1:r1=1");
    CHECK(none(test, "P1:r0=0; P1:r1=0").filtered_out);
}

TEST_CASE("no execution ends") {
    const Test stuck = parsed(R"(test "stuck"
.global .u32 x = 0;
thread P0 @ cta0 { barrier.cta.sync 0, 64; st.weak.global.u32 [x], 1; }
~exists (x == 1)
)");
    const Forbidden nothing = none(stuck, "x=1");
    CHECK(nothing.cases.empty());
    for (const auto& values : nothing.possible) CHECK(values.empty());
}

TEST_CASE("a reason that is not found in time") {
    try {
        const Forbidden hurried = none(library_test("async/pipelines/p4-cluster-reductions.litmus"), "P1:r0=2; P1:r1=10", 4, 0.3);
        CHECK_FALSE((hurried.complete && !hurried.cases.empty() && hurried.cases.back().why.known));
    } catch (const OverBudget& over) {
        CHECK(over.is_time());
    }
}

}  // namespace
}  // namespace litmus
