// Every reading of the shipped model is an argument: what speaks for it, what against it, and what a program does to be right either way;
// and the page shows all of it.
#include "view/page/readings_page.h"

#include <doctest/doctest.h>

#include <set>

#include "cat/readings.h"

namespace litmus {

namespace {

bool shows(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string page_with(const PageReading& reading) {
    return readings_page({{{"Readings", "readings.html"}}, "a test"}, {reading}, Highlighter());
}

ReadingExample example_test(const std::string& name, const std::string& outcome) {
    ReadingExample made{{name, "tests/" + name + ".html"}, {}, outcome};
    made.test.source = make_source(name, "test \"" + name + "\"\nthread P0 @ cta0 {\n}\nexists (x == 0)\n");
    made.test.bare = {{2, "thread P0 @ cta0 {"}, {3, "}"}};
    return made;
}

const Reading small_reading{"a", Reading::Base::strongest, "a meaning", {"H100", "by ptxas 13.0"}, {"one `side`", "the other", "a way out"},
                            {}};

}  // namespace

TEST_CASE("each reading has two sides and a way to be right on both, and cites the ISA") {
    const Model ptx = load_model("ptx", {});
    REQUIRE(ptx.readings.size() > 30);
    std::set<std::string> texts;
    for (const Reading& reading : ptx.readings) {
        INFO(reading.name);
        const Reading::Argument& argument = reading.argument;
        for (const std::string* text : {&argument.in_favour, &argument.against, &argument.safe}) {
            CHECK(text->size() > 20);
            CHECK((!text->empty() && text->back() == '.'));
            texts.insert(*text);
        }
        CHECK(shows(argument.in_favour + argument.against, "ISA "));
    }
    CHECK(texts.size() > 2 * ptx.readings.size());
}

TEST_CASE("the page of a reading has every part of the argument") {
    PageReading reading;
    reading.reading = small_reading;
    reading.tests = {{"tiny", "tests/tiny.html"}};
    reading.smallest = example_test("tiny", "P0:r0=1");
    reading.safe = example_test("mended", "");
    reading.devices.push_back({"NVIDIA H200", Evidence::Verdict::refuted, 1, 500, {{{"tiny", "tests/tiny.html"}, "P0:r0=1", 17}}});
    reading.compilers = {400, 100, 7, {{{"tiny", "tests/tiny.html"}, "ptxas 13.0.88: a `ld` is dropped"}}};
    const std::string page = page_with(reading);
    for (const char* heading : {"For it", "Against it", "The smallest test", "What GPUs did", "What compilers did", "Right either way"}) {
        INFO(heading);
        CHECK(shows(page, std::string("<h3>") + heading + "</h3>"));
    }
    CHECK(shows(page, "one <code>side</code>"));
    CHECK(shows(page, "Without the reading it can end with <code>P0:r0=1</code>. With it, it cannot."));
    CHECK(shows(page, "<b>H200</b>: <strong>refuted</strong> by 1 test that could tell, 500 runs"));
    CHECK(shows(page, "In 400 runs every instruction stood in its place; in 100 something had been moved, merged or dropped; of 7"));
    CHECK(shows(page, "ptxas 13.0.88: a <code>ld</code> is dropped"));
    CHECK(shows(page, "The model says: refuted on H100; refuted by ptxas 13.0."));
    CHECK(shows(page, "tests/mended.html"));
    CHECK_FALSE(shows(page, "exists (x == 0)"));  // the claim
}

TEST_CASE("what a reading changes: an outcome, what is defined, or a race") {
    PageReading reading;
    reading.reading = small_reading;
    CHECK(shows(page_with(reading), "No test of this report tells it."));
    CHECK(shows(page_with(reading), "Of no run of such a test is it known what the compiler made of it."));
    reading.smallest = example_test("tiny", "");
    CHECK(shows(page_with(reading), "What changes is the verdict"));
    reading.smallest->undefined = true;
    CHECK(shows(page_with(reading), "Without the reading its behaviour is undefined."));
}

}  // namespace litmus
