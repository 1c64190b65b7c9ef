// What the pages of tests and lessons say, of tests that are made by hand.
#include <doctest/doctest.h>

#include "view/page/lesson_page.h"
#include "view/page/test_page.h"

using namespace litmus;

namespace {

TestPage page_of(const std::string& name) {
    TestPage page;
    page.path = "tests/" + name + ".html";
    page.source = make_source(name + ".litmus", "test \"" + name + "\"\nthread P0 @ cta0 {\n}\n");
    page.bare = {{2, "thread P0 @ cta0 {"}, {3, "}"}};
    page.result.file = name + ".litmus";
    page.result.test = name;
    page.result.judgement.verdict = Verdict::ok;
    page.outcomes.push_back({{"P0:r0=0"}, Standing::allowed, false, {}, {}, {}, {}, {}});
    return page;
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

const Site site{{{"Tests", "index.html"}}, "a test", "laboratory.html"};

}  // namespace

TEST_CASE("a device on which nothing ran is not said to have run it, and what its compiler did is told") {
    TestPage page = page_of("t");
    page.devices = {{"NVIDIA H100 80GB HBM3", 0, 0, {"dropped a `ld`"}}, {"NVIDIA H200", 1000, 0}};
    page.outcomes.front().counts = {0, 10};
    const std::string made = test_page(site, page, Highlighter());
    CHECK(has(made, "Run on NVIDIA H200, 1000 times."));
    CHECK(has(made, "<b>H200</b> 1 % of 1000"));
    CHECK_FALSE(has(made, " 0 times"));
    CHECK_FALSE(has(made, "never in 0"));
    CHECK(has(made, "What the compiler moved, merged or dropped for NVIDIA H100 80GB HBM3"));
    page.devices.pop_back();
    page.outcomes.front().counts.pop_back();
    CHECK_FALSE(has(test_page(site, page, Highlighter()), "Run on"));
}

TEST_CASE("what the program does stands above what the test claims") {
    TestPage page = page_of("t");
    page.result.claim_text = "undefined";
    page.result.hazards = {{Hazard::Kind::undefined, "read of copy destination", {}, {}, {}}};
    const std::string made = test_page(site, page, Highlighter());
    const size_t program = made.find("<p class=\"program goes-wrong\" data-hide=\"guess\">The program <strong>can go wrong: undefined");
    const size_t verdict = made.find("<p class=\"verdict ok\" data-hide=\"guess\"><span class=\"label\">The test claims so</span>");
    CHECK(program < verdict);
    CHECK(verdict != std::string::npos);
}

TEST_CASE("an exercise says what is to be edited in which file, and leads to the laboratory") {
    const Lesson lesson = parse_lesson(make_source("01-message-passing.md", R"(# A

> What one learns.

{{test 01-a}}

## Question

{{predict 01-a}}

## Answer

{{outcomes 01-a}}

## Why

So it is.

## Exercise

Repair it.

{{exercise 01-a-broken 01-a-solved: change 1, move 2}}
)"));
    TestPage own = page_of("01-a");
    const TestPage broken = page_of("01-a-broken"), solved = page_of("01-a-solved");
    const auto about = [&](const std::string& file) {
        return file == "lessons/01-a.litmus" ? &own : file == "lessons/01-a-broken.litmus" ? &broken : &solved;
    };
    const LessonPage page{"lessons/01-a.html", &lesson, {}, {}, about, [](const std::string&) { return std::string(); }};
    const std::string made = lesson_page(site, page, Highlighter());
    const std::string exercise = made.substr(made.find("<h2>Exercise</h2>"));
    CHECK(has(exercise, "It can be done by changing one line and moving two."));
    CHECK(has(exercise, "<code>lessons/01-a-broken.litmus</code>"));
    CHECK(has(exercise, "<a href=\"../laboratory.html#source="));
    CHECK(has(exercise, ">Repair it in the laboratory</a>"));
    CHECK(has(made, "<p class=\"doc\">What one learns.</p>"));
    Site without = site;
    without.laboratory.clear();
    CHECK_FALSE(has(lesson_page(without, page, Highlighter()), "laboratory"));
    const std::string list = lessons_page(site, {lesson}, {{"1. A", page.path}});
    CHECK(has(
        list,
        "<li data-lesson=\"01-message-passing\"><a href=\"lessons/01-a.html\">A</a><span class=\"about\">What one learns.</span></li>"));

    // Of a test that never ends, outcomes are listed that cannot be: the question is whether it goes wrong.
    own.result.condition = "(true)";
    CHECK(has(lesson_page(site, page, Highlighter()), "<li data-can=\"yes\"><code>P0:r0=0</code>"));
    own.outcomes.front().standing = Standing::forbidden;
    own.hazards.resize(1);
    CHECK(has(lesson_page(site, page, Highlighter()), "<li data-can=\"yes\">It goes wrong: a thread waits for ever"));
}
