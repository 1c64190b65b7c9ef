// Text and JSON of hand-made results.
#include "analysis/verdict/text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/verdict/json.h"

using namespace litmus;

namespace {

using Truth = Answer::Truth;

Result result_of_mp() {
    Result result;
    result.file = "mp.litmus";
    result.test = "mp";
    result.model = "ptx";
    result.model_hash = "0123456789abcdef";
    result.judgement = {Verdict::ok, Truth::yes, {}};
    result.claim = Claim::Kind::exists;
    result.claim_kind = "exists";
    result.claim_text = "exists (P1:r0 == 1 /\\ x == -1)";
    result.condition = "(P1:r0 == 1 /\\ x == -1)";
    result.columns = {{"P1:r0", Type::u32}, {"x", Type::s32}, {"s[1]", Type::u8}};
    result.states = {{{0, 1, 7}, false}, {{1, 0xffffffff, 255}, true}};
    result.complete = true;
    result.satisfiable = Truth::yes;
    result.violable = Truth::yes;
    result.seconds = 0.0125;
    return result;
}

TextStyle plain(size_t width = 100) {
    return {false, false, width};
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) result.push_back(line);
    return result;
}

}  // namespace

std::string text_table(const std::vector<Result>& results, const TextStyle& style) {
    TableWidths widths;
    TableEnd end(style);
    for (const Result& result : results) widths.make_room_for({result.file, result.test, result.claim_text});
    widths.fit(style);
    std::string text = table_header(widths, style);
    for (const Result& result : results) {
        text += table_row(result, widths, style);
        end.take(result);
    }
    return text + end.text();
}

TEST_CASE("one test is printed as herd does") {
    const std::string expected =
        "Program can end with P1:r0 == 1 /\\ x == -1\n"
        "Test mp Allowed\n"
        "States 2\n"
        "P1:r0=0; [x]=1; s[1]=7;\n"
        "P1:r0=1; [x]=-1; s[1]=255;\n"
        "Ok\n"
        "Witnesses\n"
        "Positive: 1 Negative: 1\n"
        "Condition exists (P1:r0 == 1 /\\ x == -1)\n"
        "Observation mp Sometimes 1 1\n";
    CHECK(text_report(result_of_mp(), plain()) == expected);
    CHECK(text_report(result_of_mp(), {false, true, 100}) == expected + "Time mp 0.013\n");
}

TEST_CASE("races, flags, notes and cut listings are said in words") {
    Result result = result_of_mp();
    result.judgement = {Verdict::no, Truth::yes, {"claims racefree, but has a data race"}};
    result.races = {{"x", {"P0:7 st.weak [x], 1", {7, 3}, {7, 20}, {}}, {"P1:12 ld.weak r1, [x]", {12, 3}, {12, 21}, {}}}};
    result.flags = {"data-race"};
    result.complete = false;
    result.unrolled = true;
    const std::string text = text_report(result, plain());
    CHECK(text.find("States 2 (not all)\n") != std::string::npos);
    CHECK(text.find("\nNo (claims racefree, but has a data race)\n") != std::string::npos);
    CHECK(text.find("Race on x between\n  P0:7 st.weak [x], 1\n  P1:12 ld.weak r1, [x]\n") != std::string::npos);
    CHECK(text.find("Flag data-race\n") != std::string::npos);
    CHECK(text.find("unroll bound\n") != std::string::npos);
    result.unrolled_at = {"P0 line 9", "P1 line 12 (k.cu:7)"};
    CHECK(text_report(result, plain()).find("unroll bound: P0 line 9, P1 line 12 (k.cu:7)\n") != std::string::npos);
}

TEST_CASE("what was decided is observed, not what was listed") {
    Result result = result_of_mp();
    result.states.pop_back();  // the listing stopped before the witness
    result.complete = false;
    CHECK(text_report(result, plain()).find("Observation mp Sometimes 0 1\n") != std::string::npos);
    result.satisfiable = Truth::no;
    CHECK(text_report(result, plain()).find("Observation mp Never 0 1\n") != std::string::npos);
    result.satisfiable = Truth::yes;
    result.violable = Truth::no;
    CHECK(text_report(result, plain()).find("Observation mp Always 0 1\n") != std::string::npos);
    result.violable = Truth::unknown;
    CHECK(text_report(result, plain()).find("Observation mp Unknown 0 1\n") != std::string::npos);
    result.satisfiable = Truth::no;
    result.unrolled = true;  // a longer loop may find it
    CHECK(text_report(result, plain()).find("Observation mp Unknown 0 1\n") != std::string::npos);
}

// mp, Ok by default and under the strongest readings, No under the weakest.
Result resting() {
    Result result = result_of_mp();
    result.reliance = Reliance{"", Verdict::ok, Verdict::no, Verdict::ok, Verdict::ok, {true, {{"a"}, {"b", "c"}}}, {{"a"}}, {}};
    return result;
}

TEST_CASE("a verdict says what it rests on") {
    const auto has_line = [](const Result& result, const std::string& line) {
        const auto text = lines(text_report(result, plain()));
        return std::count(text.begin(), text.end(), line) == 1;
    };
    Result result = resting();
    CHECK(has_line(result, "Ok by default, No under weakest: rests on a"));
    CHECK(has_line(result, "Readings No under weakest, Ok by default, Ok under strongest: depends on a | b + c"));
    result.reliance->refuted = {{"a", {"H100", "H200"}}};
    CHECK(has_line(result, "Ok by default, No under weakest: rests on a (refuted on H100, H200)"));
    result.reliance->asked = "strongest";
    result.judgement.notes = {"why"};
    CHECK(has_line(result, "Ok under strongest, No under weakest: rests on a (refuted on H100, H200) (why)"));
    result.reliance->asked = "weakest,a";
    result.judgement.notes.clear();
    CHECK(has_line(result, "Ok under --reading weakest,a, No under weakest: rests on a (refuted on H100, H200)"));
    result.reliance->rests_on.clear();  // without a reading that `weakest` has
    CHECK(has_line(result, "Ok under --reading weakest,a, No under weakest"));

    Result strong = resting();
    strong.reliance = Reliance{"", Verdict::ok, Verdict::ok, Verdict::ok, Verdict::no, {true, {{"a"}}}, {}, {}};
    CHECK(has_line(strong, "Ok"));
    CHECK(has_line(strong, "Readings Ok under weakest, Ok by default, No under strongest: depends on a"));
    strong.reliance->depends.flips.clear();
    CHECK(has_line(strong, "Readings holds in every reading"));
    strong.reliance->depends.known = false;
    CHECK(has_line(strong, "Readings not decided"));
}

TEST_CASE("the table marks what rests on readings, and lists it") {
    Result open = resting();
    open.test = "open";
    open.reliance->depends.known = false;
    const auto rows = lines(text_table({result_of_mp(), resting(), open}, plain()));
    REQUIRE(rows.size() == 12);
    CHECK(rows[1] == "mp.litmus        can-happen  exists (P1:r0 == 1 /\\ x == -1)  ok                    2");
    CHECK(rows[2] == "mp.litmus        can-happen  exists (P1:r0 == 1 /\\ x == -1)  ok*                   2");
    CHECK(rows[3] == "mp.litmus: open  can-happen  exists (P1:r0 == 1 /\\ x == -1)  ok?                   2");
    CHECK(rows[5] == "Other verdicts under the weakest readings of the ISA:");
    CHECK(rows[6] == "ok* mp.litmus: mp: Ok by default, No under weakest: rests on a");
    CHECK(rows[8] == "Not decided under other readings of the ISA:");
    CHECK(rows[9] == "ok? mp.litmus: open");
    CHECK(lines(text_table({resting(), result_of_mp()}, plain())).back() == "2 tests: 2 ok; 1 rests on readings");
}

TEST_CASE("JSON says what a verdict rests on") {
    const auto json = [](const Result& result) { return nlohmann::json::parse(json_line(result)); };
    Result result = resting();
    result.reliance->refuted = {{"a", {"H100", "H200"}}};
    CHECK(json(result)["depends"].dump() == R"([["a"],["b","c"]])");
    CHECK(json(result)["rests_on"].dump() == R"([["a"]])");
    CHECK(json(result)["refuted"].dump() == R"({"a":["H100","H200"]})");
    CHECK(json(result)["verdicts"].dump() == R"({"default":"ok","strongest":"ok","weakest":"no"})");
    result.reliance->depends.known = false;
    result.reliance->strongest = Verdict::unknown;
    CHECK(json(result)["depends"].is_null());
    CHECK(json(result)["rests_on"].is_null());
    CHECK(json(result)["verdicts"]["strongest"] == "unknown");
}

TEST_CASE("the table is aligned, repeats what is not ok, and counts") {
    Result failing = result_of_mp();
    failing.file = "dir/sb.litmus";
    failing.test = "a-long-name";
    failing.judgement = {Verdict::no, Truth::no, {}};
    failing.complete = false;
    Result wrong = error_result("bad.litmus", "", Failure(nullptr, {}, "no such thing"));
    const std::string text = text_table({result_of_mp(), failing, wrong}, plain());
    const auto rows = lines(text);
    REQUIRE(rows.size() == 10);
    CHECK(rows[0] == "test                        program     claim                           verdict        outcomes");
    CHECK(rows[1] == "mp.litmus                   can-happen  exists (P1:r0 == 1 /\\ x == -1)  ok                    2");
    CHECK(rows[2] == "dir/sb.litmus: a-long-name  can-happen  exists (P1:r0 == 1 /\\ x == -1)  no                   2+");
    CHECK(rows[3] == "bad.litmus                  -                                           error                 -");
    CHECK(rows[5] == "Not ok:");
    CHECK(rows[6] == "no dir/sb.litmus: a-long-name: exists (P1:r0 == 1 /\\ x == -1)");
    CHECK(rows[7] == "error bad.litmus");
    CHECK(rows[9] == "3 tests: 1 ok, 1 no, 1 error");
}

TEST_CASE("a table fits the width it is given") {
    Result result = result_of_mp();
    result.test = std::string(90, 'n');
    result.claim_text = std::string(200, 'c');
    CHECK(lines(text_table({result, result_of_mp()}, plain(60)))[1].find("...nnnn") == 0);  // of a path the end tells more
    for (const size_t width : {60U, 80U, 120U})
        for (const std::string& line : lines(text_table({result, result_of_mp()}, {false, true, width}))) CHECK(line.size() <= width);
    // where there is little room, that is for names and for what programs do
    const auto narrow = lines(text_table({result_of_mp()}, {false, true, 60}));
    CHECK(narrow[0] == "test       program     verdict        outcomes   seconds");
    CHECK(narrow[1] == "mp.litmus  can-happen  ok                    2     0.013");
    result.claim_text = "exists (\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9)";
    const std::string text = text_table({result}, plain(60));
    CHECK(text.find("\xC3...") == std::string::npos);  // never cut inside a character
}

TEST_CASE("colour only where it is asked for") {
    CHECK(text_report(result_of_mp(), plain()).find('\x1b') == std::string::npos);
    // what the program does has the colour, and not that the test claims so
    const std::string possible = text_report(result_of_mp(), {true, false, 100});
    CHECK(possible.find("\x1b[33mProgram can end with P1:r0 == 1 /\\ x == -1\x1b[0m\n") == 0);
    CHECK(possible.find("\nOk\n") != std::string::npos);
    Result wrong = result_of_mp();
    wrong.hazards = {{Hazard::Kind::blocked, "threads that wait for ever", {}, {}}};
    CHECK(text_report(wrong, {true, false, 100}).find("\x1b[31mProgram can go wrong: may hang; ") == 0);
    CHECK(table_row(wrong, {}, {true, false, 100}).find("\x1b[31mgoes-wrong\x1b[0m") != std::string::npos);
    wrong.judgement = {Verdict::may_deadlock, Truth::yes, {"some execution gets stuck"}};
    CHECK(text_report(wrong, {true, false, 100}).find("\x1b[31mMay deadlock (some execution gets stuck)\x1b[0m") != std::string::npos);
    Result safe = result_of_mp();
    safe.claim = Claim::Kind::not_exists;
    safe.satisfiable = Truth::no;
    CHECK(text_report(safe, {true, false, 100}).find("\x1b[32mProgram cannot go wrong: never ends with ") == 0);
}

TEST_CASE("nothing that is printed of a result acts, wherever it comes from") {
    const std::string hostile = "\x1b[2J";
    Result result = result_of_mp();
    for (std::string* part : {&result.file, &result.test, &result.claim_text, &result.condition}) *part = *part + hostile;
    result.races = {{hostile, {hostile, {1, 1}, {1, 2}, {}}, {hostile, {1, 1}, {1, 2}, {}}}};
    result.hazards.push_back({Hazard::Kind::undefined, "title", {hostile}, {}});
    result.reliance.emplace();
    result.reliance->depends.known = false;  // in the list of what is open
    Result failed = result;
    failed.judgement = {Verdict::no, Truth::no, {}};
    const std::string all =
        text_report(result, {false, true, 100}) + text_table({result, failed}, plain(200)) + text_outcomes(result, plain());
    CHECK(all.find('\x1b') == std::string::npos);
    // the columns are as wide as what is printed in them
    const std::vector<std::string> table = lines(text_table({result}, plain(200)));
    CHECK(table[0].find("verdict") == table[1].find("ok"));
    CHECK(table[1].find("mp.litmus\\x1b[2J: mp\\x1b[2J  goes-wrong  exists (P1:r0 == 1 /\\ x == -1)\\x1b[2J  ok") == 0);
}

TEST_CASE("outcomes are numbered and witnesses marked") {
    CHECK(text_outcomes(result_of_mp(), plain()) ==
          "mp: 2 outcomes, 1 satisfies (P1:r0 == 1 /\\ x == -1)\n"
          " #  P1:r0   x  s[1]\n"
          " 1      0   1     7\n"
          " 2      1  -1   255  *\n");
}

TEST_CASE("a JSON line has its keys in order and values in their own signedness") {
    Result result = result_of_mp();
    result.races = {{"x", {"a", {7, 3}, {7, 20}, {}}, {"b", {12, 3}, {13, 1}, {}}}};
    result.flags = {"data-race"};
    result.seconds = 0.5;
    const std::string expected =
        R"json({"file":"mp.litmus","test":"mp","model":"ptx","model_hash":"0123456789abcdef","solver":"z3","verdict":"ok",)json"
        R"json("claim":{"kind":"exists","text":"exists (P1:r0 == 1 /\\ x == -1)","holds":true},)json"
        R"json("outcomes":[{"P1:r0":0,"x":1,"s[1]":7},{"P1:r0":1,"x":-1,"s[1]":255}],"complete":true,)json"
        R"json("races":[{"location":"x",)json"
        R"json("first":{"event":"a","file":"mp.litmus","line":7,"column":3,"end_line":7,"end_column":20},)json"
        R"json("second":{"event":"b","file":"mp.litmus","line":12,"column":3,"end_line":13,"end_column":1}}],)json"
        R"json("flags":["data-race"],"hazards":[],"depends":[],"rests_on":[],"refuted":{},"verdicts":null,"unrolled":false,"seconds":0.5,)json"
        R"json("hash":"","key":"","reading":"","notes":[],"condition":"(P1:r0 == 1 /\\ x == -1)","can_hold":true,"can_fail":true,)json"
        R"json("where":{"line":1,"column":1,"end_line":1,"end_column":1},"types":{"P1:r0":"u32","x":"s32","s[1]":"u8"},"satisfying":[2],)json"
        R"json("races_complete":false,"never_ends":false,"partial":false,"warnings":[]})json";
    CHECK(json_line(result) == expected);
    result.judgement = {Verdict::unknown, Truth::unknown, {}};
    CHECK(nlohmann::json::parse(json_line(result))["claim"]["holds"].is_null());
}

TEST_CASE("64-bit values keep every bit in JSON") {
    Result result = result_of_mp();
    result.columns = {{"u", Type::u64}, {"s", Type::s64}, {"b", Type::b64}};
    result.states = {{{~uint64_t{0}, ~uint64_t{0}, uint64_t{1} << 63}, false}};
    CHECK(json_line(result).find(R"json({"u":18446744073709551615,"s":-1,"b":9223372036854775808})json") != std::string::npos);
}

TEST_CASE("an error in JSON says what and where") {
    const SourcePtr source = make_source("bad.litmus", "test \"x\"\nfoo\n");
    const auto json =
        nlohmann::json::parse(json_line(error_result("bad.litmus", "x", Failure(source, {9, 12}, "unknown word", "write bar"))));
    CHECK(json["verdict"] == "error");
    CHECK(json["message"] == "unknown word");
    CHECK(json["hint"] == "write bar");
    CHECK(json["line"] == 2);
    CHECK(json["column"] == 1);
    const auto internal = nlohmann::json::parse(json_line(internal_error_result("f", "", "oops")));
    CHECK(internal["verdict"] == "error");
    CHECK(internal["message"] == "internal error: oops");
    CHECK(nlohmann::json::parse(json_line(error_result("\xff.litmus", "", Failure(nullptr, {}, "m"))))["verdict"] == "error");
}

TEST_CASE("races between the same lines of CUDA are told once, with their number") {
    Result result;
    result.test = "t";
    result.judgement.verdict = Verdict::race;
    const Result::Access store{"P0:4 (k.cu:38) st", {4, 3}, {4, 20}, {"k.cu", 38, 0}},
        load{"P1:7 (k.cu:41) ld", {7, 3}, {7, 21}, {"k.cu", 41, 5}};
    result.races = {
        {"x[0]", store, load}, {"x[1]", load, store}, {"y", store, store}, {"z", {"P0:4 st", {}, {}, {}}, {"P1:5 ld", {}, {}, {}}}};
    const std::string text = text_report(result, {});
    CHECK(text.find("Race on x[0] between\n  P0:4 (k.cu:38) st\n  P1:7 (k.cu:41) ld\n  and 1 more between these lines of CUDA\nRace on y "
                    "between") != std::string::npos);
    CHECK(text.find("x[1]") == std::string::npos);
    CHECK(text.find("Race on z between\n  P0:4 st\n  P1:5 ld\n") != std::string::npos);
}
