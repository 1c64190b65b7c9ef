// The options in the order in which help has them.
#include "tool/advice.h"

#include "base/shell_word.h"
#include "tool/rewrite.h"

namespace litmus {

std::string command_with(const std::string& name, const std::string& file, const TestOptions& options, bool strict) {
    const TestOptions usual;
    std::string command = "litmus " + name;
    const auto add = [&](const char* option, const std::string& value) { command += std::string(" ") + option + " " + shell_word(value); };
    if (options.model != usual.model) add("--model", options.model);
    for (const std::string& variant : options.variants) add("--variant", variant);
    if (!options.reading.empty()) add("--reading", options.reading);
    if (options.unroll != usual.unroll) add("--unroll", std::to_string(options.unroll));
    if (strict) command += " --strict";
    return command + " " + shell_word(file);
}

std::string command_on(const std::string& name, const std::string& file, const TestOptions& options, bool strict) {
    return is_named_file(file) ? command_with(name, file, options, strict) : std::string();
}

}  // namespace litmus
