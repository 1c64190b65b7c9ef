// The options that several commands take, in groups, and how an option is defined.
//
// A command has a struct of its own options, made of such groups. CLI11 stays in options.cpp, the command line and `completions`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/share.h"
#include "print/cases.h"
#include "solve/sat/backend.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace litmus {

// ---- groups ----------------------------------------------------------------------------------

// Text, one JSON object a line, or a format that other tools read.
struct Format {
    static const Format text, json;

    const CaseFormat* cases = nullptr;  // of case_formats(); null: text or JSON
    bool objects = false;               // JSON
    bool operator==(const Format&) const = default;
};
inline constexpr Format Format::text{}, Format::json{nullptr, true};

struct ModelOptions {
    std::string model = "ptx";
    std::vector<std::string> variants;  // switched on
    std::string reading;                // of the ISA (model/semantics.md section 10); empty: the default
};

struct LimitOptions {
    double timeout = 0;                                        // seconds for each test; 0: none
    size_t memory = 0;                                         // 2^20 bytes for each test; 0: no bound
    Budget budget() const { return Budget(timeout, memory); }  // begins now
    // The same in seconds of this thread's work, for searches: what else the machine does then changes little of what they find.
    Budget searching() const { return Budget::of_work(timeout, memory); }
};

// How a test is decided.
struct TestOptions : ModelOptions, LimitOptions {
    int unroll = 2;
    std::optional<Engine> engine = Engine::by_size;  // none: Z3 and CaDiCaL decide every test, and are compared
};

// The same, with how its outcomes are listed.
struct SolvingOptions : TestOptions {
    size_t max_outcomes = 1024;
    bool all_state = false;
};

// How many tests are worked on, and whether times are printed.
struct BatchOptions {
    unsigned jobs = 0;  // workers; 0: one per core
    bool times = true;
};

// How a run is shared out, and what of it is kept.
struct KeepingOptions {
    std::optional<Share> shard;  // of the files; none: as the environment says
    std::string resume;          // the file that keeps what was found out; empty: none
    std::string cache;           // the folder of results that are known; empty: none
};

// Of commands that say something of each test.
struct EachTestOptions : LimitOptions {
    std::vector<std::string> inputs;
    std::string test;  // the name of those that are asked about; empty: all
    int unroll = 2;
    std::optional<Engine> engine = Engine::by_size;
    unsigned jobs = 0;
    Format format = Format::text;
};

// Of those that give patches.
struct PatchingOptions : EachTestOptions, ModelOptions {
    PatchingOptions() {
        timeout = 25;
        engine = faster;
    }
    bool times = true;
    bool apply = false;  // write the best into the file
};

// Which programs are searched.
struct SearchOptions {
    size_t max_instructions = 5, max_threads = 3;
    std::vector<std::string> families;  // of instructions; none: all
};

// Through which assemblers, and in what surroundings. Words are as the command line has them.
struct CompiledOptions {
    bool wanted = false;                  // --compiled, where there is such an option
    std::vector<std::string> assemblers;  // paths; none: the first that is found
    std::vector<int> levels = {1, 2, 3};
    std::vector<std::string> targets = {"sm_90a", "sm_100a"};
    std::vector<std::string> bodies = {"plain", "fixed", "loop", "pressure"};
};

// ---- one option ------------------------------------------------------------------------------

// `names` as in "-o,--output"; `type`: how help calls what the option takes.
CLI::Option* add_flag(CLI::App& app, const std::string& names, bool& target, const std::string& help);
CLI::Option* add_text(CLI::App& app, const std::string& names, std::string& target, const std::string& type, const std::string& help);
// May be given several times.
CLI::Option* add_list(CLI::App& app, const std::string& names, std::vector<std::string>& target, const std::string& type,
                      const std::string& help);
// May be given several times, each time with several.
CLI::Option* add_several(CLI::App& app, const std::string& names, std::vector<std::string>& target, const std::string& type,
                         const std::string& help);
// A number from `least` to `most`; `shown` is how messages say that. Of unsigned, int, uint32_t, size_t and double.
template <class Number>
CLI::Option* add_number(CLI::App& app, const std::string& names, Number& target, Number least, Number most, const std::string& shown,
                        const std::string& type, const std::string& help);
// One of a few words; `choose` gets its number.
void add_words(CLI::App& app, const std::string& names, const std::vector<std::string>& words, const std::function<void(size_t)>& choose,
               const std::string& help);
// One of a few words, each with what it stands for.
template <class Target, class Value>
void add_choice(CLI::App& app, const std::string& names, Target& target, const std::vector<std::pair<std::string, Value>>& choices,
                const std::string& help) {
    std::vector<std::string> words;
    for (const auto& [word, value] : choices) words.push_back(word);
    add_words(
        app, names, words, [choices, &target](size_t choice) { target = choices[choice].second; }, help);
}
void add_seed(CLI::App& app, std::optional<uint64_t>& seed, const std::string& help);

// The option and each of the others are not given together.
void exclude(CLI::Option* option, std::initializer_list<CLI::Option*> others);
void require(CLI::Option* option);
void show_default(CLI::Option* option);  // in help: the value that the target has now

// Help of a command with many options: each has one line, if it fits. The line of usage has what stands without an option's name.
void fit_screen(CLI::App& app);
// The same option with a shorter line of help.
void reword(CLI::App& app, const std::string& option, const std::string& help);

// ---- what stands without an option's name ----------------------------------------------------

// The command line does not name what the command is about.
struct NothingNamed {
    std::string message, hint;
};

CLI::Option* add_names(CLI::App& app, std::vector<std::string>& names, const std::string& type, const std::string& help);
// The same; without a name the command line is wrong, as `nothing` says. `needless`: whether other options name it.
CLI::Option* add_required_names(CLI::App& app, std::vector<std::string>& names, const std::string& type, const std::string& help,
                                const NothingNamed& nothing, const std::function<bool()>& needless = {});
// Tests. `needless`: whether the other options ask for something without tests.
void add_inputs(CLI::App& app, std::vector<std::string>& inputs, const std::function<bool()>& needless = {});

// ---- the options of the groups ---------------------------------------------------------------

void add_model_name(CLI::App& app, std::string& model);
void add_model(CLI::App& app, ModelOptions& options);
constexpr const char* usual_timeout = "Give up on a test after S seconds (default: never)";
void add_timeout(CLI::App& app, double& seconds, const std::string& help = usual_timeout);
void add_memory(CLI::App& app, size_t& megabytes);
CLI::Option* add_unroll(CLI::App& app, int& unroll);
// The value that is there is the default. Which solvers there are is settled when the tool is built. `both`: two may be compared.
void add_solver(CLI::App& app, std::optional<Engine>& engine, bool both = false);
// --timeout, --memory, --unroll and --solver.
void add_deciding(CLI::App& app, TestOptions& options, const std::string& timeout = usual_timeout);
void add_solving(CLI::App& app, SolvingOptions& options);
void add_jobs(CLI::App& app, unsigned& jobs);
void add_no_time(CLI::App& app, bool& times);
void add_batch(CLI::App& app, BatchOptions& options);
void add_test(CLI::App& app, std::string& test);
void add_strict(CLI::App& app, bool& strict);  // of commands that compare verdicts
void add_keeping(CLI::App& app, KeepingOptions& options);
void add_patching(CLI::App& app, PatchingOptions& options, const std::string& schema, const std::string& applied);
void add_search(CLI::App& app, SearchOptions& options);

// Text or JSON; `help` says what, with `schema` (a name in src/schemas) behind it.
void add_format(CLI::App& app, Format& format, const std::string& schema,
                const std::string& help = "Write text, or one JSON object a line");
// Of commands whose results other tools read, too.
void add_formats(CLI::App& app, Format& format, const std::string& schema,
                 const std::string& help = "Write text, or one JSON object a line");

// How tests are assembled: all settings, or those of a kernel, which has a target and surroundings of its own.
std::vector<CLI::Option*> add_settings(CLI::App& app, CompiledOptions& options);
std::vector<CLI::Option*> add_assembler(CLI::App& app, CompiledOptions& options);
// --compiled with such settings, which need it.
CLI::Option* add_compiled(CLI::App& app, CompiledOptions& options, const std::string& help,
                          std::vector<CLI::Option*> (*settings)(CLI::App&, CompiledOptions&) = add_settings);

}  // namespace litmus
