// Fuzz target of the reader of baselines: what is read is printed, read back and printed alike; what is not is refused by Failure. The text
// of its changes acts on nobody who reads it.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analysis/regress/baseline.h"
#include "analysis/regress/text.h"
#include "base/visible.h"

using namespace litmus;

namespace {

// Says of each test that it is gone, and that nothing is as it was.
void check_said(const Baseline& baseline) {
    const Result other;
    for (const BaselineEntry& entry : baseline.entries)
        for (const TestChange& change :
             {missing(entry, entry.file), compare(other, baseline_entry(other, "other"), entry, causes(baseline.head, {}))}) {
            const std::string text = change_text(change, {.colour = false, .times = false});
            if (visible_lines(text) != text) std::abort();
        }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const Baseline baseline = parse_baseline(make_source("fuzz", std::string(reinterpret_cast<const char*>(data), size)));
        check_said(baseline);
        const std::string text = baseline_text(baseline);
        if (baseline_text(parse_baseline(make_source("again", text))) != text) std::abort();
    } catch (const Failure& failure) {
        // A refusal of the printed text is a finding: only the first source is called "fuzz".
        if (failure.diagnostics().empty() || failure.diagnostics()[0].source->name != "fuzz") std::abort();
    }
    return 0;
}
