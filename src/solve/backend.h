// What the encoding needs of a solver: clauses, bit-vector words, checks under assumptions.
//
// A literal is a signed variable number, as in DIMACS; 1 is the constant true. Implemented by Z3 in
// z3_backend.cpp, the only file that knows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/type.h"

namespace litmus {

using Lit = int32_t;
constexpr Lit always_true = 1;
constexpr Lit always_false = -1;

using Word = int32_t;  // handle of a bit-vector term

// The constraints became too many, took too long to build, or cannot be expressed.
struct GaveUp {
    bool timed_out = false;
    std::string reason = {};  // empty: too large
};

class Backend {
public:
    enum class Result : uint8_t { sat, unsat, unknown };

    // A process-wide cost of 15-20 ms: create one per worker.
    Backend();
    ~Backend();
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    // Forgets everything, keeps the context. From here on `deadline` and a bound on clauses hold: adding
    // a clause past either throws GaveUp.
    void reset(std::optional<std::chrono::steady_clock::time_point> deadline = std::nullopt);

    Lit fresh();
    void clause(const std::vector<Lit>& literals);  // constants are simplified away

    Word word(int bits);  // a free variable
    Word constant(uint64_t value, int bits);
    // Integer types. Floating-point operations have no words: they throw GaveUp, as comparisons do.
    Word apply(std::string_view operation, Type type, Word a, Word b);
    Lit compare(std::string_view comparison, Type type, Word a, Word b);
    Word ite(Lit condition, Word a, Word b);
    Word resize(Word a, int bits, bool sign);

    // Throws std::runtime_error when the solver fails (out of memory).
    Result check(const std::vector<Lit>& assumptions, double timeout_seconds);
    // In the last sat check:
    bool value(Lit literal);
    uint64_t word_value(Word word);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace litmus
