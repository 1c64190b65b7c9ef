// Fuzz target of the PTX reader: what is read holds together, what is not is refused by Failure; arguments alike.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "base/source.h"
#include "kernel/arguments.h"
#include "kernel/module.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void check_argument(const Function& function, const Argument& argument, size_t length) {
    const auto registers = static_cast<int>(function.registers.size());
    require((argument.kind == Argument::Kind::reg) == (argument.reg >= 0) && argument.reg < registers);
    require(argument.span.begin <= argument.span.end && argument.span.end <= length);
    for (const Argument& element : argument.elements) check_argument(function, element, length);
}

// The sweep relies on this.
void check_function(const Function& function, size_t length) {
    std::set<std::string> names;
    for (const Register& reg : function.registers) require(names.insert(reg.name).second);
    for (const Variable& variable : function.variables) require(names.insert(variable.name).second);
    for (const auto& [label, place] : function.labels) require(place <= function.code.size());
    for (const auto& [list, labels] : function.targets)
        for (const std::string& label : labels) require(!label.empty());
    for (const Statement& statement : function.code) {
        require(!statement.words.empty() && statement.guard < static_cast<int>(function.registers.size()));
        for (const Argument& argument : statement.arguments) check_argument(function, argument, length);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const Module module = read_module(make_source("fuzz", text));
        for (const Function& function : module.functions) check_function(function, size);
        for (const Variable& variable : module.variables) require(variable.bytes == 0 || variable.init.size() <= variable.bytes);
        // the lines of a comment, `//--arg`, are arguments
        LaunchTexts texts{.grid = "2", .block = "32"};
        constexpr size_t most = 8;
        const std::string mark = "//--arg ";
        for (size_t at = 0; texts.arguments.size() < most && (at = text.find(mark, at)) != std::string::npos;) {
            at += mark.size();
            texts.arguments.push_back(text.substr(at, std::min(text.find('\n', at), text.size()) - at));
        }
        const Launch launch = launch_of(module, texts, [](const std::string&) { return std::string(8, 'x'); });
        for (const Value& value : launch.arguments)
            for (const Pointer& pointer : value.pointers)
                require(pointer.array < launch.arrays.size() && pointer.at + 8 <= value.bytes.size());
    } catch (const Failure& failure) {
        require(!failure.diagnostics().empty());
    }
    return 0;
}
