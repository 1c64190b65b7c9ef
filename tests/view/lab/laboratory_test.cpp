// What the engine of the laboratory answers. tests/view/lab/compare.mjs holds its results against those of the command line.
#include "view/lab/laboratory.h"

#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/source.h"

using namespace litmus;
using Json = nlohmann::json;

namespace {

std::string text_of(const std::string& test) {
    return read_source(LITMUS_SOURCE_DIR "/litmus/" + test + ".litmus")->text;
}

Json ask(Laboratory& laboratory, const Json& request) {
    return Json::parse(laboratory.answer(request.dump()));
}

Json checked(Laboratory& laboratory, const std::string& text) {
    return ask(laboratory, {{"ask", "check"}, {"text", text}});
}

std::vector<std::string> texts(const Json& list) {
    std::vector<std::string> result;
    for (const Json& one : list) result.push_back(one.at("text"));
    return result;
}

// The events in the order of the steps: "a c b d".
std::string order(const Json& shown) {
    std::string text;
    for (const Json& step : shown.at("steps")) text += (text.empty() ? "" : " ") + step.at("event").get<std::string>();
    return text;
}

size_t notes(const Json& shown) {
    size_t count = 0;
    for (const Json& step : shown.at("steps")) count += step.at("notes").size();
    return count;
}

const char* const two_threads = R"(test "t"
.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 {
  FIRST0
  SECOND0
}
thread P1 @ cta1 {
  FIRST1
  SECOND1
}
exists (P0:r0 == WANTED0 /\ P1:r0 == WANTED1)
)";

// The execution of a test that ends as it asks, of two threads with two instructions each.
Json execution(const std::array<std::string, 4>& instructions, const char* wanted0, const char* wanted1) {
    std::string text = two_threads;
    const auto put = [&](const std::string& name, const std::string& what) { text.replace(text.find(name), name.size(), what); };
    put("FIRST0", instructions[0]);
    put("SECOND0", instructions[1]);
    put("FIRST1", instructions[2]);
    put("SECOND1", instructions[3]);
    put("WANTED0", wanted0);
    put("WANTED1", wanted1);
    Laboratory laboratory;
    const Json answer = checked(laboratory, text);
    REQUIRE(answer.at("result").at("verdict") == "ok");
    return ask(laboratory, {{"ask", "show"}});
}

const std::string write_x = "st.relaxed.gpu.u32 [x], 1;", write_y = "st.relaxed.gpu.u32 [y], 1;", read_x = "ld.relaxed.gpu.u32 r0, [x];",
                  read_y = "ld.relaxed.gpu.u32 r0, [y];";

}  // namespace

TEST_CASE("a test is checked, and its ends stand beside those that cannot be") {
    Laboratory laboratory;
    const Json answer = checked(laboratory, text_of("lessons/01-message-passing-ordered"));
    CHECK(answer.at("tests") == Json::array({"lesson-01-message-passing-ordered"}));
    CHECK(answer.at("result").at("verdict") == "ok");
    CHECK(answer.at("result").at("solver") == "cdcl");
    CHECK(answer.at("outcomes").size() == 3);
    const Json all = ask(laboratory, {{"ask", "conceivable"}, {"most", 64}});
    CHECK(texts(all.at("outcomes")) ==
          std::vector<std::string>{"P1:r0=0; P1:r1=0;", "P1:r0=0; P1:r1=1;", "P1:r0=1; P1:r1=0;", "P1:r0=1; P1:r1=1;"});
    CHECK(all.at("complete") == true);
    CHECK(all.at("outcomes").at(2).at("allowed") == false);
    CHECK(ask(laboratory, {{"ask", "conceivable"}, {"most", 2}}).at("complete") == false);
}

TEST_CASE("why an end cannot be") {
    Laboratory laboratory;
    checked(laboratory, text_of("lessons/01-message-passing-ordered"));
    const Json answer = ask(laboratory, {{"ask", "explain"}, {"outcome", "P1:r0=1; P1:r1=0;"}});
    CHECK(answer.at("answer") == "forbidden");
    CHECK(answer.at("cases").at(0).at("ways").at(0).at("axiom") == "causality");
    CHECK(answer.at("svg").get<std::string>().rfind("<svg", 0) == 0);
    CHECK(answer.at("steps").size() >= 4);
}

TEST_CASE("errors have their places, and carets") {
    Laboratory laboratory;
    const Json answer = checked(laboratory, "test \"t\"\nthread P0 @ cta0 {\n  ld.relaxd.gpu.u32 r0, [x];\n}\n");
    CHECK(!answer.contains("result"));
    const Json& first = answer.at("diagnostics").at(0);
    CHECK(first.at("level") == "error");
    CHECK(first.at("line") == 3);
    CHECK(first.at("column") == 6);
    CHECK(first.at("rendered").get<std::string>().find("^") != std::string::npos);
    CHECK(checked(laboratory, "").at("diagnostics").size() == 1);
}

TEST_CASE("whatever goes wrong is an answer") {
    Laboratory laboratory;
    CHECK(Json::parse(laboratory.answer("no JSON")).contains("error"));
    CHECK(ask(laboratory, {{"ask", "show"}}).at("error") == "no test was checked");
    CHECK(ask(laboratory, {{"ask", "sing"}}).contains("error"));
    checked(laboratory, text_of("lessons/01-message-passing"));
    CHECK(ask(laboratory, {{"ask", "show"}, {"hazard", 7}}).contains("error"));
    CHECK(ask(laboratory, {{"ask", "explain"}, {"outcome", "P9:r0=1"}}).at("diagnostics").size() == 1);
    CHECK(ask(laboratory, {{"ask", "check"}, {"text", text_of("lessons/01-message-passing")}, {"reading", "no-such"}})
              .at("diagnostics")
              .size() == 1);
    // it was not the last word: the next question is answered
    CHECK(checked(laboratory, text_of("lessons/01-message-passing")).at("result").at("verdict") == "ok");
}

TEST_CASE("time and memory are bounded") {
    Laboratory laboratory;
    const std::string text = text_of("async/pipelines/p1-expect-after-copy");
    const Json slow = ask(laboratory, {{"ask", "check"}, {"text", text}, {"seconds", 0.001}});
    CHECK((slow.contains("too_large") || slow.at("result").at("partial") == true));
    const Json large = ask(laboratory, {{"ask", "check"}, {"text", text_of("async/pipelines/p4-cluster-reductions")}, {"megabytes", 1}});
    CHECK((large.contains("too_large") || large.at("result").at("partial") == true));
}

TEST_CASE("readings are switched") {
    Laboratory laboratory;
    CHECK(ask(laboratory, {{"ask", "readings"}}).at("readings").size() > 5);
    const std::string text = text_of("readings/fence-cta");
    CHECK(checked(laboratory, text).at("result").at("verdict") == "ok");
    const Json weakest = ask(laboratory, {{"ask", "check"}, {"text", text}, {"reading", "weakest"}});
    CHECK(weakest.at("result").at("verdict") == "no");
    CHECK(weakest.at("outcomes").size() == checked(laboratory, text).at("outcomes").size() + 1);
}

TEST_CASE("hazards are shown each, with the story of mbarriers") {
    Laboratory laboratory;
    const Json answer = checked(laboratory, text_of("async/phases/one-arrival-too-many"));
    REQUIRE(!answer.at("hazards").empty());
    for (size_t i = 0; i < answer.at("hazards").size(); ++i) {
        const Json shown = ask(laboratory, {{"ask", "show"}, {"hazard", i}});
        CHECK(!shown.at("steps").empty());
        CHECK(!shown.at("stories").empty());
    }
}

// ---- steps --------------------------------------------------------------------------------------

TEST_CASE("where turns explain an execution, the steps are these turns") {
    const Json shown = execution({write_x, read_y, write_y, read_x}, "1", "1");
    CHECK(order(shown) != "");
    CHECK(notes(shown) == 0);
    std::vector<std::string> last{"0", "0"};
    for (const Json& step : shown.at("steps"))
        if (step.contains("change")) last.at(step.at("change").at("cell")) = step.at("change").at("value");
    CHECK(last == std::vector<std::string>{"1", "1"});
}

TEST_CASE("store buffering: both loads are in place, and one of them reads an old value") {
    const Json shown = execution({write_x, read_y, write_y, read_x}, "0", "0");
    CHECK(order(shown) == "a b c d");
    CHECK(notes(shown) == 1);
    CHECK(shown.at("steps").at(3).at("notes").at(0).get<std::string>().rfind("reads an old value", 0) == 0);
}

TEST_CASE("load buffering: one store takes effect before the load above it") {
    const Json shown = execution({read_x, write_y, read_y, write_x}, "1", "1");
    CHECK(notes(shown) == 1);
    CHECK(shown.at("steps").at(0).at("notes").at(0).get<std::string>().rfind("takes effect before", 0) == 0);
}

TEST_CASE("memory ends as the outcome says, also where coherence leaves it open") {
    Laboratory laboratory;
    const Json answer = ask(laboratory, {{"ask", "check"}, {"text", text_of("readings/fence-cta")}, {"reading", "weakest"}});
    for (size_t i = 0; i < answer.at("outcomes").size(); ++i) {
        const Json shown = ask(laboratory, {{"ask", "show"}, {"outcome", i}});
        const Json& cells = shown.at("cells");
        for (size_t c = 0; c < cells.size(); ++c) {
            if (cells.at(c).at("name") != "s@cta0[0]") continue;
            std::string last = cells.at(c).at("initial");
            for (const Json& step : shown.at("steps"))
                if (step.contains("change") && step.at("change").at("cell") == c) last = step.at("change").at("value");
            const std::string outcome = answer.at("outcomes").at(i).at("text");
            CHECK_MESSAGE(outcome.find("s@cta0[0]=" + last + ";") != std::string::npos, outcome);
        }
    }
}

TEST_CASE("every execution of the lessons has all its events in its steps, each read after its write") {
    for (const char* lesson : {"04-patterns", "07-mbarriers", "08-transactions", "09-async-proxy", "11-groups", "13-clusters"}) {
        CAPTURE(lesson);
        Laboratory laboratory;
        const Json answer = checked(laboratory, text_of(std::string("lessons/") + lesson));
        for (size_t i = 0; i < answer.at("outcomes").size(); ++i) {
            const Json shown = ask(laboratory, {{"ask", "show"}, {"outcome", i}});
            const std::string svg = shown.at("svg");
            std::set<std::string> names;
            for (const Json& step : shown.at("steps")) {
                CHECK(names.insert(step.at("event")).second);
                CHECK(svg.find("data-event=\"" + step.at("event").get<std::string>() + "\"") != std::string::npos);
            }
        }
    }
}
