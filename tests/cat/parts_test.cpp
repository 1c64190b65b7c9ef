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
        size_t idle = 0, asked = 0;
        std::vector<std::string> names;
        for (const ModelPart& part : parts_of(model)) {
            INFO(shipped.name << ": " << part.id);
            CHECK(part.span.end <= part.source->text.size());
            names.push_back(part.id);
            if (!turn.has(names.size())) continue;
            ++asked;
            idle += graph_text(without(model, part)) == whole ? 1 : 0;
        }
        CHECK(names.size() > 10);
        if (asked == names.size()) CHECK(idle * 2 < asked);  // of what prelude.cat holds, a model takes only some
        std::sort(names.begin(), names.end());
        CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    }
}
