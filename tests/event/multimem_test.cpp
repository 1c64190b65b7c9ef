// multimem operations as events: vectors, packed values, replicas, and the sums that multimem.ld_reduce may return.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "event/program.h"
#include "language/syntax/native/dsl.h"
#include "ptx/value.h"

using namespace litmus;

namespace {

struct BuiltMultimem {
    explicit BuiltMultimem(const std::string& body)
        : test(parse_dsl(make_source("t.litmus", "test \"t\"\n" + body))), program(build_program(test, {2, true})) {}

    std::vector<size_t> events(Event::Kind kind) const {
        std::vector<size_t> found;
        for (size_t e = 0; e < program.size(); ++e)
            if (program.events[e].kind == kind) found.push_back(e);
        return found;
    }
    const Cell& cell(size_t e) const { return program.cells[static_cast<size_t>(program.events[e].cell)]; }
    bool replicas(size_t a, size_t b) const { return base_bounds(program, "replicas").may.contains(a, b); }

    // Calls `visit` for all choices that the constraints allow where memory is as it began, with the value of each leaf.
    template <typename Visit>
    void each_choice(Visit visit) const {
        for (uint64_t choices = 0; choices < uint64_t{1} << program.choices; ++choices) {
            const auto leaf = [&](const Expr& e) -> uint64_t {
                if (e.op == Expr::Op::choice) return choices >> e.index & 1;
                const int cell = e.op == Expr::Op::read ? program.events[e.index].cell : static_cast<int>(e.index);
                for (const size_t init : events(Event::Kind::init))
                    if (program.events[init].cell == cell) return program.exprs[program.events[init].value].value;
                return 0;
            };
            const bool allowed = std::all_of(program.constraints.begin(), program.constraints.end(),
                                             [&](ExprId c) { return evaluate(program.exprs, c, leaf) != 0; });
            if (allowed) visit(leaf);
        }
    }

    // What the first register of the first thread may hold.
    std::set<uint64_t> results() const {
        std::set<uint64_t> all;
        each_choice([&](const auto& leaf) { all.insert(evaluate(program.exprs, program.registers.at(0).value, leaf)); });
        return all;
    }

    Test test;
    Program program;
};

using Kind = Event::Kind;

std::string diagnosis(const std::string& body) {
    try {
        BuiltMultimem{body};
    } catch (const Failure& f) {
        return f.diagnostics().at(0).message;
    }
    return {};
}

std::string locations(int count, const std::string& declaration, const std::vector<std::string>& values) {
    std::string text, names;
    for (int k = 0; k < count; ++k) {
        const std::string name = "x" + std::to_string(k);
        text += ".global " + declaration.substr(0, declaration.find(' ')) + " " + name + declaration.substr(declaration.find(' ') + 1) +
                " = " + values.at(static_cast<size_t>(k)) + ";\n";
        names += (k == 0 ? "" : ", ") + name;
    }
    return text + ".multimem m = " + names + ";\nthread P0 @ cta0 { ";
}

}  // namespace

TEST_CASE("each scalar of a vector is accessed at each location, in no order, and its replicas are those of that scalar") {
    const BuiltMultimem t(locations(2, ".f32 [2]", {"1.0", "2.0"}) + "multimem.st.relaxed.sys.global.v2.f32 [m], {3.0, 4.0}; }");
    const auto writes = t.events(Kind::write);
    REQUIRE(writes.size() == 4);
    std::set<int> addresses;
    for (const size_t a : writes) {
        addresses.insert(t.program.events[a].address);
        CHECK(t.program.exprs[t.program.events[a].value].value == float_bits(Type::f32, t.cell(a).element == 0 ? 3.0 : 4.0));
        for (const size_t b : writes) {
            CHECK(t.replicas(a, b) == (a != b && t.cell(a).element == t.cell(b).element));
            CHECK(!t.program.relations.find("po")->second.contains(a, b));
        }
    }
    CHECK(addresses.size() == 4);
}

TEST_CASE("a packed value is two halves at each location, each at an address of its own") {
    const std::string declared = locations(2, ".bf16x2 ", {"0", "0"});
    const BuiltMultimem store(declared + "multimem.st.weak.global.bf16x2 [m], 0x3f804000; }");
    const auto writes = store.events(Kind::write);
    REQUIRE(writes.size() == 4);
    std::set<int> addresses;
    for (const size_t w : writes) {
        CHECK(store.program.events[w].type == Type::bf16);
        CHECK(store.program.exprs[store.program.events[w].value].value == (store.cell(w).lane == 0 ? 0x4000 : 0x3f80));
        addresses.insert(store.program.events[w].address);
    }
    CHECK(addresses.size() == 4);
    const BuiltMultimem reduction(declared + "multimem.red.relaxed.sys.global.add.bf16x2 [m], 0x3f804000; }");
    CHECK(reduction.events(Kind::read).size() == 4);
    CHECK(reduction.program.relations.find("rmw")->second.pairs().size() == 4);
    const BuiltMultimem vector(locations(2, ".f16 [8]", {"0", "0"}) +
                               "multimem.ld_reduce.weak.global.max.v4.f16x2 {r0, r1, r2, r3}, [m]; }");
    CHECK(vector.events(Kind::read).size() == 16);
}

TEST_CASE("locations of one multimem address are split together, whatever address splits one of them") {
    const std::string declared =
        ".global .bf16x2 x = 0;\n.global .bf16x2 y = 0;\n.global .bf16x2 z = 0;\n.multimem m = x, y;\n.multimem n = y, z;\n";
    const BuiltMultimem t(
        declared +
        "thread P0 @ cta0 { red.relaxed.gpu.global.add.noftz.bf16x2 [z], 0; multimem.st.relaxed.sys.global.f32 [m], 0f3f804000; }");
    std::set<std::string> names;
    for (const size_t w : t.events(Kind::write)) names.insert(t.cell(w).name);
    CHECK(names == std::set<std::string>{"x.lo", "x.hi", "y.lo", "y.hi", "z.lo", "z.hi"});
    const BuiltMultimem whole(declared + "thread P0 @ cta0 { multimem.st.relaxed.sys.global.f32 [m], 0f3f804000; }");
    CHECK(whole.events(Kind::write).size() == 2);
}

TEST_CASE("a store of both halves is two writes of one access; other operations on both are refused") {
    const std::string declared = locations(2, ".bf16x2 ", {"0", "0"}) + "multimem.ld_reduce.weak.global.add.bf16x2 r0, [m]; ";
    for (const char* store : {"multimem.st.release.sys.global.f32 [m], 0f3f804000; }", "st.release.sys.global.b32 [x0], 0x3f804000; }"}) {
        const BuiltMultimem t(declared + store);
        for (const size_t w : t.events(Kind::write)) {
            CHECK(t.program.events[w].sem == Sem::release);
            CHECK(t.program.events[w].cells == 2);
            CHECK(t.program.exprs[t.program.events[w].value].value == (t.cell(w).lane == 0 ? 0x4000 : 0x3f80));
        }
    }
    for (const char* other :
         {"multimem.red.add.u32 [m], 1; }", "multimem.ld_reduce.add.f32 r1, [m]; }", "red.relaxed.gpu.global.add.u32 [x0], 1; }"})
        CHECK_MESSAGE(diagnosis(declared + other).find("overlaps both halves of x0") != std::string::npos, other);
}

TEST_CASE("the sums of multimem.ld_reduce, in each order") {
    const auto sum = [](int count, const std::vector<std::string>& values) {
        return BuiltMultimem(locations(count, ".f32 ", values) + "multimem.ld_reduce.relaxed.sys.global.add.f32 r0, [m]; }").results();
    };
    const auto bits = [](double value) { return float_bits(Type::f32, value); };
    constexpr double large = 16777216.0;  // beside it 1 is lost, and 2 is not
    CHECK(sum(1, {"1.0"}) == std::set<uint64_t>{bits(1)});
    CHECK(sum(2, {"16777216.0", "1.0"}) == std::set<uint64_t>{bits(large)});
    CHECK(sum(3, {"16777216.0", "1.0", "1.0"}) == std::set<uint64_t>{bits(large), bits(large + 2)});
    CHECK(sum(3, {"1.0", "1.0", "16777216.0"}) == std::set<uint64_t>{bits(large), bits(large + 2)});
    CHECK(sum(3, {"16777216.0", "-16777216.0", "1.0"}) == std::set<uint64_t>{bits(0), bits(1)});
    CHECK(sum(4, {"16777216.0", "1.0", "-16777216.0", "1.0"}) == std::set<uint64_t>{bits(0), bits(1), bits(2)});
    CHECK(sum(4, {"16777216.0", "1.0", "1.0", "1.0"}) == std::set<uint64_t>{bits(large), bits(large + 2), bits(large + 4)});
    CHECK(sum(4, {"1.0", "2.0", "3.0", "4.0"}) == std::set<uint64_t>{bits(10)});
    CHECK(diagnosis(locations(5, ".f32 ", {"1.0", "2.0", "3.0", "4.0", "5.0"}) + "multimem.ld_reduce.weak.global.add.f32 r0, [m]; }")
              .find("at most 4 are followed") != std::string::npos);
    CHECK(diagnosis(locations(5, ".u32 ", {"1", "2", "3", "4", "5"}) + "multimem.ld_reduce.weak.global.add.u32 r0, [m]; }").empty());
    CHECK(diagnosis(locations(5, ".f16x2 ", {"0", "0", "0", "0", "0"}) + "multimem.ld_reduce.weak.global.max.f16x2 r0, [m]; }").empty());
}

TEST_CASE("four values have fifteen sums, three have three, two have one") {
    const auto choices = [](int count) {
        const BuiltMultimem t(locations(count, ".f32 ", {"1.0", "1.0", "1.0", "1.0"}) +
                              "multimem.ld_reduce.weak.global.add.f32 r0, [m]; }");
        std::set<ExprId> sums;  // additions that nothing is added to
        std::set<ExprId> parts;
        for (ExprId e = 0; e < t.program.exprs.size(); ++e) {
            const Expr& x = t.program.exprs[e];
            if (x.op != Expr::Op::apply || x.type != Type::f32) continue;
            sums.insert(e);
            parts.insert({x.a, x.b});
        }
        for (const ExprId part : parts) sums.erase(part);
        return sums.size();
    };
    CHECK(choices(2) == 1);
    CHECK(choices(3) == 3);
    CHECK(choices(4) == 15);
}

TEST_CASE("with .acc::f32 halves are added as .f32, and rounded once") {
    const auto sum = [](const std::string& how, const std::vector<std::string>& values) {
        return BuiltMultimem(locations(static_cast<int>(values.size()), ".bf16x2 ", values) + "multimem.ld_reduce.relaxed.sys.global." +
                             how + ".bf16x2 r0, [m]; }")
            .results();
    };
    const std::vector<std::string> three = {"0x00004380", "0x00003f80", "0x00003f80"};  // 256, 1, 1
    CHECK(sum("add", three) == std::set<uint64_t>{0x4380, 0x4381});
    CHECK(sum("add.acc::f32", three) == std::set<uint64_t>{0x4381});
    CHECK(sum("add.acc::f32", {"0x7fc00000", "0x3f803f80"}) == std::set<uint64_t>{0x7fff3f80});
    // each half in an order of its own
    CHECK(sum("add", {"0x43804380", "0x3f803f80", "0x3f803f80"}) == std::set<uint64_t>{0x43804380, 0x43804381, 0x43814380, 0x43814381});
}

TEST_CASE("a thread that awaits a sum may stay in any order of additions in which it does not come") {
    const BuiltMultimem t(locations(3, ".f32 ", {"16777216.0", "1.0", "1.0"}) +
                          "await multimem.ld_reduce.acquire.sys.global.add.f32 r0, [m] == 16777218.0; }");
    REQUIRE(t.program.blocked.size() == 1);
    const Blocked& blocked = t.program.blocked[0];
    std::set<bool> hopeless;
    t.each_choice([&](const auto& leaf) {
        if (evaluate(t.program.exprs, blocked.when, leaf) != 0) hopeless.insert(evaluate(t.program.exprs, blocked.hopeless, leaf) != 0);
    });
    CHECK(hopeless == std::set<bool>{false, true});
}

TEST_CASE("multimem.red.add.f32 flushes subnormal numbers, and multimem.ld_reduce does not") {
    const std::string declared = locations(2, ".f32 ", {"0f00000001", "0f00000001"});
    CHECK(BuiltMultimem(declared + "multimem.ld_reduce.weak.global.add.f32 r0, [m]; }").results() == std::set<uint64_t>{2});
    const BuiltMultimem t(declared + "multimem.red.add.f32 [m], 0f00000001; }");
    for (const size_t w : t.events(Kind::write)) CHECK(t.program.exprs[t.program.events[w].value].operation == Operator::add_ftz);
}
