// Loops that are cut at the unroll bound: which of them may go on for ever, and which would end if one looked further.
#include <doctest/doctest.h>

#include "cat/model.h"
#include "event/program.h"
#include "language/syntax/native/dsl.h"
#include "solve/solve.h"

using namespace litmus;

namespace {

// A thread with this loop beside one that sets x to 1; whether a thread may stay for ever.
Truth stays(const std::string& before, const std::string& loop) {
    const Test test = parse_dsl(make_source("t.litmus", "test \"t\"\n.global .u32 x = 0;\n.global .u32 y = 0;\nthread P0 @ cta0 {\n" +
                                                            before + "L:\n" + loop + "@p bra L;\n}\nthread P1 @ cta1 {\n" +
                                                            "st.relaxed.gpu.global.u32 [x], 1;\n}\nterminates\n"));
    Program program = build_program(test, {2, true});
    Solver solver;
    const Answer answer = solver.solve(program, load_model("ptx", {}), {});
    REQUIRE(answer.hazards.has_value());
    if (answer.hazards->blocked == Truth::no && answer.bound_hit) return Truth::unknown;
    return answer.hazards->blocked;
}

}  // namespace

TEST_CASE("a loop that leaves all as it was goes on for ever") {
    CHECK(stays("", "ld.relaxed.gpu.global.u32 r, [x];\nst.relaxed.gpu.global.u32 [y], r;\nsetp.ne.u32 p, r, 2;\n") == Truth::yes);
}

TEST_CASE("a loop whose sum grows with each turn ends, though not within the bound") {
    CHECK(stays("mov.u32 s, 0;\n", "ld.relaxed.gpu.global.u32 r, [x];\nadd.u32 s, s, r;\nsetp.lt.u32 p, s, 9;\n") == Truth::unknown);
}

TEST_CASE("a loop that raises what it reads ends, though no register is carried from turn to turn") {
    CHECK(stays("", "ld.relaxed.gpu.global.u32 r, [y];\nadd.u32 r, r, 1;\nst.relaxed.gpu.global.u32 [y], r;\nsetp.lt.u32 p, r, 9;\n") ==
          Truth::unknown);
}
