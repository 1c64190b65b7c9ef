// Clocks against maps, and what clocks have in common.
#include "sweep/clock.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

using namespace litmus::sweep;

namespace {

constexpr uint32_t components = 100;

// A clock, and the same as a map.
struct Both {
    Clock clock;
    std::map<size_t, uint32_t> plain;

    uint32_t operator[](size_t component) const {
        const auto found = plain.find(component);
        return found == plain.end() ? 0 : found->second;
    }
    void raise(size_t component, uint32_t to) { plain[component] = std::max((*this)[component], to); }
    void join(const Both& other) {
        clock.join(other.clock);
        for (const auto& [component, number] : other.plain) raise(component, number);
    }
    bool is_right() const {
        for (size_t c = 0; c < components; ++c)
            if (clock[c] != (*this)[c]) return false;
        return true;
    }
    bool covers(const Both& other) const {
        return std::all_of(other.plain.begin(), other.plain.end(), [&](const auto& one) { return (*this)[one.first] >= one.second; });
    }
};

// The lanes of a warp after a barrier: each knows all, and has gone on by itself.
std::vector<Clock> after_barrier(size_t lanes) {
    std::vector<Clock> warp(lanes);
    Clock all;
    for (size_t lane = 0; lane < lanes; ++lane) {
        warp[lane].own(lane, 1);
        all.join(warp[lane]);
    }
    for (size_t lane = 0; lane < lanes; ++lane) {
        warp[lane].join(all);
        warp[lane].own(lane, 2);
    }
    return warp;
}

bool all_share(const std::vector<Clock>& clocks) {
    return std::all_of(clocks.begin(), clocks.end(), [&](const Clock& clock) { return clock.shares(clocks.front()); });
}

}  // namespace

TEST_CASE("clocks know what maps know, whatever is done with copies of them") {
    std::mt19937 random(7);
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    for (int round = 0; round < 40; ++round) {
        std::array<Both, 6> all;
        bool right = true;
        for (int n = 0; n < 400; ++n) {
            const uint32_t at = below(6);
            Both &one = all[at], &other = all[below(6)];
            const uint32_t component = below(4) == 0 ? at : below(components), to = below(50);
            switch (below(6)) {
                case 0:
                    one.clock.raise(component, to);
                    one.raise(component, to);
                    break;
                case 1:
                case 2:
                    one.clock.own(component, to);
                    one.raise(component, to);
                    break;
                case 3:
                case 4:
                    one.join(other);
                    break;
                default:
                    one = other;
            }
            for (const Both& each : all) right = right && each.is_right();
            right = right && one.clock.covers(other.clock) == one.covers(other) && other.clock.covers(one.clock) == other.covers(one);
        }
        CHECK(right);
    }
}

TEST_CASE("after a barrier all lanes share one vector, and go on to share it whatever they do by themselves") {
    std::vector<Clock> warp = after_barrier(32);
    CHECK(all_share(warp));
    CHECK(warp[3][3] == 2);
    CHECK(warp[4][3] == 1);
}

TEST_CASE("lanes that learn the same one after the other share what comes of it") {
    std::vector<Clock> warp = after_barrier(32);
    Clock news;  // of another thread, and of an early time of this warp
    news.raise(5, 1);
    news.raise(40, 7);
    for (Clock& lane : warp) lane.join(news);
    CHECK(all_share(warp));
    CHECK_FALSE(warp[0].shares(news));
    CHECK(warp[9][40] == 7);
    CHECK(warp[9][8] == 1);
    Clock later = news;
    later.raise(41, 1);  // what `news` has is no business of its copy
    for (Clock& lane : warp) lane.join(later);
    CHECK(all_share(warp));
    CHECK(warp[9][41] == 1);
    CHECK(news[41] == 0);
}

TEST_CASE("a join with what is covered, or covers, is no new vector") {
    Clock less, more;
    less.raise(1, 1);
    more.raise(1, 1);
    more.raise(70, 2);
    const Clock before = more;
    more.join(less);
    CHECK(more.shares(before));
    less.join(more);
    CHECK(less.shares(before));
}

TEST_CASE("a join that is remembered is not written any more") {
    std::vector<Clock> warp = after_barrier(2);
    Clock news;
    news.raise(40, 7);
    warp[0].join(news);
    warp[0].raise(41, 1);
    warp[1].join(news);
    CHECK(warp[1][41] == 0);
    news.raise(42, 1);
    warp[1].join(news);
    CHECK(warp[1][42] == 1);
}

TEST_CASE("what a clock has does not grow with the number of a component") {
    Clock clock;
    clock.raise(size_t{1} << 31, 1);
    clock.own((size_t{1} << 31) - 1, 2);
    CHECK(clock[size_t{1} << 31] == 1);
    CHECK(clock[(size_t{1} << 31) - 1] == 2);
}
