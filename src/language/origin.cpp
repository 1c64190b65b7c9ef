// Files by their number, lines as they are.
#include "language/origin.h"

namespace litmus {

CudaPlace origin_of(const Test& test, const Instruction& instruction) {
    const CudaLine& origin = instruction.origin;
    const auto file = test.files.find(origin.file);
    if (origin.line <= 0 || file == test.files.end()) return {};
    return {file->second, origin.line, origin.column};
}

std::string short_text(const CudaPlace& place) {
    if (!place) return {};
    return place.file.substr(place.file.rfind('/') + 1) + ":" + std::to_string(place.line);
}

std::string short_text(const CudaPlace& first, const CudaPlace& second) {
    if (first.file != second.file) return short_text(first) + " and " + short_text(second);
    return short_text(first) + (first.line == second.line ? "" : " and :" + std::to_string(second.line));
}

Test without_origins(Test test) {
    test.files.clear();
    for (Thread& thread : test.threads)
        for (Instruction& instruction : thread.body) instruction.origin = CudaLine{};
    return test;
}

}  // namespace litmus
