// Which executions of a whole model are executions without a part.
#include "analysis/adequacy/kept.h"

#include <doctest/doctest.h>

#include "analysis/small_tests.h"
#include "cat/fold.h"
#include "cat/parts.h"

namespace litmus {
namespace {

// Of each outcome of store buffering that the model allows, in their order: y where its execution is one without the part, or n.
std::string kept(const std::string& text, const std::string& part) {
    const Test test = parsed(store_buffering);
    Program program = build_program(test, {.blocked = true});
    const Model open = parse_open_model(make_source("<test>", "\"test\"\n" + text));
    const Model opened = folded(with_open_parts(open, parts_of(open)), {});
    Solver solver;
    // The concrete engine judges it, not the solver, which does not take every model.
    Answer answer = solver.solve(program, parse_model(make_source("<all>", "\"all\"\nempty 0 as nothing"), {}), {});
    FixedBases bases(program);
    const Model whole = folded(open, {});
    std::erase_if(answer.outcomes, [&](const Outcome& o) { return !Evaluation(whole, o.witness, &bases).consistent(); });
    Kept kept(opened, bases, answer);
    std::string result;
    for (const Outcome& outcome : answer.outcomes) {
        result += kept.has("\"" + part, outcome) ? 'y' : 'n';
        const auto is_it = [&](std::string_view variant) { return variant == "\"" + part; };
        CHECK((result.back() == 'y') == Evaluation(folded(opened, {nullptr, is_it}), outcome.witness, &bases).consistent());
    }
    return result;
}

TEST_CASE("an execution is kept where a part takes part in nothing, or in nothing that matters") {
    CHECK(kept("empty (rf \\ (IW * _)) & int as a", "a: conjunct int") == "ynnn");  // who reads of another thread
    CHECK(kept("empty (rf; po) & int as a", "a: conjunct int") == "yyyy");
    CHECK(kept("empty 0 as nothing\nflag ~empty rf & int as f", "f: conjunct int") == "yyyy");
    CHECK(kept("irreflexive (rf; [R]) \\ ext as a", "a: exception ext") == "yyyy");
}

TEST_CASE("in a let rec the values may stay a solution, and not the least one") {
    const std::string rec = "let rec x = (po & (W * R)) | (x; (loc & ext))\n";
    CHECK(kept(rec + "~empty x \\ po as a", "x: step loc & ext") == "nnnn");
}

TEST_CASE("choices in each other's place are compared for each part") {
    CHECK(kept("~empty po?; rf as a", "a: closure po?") == "nnnn");
    CHECK(kept("~empty po?; rf as a", "a: step po?") == "yyyy");
    CHECK(kept("empty (po & (W * R)) \\ (po?; [R]) as a", "a: closure po?") == "yyyy");
    CHECK(kept("empty (po & (W * R)) \\ (po?; [R]) as a", "a: step po?") == "nnnn");
    CHECK(kept("empty (po & loc)?; rf; [W] as a", "a: step [W]") == "nnnn");
    CHECK(kept("empty ((rf | co) & int)?; (rf & int) as a", "a: step ((rf | co) & int)?") == "yyyy");
}

}  // namespace
}  // namespace litmus
