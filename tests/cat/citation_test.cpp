// What statements of a model cite, and the phrases of its names.
#include "cat/citation.h"

#include <doctest/doctest.h>

#include <map>

#include "cat/model.h"
#include "event/program.h"

namespace litmus {
namespace {

const char* const commented_model = R"("a model"

// ---- 8.9 Ordering ----

// A comment that cites nothing. It goes on.
let plain = po

// 8.10.6 Causality: no read
// precedes its write. More of it.
empty plain as causality
empty po as same-paragraph

// Numbers such as 9.1 inside a sentence count for nothing, (PTX 9.4) neither; but (9.7.13.4, 8.1) does.
let inside = rf
let below = co

let apart = rf
// ---- Heading without a number ----
let none = rf
)";

Citation of(const std::string& statement) {
    static const SourcePtr source = make_source("m.cat", commented_model);
    return Citations(*source).at(static_cast<uint32_t>(source->text.find(statement)));
}

TEST_CASE("a statement cites the section of its comment, or that of the heading above") {
    CHECK(of("\"a model\"").section.empty());
    CHECK(of("let plain").section == "8.9");
    CHECK(of("let plain").meaning == "A comment that cites nothing");
    CHECK(of("empty plain").section == "8.10.6");
    CHECK(of("empty plain").meaning == "Causality: no read precedes its write");
    CHECK(of("empty po").section == "8.10.6");
    CHECK(of("let inside").section == "9.7.13.4");
    CHECK(of("let below").section == "9.7.13.4");
    CHECK(of("let apart").section == "8.9");
    CHECK(of("let apart").meaning.empty());
    CHECK(of("let none").section.empty());
}

TEST_CASE("a file of many comments is read once") {
    std::string large;
    for (int i = 0; i < 100000; ++i) large += "// 8.1 line\n";
    const SourcePtr source = make_source("m.cat", large + "let x = po\n");
    CHECK(Citations(*source).at(static_cast<uint32_t>(large.size())).section == "8.1");
}

TEST_CASE("what today's PTX model has a phrase for cites a section, as its axioms do") {
    const Model model = load_model("ptx", {}, Reading::Base::strongest);
    size_t phrases = 0;
    for (const Node& node : model.nodes) {
        if (node.phrase.empty() || node.name == "fr") continue;
        ++phrases;
        CHECK_MESSAGE(!node.section.empty(), node.name);
    }
    CHECK(phrases > 15);
    for (const Constraint& axiom : model.constraints)
        if (!axiom.flag) CHECK_MESSAGE((!axiom.section.empty() && !axiom.meaning.empty()), axiom.name);
}

TEST_CASE("a plain race is one by 8.7.1, and not by what tensor memory has of its own") {
    const Model model = load_model("ptx", {}, Reading::Base::strongest);
    const auto race =
        std::find_if(model.constraints.begin(), model.constraints.end(), [](const Constraint& c) { return c.name == "data-race"; });
    REQUIRE(race != model.constraints.end());
    CHECK(race->section == "8.7.1");
    CHECK(race->meaning == "Two accesses to a location, one of them a write, that are neither morally strong nor ordered by causality");
}

TEST_CASE("the shipped models have the same phrases for the same names") {
    std::map<std::string, std::string> phrases;
    for (const ShippedModel& shipped : shipped_models())
        for (const Node& node : load_model(std::string(shipped.name), {}, Reading::Base::strongest).nodes) {
            if (node.phrase.empty()) continue;
            CHECK_MESSAGE(phrases.emplace(node.name, node.phrase).first->second == node.phrase, shipped.name, ": ", node.name);
        }
    CHECK(phrases.count("sync") == 1);
}

TEST_CASE("every base relation has a phrase about A, or A and B") {
    for (const BaseName& base : base_names()) {
        if (base.is_set) continue;
        CHECK_MESSAGE(base.phrase.find('A') != std::string_view::npos, base.name);
    }
}

TEST_CASE("a phrase follows the name that it is about") {
    const Model model = parse_model(make_source("m.cat", "\"m\"\nlet far \"A is far from B\" = po; rf\nempty far as a\n"), {});
    CHECK(model.nodes[model.constraints[0].node].phrase == "A is far from B");
    CHECK_THROWS_AS(parse_model(make_source("m.cat", "\"m\"\nlet far \"is far from\" = po\nempty far as a\n"), {}), Failure);
}

}  // namespace
}  // namespace litmus
