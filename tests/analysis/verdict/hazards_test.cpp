// Undefined behaviour in words: which flags are told.
#include "analysis/verdict/hazards.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cat/readings.h"
#include "language/syntax/native/dsl.h"

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

TEST_CASE("a loop goes on for ever where another turn of it would change nothing that matters") {
    const std::vector<std::string> stays{"threads that wait for ever"};
    const auto told = [](const std::string& start, const std::string& turn, const std::string& other) {
        return titles("test \"t\"\n.global .u32 x = 0;\n.global .u32 y = 0;\nthread P0 @ cta0 {\n" + start + "L:\n" + turn +
                      "@p bra L;\n}\nthread P1 @ cta1 { " + other + " }\n");
    };
    const std::string sets = "st.relaxed.gpu.global.u32 [x], 1;", clears = "st.relaxed.gpu.global.u32 [x], 0;";
    const std::string exchange = "atom.exch.relaxed.gpu.global.b32 r0, [x], 1;\nsetp.ne.u32 p, r0, 0;\n";
    CHECK(told("", exchange, sets) == stays);
    CHECK(told("", "atom.exch.relaxed.gpu.global.b32 r0, [x], 2;\nsetp.ne.u32 p, r0, 0;\n", sets) == stays);  // from the second turn on
    CHECK(told("", "atom.add.relaxed.gpu.global.u32 r0, [x], 1;\nsetp.ne.u32 p, r0, 7;\n", "").empty());      // cut, and nothing known
    // a register that nobody reads may change, one that decides when it ends may not
    const std::string polls = "ld.relaxed.gpu.global.u32 r0, [x];\nsetp.eq.u32 p, r0, 0;\n";
    CHECK(told("mov.u32 n, 0;\n", "add.u32 n, n, 1;\n" + polls, clears) == stays);
    CHECK(told("mov.u32 n, 0;\n", "add.u32 n, n, 1;\n" + polls, sets).empty());
    CHECK(told("mov.u32 n, 0;\n", "add.u32 n, n, 1;\nld.relaxed.gpu.global.u32 r0, [x];\nsetp.ne.u32 p, r0, n;\n", clears).empty());
    CHECK(told("mov.u32 n, 0;\n", "add.u32 n, n, 1;\nst.relaxed.gpu.global.u32 [y], n;\n" + polls, clears).empty());
    CHECK(told("mov.u32 n, 0;\n", "st.relaxed.gpu.global.u32 [y], n;\n" + polls, clears) == stays);
}
