// Fuzz target of the reader of baselines: what is read is printed, read back and printed alike; what is not is refused by Failure.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analysis/regress/baseline.h"

using namespace litmus;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const std::string text = baseline_text(parse_baseline(make_source("fuzz", std::string(reinterpret_cast<const char*>(data), size))));
        if (baseline_text(parse_baseline(make_source("again", text))) != text) std::abort();
    } catch (const Failure& failure) {
        // A refusal of the printed text is a finding: only the first source is called "fuzz".
        if (failure.diagnostics().empty() || failure.diagnostics()[0].source->name != "fuzz") std::abort();
    }
    return 0;
}
