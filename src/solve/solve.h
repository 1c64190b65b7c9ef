// The solving engine's face: a program and a model in, answers out. No Z3 type shows here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cat/model.h"
#include "event/execution.h"
#include "solve/hazards.h"
#include "solve/sat/backend.h"

namespace litmus {

// What is so in some executions: these events happen, and of these pairs of base relations each is there, or each `absent` one is not.
struct Circumstance {
    struct Fact {
        std::string relation;  // rf, co, sc, or one with pairs in some executions only
        Relation::Pair pair;
        bool absent = false;
    };
    std::vector<size_t> events;
    std::vector<Fact> facts;
};

struct SolveOptions {
    size_t max_outcomes = 1024;
    size_t apart_from = 16;     // so many outcomes are asked for singly, then as products of parts (parts.h); answers do not depend on it
    bool all_state = false;     // outcomes name every register and location, not only what the claim mentions
    bool want_outcomes = true;  // enumerate after the claim is decided
    bool want_hazards = true;   // look for what the program's executions raise and do, too: Answer::hazards
    bool filtered = true;       // false: executions that the test's filter leaves out count too
    std::optional<std::vector<uint64_t>> only;  // list nothing but this outcome, if it is one; decide nothing else
    std::vector<Circumstance> avoid;            // executions in which one of these is so do not count
};

struct Outcome {
    std::vector<uint64_t> values;      // parallel to Answer::observables
    bool satisfies = false;            // the claim's condition
    Execution witness;                 // one execution that has it
    std::vector<size_t> final_writes;  // by cell: the write taken as final (init writes included)
};

struct Timing {
    double bounds = 0, encode = 0, solve = 0, check = 0;  // seconds
};

struct Answer {
    using Truth = litmus::Truth;
    Truth satisfiable = Truth::unknown;        // some consistent execution (passing the filter) satisfies the condition
    Truth violable = Truth::unknown;           // some consistent execution (passing the filter) violates it
    Truth nonempty = Truth::unknown;           // some consistent, terminating execution exists (filter apart)
    Truth filtered_nonempty = Truth::unknown;  // some consistent, terminating execution passes the filter
    bool bound_hit = false;                    // some consistent execution runs into the unroll bound
    bool timed_out = false, out_of_memory = false;
    std::string gave_up;  // why, when it was neither time nor memory
    std::vector<Observable> observables;
    std::vector<Outcome> outcomes;   // in a canonical order (by values)
    bool complete = false;           // outcomes are all there are
    std::optional<Outcome> witness;  // satisfies the condition
    Timing timing;
    std::optional<Hazards> hazards;  // none: not looked for
};

// Holds one solver context, for the programs of one test; the time and memory of each call are those of the program's
// budget. Not thread safe.
class Solver {
public:
    // `counts_from`: a location with at least so many updates is taken as a chain where it is one (chains.h). Answers do not
    // depend on it, only how long they take: with fewer updates all orders are soon tried. Likewise of so many threads that are alike
    // one order is looked at (symmetry.h).
    // Throws std::runtime_error where the tool was built without the engine.
    explicit Solver(size_t counts_from = usually, Engine engine = Engine::by_size);
    static constexpr size_t usually = 4, always = 1, never = ~size_t{0};  // to count

    // Throws std::logic_error naming the test when the concrete engine rejects an execution the
    // solver returned.
    Answer solve(Program& program, const Model& model, const SolveOptions& options);

    // Looks for hazards alone, in a program built with BuildOptions::blocked. Throws as solve().
    Hazards hazards(Program& program, const Model& model);

    // For other ways to ask (inquiry.h).
    Backend& backend() { return *backend_; }
    size_t counts_from() const { return counts_from_; }

private:
    size_t counts_from_;
    std::unique_ptr<Backend> backend_;
};

}  // namespace litmus
