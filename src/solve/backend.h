// What the encoding needs of a solver: clauses, and checks under assumptions.
//
// A literal is a signed variable number, as in DIMACS; 1 is the constant true. Implemented by Z3 in
// z3_backend.cpp, the only file that knows it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"

namespace litmus {

using Lit = int32_t;
constexpr Lit always_true = 1;
constexpr Lit always_false = -1;

// The constraints became too many, or cannot be expressed.
struct GaveUp {
    std::string reason = "there are too many constraints";
};

// What is said of Backend::Result::unknown.
inline constexpr const char* no_answer = "it found no answer";

class Backend {
public:
    enum class Result : uint8_t { sat, unsat, unknown };

    // The first of a process costs 8 ms, later ones half a millisecond (bench_z3_context). What the solver answers, and which of several
    // models, is a function of what this backend was asked from its first call on: one per test.
    Backend();
    ~Backend();
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    // Forgets all constraints. From here on the budget and a bound on clauses hold: adding a clause may throw OverBudget or
    // GaveUp. Against the memory of the budget counts what the solver's library holds: for all backends of the process
    // together, which N backends may spend N times.
    void reset(const Budget& budget);

    Lit fresh();
    void clause(const std::vector<Lit>& literals);  // constants are simplified away

    // Unknown when the solver gives up. Throws OverBudget, and std::runtime_error when the solver fails.
    Result check(const std::vector<Lit>& assumptions);
    bool value(Lit literal);  // in the last sat check

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace litmus
