// What the parts of a model are, and what is left without each.
#include "cat/parts.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cat/fold.h"
#include "turn.h"

using namespace litmus;

namespace {

Model open(const std::string& text) {
    return parse_open_model(make_source("<test>", "\"test\"\n" + text));
}

// By part, in the order of the text, the model without it.
std::vector<std::string> texts_without(const std::string& text) {
    const Model model = open(text);
    std::vector<std::string> result;
    for (const ModelPart& part : parts_of(model)) result.push_back(graph_text(without(model, part)));
    return result;
}

std::vector<std::string> graphs(const std::vector<std::string>& texts) {
    std::vector<std::string> result;
    for (const std::string& text : texts) result.push_back(graph_text(open(text)));
    return result;
}

// A model with open parts without the one.
Model chosen(const Model& opened, const ModelPart& part) {
    const Model model = folded(opened, {nullptr, [&](std::string_view variant) -> std::optional<bool> {
                                            if (variant.front() != '"') return std::nullopt;
                                            return variant == variant_of(part);
                                        }});
    if (part.kind != ModelPart::Kind::axiom && part.kind != ModelPart::Kind::flag) return model;
    return restricted(model, [&](const Constraint& c) { return c.name != part.within; });
}

std::vector<std::string> ids(const std::string& text) {
    std::vector<std::string> result;
    for (const ModelPart& part : parts_of(open(text))) result.push_back(part.id);
    return result;
}

}  // namespace

TEST_CASE("each member, conjunct, exception, step and closure is a part") {
    CHECK(texts_without("empty rf | co | fr as a") == graphs({"", "empty co | fr as a", "empty rf | fr as a", "empty rf | co as a"}));
    CHECK(texts_without("empty rf | (co | fr) as a") == graphs({"", "empty co | fr as a", "empty rf | fr as a", "empty rf | co as a"}));
    CHECK(texts_without("empty rf & ext as a") == graphs({"", "empty ext as a", "empty rf as a"}));
    CHECK(texts_without("empty rf \\ ext as a") == graphs({"", "empty rf as a"}));
    CHECK(texts_without("empty [W]; rf; po as a") == graphs({"", "empty rf; po as a", "empty [W]; po as a", "empty [W]; rf as a"}));
    CHECK(texts_without("acyclic rf? as a") == graphs({"", "acyclic rf as a"}));
    CHECK(texts_without("empty rf+ as a") == graphs({"", "empty rf as a"}));
    CHECK(texts_without("empty rf* as a") == graphs({"", "empty rf+ as a", "empty rf? as a"}));
}

TEST_CASE("an axiom, a flag, a reading; and what a reading replaces") {
    const std::string text = "reading \"r\" strongest \"meaning\"\nempty if \"r\" then rf else co as a\nflag ~empty fr as f";
    const std::string head = "reading \"r\" strongest \"meaning\"\n";
    CHECK(ids(text) == std::vector<std::string>{"r: reading", "a: axiom", "a: alternative co", "f: flag"});
    CHECK(texts_without(text) ==
          graphs({"empty co as a\nflag ~empty fr as f", "flag ~empty fr as f",
                  head + "empty if \"r\" then rf else 0 as a\nflag ~empty fr as f", head + "empty if \"r\" then rf else co as a"}));
}

TEST_CASE("a part of a function is deleted in all its calls, and one of a definition wherever it is used") {
    const std::string text = "let f(x) = x; po\nempty f(rf) | f(co) as a";
    const std::vector<std::string> parts = ids(text);
    const auto po = static_cast<size_t>(std::find(parts.begin(), parts.end(), "f: step po") - parts.begin());
    REQUIRE(po < parts.size());
    CHECK(texts_without(text)[po] == graphs({"empty rf | co as a"}).front());
}

TEST_CASE("equal parts of one definition have different names") {
    CHECK(ids("let t = po; rf; po\nempty t as a") == std::vector<std::string>{"t: step po", "t: step rf", "t: step po #2", "a: axiom"});
}

TEST_CASE("every part of the shipped models can be deleted, and stands where it says") {
    const Turn turn = turn_in_brief();
    for (const ShippedModel& shipped : shipped_models()) {
        const Model model = load_open_model(std::string(shipped.name));
        const std::string whole = graph_text(model);
        const Model opened = with_open_parts(model, parts_of(model));
        size_t idle = 0, asked = 0;
        std::vector<std::string> names;
        for (const ModelPart& part : parts_of(model)) {
            INFO(shipped.name << ": " << part.id);
            CHECK(part.span.end <= part.source->text.size());
            names.push_back(part.id);
            if (!turn.has(names.size())) continue;
            ++asked;
            const Model deleted = without(model, part);
            idle += graph_text(deleted) == whole ? 1 : 0;
            CHECK(graph_text(chosen(opened, part)) == graph_text(folded(deleted, {})));
        }
        CHECK(names.size() > 10);
        if (asked == names.size()) CHECK(idle * 2 < asked);  // of what prelude.cat holds, a model takes only some
        std::sort(names.begin(), names.end());
        CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    }
}

TEST_CASE("a model with open parts is the one without the part under its variant, and the whole one under none") {
    for (const std::string text :
         {"empty rf | co | fr as a", "empty [W]; rf; po as a", "empty rf* as a", "let f(x) = x; po\nempty f(rf) | f(co) as a",
          "let rec x = rf | (x; co)\nempty x as a\nflag ~empty co as b",
          "reading \"r\" strongest \"meaning\"\nempty if \"r\" then rf else (if \"r\" then co else fr) as a"}) {
        INFO(text);
        const Model model = open(text);
        const std::vector<ModelPart> parts = parts_of(model);
        const Model opened = with_open_parts(model, parts);
        for (const ModelPart& part : parts) CHECK(graph_text(chosen(opened, part)) == graph_text(folded(without(model, part), {})));
        CHECK(graph_text(chosen(opened, ModelPart())) == graph_text(folded(model, {})));
    }
}

TEST_CASE("an axiom or a flag whose variant is on holds of every execution, or of none") {
    const auto graph = [](const std::string& text, const std::string& part) {
        const Model model = open(text);
        for (const ModelPart& p : parts_of(model))
            if (p.id == part) return graph_text(folded(with_open_parts(model, {p}), {nullptr, [](std::string_view) { return true; }}));
        return std::string();
    };
    CHECK(graph("acyclic rf as a", "a: axiom") == graph_text(open("acyclic 0 as a")));
    CHECK(graph("flag ~empty rf as a", "a: flag") == graph_text(open("flag ~empty 0 as a")));
    CHECK(graph("~empty rf as a", "a: axiom") == graph_text(open("~empty ~0 as a")));
    CHECK(graph("flag empty rf as a", "a: flag") == graph_text(open("flag empty ~0 as a")));
}

TEST_CASE("a long union is opened in no time") {
    std::string text = "empty rf";
    for (int i = 0; i < 40; ++i) text += i % 2 == 0 ? " | (rf; co)" : " | (co; rf)";
    const Model model = open(text + " as a");
    CHECK(with_open_parts(model, parts_of(model)).nodes.size() > 40);
}
