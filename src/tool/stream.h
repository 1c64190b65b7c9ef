// The results of many tests, in the order of their files: from all cores, in memory that does not grow with the number of files.
#pragma once

#include <functional>
#include <vector>

#include "analysis/verdict/result.h"
#include "base/share.h"
#include "cat/readings.h"
#include "tool/inputs.h"
#include "tool/options.h"
#include "tool/pipeline.h"

namespace litmus {

// What a run is about.
struct Run {
    ModelFamily& family;
    std::vector<InputFile> files;  // as list_inputs() gives them
    Share share;
};

// The run over what is named. Warns of what is passed over; throws Failure for a reading that the model does not have.
Run run_of(const std::vector<std::string>& inputs, const TestOptions& options, ModelFamily& family, const std::optional<Share>& share = {});

// Asks for the result of each test of the run's share and hands it, in order, to `take`, until that returns false: then it returns false,
// too. Files are read when their turn comes. What --resume or --cache know is not asked again, and what is found out is kept there.
// Throws Failure for a file to resume from, or a folder, that cannot be used.
bool stream(const Run& run, const Asked& asked, const BatchOptions& batch, const KeepingOptions& keeping,
            const std::function<bool(Result)>& take);

}  // namespace litmus
