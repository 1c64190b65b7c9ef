// The solver: circuits, bounds, and answers to small programs.
#include "solve/solve.h"

#include <doctest/doctest.h>

#include <set>

#include "cat/evaluate.h"
#include "language/syntax/native/dsl.h"
#include "solve/bounds.h"
#include "solve/gates.h"

using namespace litmus;

namespace {

Answer answer(const std::string& body, const std::string& model = "ptx", SolveOptions options = {}) {
    static Solver solver;
    const Test test = parse_dsl(make_source("t.litmus", "test \"t\"\n" + body));
    Program program = build_program(test, {});
    return solver.solve(program, load_model(model, {}, Reading::Base::strongest), options);
}

std::set<std::vector<uint64_t>> outcomes(const Answer& a) {
    std::set<std::vector<uint64_t>> all;
    for (const Outcome& o : a.outcomes) all.insert(o.values);
    return all;
}

using Truth = Answer::Truth;
using Outcomes = std::set<std::vector<uint64_t>>;

// Whether some assignment makes the edges of `mask` true and all the others false.
bool acyclic_by_solver(Backend& backend, size_t nodes, uint32_t mask) {
    backend.reset({});
    Gates gates(backend);
    Gates::Edges edges;
    std::vector<Lit> assumptions;
    uint32_t bit = 0;
    for (size_t a = 0; a < nodes; ++a) {
        for (size_t b = 0; b < nodes; ++b, ++bit) {
            const Lit l = backend.fresh();
            edges[{a, b}] = l;
            assumptions.push_back((mask >> bit) & 1U ? l : -l);
        }
    }
    gates.acyclic(nodes, edges);
    return backend.check(assumptions) == Backend::Result::sat;
}

}  // namespace

TEST_CASE("acyclicity by vertex elimination, against every graph of three nodes") {
    const std::unique_ptr<Backend> made = row(Engine::z3).make();
    Backend& backend = *made;
    for (uint32_t mask = 0; mask < 512; ++mask) {
        Relation r(3);
        for (size_t a = 0; a < 3; ++a) {
            for (size_t b = 0; b < 3; ++b) {
                if ((mask >> (a * 3 + b)) & 1U) r.add(a, b);
            }
        }
        CHECK(acyclic_by_solver(backend, 3, mask) == r.acyclic());
    }
}

TEST_CASE("at most one, both as pairs and as a ladder") {
    const std::unique_ptr<Backend> made = row(Engine::z3).make();
    Backend& backend = *made;
    for (const size_t n : {3U, 9U}) {
        for (size_t a = 0; a < n; ++a) {
            for (size_t b = a; b < n; ++b) {
                backend.reset({});
                Gates gates(backend);
                std::vector<Lit> literals;
                for (size_t i = 0; i < n; ++i) literals.push_back(backend.fresh());
                gates.at_most_one(literals);
                CHECK((backend.check({literals[a], literals[b]}) == Backend::Result::sat) == (a == b));
            }
        }
    }
}

TEST_CASE("message passing: allowed without, forbidden with synchronization") {
    const std::string relaxed = R"(.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 { st.weak.global.u32 [x], 1; st.relaxed.gpu.global.u32 [f], 1; }
thread P1 @ cta1 { ld.relaxed.gpu.global.u32 r0, [f]; ld.weak.global.u32 r1, [x]; }
exists (P1:r0 == 1 /\ P1:r1 == 0))";
    const Answer a = answer(relaxed);
    CHECK(a.satisfiable == Truth::yes);
    CHECK(a.complete);
    CHECK(outcomes(a) == Outcomes{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
    REQUIRE(a.hazards->found.size() == 1);
    CHECK(a.hazards->found[0].kind == Hazard::Kind::race);
    CHECK(a.hazards->found[0].flag == "data-race");

    const Answer b = answer(R"(.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 { st.weak.global.u32 [x], 1; st.release.gpu.global.u32 [f], 1; }
thread P1 @ cta1 { await ld.acquire.gpu.global.u32 r0, [f] == 1; ld.weak.global.u32 r1, [x]; }
exists (P1:r1 == 0))");
    CHECK(b.satisfiable == Truth::no);
    CHECK(outcomes(b) == Outcomes{{1}});
    CHECK(b.hazards->found.empty());
    CHECK(b.hazards->races_complete);
}

TEST_CASE("racing writes stay unrelated: each can be final") {
    const Answer a = answer(R"(.global .u32 x = 0;
thread P0 @ cta0 { st.weak.global.u32 [x], 1; }
thread P1 @ cta1 { st.weak.global.u32 [x], 2; }
exists (x == 0))");
    CHECK(outcomes(a) == Outcomes{{1}, {2}});
}

TEST_CASE("values that flow in a circle of atomics are bit-vectors, and none comes out of thin air") {
    const Answer a = answer(R"(.global .u32 x = 0;
thread P0 @ cta0 { atom.relaxed.gpu.global.add.u32 r0, [x], 1; }
thread P1 @ cta1 { atom.relaxed.gpu.global.add.u32 r0, [x], 2; }
exists (P0:r0 == 2 /\ P1:r0 == 1 \/ x != 3))");
    CHECK(outcomes(a) == Outcomes{{0, 1, 3}, {2, 0, 3}});
    const Answer b = answer(R"(.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 { ld.weak.global.u32 r0, [x]; st.weak.global.u32 [y], r0; }
thread P1 @ cta1 { ld.weak.global.u32 r0, [y]; st.weak.global.u32 [x], r0; }
exists (P0:r0 != 0))");
    CHECK(outcomes(b) == Outcomes{{0}});
}

TEST_CASE("a huge outcome space is answered at once, and said to be incomplete") {
    std::string body, claim = "exists (";
    for (int i = 0; i < 32; ++i) {
        const std::string n = std::to_string(i);
        body += ".global .u32 x" + n + " = 0;\n";
    }
    for (int i = 0; i < 32; ++i) {
        const std::string n = std::to_string(i);
        body += "thread P" + n + " @ cta" + n + " { st.weak.global.u32 [x" + n + "], 1; ld.weak.global.u32 r0, [x" +
                std::to_string((i + 1) % 32) + "]; }\n";
        claim += (i ? " /\\ P" : "P") + n + ":r0 == 0";
    }
    SolveOptions options;
    options.max_outcomes = 16;
    const Answer a = answer(body + claim + ")", "ptx", options);
    CHECK(a.satisfiable == Truth::yes);
    CHECK(a.violable == Truth::yes);
    CHECK_FALSE(a.complete);
    CHECK(a.outcomes.size() == 16);
}

TEST_CASE("a loop cut at its bound is said; nothing terminating is said") {
    const Answer cut = answer(R"(.global .u32 x = 0;
thread P0 @ cta0 {
AGAIN:
  atom.relaxed.gpu.global.add.u32 r0, [x], 1;
  setp.lt.u32 p, r0, 9;
  @p bra AGAIN;
}
exists (x == 10))");
    CHECK(cut.bound_hit);
    CHECK(cut.nonempty == Truth::no);
    const Answer stuck = answer(R"(.global .u32 f = 0;
thread P0 @ cta0 { await ld.relaxed.gpu.global.u32 r0, [f] == 1; }
~exists (P0:r0 == 0))");
    CHECK(stuck.nonempty == Truth::no);
    CHECK_FALSE(stuck.bound_hit);
}

TEST_CASE("a filter restricts the executions looked at") {
    const Answer a = answer(R"(.global .u32 x = 0;
thread P0 @ cta0 { st.relaxed.gpu.global.u32 [x], 1; }
thread P1 @ cta1 { ld.relaxed.gpu.global.u32 r0, [x]; ld.relaxed.gpu.global.u32 r1, [x]; }
filter (P1:r0 == 1)
forall (P1:r1 == 1))");
    CHECK(a.violable == Truth::no);
    CHECK(outcomes(a) == Outcomes{{1, 1}});
    const Answer none = answer(R"(.global .u32 x = 0;
thread P0 @ cta0 { ld.relaxed.gpu.global.u32 r0, [x]; }
filter (P0:r0 == 1)
forall (P0:r0 == 0))");
    CHECK(none.nonempty == Truth::yes);
    CHECK(none.filtered_nonempty == Truth::no);
}

TEST_CASE("a filter leaves no race and no undefined behaviour out") {
    const std::string racy = R"(.global .u32 x = 0;
.global .u32 flag = 0;
.shared.cta1 .mbarrier bar = 1;
thread P0 @ cta0 { st.weak.global.u32 [x], 1; st.relaxed.gpu.global.u32 [flag], 1; }
thread P1 @ cta1 {
  ld.relaxed.gpu.global.u32 r0, [flag];
  setp.eq.u32 p, r0, 1;
  @p ld.weak.global.u32 r1, [x];
  @p mbarrier.inval.shared::cta.b64 [bar];
  @p mbarrier.arrive.shared::cta.b64 _, [bar];
}
)";
    for (const char* claim : {"exists (P1:r0 == 0)", "filter (P1:r0 == 0)\nexists (P1:r0 == 0)"}) {
        const Answer a = answer(racy + claim);
        REQUIRE(a.hazards);
        CHECK(raises(*a.hazards, "data-race"));
        CHECK(a.hazards->undefined == Truth::yes);
    }
    CHECK(outcomes(answer(racy + "filter (P1:r0 == 0)\nexists (P1:r0 == 0)")) == Outcomes{{0}});
}

TEST_CASE("closures and recursion of a model: least fixpoints in both polarities") {
    const std::string test = R"(.global .u32 x = 0;
thread P0 @ cta0 { st.relaxed.gpu.global.u32 [x], 1; ld.relaxed.gpu.global.u32 r0, [x]; }
thread P1 @ cta1 { st.relaxed.gpu.global.u32 [x], 2; ld.relaxed.gpu.global.u32 r0, [x]; }
exists (P0:r0 == 2))";
    static Solver solver;
    const Test parsed = parse_dsl(make_source("t.litmus", "test \"t\"\n" + test));
    const auto under = [&](const std::string& cat) {
        Program program = build_program(parsed, {});
        SolveOptions options;
        options.all_state = true;
        return outcomes(solver.solve(program, parse_model(make_source("m.cat", cat), {}), options));
    };
    const Outcomes all = under("\"none\"\n");
    const Outcomes plus = under("\"m\"\nacyclic po | rf | co | fr as sc\n");
    CHECK(plus.size() < all.size());
    CHECK(under("\"m\"\nirreflexive (po | rf | co | fr)+ as sc\n") == plus);
    CHECK(under("\"m\"\nlet rec hb = po | rf | co | fr | (hb; hb)\nirreflexive hb as sc\n") == plus);
    // read the other way: every communication must be justified by a path, which a pair cannot lend itself
    CHECK(under("\"m\"\nempty rf \\ (rf & rf)+ as fine\n") == all);
    CHECK(under("\"m\"\nempty rf \\ (po+) as none\n").size() < all.size());
    CHECK(under("\"m\"\n~empty ((rf | po)+ & rf & ext) as cross\n").size() < all.size());
}

TEST_CASE("two conditional dependencies of one pair: either of them counts") {
    const Answer a = answer(R"(.global .u32 a = 0;
.global .u32 b = 0;
.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 {
  ld.relaxed.gpu.global.u32 r0, [a];
  ld.relaxed.gpu.global.u32 r3, [b];
  ld.relaxed.gpu.global.u32 r1, [x];
  setp.eq.u32 pa, r0, 1;
  setp.eq.u32 pb, r3, 1;
  setp.eq.u32 p, r1, r1;
  @!pa bra J;
  @p bra J;
J:
  setp.eq.u32 q, 0, 0;
  @pb setp.eq.u32 q, r1, r1;
  @q st.relaxed.gpu.global.u32 [y], 1;
}
thread P1 @ cta1 { ld.relaxed.gpu.global.u32 r0, [y]; st.relaxed.gpu.global.u32 [x], r0; }
thread P2 @ cta2 { st.relaxed.gpu.global.u32 [a], 1; }
thread P3 @ cta3 { st.relaxed.gpu.global.u32 [b], 1; }
exists (P0:r1 == 1 /\ (P0:r0 == 1 \/ P0:r3 == 1)))");
    CHECK(a.satisfiable == Truth::no);
    CHECK(a.violable == Truth::yes);
}

TEST_CASE("bounds: must within may, and exact where nothing is chosen") {
    const Test test = parse_dsl(make_source("t.litmus", R"(test "t"
.global .u32 x = 0;
thread P0 @ cta0 { st.relaxed.gpu.global.u32 [x], 1; fence.sc.gpu; ld.relaxed.gpu.global.u32 r0, [x]; }
thread P1 @ cta1 { ld.relaxed.gpu.global.u32 r0, [x]; })"));
    const Program program = build_program(test, {});
    const Model model = load_model("ptx", {});
    const auto bounds = compute_bounds(program, model).nodes;
    for (size_t i = 0; i < bounds.size(); ++i) {
        CHECK((bounds[i].must - bounds[i].may).empty());
        CHECK((bounds[i].must_set - bounds[i].may_set).empty());
        const Node& node = model.nodes[i];
        if (node.op == Node::Op::base && node.name == "po") CHECK(bounds[i].must == bounds[i].may);
    }
}

TEST_CASE("executions in which a circumstance holds are left out") {
    const std::string body =
        ".global .u32 x = 0;\n"
        "thread P0 @ cta0 { st.relaxed.gpu.global.u32 [x], 1; st.relaxed.gpu.global.u32 [x], 2; }\n"
        "thread P1 @ cta1 { ld.relaxed.gpu.global.u32 r0, [x]; }\nexists (P1:r0 == 1)\n";
    const Answer all = answer(body);
    CHECK(outcomes(all) == Outcomes{{0}, {1}, {2}});
    const Execution& x = all.witness->witness;
    const auto [write, read] = *[&] {
        for (const auto& pair : x.rf.pairs())
            if (x.values[pair.second] == 1) return std::optional(pair);
        return std::optional<Relation::Pair>();
    }();
    SolveOptions options;
    options.avoid = {{{write, read}, {{"rf", {write, read}, false}}}};
    CHECK(outcomes(answer(body, "ptx", options)) == Outcomes{{0}, {2}});
    options.avoid = {{{}, {{"rf", {write, read}, true}}}};
    CHECK(outcomes(answer(body, "ptx", options)) == Outcomes{{1}});
    options.avoid = {{{read}, {}}};
    CHECK(outcomes(answer(body, "ptx", options)).empty());
}

TEST_CASE("a model that contradicts itself allows nothing") {
    const std::string two_writes = R"(.global .u32 x = 0;
thread P0 @ cta0 { st.relaxed.gpu.global.u32 [x], 1; }
thread P1 @ cta1 { st.relaxed.gpu.global.u32 [x], 2; }
exists (x == 1))";
    const std::string read_and_write = R"(.global .u32 x = 0;
thread P0 @ cta0 { ld.weak.global.u32 r0, [x]; st.weak.global.u32 [x], 1; }
exists (P0:r0 == 0))";
    const auto all = [](const std::string& body, const std::string& axiom) {
        Solver solver;
        const Test test = parse_dsl(make_source("t.litmus", "test \"t\"\n" + body));
        Program program = build_program(test, {});
        return solver.solve(program, parse_model(make_source("m.cat", "\"m\"\n" + axiom), {}), {});
    };
    // each write before the other
    const Answer ordered = all(two_writes, "empty ([W \\ IW]; ext & loc; [W \\ IW]) \\ co as both-first");
    CHECK(ordered.outcomes.empty());
    CHECK(ordered.nonempty == Truth::no);
    // no write is left to read from
    const Answer nothing = all(read_and_write, "irreflexive rf; (R * W) as reads-nothing");
    CHECK(nothing.outcomes.empty());
    CHECK(nothing.nonempty == Truth::no);
}
