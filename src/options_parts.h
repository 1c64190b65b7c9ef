// Options that several commands have, each defined once.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "options.h"

namespace litmus {

// An option whose value is one of a few words.
template <class Target, class Value>
void add_choice(CLI::App& app, const std::string& name, Target& target, const std::vector<std::pair<std::string, Value>>& choices,
                const std::string& help) {
    std::string words;
    for (const auto& [word, value] : choices) words += (words.empty() ? "" : "|") + word;
    const auto choose = [=, &target](const std::string& text) {
        for (const auto& [word, value] : choices)
            if (word == text) {
                target = value;
                return;
            }
        throw CLI::ValidationError(name, "'" + text + "' is none of " + words);
    };
    app.add_option_function<std::string>(name, choose, help)->type_name(words);
}

// An option whose value is a number from `least` to `most`; `shown` is how help and messages say that.
template <class Number>
CLI::Option* add_number(CLI::App& app, const std::string& name, Number& target, Number least, Number most, const std::string& shown,
                        const std::string& help) {
    const auto parse = [=, &target](const std::string& text) {
        Number value{};
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc() || rest != end || !(value >= least && value <= most))
            throw CLI::ValidationError(name.substr(name.find("--")), "'" + text + "' is not " + shown);
        target = value;
    };
    return app.add_option_function<std::string>(name, parse, help);
}

void add_model_name(CLI::App& app, Options& options);
void add_model(CLI::App& app, Options& options);
// The two sides of a comparison.
void add_sides(CLI::App& app, Options& options);
void add_format(CLI::App& app, Options& options);
// Of commands whose results other tools read, too.
void add_formats(CLI::App& app, Options& options, const std::string& help);
void add_inputs(CLI::App& app, Options& options);
void add_timeout(CLI::App& app, Options& options);
void add_memory(CLI::App& app, Options& options);
void add_unroll(CLI::App& app, Options& options);
// Which solvers there are is settled when the tool is built. `usual`: what the command takes if nothing is said.
void add_solver(CLI::App& app, Options& options, Engine usual, bool both = false);
void add_jobs(CLI::App& app, Options& options);
void add_solving(CLI::App& app, Options& options);
void add_no_time(CLI::App& app, Options& options);
void add_batch(CLI::App& app, Options& options);

}  // namespace litmus
