// Accesses of 128 bits: two halves that belong together, the registers that hold them, and what packs and unpacks these.
#include <doctest/doctest.h>

#include <algorithm>

#include "event/failure.h"
#include "event/program.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"

using namespace litmus;

namespace {

const std::string wide_places = R"(.global .b128 x = {1, 2};
.global .b128 many[3] = {{1, 2}, 3, {0, 4}};
.shared.cta0 .u32 small = 5;
.shared.cta0 .b128 s = 0;
.shared.cta0 .u32 row[4] = 0;
.global .u64 four[4] = 0;
)";

struct BuiltWords {
    explicit BuiltWords(const std::string& lines)
        : test(parse_dsl(make_source("t.litmus", "test \"t\"\n\n" + wide_places + "\nthread P0 @ cta0 {\n" + lines + "}\n\n"))) {
        program = build_program(test, {});
    }
    size_t count(const std::string& set) const { return base_set(program, set).elements().size(); }
    size_t pairs(const std::string& relation) const {
        size_t result = 0;
        const Relation all = base_bounds(program, relation).must;
        for (size_t a = 0; a < program.size(); ++a) result += all.successors(a).size();
        return result;
    }
    // The value of a register that is the same in all executions.
    uint64_t value(const std::string& name) const {
        const auto found =
            std::find_if(program.registers.begin(), program.registers.end(), [&](const Register& r) { return r.name == name; });
        REQUIRE(found != program.registers.end());
        REQUIRE(program.exprs.is_constant(found->value));
        return program.exprs[found->value].value;
    }

    Test test;
    Program program;
};

}  // namespace

TEST_CASE("an access of 128 bits is two events that belong together") {
    const BuiltWords load("  ld.acquire.gpu.global.b128 q, [x];\n");
    CHECK(load.count("R") == 2);
    CHECK(load.count("ACQ") == 2);
    CHECK(load.pairs("parts") == 2);
    CHECK(load.pairs("po") == 0);
    const BuiltWords store("  mov.b128 q, {3, 4};\n  st.release.gpu.global.b128 [many[1]], q;\n");
    CHECK(store.count("REL") == 2);
    CHECK(store.pairs("parts") == 2);
    const BuiltWords vector("  ld.acquire.gpu.global.v2.b64 {a, b}, [x];\n");
    CHECK(vector.count("ACQ") == 2);
    CHECK(vector.pairs("parts") == 0);
}

TEST_CASE("the elements of a strong vector of up to 16 bytes are related") {
    const auto elements = [](const std::string& lines) { return BuiltWords(lines).pairs("elements"); };
    CHECK(elements("  ld.relaxed.gpu.global.v2.b64 {a, b}, [x];\n") == 2);
    CHECK(elements("  ld.volatile.global.v2.b64 {a, b}, [x];\n") == 2);
    CHECK(elements("  st.release.gpu.global.v2.b64 [many[1]], {3, 4};\n") == 2);
    CHECK(elements("  st.relaxed.cta.shared.v2.u32 [row], {3, 4};\n") == 2);
    CHECK(elements("  ld.relaxed.cta.shared.v4.u32 {a, b, c, d}, [row];\n") == 12);
    CHECK(elements("  ld.relaxed.cta.shared.v4.u32 {a, b, c, d}, [row];\n  st.relaxed.cta.shared.v2.u32 [row], {a, b};\n") == 14);
    CHECK(elements("  ld.weak.shared.v4.u32 {a, b, c, d}, [row];\n  st.shared.v2.u32 [row], {a, b};\n") == 0);
    CHECK(elements("  ld.relaxed.gpu.global.v4.b64 {a, b, c, d}, [four];\n") == 0);  // 32 bytes
    CHECK(elements("  ld.relaxed.gpu.global.b128 q, [x];\n  ld.relaxed.cta.shared.u32 a, [row];\n") == 0);
}

TEST_CASE("an atomic of 128 bits reads both halves and writes both") {
    const BuiltWords exchange("  mov.b128 q, {3, 4};\n  atom.relaxed.gpu.global.exch.b128 r, [x], q;\n");
    CHECK(exchange.count("ATOM") == 4);
    CHECK(exchange.pairs("rmw") == 2);
    CHECK(exchange.pairs("parts") == 4);
    CHECK(exchange.pairs("data") == 0);
    const BuiltWords compare("  mov.b128 q, {3, 4};\n  atom.relaxed.gpu.global.cas.b128 r, [x], q, q;\n");
    CHECK(compare.pairs("rmw") == 2);
    CHECK(compare.pairs("data") == 4);  // each write depends on both reads
    for (const Event& e : compare.program.events)
        if (e.kind == Event::Kind::write) CHECK(e.guard != ExprPool::yes);
}

TEST_CASE("cells of 128 bits have names for their halves, and initial values") {
    const BuiltWords built("  ld.global.b128 q, [many];\n  ld.global.b128 r, [many+32];\n  ld.shared.b128 t, [s];\n");
    std::vector<std::string> names;
    for (const Cell& cell : built.program.cells) names.push_back(cell.name);
    CHECK(names ==
          std::vector<std::string>{"x.lo", "x.hi", "small", "s.lo", "s.hi", "many[0].lo", "many[0].hi", "many[2].lo", "many[2].hi"});
    CHECK(built.test.locations[1].init == std::vector<uint64_t>{1, 2, 3, 0, 0, 4});
    const std::string text = print(built.test);
    CHECK(text.find(".global .b128 x = {1, 2};\n.global .b128 many[3] = {{1, 2}, 3, {0, 4}};\n") != std::string::npos);
    CHECK(text.find("  ld.global.b128 q, [many];\n") != std::string::npos);
    CHECK(parse_dsl(make_source("again.litmus", text)) == built.test);
}

TEST_CASE("mov packs and unpacks, the lowest register first") {
    const BuiltWords built(
        "  mov.b64 a, {7, 9};\n  mov.b64 {l, h}, a;\n  mov.b32 {u, v}, 0x50003;\n  mov.b64 b, {u, v, 1, 2};\n  mov.b128 q, {a, b};\n"
        "  mov.b128 {_, c}, q;\n  mov.b64 {a, _}, a;\n");
    CHECK(built.value("l") == 7);
    CHECK(built.value("h") == 9);
    CHECK(built.value("u") == 3);
    CHECK(built.value("v") == 5);
    CHECK(built.value("b") == 0x0002000100050003);
    CHECK(built.value("c") == built.value("b"));
    CHECK(built.value("q.lo") == 0x900000007);
    CHECK(built.value("a") == 7);  // of what it was before
}

TEST_CASE("a register of 128 bits is written before it is read, and renamed with its block") {
    const auto failure = [](const std::string& lines) { return failure_of("\n" + wide_places + "thread P0 @ cta0 {\n" + lines + "}\n"); };
    CHECK(failure("  mov.b128 {a, b}, q;\n") == "`q` is a register that thread `P0` never writes");
    CHECK(failure("  ld.shared.u32 r, [small];\n  setp.eq.u32 p, r, 1;\n  @p ld.global.b128 q, [x];\n  mov.b128 {a, b}, q;\n") ==
          "`q` may be read here before it is written");
    CHECK(failure("  mov.u64 to, many;\n  ld.global.b128 q, [to+8];\n").find("aligned") != std::string::npos);
    CHECK(failure("  mov.u64 to, x;\n  st.global.u64 [to+8], 1;\n").find("a `.u64` access to `x`, whose elements are `.b128`") == 0);
    const BuiltWords blocks(
        "  mov.b128 q, {1, 2};\n  {\n    .reg .b128 q;\n    mov.b128 q, {3, 4};\n    mov.b128 {a, b}, q;\n  }\n  mov.b128 {c, d}, q;\n");
    CHECK(blocks.value("a") == 3);
    CHECK(blocks.value("d") == 2);
}
