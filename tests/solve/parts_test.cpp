// Outcomes that are products of what parts show: the same as when each is asked for, with an execution each.
#include "solve/parts.h"

#include <doctest/doctest.h>

#include <set>

#include "cat/evaluate.h"
#include "cat/readings.h"
#include "language/syntax/native/dsl.h"
#include "solve/bounds.h"
#include "solve/solve.h"
#include "solve/specialise.h"

using namespace litmus;

namespace {

constexpr size_t never = ~size_t{0};

const Model& model_of_parts() {
    static const Model model = load_model("ptx", {}, Reading::Base::default_);
    return model;
}

struct Listed {
    std::set<std::vector<uint64_t>> outcomes;
    bool complete = false;
};

Listed listed(const std::string& body, size_t apart_from, size_t most = 100'000) {
    const Test test = parse_dsl(make_source("t.litmus", "test \"t\"\n" + body));
    Program program = build_program(test, {.blocked = true});
    Solver solver;
    SolveOptions options;
    options.max_outcomes = most;
    options.all_state = true;
    options.apart_from = apart_from;
    const Answer answer = solver.solve(program, model_of_parts(), options);
    Listed result{{}, answer.complete};
    for (const Outcome& outcome : answer.outcomes) {
        CHECK(result.outcomes.insert(outcome.values).second);
        CHECK(Evaluation(model_of_parts(), outcome.witness).consistent());
        std::vector<uint64_t> finals;
        for (const size_t w : outcome.final_writes) finals.push_back(outcome.witness.values[w]);
        for (size_t cell = 0; cell < program.cells.size(); ++cell) CHECK(outcome.witness.co.successors(outcome.final_writes[cell]).empty());
        for (size_t o = 0; o < answer.observables.size(); ++o)
            CHECK(evaluate(outcome.witness, answer.observables[o].value, finals) == outcome.values[o]);
    }
    return result;
}

// The outcomes, which are as many in parts as singly.
size_t in_both_ways(const std::string& body) {
    const Listed apart = listed(body, 1), singly = listed(body, never);
    CHECK(apart.outcomes == singly.outcomes);
    CHECK(apart.complete);
    CHECK(singly.complete);
    return apart.outcomes.size();
}

size_t parts(const std::string& body, Parts::Ties ties) {
    const Test test = parse_dsl(make_source("t.litmus", "test \"t\"\n" + body));
    Program program = build_program(test, {.blocked = true});
    const ModelBounds bounds = compute_bounds(program, specialised(program, model_of_parts()));
    const std::vector<Observable> observed = observables(program, true);
    const ExprId filter = test.filter ? condition_expr(program, *test.filter) : ExprPool::yes;
    return Parts(program, bounds.rf.may, observed, filter, ties).all().size();
}

// In each of n CTAs one thread reduces into a word that the other reads.
std::string words(int n) {
    std::string text = ".shared .u32 x = 0;\n";
    for (int i = 0; i < n; ++i) {
        const std::string at = " @ cta" + std::to_string(i) + " { ";
        text += "thread A" + std::to_string(i) + at + "red.relaxed.cta.shared::cta.add.u32 [x], 1; }\n";
        text += "thread B" + std::to_string(i) + at + "ld.relaxed.cta.shared::cta.u32 r0, [x]; }\n";
    }
    return text;
}

// Message passing through `data` and `flag`: three outcomes.
std::string passing(const std::string& data, const std::string& flag, int cta) {
    const std::string n = std::to_string(cta), m = std::to_string(cta + 1);
    return ".global .u32 " + data + " = 0;\n.global .u32 " + flag + " = 0;\nthread P" + n + " @ cta" + n + " { st.weak.global.u32 [" +
           data + "], 1; st.release.gpu.global.u32 [" + flag + "], 1; }\nthread P" + m + " @ cta" + m +
           " { ld.acquire.gpu.global.u32 r0, [" + flag + "]; ld.weak.global.u32 r1, [" + data + "]; }\n";
}

}  // namespace

TEST_CASE("words of CTAs are parts, and outcomes the product of what they show") {
    CHECK(parts(words(5), Parts::Ties::values) == 5);
    CHECK(in_both_ways(words(5)) == 32);
}

TEST_CASE("where an axiom ties locations, threads with all they touch are parts") {
    const std::string two = passing("x", "f", 0) + passing("y", "g", 2);
    CHECK(parts(two, Parts::Ties::values) == 4);
    CHECK(parts(two, Parts::Ties::program) == 2);
    CHECK(in_both_ways(two) == 9);
}

TEST_CASE("as many outcomes as are wanted, and complete below") {
    const Listed fewer = listed(words(12), 16, 100), just = listed(words(5), 16, 32), more = listed(words(5), 16, 33);
    CHECK(fewer.outcomes.size() == 100);
    CHECK(!fewer.complete);
    CHECK(just.outcomes.size() == 32);
    CHECK(!just.complete);  // nobody asked for another one
    CHECK(more.outcomes.size() == 32);
    CHECK(more.complete);
    const Listed none = listed(words(2), 16, 0), from_none = listed(words(2), 0);
    CHECK(none.outcomes.empty());
    CHECK(!none.complete);
    CHECK(from_none.outcomes.size() == 4);
    CHECK(from_none.complete);
}

TEST_CASE("a product that nobody could list is not walked through") {
    CHECK(listed(words(40), 16, 100).outcomes.size() == 100);
}

// Whether the fences happen depends on `a` and `b`, and nothing else that is observed does.
TEST_CASE("fences that sc orders are in one part") {
    const std::string ring = R"(
        .global .u32 x = 0; .global .u32 y = 0; .global .u32 a = 0; .global .u32 b = 0;
        thread P0 @ cta0 { ld.relaxed.gpu.global.u32 r1, [a]; setp.eq.u32 p, r1, 0; st.relaxed.gpu.global.u32 [x], 1; @p fence.sc.gpu;
                           ld.relaxed.gpu.global.u32 r0, [y]; }
        thread P1 @ cta1 { ld.relaxed.gpu.global.u32 r1, [b]; setp.eq.u32 p, r1, 0; st.relaxed.gpu.global.u32 [y], 1; @p fence.sc.gpu;
                           ld.relaxed.gpu.global.u32 r0, [x]; }
        thread P2 @ cta2 { st.relaxed.gpu.global.u32 [a], 1; }
        thread P3 @ cta3 { st.relaxed.gpu.global.u32 [b], 1; }
    )";
    CHECK(in_both_ways(ring) == 15);  // of 16: both fences, and both loads miss the store
}

TEST_CASE("a filter ties what it speaks of") {
    const std::string filtered = words(4) + "filter (B0:r0 == B1:r0)\n";
    CHECK(parts(filtered, Parts::Ties::values) == 3);
    CHECK(in_both_ways(filtered) == 8);
}

// What was put together counts as listed when parts show more, and turn out not to be apart after all.
TEST_CASE("no outcome is listed twice") {
    const Test test = parse_dsl(make_source("t.litmus", R"(test "t"
.global .u32 x = 0;
.global .u32 y = 1;
thread P0 @ cta0 { st.release.cta.global.u32 [x], 1; ld.acquire.cluster.global.u32 r0, [y]; }
thread P1 @ cta0 { ld.acquire.cta.global.u32 r0, [x]; st.release.gpu.global.u32 [y], 2; }
thread P2 @ cta0 { ld.acquire.sys.global.u32 r0, [y]; st.release.cta.global.u32 [x], 3; ld.acquire.sys.global.u32 r1, [y]; }
)"));
    const Model model = load_model("ptx-6.0", {});
    for (const size_t apart_from : {size_t{1}, size_t{2}, size_t{4}}) {
        Program program = build_program(test, {});
        Solver solver(Solver::always, Engine::cdcl);
        SolveOptions options;
        options.all_state = true;
        options.apart_from = apart_from;
        const Answer answer = solver.solve(program, model, options);
        CHECK(answer.complete);
        std::set<std::vector<uint64_t>> values;
        for (const Outcome& outcome : answer.outcomes) CHECK(values.insert(outcome.values).second);
    }
}
