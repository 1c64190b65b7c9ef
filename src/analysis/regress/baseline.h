// A baseline: what tests came to, as text that is committed beside them and reviewed as a diff.
//
//     # litmus baseline 1: a line for each test, written by `litmus regress --promote`
//     tool 1.4
//     model ptx 7c3e...               its name, a digest of its text
//     readings default: fence-cta     as they were asked for, and those that are on
//     options max-outcomes=1024 unroll=2
//
//     classic/mp.litmus mp fnv1a-52... no flags=data-race {P1:r0=0 P1:r1=0} {P1:r0=0 P1:r1=1}
//
// A line has the file, from the folder of the baseline; the name of the test and the hash of its canonical text; the verdict; what it
// rests on, `rests=a+b|c` (`rests=?`: not decided); flags; hazards and races, `hazard="may-deadlock: threads that wait for ever"`; the
// outcomes, and `incomplete` where there may be more. What has other than letters, digits and a few signs is quoted as in JSON.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/verdict/result.h"
#include "base/source.h"

namespace litmus {

// What was asked.
struct BaselineHead {
    std::string tool, model, readings, options;  // each the rest of its line
    friend bool operator==(const BaselineHead&, const BaselineHead&) = default;
};

// What a test came to. Parts are as the line has them.
struct BaselineEntry {
    std::string file, test, hash, verdict;
    std::string rests;                        // "a+b|c"; "?"; empty: the verdict rests on nothing
    std::vector<std::string> flags, hazards;  // sorted
    std::vector<std::string> outcomes;        // "P1:r0=0 P1:r1=1", in the order of their listing
    bool complete = true;
    int line = 0;  // in the baseline, from 1
};

struct Baseline {
    BaselineHead head;
    std::vector<BaselineEntry> entries;
};

// `file`: the name that it shall have.
BaselineEntry baseline_entry(const Result& result, const std::string& file);

// The text of the file, its tests sorted by their files. Equal baselines are equal bytes.
std::string baseline_text(Baseline baseline);

// Throws Failure with the place of what is no baseline, of a version that this tool does not read, or of a test that is there twice.
Baseline parse_baseline(const SourcePtr& source);

}  // namespace litmus
