// Derivations of pairs and members: that there is one for each, that each is valid, and that what is not one is refused.
#include "analysis/explain/derivation.h"

#include <doctest/doctest.h>

#include "analysis/explain/derivation_check.h"
#include "analysis/small_tests.h"
#include "cat/readings.h"
#include "solve/solve.h"

namespace litmus {
namespace {

// One execution of a test that an empty model allows, with the largest values of all outcomes, so that reads see what others wrote; and the
// model.
struct Subject {
    explicit Subject(const Test& of, const std::string& model_text = {}) : test(of), program(build_program(test, {})) {
        model = model_text.empty() ? load_model("ptx", {}, Reading::Base::strongest) : parse_model(make_source("<m.cat>", model_text), {});
        Solver solver;
        SolveOptions options;
        options.want_hazards = false;
        const Model anything = restricted(model, [](const Constraint&) { return false; });
        execution = solver.solve(program, anything, options).outcomes.back().witness;
    }
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;

    const Test test;
    Program program;
    Model model;
    Execution execution;
};

std::vector<Relation::Pair> members(const NodeValue& value) {
    if (!value.is_set) return value.relation.pairs();
    std::vector<Relation::Pair> result;
    for (const size_t e : value.set.elements()) result.emplace_back(e, e);
    return result;
}

// Derives all there is in the value of every node, and gives how much that is.
size_t derive_all(const Subject& subject) {
    Deriver deriver(subject.model, subject.execution);
    size_t count = 0, wrong = 0;
    for (NodeId node = 0; node < subject.model.nodes.size(); ++node)
        for (const auto& [from, to] : members(deriver.evaluation().value(node))) {
            const Derivation d = deriver.derive(node, from, to);
            wrong += d.node == node && d.from == from && d.to == to && is_valid(d, subject.model, subject.execution) ? 0 : 1;
            ++count;
        }
    CHECK(wrong == 0);
    return count;
}

NodeId named(const Model& model, const std::string& name) {
    for (NodeId n = 0; n < model.nodes.size(); ++n)
        if (model.nodes[n].name == name) return n;
    throw std::runtime_error("no node is named " + name);
}

TEST_CASE("everything in the value of every node of the model has a derivation") {
    CHECK(derive_all(Subject(parsed(message))) > 1000);
    CHECK(derive_all(Subject(library_test("async/proxy-raw/raw-bar-issuer-fences.litmus"))) > 5000);
    CHECK(derive_all(Subject(library_test("async/init/fence-before-init.litmus"))) > 5000);  // the let rec of restricted fences
}

TEST_CASE("every operation of the language of models") {
    const Subject subject(parsed(message), R"("operations"
let rec even = (po; po) | (odd; po) and odd = (even; po)
let all = (W * R) | (domain(rf) * range(rf))
flag ~empty ((even | odd) & all?) \ rf as a
flag ~empty ~(rf | po+ | po*) as b
flag ~empty domain(rf^-1) & (R \ ACQ) & ~W as c
flag ~empty [R]; po^-1; [range(co)] as d
)");
    CHECK(derive_all(subject) > 100);
}

TEST_CASE("a path through a closure is a shortest one") {
    const Subject subject(parsed(message), "\"paths\"\nflag ~empty po+ as a\nflag ~empty (po | rf)+ as b\n");
    Deriver deriver(subject.model, subject.execution);
    for (const auto& [from, to] : deriver.evaluation().value(subject.model.constraints[0].node).relation.pairs())
        CHECK(deriver.derive(subject.model.constraints[0].node, from, to).parts.size() == 1);
}

TEST_CASE("the cycle of a relation") {
    const Subject subject(parsed(store_buffering), "\"cycles\"\nacyclic po | rf | co | fr | (ext & (M * M)) as a\n");
    Deriver deriver(subject.model, subject.execution);
    const NodeId node = subject.model.constraints[0].node;
    const std::vector<Derivation> cycle = deriver.cycle(node);
    REQUIRE(cycle.size() == 2);
    CHECK(cycle[0].to == cycle[1].from);
    CHECK(cycle[1].to == cycle[0].from);
    for (const Derivation& step : cycle) CHECK(is_valid(step, subject.model, subject.execution));
    const Model acyclic = parse_model(make_source("<m.cat>", "\"none\"\nacyclic po as a\n"), {});
    Deriver none(acyclic, subject.execution);
    CHECK_THROWS_AS(none.cycle(acyclic.constraints[0].node), std::logic_error);
}

// Calls `visit` with the derivation after each way to spoil one of its parts.
void spoiled(Derivation& whole, Derivation& at, size_t events, const std::function<void()>& visit) {
    const Derivation kept = at;
    const auto spoil = [&](const std::function<void()>& change) {
        change();
        visit();
        at = kept;
    };
    spoil([&] { at.to = (at.to + 1) % events; });
    spoil([&] { at.absent = !at.absent; });
    spoil([&] { at.node = at.node == 0 ? 1 : at.node - 1; });
    if (!at.parts.empty()) spoil([&] { at.parts.pop_back(); });
    if (!at.parts.empty()) spoil([&] { at.parts.push_back(at.parts.front()); });
    for (Derivation& part : at.parts) spoiled(whole, part, events, visit);
}

// A change of one part alone leaves a derivation of something else at best: the whole is then refused, or is still about what
// it was.
TEST_CASE("a derivation that was spoiled in one place is refused") {
    const Subject subject(parsed(message));
    Deriver deriver(subject.model, subject.execution);
    size_t refused = 0, passed = 0;
    for (const char* name : {"cause-base", "sync", "morally-strong", "fr"}) {
        const NodeId node = named(subject.model, name);
        for (const auto& [from, to] : deriver.evaluation().value(node).relation.pairs()) {
            Derivation d = deriver.derive(node, from, to);
            const std::function<void()> look = [&] { ++(is_valid(d, subject.model, subject.execution) ? passed : refused); };
            for (Derivation& part : d.parts) spoiled(d, part, subject.program.size(), look);
        }
    }
    CHECK(refused > 500);
    CHECK(passed == 0);
}

TEST_CASE("what is asked of a pair that does not hold is a mistake of the caller") {
    const Subject subject(parsed(message));
    Deriver deriver(subject.model, subject.execution);
    CHECK_THROWS_AS(deriver.derive(named(subject.model, "fr"), 0, 0), std::logic_error);
}

}  // namespace
}  // namespace litmus
