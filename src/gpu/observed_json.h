// Reads observed.json back (observed.h has the schema). Nothing in the file is trusted: what is used of it is checked.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "gpu/observed.h"

namespace litmus::gpu {

// A test that the harness did not run.
struct SkippedTest {
    std::string name;
    std::string file;
    std::string reason;
};

// One file.
struct ObservedFile {
    std::string file;
    RunHeader header;
    std::vector<Observation> observations;  // of `condition`, `layout` and `target` nothing is read
    std::vector<SkippedTest> skipped;
};

// Reads a whole file. Throws Failure when it cannot be read, is no regular file, or exceeds 128 MiB.
SourcePtr read_observed_source(const std::string& path);

// Unknown keys are ignored. Throws Failure: with line and column for what is no JSON; else with the file's name and every
// mistake found (at most 20): another schema or version, a key that is missing or of another type, counts that are no
// whole numbers or exceed the instances, outcomes that do not name the observables, values that their types do not have.
ObservedFile parse_observed(const SourcePtr& source);

}  // namespace litmus::gpu
