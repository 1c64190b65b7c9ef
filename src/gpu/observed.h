// What was observed: outcomes with their counts, as text for people and as observed.json.
//
// observed.json, version 1:
//   schema "litmus-observed", version 1
//   device    name, sm, driver (CUDA version: 13000 is 13.0), multiprocessors, memory (bytes)
//   toolkit   CUDA version that litmus-gpu was built with
//   seed      of all random choices
//   tests     name, file, hash ("fnv1a-..." of the canonical text), layout, target, instances, launches, seconds,
//             timeouts, unlisted (instances of outcomes that found no room), hung, observables (name, type) and
//             histogram: outcome (name -> value, in decimal as the type reads it), count, satisfies (the condition of the claim)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/plan.h"
#include "test/test.h"

namespace litmus::gpu {

struct Observable {
    std::string name;
    Type type = Type::u32;
};

struct Outcome {
    std::vector<uint64_t> values;  // bits, by observable
    uint64_t count = 0;
    bool satisfies = false;  // the claim's condition, and the filter
};

struct Observation {
    std::string test;
    std::string file;
    std::string hash;
    std::string condition;  // as print writes it, with its quantifier; empty: none
    std::string layout;
    std::string target;
    std::vector<Observable> observables;
    std::vector<Outcome> outcomes;  // the most frequent first
    uint64_t instances = 0;
    uint64_t launches = 0;
    uint64_t timeouts = 0;
    uint64_t unlisted = 0;
    double seconds = 0;
    bool hung = false;  // a launch did not end; the counts are those before it
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
};

// What identifies a test: the hash of its canonical text, as the `hash` of observed.json.
std::string text_hash(const Test& test);

// An observation without counts: what is known before the run.
Observation describe(const Test& test, const Plan& plan, const std::string& file);

// Whether the values of the shown words satisfy the claim's condition and the filter.
bool satisfied(const Test& test, const Plan& plan, const std::vector<uint64_t>& values);

// A table with a line for each outcome; a * marks those that satisfy the condition.
std::string to_text(const Observation& observation);
std::string to_json(const RunHeader& header, const std::vector<Observation>& observations);

}  // namespace litmus::gpu
