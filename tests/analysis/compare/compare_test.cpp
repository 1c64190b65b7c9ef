// Two models on one test: what only one of them has, and what rules it out in the other.
#include "analysis/compare/compare.h"

#include <doctest/doctest.h>

#include "analysis/small_tests.h"

namespace litmus {
namespace {

using Names = std::vector<std::string>;

ModelDifferences between(const Test& test, const TwoModels& models, double timeout = 0) {
    Program program = build_program(test, {.blocked = true, .budget = Budget(timeout)});
    Solver solver;
    return differences(test, program, models, solver, false);
}

TEST_CASE("two files: the outcome that only one allows, and the axiom of the other") {
    ModelFamily ptx("ptx", {}), sc("sc", {});
    const ModelDifferences found = between(parsed(store_buffering), {ModelSide{ptx, {}}, ModelSide{sc, {}}});
    CHECK(found.decided);
    CHECK(found.verdicts[0] == Verdict::ok);
    CHECK(found.verdicts[1] == Verdict::no);
    REQUIRE(found.found.size() == 1);
    CHECK(found.found[0].by == 0);
    CHECK(found.found[0].values == std::vector<uint64_t>{0, 0});
    CHECK(found.found[0].axioms == std::vector<Names>{{"sequential-consistency"}});
    CHECK(found.found[0].readings.empty());  // of two files no reading is why
}

TEST_CASE("two readings of one file: the reading that rules out an outcome and a race") {
    ModelFamily ptx("ptx", {});
    const Test test = library_test("async/proxy-war/war-mbarrier-added-only.litmus");
    const Names weakest = resolve_readings(ptx.by_default(), "weakest"), strong = resolve_readings(ptx.by_default(), "strongest");
    const ModelDifferences found = between(test, {ModelSide{ptx, strong}, ModelSide{ptx, weakest}});
    REQUIRE(found.found.size() == 2);
    CHECK(found.found[0].by == 1);
    CHECK(found.found[0].axioms == std::vector<Names>{{"causality"}});
    const std::vector<Names> either{{"war-mbarrier"}, {"war-unfenced"}};
    CHECK(found.found[0].readings == either);
    CHECK(found.found[1].what == "data race on s[0]");
    CHECK(found.found[1].values.empty());
    CHECK(found.found[1].at.size() == 2);
    CHECK(found.found[1].readings == either);
}

TEST_CASE("a test that two models agree on") {
    ModelFamily ptx("ptx", {});
    const Names weakest = resolve_readings(ptx.by_default(), "weakest"), strong = resolve_readings(ptx.by_default(), "strongest");
    const TwoModels models{ModelSide{ptx, weakest}, ModelSide{ptx, strong}};
    CHECK_FALSE(same_model(models));
    CHECK(between(parsed(message), models).found.empty());
}

TEST_CASE("models are the same when their graphs are, whatever they are called") {
    ModelFamily ptx("ptx", {}), again("ptx", {}), sc("sc", {});
    CHECK(same_model({ModelSide{ptx, {}}, ModelSide{again, {}}}));
    CHECK_FALSE(same_model({ModelSide{ptx, {}}, ModelSide{sc, {}}}));
}

TEST_CASE("what is not decided in time is no agreement") {
    ModelFamily ptx("ptx", {}), sc("sc", {});
    try {
        const ModelDifferences hurried = between(parsed(store_buffering), {ModelSide{ptx, {}}, ModelSide{sc, {}}}, 1e-6);
        CHECK_FALSE(hurried.decided);
        CHECK_FALSE(hurried.undecided.empty());
    } catch (const OverBudget&) {  // so soon that there was not even a program
    }
}

TEST_CASE("what a loop's bound hides is not called a difference") {
    ModelFamily ptx("ptx", {}), sc("sc", {});
    const Test test = parsed(R"(test "loops"
.global .u32 x = 0;
thread P0 @ cta0 {
again:
  atom.add.relaxed.gpu.global.u32 r0, [x], 1;
  setp.ne.u32 p, r0, 5;
  @p bra again;
}
exists (P0:r0 == 5)
)");
    const ModelDifferences found = between(test, {ModelSide{ptx, {}}, ModelSide{sc, {}}});
    CHECK(found.found.empty());
    CHECK_FALSE(found.decided);
}

}  // namespace
}  // namespace litmus
