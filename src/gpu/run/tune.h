// The search for a configuration under which a test shows its rarest outcome most often.
//
// A random search, then successive halving. Most of the time goes to short trials: the default configuration, random ones, and
// (half of them, once there are some to build on) variations of the best so far. The best few share the rest
// in rounds: each round runs those that are left equally long, adds what it sees to what they showed before, and keeps the
// better half. Nothing here knows of GPUs: what runs a trial is a function.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "gpu/emit/stress.h"

namespace litmus::gpu {

struct Seen {
    uint64_t count = 0;
    bool wanted = true;  // what the test is there to show: a witness of exists or ~exists, a counterexample of forall
};

// What a trial showed, in so many seconds of its own. Time-outs are no outcomes.
struct Measured {
    std::map<std::vector<uint64_t>, Seen> outcomes;
    double seconds = 0;
};

using Trial = std::function<Measured(const Stress&, double seconds)>;

// How good a configuration is. The larger is the better: first whichever shows more of the outcomes wanted, then that in which
// the rarest of them is the more frequent; then the same for all outcomes.
struct Score {
    size_t wanted = 0;       // different outcomes
    double wanted_rate = 0;  // of the rarest of them, a second; 0: none was seen
    size_t outcomes = 0;
    double rate = 0;
    // clang-tidy takes the `0` that the compiler compares with in the default for a null pointer.
    auto operator<=>(const Score&) const = default;  // NOLINT(modernize-use-nullptr)
};
Score score_of(const Measured& measured);

struct TuneOptions {
    double seconds = 1;  // of all trials together, about
    double trial = 0.02;
    size_t finalists = 8;
    size_t in_turn = 6;          // configurations that a run takes in turn where none showed anything wanted
    std::function<bool()> stop;  // asked between trials
};

struct Tuned {
    Stress best;
    // Where nothing wanted was seen nothing says which is the best, and the fastest is likely the one without noise: the best, then
    // random ones. Otherwise the best alone.
    Stresses in_turn;
    Score score;
    double seconds = 0;
    size_t trials = 0;
};

// Searches until the time is up or `stop` says so; with too little time for one trial the default is the best.
Tuned tune(const Trial& trial, const TuneOptions& options, std::mt19937_64& random);

// One trial of several tests: each gets an equal share of the time, and outcomes are told apart by their test.
Trial together(std::vector<Trial> trials);

}  // namespace litmus::gpu
