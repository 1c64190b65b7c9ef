// The results of many tests, in the order of their files: from all cores, in memory that does not grow with the number of files.
#pragma once

#include <functional>
#include <vector>

#include "analysis/verdict/result.h"
#include "base/share.h"
#include "cat/readings.h"
#include "options.h"
#include "tool/inputs.h"

namespace litmus {

// What a run is about.
struct Run {
    ModelFamily& family;
    std::vector<InputFile> files;  // as list_inputs() gives them
    Share share;
};

// The run that the options ask for. Warns of what is passed over; throws Failure for a reading that the model does not have.
Run run_of(const Options& options, ModelFamily& family);

// Asks for the result of each test of the run's share and hands it, in order, to `take`, until that returns false: then it returns false,
// too. Files are read when their turn comes. What --resume or --cache know is not asked again, and what is found out is kept there.
// Throws Failure for a file to resume from, or a folder, that cannot be used.
bool stream(const Options& options, const Run& run, const std::function<bool(Result)>& take);

}  // namespace litmus
