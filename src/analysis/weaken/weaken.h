// What of a test's synchronization can go: fences, qualifiers, scopes and waits without which it shows nothing new.
//
// New is an outcome that was not among those of the test, undefined behaviour, a thread that stays or another flag of the model where there
// was none, a race of two accesses that did not race, and another verdict: what a test claims stays so. (Of a test that shows something
// bad, what can go may be just what its repair needs.)
// Each weakening is tried alone by the whole pipeline; those that can go are then put together as long as nothing new comes up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/edits/candidate.h"
#include "analysis/verdict/verdict.h"
#include "cat/readings.h"
#include "solve/solve.h"

namespace litmus {

struct WeakenOptions {
    bool all_state = false;  // outcomes name every register and location, not only what the claim mentions
    int unroll = 2;
    size_t max_outcomes = 1024;
    Budget budget = {};
};

// Something of a test that synchronizes, and what was found of it.
struct Part {
    enum class Fate : uint8_t { needless, weaker_will_do, needed, unknown };
    Fate fate = Fate::unknown;
    ProgramPoint place;
    std::vector<Edit> ways;              // to take it out, or to weaken it, the weakest first; `fault` is what is then missing, if it is
    std::optional<size_t> way;           // needless, weaker_will_do: the weakest that shows nothing new
    std::string without;                 // needed: what comes up, with the mildest way
    std::string asked;                   // the rule of the ISA that asks for it, whatever comes up, as `without` has it; empty: none
    std::vector<std::string> relies_on;  // needless, weaker_will_do: readings that are on and without which something new comes up
};

struct Weakening {
    std::vector<Part> parts;  // in the order of the test
    // Sets of parts that can go, or be weaker, at once, each with its way; no part and no weaker way can be added to one, and each part
    // that can go, or be weaker, is in one.
    struct Choice {
        size_t part = 0, way = 0;
    };
    std::vector<std::vector<Choice>> together;
    std::vector<std::string> texts;       // of the test without these
    Verdict verdict = Verdict::unknown;   // of the test as it is
    std::vector<ProgramPoint> not_tried;  // waits and barriers that no part takes out: see below
    bool partial = false;                 // the time or the memory ran out, or something stayed undecided
};

// The test has the source that it was read from. Throws Failure where that holds other tests, too, and as build_program and Solver.
Weakening weaken(const Test& test, ModelFamily& family, const std::vector<std::string>& readings, Solver& solver,
                 const WeakenOptions& options);

// The parts of a test with the ways to weaken them; their fates are open.
std::vector<Part> parts_of(const Test& test);

// Instructions that order or wait, of which no part takes out or weakens any: uses of a barrier that are not as many in all threads, or are
// guarded; what no part is made of.
std::vector<ProgramPoint> not_tried(const Test& test, const std::vector<Part>& parts);

}  // namespace litmus
