// The index of a large library stays small, and the rates of the pages say what they should.
#include "view/page/index_page.h"

#include <doctest/doctest.h>

namespace litmus {

TEST_CASE("the index of 1,500 tests is below 2 MB") {
    IndexPage index;
    for (size_t i = 0; i < 1500; ++i) {
        const std::string name = "a-name-of-usual-length-" + std::to_string(i);
        const std::string topic = "async/topic-" + std::to_string(i / 30);
        index.rows.push_back({{name, "tests/" + topic + "/" + name + ".html"},
                              topic,
                              std::string(150, 'd'),
                              "can-happen",
                              "ok",
                              true,
                              true,
                              {"st", "ld", "fence", "mbarrier.try_wait", "cp.async.bulk"}});
    }
    const std::string page = index_page({{{"Tests", "index.html"}}, "a test"}, index);
    CHECK(page.size() < 2'000'000);
    CHECK(page.find("a-name-of-usual-length-1499") != std::string::npos);
}

TEST_CASE("a row says what its program does, and its claim only where that fails") {
    IndexPage index;
    index.first_lesson = Link{"Message passing", "lessons/01-message-passing.html"};
    index.rows.push_back({{"bug", "tests/bug.html"}, "topic", "", "goes-wrong", "ok", true, false, {}});
    index.rows.push_back({{"wrong", "tests/wrong.html"}, "topic", "", "can-happen", "no", false, false, {}});
    index.rows.push_back({{"broken", "tests/broken.html"}, "topic", "", "error", "error", false, false, {}});
    const std::string page = index_page({{{"Tests", "index.html"}}, "a test"}, index);
    const auto has = [&](std::string_view part) { return page.find(part) != std::string::npos; };
    CHECK(has("<span class=\"v goes-wrong\">goes wrong*</span>"));
    CHECK(has("<li data-p=\"can-happen\" data-v=\"no\""));
    CHECK(has("<span class=\"v can-happen\">can happen <em>claim: no</em></span>"));
    CHECK(has("<span class=\"v error\">error</span>"));
    CHECK(has("<option value=\"goes-wrong\">goes wrong</option>"));
    CHECK(has("New here? Start with <a href=\"lessons/01-message-passing.html\">lesson 1: Message passing</a>."));
}

TEST_CASE("lines of CUDA are on the index where tests have their PTX") {
    IndexPage index;
    index.rows.push_back({{"one", "tests/one.html"}, "topic", "", "safe", "ok", false, false, {"bar.sync", "ld"}});
    const std::string page = index_page({{{"Tests", "index.html"}}, "a test"}, index);
    CHECK(page.find("<code>__syncthreads()</code> <code class=\"ptx\">bar.sync 0</code>") != std::string::npos);
    CHECK(page.find("<a href=\"#instruction=bar.sync\">tests with bar.sync</a>") != std::string::npos);
    CHECK(page.find("data-n=\"__syncthreads\"") != std::string::npos);  // by which the search finds it
    CHECK(page.find("__threadfence") == std::string::npos);
}

TEST_CASE("counts and rates") {
    CHECK(short_device("NVIDIA H100 80GB HBM3") == "H100");
    CHECK(short_device("NVIDIA H200") == "H200");
    CHECK(count_text(4711) == "4711");
    CHECK(count_text(12'000'000'000) == "1.2e10");
    CHECK(rate_text(0, 12'000'000'000) == "never in 1.2e10");
    CHECK(rate_text(600'000'000, 12'000'000'000) == "5 % of 1.2e10");
    CHECK(rate_text(17, 12'000'000'000) == "17 of 1.2e10");
    CHECK(rate_text(12'000'000'000, 12'000'000'000) == "100 % of 1.2e10");
    CHECK(rate_text(11'999'999'999, 12'000'000'000) == "> 99.9 % of 1.2e10");
}

TEST_CASE("a way from page to page") {
    CHECK(relative_to("index.html", "tests/a/b.html") == "tests/a/b.html");
    CHECK(relative_to("tests/a/b.html", "style.css") == "../../style.css");
    CHECK(relative_to("tests/a/b.html", "tests/a/c.html") == "c.html");
}

TEST_CASE("colours: tokens of the grammar, over several lines where they go on") {
    const Highlighter highlighter;
    const auto lines = highlighter.lines("/* a\nb */ st.weak [x], 1; // <end>\n");
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "<span class=\"comment\">/* a</span>");
    CHECK(lines[1].rfind("<span class=\"comment\">b */</span> <span class=\"instruction\">st</span>", 0) == 0);
    CHECK(lines[1].find("<span class=\"comment\">// &lt;end&gt;</span>") != std::string::npos);
    CHECK(lines[1].find("<span class=\"literal\">1</span>") != std::string::npos);
}

}  // namespace litmus
