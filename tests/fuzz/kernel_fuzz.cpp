// Fuzz target of kernels with their launch: PTX whose comments say how it is launched, read, swept and made into a test.
//
// A line `//--grid 2` is that option of `litmus kernel`; there are --entry, --grid, --block, --cluster, --shared and --arg.
#include <charconv>
#include <cstdint>
#include <sstream>
#include <string>

#include "fuzz/run_kernel.h"
#include "kernel/arguments.h"
#include "sweep/sweep.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

LaunchTexts launch_in(const std::string& text) {
    constexpr size_t most_arguments = 16;
    LaunchTexts texts{.grid = "1", .block = "32"};
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const size_t end = line.find(' ');
        if (end == std::string::npos) continue;
        const std::string option = line.substr(0, end), value = line.substr(end + 1);
        if (option == "//--entry") texts.entry = value;
        if (option == "//--grid") texts.grid = value;
        if (option == "//--block") texts.block = value;
        if (option == "//--cluster") texts.cluster = value;
        if (option == "//--shared") std::from_chars(value.data(), value.data() + value.size(), texts.shared_bytes);
        if (option == "//--arg" && texts.arguments.size() < most_arguments) texts.arguments.push_back(value);
    }
    return texts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const Module module = read_module(make_source("fuzz", text));
        fuzzing::run_kernel(module, launch_of(module, launch_in(text), [](const std::string&) { return std::string(64, 'x'); }));
    } catch (const Failure& failure) {
        fuzzing::require(!failure.diagnostics().empty());
    }
    return 0;
}
