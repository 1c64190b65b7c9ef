// Compiled tests of threads whose code is made up: what was dropped, merged, moved or not waited for stands where it has to.
#include "analysis/compiled/rebuild.h"

#include <doctest/doctest.h>

#include "language/syntax/native/dsl.h"
#include "language/syntax/native/print.h"

using namespace litmus;
using namespace litmus::compiled;

namespace {

Test test_of_body(const std::string& body) {
    return parse_dsl(make_source("t.litmus",
                                 "test \"t\"\n.global .u32 x = 0;\n.global .u32 y = 0;\n.shared.cta0 .u32 m[4] = 0;\n"
                                 "thread P0 @ cta0 {\n" +
                                     body + "}\nexists (true)\n"));
}

// As if all instructions were watched and had code in their order, 32 bits wide.
ThreadCode code_of(const Test& test) {
    ThreadCode code;
    for (size_t i = 0; i < test.threads[0].body.size(); ++i) {
        code.instructions.push_back(i);
        code.order.places.push_back({16 * i});
        code.order.bits.push_back(32);
    }
    return code;
}

// The instruction has no code.
void erase(ThreadCode& code, size_t instruction) {
    code.order.places[instruction].clear();
    code.order.bits[instruction] = 0;
    code.order.gone.push_back({instruction, {}});
}

std::vector<std::string> lines(const CompiledTest& compiled) {
    std::vector<std::string> lines;
    if (!compiled.test) return {"unknown: " + compiled.unknown};
    for (const Instruction& i : compiled.test->threads[0].body) lines.push_back(print(i));
    return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("what is in order stays as it is") {
    const Test test = test_of_body("ld.weak.u32 r0, [x];\nst.weak.u32 [y], r0;\n");
    const CompiledTest compiled = compiled_test(test, {code_of(test)});
    CHECK(compiled.changes.empty());
    REQUIRE(compiled.test);
    CHECK(compiled.test->threads == test.threads);
}

TEST_CASE("a dropped load has the value of the access before it") {
    const Test loads = test_of_body("ld.weak.u32 r0, [x];\nld.acquire.gpu.u32 r1, [y];\nld.weak.u32 r2, [x];\n");
    ThreadCode code = code_of(loads);
    erase(code, 2);
    const CompiledTest compiled = compiled_test(loads, {code});
    CHECK(lines(compiled) == Lines{"ld.weak.u32 early0, [x]", "mov.b32 r0, early0", "ld.acquire.gpu.u32 r1, [y]", "mov.b32 r2, early0"});
    CHECK(compiled.changes == std::vector<compiled::Change>{{compiled::Change::Kind::dropped, 0, 2, 0}});

    const Test stored = test_of_body("mov.u32 r0, 5;\nst.weak.u32 [x], r0;\nmov.u32 r0, 6;\nld.weak.u32 r1, [x];\n");
    code = code_of(stored);
    code.instructions = {1, 3};
    code.order.places = {{0}, {}};
    code.order.bits = {32, 0};
    code.order.gone = {{1, {}}};
    CHECK(lines(compiled_test(stored, {code})) ==
          Lines{"mov.u32 r0, 5", "mov.b32 early0, r0", "st.weak.u32 [x], r0", "mov.u32 r0, 6", "mov.b32 r1, early0"});
}

TEST_CASE("where the value of a dropped load comes from must be known") {
    const Test test = test_of_body("ld.weak.u32 r0, [x];\nld.acquire.gpu.u32 r1, [y];\n");
    ThreadCode code = code_of(test);
    erase(code, 0);
    CHECK(lines(compiled_test(test, {code})) ==
          Lines{"unknown: P0: `ld.weak.u32 r0, [x]` is dropped, and where its value comes from cannot be seen"});
    const Test fence = test_of_body("ld.weak.u32 r0, [x];\nfence.acq_rel.gpu;\n");
    code = code_of(fence);
    erase(code, 1);
    CHECK(lines(compiled_test(fence, {code})) ==
          Lines{"unknown: P0: `fence.acq_rel.gpu` has no code of its own; whether it needs any cannot be seen"});
}

TEST_CASE("a merged load stands beside the one that does it, a dropped store goes") {
    const Test test = test_of_body(
        "ld.weak.shared::cta.u32 r0, [m];\nld.acquire.gpu.u32 r1, [y];\nld.weak.shared::cta.u32 r2, [m+4];\nst.weak.u32 [x], 1;\n"
        "st.weak.u32 [x], 2;\n");
    ThreadCode code = code_of(test);
    erase(code, 2);
    erase(code, 3);
    code.order.bits[0] = 64;
    const CompiledTest compiled = compiled_test(test, {code});
    CHECK(lines(compiled) == Lines{"ld.weak.shared::cta.u32 early0, [m]", "mov.b32 r0, early0", "ld.weak.shared::cta.u32 early1, [m+4]",
                                   "ld.acquire.gpu.u32 r1, [y]", "mov.b32 r2, early1", "st.weak.u32 [x], 2"});
    CHECK(compiled.changes ==
          std::vector<compiled::Change>{{compiled::Change::Kind::merged, 0, 2, 0}, {compiled::Change::Kind::dropped, 0, 3, {}}});
}

TEST_CASE("a load that moved is one into a fresh register, even over a branch; a store is not moved over one") {
    const Test test = test_of_body("ld.acquire.gpu.u32 r1, [y];\nsetp.ne.u32 p, r1, 1;\n@p exit;\nld.weak.u32 r2, [x];\n");
    ThreadCode code = code_of(test);
    code.instructions = {0, 3};
    code.order.places = {{16}, {0}};
    code.order.bits = {32, 32};
    code.order.moved = {{0, 1}};
    CHECK(lines(compiled_test(test, {code})) == Lines{"ld.weak.u32 early1, [x]", "ld.acquire.gpu.u32 early0, [y]", "mov.b32 r1, early0",
                                                      "setp.ne.u32 p, r1, 1", "@p exit", "mov.b32 r2, early1"});
    const Test store = test_of_body("ld.acquire.gpu.u32 r1, [y];\nsetp.ne.u32 p, r1, 1;\n@p exit;\nst.weak.u32 [x], 1;\n");
    CHECK(lines(compiled_test(store, {code})) ==
          Lines{"unknown: P0: no order of the instructions has the machine's and keeps what they compute"});
}

TEST_CASE("an acquire that is not waited for comes behind") {
    const Test test = test_of_body("ld.acquire.gpu.u32 r1, [y];\nld.weak.u32 r2, [x];\nfence.acq_rel.gpu;\nld.weak.u32 r3, [x];\n");
    ThreadCode code = code_of(test);
    code.unwaited = {{0, 1}};
    CHECK(lines(compiled_test(test, {code})) == Lines{"ld.weak.u32 early1, [x]", "ld.acquire.gpu.u32 early0, [y]", "mov.b32 r1, early0",
                                                      "mov.b32 r2, early1", "fence.acq_rel.gpu", "ld.weak.u32 r3, [x]"});
}
