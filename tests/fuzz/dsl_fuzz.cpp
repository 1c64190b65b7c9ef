// Fuzz target of the DSL: what parses is printed, read back and equal; what does not is refused by Failure.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/source.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/native/print.h"

using namespace litmus;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const Test test = parse_dsl(make_source("fuzz", std::string(reinterpret_cast<const char*>(data), size)));
        if (parse_dsl(make_source("again", print(test))) != test) std::abort();
    } catch (const Failure& failure) {
        // A refusal of the printed text is a finding: only the first source is called "fuzz".
        if (failure.diagnostics().empty() || failure.diagnostics()[0].source->name != "fuzz") std::abort();
    }
    return 0;
}
