// Addresses that depend on what was read: which places there are, and under which conditions.
#include <doctest/doctest.h>

#include <algorithm>

#include "event/failure.h"
#include "event/program.h"
#include "language/compared.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/read.h"

using namespace litmus;

namespace {

struct BuiltPlaces {
    explicit BuiltPlaces(const std::string& body) : test(parse_dsl(make_source("t.litmus", "test \"t\"\n" + body))) {
        program = build_program(test, {});
    }
    size_t count(Event::Kind kind) const {
        return static_cast<size_t>(
            std::count_if(program.events.begin(), program.events.end(), [&](const Event& e) { return e.kind == kind; }));
    }
    // Whether the guard of some read of this cell is a comparison of the value that the first read of the thread gave.
    bool reads_if_equal(const std::string& cell, uint64_t value) const {
        return std::any_of(program.events.begin(), program.events.end(), [&](const Event& e) {
            if (e.kind != Event::Kind::read || program.cells[static_cast<size_t>(e.cell)].name != cell) return false;
            const Expr& guard = program.exprs[e.guard];
            if (guard.op != Expr::Op::compare || guard.operation != Operator::eq) return false;
            const Expr &a = program.exprs[guard.a], &b = program.exprs[guard.b];
            const Expr &constant = a.op == Expr::Op::constant ? a : b, &other = a.op == Expr::Op::constant ? b : a;
            return constant.value == value && other.op == Expr::Op::read;
        });
    }

    Test test;
    Program program;
};

using Kind = Event::Kind;

// A load of x at an address that is made of r0, which is read from memory.
std::string indexed(const std::string& address, const std::string& load = "ld.weak.global.u32 r1, [a];", const std::string& size = "4") {
    return ".global .u32 x[" + size + "] = 0;\n.global .u32 m = 0;\nthread P0 @ cta0 {\nld.weak.global.u32 r0, [m];\nmov.u64 a, x;\n" +
           address + "\n" + load + "\n}\n";
}
const std::string by_four = "mul.wide.u32 w, r0, 4;\nadd.u64 a, a, w;";

}  // namespace

TEST_CASE("an access is to one of the places where its address may lead, or to nothing") {
    const BuiltPlaces t(indexed(by_four));
    CHECK(t.count(Kind::read) == 1 + 4);
    CHECK(t.count(Kind::astray) == 1);
    for (uint64_t k = 0; k < 4; ++k) CHECK(t.reads_if_equal("x[" + std::to_string(k) + "]", k));
}

TEST_CASE("the condition is one on what was read, however the address is computed") {
    for (const char* address :
         {"cvt.u64.u32 w, r0;\nshl.b64 w, w, 2;\nadd.u64 a, a, w;", "mad.wide.u32 a, r0, 4, a;",
          "cvt.u64.u32 w, r0;\nmad.lo.u64 a, w, 4, a;", "add.u32 r0, r0, 1;\nmul.wide.u32 w, r0, 4;\nadd.u64 a, a, w;\nsub.u64 a, a, 4;"})
        CHECK_MESSAGE(BuiltPlaces(indexed(address)).count(Kind::read) >= 4, address);
    CHECK(BuiltPlaces(indexed("cvt.u64.u32 w, r0;\nshl.b64 w, w, 2;\nadd.u64 a, a, w;")).reads_if_equal("x[2]", 2));
    CHECK(BuiltPlaces(indexed("cvt.u64.u32 w, r0;\nsub.u64 w, w, 1;\nshl.b64 w, w, 2;\nadd.u64 a, a, w;")).count(Kind::read) == 1 + 4);
}

TEST_CASE("where a mask leaves as many values as there are places, none leads to nothing") {
    CHECK(BuiltPlaces(indexed("and.b32 r0, r0, 3;\n" + by_four)).count(Kind::astray) == 0);
    const BuiltPlaces two(indexed("and.b32 r0, r0, 1;\n" + by_four));
    CHECK(two.count(Kind::read) == 1 + 2);
    CHECK(two.count(Kind::astray) == 0);
    CHECK(BuiltPlaces(indexed("and.b32 r0, r0, 7;\n" + by_four)).count(Kind::astray) == 1);
}

TEST_CASE("a guard excludes places") {
    const BuiltPlaces t(indexed("setp.eq.u32 p, r0, 2;\n" + by_four, "@p ld.weak.global.u32 r1, [a];"));
    CHECK(t.count(Kind::read) == 1 + 1);
    CHECK(t.count(Kind::astray) == 0);
}

TEST_CASE("a pair begins where it is aligned") {
    const BuiltPlaces t(indexed(by_four, "ld.weak.global.v2.u32 {r1, r2}, [a];"));
    CHECK(t.count(Kind::read) == 1 + 2 * 2);
    CHECK(t.count(Kind::astray) == 1);
}

TEST_CASE("64 places are followed, and no more") {
    CHECK(BuiltPlaces(indexed(by_four, "ld.weak.global.u32 r1, [a];", "64")).count(Kind::read) == 1 + 64);
    CHECK(failure_of(indexed(by_four, "ld.weak.global.u32 r1, [a];", "65")) == "`a` may lead to 65 places; at most 64 are followed");
    CHECK(failure_of(indexed("and.b32 r0, r0, 63;\n" + by_four, "ld.weak.global.u32 r1, [a];", "65")) == "no failure");
}

TEST_CASE("an address without an origin leads to what threads take the address of") {
    const std::string told =
        ".global .u32 x = 0;\n.global .u32 y[2] = 0;\n.global .u32 z = 0;\n.global .u64 p = 0;\n"
        "thread P0 @ cta0 { mov.u64 a, x; mov.u64 b, y; st.weak.global.u64 [p], a; }\n"
        "thread P1 @ cta1 { ld.weak.global.u64 a, [p]; ld.weak.global.u32 r0, [a]; }\n";
    const BuiltPlaces t(told);
    CHECK(t.count(Kind::read) == 1 + 3);  // x, y[0], y[1], and not z
    CHECK(t.count(Kind::astray) == 1);
}

TEST_CASE("an address with an origin does not lead into its neighbour") {
    const BuiltPlaces t(
        ".global .u32 x = 0;\n.global .u32 y = 0;\n.global .u32 m = 0;\n"
        "thread P0 @ cta0 { ld.weak.global.u32 r0, [m]; mov.u64 a, x; mov.u64 b, y; mul.wide.u32 w, r0, 4; add.u64 a, a, w; "
        "ld.weak.global.u32 r1, [a]; }\n");
    CHECK(t.count(Kind::read) == 1 + 1);
}

TEST_CASE("one register for two addresses has one value") {
    const BuiltPlaces t(
        ".shared.cta0 .u64 s[4] = 0;\n.shared.cta0 .u32 m = 0;\n"
        "thread P0 @ cta0 { ld.weak.shared::cta.u32 r0, [m]; and.b32 r0, r0, 1; shl.b32 r0, r0, 4; mov.u32 a, s; add.u32 a, a, r0; "
        "ld.weak.shared::cta.u64 r1, [a]; st.weak.shared::cta.u64 [a+8], r1; }\n");
    CHECK(t.count(Kind::read) == 1 + 2);
    CHECK(t.count(Kind::write) == 2);
}

TEST_CASE("what a register held before its own load is what the load's address was") {
    const BuiltPlaces t(
        ".global .u64 x[2] = 0;\n.global .u64 p = 0;\n"
        "thread P0 @ cta0 { mov.u64 b, x; ld.weak.global.u64 a, [p]; ld.weak.global.u64 a, [a]; atom.relaxed.gpu.global.add.u64 b, [b], b; "
        "}\n");
    CHECK(t.count(Kind::read) == 1 + 2 + 1);
}

TEST_CASE("what holds addresses is no part of an outcome") {
    const BuiltPlaces t(
        ".global .u32 x = 0;\n.global .u64 p = 0;\n.global .u64 q = 0;\n"
        "thread P0 @ cta0 { mov.u64 a, x; st.weak.global.u64 [p], a; st.weak.global.u64 [q], 1; }\n"
        "thread P1 @ cta1 { ld.weak.global.u64 b, [p]; ld.weak.global.u64 c, [q]; }\n");
    CHECK_FALSE(is_compared(t.test, 1, "b"));
    CHECK(is_compared(t.test, 1, "c"));
    CHECK_FALSE(is_compared(t.test, *find_location(t.test, "p")));
    CHECK(is_compared(t.test, *find_location(t.test, "q")));
}

TEST_CASE("a coordinate outside of the tensor is no fault") {
    const BuiltPlaces t(
        ".global .u32 g[8] = 0;\n.shared.cta0 .u32 m = 0;\n.shared.cta0 .u32 s[4] = 0;\n.shared.cta0 .mbarrier full = 1;\n"
        ".tensormap tm = g, dim 4, 2, box 4, 1;\n"
        "thread P0 @ cta0 { ld.weak.shared::cta.u32 r0, [m]; "
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [tm, {0, r0}], [full]; }\n");
    CHECK(t.count(Kind::issue) == 3);  // two rows, and none
    CHECK(t.count(Kind::astray) == 0);
}

TEST_CASE("a choice between a known address and one that was read leads to either, behind an offset too") {
    const std::string chosen =
        ".global .u32 x[2] = 0;\n.global .u32 y[2] = 0;\n.global .u32 z = 0;\n.global .u64 p = 0;\n.global .u32 m = 0;\n"
        "thread P0 @ cta0 { mov.u64 a, y; st.weak.global.u64 [p], a; }\n"
        "thread P1 @ cta1 { ld.weak.global.u32 r0, [m]; ld.weak.global.u64 b, [p]; mov.u64 a, x; setp.ne.u32 q, r0, 0; selp.u64 a, b, a, "
        "q; ";
    const std::string add = "mul.wide.u32 w, r0, 4; add.u64 a, a, w; ", load = "ld.weak.global.u32 r1, [a]; }\n";
    CHECK(BuiltPlaces(chosen + load).count(Kind::read) == 2 + 4);  // x and y, and not z
    CHECK(BuiltPlaces(chosen + add + load).count(Kind::read) == 2 + 4);
    CHECK(BuiltPlaces(chosen + "add.u64 a, a, 4; " + add + load).count(Kind::read) == 2 + 4);
    // an offset that is chosen is no address, and leads to x[1] alone
    CHECK(BuiltPlaces(chosen + "mov.u64 a, x; mul.wide.u32 w, r0, 4; selp.u64 w, w, 4, q; add.u64 a, a, w; " + load).count(Kind::read) ==
          2 + 1);
    // where the guard says which it is, and that the index is 0, it leads to x[0] alone
    CHECK(BuiltPlaces(chosen + add + "@!q " + load).count(Kind::read) == 2 + 1);
}

TEST_CASE("an address that may lead to a part of an element is refused") {
    const auto told = [](const std::string& access) {
        return ".global .u64 x = 0;\n.global .u32 y[2] = 0;\n.global .u64 p = 0;\n"
               "thread P0 @ cta0 { mov.u64 a, x; mov.u64 b, y; st.weak.global.u64 [p], a; }\n"
               "thread P1 @ cta1 { ld.weak.global.u64 a, [p]; " +
               access + " }\n";
    };
    const std::string part = "a `.u32` access to `x`, whose elements are `.u64`: partial overlaps are outside the memory model (ISA 8.7.2)";
    CHECK(failure_of(told("ld.weak.global.u32 r0, [a];")) == part);
    CHECK(failure_of(told("ld.weak.global.u32 r0, [a+4];")) == part);
    CHECK(failure_of(told("st.weak.global.u64 [a], 1;")) ==
          "a `.u64` access to `y`, whose elements are `.u32`: partial overlaps are outside the memory model (ISA 8.7.2)");
    CHECK(failure_of(told("ld.weak.global.u64 r0, [a];")) == "no failure");  // of y it has both elements
}

TEST_CASE("a copy to global memory at a coordinate that was read is to a row of the tensor, or undefined where it is negative") {
    const BuiltPlaces t(
        ".global .u32 g[8] = 0;\n.shared.cta0 .u32 m = 0;\n.shared.cta0 .u32 s[4] = 0;\n.tensormap tm = g, dim 4, 2, box 4, 1;\n"
        "thread P0 @ cta0 { ld.weak.shared::cta.u32 r0, [m]; "
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {0, r0}], [s]; }\n");
    CHECK(t.count(Kind::issue) == 3);  // two rows, and none
    REQUIRE(t.program.violations.size() == 1);
    CHECK(t.program.violations[0].what == "a copy to global memory has no negative coordinate (ISA 9.7.9.27.1.1)");
}

TEST_CASE("what an instruction may access nowhere is refused") {
    const std::string shared =
        ".shared.cta0 .u64 s[4] = 0;\n.shared.cta0 .u32 m = 0;\n"
        "thread P0 @ cta0 { ld.relaxed.cta.shared::cta.u32 r0, [m]; mov.u32 a, s; shl.b32 r0, r0, 4; add.u32 a, a, r0; ";
    CHECK(failure_of(shared + "ld.weak.global.u64 r1, [a]; }\n") == "`s` lies in shared memory, and the instruction says `.global`");
    CHECK(failure_of(shared + "ld.weak.shared::cta.u32 r1, [a]; }\n") ==
          "a `.u32` access to `s`, whose elements are `.u64`: partial overlaps are outside the memory model (ISA 8.7.2)");
}

TEST_CASE("an address that an earlier turn of a loop leaves is followed where the loop is unrolled") {
    const BuiltPlaces t(
        "unroll 3\n.global .u32 next[4] = {1, 2, 3, 0};\n.global .u32 x = 0;\n"
        "thread P0 @ cta0 { mov.u32 r0, 0; LOOP: mov.u64 a, next; mul.wide.u32 w, r0, 4; add.u64 a, a, w; "
        "ld.weak.global.u32 r0, [a]; red.relaxed.gpu.global.add.u32 [x], 1; setp.ne.u32 p, r0, 0; @p bra LOOP; }\n");
    CHECK(t.count(Kind::read) == (1 + 1) + (3 + 1) + (4 + 1));  // the second turn is not at next[0]: there the loop would have ended
}
