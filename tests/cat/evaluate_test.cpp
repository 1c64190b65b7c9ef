// The operators of cat on a small execution, let rec included.
#include <doctest/doctest.h>

#include "sketch.h"

using namespace litmus;

namespace {

// The pairs of a relation named in a model text over a fixed execution: two threads of two events.
struct Fixture {
    Sketch sketch;
    size_t w, r, fence, w2, init0, init1;
    Fixture() {
        sketch.thread();
        w = sketch.write(0);
        fence = sketch.fence(Sem::sc, Scope::gpu);
        sketch.thread(1);
        r = sketch.read(0);
        w2 = sketch.write(1);
        init0 = sketch.init(0);
        init1 = sketch.init(1);
        sketch.rf(w, r);
        sketch.relate("data", r, w2);
    }

    NodeValue value(const std::string& term) {
        model = parse_model(make_source("<test>", "\"test\"\nlet t = " + term + "\nempty t as t"), {});
        Evaluation evaluation(model, sketch.execution());
        return evaluation.value(model.constraints[0].node);
    }
    std::vector<Relation::Pair> pairs(const std::string& term) { return value(term).relation.pairs(); }
    std::vector<size_t> elements(const std::string& term) { return value(term).set.elements(); }
    Model model;
};

using Pairs = std::vector<Relation::Pair>;

}  // namespace

TEST_CASE_FIXTURE(Fixture, "sets") {
    CHECK(elements("W") == std::vector<size_t>{init0, w, init1, w2});
    CHECK(elements("W & ~IW") == std::vector<size_t>{w, w2});
    CHECK(elements("_ \\ M") == std::vector<size_t>{fence});
    CHECK(elements("R | (W & IW)") == std::vector<size_t>{init0, r, init1});
    CHECK(elements("domain(data)") == std::vector<size_t>{r});
    CHECK(elements("range(po)") == std::vector<size_t>{fence, w2});
    CHECK(elements("0 | R") == std::vector<size_t>{r});
}

TEST_CASE_FIXTURE(Fixture, "relations") {
    CHECK(pairs("po") == Pairs{{w, fence}, {r, w2}});
    CHECK(pairs("rf; data") == Pairs{{w, w2}});
    CHECK(pairs("(rf | data)+") == Pairs{{w, r}, {w, w2}, {r, w2}});
    CHECK(pairs("rf^-1") == Pairs{{r, w}});
    CHECK(pairs("fr") == Pairs{});
    CHECK(pairs("co") == Pairs{{init0, w}, {init1, w2}});
    CHECK(pairs("[R]; po?") == Pairs{{r, r}, {r, w2}});
    CHECK(pairs("[R]; (data | rf)*") == Pairs{{r, r}, {r, w2}});
    CHECK(pairs("R * F") == Pairs{{r, fence}});
    CHECK(pairs("(R * _) \\ po \\ id & ext") == Pairs{{r, init0}, {r, w}, {r, fence}, {r, r}, {r, init1}});
    CHECK(pairs("((R * _) \\ po \\ id) & ext") == Pairs{{r, init0}, {r, w}, {r, fence}, {r, init1}});
    CHECK(pairs("~(_ * (_ \\ R)) & ~(W * _)") == Pairs{{fence, r}, {r, r}});
}

TEST_CASE_FIXTURE(Fixture, "let rec is the least fixpoint, of all equations together") {
    model = parse_model(make_source("<test>",
                                    "\"test\" let rec a = rf | (b; data) and b = a | (a; b)\n"
                                    "let rec c = c | (b \\ rf)\n"
                                    "empty a \\ 0 as a empty b as b empty c as c"),
                        {});
    Evaluation evaluation(model, sketch.execution());
    CHECK(evaluation.value(model.constraints[0].node).relation.pairs() == Pairs{{w, r}, {w, w2}});
    CHECK(evaluation.value(model.constraints[1].node).relation.pairs() == Pairs{{w, r}, {w, w2}});
    CHECK(evaluation.value(model.constraints[2].node).relation.pairs() == Pairs{{w, w2}});
}

TEST_CASE_FIXTURE(Fixture, "constraints, their negations and flags") {
    model =
        parse_model(make_source("<test>",
                                "\"test\" empty R as no-read ~empty R as a-read acyclic po as forward ~acyclic po as backward\n"
                                "irreflexive po | id as strict ~irreflexive id as self flag ~empty F as fenced flag empty F as unfenced\n"
                                "acyclic rf | (W * R)^-1 as around"),
                    {});
    CHECK(broken(model, sketch.execution()) == "no-read backward strict around");
    CHECK(raised(model, sketch.execution()) == "fenced");
    CHECK_FALSE(Evaluation(model, sketch.execution()).consistent());
}

TEST_CASE("only what is executed counts") {
    Sketch sketch;
    sketch.thread();
    const size_t w = sketch.write(0), r = sketch.read(0);
    Execution execution = sketch.execution();
    execution.executed.remove(r);
    const Model model = parse_model(
        make_source("<test>", "\"t\" empty R as reads empty ~W as others empty [_]; po as po empty (po?; id) \\ id as refl"), {});
    CHECK(broken(model, execution).empty());
    Evaluation evaluation(model, execution);
    CHECK_FALSE(evaluation.value(model.constraints[0].node).set.contains(w));
}

TEST_CASE_FIXTURE(Fixture, "executions share only what their events decide") {
    model = parse_model(make_source("<test>",
                                    "\"test\" let rec a = rf | (a; data) empty a as a empty rf; data as b\n"
                                    "empty po | id as c empty R * W as d empty W as e"),
                        {});
    Execution x = sketch.execution();
    FixedBases bases(*x.program);
    CommonValues common(model, bases);
    const auto compare = [&] {
        Evaluation alone(model, x), sharing(common, x);
        for (NodeId node = 0; node < model.nodes.size(); ++node) {
            CHECK(alone.value(node).set == sharing.value(node).set);
            CHECK(alone.value(node).relation == sharing.value(node).relation);
        }
    };
    compare();
    x.rf = Relation(x.executed.size());  // another choice
    compare();
    x.executed.remove(w2);  // other events
    compare();
}
