// A command of litmus: what is typed, what help says, what it takes and what it does.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace CLI {
class App;
}

namespace litmus {

class Output;

struct Command {
    std::string name;
    std::string meaning;                    // in one line
    std::string footer;                     // below the options, in its help
    std::function<void(CLI::App&)> define;  // gives the application its options
    // Returns the exit status. Throws Failure for what the user gave and cannot be used.
    std::function<int(Output&)> run;
    bool hidden = false;  // no list of commands has it
};

// A command with options of its own kind: `define` defines them, `run` gets what they were given.
template <class Options>
Command make_command(std::string name, std::string meaning, std::string footer, void (*define)(CLI::App&, Options&),
                     int (*run)(const Options&, Output&)) {
    const auto options = std::make_shared<Options>();
    return {std::move(name), std::move(meaning), std::move(footer), [=](CLI::App& app) { define(app, *options); },
            [=](Output& out) { return run(*options, out); }};
}

}  // namespace litmus
