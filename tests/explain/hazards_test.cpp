// Undefined behaviour in words: which flags are told.
#include "explain/hazards.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cat/readings.h"
#include "syntax/native/dsl.h"

using namespace litmus;

namespace {

std::vector<std::string> titles(const std::string& text) {
    Solver solver;
    const Test test = parse_dsl(make_source("t.litmus", text));
    BuildOptions build;
    build.blocked = true;
    Program program = build_program(test, build);
    std::vector<std::string> result;
    for (const HazardText& told : explain(program, solver.hazards(program, load_model("ptx", {}, Reading::Base::default_))))
        result.push_back(told.title);
    return result;
}

}  // namespace

TEST_CASE("which of the flags of one mistake are told does not depend on the order of the threads") {
    const std::string head = "test \"t\"\n.shared.cta0 .mbarrier bar;\n";
    const std::string sets_up =
        "thread P0 @ cta0 { mbarrier.init.shared::cta.b64 [bar], 1; mbarrier.arrive.release.cta.shared::cta.b64 _, [bar]; }\n";
    const std::string polls = "thread P1 @ cta0 { L: mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p, [bar], 0; @!p bra L; }\n";
    const std::vector<std::string> told = titles(head + sets_up + polls);
    CHECK(told == std::vector<std::string>{"mbarrier not initialised"});
    CHECK(titles(head + polls + sets_up) == told);
}

TEST_CASE("an operation belongs to the life whose state it finds, also when it finds the initialisation itself") {
    const std::vector<std::string> told = titles(R"(test "t"
.shared.cta0 .mbarrier bar;
thread P0 @ cta0 {
  mbarrier.init.shared::cta.b64 [bar], 1;
  bar.sync 0;
  mbarrier.inval.shared::cta.b64 [bar];
  mbarrier.init.shared::cta.b64 [bar], 1;
}
thread P1 @ cta0 { bar.sync 0; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p, [bar], 0; }
)");
    CHECK(told == std::vector<std::string>{"mbarrier not initialised"});
}
