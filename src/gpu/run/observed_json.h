// Reads observed.json back (observed.h has the schema). Nothing in the file is trusted: what is used of it is checked.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "gpu/run/observed.h"

namespace litmus::gpu {

// One file.
struct ObservedFile {
    std::string file;
    RunHeader header;                       // device, sm, driver, command and skipped alone are read
    std::vector<Observation> observations;  // the counts alone: nothing of condition, layout, target and configuration
};

// Reads a whole file, of a pipe no longer than the budget lasts. Throws Failure when it cannot be read, is a directory, or
// exceeds 128 MiB.
SourcePtr read_observed_source(const std::string& path, const Budget& budget = {});

// Unknown keys are ignored. Throws Failure: with line and column for what is no JSON; else with the file's name and every
// mistake found (at most 20): another schema or version, a key that is missing or of another type, counts that are no
// whole numbers or do not add up to the instances, outcomes that do not name the observables, values that their types do not have.
ObservedFile parse_observed(const SourcePtr& source);

}  // namespace litmus::gpu
