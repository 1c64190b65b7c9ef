// The solver on floating-point values: sums that depend on their order, and what it cannot decide.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <set>

#include "cat/model.h"
#include "language/syntax/native/dsl.h"
#include "ptx/value.h"
#include "solve/possible.h"
#include "solve/solve.h"

using namespace litmus;

namespace {

Answer answer_to(const std::string& body) {
    static Solver solver;
    const Test test = parse_dsl(make_source("t.litmus", "test \"t\"\n" + body));
    Program program = build_program(test, {});
    return solver.solve(program, load_model("ptx", {}), {});
}

using Outcomes = std::set<std::vector<uint64_t>>;

Outcomes all_outcomes(const Answer& a) {
    CHECK(a.complete);
    Outcomes all;
    for (const Outcome& o : a.outcomes) all.insert(o.values);
    return all;
}

std::string hexadecimal(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

// A literal of the type in an instruction.
std::string literal(Type type, uint64_t value) {
    return is_float(type) && bits(type) >= 32 ? format_value(value, type) : hexadecimal(value);
}

// One red for each value, each in a thread of its own, on a location of the type.
std::string reductions(const std::string& form, Type type, const std::vector<uint64_t>& values, bool global = true) {
    std::string text = std::string(global ? ".global" : ".shared.cta0") + " ." + std::string(name(type)) + " x = 0;\n";
    for (size_t i = 0; i < values.size(); ++i) {
        text += "thread P" + std::to_string(i) + " @ cta" + std::to_string(global ? i : 0) + " { " + form + " [x], " +
                literal(type, values[i]) + "; }\n";
    }
    return text;
}

// What the values add up to in all their orders.
Outcomes sums(Operator operation, Type type, const std::vector<uint64_t>& values) {
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t{0});
    Outcomes result;
    do {
        uint64_t sum = 0;
        for (const size_t i : order) sum = apply(operation, type, sum, values[i]).value();
        result.insert({sum});
    } while (std::next_permutation(order.begin(), order.end()));
    return result;
}

}  // namespace

TEST_CASE("a sum of floats has a result for every order that rounds differently") {
    const std::vector<uint64_t> f32 = {float_bits(Type::f32, 1e8), float_bits(Type::f32, 1), float_bits(Type::f32, -1e8)};
    CHECK(all_outcomes(answer_to(reductions("red.relaxed.gpu.global.add.f32", Type::f32, f32))) == Outcomes{{0}, {0x3f800000}});
    const std::vector<uint64_t> f16 = {float_bits(Type::f16, 2048), float_bits(Type::f16, 1), float_bits(Type::f16, 1.5),
                                       float_bits(Type::f16, -3)};
    const Outcomes all = sums(Operator::add, Type::f16, f16);
    CHECK(all.size() > 2);
    CHECK(all_outcomes(answer_to(reductions("red.relaxed.gpu.global.add.noftz.f16", Type::f16, f16))) == all);
}

TEST_CASE("all orders of random sums, against permutations") {
    uint64_t state = 5;
    const auto random = [&] {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return state >> 33;
    };
    for (int round = 0; round < 12; ++round) {
        std::vector<uint64_t> f32, bf16;
        for (int i = 0; i < 3; ++i) {
            f32.push_back((random() & 0x81ffffff) | 0x40000000);
            bf16.push_back((random() & 0x83ff) | 0x4000);
        }
        INFO(round);
        CHECK(all_outcomes(answer_to(reductions("red.relaxed.gpu.global.add.f32", Type::f32, f32))) ==
              sums(Operator::add_ftz, Type::f32, f32));
        CHECK(all_outcomes(answer_to(reductions("red.relaxed.gpu.global.add.noftz.bf16", Type::bf16, bf16))) ==
              sums(Operator::add, Type::bf16, bf16));
    }
}

TEST_CASE("subnormals: flushed on global memory, kept on shared, and the order of flushing shows") {
    const std::vector<uint64_t> tiny = {1, 2, 0x00800000};
    CHECK(all_outcomes(answer_to(reductions("red.relaxed.cta.shared::cta.add.f32", Type::f32, tiny, false))) == Outcomes{{0x00800003}});
    CHECK(all_outcomes(answer_to(reductions("red.relaxed.gpu.global.add.f32", Type::f32, tiny))) == Outcomes{{0x00800000}});
    // a difference that is subnormal is lost, unless a larger number comes between
    const std::vector<uint64_t> mixed = {0x00800002, 0x80800000, 0x00800000};
    CHECK(all_outcomes(answer_to(reductions("red.relaxed.gpu.global.add.f32", Type::f32, mixed))) ==
          sums(Operator::add_ftz, Type::f32, mixed));
    CHECK(sums(Operator::add_ftz, Type::f32, mixed).size() == 2);
}

TEST_CASE("NaNs are canonical, equal to nothing, and one outcome") {
    const std::vector<uint64_t> values = {0x7f800000, 0xff800000, 0x7fc12345};
    CHECK(all_outcomes(answer_to(reductions("red.relaxed.gpu.global.add.f32", Type::f32, values))) == Outcomes{{0x7fffffff}});
    const Answer a = answer_to(reductions("red.relaxed.gpu.global.add.f32", Type::f32, values) + "exists (x == x)");
    CHECK(a.satisfiable == Answer::Truth::no);
    CHECK(a.violable == Answer::Truth::yes);
}

TEST_CASE("sums and extremes in any order, on every element by itself") {
    const Answer a = answer_to(R"(.global .f16 h[2] = {0x3c00, 0x3c00};
thread P0 @ cta0 { red.relaxed.gpu.global.add.noftz.v2.f16 [h], {0x3c00, 0x3c00}; }
thread P1 @ cta1 { red.relaxed.gpu.global.max.noftz.v2.f16 [h], {0x4400, 0x4400}; })");
    CHECK(all_outcomes(a) == Outcomes{{0x4400, 0x4400}, {0x4400, 0x4500}, {0x4500, 0x4400}, {0x4500, 0x4500}});
}

TEST_CASE("the halves of packed reductions are ordered each by itself") {
    const Answer a = answer_to(R"(.global .f16x2 h = 0;
thread P0 @ cta0 { atom.relaxed.gpu.global.add.noftz.f16x2 r0, [h], 0x3c003c00; }
thread P1 @ cta1 { atom.relaxed.gpu.global.add.noftz.f16x2 r0, [h], 0x40004000; }
exists (P0:r0 == 0 /\ h == 0x42004200))");
    CHECK(all_outcomes(a) == Outcomes{{0, 0x42004200}, {0x4000, 0x42004200}, {0x40000000, 0x42004200}, {0x40004000, 0x42004200}});
}

TEST_CASE("values that go round through sums and other operations") {
    // an exchange and a comparison beside the sums; the sum feeds a store
    const Answer a = answer_to(R"(.global .f32 x = 0.0;
.global .f32 y = 0.0;
thread P0 @ cta0 { atom.relaxed.gpu.global.add.f32 r0, [x], 1.0; atom.relaxed.gpu.global.add.f32 r1, [y], r0; }
thread P1 @ cta1 { atom.relaxed.gpu.global.exch.b32 r0, [y], 0x40000000; atom.relaxed.gpu.global.add.f32 r1, [x], r0; }
exists (x == 0.0))");
    // r0 of P1 is y before: 0, or what P0 added, which is x before: 0, or what P1 added
    CHECK(all_outcomes(a) == Outcomes{{0x3f800000}});
}

TEST_CASE("too many values are given up on, with the reason") {
    std::vector<uint64_t> values;
    for (int i = 0; i < 9; ++i) values.push_back(float_bits(Type::f32, 1.0 + std::ldexp(1.0 / 3, 3 * i)));
    const Answer a = answer_to(reductions("red.relaxed.gpu.global.add.f32", Type::f32, values) + "exists (x == 0.0)");
    CHECK(a.satisfiable == Answer::Truth::unknown);
    CHECK_FALSE(a.complete);
    CHECK(a.outcomes.empty());
    CHECK(a.gave_up.find("f32") != std::string::npos);
}

TEST_CASE("possible values: each way passes a read once") {
    const Test test = parse_dsl(make_source("t.litmus", R"(test "t"
.global .u32 x = 0;
thread P0 @ cta0 { red.relaxed.gpu.global.add.u32 [x], 1; }
thread P1 @ cta1 { red.relaxed.gpu.global.add.u32 [x], 10; }
thread P2 @ cta2 { ld.relaxed.gpu.global.u32 r0, [x]; })"));
    const Program program = build_program(test, {});
    const Relation rf = base_bounds(program, "rf").may;
    const Relation flow = transitive_closure(rf | program.relations.find("values")->second);
    std::vector<bool> circular(program.size());
    for (size_t e = 0; e < program.size(); ++e) circular[e] = flow.contains(e, e);
    const auto values = possible_values(program, rf, circular);
    REQUIRE(values);
    std::vector<std::vector<uint64_t>> reads;
    for (size_t e = 0; e < program.size(); ++e) {
        if (program.events[e].kind == Event::Kind::read) reads.push_back((*values)[e]);
    }
    CHECK(reads == std::vector<std::vector<uint64_t>>{{0, 10}, {0, 1}, {0, 1, 10, 11}});
}

TEST_CASE("a guard that asks for what a later thread's atomic reads: each value stays one of its cases") {
    const std::string atomics =
        ".global .f64 x = 1.0;\nthread P0 @ cta0 { atom.relaxed.gpu.global.add.f64 r0, [x], 2.0; add.u64 t, r0, 5;\n"
        "setp.ge.u64 p, r0, 2; @p bra L; st.relaxed.gpu.global.f64 [x], t;\nL: }\n"
        "thread P1 @ cta1 { red.relaxed.gpu.global.add.f64 [x], 4.0; }\nexists (P0:r0 == 0 /\\ x == 0)";
    const auto as_bits = [](double value) {
        uint64_t result = 0;
        std::memcpy(&result, &value, sizeof result);
        return result;
    };
    CHECK(all_outcomes(answer_to(atomics)) == Outcomes{{as_bits(1), as_bits(7)}, {as_bits(5), as_bits(7)}});
}
