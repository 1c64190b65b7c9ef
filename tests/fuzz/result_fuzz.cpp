// Fuzz target of the reader of results, which `merge`, `--resume` and `--cache` use: a line that is taken is printed as it stands.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analysis/verdict/json.h"

using namespace litmus;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string line(reinterpret_cast<const char*>(data), size);
    const std::optional<Result> result = parse_line(line, nullptr);
    if (result && json_line(*result) != line) std::abort();
    return 0;
}
