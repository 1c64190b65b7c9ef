// What is said first of a result: what the program does, whichever way the test claims it.
#include "analysis/verdict/conduct.h"

#include <doctest/doctest.h>

using namespace litmus;

namespace {

using Kind = Conduct::Kind;
using Truth = Answer::Truth;

// A test that asks about "x == 1", decided to the end.
Result asking(Claim::Kind claim, Truth satisfiable, Truth violable, Verdict verdict) {
    Result result;
    result.claim = claim;
    result.claim_kind = claim == Claim::Kind::exists ? "exists" : claim == Claim::Kind::not_exists ? "~exists" : "forall";
    result.condition = "(x == 1)";
    result.claim_text = result.claim_kind + " (x == 1)";
    result.satisfiable = satisfiable;
    result.violable = violable;
    result.judgement.verdict = verdict;
    return result;
}

Result claiming_nothing() {
    Result result;
    result.judgement.verdict = Verdict::ok;
    return result;
}

Result::Harm harm(Hazard::Kind kind, const std::string& title) {
    return {kind, title, {}, {}, {}};
}

Result::RacingPair race(const std::string& location) {
    return {location, {}, {}};
}

// Its kind, what is said of the program, and what the test says to that.
void expect(const Result& result, Kind kind, const std::string& sentence, const std::string& claimed) {
    const auto conduct = conduct_of(result);
    REQUIRE(conduct);
    CHECK(conduct->kind == kind);
    CHECK(conduct->sentence == sentence);
    CHECK(conduct->claimed == claimed);
}

}  // namespace

TEST_CASE("what a program does is the same whether its test claims that or the contrary") {
    const std::string can = "can end with x == 1", never = "cannot go wrong: never ends with x == 1";
    expect(asking(Claim::Kind::exists, Truth::yes, Truth::yes, Verdict::ok), Kind::can_happen, can, "the test claims so");
    expect(asking(Claim::Kind::not_exists, Truth::yes, Truth::yes, Verdict::no), Kind::can_happen, can, "the test claims otherwise");
    expect(asking(Claim::Kind::exists, Truth::no, Truth::yes, Verdict::no), Kind::safe, never, "the test claims otherwise");
    expect(asking(Claim::Kind::not_exists, Truth::no, Truth::yes, Verdict::ok), Kind::safe, never, "the test claims so");
    expect(asking(Claim::Kind::forall, Truth::yes, Truth::no, Verdict::ok), Kind::safe, "cannot go wrong: always ends with x == 1",
           "the test claims so");
    expect(asking(Claim::Kind::forall, Truth::yes, Truth::yes, Verdict::no), Kind::can_happen, "need not end with x == 1",
           "the test claims otherwise");
}

TEST_CASE("undefined behaviour and hangs go wrong, though the test claims them") {
    Result result = claiming_nothing();
    result.claim_text = "undefined; may-deadlock";
    result.hazards = {harm(Hazard::Kind::undefined, "read of copy destination: nobody waits (ISA 9)"),
                      harm(Hazard::Kind::undefined, "read of copy destination"), harm(Hazard::Kind::blocked, "threads that wait for ever")};
    expect(result, Kind::goes_wrong, "can go wrong: undefined behaviour (read of copy destination), may hang", "the test claims so");
    result.claim_text.clear();
    result.judgement.verdict = Verdict::undefined;
    expect(result, Kind::goes_wrong, "can go wrong: undefined behaviour (read of copy destination), may hang", "the test does not say so");

    Result stuck = asking(Claim::Kind::exists, Truth::no, Truth::no, Verdict::ok);
    stuck.claim_text += "; deadlock";
    stuck.hazards = {harm(Hazard::Kind::blocked, "threads that wait for ever")};
    stuck.never_ends = true;
    expect(stuck, Kind::goes_wrong, "goes wrong: no execution ends", "the test claims so");

    // beside a hang the outcome is told, and that it cannot be is no comfort
    Result hang = asking(Claim::Kind::exists, Truth::yes, Truth::yes, Verdict::may_deadlock);
    hang.hazards = stuck.hazards;
    expect(hang, Kind::goes_wrong, "can go wrong: may hang; can end with x == 1", "the test does not say so");
    hang.satisfiable = Truth::no;
    expect(hang, Kind::goes_wrong, "can go wrong: may hang", "the test does not say so");
}

TEST_CASE("a race is said, and is worse than nothing and better than the outcome that is asked about") {
    Result result = claiming_nothing();
    expect(result, Kind::safe, "cannot go wrong", "the test claims nothing");
    result.races = {race("x"), race("y[1]"), race("x"), race("y@cta1[2]")};
    expect(result, Kind::races, "races on x, y", "the test claims nothing");
    result.races.push_back(race("z"));
    result.races.push_back(race("a"));
    result.races.push_back(race("b"));
    expect(result, Kind::races, "races on x, y, z and 2 more", "the test claims nothing");
    Result asked = asking(Claim::Kind::not_exists, Truth::no, Truth::yes, Verdict::ok);
    asked.races = {race("x")};
    expect(asked, Kind::races, "never ends with x == 1, but races on x", "the test claims so");
    asked.satisfiable = Truth::yes;
    asked.judgement.verdict = Verdict::no;
    expect(asked, Kind::can_happen, "can end with x == 1; races on x", "the test claims otherwise");
}

TEST_CASE("what was not looked for to the end is not known to be absent; what was found is found") {
    const std::string open = "is not known to the end: nothing was found to go wrong";
    const std::string undecided = "whether the test claims so is not decided";
    Result cut = asking(Claim::Kind::not_exists, Truth::no, Truth::yes, Verdict::unknown);
    cut.unrolled = true;
    expect(cut, Kind::unknown, open, undecided);
    Result late = asking(Claim::Kind::not_exists, Truth::unknown, Truth::unknown, Verdict::unknown);
    late.partial = true;
    expect(late, Kind::unknown, open, undecided);
    late.satisfiable = Truth::yes;
    expect(late, Kind::can_happen, "can end with x == 1", undecided);
    late.hazards = {harm(Hazard::Kind::blocked, "threads that wait for ever")};
    expect(late, Kind::goes_wrong, "can go wrong: may hang; can end with x == 1", undecided);
    // a failing claim does not make the rest known
    Result partly = asking(Claim::Kind::exists, Truth::no, Truth::yes, Verdict::no);
    partly.partial = true;
    expect(partly, Kind::unknown, open, "the test claims otherwise");
}

TEST_CASE("a filter is said, a kernel is right in what was judged, and an error does nothing") {
    Result filtered = asking(Claim::Kind::not_exists, Truth::no, Truth::yes, Verdict::ok);
    filtered.claim_text = "filter (y == 2) ~exists (x == 1)";
    expect(filtered, Kind::safe, "cannot go wrong: never ends with x == 1, given y == 2", "the test claims so");

    Result kernel = claiming_nothing();
    kernel.judged = {"grid 1, block 64"};
    expect(kernel, Kind::safe, "cannot go wrong in what was judged", "the test claims nothing");
    kernel.reservations = {"a loop was cut"};
    expect(kernel, Kind::unknown, "was not found to go wrong in what was judged, with reservations", "the test claims nothing");

    Result error;
    error.judgement.verdict = Verdict::error;
    CHECK_FALSE(conduct_of(error));
}
