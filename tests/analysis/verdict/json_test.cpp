// Lines of results read back.
#include "analysis/verdict/json.h"

#include <doctest/doctest.h>

using namespace litmus;

namespace {

using Truth = Answer::Truth;

// A result with something in every part.
Result full() {
    Result result;
    result.file = "d/mp.litmus";
    result.test = "mp";
    result.hash = "fnv1a-0123456789abcdef";
    result.key = "fedcba9876543210";
    result.model = "ptx";
    result.model_hash = "0123456789abcdef";
    result.reading = "strongest";
    result.solver = "cadical";
    result.judgement = {Verdict::undefined, Truth::no, {"one", "two"}};
    result.claim = Claim::Kind::not_exists;
    result.claim_kind = "~exists";
    result.claim_text = "~exists (x == 1)";
    result.condition = "(x == 1)";
    result.begin = {12, 1};
    result.end = {12, 20};
    result.columns = {{"x", Type::s32}, {"P0:r0", Type::f32}, {"y", Type::u64}, {"h", Type::f16x2}, {"p", Type::pred}};
    result.states = {{{0xffffffff, 0x7fc00000, ~uint64_t{0}, 0x3c003c00, 1}, true}, {{1, 0, 0, 0, 0}, false}};
    result.complete = true;
    result.satisfiable = Truth::yes;
    result.violable = Truth::unknown;
    result.races = {{"x", {"P0:4 st.weak [x], 1", {4, 3}, {4, 20}, {}}, {"P1:7 ld.weak r0, [x]", {7, 3}, {7, 21}, {"src/k.cu", 38, 0}}}};
    result.races_complete = true;
    result.flags = {"data-race"};
    result.hazards = {
        {Hazard::Kind::blocked, "threads that wait for ever", {"P0:5 waits"}, {{"P0:5 barrier", {5, 3}, {5, 9}, {"k.cu", 41, 7}}}},
        {Hazard::Kind::undefined, "read of it", {}, {}}};
    result.reliance = Reliance{"strongest",           Verdict::may_deadlock,       Verdict::no, Verdict::unknown,
                               Verdict::may_deadlock, {true, {{"a"}, {"b", "c"}}}, {{"a"}},     {{"a", {"H100"}}}};
    result.never_ends = true;
    result.unrolled = true;
    result.unrolled_at = {"P0 line 12 (k.cu:7)"};
    result.partial = true;
    result.seconds = 0.0125;
    result.place = Result::Place{"abc", 2, 9, 1, 3};
    result.reservations = {"`ldmatrix` accesses memory, and is left out"};
    return result;
}

void check_round_trip(const Result& result, const SourcePtr& source = nullptr) {
    const std::string line = json_line(result);
    const std::optional<Result> read = parse_line(line, source);
    REQUIRE(read);
    CHECK(json_line(*read) == line);
}

}  // namespace

TEST_CASE("what a line says is read back, all of it") {
    check_round_trip(full());
    const std::optional<Result> read = parse_line(json_line(full()), nullptr);
    REQUIRE(read);
    CHECK(difference(*read, full()).empty());
    CHECK(read->columns.at(3).type == Type::f16x2);
    CHECK(read->claim == Claim::Kind::not_exists);
    CHECK(read->reliance->depends.flips == full().reliance->depends.flips);
    CHECK(read->place == full().place);
    check_round_trip(Result());
    Result open = full();
    open.reliance->depends.known = false;
    check_round_trip(open);
    open.states.clear();  // nothing ends
    check_round_trip(open);
}

TEST_CASE("places of warnings and errors are kept, with the text and without") {
    const SourcePtr source = make_source("d/mp.litmus", "one\ntw\xc3\xb6 words\n\nlast");
    Result result = full();
    result.warnings = {{Diagnostic::Level::warning, source, {9, 14}, "why", "how"},
                       {Diagnostic::Level::warning, nullptr, {}, "no place", {}}};
    check_round_trip(result);
    check_round_trip(result, source);
    const std::optional<Result> read = parse_line(json_line(result), source);
    REQUIRE(read);
    CHECK(render(read->warnings[0], false) == render(result.warnings[0], false));
    const std::string blank = render(parse_line(json_line(result), nullptr)->warnings[0], false);
    CHECK(blank == "d/mp.litmus:2:5: warning: why\n    hint: how\n");

    Result wrong = error_result("d/mp.litmus", "mp", Failure(source, {4, 16}, "what", "so"));
    check_round_trip(wrong);
    check_round_trip(wrong, source);
    check_round_trip(internal_error_result("f", "t", "boom"));
}

TEST_CASE("what is no line of results is not read") {
    const std::string line = json_line(full());
    for (const std::string& text :
         {std::string(), std::string("{}"), std::string("[1]"), line.substr(0, line.size() - 1), line + " ", "{" + line}) {
        INFO(text);
        CHECK_FALSE(parse_line(text, nullptr));
    }
    // A value that its type cannot have, a verdict that there is not, a number of an outcome that is not listed.
    const auto spoiled = [&](const std::string& what, const std::string& by) {
        std::string text = line;
        REQUIRE(text.find(what) != std::string::npos);
        return text.replace(text.find(what), what.size(), by);
    };
    CHECK(parse_line(spoiled("\"x\":-1", "\"x\":-2"), nullptr));
    CHECK_FALSE(parse_line(spoiled("\"x\":-1", "\"x\":4294967295"), nullptr));
    CHECK_FALSE(parse_line(spoiled("\"verdict\":\"undefined\"", "\"verdict\":\"maybe\""), nullptr));
    CHECK_FALSE(parse_line(spoiled("\"verdict\":\"undefined\"", "\"verdict\":\"ok\""), nullptr));  // it does not follow
    CHECK_FALSE(parse_line(spoiled("\"satisfying\":[1]", "\"satisfying\":[3]"), nullptr));
    CHECK_FALSE(parse_line(spoiled("\"types\":{\"x\":\"s32\"", "\"types\":{\"x\":\"s99\""), nullptr));
    CHECK_FALSE(parse_line(spoiled("\"line\":12", "\"line\":\"12\""), nullptr));
}

TEST_CASE("places take no more memory than the file that has them") {
    // A result with a warning at each of these places.
    const auto read = [](const std::vector<Position>& places) {
        Result result = full();
        const SourcePtr source = make_source("d/mp.litmus", "x");
        for (size_t i = 0; i < places.size(); ++i)
            result.warnings.push_back({Diagnostic::Level::warning, source, {0, 1}, "w" + std::to_string(i), ""});
        std::string line = json_line(result);
        for (size_t i = 0; i < places.size(); ++i) {
            const auto placed = [&](const std::string& row, const std::string& column, const std::string& end) {
                return "\"message\":\"w" + std::to_string(i) + "\",\"line\":" + row + ",\"column\":" + column + ",\"end_line\":" + row +
                       ",\"end_column\":" + end;
            };
            const std::string was = placed("1", "1", "2"), column = std::to_string(places[i].column);
            const size_t at = line.find(was);
            REQUIRE(at != std::string::npos);
            line.replace(at, was.size(), placed(std::to_string(places[i].line), column, column));
        }
        return parse_line(line, nullptr);
    };
    constexpr int most = 1 << 24;  // bytes of a file that is read
    const std::optional<Result> many = read(std::vector<Position>(20, {most / 2, most / 2}));
    REQUIRE(many);
    CHECK(many->warnings.front().source == many->warnings.back().source);
    CHECK(many->warnings.front().source->text.size() < most);
    CHECK(position(*many->warnings.back().source, many->warnings.back().span.begin).line == most / 2);
    CHECK(read({{1, most / 2}, {most / 8, 3}}));
    CHECK_FALSE(read({{most, most}}));
    CHECK_FALSE(read({{1, most}, {2, most}}));
    CHECK_FALSE(read({{0, 1}}));
    CHECK_FALSE(read({{1, 0}}));
    CHECK_FALSE(read({{2147483647, 2147483647}}));
}
