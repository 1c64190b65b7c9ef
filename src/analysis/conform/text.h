// What `litmus conform` found: as text for people, as JSON for programs.
//
// JSON, schema "litmus-conform", version 2; all keys are always there, in this order:
//   schema, version
//   model       name, hash, reading (as it was asked for), readings (those that are on)
//   files       of what was observed
//   status      the exit status
//   summary     tests (compared, a test on two devices counting twice), conforming, forbidden, late, undecided, undefined,
//               not_compared, skipped (tests, by name, that ran in none of the files), instances
//   devices     name, sm, drivers (CUDA versions: 13000 is 13.0), then
//     tests     name, file, hash, verdict ("allowed", "forbidden", "late", "undecided", "undefined"), undefined_by, instances, timeouts,
//               unlisted, hung, compiled (lines: what compilers moved, merged or dropped in some of the runs), and
//       seen      outcome (name -> value, written as in observed.json), count, verdict, refutes (readings), known (of a forbidden one
//                 that --known lists: the reason; else null), why (of a forbidden one: axioms, a list of minimal sets
//                 without one of which it would be allowed; text, lines; else null)
//       not_seen  outcome, bound (its rate is below, with 95 % confidence; null: some outcomes were not listed)
//     readings  reading, base (the first that has it), refuted (the devices that the model's text names, and compilers as "by ptxas 13.0"),
//               verdict ("refuted", "by-compiler": only in runs whose code was not in the order of the test, "consistent", "untested"),
//               tests (names of those that it distinguishes and that ran), instances (of these), undecided, refuted_by (test, file,
//               outcome, count, in_order and disturbed: of the count, where the order of the code is known)
//   not_compared  name, file, device, reason ("changed", "missing", "unreadable", "not covered", "nothing ran"), detail
//   skipped     by the harness, or ended there by an error; what several files say alike is here once: name, file, reason,
//               ran (whether it ran all the same, in another file or until the error: then the summary does not count it)
//   errors      message, file, line, column (the last three: null where there is none)
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/conform/conformance.h"
#include "analysis/explain/why_text.h"
#include "analysis/verdict/text.h"
#include "base/source.h"
#include "gpu/run/observed.h"
#include "print/cases.h"

namespace litmus {

// "P1:r0=1; P1:r1=0;"
std::string outcome_text(const std::vector<gpu::Observable>& observables, const OutcomeValues& values);

struct ConformTest {
    std::string name, file, hash;
    bool hung = false;
    Prediction prediction;
    Comparison comparison;
    std::map<OutcomeValues, WhyForbidden> why;
    std::map<OutcomeValues, std::string> known;  // reasons
    Position begin, end;                         // of the claim
};

// An outcome that is forbidden and known to be observed, with the reason: it stays in the report and fails nothing.
struct Known {
    std::string test, outcome, reason;  // the outcome as outcome_text() writes it
};

struct ConformDevice {
    std::string name;
    int sm = 0;
    std::vector<int> drivers;
    std::vector<ConformTest> tests;
    std::vector<Evidence> evidence;  // of `tests`
};

struct NotCompared {
    std::string name, file, device;
    std::string reason, detail;
};

// A test that the harness skipped, or that ended by an error.
struct ConformSkipped {
    std::string name, file;
    std::string reason;
    bool ran = false;  // in another file, or until the error
};

struct ConformReport {
    std::string model, model_hash, reading;
    std::vector<std::string> readings_on;
    std::vector<Reading> readings;  // all that the model has
    std::vector<std::string> files;
    int status = 0;
    std::vector<ConformDevice> devices;
    std::vector<NotCompared> not_compared;
    std::vector<ConformSkipped> skipped;
    std::vector<Known> known_unseen;  // listed, but not among what was observed and forbidden
    std::vector<Diagnostic> errors;
};

// How many comparisons came to this.
size_t count_of(const ConformReport& report, Standing standing);

// How many tests showed an outcome that is forbidden and not known.
size_t count_unknown(const ConformReport& report);

// How many tests, by name, were skipped and ran nowhere.
size_t count_skipped(const ConformReport& report);

// `verbose`: with every test and every outcome.
std::string conform_text(const ConformReport& report, const TextStyle& style, bool verbose);
std::string conform_json(const ConformReport& report);

// A case for each test on each device, for other tools; and one for what was not compared or cannot be used.
const std::vector<Rule>& conform_rules();
std::vector<Case> conform_cases(const ConformReport& report);

}  // namespace litmus
