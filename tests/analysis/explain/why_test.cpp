// Which axioms forbid an outcome, and where an execution breaks them.
#include "analysis/explain/why.h"

#include <doctest/doctest.h>

#include <memory>

#include "analysis/explain/derivation_check.h"
#include "analysis/small_tests.h"
#include "cat/readings.h"

namespace litmus {
namespace {

using Names = std::vector<std::string>;

WhyNot why(const Test& test, const std::vector<uint64_t>& outcome, const std::string& model = "ptx", double timeout = 0) {
    static std::vector<std::unique_ptr<Program>> programs;  // witnesses point into them
    programs.push_back(std::make_unique<Program>(build_program(test, {})));
    programs.back()->budget = Budget(timeout);
    ModelFamily models(model, {});
    Solver solver;
    return why_forbidden(*programs.back(), models.under(readings_of(models.by_default(), Reading::Base::weakest)), outcome, solver);
}

TEST_CASE("the axiom that forbids an outcome, and how an execution breaks it") {
    const Test test = parsed(message);
    const WhyNot stale = why(test, {1, 0});
    CHECK(stale.known);
    CHECK(stale.axioms == std::vector<Names>{{"causality"}});
    REQUIRE(stale.refuted.size() == 1);
    CHECK(stale.refuted[0].axiom == "causality");
    REQUIRE(stale.refuted[0].breaches.size() == 1);
    const BrokenAxiom& breach = stale.refuted[0].breaches[0];
    CHECK(breach.axiom == "causality");
    CHECK(breach.cycle);
    CHECK(breach.events.size() == 2);  // the read of x, and the write that it missed
}

TEST_CASE("an outcome that needs two axioms to be forbidden") {
    const WhyNot both = why(parsed(store_buffering), {0, 0}, "sc");
    CHECK(both.axioms == std::vector<Names>{{"sequential-consistency"}});
    const Test lost = parsed(R"(test "lost update"
.global .u32 x = 0;
thread P0 @ cta0 { atom.add.relaxed.gpu.global.u32 r0, [x], 1; }
thread P1 @ cta1 { atom.add.relaxed.gpu.global.u32 r0, [x], 1; }
exists (P0:r0 == 0 /\ P1:r0 == 0)
)");
    const WhyNot update = why(lost, {0, 0}, "sc");
    CHECK(update.axioms == std::vector<Names>{{"coherence-total"}, {"atomicity"}});
}

TEST_CASE("an outcome that could come about in several ways") {
    const Test two = parsed(R"(test "two ways"
.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
  ld.weak.global.u32 r0, [x];
  st.weak.global.u32 [y], r0;
  ld.weak.global.u32 r1, [y];
}
exists (P0:r1 == 0)
)");
    Program program = build_program(two, {});
    const ModelFamily models("ptx", {});
    Solver solver;
    const WhyNot one = why_forbidden(program, models.by_default(), {0}, solver);
    CHECK(one.refuted.size() == 1);
    CHECK_FALSE(one.all_ways);
    const WhyNot all = why_forbidden(program, models.by_default(), {0}, solver, 16);
    CHECK(all.refuted.size() > 1);  // the first load misses the store, or the second does
    CHECK(all.all_ways);
    for (const Refuted& refuted : all.refuted) CHECK(is_valid(refuted.breaches.at(0), models.by_default(), refuted.execution));
}

TEST_CASE("an execution that one model allows and another forbids") {
    const Test test = parsed(store_buffering);
    Program program = build_program(test, {});
    const ModelFamily ptx("ptx", {}), sc("sc", {});
    Solver solver;
    SolveOptions options;
    options.only = {0, 0};
    const Answer answer = solver.solve(program, ptx.by_default(), options);
    REQUIRE(answer.outcomes.size() == 1);
    const Execution& execution = answer.outcomes.front().witness;
    CHECK(breaches(ptx.by_default(), execution).empty());
    const std::vector<BrokenAxiom> broken = breaches(sc.by_default(), execution);
    REQUIRE(broken.size() == 1);
    CHECK(broken[0].axiom == "sequential-consistency");
    CHECK(broken[0].cycle);
    CHECK(broken[0].events.size() == 4);  // the two writes and the two reads
}

TEST_CASE("an outcome that no execution has, whatever the axioms") {
    const WhyNot impossible = why(parsed(message), {7, 0});
    CHECK(impossible.known);
    CHECK(impossible.axioms.empty());
    CHECK(impossible.refuted.empty());
}

TEST_CASE("a reason that is not found in time") {
    const WhyNot hurried = why(library_test("async/pipelines/p1-one-stage.litmus"), {77, 77}, "ptx", 1e-6);
    CHECK_FALSE(hurried.known);
}

}  // namespace
}  // namespace litmus
