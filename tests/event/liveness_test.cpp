// Strongly live registers, on small threads.
#include "event/liveness.h"

#include <doctest/doctest.h>

#include "language/syntax/native/dsl.h"

using namespace litmus;

namespace {

Test test_of(const std::string& body, const std::string& claim) {
    return parse_dsl(make_source("t.litmus", "test \"t\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n" + body + "}\n" + claim + "\n"));
}

std::vector<RegisterNames> live(const std::string& body, const RegisterNames& at_end) {
    return live_registers(test_of(body, "exists (x == 1)").threads[0], at_end);
}

}  // namespace

TEST_CASE("what an outcome is made of") {
    const std::string body = "ld.weak.global.u32 r0, [x];\nld.weak.global.u32 r1, [x];\nld.weak.global.u32 r2, [x];\n";
    const Test claimed = test_of(body, "filter (P0:r2 == 0)\nexists (x == 1 \\/ ~(P0:r0 == 1))");
    CHECK(observed_registers(claimed, 0) == RegisterNames{"r0", "r2"});
    CHECK(observed_registers(test_of(body, ""), 0) == RegisterNames{"r0", "r1", "r2"});
}

TEST_CASE("a counter is live where something counts by it") {
    const std::string counts = "mov.u32 n, 0;\nL:\nadd.u32 n, n, 1;\nld.weak.global.u32 r0, [x];\nsetp.eq.u32 p, r0, 0;\n@p bra L;\n";
    CHECK(live(counts, {})[1].empty());
    CHECK(live(counts, {"n"})[1] == RegisterNames{"n"});
    CHECK(live(counts + "st.weak.global.u32 [x], n;\n", {})[1] == RegisterNames{"n"});
    CHECK(live(counts + "@p st.weak.global.u32 [x], n;\n", {})[5] == RegisterNames{"n", "p"});
    CHECK(live("mov.u32 n, 0;\nL:\nadd.u32 n, n, 1;\nsetp.lt.u32 p, n, 3;\n@p bra L;\n", {})[1] == RegisterNames{"n"});
}

TEST_CASE("a guarded write leaves the old value live, an exit leads to the end") {
    const std::string written = "mov.u32 r0, 0;\nmov.u32 r1, 0;\nsetp.eq.u32 p, r1, 0;\n";  // then comes instruction 3
    const auto there = [&](const std::string& body, const RegisterNames& at_end) { return live(written + body, at_end)[3]; };
    CHECK(there("@p mov.u32 r0, 1;\nst.weak.global.u32 [x], r0;\n", {}) == RegisterNames{"p", "r0"});
    CHECK(there("@p mov.u32 r0, 1;\n", {}).empty());
    CHECK(there("@p exit;\nmov.u32 r0, 1;\n", {"r0"}) == RegisterNames{"p", "r0"});
    CHECK(there("exit;\nst.weak.global.u32 [x], r1;\n", {"r0"}) == RegisterNames{"r0"});
    CHECK(there("@p bra END;\nst.weak.global.u32 [x], r1;\nEND:\n", {}) == RegisterNames{"p", "r1"});
}
