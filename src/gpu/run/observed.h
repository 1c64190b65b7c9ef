// What was observed: outcomes with their counts, as text for people and as observed.json.
//
// observed.json, version 2 (all numbers are whole but the seconds; counts have 64 bits):
//   schema "litmus-observed", version 2
//   device    name, sm, driver (CUDA version: 13000 is 13.0), multiprocessors, memory (bytes)
//   toolkit   CUDA version that litmus-gpu was built with
//   seed      of all random choices
//   command   the arguments of the run, a list of strings
//   configuration   of the noise, when one was given for all tests (stress.h lists the parameters); a list: taken in turn
//   tests     name, file, hash ("fnv1a-..." of the canonical text), layout, target, instances, launches, seconds,
//             timeouts, unlisted (instances of outcomes that found no room), hung, gpus (that an instance ran on, when several),
//             observables (name, type),
//             configuration (that of the run after tuning, or a list of those it took in turn; none: the one for all tests), tuned_seconds
//             and tuned_instances (spent on tuning, both included in seconds and instances), and histogram: outcome (name -> value, in
//             decimal as the type reads it), count, tuned (how many of them while tuning), satisfies (the condition of the claim).
//             instances = timeouts + unlisted + the counts. pinned (true): something stood between its instructions that the assembler
//             moves nothing across. compiled: compiler (its name and version), moved (thread, instruction, past: the first is issued before
//             the second, which stands above it), gone (thread, instruction, into: dropped, or merged with that one); there is none
//             where the driver compiled the test: then the order is not known
//   skipped   tests that this machine does not run, and those that ended with an error: name, file, reason. After a fault
//             that is the driver's error; after a hang "a launch did not end within N s"; after a crash of the process the signal.
//             What was counted of such a test before is in `tests`, too (with `hung`, true, after a hang, even without counts)
// Version 1 had neither pinned nor compiled.
// A line of the file is an entry, a test, a configuration or a skipped test.
// A test stands more than once in `tests` when it was tuned on before its turn, and a fault or a hang came between: each entry has
// its own counts, and no instance is in two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/emit/compiled.h"
#include "gpu/emit/plan.h"
#include "gpu/emit/stress.h"
#include "language/test.h"

namespace litmus::gpu {

struct Observable {
    std::string name;
    Type type = Type::u32;
};

struct Outcome {
    std::vector<uint64_t> values;  // bits, by observable
    uint64_t count = 0;
    bool satisfies = false;  // the claim's condition, and the filter
    uint64_t tuned = 0;      // of `count`: seen while tuning
    // Of `count`: in runs whose code is known to have every instruction in its place, and in runs where something moved or is gone. Not
    // written; the reader of files tells it.
    uint64_t in_order = 0, disturbed = 0;
};

struct Observation {
    std::string test;
    std::string file;
    std::string hash;
    std::string condition;  // as print writes it, with its quantifier; empty: none
    std::string layout;
    std::string target;
    int gpus = 1;  // that one instance runs on
    std::vector<Observable> observables;
    std::vector<Outcome> outcomes;  // the most frequent first
    uint64_t instances = 0;
    uint64_t launches = 0;
    uint64_t timeouts = 0;
    uint64_t unlisted = 0;
    double seconds = 0;
    bool hung = false;  // a launch did not end; the counts are those before it
    Stresses configuration = {Stress{}};
    double tuned_seconds = 0;  // of `seconds`
    uint64_t tuned_instances = 0;
    bool pinned = false;                    // Pins::between
    std::optional<Compiled> compiled;       // none: the order of its instructions is not known
    std::vector<std::string> disturbances;  // of several runs added up: what compilers moved, merged or dropped, each once
};

struct Skipped {
    std::string test;
    std::string file;
    std::string reason;
};

// The machine and the settings of a run.
struct RunHeader {
    std::string device;
    int sm = 0;
    int driver = 0;
    int toolkit = 0;
    int multiprocessors = 0;
    uint64_t memory = 0;
    uint64_t seed = 0;
    std::vector<std::string> command = {};
    Stresses configuration = {};  // for all tests; empty: each has its own
    std::vector<Skipped> skipped = {};
};

// What identifies a test: the hash of its canonical text without doc and ref, as the `hash` of observed.json.
std::string text_hash(const Test& test);

// An observation without counts: what is known before the run.
Observation describe(const Test& test, const Plan& plan, const std::string& file);

// Adds the counts, instances, launches and seconds of `slice`, which has the same observables.
void add(Observation& to, const Observation& slice, bool tuning);

// Whether the values of the shown words satisfy the claim's condition and the filter.
bool satisfied(const Test& test, const Plan& plan, const std::vector<uint64_t>& values);

// A table with a line for each outcome; a * marks those that satisfy the condition.
std::string to_text(const Observation& observation);
// What is not as in an untuned run: a line for each.
std::string configuration_text(const Stresses& all);
std::string to_json(const RunHeader& header, const std::vector<Observation>& observations);
// The same, with the tests and skipped ones of `earlier`, an observed.json of the same run, in front, as they stand there.
// Throws std::runtime_error when that is none.
std::string to_json(const RunHeader& header, const std::vector<Observation>& observations, const std::string& earlier);
// An observed.json with one more skipped test. Throws std::runtime_error when `text` is none.
std::string with_skipped(const std::string& text, const Skipped& skipped);

// Writes a whole file or leaves the old one: to a temporary beside it, which then takes its name. What is no regular file (a pipe) is
// written directly. Throws std::runtime_error.
void write_file(const std::string& path, const std::string& text);

}  // namespace litmus::gpu
