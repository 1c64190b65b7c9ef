// Whether the compiled test does what its source may not.
//
// The model allows some outcomes of the source: values of its registers and of memory in the end. It is asked for those of the compiled
// test, too, whose registers hold what those of the source hold. One that only the compiled test has is one that the assembler brought in:
// the program that was written may never end so; likewise where only the compiled test has undefined behaviour. Both are asked under the
// weakest readings of the ISA, so what is forbidden is so in every reading. A source that is undefined under these may do anything; it is
// asked about under the default readings, and then under the strongest, and the answer says so.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/compiled/rebuild.h"
#include "analysis/explain/explanation.h"
#include "base/budget.h"
#include "cat/readings.h"
#include "language/test.h"
#include "solve/solve.h"

namespace litmus::compiled {

enum class Fate : uint8_t { kept, allowed, unknown, forbidden };
std::string_view name(Fate fate);  // "kept", "changed, allowed", ...

struct Ruling {
    Fate fate = Fate::unknown;
    std::string reason;     // unknown: why
    std::string outcome;    // forbidden: "P1:r1=1; P1:r2=0;", the fewest values that the source cannot have together; empty:
    std::string hazard;     // "write of tensor map": undefined behaviour that the source does not have
    std::string execution;  // lines: one of the compiled test that ends so
    Explanation why;        // the source cannot
};

// What the model says of a test as it is written.
class Judge {
public:
    // `test` is native and outlives it, as do the others. Throws as build_program and Solver::solve.
    Judge(const Test& test, ModelFamily& family, Solver& solver, int unroll, const Budget& budget);

    Truth race_free() const { return race_free_; }
    Truth undefined() const { return undefined_; }
    Reading::Base readings() const { return base_; }
    // The same for the same compiled test: it is asked once.
    Ruling rule_on(const CompiledTest& compiled);

private:
    Ruling compare(const Test& compiled);
    void ask_source();
    void explain(const Test& compiled, const std::vector<uint64_t>& outcome, Ruling& ruling);
    bool allows(const std::vector<uint64_t>& outcome);
    bool allows_some(const Condition& condition);

    const Test& test_;
    Reading::Base base_ = Reading::Base::weakest;
    const Model* model_;
    Solver& solver_;
    const int unroll_;
    const Budget budget_;
    Program program_;
    Answer answer_;
    Truth race_free_ = Truth::unknown, undefined_ = Truth::unknown;
    std::map<std::string, Ruling> known_;  // by the text of the compiled test
};

}  // namespace litmus::compiled
