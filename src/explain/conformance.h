// What was observed on a device against what a model allows, test by test and reading by reading.
//
// A model predicts, of each test, the outcomes that some execution has. A device that shows another one does not behave as
// the model says. A reading (model/semantics.md section 10) forbids some of these outcomes: a device that shows one of those
// refutes the reading. Not to be seen is no proof: of an outcome that never came up in N instances, its rate is below 3/N
// with 95 % confidence, and no more is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cat/readings.h"
#include "gpu/observed.h"
#include "solve/solve.h"

namespace litmus {

using Values = std::vector<uint64_t>;  // of an outcome, by observable

// ---- what a model says ------------------------------------------------------------------------

// What switching one reading on forbids, all others being as under `weakest`.
struct ReadingEffect {
    std::string reading;
    std::vector<Values> excludes;  // sorted: these outcomes ...
    bool defines = false;          // ... or, of a test that is undefined without it, all outcomes but `leaves`
    std::vector<Values> leaves;    // sorted
    bool decided = true;           // false: there may be more
};

// Whether the reading forbids anything, and this outcome.
bool distinguishes(const ReadingEffect& effect);
bool forbids(const ReadingEffect& effect, const Values& outcome);

struct Prediction {
    std::vector<gpu::Observable> observables;
    // The test has no condition, and runs observe all there is: beside these also opaque state tokens, and elements of arrays
    // that the model leaves out because no other event touches them.
    bool observes_more = false;
    std::vector<Values> allowed;  // sorted; whatever the filter of the test says
    bool complete = false;        // no other outcome is allowed
    Truth undefined = Truth::no;  // whether some execution is undefined behaviour: then every outcome is allowed
    std::vector<std::string> undefined_by;
    std::vector<ReadingEffect> effects;  // of the readings that forbid something, or may do so
};

// What the model says under the readings `on`, and what each of its readings does to the test. All questions together have the
// budget of `build`. The test is native. Throws as build_program and Solver::solve.
Prediction predict(const Test& test, ModelFamily& family, const std::vector<std::string>& on, const BuildOptions& build, Solver& solver);

// ---- what was observed ------------------------------------------------------------------------

// Runs of one test, added up.
class Tally {
public:
    explicit Tally(gpu::Observation first);

    // Throws Failure where `more` did not observe the same things, and for sums beyond 64 bits; what it then holds is of no use.
    void add(const gpu::Observation& more);
    const gpu::Observation& sum() const { return sum_; }  // outcomes in order of appearance, each once

private:
    void add_outcomes(const std::vector<gpu::Outcome>& outcomes);

    gpu::Observation sum_;
    std::map<Values, size_t> place_;  // among the outcomes
};

enum class Standing : uint8_t { allowed, forbidden, undecided, undefined };
std::string_view name(Standing standing);

struct Seen {
    Values values;
    uint64_t count = 0;
    Standing standing = Standing::allowed;
    std::vector<std::string> refutes;  // readings
};

// One test on one device.
struct Comparison {
    // The worst of what was seen: forbidden, undecided (unlisted outcomes are, too), allowed; or undefined.
    Standing standing = Standing::allowed;
    uint64_t instances = 0;
    uint64_t ended = 0;  // of these, instances whose outcome is known
    uint64_t timeouts = 0;
    uint64_t unlisted = 0;
    std::vector<Seen> seen;        // the most frequent first
    std::vector<Values> not_seen;  // allowed
};

// Throws Failure when the observation does not name the observables of the test.
Comparison compare(const Prediction& prediction, const gpu::Observation& observation);

// An upper bound, with 95 % confidence, of the rate of an outcome that N instances did not show; at most 1.
double rate_bound(uint64_t instances);

// What a device says about a reading.
struct Evidence {
    enum class Verdict : uint8_t { refuted, consistent, untested };  // untested: no test that it distinguishes ran
    struct Refutation {
        size_t test = 0;  // index into what `weigh` was given
        Values outcome;
        uint64_t count = 0;
    };
    std::string reading;
    Verdict verdict = Verdict::untested;
    std::vector<size_t> tests;  // those it distinguishes that ran, by index
    uint64_t instances = 0;     // of these, with known outcomes
    size_t undecided = 0;       // tests of which it is not known whether it distinguishes them
    std::vector<Refutation> refutations;
};
std::string_view name(Evidence::Verdict verdict);

// One for each reading of the model, in its order.
struct Compared {
    const Prediction* prediction = nullptr;
    const Comparison* comparison = nullptr;
};
std::vector<Evidence> weigh(const Model& model, const std::vector<Compared>& tests);

}  // namespace litmus
