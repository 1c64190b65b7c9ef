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
#include "gpu/run/observed.h"
#include "solve/solve.h"

namespace litmus {

using OutcomeValues = std::vector<uint64_t>;  // the values that make up an outcome, by observable

// ---- what a model says ------------------------------------------------------------------------

// What switching one reading on forbids, all others being as under `weakest`.
struct ReadingEffect {
    std::string reading;
    // The outcomes that the reading forbids, sorted; none where it makes the test defined.
    std::vector<OutcomeValues> excludes;
    // Without the reading the test is undefined, so that every outcome is allowed; with it the test is defined, and only the
    // outcomes in `leaves` are.
    bool makes_defined = false;
    std::vector<OutcomeValues> leaves;  // sorted
    bool decided = true;                // false: the reading may forbid more outcomes than these
};

// Whether the reading forbids any outcome; whether it forbids this one.
bool distinguishes(const ReadingEffect& effect);
bool forbids(const ReadingEffect& effect, const OutcomeValues& outcome);

struct Prediction {
    std::vector<gpu::Observable> observables;
    std::vector<bool> in_memory;  // by observable: what a location holds in the end
    // The test has no condition, and runs observe all there is: beside these also opaque state tokens, and elements of arrays
    // that the model leaves out because no other event touches them.
    bool observes_more = false;
    std::vector<OutcomeValues> allowed;  // sorted; whatever the filter of the test says
    bool complete = false;               // no other outcome is allowed
    Truth undefined = Truth::no;         // whether some execution is undefined behaviour: then every outcome is allowed
    std::vector<std::string> undefined_by;
    bool in_flight = false;              // a bulk operation may run on when its CTA ends (the flag in-flight-at-exit)
    std::vector<ReadingEffect> effects;  // of the readings that forbid something, or may do so
};

// What the model says under the readings `on`, and what each of its readings does to the test. All questions together have the
// budget of `build`. The test is native. `answer`: where it is known already, what the test shows under `on`: all outcomes, whatever the
// filter, and the hazards. Throws as build_program and Solver::solve.
Prediction predict(const Test& test, ModelFamily& family, const std::vector<std::string>& on, const BuildOptions& build, Solver& solver,
                   const Answer* answer = nullptr);

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
    std::map<OutcomeValues, size_t> place_;  // among the outcomes
};

// `late`: what locations hold in the end was read while a bulk operation may still run, which no harness can wait for. Nothing is
// said of an outcome that an allowed one has the registers of.
enum class Standing : uint8_t { allowed, forbidden, late, undecided, undefined };
std::string_view name(Standing standing);

struct Seen {
    OutcomeValues values;
    uint64_t count = 0;
    Standing standing = Standing::allowed;
    std::vector<std::string> refutes;  // readings
    // Of `count`: in runs whose code is in the order of the test, and in runs where the compiler moved, merged or dropped something. Of the
    // rest the order is not known.
    uint64_t in_order = 0, disturbed = 0;
};

// One test on one device.
struct Comparison {
    // The worst of what was seen: forbidden, undecided (unlisted outcomes are, too), late, allowed; or undefined.
    Standing standing = Standing::allowed;
    uint64_t instances = 0;
    uint64_t ended = 0;  // instances whose outcome is known
    uint64_t timeouts = 0;
    uint64_t unlisted = 0;
    std::vector<Seen> seen;                 // the most frequent first
    std::vector<OutcomeValues> not_seen;    // allowed
    std::vector<std::string> disturbances;  // what compilers moved, merged or dropped in some of the runs
};

// Throws Failure when the observation does not name the observables of the test.
Comparison compare(const Prediction& prediction, const gpu::Observation& observation);

// An upper bound, with 95 % confidence, of the rate of an outcome that N instances did not show; at most 1.
double rate_bound(uint64_t instances);

// What a device says about a reading.
struct Evidence {
    // by_compiler: what the reading forbids was seen, but only in runs whose code the compiler had not left as it was: not the device
    // refutes it. untested: no test that the reading changes ran.
    enum class Verdict : uint8_t { refuted, by_compiler, consistent, untested };
    struct Refutation {
        size_t test = 0;  // index into what `weigh` was given
        OutcomeValues outcome;
        uint64_t count = 0;
        uint64_t in_order = 0, disturbed = 0;  // as in Seen
    };
    std::string reading;
    Verdict verdict = Verdict::untested;
    std::vector<size_t> tests;  // the tests that ran and that the reading changes, by index
    uint64_t instances = 0;     // instances of these tests whose outcome is known
    size_t undecided = 0;       // tests of which it is not known whether the reading changes them
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
