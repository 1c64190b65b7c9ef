// Fuzz target of the reader of observed.json: what is no such file is refused by Failure.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gpu/run/observed_json.h"

using namespace litmus;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const gpu::ObservedFile file = gpu::parse_observed(make_source("fuzz", std::string(reinterpret_cast<const char*>(data), size)));
        for (const gpu::Observation& o : file.observations)
            for (const gpu::Outcome& outcome : o.outcomes)
                if (outcome.values.size() != o.observables.size() || outcome.count > o.instances) std::abort();
    } catch (const Failure& failure) {
        if (failure.diagnostics().empty()) std::abort();
    }
    return 0;
}
