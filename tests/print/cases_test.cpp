// The formats of other tools: what they escape, and what their schemas require.
#include "print/cases.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "analysis/verdict/result_cases.h"

using namespace litmus;

namespace {

using Json = nlohmann::json;

Case failed_case() {
    const CaseFinding finding{
        CaseFinding::Level::error, "no", "a \"claim\" <fails> & more: 50%, \x01", "a b/t,1.litmus", {3, 5}, {3, 9}, "f00"};
    const CaseFinding warning{CaseFinding::Level::warning, "warning", "two\nlines", "a b/t,1.litmus", {1, 1}, {2, 1}, "f01"};
    return {"a b/t,1.litmus", "t", Case::Outcome::failed, 0.25, {finding, warning}};
}

std::string document(CaseWriter& writer, const std::vector<Case>& cases) {
    std::string text = writer.begin();
    for (const Case& one : cases) text += writer.put(one);
    return text + writer.end();
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("JUnit: counts at the head, a failure and an error for what does not pass, everything escaped") {
    Case broken = failed_case();
    broken.outcome = Case::Outcome::broken;
    const std::string text = document(*case_writer("junit", {}), {{"x.litmus", "ok", Case::Outcome::passed, 1, {}}, failed_case(), broken});
    CHECK(has(text, R"(<testsuite name="litmus" tests="3" failures="1" errors="1" time="1.500">)"));
    CHECK(has(text, R"(<testcase name="ok" classname="litmus" time="1.000"/>)"));
    CHECK(has(text, R"(<failure message="a &quot;claim&quot; &lt;fails&gt; &amp; more: 50%, \x01" type="no">a b/t,1.litmus:3</failure>)"));
    CHECK(has(text, R"(<error message="a &quot;claim)"));
    CHECK(has(text, R"(<system-out>a b/t,1.litmus:3: no: a &quot;claim)"));
    CHECK(has(text, R"(a b/t,1.litmus:1: warning: two\nlines)"));
    CHECK(has(document(*case_writer("junit", {}), {}), R"(<testsuite name="litmus" tests="0" failures="0" errors="0" time="0.000">)"));
}

// The required properties of SARIF 2.1.0: of its log, run, tool, result, message and region objects.
TEST_CASE("SARIF: what the schema requires, and what code scanning reads") {
    const std::vector<Rule> rules{{"no", "A claim fails."}, {"warning", "It cannot matter."}};
    const Json log = Json::parse(
        document(*case_writer("sarif", {"1.4", rules}), {failed_case(), {"y", "ok", Case::Outcome::passed, 0, {}}, failed_case()}));
    CHECK(log.at("version") == "2.1.0");
    CHECK(log.at("$schema").is_string());
    REQUIRE(log.at("runs").size() == 1);
    const Json& driver = log.at("runs")[0].at("tool").at("driver");
    CHECK(driver.at("name") == "litmus");
    CHECK(driver.at("version") == "1.4");
    REQUIRE(driver.at("rules").size() == 2);
    CHECK(driver.at("rules")[0].at("id") == "no");
    CHECK(driver.at("rules")[0].at("shortDescription").at("text") == "A claim fails.");
    const Json& results = log.at("runs")[0].at("results");
    REQUIRE(results.size() == 4);
    for (const Json& result : results) {
        CHECK(std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) { return result.at("ruleId") == rule.id; }));
        CHECK(result.at("message").at("text").is_string());
        CHECK((result.at("level") == "error" || result.at("level") == "warning"));
        CHECK(result.at("partialFingerprints").at("litmus/v1").is_string());
        const Json& place = result.at("locations").at(0).at("physicalLocation");
        CHECK(place.at("artifactLocation").at("uri") == "a%20b/t%2C1.litmus");
        for (const char* key : {"startLine", "startColumn", "endLine", "endColumn"}) CHECK(place.at("region").at(key).get<int>() >= 1);
    }
    CHECK(results[0].at("locations")[0].at("physicalLocation").at("region") ==
          Json::parse(R"({"startLine":3,"startColumn":5,"endLine":3,"endColumn":9})"));
    CHECK(Json::parse(document(*case_writer("sarif", {"1", {}}), {})).at("runs")[0].at("results").empty());
}

TEST_CASE("GitHub: one command a finding, in one line, with properties escaped") {
    const std::string text = document(*case_writer("github", {}), {failed_case()});
    CHECK(text ==
          "::error file=a b/t%2C1.litmus,line=3,col=5,endColumn=9,title=litmus%3A no::t: a \"claim\" <fails> & more: 50%25, \\x01\n"
          "::warning file=a b/t%2C1.litmus,line=1,col=1,title=litmus%3A warning::t: two\\nlines\n"
          "1 test: 1 failed, 0 not decided or in error\n");
}

TEST_CASE("what a result finds") {
    Result result;
    result.file = "t.litmus";
    result.test = "t";
    result.judgement = {Verdict::no, Answer::Truth::no, {"why"}};
    result.claim_text = "exists (x == 1)";
    result.begin = {9, 1};
    result.end = {9, 16};
    Case found = case_of(result);
    CHECK(found.outcome == Case::Outcome::failed);
    REQUIRE(found.findings.size() == 1);
    CHECK(found.findings[0].message == "exists (x == 1) does not hold: why");
    CHECK(found.findings[0].begin.line == 9);
    const std::string print = found.findings[0].fingerprint;
    result.begin.line = 12;  // a comment was added above
    CHECK(case_of(result).findings[0].fingerprint == print);
    result.test = "u";
    CHECK(case_of(result).findings[0].fingerprint != print);

    result.judgement.verdict = Verdict::undefined;
    result.hazards = {{Hazard::Kind::undefined, "read of it", {"P0:4 reads"}, {{"P0:4", {4, 3}, {4, 8}, {}}}},
                      {Hazard::Kind::undefined, "write of it", {}, {{"P0:5", {5, 3}, {5, 8}, {}}}},
                      {Hazard::Kind::blocked, "threads that wait for ever", {}, {{"P0:6", {6, 3}, {6, 8}, {}}}}};
    found = case_of(result);
    REQUIRE(found.findings.size() == 2);
    CHECK(found.findings[0].begin.line == 4);
    CHECK(found.findings[0].message == "read of it: P0:4 reads");
    CHECK(found.findings[0].fingerprint != found.findings[1].fingerprint);
    result.judgement.verdict = Verdict::ok;
    CHECK(case_of(result).findings.empty());
    result.judgement.verdict = Verdict::unknown;
    CHECK(case_of(result).outcome == Case::Outcome::broken);
    for (const Verdict verdict :
         {Verdict::no, Verdict::undefined, Verdict::deadlock, Verdict::may_deadlock, Verdict::race, Verdict::unknown}) {
        result.judgement.verdict = verdict;
        for (const CaseFinding& finding : case_of(result).findings)
            CHECK(std::any_of(result_rules().begin(), result_rules().end(), [&](const Rule& rule) { return rule.id == finding.rule; }));
    }
}

// The place of a finding is the line of CUDA where that is known; the test's own stands beside it, and the other access of a race.
TEST_CASE("findings of a test that stands for a kernel") {
    Result result;
    result.file = "t.litmus";
    result.test = "t";
    result.judgement.verdict = Verdict::race;
    result.races = {
        {"x", {"P0:4 (k.cu:38) st", {4, 3}, {4, 20}, {"src/k.cu", 38, 5}}, {"P1:7 (l.cuh:9) ld", {7, 3}, {7, 21}, {"l.cuh", 9, 0}}}};
    const Case found = case_of(result);
    REQUIRE(found.findings.size() == 1);
    const CaseFinding& race = found.findings.front();
    CHECK(race.file == "src/k.cu");
    CHECK(race.begin.line == 38);
    CHECK(race.begin.column == 5);
    const Json shown = Json::parse(document(*case_writer("sarif", {"1", result_rules()}), {found})).at("runs")[0].at("results")[0];
    CHECK(shown.at("locations")[0].at("physicalLocation").at("artifactLocation").at("uri") == "src/k.cu");
    REQUIRE(shown.at("relatedLocations").size() == 2);
    const Json& test = shown.at("relatedLocations")[0];
    CHECK(test.at("message").at("text") == "in the test");
    CHECK(test.at("physicalLocation").at("artifactLocation").at("uri") == "t.litmus");
    CHECK(test.at("physicalLocation").at("region").at("startLine") == 4);
    const Json& other = shown.at("relatedLocations")[1];
    CHECK(other.at("message").at("text") == "P1:7 (l.cuh:9) ld");
    CHECK(other.at("physicalLocation").at("artifactLocation").at("uri") == "l.cuh");
    CHECK(other.at("physicalLocation").at("region").at("startLine") == 9);
    CHECK(has(document(*case_writer("github", {}), {found}),
              "::error file=src/k.cu,line=38,col=5,title=litmus%3A race::t: data race on x with P1"));
    CHECK(has(document(*case_writer("junit", {}), {found}), ">src/k.cu:38<"));
    result.races.front().first.origin = result.races.front().second.origin = {};
    CHECK(case_of(result).findings.front().file == "t.litmus");
    CHECK(case_of(result).findings.front().fingerprint == race.fingerprint);
}
