// Folding: choices made or left open, what has no members gone, equal terms one; and the text that tells graphs apart.
#include "cat/fold.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cat/readings.h"

using namespace litmus;

namespace {

Model open_model(const std::string& text) {
    return parse_open_model(make_source("<test>", "\"t\" " + text));
}

Folding without(const std::set<std::string>& bases) {
    return {[bases](std::string_view name) { return bases.count(std::string(name)) == 0; }, nullptr};
}

std::string graph(const std::string& text) {
    return graph_text(open_model(text));
}

}  // namespace

TEST_CASE("a choice stays open until it is made") {
    const Model open = open_model("acyclic po | (if \"more\" then rf else 0) as a");
    CHECK(open_variants(open) == std::set<std::string>{"more"});
    CHECK(open_variants(with_variants(open, {})).empty());
    CHECK(graph_text(with_variants(open, {})) == graph("acyclic po as a"));
    CHECK(graph_text(with_variants(open, {"more"})) == graph("acyclic po | rf as a"));
    CHECK(with_variants(open, {}).hash != with_variants(open, {"more"}).hash);
}

TEST_CASE("a choice between what has become the same, or that an impossible base hides, is none") {
    const std::string text = "acyclic (if \"a\" then po | iss else po) | (if \"b\" then iss; po else 0) as c";
    CHECK(open_variants(folded(open_model(text), {})) == std::set<std::string>{"a", "b"});
    const Model folded_away = folded(open_model(text), without({"iss"}));
    CHECK(open_variants(folded_away).empty());
    CHECK(graph_text(folded_away) == graph("acyclic po as c"));
}

TEST_CASE("what is made of an impossible relation goes, through let rec, closures and identities") {
    const auto folds_to = [](const std::string& text, const std::string& to) {
        return graph_text(folded(open_model(text), without({"iss", "MB"}))) == graph(to);
    };
    CHECK(folds_to("acyclic po; iss?; rf as c", "acyclic po; rf as c"));
    CHECK(folds_to("acyclic (po | iss*; rf) as c", "acyclic po | rf as c"));
    CHECK(folds_to("acyclic po \\ (iss & rf) as c", "acyclic po as c"));
    CHECK(folds_to("let rec r = iss | (r; po) acyclic po | r as c", "acyclic po as c"));
    CHECK(folds_to("empty [MB]; po as c", "empty 0 as c"));
    CHECK(folds_to("let co = co+ empty rf; co as c", "empty rf; co as c"));  // co is transitive already, as nothing else is
    CHECK_FALSE(folds_to("empty rf; sc+ as c", "empty rf; sc as c"));
    CHECK_FALSE(folds_to("acyclic po | rf as c", "acyclic po as c"));
}

TEST_CASE("equal terms are one node, whatever they are called") {
    CHECK(graph("let a = po; rf let b = po; rf acyclic a | (b & co) as c") == graph("acyclic (po; rf) | ((po; rf) & co) as c"));
    const Model twice = folded(open_model("let a = po | iss let b = po acyclic (a; rf) | (b; rf) as c"), without({"iss"}));
    CHECK(graph_text(twice) == graph("acyclic po; rf as c"));
}

TEST_CASE("a name stays with what a definition has become") {
    const Model model = with_variants(open_model("let rule = if \"a\" then po; rf else 0 acyclic rule | co as c"), {"a"});
    CHECK(std::any_of(model.nodes.begin(), model.nodes.end(), [](const Node& node) { return node.name == "rule"; }));
}

TEST_CASE("a family is open where readings decide, and nowhere else") {
    const ModelFamily ptx("ptx", {});
    std::set<std::string> names;
    for (const Reading& reading : ptx.by_default().readings) names.insert(reading.name);
    CHECK(open_variants(ptx.open()) == names);
    const ModelFamily one_on("ptx", {"fence-cta"});
    CHECK(open_variants(one_on.open()).count("fence-cta") == 0);
}
