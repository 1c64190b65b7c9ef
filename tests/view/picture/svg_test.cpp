// Pictures of small tests: what stands in them, where, and in which words.
#include "view/picture/svg.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/explain/exhibit.h"
#include "cat/readings.h"
#include "language/syntax/read.h"
#include "view/picture/faults.h"
#include "view/picture/sketch.h"

namespace litmus::picture {
namespace {

// Message passing, with this claim.
std::string passing(const std::string& claim) {
    return R"(test "mp"
.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 { st.relaxed.gpu.global.u32 [x], 1; st.relaxed.gpu.global.u32 [f], 1; }
thread P1 @ cta1 { ld.relaxed.gpu.global.u32 r0, [f]; ld.relaxed.gpu.global.u32 r1, [x]; }
)" + claim +
           "\n";
}

const std::string message = passing("exists (P1:r0 == 1 /\\ P1:r1 == 0)"), in_order = passing("exists (P1:r0 == 1 /\\ P1:r1 == 1)");

constexpr const char* copied = R"(test "copied"
.shared.cta0 .u32 s[4] = 0;
.global .u32 g[4] = {7, 7, 7, 7};
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [bar];
}
thread P1 @ cta0 {
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
  ld.weak.shared::cta.u32 r0, [s];
}
exists (P1:r0 == 7)
)";

constexpr const char* racy = R"(test "racy"
.global .u32 x = 0;
thread P0 @ cta0 { st.weak.global.u32 [x], 1; }
thread P1 @ cta0 { st.weak.global.u32 [x], 2; }
racefree
)";

// A test with what it can end with; the drawing is of what decides its verdict.
class Exhibit {
public:
    explicit Exhibit(const std::string& text)
        : family_("ptx", {}),
          model_(family_.under(family_.readings(""))),
          test_(parse_tests(make_source("t.litmus", text)).at(0)),
          program_(build_program(test_, {.blocked = true})),
          answer_(Solver().solve(program_, model_, {})) {}

    Drawing drawing() const { return exhibit(program_, model_, answer_, 0).value(); }
    Scene scene() const { return scene_of(drawing(), {}); }
    const Test& test() const { return test_; }

private:
    ModelFamily family_;
    const Model& model_;
    const Test test_;
    Program program_;
    Answer answer_;
};

size_t count(const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

const Link* link(const Scene& scene, std::string_view relation, const std::string& from, const std::string& to) {
    for (const Link& one : scene.links) {
        const auto& all = one.relations;
        if (std::find(all.begin(), all.end(), relation) != all.end() && one.from_event == from && one.to_event == to) return &one;
    }
    return nullptr;
}

std::vector<std::string> sources(const Scene& scene, Column::Kind kind) {
    std::vector<std::string> result;
    for (const Card& card : scene.cards)
        if (scene.columns[card.column].kind == kind) result.push_back(card.source);
    return result;
}

}  // namespace

TEST_CASE("the cycle of a weak outcome is strong, and nothing else is") {
    const Scene scene = Exhibit(message).scene();
    CHECK(scene.alarm == "weak");
    CHECK(std::count_if(scene.links.begin(), scene.links.end(), [](const Link& one) { return one.strong; }) == 4);
    REQUIRE(link(scene, "rf", "b", "c") != nullptr);
    CHECK(link(scene, "rf", "b", "c")->strong);
    REQUIRE(link(scene, "fr", "d", "a") != nullptr);
    CHECK(link(scene, "fr", "d", "a")->strong);
    CHECK(link(scene, "fr", "d", "a")->meanings == std::vector<std::string>{std::string(words_of("fr").meaning)});
    CHECK(link(scene, "fr", "d", "a")->sections == std::vector<std::string>{"8.9.7"});
}

TEST_CASE("an outcome that some interleaving has shows no cycle, and all its edges lead down") {
    const Exhibit exhibit(in_order);
    const Scene scene = exhibit.scene();
    CHECK(scene.caption.empty());
    const Layout layout = layout_of(scene);
    for (size_t l = 0; l < scene.links.size(); ++l) {
        CHECK_FALSE(scene.links[l].strong);
        CHECK(layout.links[l].curves.front().from.y <= layout.links[l].curves.back().to.y + 0.1);
    }
}

TEST_CASE("an asynchronous operation has a lane, and an mbarrier object one for its states") {
    const Scene scene = Exhibit(copied).scene();
    REQUIRE(scene.columns.size() == 4);
    CHECK(scene.columns[0].title == "P0");
    CHECK(scene.columns[1].title == "async proxy");
    CHECK(scene.columns[1].proxy == Proxy::async);
    CHECK(scene.columns[2].title == "bar");
    CHECK(scene.columns[3].title == "P1");
    CHECK(sources(scene, Column::Kind::operations) == std::vector<std::string>{"cp.async.bulk", "complete-tx"});
    CHECK(sources(scene, Column::Kind::mbarrier) == std::vector<std::string>{"phase 0", "phase 0", "phase 1"});
    std::vector<std::string> notes;
    for (const Card& card : scene.cards)
        if (card.kind == Card::Kind::state) notes.push_back(card.note);
    CHECK(notes == std::vector<std::string>{"pending 1 · tx 0", "pending 0 · tx 16", "pending 1 · tx 0"});
    // the arrival and the completion each bring about a state; the wait sees the last, which synchronizes with it
    CHECK(link(scene, "update", "b", "b") != nullptr);
    CHECK(link(scene, "update", "g", "g") != nullptr);
    CHECK(link(scene, "sees", "g", "h") != nullptr);
    CHECK(link(scene, "sync", "g", "h") == link(scene, "sees", "g", "h"));
    CHECK(link(scene, "iss", "c", "d") != nullptr);
}

TEST_CASE("a race joins its two accesses by a dashed edge") {
    const Exhibit exhibit(racy);
    const Scene scene = exhibit.scene();
    const Link* race = link(scene, "race", "a", "b");
    REQUIRE(race != nullptr);
    CHECK(race->strong);
    CHECK(race->missing);
    CHECK(race->label == "no order");
    CHECK(race->sections == std::vector<std::string>{"8.7.1"});
    CHECK(scene.alarm == "bad");
    CHECK(count(svg_picture(exhibit.drawing()), "class=\"card instruction marked\"") == 2);
}

TEST_CASE("threads of one scope stand together, in one frame") {
    const Scene scene = Exhibit(R"(test "apart"
.global .u32 x = 0;
thread P0 @ gpu0.cta0 { st.relaxed.sys.global.u32 [x], 1; }
thread P1 @ gpu1.cta1 { st.relaxed.sys.global.u32 [x], 2; }
thread P2 @ gpu0.cta0 { ld.relaxed.sys.global.u32 r0, [x]; }
exists (P2:r0 == 1)
)")
                            .scene();
    REQUIRE(scene.columns.size() == 3);
    CHECK(scene.columns[1].title == "P2");
    const Layout layout = layout_of(scene);
    CHECK(layout.frames.size() == 4);
    CHECK(faults(scene, layout).empty());
}

TEST_CASE("a thread that stays says where, and what a repair would put in stands at its place") {
    const Exhibit stuck(R"(test "stuck"
.global .u32 x = 0;
thread P0 @ cta0 { await ld.relaxed.gpu.global.u32 r0, [x] == 1; }
)");
    const Scene scene = stuck.scene();
    CHECK(scene.cards.back().source == "waits for ever");
    CHECK(scene.cards.back().marked);

    WhatIsMissing missing;
    missing.best.push_back({Fault::fence_missing, {1, 1}, "P1", 5, "P1 before line 5: put `fence.acquire.gpu`"});
    const Exhibit exhibit(message);
    PictureOptions options;
    options.missing = &missing;
    const Scene with = scene_of(exhibit.drawing(), options);
    const auto card = std::find_if(with.cards.begin(), with.cards.end(), [](const Card& one) { return one.kind == Card::Kind::missing; });
    REQUIRE(card != with.cards.end());
    CHECK(card->source == "fence missing");
    CHECK(card->note == "put fence.acquire.gpu");
    const Layout layout = layout_of(with);
    CHECK(faults(with, layout).empty());
    const auto y = [&](const std::string& letter) {
        for (size_t c = 0; c < with.cards.size(); ++c)
            if (!with.cards[c].rows.empty() && with.cards[c].rows[0][0].letter == letter) return layout.cards[c].box.y;
        return -1.0;
    };
    const double put = layout.cards[static_cast<size_t>(card - with.cards.begin())].box.y;
    CHECK(y("c") < put);
    CHECK(put < y("d"));
}

TEST_CASE("the text is well formed, whatever a test is called, and names every event and edge") {
    const std::string hostile = R"(test "<b>&\"'</svg><script>")" + std::string(message).substr(9);
    for (const std::string& text : {hostile, std::string(copied), std::string(racy)}) {
        const Exhibit exhibit(text);
        const std::string svg = svg_picture(exhibit.drawing());
        CHECK(xml_fault(svg).empty());
        CHECK(svg == svg_picture(exhibit.drawing()));
        CHECK(count(svg, "<svg") == 1);
        CHECK(count(svg, "<script") == 0);
        CHECK(count(svg, " id=") == 0);
        CHECK(count(svg, "url(") == 0);
        CHECK(count(svg, "http") == 1);  // the name space
        CHECK(faults(exhibit.scene(), layout_of(exhibit.scene())).empty());
    }
    const std::string svg = svg_picture(Exhibit(message).drawing());
    for (const char* part :
         {"role=\"graphics-document\"", "<title>mp: P1:r0=1; P1:r1=0;</title>", "<g class=\"event\" data-event=\"a\" data-line=\"4\">",
          "tabindex=\"0\" role=\"img\" aria-label=\"rf from b to c: reads from: ", "data-section=\"8.9.7\" data-from=\"b\" data-to=\"c\"",
          "reads from: a write"})
        CHECK_MESSAGE(svg.find(part) != std::string::npos, part);
    PictureOptions bare;
    bare.legend = bare.title = false;
    const std::string without = svg_picture(Exhibit(message).drawing(), bare);
    CHECK(count(without, "class=\"legend") == 0);
    CHECK(count(without, "class=\"title\"") == 0);
    CHECK(count(without, "<title>") == 1);
}

TEST_CASE("what is wrong with a text is found") {
    CHECK(xml_fault("<a><b/>x &amp; y</a>").empty());
    for (const char* wrong : {"<a>", "</a>", "<a></b>", "<a b=c/>", "<a b=\"<\"/>", "x & y", "<a b=\"&x;\"/>", "<>", "<a"})
        CHECK_MESSAGE(!xml_fault(wrong).empty(), wrong);
}

TEST_CASE("instructions are shortened where they are long, what they do last") {
    const Exhibit exhibit(copied);
    const Test& test = exhibit.test();
    const auto shown = [&](size_t thread, size_t instruction, size_t most) {
        return short_source(test, test.threads[thread].body[instruction], most);
    };
    CHECK(shown(0, 0, 80) == "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16");
    CHECK(shown(0, 0, 60) == "mbarrier.arrive.expect_tx.release.cta… _, [bar], 16");
    CHECK(shown(0, 0, 44) == "mbarrier.arrive.expect_tx… _, [bar], 16");
    CHECK(shown(0, 0, 32) == "mbarrier.arrive… _, [bar], 16");
    CHECK(shown(0, 0, 10) == "mbarrier.…");
    CHECK(shown(1, 0, 44) == "await mbarrier.try_wait… [bar], 0");
    CHECK(shown(1, 1, 44) == "ld.weak.shared::cta.u32 r0, [s]");
}

TEST_CASE("text is broken at spaces") {
    CHECK(wrapped("one two three", 7) == std::vector<std::string>{"one two", "three"});
    CHECK(wrapped("overlong is", 4) == std::vector<std::string>{"overlong", "is"});
    CHECK(wrapped("", 4) == std::vector<std::string>{""});
    CHECK(text_width("abc", 10) == doctest::Approx(18.3));
}

}  // namespace litmus::picture
