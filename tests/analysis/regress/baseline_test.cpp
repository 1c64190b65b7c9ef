// The text of baselines, and how results stand to them.
#include "analysis/regress/baseline.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/regress/text.h"
#include "base/budget.h"

using namespace litmus;

namespace {

Result message_passing() {
    Result result;
    result.file = "d/mp.litmus";
    result.test = "mp";
    result.hash = "fnv1a-0123456789abcdef";
    result.judgement = {Verdict::no, Answer::Truth::no, {}};
    result.columns = {{"P1:r0", Type::u32}, {"x", Type::s32}};
    result.states = {{{0, 0}, false}, {{1, 0xffffffff}, true}};
    result.complete = true;
    result.reliance =
        Reliance{"", Verdict::no, Verdict::ok, Verdict::no, Verdict::no, {true, {{"a"}, {"b", "c"}}}, {{"a"}, {"b", "c"}}, {}};
    result.flags = {"undefined-b", "data-race"};
    result.races = {{"x", {}, {}}, {"x", {}, {}}};
    result.hazards = {{Hazard::Kind::blocked, "threads that \"wait\"", {}, {}}};
    return result;
}

const BaselineHead head{"1.4", "ptx 1234", "default: a", "max-outcomes=1024 unroll=2"};

std::string text_of(const std::vector<BaselineEntry>& entries) {
    return baseline_text({head, entries});
}

Baseline read_back(const std::string& text) {
    return parse_baseline(make_source("b", text));
}

std::string complaint(const std::string& text) {
    try {
        read_back(text);
    } catch (const Failure& failure) {
        return render(failure.diagnostics().front(), false);
    }
    return {};
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TestChange compared(const Result& now, const Result& before, const std::vector<std::string>& common = {}) {
    return compare(now, baseline_entry(now, now.file), baseline_entry(before, before.file), common);
}

}  // namespace

TEST_CASE("a baseline is a head and a line for each test, and is read back") {
    Result odd = message_passing();
    odd.test = "two words \"and\" \xc3\xb6";
    odd.reliance.reset();
    odd.flags.clear();
    odd.races.clear();
    odd.hazards.clear();
    odd.states.clear();
    odd.complete = false;
    const std::string text = text_of({baseline_entry(message_passing(), "d/mp.litmus"), baseline_entry(odd, "a b.litmus")});
    CHECK(text ==
          "# litmus baseline 1: a line for each test, written by `litmus regress --promote`\n"
          "tool 1.4\nmodel ptx 1234\nreadings default: a\noptions max-outcomes=1024 unroll=2\n\n"
          "\"a b.litmus\" \"two words \\\"and\\\" \\u00f6\" fnv1a-0123456789abcdef no incomplete\n"
          "d/mp.litmus mp fnv1a-0123456789abcdef no rests=a|b+c flags=data-race,undefined-b "
          "hazard=\"may-deadlock: threads that \\\"wait\\\"\" hazard=\"race on x\" {P1:r0=0 x=0} {P1:r0=1 x=-1}\n");
    const Baseline baseline = read_back(text);
    CHECK(baseline.head == head);
    REQUIRE(baseline.entries.size() == 2);
    CHECK(baseline.entries[0].test == odd.test);
    CHECK(baseline.entries[1].line == 8);
    CHECK(baseline_text(baseline) == text);
}

TEST_CASE("what is no baseline is refused with its place") {
    const std::string good = text_of({baseline_entry(message_passing(), "d/mp.litmus")});
    CHECK(has(complaint("hello\n"), "b:1:1: error: this is no baseline"));
    CHECK(has(complaint(""), "this is no baseline"));
    CHECK(has(complaint("# litmus baseline 2\n"), "a version that this tool does not read"));
    CHECK(has(complaint("# litmus baseline 1.5: a line\n"), "a version that this tool does not read"));
    CHECK(has(complaint("# litmus baseline 11\n"), "a version that this tool does not read"));
    CHECK(has(complaint("# litmus baseline 1\nmodel ptx\n"), "b:2:1: error: the head of a baseline has here a line `tool ...`"));
    CHECK(has(complaint(good + "<<<<<<< HEAD\n"), "b:8:"));
    CHECK(has(complaint(good + "f t fnv1a-0 maybe\n"), "b:8:13: error: `maybe` is no verdict"));
    CHECK(has(complaint(good + "f t 0 ok\n"), "b:8:5: error: this is no hash of a test"));
    CHECK(has(complaint(good + "f t fnv1a-0\n"), "the line ends where the verdict is due"));
    CHECK(has(complaint(good + "f t fnv1a-0 ok {x=1\n"), "b:8:16: error: this outcome has no end in its line"));
    CHECK(has(complaint(good + "f t\xff fnv1a-0 ok\n"), "b:8:3: error: `t\\xff` is to be quoted as in JSON"));
    CHECK(has(complaint(good + "f t \"fnv1a- 0\" ok\n"), "this is no hash of a test"));
    CHECK(has(complaint(good + "f t fnv1a-0 ok \"rests=a b\"\n"),
              "b:8:16: error: a quotation stands for a file or a test, or after `hazard=`"));
    CHECK(has(complaint(good + "\"f\\"), "b:8:1: error: this quotation has no end in its line"));
    CHECK(has(complaint(good + "\"f t fnv1a-0 ok\n"), "b:8:1: error: this quotation has no end in its line"));
    CHECK(has(complaint(good + "f t fnv1a-0 ok more\n"), "a line of a baseline has no `more` here"));
    const std::string twice = complaint(good + good.substr(good.find("d/mp")));
    CHECK(has(twice, "b:8:1: error: the test 'mp' of 'd/mp.litmus' is twice in the baseline, first in line 7"));
    CHECK(read_back("# litmus baseline 1\ntool a\nmodel b\nreadings c\noptions d").entries.empty());
}

TEST_CASE("a line of many outcomes takes time in proportion to its length") {
    const auto seconds = [](size_t count) {
        std::string text = "# litmus baseline 1\ntool a\nmodel b\nreadings c\noptions d\nf t fnv1a-0 ok";
        for (size_t i = 0; i < count; ++i) text += " {x=1}";
        const double start = worked();
        CHECK(read_back(text).entries.front().outcomes.size() == count);
        return worked() - start;
    };
    const double once = seconds(4'000);
    CHECK(seconds(64'000) < 100 * std::max(once, 0.001));  // 256 times, where each looks for the end of the line
}

TEST_CASE("widened, narrowed, changed, and why") {
    const Result before = message_passing();
    CHECK(compared(before, before).kind == TestChange::Kind::unchanged);
    CHECK(compared(before, before, {"model"}).causes.empty());

    Result now = before;
    now.states.push_back({{2, 2}, false});
    TestChange change = compared(now, before, {"model", "tool"});
    CHECK(change.kind == TestChange::Kind::widened);
    CHECK(change.new_outcomes == std::vector<std::string>{"P1:r0=2 x=2"});
    CHECK(change.causes == std::vector<std::string>{"model", "tool"});
    CHECK(compared(before, now).kind == TestChange::Kind::narrowed);
    CHECK(compared(before, now).gone_outcomes == std::vector<std::string>{"P1:r0=2 x=2"});
    CHECK(compared(before, now).causes == std::vector<std::string>{"build"});
    now.states.erase(now.states.begin());
    CHECK(compared(now, before).kind == TestChange::Kind::changed);

    now = before;
    now.hash = "fnv1a-00";
    change = compared(now, before, {"model"});
    CHECK(change.kind == TestChange::Kind::unchanged);
    CHECK(change.causes == std::vector<std::string>{"test"});
    CHECK(exit_status(change) == 0);
    now.states.pop_back();
    CHECK(compared(now, before, {"model"}).causes == std::vector<std::string>{"test", "model"});

    const auto changes = [&](const std::function<void(Result&)>& edit, const std::string& said) {
        Result other = before;
        edit(other);
        const TestChange c = compared(other, before);
        CHECK(c.kind == TestChange::Kind::changed);
        CHECK(exit_status(c) == 1);
        CHECK_MESSAGE(has(change_text(c, {}), said), change_text(c, {}));
    };
    changes([](Result& r) { r.judgement.verdict = Verdict::ok; }, "    verdict no -> ok\n");
    changes([](Result& r) { r.reliance->rests_on.pop_back(); }, "    rests on a|b+c -> a\n");
    changes([](Result& r) { r.flags.pop_back(); }, "    gone: flag data-race\n");
    changes([](Result& r) { r.hazards.clear(); }, "    gone: may-deadlock: threads that \"wait\"\n");
    changes([](Result& r) { r.races.push_back({"y", {}, {}}); }, "    new: race on y\n");
}

TEST_CASE("what is not decided is no pass, and loses no outcome") {
    const Result before = message_passing();
    Result now = before;
    now.judgement = {Verdict::unknown, Answer::Truth::unknown, {"not in time"}};
    now.states.pop_back();
    now.complete = false;
    now.partial = true;
    const TestChange change = compared(now, before);
    CHECK(change.kind == TestChange::Kind::undecided);
    CHECK(change.gone_outcomes.empty());
    CHECK(exit_status(change) == 3);
    now.states = {{{7, 7}, false}};
    CHECK(compared(now, before).kind == TestChange::Kind::widened);
    now.partial = false;
    CHECK(compared(now, now).kind == TestChange::Kind::undecided);
    Result listed = before;
    listed.complete = false;  // as many as were wanted
    CHECK(compared(listed, listed).kind == TestChange::Kind::unchanged);
}

TEST_CASE("new, missing, moved, wrong") {
    const Result result = message_passing();
    const BaselineEntry entry = baseline_entry(result, "d/mp.litmus");
    CHECK(compare(result, entry, std::nullopt, {}).kind == TestChange::Kind::added);
    BaselineEntry elsewhere = entry;
    elsewhere.file = "old.litmus";
    const TestChange moved = compare(result, entry, elsewhere, {"model"});
    CHECK(moved.kind == TestChange::Kind::moved);
    CHECK(has(change_text(moved, {}), "the test was in old.litmus"));
    CHECK(exit_status(missing(entry, "d/mp.litmus")) == 1);
    const Result wrong = error_result("d/mp.litmus", "mp", Failure(nullptr, {}, "what"));
    CHECK(exit_status(compare(wrong, baseline_entry(wrong, "d/mp.litmus"), entry, {})) == 2);
    for (const TestChange& change : {moved, missing(entry, "f"), compare(result, entry, std::nullopt, {})}) {
        REQUIRE(case_of(change).findings.size() == 1);
        const std::string rule = case_of(change).findings[0].rule;
        CHECK(std::any_of(change_rules().begin(), change_rules().end(), [&](const Rule& r) { return r.id == rule; }));
    }
}

TEST_CASE("causes of the head") {
    CHECK(causes(head, head).empty());
    CHECK(causes(head, {"1.5", "ptx 1", "weakest:", "unroll=3"}) == std::vector<std::string>{"model", "readings", "options", "tool"});
}
