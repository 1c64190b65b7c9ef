// What an editor is told of a text.
#include "view/serve/service.h"

#include <doctest/doctest.h>

#include "contents.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;

const std::string passing = R"(test "mp"

.global .u32 x = 0;
.global .u32 f = 0;

thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
  st.release.gpu.global.u32 [f], 1;
}
thread P1 @ cta1 {
again:
  ld.SEM.gpu.global.u32 r0, [f];
  ld.weak.global.u32 r1, [x];
}

~exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

Document document(const std::string& sem, const std::string& uri = "file:///mp.litmus") {
    std::string text = passing;
    text.replace(text.find("SEM"), 3, sem);
    return {uri, text, 1};
}

LanguageService& service() {
    static LanguageService one{ServiceOptions{}};
    return one;
}

Json place(const Document& document, const std::string& word, size_t further = 0) {
    return TextPositions(document.text, false).at(document.text.find(word) + further);
}

std::string stretch(const Document& document, const Json& range) {
    const TextPositions positions(document.text, false);
    const size_t begin = positions.byte(range.at("start")), end = positions.byte(range.at("end"));
    return document.text.substr(begin, end - begin);
}

std::string with(const Document& document, const Json& edit) {
    const TextPositions positions(document.text, false);
    const size_t begin = positions.byte(edit.at("range").at("start")), end = positions.byte(edit.at("range").at("end"));
    return document.text.substr(0, begin) + edit.at("newText").get<std::string>() + document.text.substr(end);
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a claim that fails is told where it stands, a mistake with its hint, and a test that is right is left alone") {
    const Document wrong = document("relaxed");
    const Json found = service().diagnostics(wrong);
    REQUIRE(found.size() == 1);
    CHECK(found[0].at("code") == "no");
    CHECK(found[0].at("severity") == 1);
    CHECK(stretch(wrong, found[0].at("range")) == "~exists (P1:r0 == 1 /\\ P1:r1 == 0)");
    CHECK(service().diagnostics(document("acquire")).empty());
    const Document no_form = document("releas");
    const Json mistakes = service().diagnostics(no_form);
    REQUIRE(mistakes.size() == 1);
    CHECK(has(mistakes[0].at("message"), "hint: "));
    CHECK(has(stretch(no_form, mistakes[0].at("range")), "releas"));
    Document racing = document("relaxed");
    racing.text.replace(racing.text.find("~exists"), std::string::npos, "racefree\n");
    const Json race = service().diagnostics(racing);
    REQUIRE(race.size() == 1);
    CHECK(race[0].at("code") == "no");
    CHECK(stretch(racing, race[0].at("range")) == "racefree");
    const Json& related = race[0].at("relatedInformation");
    REQUIRE(related.size() == 2);
    CHECK(stretch(racing, related[0].at("location").at("range")) == "st.weak.global.u32 [x], 1");
    CHECK(stretch(racing, related[1].at("location").at("range")) == "ld.weak.global.u32 r1, [x]");
}

TEST_CASE("a model is read, too") {
    Document model{"file:///m.cat", "\"m\"\nacyclic po | nothing\n", 1};
    const Json found = service().diagnostics(model);
    REQUIRE(found.size() == 1);
    CHECK(stretch(model, found[0].at("range")) == "nothing");
    model.text = "\"m\"\nacyclic po\n";
    CHECK(service().diagnostics(model).empty());
}

TEST_CASE("an instruction is said with its section and with what it is needed for; a claim with its outcomes") {
    const Document good = document("acquire");
    const auto text = [&](const std::string& word) -> std::string {
        return service().hover(good, place(good, word)).at("contents").at("value");
    };
    CHECK(has(text("st.release"), "ISA 9.7.9.11"));
    CHECK(has(text("st.release"), "Without it: "));
    CHECK(has(text("ld.acquire"), "acquire-missing"));
    CHECK_FALSE(has(text("st.weak"), "*Here.*"));
    CHECK(has(text("~exists"), "P1:r0=0; P1:r1=1;"));
    CHECK(service().hover(good, place(good, "thread P0")).is_null());
    const Document wrong = document("acquire, releas");  // no test: the server tells it by its diagnostics
    CHECK_THROWS_AS(service().hover(wrong, place(wrong, "st.rel")), Failure);
}

TEST_CASE("names of instructions are completed as far as their next part") {
    const Document typed = document("acquire");
    const auto labels = [&](const std::string& word, size_t further) {
        std::set<std::string> found;
        const Json list = service().completion(typed, place(typed, word, further));
        for (const Json& item : list.at("items")) found.insert(item.at("label"));
        return found;
    };
    CHECK(labels("ld.acquire", 1).count("ld") == 1);
    CHECK(labels("ld.acquire", 3).count("ld.acquire") == 1);
    CHECK(labels("ld.acquire", 3).count("ld.volatile") == 1);
    CHECK(labels("ld.acquire", 4).count("ld.volatile") == 0);
    CHECK(labels("ld.acquire.gpu", 11).count("ld.acquire.cluster") == 1);
    CHECK(labels("[f]", 1).count("x") == 1);
}

TEST_CASE("in a condition registers of the thread are completed, else locations and threads; in a thread's place its parts") {
    Document typed{"file:///t.litmus",
                   "test \"s\"\n.global .u32 x = 0;\nthread P0 @ cta0 { ld.relaxed.gpu.global.u32 r7, [x]; }\n"
                   "thread P1 @ gpu1.cta1 {\n  mov.u32 r5, 1;\n  ld.relaxed.gpu.global.u32 r0, [x];\n}\nexists (P1:r == 0)\n",
                   1};
    const auto completed = [&](const std::string& word, size_t further, const std::string& replaced) {
        std::set<std::string> found;
        const Json list = service().completion(typed, place(typed, word, further));
        for (const Json& item : list.at("items")) {
            CHECK(stretch(typed, item.at("textEdit").at("range")) == replaced);
            found.insert(item.at("label"));
        }
        return found;
    };
    using Names = std::set<std::string>;
    CHECK(completed("P1:r ", 4, "r") == Names{"r0", "r5"});
    CHECK(completed("P1:r ", 3, "") == Names{"r0", "r5"});
    CHECK(completed("P1:r ", 1, "P") == Names{"P0", "P1", "x"});
    CHECK(completed("@ cta0", 3, "c") == Names{"gpu", "grid", "cluster", "cta", "warp", "lane"});
    CHECK(completed("gpu1.cta1", 6, "c") == Names{"grid", "cluster", "cta", "warp", "lane"});
    typed.text.replace(typed.text.find("P1:r =="), std::string::npos, "P0:");  // as it is typed: no condition, and no end
    CHECK(completed("P0:", 3, "") == Names{"r7"});
    CHECK(completed("mov.u32", 3, "mov").count("mov") == 1);
}

TEST_CASE("a register in a condition is declared in the thread that is named with it") {
    Document two{"file:///t.litmus",
                 "test \"d\"\n.global .u32 x = 0;\n.global .u32 f = 0;\nthread P0 @ cta0 {\n  ld.relaxed.gpu.global.u32 r0, [f];\n}\n"
                 "thread P1 @ cta1 {\n  ld.relaxed.gpu.global.u32 r0, [x];\n}\nthread W[2] @ cta2 {\n  mov.u32 r0, %i;\n}\n"
                 "exists (P1:r0 == 1 /\\ P0:r0 == 1 /\\ W.1:r0 == 1)\n",
                 1};
    const auto declared = [&](const std::string& word, size_t further) {
        return stretch(two, service().definition(two, place(two, word, further)).at("range"));
    };
    CHECK(has(declared("P1:r0", 4), "[x]"));
    CHECK(has(declared("P0:r0", 4), "[f]"));
    CHECK(has(declared("W.1:r0", 5), "mov"));
    CHECK(declared("P1:r0", 1) == "P1");
}

TEST_CASE("where a name is declared, and what a test consists of") {
    const Document good = document("acquire");
    const auto declared = [&](const std::string& word, size_t further) {
        return stretch(good, service().definition(good, place(good, word, further)).at("range"));
    };
    CHECK(declared("[f], 1", 1) == "f");
    CHECK(declared("P1:r0", 0) == "P1");
    CHECK(has(declared("r1 == 0", 0), "ld.weak"));
    CHECK(service().definition(good, place(good, "weak", 0)).is_null());
    const Json symbols = service().symbols(good);
    REQUIRE(symbols.size() == 1);
    CHECK(symbols[0].at("name") == "mp");
    REQUIRE(symbols[0].at("children").size() == 4);
    CHECK(symbols[0].at("children")[3].at("name") == "P1");
    CHECK(symbols[0].at("children")[3].at("children")[0].at("name") == "again");
}

TEST_CASE("the canonical form is one edit, and a comment stops it") {
    Document good = document("acquire");
    CHECK(service().formatting(good).empty());
    good.text.replace(good.text.find("  st.weak"), 2, "\t   ");
    const Json edits = service().formatting(good);
    REQUIRE(edits.size() == 1);
    CHECK(stretch(good, edits[0].at("range")) == "\t   st.weak.global.u32 [x], 1;\n");
    CHECK(with(good, edits[0]) == document("acquire").text);
    good.text.insert(good.text.find("thread"), "// mine\n");
    CHECK_THROWS_WITH_AS(service().formatting(good), doctest::Contains("comment"), Unformatted);
    const Document none = document("acquire, releas");
    CHECK_THROWS_AS(service().formatting(none), Failure);
}

TEST_CASE("repairs are edits that repair, and what is not needed can go") {
    const Document wrong = document("relaxed");
    const Json whole = TextPositions(wrong.text, false).range(0, wrong.text.size());
    const Json actions = service().actions(wrong, whole);
    REQUIRE(actions.size() >= 2);
    CHECK(actions[0].at("isPreferred") == true);
    for (const Json& action : actions) {
        CHECK(action.at("kind") == "quickfix");
        const Document repaired{wrong.uri, with(wrong, action.at("edit").at("changes").at(wrong.uri)[0]), 2};
        INFO(repaired.text);
        CHECK(service().diagnostics(repaired).empty());
    }
    Document more = document("acquire");
    more.text.insert(more.text.find("  ld.weak"), "  fence.sc.gpu;\n");
    const Json place_of_fence = place(more, "fence.sc");
    const Json less = service().actions(more, {{"start", place_of_fence}, {"end", place_of_fence}});
    REQUIRE(less.size() == 1);
    CHECK(less[0].at("kind") == "refactor.rewrite");
    CHECK(with(more, less[0].at("edit").at("changes").at(more.uri)[0]) == document("acquire").text);
}

TEST_CASE("above the claim stands what the test comes to") {
    const Document wrong = document("relaxed");
    const Json lenses = service().lenses(wrong);
    REQUIRE(lenses.size() == 1);
    CHECK(lenses[0].at("command").at("title") == "No, 4 outcomes, 1 as the condition says");
    CHECK(lenses[0].at("command").at("arguments") == Json({wrong.uri, 0}));
    CHECK(has(service().report(wrong, 0U), "Positive: 1 Negative: 3"));
    for (const Json& number : {Json(1U), Json(-1), Json("0"), Json()}) {
        INFO(number.dump());
        CHECK_THROWS_AS(service().report(wrong, number), std::invalid_argument);
    }
}

}  // namespace litmus
