// `litmus from-ptx`: a test of a kernel.
//
// PTX to a test, and on to check's pipeline.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "analysis/compiled/kernel.h"
#include "analysis/compiled/report.h"
#include "analysis/explain/exhibit.h"
#include "analysis/kernel/kernel_verdict.h"
#include "analysis/sweep/report.h"
#include "analysis/verdict/claim_text.h"
#include "analysis/verdict/json.h"
#include "analysis/weaken/text.h"
#include "analysis/weaken/weaken.h"
#include "base/own_files.h"
#include "base/paths.h"
#include "base/shell_word.h"
#include "base/visible.h"
#include "kernel/arguments.h"
#include "kernel/dimensions.h"
#include "kernel/evaluate.h"
#include "kernel/layout.h"
#include "kernel/live.h"
#include "kernel/module.h"
#include "kernel/source_name.h"
#include "kernel/write.h"
#include "language/origin.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "record/recorded_launch.h"
#include "record/recording.h"
#include "sweep/orders.h"
#include "tool/advice.h"
#include "tool/assembling.h"
#include "tool/command.h"
#include "tool/missing.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/pipeline.h"
#include "tool/results.h"
#include "tool/rewrite.h"
#include "view/page/kernel_page.h"
#include "view/picture/lanes.h"

namespace litmus::from_ptx_command {

namespace {

constexpr const char* footer = R"(
Reads PTX, as `nvcc -std=c++17 -ptx -arch=sm_90a -lineinfo k.cu -o k.ptx` writes it. It runs every thread of the launch until something
depends on what other threads write, and takes one thread of each role. The test has the instructions that are left of these threads,
each with its CUDA line. Counts of barriers and bytes of copies are scaled to these threads. The head of the test says what was chosen,
scaled and left out. --check says of the test what `litmus check` says: undefined behaviour, races, deadlocks. It judges these threads
and these arguments of this PTX, and nothing else. --compiled has ptxas assemble the PTX. It says by CUDA line which accesses of the test
ptxas drops, merges or moves, and whether the model allows that. --sweep runs all threads with what they do to memory. Of several launches
each begins when the one before has ended, as in a stream, and finds what that has left in global memory.

nvcc calls parameters k_param_0, k_param_1, ... A name that no parameter has is your own; such arguments count in order.

Examples:
  litmus from-ptx k.ptx --grid 2 --block 64 --arg in=s32[128]:iota --arg out=s32[64] --arg n=3 -o k.litmus
  litmus from-ptx k.ptx --grid 2 --block 64 --arg in=s32[128]:iota --arg out=s32[64] --arg n=3 --check
  litmus from-ptx k.ptx --grid 4 --cluster 2 --block 32 --shared 4096 --arg buf=u32[256] --check --format sarif > k.sarif
  litmus from-ptx k.ptx --grid 2 --block 64 --arg in=s32[128]:iota --arg out=s32[64] --arg n=3 --compiled -O 3
  litmus from-ptx k.ptx --grid 2 --block 32 --arg a=u32[64] --arg b=u32[64] --arg 'tab=ptrs(a,b)' --arg 's={u32[8],s32:3}'
  litmus from-ptx k.ptx --grid 2 --block 64 --arg in=s32[128]:iota --arg tickets=u32[1] --sweep --repeat 2
  litmus from-ptx two_ranks.ptx --grid 4,2 --block 64 --arg inbox0=s32[64] --arg inbox1=s32[64] --sweep --gpus 2
  litmus from-ptx k.ptx --entry first --grid 2 --block 64 --arg x=s32[128] --then 'second --grid 2 --block 64 --arg x=s32[128]' --pdl --check
  litmus from-ptx nvls.ptx --gpus 2 --grid 2 --block 32 --arg x0=f32[32] --arg x1=f32[32] --arg 'x=multimem(x0,x1)' --check
  litmus record -- ./app && litmus from-ptx --launch recorded/k-1 --check
  litmus from-ptx --launch recorded/first-1 --launch recorded/second-1 --sweep

Exit status: 0 the test is written, or --check, --sweep or --compiled found nothing wrong with it; 1 something came up: undefined behaviour,
a deadlock, a race, with --compiled what the model forbids; 2 bad input, or a kernel that cannot be evaluated; 3 undecided, or --check
says `Ok* with reservations`: nothing came up, and too little was looked at, or --sweep found nothing, and another order may differ
or the model did not confirm a race.
)";

// The launch, which of its threads become the test, and what is done with it.
struct Options : TestOptions {
    std::vector<std::string> inputs;    // one PTX file
    std::vector<std::string> recorded;  // the folders of recorded launches, with their PTX; several are swept
    kernel::LaunchTexts launch;         // of a recorded one what is to be different
    std::vector<std::string> next;      // launches behind it in the stream, each in the words of the first
    bool programmatic = false;          // launches behind the first begin early
    uint32_t gpus = 1;                  // whose blocks these are
    uint32_t unlaunched = 0;            // clusters that have not started
    size_t repeated = 1;                // how often the launches are swept, one time after the other
    std::string threads = "auto";       // or "0.5,1.0": blocks and threads of them
    size_t per_role = 1;                // threads of each role and block
    size_t most_threads = 16;           // of the test
    std::vector<std::string> ignored;   // beginnings of instructions that are left out
    std::string into;                   // the file for the test; empty: standard output
    size_t max_outcomes = 0;            // that are listed
    bool check = false, needed = false, sweep = false;
    bool accept_reservations = false;
    std::string svg, html;             // files for the chart of what is wrong, and for the page; empty: none
    std::vector<std::string> sources;  // folders below which CUDA sources are quoted, besides those of the PTX and the current one
    CompiledOptions compiled;
    bool times = true;
    Format format = Format::text;
    Budget whole = {};             // of the command, from its beginning on
    int64_t allocated_before = 0;  // bytes, then
};

// The options of one more step: its time and memory are what is left of those of the command.
Options rest_of(const Options& options) {
    Options rest = options;
    if (options.timeout > 0) rest.timeout = options.whole.milliseconds_left() / 1000.0;
    const int64_t megabytes = (allocated_here() - options.allocated_before) >> 20;
    if (options.memory > 0) rest.memory = static_cast<size_t>(std::max(static_cast<int64_t>(options.memory) - megabytes, int64_t{1}));
    return rest;
}

// How the kernel is launched, and what comes behind it in the stream. Returns the options of that.
std::vector<CLI::Option*> add_launch(CLI::App& app, Options& options) {
    kernel::LaunchTexts& launch = options.launch;
    CLI::Option* const recorded =
        add_list(app, "--launch", options.recorded, "FOLDER",
                 "A launch that `litmus record` wrote, with its PTX and arguments; --grid, --block, --cluster and "
                 "--shared take the place of what it has (repeatable: launches of one stream, in their order)");
    add_text(app, "--entry", launch.entry, "NAME",
             "Which kernel, in a file with several: its name in CUDA, a pattern of it with *, or its number in the file");
    add_text(app, "--grid", launch.grid, "X[,Y[,Z]]", "Blocks of the grid, as in 2 or 2,2");
    add_text(app, "--block", launch.block, "X[,Y[,Z]]", "Threads of a block; not needed if the kernel says it (.reqntid, .maxntid)");
    add_text(app, "--cluster", launch.cluster, "X[,Y[,Z]]", "Blocks of a cluster; not needed if the kernel says it (.reqnctapercluster)");
    CLI::Option* const arguments = add_list(
        app, "--arg", launch.arguments, "NAME=VALUE",
        "An argument, in the order of the parameters (repeatable): TYPE[COUNT], an array of zeros; TYPE[COUNT]:iota, :NUMBER or "
        ":@FILE, an array that holds that; a number; {s32[8],u32:3}, a struct; @FILE, its bytes; ptrs(NAME,...), a table of arrays; "
        "multimem(NAME,...), a multimem address of arrays");
    CLI::Option* const next = add_list(app, "--then", options.next, "OPTIONS",
                                       "The next launch of the stream: a kernel of the same file, then its --grid, --block, --cluster, "
                                       "--shared and --arg; arrays that are called alike are the same memory (repeatable)");
    CLI::Option* const early =
        add_flag(app, "--pdl", options.programmatic,
                 "Launches behind the first are programmatic dependent ones: each may begin when the one before has triggered it");
    exclude(recorded, {arguments, next});
    add_number<uint32_t>(app, "--shared", launch.shared_bytes, 0, kernel::most_shared_bytes, "a number of bytes up to 262144", "BYTES",
                         "Dynamic shared memory of a block (default: 0)");
    return {next, early};
}

// Which threads become the test, and what of them: a sweep has all.
std::vector<CLI::Option*> add_choice_of_threads(CLI::App& app, Options& options) {
    return {add_text(app, "--threads", options.threads, "auto|C.T,...",
                     "Take just these threads, each as BLOCK.THREAD, with commas between (default: auto, by role)"),
            add_number<size_t>(app, "--per-role", options.per_role, 1, 32, "a number from 1 to 32", "N",
                               "Threads of each role and block (default: 1)"),
            add_number<size_t>(app, "--max-threads", options.most_threads, 1, 128, "a number from 1 to 128", "N",
                               "Refuse a kernel that needs a test of more threads (default: 16)"),
            add_list(app, "--ignore", options.ignored, "FORM",
                     "Leave out instructions that are not modelled and begin so; the output says it (repeatable)")};
}

void define(CLI::App& app, Options& options) {
    at_most_once(add_required_names(app, options.inputs, "FILE.ptx|-",
                                    "A PTX file, as nvcc -ptx -lineinfo writes it, or - for standard input",
                                    {"no file is named",
                                     "name a PTX file, as `nvcc -ptx -lineinfo k.cu` writes it, or with --launch what "
                                     "`litmus record` wrote"},
                                    [&options] { return !options.recorded.empty(); }));
    const std::vector<CLI::Option*> of_streams = add_launch(app, options);
    const std::vector<CLI::Option*> of_tests = add_choice_of_threads(app, options);
    exclude(of_streams.front(), {of_tests.front()});  // which name threads of one launch
    CLI::Option* const unlaunched = add_number<uint32_t>(
        app, "--unlaunched", options.unlaunched, 0, 8, "a number from 0 to 8", "N",
        "The last N clusters of the grid have not started: clusterlaunchcontrol.try_cancel may ask for them (default: 0)");
    for (CLI::Option* option : of_streams) exclude(option, {unlaunched});
    add_text(app, "-o,--output", options.into, "FILE.litmus",
             "Write the test into this file (default: standard output); with --sweep, that of the first finding that has one");
    CLI::Option* const check = add_flag(app, "--check", options.check, "Judge the test at once, as `litmus check` does");
    need(add_flag(app, "--accept-reservations", options.accept_reservations,
                  "With --check, exit with 0 where nothing came up in the part of the kernel that was judged"),
         check);
    need(add_text(app, "--svg", options.svg, "FILE.svg",
                  "With --check, draw in time what is wrong: a row for each thread, proxy, mbarrier and shared piece of memory"),
         check);
    need(add_text(app, "--html", options.html, "FILE.html",
                  "With --check, write a page that stands alone: the source with the findings at its lines, the chart, the repair"),
         check);
    add_list(app, "--sources", options.sources, "FOLDER",
             "Quote lines of CUDA sources that lie below FOLDER, too (repeatable; by default those below the folder of the PTX and "
             "the current one)");
    CLI::Option* const needed = add_flag(app, "--needed", options.needed,
                                         "Say what each fence, barrier, qualifier and wait of the kernel is needed for in this test");
    exclude(needed, {check});
    CLI::Option* const sweep = add_flag(app, "--sweep", options.sweep,
                                        "Run all threads once, say what no order of them excuses, and ask the model about the races");
    exclude(sweep, {check, needed});
    need(add_number<size_t>(app, "--repeat", options.repeated, 1, 16, "a number from 1 to 16", "N",
                            "Launch it so often, one time after the other, with the memory that each leaves (default: 1)"),
         sweep);
    CLI::Option* const compiled =
        add_compiled(app, options.compiled,
                     "Say what ptxas, given this PTX, does to the accesses of the test, and whether the model allows it", add_assembler);
    exclude(compiled, {check, needed, sweep});
    add_number<uint32_t>(app, "--gpus", options.gpus, 1, 8, "a number from 1 to 8", "N",
                         "The blocks are those of so many GPUs, as many of each, in the order of their numbers (default: 1)");
    add_model(app, options);
    add_timeout(app, options.timeout);
    add_memory(app, options.memory);
    need(add_number<size_t>(app, "--max-outcomes", options.max_outcomes, 0, 1U << 30U, "a number of outcomes", "N",
                            "With --check, list outcomes, too, at most N (default: 0)"),
         check);
    exclude(add_unroll(app, options.unroll), {sweep});
    for (CLI::Option* option : of_tests) exclude(option, {sweep});
    for (CLI::Option* option : of_streams) exclude(option, {compiled});
    add_solver(app, options.engine, true);
    add_no_time(app, options.times);
    add_formats(app, options.format, "check", "With --check or --sweep (sweep.json), write text, or a JSON object");
}

namespace fs = std::filesystem;

constexpr size_t most_bytes = size_t{64} << 20;  // of the PTX, of each file that an argument names, and of the CUDA files together

// "0.5,1.0": (0, 5) and (1, 0). Empty for "auto".
std::vector<std::pair<uint32_t, uint32_t>> chosen_threads(const std::string& text) {
    std::vector<std::pair<uint32_t, uint32_t>> threads;
    if (text == "auto") return threads;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto number = [&](uint32_t& value, bool last) {
        const auto [rest, error] = std::from_chars(at, end, value);
        const bool good = error == std::errc() && (last ? rest == end || *rest == ',' : rest != end && *rest == '.');
        if (!good)
            throw Failure(make_source("--threads", text), {static_cast<uint32_t>(at - text.data()), static_cast<uint32_t>(text.size())},
                          "expected BLOCK.THREAD, with commas between", "as in --threads 0.0,0.32,1.0");
        at = rest == end ? rest : rest + 1;
    };
    do {
        auto& [block, thread] = threads.emplace_back();
        number(block, false);
        number(thread, true);
    } while (at != end);
    if (text.back() == ',')
        throw Failure(make_source("--threads", text), {static_cast<uint32_t>(text.size()), static_cast<uint32_t>(text.size())},
                      "expected BLOCK.THREAD after the comma", "as in --threads 0.0,0.32,1.0");
    return threads;
}

// Nothing that is read is written over.
void require_apart_from_outputs(const std::string& read, const Options& options) {
    for (const std::string* into : {&options.into, &options.svg, &options.html}) require_apart(read, *into);
}

// The folders below which a file is quoted that the PTX alone has named. They have no links in them.
std::vector<fs::path> quoted_folders(const Options& options) {
    std::vector<fs::path> folders;
    const fs::path of_ptx = fs::path(options.inputs.front()).parent_path();
    std::error_code error;
    for (const fs::path& folder : {of_ptx.empty() ? fs::path(".") : of_ptx, fs::path(".")})
        if (fs::path found = fs::canonical(folder, error); !error) folders.push_back(std::move(found));
    for (const std::string& folder : options.sources) {
        if (!fs::is_directory(folder, error)) throw Failure(nullptr, {}, "--sources: there is no folder '" + folder + "'");
        folders.push_back(fs::canonical(folder));
    }
    return folders;
}

// The lines of the CUDA files that are there to be read, of those that the PTX names. A stranger's PTX may name any file: only what is
// called like a source is quoted, and lies below a folder that the user has named.
std::map<int, std::vector<std::string>> cuda_lines(const kernel::Module& module, const Options& options) {
    std::map<int, std::vector<std::string>> result;
    const std::vector<fs::path> folders = quoted_folders(options);
    size_t left = most_bytes;  // of all together
    constexpr std::array<std::string_view, 7> endings{".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc", ".inl"};
    for (const auto& [key, name] : module.files) {
        const fs::path named(name), beside = fs::path(options.inputs.front()).parent_path() / named;
        const bool is_source = std::find(endings.begin(), endings.end(), named.extension().string()) != endings.end();
        if (!is_source || name.find("/include/") != std::string::npos) continue;
        std::error_code error;
        const fs::path path = fs::canonical(fs::is_regular_file(named, error) ? named : beside, error);
        const bool is_there = !error && fs::is_regular_file(path, error) && fs::file_size(path, error) <= left;
        // a link may be called so, too
        if (!is_there || path.extension() != named.extension()) continue;
        if (std::none_of(folders.begin(), folders.end(), [&](const fs::path& folder) { return is_inside(path, folder); })) continue;
        require_apart_from_outputs(path.string(), options);
        const SourcePtr source = read_source(path.string(), {.most_bytes = left, .budget = options.whole});
        left -= source->text.size();
        std::vector<std::string>& lines = result[key];
        for (size_t at = 0; at < source->text.size();) {
            const size_t end = std::min(source->text.find('\n', at), source->text.size());
            lines.push_back(source->text.substr(at, end - at));
            at = end + 1;
        }
    }
    return result;
}

// "k.litmus" of "folder/k.ptx"
std::string test_beside(const std::string& ptx) {
    return fs::path(ptx).filename().replace_extension(".litmus").string();
}

// What the file for the test is called in reports, where it has no file of its own.
std::string name_of_test(const Options& options) {
    if (!options.into.empty()) return options.into;
    const std::string& ptx = options.inputs.front();
    return ptx == "-" ? "<stdin>" : test_beside(ptx);
}

struct Kernel {
    kernel::Module module;
    kernel::Written written;
    std::map<int, std::vector<std::string>> cuda;  // the lines of its CUDA files, by their key in Module::files
};

// The launches of --launch.
std::vector<record::Recording> recordings_of(const Options& options) {
    std::vector<record::Recording> recordings;
    for (const std::string& folder : options.recorded) recordings.push_back(record::read_recording(folder, options.whole));
    if (recordings.size() < 2) return recordings;
    const kernel::LaunchTexts& instead = options.launch;
    if (!instead.entry.empty() || !instead.grid.empty() || !instead.block.empty() || !instead.cluster.empty() || instead.shared_bytes != 0)
        throw Failure(nullptr, {}, "it is not clear for which launch --entry, --grid, --block, --cluster and --shared are",
                      "leave them out, or name one launch");
    return recordings;
}

// The PTX of recorded launches becomes the files that are read.
Options with_recorded_ptx(Options options, const std::vector<record::Recording>& recordings) {
    if (recordings.empty()) return options;
    if (!options.inputs.empty())
        throw Failure(nullptr, {}, "--launch has its own PTX, and " + options.inputs.front() + " is named, too", "leave out one of them");
    for (size_t r = 0; r < recordings.size(); ++r) {
        if (!recordings[r].without_ptx.empty())
            throw Failure(nullptr, {}, options.recorded[r] + " has no PTX: " + visible(recordings[r].without_ptx),
                          "compile the program so that it has PTX: `nvcc -arch=sm_90a -lineinfo`, or `-gencode "
                          "arch=compute_90a,code=[sm_90a,compute_90a] -lineinfo`; then record it again");
        options.inputs.push_back(options.recorded[r] + "/" + record::ptx_file);
    }
    return options;
}

// The text of an input. Nobody has named the PTX in the folder of a recorded launch, so it is no link that leads out, and no pipe.
SourcePtr read_ptx(const Options& options, size_t input) {
    const std::string& path = options.inputs[input];
    require_apart_from_outputs(path, options);
    options.whole.check();
    if (!options.recorded.empty()) return read_own(path, options.recorded[input], most_bytes);
    return read_source(path, {.most_bytes = most_bytes, .budget = options.whole});
}

// The bytes of a file that an argument names.
std::string read_bytes(const Options& options, const std::string& path) {
    require_apart_from_outputs(path, options);
    return read_source(path, {.most_bytes = most_bytes, .budget = options.whole})->text;
}

// The words of --then: what stands between quotes is one of them.
std::vector<std::string> words_in(const std::string& text) {
    std::vector<std::string> words;
    bool within = false, quoted = false;
    for (const char c : text) {
        const bool ends = !quoted && (c == ' ' || c == '\t' || c == '\n');
        if (c == '\'') quoted = !quoted;
        if (!ends && !within) words.emplace_back();
        within = !ends;
        if (!ends && c != '\'') words.back() += c;
    }
    return words;
}

// The launch that --then gives.
kernel::LaunchTexts launch_in(const std::string& text) {
    constexpr const char* example = "as in --then 'second --grid 2 --block 32 --arg x=s32[64]'";
    std::vector<std::string> words = words_in(text);
    if (!words.empty() && words.front().rfind("--", 0) != 0) words.insert(words.begin(), "--entry");
    const auto fail = [&](const std::string& message) -> void { throw Failure(make_source("--then", text), {}, message, example); };
    kernel::LaunchTexts launch;
    std::string shared;
    const std::map<std::string, std::string*> texts{{"--entry", &launch.entry},
                                                    {"--grid", &launch.grid},
                                                    {"--block", &launch.block},
                                                    {"--cluster", &launch.cluster},
                                                    {"--shared", &shared}};
    for (size_t i = 0; i < words.size(); i += 2) {
        const auto known = texts.find(words[i]);
        if (words[i] != "--arg" && known == texts.end()) fail("`" + words[i] + "` is no option of a launch");
        if (i + 1 == words.size()) fail("`" + words[i] + "` has no value");
        if (known == texts.end())
            launch.arguments.push_back(words[i + 1]);
        else
            *known->second = words[i + 1];
    }
    const auto [rest, error] = std::from_chars(shared.data(), shared.data() + shared.size(), launch.shared_bytes);
    if (!shared.empty() &&
        (error != std::errc() || rest != shared.data() + shared.size() || launch.shared_bytes > kernel::most_shared_bytes))
        fail("`" + shared + "` is no number of bytes up to 262144");
    return launch;
}

// The launches that are judged together, which have the same arrays.
std::vector<kernel::Launch> launches_of(const Options& options, const kernel::Module& module,
                                        const std::vector<record::Recording>& recordings) {
    const Budget budget = options.whole;
    std::vector<kernel::Launch> launches;
    if (recordings.size() == 1) {
        launches = {record::recorded_launch(module, recordings.front(), options.recorded.front(), options.launch, budget)};
    } else if (recordings.size() > 1) {
        for (size_t r = 1; r < recordings.size(); ++r)
            if (read_ptx(options, r)->text != module.source->text)
                throw Failure(nullptr, {},
                              options.recorded.front() + " and " + options.inputs[r] + " have different PTX: a test is of one file",
                              "name launches of kernels in one CUDA file; --sweep takes those of several");
        launches =
            record::recorded_launches(std::vector<const kernel::Module*>(recordings.size(), &module), recordings, options.recorded, budget);
    } else {
        std::vector<kernel::LaunchTexts> texts{options.launch};
        for (const std::string& text : options.next) texts.push_back(launch_in(text));
        launches = kernel::launches_of(
            module, texts, [&](const std::string& path) { return read_bytes(options, path); }, budget);
    }
    if (options.programmatic && launches.size() == 1)
        throw Failure(nullptr, {}, "--pdl is about launches behind the first, and there is one",
                      "name the next one with --then, or --launch");
    for (size_t l = 1; l < launches.size(); ++l) launches[l].programmatic = options.programmatic;
    if (options.gpus > 1 && launches.size() > 1)
        throw Failure(nullptr, {}, "--gpus cuts one launch, and there are several", "judge them one by one");
    kernel::require_cut(launches.front(), options.gpus);
    launches.front().gpus = options.gpus;
    const kernel::Geometry geometry(launches.front());
    if (options.unlaunched * geometry.cluster_size() >= geometry.blocks())
        throw Failure(nullptr, {}, "one cluster of the grid has started at least",
                      "say a smaller number with --unlaunched, or a larger grid");
    launches.front().unlaunched = options.unlaunched;
    return launches;
}

// What was not recorded may be why the kernel cannot be evaluated, so errors have it with them.
kernel::Written test_of_launches(const kernel::Module& module, const std::vector<kernel::Launch>& launches,
                                 const KernelQuestion& question) {
    try {
        return test_of_kernel(module, launches, question);
    } catch (const Failure& failure) {
        std::vector<Diagnostic> told = failure.diagnostics();
        for (const kernel::Launch& launch : launches)
            for (const std::string& note : launch.notes) told.push_back({Diagnostic::Level::note, nullptr, {}, note, {}});
        throw Failure(std::move(told));
    }
}

Kernel read_kernel(const Options& options, const std::vector<record::Recording>& recordings) {
    KernelQuestion question;
    question.ignored = options.ignored;
    question.choice.per_role = options.per_role;
    question.choice.most_threads = options.most_threads;
    question.choice.threads = chosen_threads(options.threads);
    question.budget = options.whole;
    kernel::Module module = kernel::read_module(read_ptx(options, 0), question.budget);
    question.choice.cuda = cuda_lines(module, options);
    const std::vector<kernel::Launch> launches = launches_of(options, module, recordings);
    kernel::Written written = test_of_launches(module, launches, question);
    return {std::move(module), std::move(written), std::move(question.choice.cuda)};
}

// The execution that shows what is wrong with the test, or one of its outcomes; none where there is none.
std::optional<Drawing> drawing_of(const Checked& checked, const Model& model) {
    return checked.program ? exhibit(*checked.program, model, checked.answer, 0) : std::nullopt;
}

// What `--svg` and `--html` ask for.
void draw(const Options& options, const Kernel& kernel, const Checked& checked, const Result& result, const Model& model,
          const std::string& missing) {
    const std::optional<Drawing> drawing = drawing_of(checked, model);
    if (!options.svg.empty() && drawing) write_file(options.svg, lanes_picture(*drawing));
    if (!options.svg.empty() && !drawing)
        std::fprintf(stderr, "litmus: %s is not written: there is no execution to draw\n", visible(options.svg).c_str());
    if (options.html.empty()) return;
    KernelPage page{result, {}, {}, missing, "litmus " LITMUS_VERSION ", model " + model.name};
    const PictureOptions look{.style = false, .title = false};
    if (drawing) page.figure = Figure{svg_picture(*drawing, look), lanes_picture(*drawing, look), {}};
    for (const auto& [key, lines] : kernel.cuda) page.sources.push_back({kernel.module.files.at(key), lines});
    std::vector<std::string> lines;
    std::istringstream text(kernel.written.text);
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    page.sources.push_back({result.file, lines});
    write_file(options.html, kernel_page(page));
}

int judge(const Options& options, const Kernel& kernel, Output& out) {
    const kernel::Written& written = kernel.written;
    const Asked asked{{rest_of(options), options.max_outcomes, false}, true};
    ModelFamily family(asked.model, asked.variants);
    const std::string file = name_of_test(options);
    Titles titles;
    titles.tests = 1;
    bool found = false;  // by the test, where something may be missing
    const auto advice = [&](const Result&) -> std::string {
        if (!found) return {};
        Solver solver(Solver::usually, faster);
        const std::string repaired_by = command_on("repair", options.into, options);
        const std::string text =
            soon_missing_text(written.test, family, family.readings(asked.reading), solver, rest_of(options), asked.strict, repaired_by,
                              "; `--sweep` in place of `--check` tries changes of the kernel");
        if (!repaired_by.empty() || text.empty()) return text;
        const std::string& ptx = options.inputs.front();
        const std::string name = ptx == "-" ? "kernel.litmus" : test_beside(ptx);
        return text + "`-o " + shell_word(name) + "` writes the test into a file, for `" + command_with("repair", name, options) + "`\n";
    };
    Results results(options.format, options.times, out, titles, advice);
    std::shared_ptr<const Test> judged;  // that the program of `checked` points to
    Checked checked;
    Result result = kernel_verdict(written, file, [&](const std::shared_ptr<const Test>& test) {
        judged = test;
        checked = check_whole({file, test, std::nullopt, test->source}, family, asked);
        const Result& of_test = checked.result;
        const Verdict verdict = of_test.judgement.verdict;
        found = verdict != Verdict::ok && verdict != Verdict::unknown && verdict != Verdict::error;
        return of_test;
    });
    result.accepts_reservations = options.accept_reservations;
    if (options.into.empty()) result.made_of = options.inputs.front() == "-" ? "<stdin>" : options.inputs.front();
    if (!options.svg.empty() || !options.html.empty())
        draw(options, kernel, checked, result, family.under(family.readings(options.reading)), advice(result));
    return results.finish(results.take(result));
}

// What the lines of the kernel are needed for.
int tell_needs(const Options& options, const kernel::Written& written, Output& out) {
    if (!written.broken.empty())
        throw Failure(nullptr, {},
                      "the test breaks a static rule, so that nothing can be said of what it needs: " + written.broken.front().message,
                      "--check says where");
    ModelFamily family(options.model, options.variants);
    const double start = now();
    const std::string file = name_of_test(options);
    const Test test = unclaimed_test(written, file);
    Solver solver(Solver::usually, options.engine.value_or(faster));
    WeakenOptions wanted;
    wanted.by_line = true;
    wanted.unroll = options.unroll;
    wanted.budget = options.whole;
    const Weakening found = weaken(test, family, family.readings(options.reading), solver, wanted);
    WeakenReport report = make_report(file, test, found);
    report.model = family.by_default().name;
    report.seconds = options.times ? now() - start : 0;
    const bool json = options.format == Format::json;
    out.put(json ? weaken_json(report) + "\n" : needed_text(report, what_is_judged(written, true), text_style(options.times)));
    return found.partial ? 3 : 0;
}

// What helps against what ptxas does, by its kind.
std::string way_out(const Test& test, const compiled::Change& change) {
    using Kind = compiled::Change::Kind;
    const std::vector<Instruction>& body = test.threads[change.thread].body;
    switch (change.kind) {
        case Kind::dropped:
        case Kind::merged:
        case Kind::stale:
            return "a relaxed or volatile access stays, as does one after a fence, or after a loop that waits";
        case Kind::moved:
            if (change.other && body[*change.other].has("read")) return "`wait_group` without `.read` holds it back";
            return "two accesses in one spelling, both relaxed or both volatile, stay in order";
        case Kind::unwaited:
            return "it waits after a branch on the result, or after a loop that waits";
    }
    return {};
}

// What ptxas makes of the kernel's accesses.
int tell_compiled(const Options& options, const Kernel& kernel, Output& out) {
    const kernel::Written& written = kernel.written;
    if (!written.broken.empty())
        throw Failure(nullptr, {},
                      "the test breaks a static rule, so that nothing can be said of what is made of it: " + written.broken.front().message,
                      "--check says where");
    if (options.format.cases) throw Failure(nullptr, {}, "--compiled writes text or JSON", "leave out --format, or say --format json");
    const compiled::KernelCode code = compiled::assemble_kernel(kernel.module, written, settings_of(options.compiled));
    ModelFamily family(options.model, options.variants);
    Solver solver(Solver::usually, options.engine.value_or(faster));
    const Test test = unclaimed_test(written, name_of_test(options));
    compiled::Report report = compiled::report_on(name_of_test(options), test, compiled::make_all(test, code.assembled), family, solver,
                                                  options.unroll, options.whole);
    report.left_out = code.left_out;
    if (options.format == Format::json) {
        out.put(to_json(report) + "\n");
        return exit_status(report.fate());
    }
    std::string text = to_text(report, false);
    std::set<std::string> said;
    for (const compiled::Finding& finding : report.findings)
        for (const compiled::Change& change : finding.compiled.changes)
            if (finding.ruling.fate == compiled::Fate::forbidden && said.insert(way_out(test, change)).second)
                text += "  what helps: " + way_out(test, change) + "\n";
    std::string head = "Judged: ";
    for (const std::string& line : what_is_judged(written, true)) text += std::exchange(head, "  ") + visible(line) + "\n";
    out.put(text);
    return exit_status(report.fate());
}

// Launches of a stream, with the file of each one's PTX.
struct Stream {
    std::vector<std::unique_ptr<const kernel::Module>> modules;  // one for each text
    std::vector<std::string> files;
    std::vector<sweep::Started> started;
    std::vector<std::unique_ptr<const kernel::Launch>> launches;
};

Stream stream_of(const Options& options, const std::vector<record::Recording>& recordings, const Budget& budget) {
    Stream stream;
    std::map<std::string, const kernel::Module*> known;  // by text
    std::vector<const kernel::Module*> modules;
    for (size_t n = 0; n < options.inputs.size(); ++n) {
        const SourcePtr source = read_ptx(options, n);
        const kernel::Module*& module = known[source->text];
        if (module == nullptr)
            module = stream.modules.emplace_back(std::make_unique<const kernel::Module>(kernel::read_module(source, budget))).get();
        modules.push_back(module);
    }
    std::vector<kernel::Launch> launches = recordings.size() <= 1
                                               ? launches_of(options, *modules.front(), recordings)
                                               : record::recorded_launches(modules, recordings, options.recorded, budget);
    for (size_t l = 1; l < launches.size(); ++l) launches[l].programmatic = options.programmatic;
    modules.resize(launches.size(), modules.front());  // those of --then are in the one file
    if (options.programmatic && std::any_of(modules.begin(), modules.end(), [&](const auto* one) { return one != modules.front(); }))
        throw Failure(nullptr, {}, "launches of kernels in several files are named with --pdl", "name launches of kernels in one file");
    std::map<std::string, size_t> named;  // by folder, or by number
    for (size_t n = 0; n < options.repeated * launches.size(); ++n) {
        const size_t which = n % launches.size();
        const auto [first, fresh] = named.emplace(recordings.empty() ? std::to_string(which) : options.recorded[which], n);
        stream.files.push_back(options.inputs[recordings.empty() ? 0 : which]);
        budget.check();
        kernel::Launch launch = launches[which];
        if (!fresh)
            for (kernel::Array& array : launch.arrays) array.recorded.clear();  // memory was so the first time
        stream.launches.push_back(std::make_unique<const kernel::Launch>(std::move(launch)));
        stream.started.push_back({modules[which], stream.launches.back().get(), fresh ? std::nullopt : std::optional(first->second)});
    }
    return stream;
}

// What is said of one launch.
std::string swept_text(const Options& options, const Stream& stream, size_t number, const SweptKernel& swept) {
    const sweep::Started& started = stream.started[number];
    if (options.format == Format::json) return sweep_json(*started.module, stream.files[number], started.launch->entry, swept) + "\n";
    const size_t all = stream.started.size();
    const std::string head = all == 1 ? ""
                                      : "launch " + std::to_string(number + 1) + " of " + std::to_string(all) + ": " +
                                            visible(kernel::source_name(started.launch->entry)) + "\n";
    return head + sweep_text(*started.module, swept);
}

// What one run of all threads shows, of each launch. 0 nothing; 1 something; 3 nothing, and another order of the threads may show
// something, or the model did not confirm a race.
int tell_swept(const Options& options, const std::vector<record::Recording>& recordings, Output& out) {
    sweep::Options how;
    how.budget = options.whole;
    how.gpus = options.gpus;
    const Stream stream = stream_of(options, recordings, how.budget);
    ModelFamily family(options.model, options.variants);
    (void)family.readings(options.reading);  // a wrong name is an error where the model is not asked, too
    Solver solver(Solver::usually, options.engine.value_or(faster));
    CheckOptions check;
    check.reading = options.reading;
    const std::vector<SweptKernel> all = judge_stream(stream.started, how, family, check, solver);
    const auto writer = case_writer(options.format, sweep_rules());
    if (writer) out.put(writer->begin());
    bool is_wrong = false, depends = false;
    std::string test;  // of the first finding that has one
    for (size_t n = 0; n < all.size(); ++n) {
        out.put(writer ? writer->put(sweep_case(*stream.started[n].module, stream.files[n], stream.started[n].launch->entry, all[n]))
                       : swept_text(options, stream, n, all[n]));
        is_wrong = is_wrong || all[n].is_wrong();
        depends = depends || !all[n].is_sure();
        for (const SweptFinding& one : all[n].findings)
            if (test.empty()) test = one.confirmation.evidence.text;
    }
    if (writer) out.put(writer->end());
    if (!writer && options.format != Format::json && all.size() < stream.started.size())
        out.put("launch " + std::to_string(all.size() + 1) + " is not swept: the one before it does not end\n");
    if (!options.into.empty() && !test.empty()) write_file(options.into, test);
    if (!options.into.empty() && test.empty() && options.format == Format::text)
        out.put(visible(options.into) + " is not written: no finding has a test\n");
    return is_wrong ? 1 : depends ? 3 : 0;
}

int run(const Options& given, Output& out) {
    Options within = given;
    within.whole = Budget(given.timeout, given.memory);
    within.allocated_before = allocated_here();
    const std::vector<record::Recording> recordings = recordings_of(within);
    const Options options = with_recorded_ptx(std::move(within), recordings);
    if (options.sweep) return tell_swept(options, recordings, out);
    if (options.compiled.wanted && recordings.size() > 1)
        throw Failure(nullptr, {}, "several launches are named, and --compiled is about one", "name one of them");
    const Kernel kernel = read_kernel(options, recordings);
    const kernel::Written& written = kernel.written;
    if (!options.into.empty()) write_file(options.into, written.text);
    if (options.check) return judge(options, kernel, out);
    if (options.compiled.wanted) return tell_compiled(options, kernel, out);
    if (options.needed) return tell_needs(options, written, out);
    if (options.into.empty()) out.put(written.text);
    return 0;
}

}  // namespace

Command command() {
    return make_command("from-ptx", "Make a test of a kernel", footer, define, run);
}

}  // namespace litmus::from_ptx_command
