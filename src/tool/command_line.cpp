// Each command becomes a subcommand of one application. It gets its options when it is met on the command line: all options of all
// commands would cost a small test more time than its own answer.
#include "tool/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <utility>

#include "base/nearest.h"
#include "base/visible.h"
#include "tool/options.h"

namespace litmus {

namespace {

constexpr const char* meaning =
    "Checks litmus tests of the PTX memory model: lists what a test can end with, and decides whether its claim holds.";

constexpr const char* footer = R"(
Examples:
  litmus check litmus/classic             every test of a directory, as a table
  litmus check mp.litmus --model tso      one test under another model
  litmus outcomes mp.litmus               all it can end with
  litmus show mp.litmus --svg > mp.svg
  litmus explain mp.litmus                why its outcome cannot happen, or how it can
  litmus repair mp.litmus                 which line to add, as a patch
  litmus weaken mp.litmus                 which lines may go
  litmus conform observed.json            what GPUs did against what the model allows
  litmus compare --model ptx --model ptx-7.5 litmus/classic
  litmus regress litmus                   what changed since the baseline was written
  litmus gen --family fence -o tests      tests with fences, from cycles of edges
  litmus report litmus -o site            a page for each test, to open in a browser
  litmus quiz                             what can these programs do? a course from the beginning
  litmus kernel k.cu --grid 2 --block 64 --arg a=s32[128]    is this kernel right?
  litmus record -- ./app                  the kernels that a program launches, for `litmus kernel`
  litmus COMMAND --help                   options and examples of one command

Exit status:
  0   every claim holds
  1   some claim does not hold, or undefined behaviour, a deadlock or a possible hang came up unclaimed
  2   bad usage or input (file:line:col on standard error), or output that cannot be written
  3   unknown: a time-out or a loop bound left some claim undecided
  70  an internal error; please report it
  130 interrupted (128 and the number of the signal)
  Of several, 70 comes before 2, 2 before 1, 1 before 3, 3 before 0.

Environment:
  NO_COLOR  turns colour off, whatever its value (colour is used on terminals only)
  COLUMNS   width of tables, where the terminal does not tell
)";

// ---- the nearest legal word ------------------------------------------------------------------

std::vector<std::string> legal_words(const CLI::App& app, bool options) {
    std::vector<std::string> words;
    if (options)
        for (const CLI::Option* option : app.get_options())
            for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    else
        for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) words.push_back(command->get_name());
    return words;
}

// The first argument that looks like a command or an option and is none.
std::string unknown_word(const CLI::App& app, const CLI::App& command) {
    for (const std::string& word : command.remaining())
        if (word.rfind('-', 0) == 0) return word.substr(0, word.find('='));
    const std::vector<std::string> rest = app.remaining(true);
    return rest.empty() ? std::string() : rest.front().substr(0, rest.front().find('='));
}

int complain(const std::string& message, const std::string& hint, const std::string& command) {
    std::cerr << "litmus: error: " << visible_lines(message) << "\n";
    if (!hint.empty()) std::cerr << "    hint: " << visible_lines(hint) << "\n";
    std::cerr << "    see: litmus" << (command.empty() ? "" : " " + command) << " --help\n";
    return 2;
}

// CLI11 counts values. An option that is repeated, and one without a value, are said in words.
int usage_error(const CLI::App& app, const CLI::ParseError& error, const std::string& first_word) {
    const std::vector<CLI::App*> parsed = app.get_subcommands();
    const CLI::App& command = parsed.empty() ? app : *parsed.front();
    const std::string command_name = parsed.empty() ? std::string() : command.get_name();
    const std::string unknown = unknown_word(app, command);
    if (!unknown.empty() || (parsed.empty() && !first_word.empty())) {
        const std::string word = unknown.empty() ? first_word : unknown;
        const bool option = word.rfind('-', 0) == 0;
        const std::vector<std::string> legal = legal_words(command, option);
        const std::string close = nearest(word, {legal.begin(), legal.end()}, {.more = 1});
        return complain(std::string("unknown ") + (option ? "option" : "command") + " '" + word + "'",
                        close.empty() ? "" : "did you mean '" + close + "'?", command_name);
    }
    if (parsed.empty()) return complain("no command is given", "such as: litmus check FILE", command_name);
    const std::string told = error.what(), option = told.substr(0, told.find(": "));
    if (told.rfind(option + ": At Most 1 required", 0) == 0)
        return complain(option + " is given several times, and takes one value", "leave one of them", command_name);
    if (told.rfind(option + ": 1 required ", 0) == 0)
        return complain(option + " has no value", "litmus " + command_name + " --help says what it takes", command_name);
    return complain(told, {}, command_name);
}

}  // namespace

CommandLine::CommandLine(std::vector<Command> commands)
    : commands_(std::move(commands)), app_(std::make_unique<CLI::App>(meaning, "litmus")) {
    app_->footer(footer);
    app_->set_version_flag("--version", "litmus " LITMUS_VERSION, "Print the version and exit");
    app_->require_subcommand(1);
    for (const Command& command : commands_) {
        CLI::App& part = *app_->add_subcommand(command.name, command.meaning);
        if (command.hidden) part.group("");
        part.footer(command.footer);
        part.preparse_callback([&command, &part](size_t) { command.define(part); });
    }
}

CommandLine::~CommandLine() = default;

const CLI::App& CommandLine::with_all_options() {
    for (const Command& command : commands_) command.define(*app_->get_subcommand(command.name));
    return *app_;
}

const Command* CommandLine::parse(int argc, const char* const* argv, int& status) {
    try {
        app_->parse(argc, argv);
    } catch (const CLI::Success& success) {  // help or version was asked for
        status = app_->exit(success, std::cout, std::cerr);
        return nullptr;
    } catch (const CLI::ParseError& error) {
        status = usage_error(*app_, error, argc > 1 ? argv[1] : "");
        return nullptr;
    } catch (const NothingNamed& nothing) {
        status = complain(nothing.message, nothing.hint, app_->get_subcommands().front()->get_name());
        return nullptr;
    }
    const std::string name = app_->get_subcommands().front()->get_name();
    return &*std::find_if(commands_.begin(), commands_.end(), [&](const Command& command) { return command.name == name; });
}

}  // namespace litmus
