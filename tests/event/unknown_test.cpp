// Values that nobody knows, and traps: what is refused, and what becomes of comparisons and of who waits.
#include <doctest/doctest.h>

#include "event/failure.h"

using namespace litmus;

namespace {

std::string failure_in(const std::string& lines, const std::string& claim = "") {
    return failure_of(".global .u64 g[8] = 0;\nthread P0 @ cta0 {\n" + lines + "}\n" + claim);
}

Program built(const Test& test, bool blocked) {
    BuildOptions options;
    options.blocked = blocked;
    return build_program(test, options);
}

Test thread_with(const std::string& lines) {
    return parse_dsl(make_source("t.litmus", "test \"t\"\n.global .u32 f = 0;\nthread P0 @ cta0 {\n" + lines + "}\nexists (f == 0)\n"));
}

const std::string of_t = "the value of `t` is known to nobody: it comes of a clock, or is a cache policy";

}  // namespace

TEST_CASE("what has no use for every number refuses a value that nobody knows") {
    const std::string reads = "mov.u64 t, %clock64;\n";
    CHECK(failure_in(reads + "st.weak.global.u64 [g], t;\n") == of_t);
    CHECK(failure_in(reads + "and.b64 t, t, 8;\nmov.u64 a, g;\nadd.u64 t, a, t;\nld.weak.global.u64 r0, [t];\n") == of_t);
    CHECK(failure_in(reads + "atom.relaxed.gpu.global.add.u64 r0, [g], t;\n") == of_t);
    CHECK(failure_in("createpolicy.fractional.L2::evict_last.b64 t, 1.0;\nst.weak.global.u64 [g], t;\n") == of_t);
    CHECK(failure_in(reads, "exists (P0:t == 1)\n") == of_t);
    CHECK(failure_in(reads) == "no failure");
    CHECK(failure_in(reads + "sub.u64 t, t, t;\nst.weak.global.u64 [g], t;\n") == "no failure");  // it is 0, whatever the clock says
    CHECK(failure_in(reads + "setp.gt.u64 p, t, 5;\nselp.u64 r0, 1, 2, p;\nst.weak.global.u64 [g], r0;\n") == "no failure");
}

TEST_CASE("a comparison with a clock is a choice, one for the same values") {
    const Test once = thread_with("mov.u32 t, %clock;\nsetp.gt.u32 p, t, 5;\n");
    const Test twice = thread_with("mov.u32 t, %clock;\nsetp.gt.u32 p, t, 5;\nsetp.gt.u32 q, t, 5;\n");
    const Test again = thread_with("mov.u32 t, %clock;\nsetp.gt.u32 p, t, 5;\nmov.u32 t, %clock;\nsetp.gt.u32 q, t, 5;\n");
    CHECK(built(once, false).choices == 1);
    CHECK(built(twice, false).choices == 1);
    CHECK(built(again, false).choices == 2);
}

// A thread may be moved between two readings (ISA 10.4, 10.8).
TEST_CASE("where a thread runs is no constant") {
    for (const std::string name : {"%warpid", "%smid"}) {
        CAPTURE(name);
        const std::string reads = "mov.u32 t, " + name + ";\n", compares = "setp.ne.u32 p, t, 1;\n";
        CHECK(failure_in(reads, "exists (P0:t == 0)\n") == of_t);
        CHECK(built(thread_with(reads + compares), false).choices == 1);
        CHECK(built(thread_with(reads + compares + reads + compares), false).choices == 2);
    }
    CHECK(failure_in("mov.u32 t, %nwarpid;\n") == "the special register `%nwarpid` has no value in a test");
}

TEST_CASE("a trap is a constraint on outcomes, and a choice where hazards are looked for") {
    const Test test = thread_with("ld.relaxed.gpu.global.u32 r0, [f];\nsetp.eq.u32 p, r0, 1;\n@p trap;\n");
    const Program outcomes = built(test, false), hazards = built(test, true);
    CHECK(outcomes.traps.size() == 1);
    CHECK(outcomes.constraints.size() == 1);
    CHECK(outcomes.diverted.empty());
    CHECK(hazards.diverted.size() == 1);
}
