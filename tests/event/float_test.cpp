// Floating-point, packed and vector atomics as events; packed locations in conditions.
#include <doctest/doctest.h>

#include "event/program.h"
#include "language/syntax/native/dsl.h"
#include "ptx/value.h"

using namespace litmus;

namespace {

struct BuiltFloats {
    explicit BuiltFloats(const std::string& body)
        : test(parse_dsl(make_source("t.litmus", "test \"t\"\n" + body))), program(build_program(test, {})) {}
    std::vector<Event> events(Event::Kind kind) const {
        std::vector<Event> found;
        for (const Event& e : program.events) {
            if (e.kind == kind) found.push_back(e);
        }
        return found;
    }
    const Cell& cell(const Event& e) const { return program.cells[static_cast<size_t>(e.cell)]; }

    Test test;
    Program program;
};

Diagnostic diagnostic_of(const std::string& body) {
    try {
        BuiltFloats{body};
    } catch (const Failure& f) {
        return f.diagnostics().at(0);
    }
    FAIL("no failure");
    return {};
}

using Kind = Event::Kind;

// The operation that the first write of a test computes with.
std::string operation_of(const std::string& body) {
    const BuiltFloats t(body);
    return std::string(name(t.program.exprs[t.events(Kind::write).at(0).value].operation));
}

}  // namespace

TEST_CASE("a packed atomic is a read and a write for each half") {
    const BuiltFloats t(R"(.global .f16x2 h = 0x12345678;
thread P0 @ cta0 { atom.relaxed.gpu.global.add.noftz.f16x2 r0, [h], 0x3c004000; })");
    const auto reads = t.events(Kind::read), writes = t.events(Kind::write), inits = t.events(Kind::init);
    REQUIRE(reads.size() == 2);
    REQUIRE(writes.size() == 2);
    REQUIRE(inits.size() == 2);
    for (size_t k = 0; k < 2; ++k) {
        CHECK(reads[k].type == Type::f16);
        CHECK(reads[k].cell == writes[k].cell);
        CHECK(reads[k].element == static_cast<int>(k));
        CHECK(t.cell(reads[k]).lane == static_cast<int>(k));
    }
    CHECK(reads[0].cell != reads[1].cell);
    CHECK(reads[0].address != reads[1].address);
    CHECK(t.cell(reads[0]).name == "h.lo");
    CHECK(t.cell(reads[1]).name == "h.hi");
    CHECK(t.program.exprs[inits[0].value].value == 0x5678);
    CHECK(t.program.exprs[inits[1].value].value == 0x1234);
    // each half adds its half of the operand, and r0 is both old halves
    const auto with_reads = [&](ExprId e) { return evaluate(t.program.exprs, e, [&](const Expr&) { return uint64_t{0x3c00}; }); };
    CHECK(with_reads(writes[0].value) == *apply(Operator::add, Type::f16, 0x3c00, 0x4000));
    CHECK(with_reads(writes[1].value) == 0x4000);
    CHECK(with_reads(t.program.registers.at(0).value) == 0x3c003c00);
    // atomic each by itself, and in no order
    const Relation& rmw = t.program.relations.find("rmw")->second;
    CHECK(rmw.pairs().size() == 2);
    for (const auto& [a, b] : t.program.relations.find("po")->second.pairs())
        CHECK(t.program.events[a].element == t.program.events[b].element);
}

TEST_CASE("vectors, packed vectors, and packed operations on declared halves") {
    const auto count = [](const std::string& body) { return BuiltFloats(body).events(Kind::write).size(); };
    CHECK(count(".global .f32 x[4] = 0.0;\nthread P0 @ cta0 { red.relaxed.gpu.global.add.v4.f32 [x], {1.0, 1.0, 1.0, 1.0}; }") == 4);
    CHECK(count(".global .f16 x[8] = 0;\nthread P0 @ cta0 { red.relaxed.gpu.global.min.noftz.v8.f16 [x], {0, 0, 0, 0, 0, 0, 0, 0}; }") ==
          8);
    CHECK(count(".global .bf16x2 x[4] = 0;\nthread P0 @ cta0 { red.relaxed.gpu.global.max.noftz.v4.bf16x2 [x], {0, 0, 0, 0}; }") == 8);
    CHECK(count(".global .f16 x[2] = 0;\nthread P0 @ cta0 { red.relaxed.gpu.global.add.noftz.f16x2 [x], 0; }") == 2);
    CHECK(count(".global .f64 x = 0.0;\nthread P0 @ cta0 { red.relaxed.gpu.global.add.f64 [x], 1.0; }") == 1);
}

TEST_CASE("f32 sums flush in global memory only, whatever way the address is written") {
    const std::string global = ".global .f32 x = 0.0;\n", shared = ".shared.cta0 .f32 x = 0.0;\n";
    CHECK(operation_of(global + "thread P0 @ cta0 { red.relaxed.gpu.global.add.f32 [x], 1.0; }") == "add.ftz");
    CHECK(operation_of(global + "thread P0 @ cta0 { red.relaxed.gpu.add.f32 [x], 1.0; }") == "add.ftz");
    CHECK(operation_of(global + "thread P0 @ cta0 { atom.relaxed.gpu.global.add.f32 _, [x], 1.0; }") == "add.ftz");
    CHECK(operation_of(shared + "thread P0 @ cta0 { red.relaxed.gpu.shared::cta.add.f32 [x], 1.0; }") == "add");
    CHECK(operation_of(shared + "thread P0 @ cta0 { red.relaxed.gpu.add.f32 [x], 1.0; }") == "add");
    CHECK(operation_of(".global .f64 x = 0.0;\nthread P0 @ cta0 { red.relaxed.gpu.global.add.f64 [x], 1.0; }") == "add.snan");
    CHECK(operation_of(".global .f32 x[2] = 0.0;\nthread P0 @ cta0 { red.relaxed.gpu.global.add.v2.f32 [x], {1.0, 1.0}; }") == "add.ftz");
}

TEST_CASE("a packed location that no packed atomic touches is one cell") {
    const BuiltFloats t(".global .f16x2 h = 0;\nthread P0 @ cta0 { st.relaxed.gpu.global.b32 [h], 7; }");
    REQUIRE(t.program.cells.size() == 1);
    CHECK(t.program.cells[0].lane == -1);
    CHECK(t.program.cells[0].name == "h");
    CHECK(t.events(Kind::write).size() == 1);
}

TEST_CASE("a load of a split location reads both halves, and a store writes them; other 32-bit accesses are refused") {
    const std::string split = ".global .f16x2 h = 0;\nthread P0 @ cta0 { red.relaxed.gpu.global.add.noftz.f16x2 [h], 0x3c003c00; ";
    const BuiltFloats t(split + "ld.relaxed.gpu.global.b32 r0, [h]; }");
    CHECK(t.events(Kind::read).size() == 4);
    const BuiltFloats register_(split + "mov.u64 r1, h; ld.relaxed.gpu.global.b32 r0, [r1]; }");
    CHECK(register_.events(Kind::read).size() == 4);
    const BuiltFloats store(split + "st.relaxed.gpu.global.b32 [h], 0x12345678; }");
    const auto writes = store.events(Kind::write);
    REQUIRE(writes.size() == 4);
    for (const size_t k : {2, 3}) {
        CHECK(writes[k].sem == Sem::relaxed);
        CHECK(writes[k].cells == 2);
        CHECK(store.program.exprs[writes[k].value].value == (k == 2 ? 0x5678 : 0x1234));
    }
    for (const char* access : {"atom.relaxed.gpu.global.exch.b32 r0, [h], 1; }", "atom.relaxed.gpu.global.cas.b32 r0, [h], 1, 2; }"}) {
        const Diagnostic refused = diagnostic_of(split + access);
        CHECK_MESSAGE(refused.message.find("overlaps both halves of h") != std::string::npos, refused.message);
        CHECK(refused.hint.find("f16x2") != std::string::npos);
    }
}

TEST_CASE("through a register, and through an alias, a packed atomic splits its location too") {
    const BuiltFloats indirect(R"(.global .f16x2 h = 0;
thread P0 @ cta0 { mov.u64 r0, h; red.relaxed.gpu.global.add.noftz.f16x2 [r0], 0x3c003c00; })");
    CHECK(indirect.events(Kind::write).size() == 2);
    const BuiltFloats alias(R"(.global .f16x2 h = 0;
.global .f16x2 k alias h;
thread P0 @ cta0 { red.relaxed.gpu.global.add.noftz.f16x2 [k], 0x3c003c00; ld.relaxed.gpu.global.b32 r0, [h]; })");
    const auto reads = alias.events(Kind::read);
    REQUIRE(reads.size() == 4);
    CHECK(reads[0].cell == reads[2].cell);
    CHECK(reads[0].address != reads[2].address);
}

TEST_CASE("conditions and outcomes have packed locations in one piece") {
    BuiltFloats t(R"(.global .f16x2 h[2] = {0x11112222, 0x33334444};
thread P0 @ cta0 { red.relaxed.gpu.global.add.noftz.f16x2 [h+4], 0; }
exists (h[0] == 0x11112222 /\ h[1] == 0x33334444))");
    const auto seen = observables(t.program, true);
    REQUIRE(seen.size() == 2);  // the claim's; both halves of h[1] are one
    CHECK(seen[0].name == "h[1]");
    CHECK(seen[0].type == Type::f16x2);
    CHECK(seen[1].name == "h[0]");
    const auto with_finals = [&](uint64_t low, uint64_t high) {
        return evaluate(t.program.exprs, condition_expr(t.program, t.test.claim.condition),
                        [&](const Expr& leaf) { return t.program.cells[leaf.index].lane == 0 ? low : high; });
    };
    CHECK(with_finals(0x4444, 0x3333) == 1);
    CHECK(with_finals(0x3333, 0x4444) == 0);
}

TEST_CASE("integer identities are not used on floats") {
    ExprPool pool;
    const ExprId r = pool.read(0, 32), zero = pool.constant(0, 32);
    const auto with = [&](ExprId e, uint64_t value) { return evaluate(pool, e, [value](const Expr&) { return value; }); };
    CHECK(with(pool.apply(Operator::add, Type::f32, r, zero), 0x80000000) == 0);
    CHECK(with(pool.apply(Operator::add, Type::f32, zero, r), 0x80000000) == 0);
    CHECK(with(pool.apply(Operator::add_ftz, Type::f32, r, zero), 1) == 0);
    CHECK(with(pool.apply(Operator::min, Type::f32, r, r), 0xff800001) == 0x7fffffff);
    CHECK(pool.compare(Operator::eq, Type::f32, r, r) != ExprPool::yes);
}
