// Verdicts of hand-made answers.
#include "analysis/verdict/verdict.h"

#include <doctest/doctest.h>

#include <functional>

using namespace litmus;

namespace {

using Truth = Answer::Truth;

Test test_with(Claim::Kind kind) {
    Test test;
    test.claim.kind = kind;
    return test;
}

// Decided, with executions that terminate: all, some or none of which satisfy the condition.
Answer decided(Truth satisfiable, Truth violable) {
    Answer answer;
    answer.satisfiable = satisfiable;
    answer.violable = violable;
    answer.nonempty = Truth::yes;
    answer.filtered_nonempty = Truth::yes;
    answer.complete = true;
    answer.hazards = Hazards{};
    return answer;
}

Verdict verdict(Claim::Kind kind, const Answer& answer) {
    return judge(test_with(kind), answer).verdict;
}

}  // namespace

TEST_CASE("each quantifier on each decided answer") {
    struct Row {
        Truth satisfiable, violable;
        Verdict exists, not_exists, forall;
    };
    const Row rows[] = {
        {Truth::yes, Truth::yes, Verdict::ok, Verdict::no, Verdict::no},
        {Truth::yes, Truth::no, Verdict::ok, Verdict::no, Verdict::ok},
        {Truth::no, Truth::yes, Verdict::no, Verdict::ok, Verdict::no},
        {Truth::yes, Truth::unknown, Verdict::ok, Verdict::no, Verdict::unknown},
        {Truth::no, Truth::unknown, Verdict::no, Verdict::ok, Verdict::unknown},
        {Truth::unknown, Truth::yes, Verdict::unknown, Verdict::unknown, Verdict::no},
        {Truth::unknown, Truth::no, Verdict::unknown, Verdict::unknown, Verdict::ok},
    };
    for (const Row& row : rows) {
        const Answer answer = decided(row.satisfiable, row.violable);
        CHECK(verdict(Claim::Kind::exists, answer) == row.exists);
        CHECK(verdict(Claim::Kind::not_exists, answer) == row.not_exists);
        CHECK(verdict(Claim::Kind::forall, answer) == row.forall);
        CHECK(verdict(Claim::Kind::none, answer) == Verdict::ok);
    }
}

// What lies behind the bound may be undefined or hang: an `exists` that was found is not the whole answer.
TEST_CASE("a cut loop makes what was not found unknown; a claim that fails has failed") {
    Answer none = decided(Truth::no, Truth::no);
    none.bound_hit = true;
    for (const Claim::Kind kind : {Claim::Kind::exists, Claim::Kind::not_exists, Claim::Kind::forall}) {
        const Judgement judgement = judge(test_with(kind), none);
        CHECK(judgement.verdict == Verdict::unknown);
        CHECK(judgement.holds == Truth::unknown);
        REQUIRE(judgement.notes.size() == 1);
        CHECK(judgement.notes[0].find("--unroll") != std::string::npos);
    }
    Answer both = decided(Truth::yes, Truth::yes);
    both.bound_hit = true;
    CHECK(verdict(Claim::Kind::exists, both) == Verdict::unknown);
    CHECK(verdict(Claim::Kind::not_exists, both) == Verdict::no);
    CHECK(verdict(Claim::Kind::forall, both) == Verdict::no);
}

TEST_CASE("deadlock comes before the claim, which is judged all the same") {
    Answer stuck = decided(Truth::no, Truth::no);
    stuck.nonempty = Truth::no;
    const Judgement unclaimed = judge(test_with(Claim::Kind::not_exists), stuck);
    CHECK(unclaimed.verdict == Verdict::deadlock);
    CHECK(unclaimed.holds == Truth::yes);
    CHECK(judge(test_with(Claim::Kind::exists), stuck).holds == Truth::no);

    Test claimed = test_with(Claim::Kind::not_exists);
    claimed.claims_deadlock = true;
    CHECK(judge(claimed, stuck).verdict == Verdict::ok);
    CHECK(judge(claimed, decided(Truth::no, Truth::yes)).verdict == Verdict::no);

    stuck.bound_hit = true;  // perhaps a longer loop ends
    CHECK(verdict(Claim::Kind::not_exists, stuck) == Verdict::unknown);
    CHECK(judge(claimed, stuck).verdict == Verdict::unknown);
}

TEST_CASE("racefree is a claim, a race without it is not a failure") {
    Answer racy = decided(Truth::yes, Truth::yes);
    Hazard race;
    race.kind = Hazard::Kind::race;
    race.flag = "data-race";
    racy.hazards->found = {race};
    CHECK(verdict(Claim::Kind::exists, racy) == Verdict::ok);

    Test test = test_with(Claim::Kind::exists);
    test.claims_racefree = true;
    CHECK(judge(test, racy).verdict == Verdict::no);
    CHECK(judge(test, racy).holds == Truth::no);  // claimed with the condition
    CHECK(judge(test, decided(Truth::yes, Truth::yes)).verdict == Verdict::ok);

    Answer unsure = decided(Truth::yes, Truth::yes);
    unsure.hazards->races_complete = false;
    CHECK(judge(test, unsure).verdict == Verdict::unknown);
    unsure.satisfiable = Truth::no;  // a claim that fails outweighs one that is not decided
    CHECK(judge(test, unsure).verdict == Verdict::no);
}

TEST_CASE("a possible hang that nobody claims is a verdict of its own") {
    Answer stuck = decided(Truth::yes, Truth::no);
    stuck.hazards = Hazards{};
    stuck.hazards->blocked = Truth::yes;
    CHECK(verdict(Claim::Kind::exists, stuck) == Verdict::may_deadlock);
    CHECK(verdict(Claim::Kind::none, stuck) == Verdict::may_deadlock);
    CHECK(judge(test_with(Claim::Kind::exists), stuck).holds == Truth::yes);
    CHECK(verdict(Claim::Kind::not_exists, stuck) == Verdict::no);  // a claim that fails comes before it

    Test claimed = test_with(Claim::Kind::exists);
    claimed.claims_may_deadlock = true;
    CHECK(judge(claimed, stuck).verdict == Verdict::ok);
    CHECK(judge(claimed, decided(Truth::yes, Truth::no)).verdict == Verdict::no);

    Test denied = test_with(Claim::Kind::exists);
    denied.claims_terminates = true;
    CHECK(judge(denied, stuck).verdict == Verdict::no);
    CHECK(judge(denied, stuck).notes == std::vector<std::string>{"claims terminates, but some execution gets stuck"});
    CHECK(judge(denied, decided(Truth::yes, Truth::no)).verdict == Verdict::ok);

    stuck.nonempty = Truth::no;
    CHECK(verdict(Claim::Kind::none, stuck) == Verdict::deadlock);
    stuck.hazards->undefined = Truth::yes;
    CHECK(verdict(Claim::Kind::none, stuck) == Verdict::undefined);
}

TEST_CASE("what may come up and is not decided is no pass, claimed or not") {
    Answer open = decided(Truth::yes, Truth::no);
    open.hazards = Hazards{};
    open.hazards->blocked = Truth::unknown;
    CHECK(verdict(Claim::Kind::exists, open) == Verdict::unknown);
    CHECK(judge(test_with(Claim::Kind::exists), open).holds == Truth::yes);
    CHECK(verdict(Claim::Kind::not_exists, open) == Verdict::no);
    Test test = test_with(Claim::Kind::exists);
    test.claims_terminates = true;
    CHECK(judge(test, open).verdict == Verdict::unknown);
    open.hazards->blocked = Truth::no;
    CHECK(judge(test, open).verdict == Verdict::ok);
    open.bound_hit = true;  // perhaps a longer loop gets stuck
    CHECK(judge(test, open).verdict == Verdict::unknown);

    Answer other = decided(Truth::yes, Truth::no);
    other.hazards = Hazards{};
    other.hazards->undefined = Truth::unknown;
    CHECK(verdict(Claim::Kind::exists, other) == Verdict::unknown);
    other.hazards.reset();  // not looked for
    CHECK(verdict(Claim::Kind::exists, other) == Verdict::unknown);
    other.hazards = Hazards{};
    other.nonempty = Truth::unknown;
    CHECK(verdict(Claim::Kind::not_exists, other) == Verdict::no);
    CHECK(verdict(Claim::Kind::forall, other) == Verdict::unknown);  // perhaps no execution terminates
}

TEST_CASE("asked strictly, a race that nobody claims to be absent is a failure") {
    Answer racy = decided(Truth::yes, Truth::no);
    racy.hazards->found.emplace_back().flag = "data-race";
    const Test test = test_with(Claim::Kind::exists);
    CHECK(judge(test, racy, true).verdict == Verdict::race);
    CHECK(judge(test, racy, true).holds == Truth::yes);
    CHECK(judge(test_with(Claim::Kind::not_exists), racy, true).verdict == Verdict::no);
    CHECK(judge(test, decided(Truth::yes, Truth::no), true).verdict == Verdict::ok);
    Answer open = decided(Truth::yes, Truth::no);
    open.hazards->races_complete = false;
    CHECK(judge(test, open, true).verdict == Verdict::unknown);
    CHECK(judge(test, open).verdict == Verdict::ok);
}

TEST_CASE("a test that expects nothing is ok whatever comes up") {
    Test test = test_with(Claim::Kind::forall);
    test.report_only = true;
    Answer answer = decided(Truth::yes, Truth::yes);
    CHECK(judge(test, answer).verdict == Verdict::ok);
    CHECK(judge(test, answer).holds == Truth::no);
    CHECK(judge(test, answer).notes.size() == 1);
    answer.nonempty = Truth::no;
    CHECK(judge(test, answer).verdict == Verdict::ok);
}

TEST_CASE("a time-out is said") {
    Answer answer;
    answer.timed_out = true;
    const Judgement judgement = judge(test_with(Claim::Kind::exists), answer);
    CHECK(judgement.verdict == Verdict::unknown);
    REQUIRE(judgement.notes.size() == 1);
    CHECK(judgement.notes[0].find("time") != std::string::npos);
}

TEST_CASE("exit statuses combine 70 before 2 before 1 before 3 before 0") {
    const int order[] = {70, 2, 1, 3, 0};
    for (size_t i = 0; i < 5; ++i)
        for (size_t j = i; j < 5; ++j) {
            CHECK(combine_status(order[i], order[j]) == order[i]);
            CHECK(combine_status(order[j], order[i]) == order[i]);
        }
    CHECK(exit_status(Verdict::ok) == 0);
    CHECK(exit_status(Verdict::no) == 1);
    CHECK(exit_status(Verdict::undefined) == 1);
    CHECK(exit_status(Verdict::deadlock) == 1);
    CHECK(exit_status(Verdict::may_deadlock) == 1);
    CHECK(exit_status(Verdict::race) == 1);
    CHECK(exit_status(Verdict::error) == 2);
    CHECK(exit_status(Verdict::unknown) == 3);
}
