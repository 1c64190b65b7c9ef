// The search, against made-up devices.
#include "gpu/run/tune.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace litmus::gpu;

namespace {

Measured seen(std::initializer_list<std::pair<uint64_t, Seen>> outcomes, double seconds) {
    Measured measured;
    for (const auto& [value, s] : outcomes) measured.outcomes[{value}] = s;
    measured.seconds = seconds;
    return measured;
}

uint64_t events(double rate, double seconds) {
    return static_cast<uint64_t>(std::llround(rate * seconds));
}

// The weak outcome comes with skew, and much more with scattered locations too.
double weak_rate(const Stress& s) {
    return (s.skew > 0 ? 100.0 : 0.0) + (s.skew > 0 && s.scatter == Scatter::random ? 10000.0 : 0.0);
}

Measured weak_with_skew(const Stress& s, double seconds) {
    return seen({{0, {events(1e9, seconds), false}}, {1, {events(weak_rate(s), seconds), true}}}, seconds);
}

}  // namespace

TEST_CASE("more of the outcomes wanted come first, then the rarest one's rate, then the same for all") {
    const Score nothing = score_of(seen({}, 1));
    const Score common = score_of(seen({{0, {1000, false}}}, 1));
    const Score rare = score_of(seen({{0, {1000, false}}, {1, {2, true}}}, 1));
    const Score often = score_of(seen({{0, {10, false}}, {1, {3, true}}}, 1));
    const Score slow = score_of(seen({{0, {1000, false}}, {1, {2, true}}}, 2));
    const Score two = score_of(seen({{1, {1, true}}, {2, {1, true}}}, 1));
    CHECK(nothing < common);
    CHECK(common < rare);
    CHECK(rare < often);
    CHECK(slow < rare);
    CHECK(often < two);
    CHECK(rare.outcomes == 2);
    CHECK(rare.wanted == 1);
    CHECK(rare.wanted_rate == 2);
    CHECK(score_of(seen({{0, {0, true}}}, 1)) == nothing);  // a count of none was not seen
    CHECK(score_of(seen({{0, {5, true}}}, 0)) == Score{});
}

TEST_CASE("the search finds the configurations that show the weak outcome") {
    std::mt19937_64 random(5);
    TuneOptions options;
    options.seconds = 4;
    const Tuned tuned = tune(weak_with_skew, options, random);
    CHECK(tuned.best.skew > 0);
    CHECK(tuned.in_turn == Stresses{tuned.best});
    CHECK(tuned.best.scatter == Scatter::random);
    CHECK(tuned.score.wanted == 1);
    CHECK(tuned.score.wanted_rate == doctest::Approx(10100).epsilon(0.01));
    CHECK(tuned.seconds <= options.seconds * 1.001);
    CHECK(tuned.seconds > options.seconds * 0.95);
    CHECK(tuned.trials > 100);
}

TEST_CASE("the first trial is of the default, which wins where nothing is better") {
    std::mt19937_64 random(5);
    std::vector<Stress> tried;
    const auto indifferent = [&](const Stress& s, double seconds) {
        tried.push_back(s);
        return seen({{0, {s == Stress{} ? events(1e6, seconds) : events(1e5, seconds), false}}}, seconds);
    };
    TuneOptions options;
    options.seconds = 1;
    const Tuned tuned = tune(indifferent, options, random);
    CHECK(tuned.best == Stress{});
    REQUIRE(tuned.in_turn.size() == options.in_turn);  // nothing wanted was seen: others, too
    CHECK(tuned.in_turn[0] == Stress{});
    CHECK_FALSE(tuned.in_turn[1] == Stress{});
    CHECK(tried.front() == Stress{});
    CHECK(tried.size() > 20);
}

TEST_CASE("finalists that were lucky once lose to those that are good") {
    std::mt19937_64 random(11);
    size_t trial = 0;
    const auto device = [&](const Stress& s, double seconds) {
        const bool luck = !(s == Stress{}) && ++trial <= 5 && seconds < 0.03;  // once, in a short trial
        return seen({{0, {1000000, false}}, {1, {s == Stress{} ? events(3000, seconds) : luck ? 100U : 0U, true}}}, seconds);
    };
    TuneOptions options;
    options.seconds = 20;
    CHECK(tune(device, options, random).best == Stress{});
}

TEST_CASE("no time, an interrupt, a device that has gone") {
    std::mt19937_64 random(5);
    TuneOptions options;
    options.seconds = 0.01;  // less than one trial
    const Tuned none = tune(weak_with_skew, options, random);
    CHECK(none.trials == 0);
    CHECK(none.best == Stress{});
    CHECK(none.in_turn == Stresses{Stress{}});

    options.seconds = 10;
    size_t asked = 0;
    options.stop = [&] { return ++asked > 5; };
    const Tuned stopped = tune(weak_with_skew, options, random);
    CHECK(stopped.trials == 5);

    options.stop = {};
    const Tuned dead = tune([](const Stress&, double) { return Measured{}; }, options, random);
    CHECK(dead.trials == 1);
    CHECK(dead.best == Stress{});
}

TEST_CASE("several tests together: equal shares, outcomes told apart, the rarest of all counts") {
    const Trial a = [](const Stress&, double seconds) { return seen({{0, {events(100, seconds), true}}}, seconds); };
    const Trial b = [](const Stress&, double seconds) { return seen({{0, {events(1000, seconds), true}}}, seconds); };
    const Measured both = together({a, b})(Stress{}, 2);
    CHECK(both.seconds == doctest::Approx(2));
    REQUIRE(both.outcomes.size() == 2);
    CHECK(both.outcomes.at({0, 0}).count == 100);
    CHECK(both.outcomes.at({0, 1}).count == 1000);
    CHECK(score_of(both).wanted_rate == doctest::Approx(50));
}

TEST_CASE("the same seed gives the same search") {
    TuneOptions options;
    options.seconds = 2;
    std::mt19937_64 a(9), b(9);
    CHECK(tune(weak_with_skew, options, a).best == tune(weak_with_skew, options, b).best);
}
