// `litmus kernel`: is this kernel right, launched so?
//
// Files and folders to launches, these to a judgement (analysis/kernel/judge.h), and that to text and files.
#include "analysis/compiled/kernel.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "analysis/compiled/report.h"
#include "analysis/explain/exhibit.h"
#include "analysis/kernel/judge.h"
#include "analysis/kernel/report.h"
#include "analysis/needed/report.h"
#include "analysis/verdict/claim_text.h"
#include "base/shell_word.h"
#include "base/visible.h"
#include "kernel/arguments.h"
#include "kernel/dimensions.h"
#include "kernel/layout.h"
#include "kernel/suggest.h"
#include "language/syntax/read.h"
#include "record/recorded_launch.h"
#include "tool/advice.h"
#include "tool/assembling.h"
#include "tool/command.h"
#include "tool/kernel_files.h"
#include "tool/missing.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/pipeline.h"
#include "tool/results.h"
#include "tool/rewrite.h"
#include "view/page/kernel_page.h"
#include "view/picture/lanes.h"

namespace litmus::kernel_command {

namespace {

constexpr const char* footer = R"(VALUE: TYPE[COUNT], zeros, or what :iota, :NUMBER or :@FILE says; a number;
{s32[8],u32:3}, a struct; @FILE, its bytes; ptrs(NAME,...); multimem(NAME,...);
tensor(u16[64,64],box=64,64). More: litmus/kernel.md. nvcc takes its flags from
NVCC_APPEND_FLAGS. Exit status: 0 right; 1 wrong; 2 bad input, or what was asked
for is not there; 3 open.
  litmus kernel k.cu --grid 2 --block 64 --arg in=s32[128]:iota --arg n=3
  litmus record -- ./app && litmus kernel recorded/k-1
  litmus kernel k.ptx --entry a --grid 2 --arg x=s32[64] --then 'b --grid 1'
)";

// The launch, how it is judged, and what is written of it.
struct Options : TestOptions {
    std::vector<std::string> inputs;  // a file, or folders of recorded launches
    kernel::LaunchTexts launch;       // of a recorded one what is to be different
    std::vector<std::string> next;    // launches behind it in the stream, each in the words of the first
    bool programmatic = false;        // launches behind the first begin early
    uint32_t gpus = 1;                // whose blocks these are
    size_t repeated = 1;              // how often the launches come, one time after the other
    std::string threads;              // of a test: "auto", or "0.5,1.0", blocks and threads of them; empty: not said
    std::string into, svg, html;      // files for a test, for the chart of what is wrong, and for the page; empty: none
    std::vector<std::string> sources;
    bool needed = false;
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

void define(CLI::App& app, Options& options) {
    kernel::LaunchTexts& launch = options.launch;
    add_required_names(app, options.inputs, "FILE.ptx|FILE.cu|FOLDER|-",
                       "PTX, CUDA for nvcc to compile, or launches that `litmus record` wrote",
                       {"no kernel is named", "name a PTX or CUDA file, or a folder that `litmus record` wrote"});
    add_text(app, "--entry", launch.entry, "NAME", "Which kernel: its name, a pattern with *, its number");
    add_text(app, "--grid", launch.grid, "X[,Y[,Z]]", "Blocks of the grid");
    add_text(app, "--block", launch.block, "X[,Y[,Z]]", "Threads of a block (default: as the kernel says)");
    add_text(app, "--cluster", launch.cluster, "X[,Y[,Z]]", "Blocks of a cluster (default: as the kernel says)");
    add_number<uint32_t>(app, "--shared", launch.shared_bytes, 0, kernel::most_shared_bytes, "a number of bytes up to 262144", "BYTES",
                         "Dynamic shared memory of a block");
    add_list(app, "--arg", launch.arguments, "NAME=VALUE", "An argument: one for each parameter, in order");
    add_list(app, "--then", options.next, "OPTIONS", "The next launch of the stream (repeatable)");
    add_flag(app, "--pdl", options.programmatic, "Later launches may begin when they are triggered");
    add_number<size_t>(app, "--repeat", options.repeated, 1, 16, "a number from 1 to 16", "N", "Launch N times, one after the other");
    add_number<uint32_t>(app, "--gpus", options.gpus, 1, 8, "a number from 1 to 8", "N", "The grid is that of N GPUs, cut in equal parts");
    add_number<uint32_t>(app, "--unlaunched", launch.unlaunched, 0, kernel::most_unlaunched, "a number from 0 to 8", "N",
                         "The last N clusters have not started");
    add_text(app, "-o,--output", options.into, "FILE.litmus", "Write the test of a finding, or of --threads");
    add_text(app, "--threads", options.threads, "auto|B.T,...", "Threads that -o and --compiled are about");
    add_text(app, "--svg", options.svg, "FILE.svg", "Draw in time what is wrong");
    add_text(app, "--html", options.html, "FILE.html", "Write a page with the findings at their lines");
    add_list(app, "--sources", options.sources, "FOLDER", "Quote CUDA files below this folder, too");
    CLI::Option* const needed = add_flag(app, "--needed", options.needed, "Say what each fence, barrier and wait is needed for");
    exclude(needed, {add_flag(app, "--compiled", options.compiled.wanted, "Say what ptxas does to the accesses")});
    add_assembler(app, options.compiled);
    add_model(app, options);
    add_timeout(app, options.timeout, "Give up after S seconds");
    add_number<size_t>(app, "--memory", options.memory, 0, size_t{1} << 40U, "a number of megabytes", "MB",
                       "Give up when it takes more than MB megabytes");
    add_solver(app, options.engine, true);
    add_no_time(app, options.times);
    add_formats(app, options.format, "kernel");
    fit_screen(app);
    reword(app, "--ptxas", "An assembler (repeatable; default: of PATH and CUDA)");
    reword(app, "--model", "A shipped model, or a cat file (default: ptx)");
    reword(app, "--variant", "Switch on a variant of the model (repeatable)");
    reword(app, "--reading", "Readings of the ISA: weakest, strongest, [-]names");
    reword(app, "--solver", "Who decides tests (default: " + std::string(name(options.engine.value())) + ")");
    reword(app, "--format", "Text; JSON (share/litmus/schemas/kernel.json); ...");
}

namespace fs = std::filesystem;

// "0.5,1.0": (0, 5) and (1, 0). Empty for "auto".
ThreadNumbers chosen_threads(const std::string& text) {
    ThreadNumbers threads;
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

// "k.litmus" of "folder/k.ptx"
std::string test_beside(const std::string& file) {
    return fs::path(file).filename().replace_extension(".litmus").string();
}

// The name of the test in reports, where it has no file of its own.
std::string name_of_test(const Options& options, const std::string& input) {
    if (!options.into.empty()) return options.into;
    return input == "-" ? "<stdin>" : test_beside(input);
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
    std::string shared, unlaunched;
    const std::map<std::string, std::string*> texts{{"--entry", &launch.entry}, {"--grid", &launch.grid},
                                                    {"--block", &launch.block}, {"--cluster", &launch.cluster},
                                                    {"--shared", &shared},      {"--unlaunched", &unlaunched}};
    for (size_t i = 0; i < words.size(); i += 2) {
        const auto known = texts.find(words[i]);
        if (words[i] != "--arg" && known == texts.end()) fail("`" + words[i] + "` is no option of a launch");
        if (i + 1 == words.size()) fail("`" + words[i] + "` has no value");
        if (known == texts.end())
            launch.arguments.push_back(words[i + 1]);
        else
            *known->second = words[i + 1];
    }
    const auto read = [&](const std::string& written, uint32_t& number, uint32_t most, const std::string& what) {
        const char* const end = written.data() + written.size();
        const auto [rest, error] = std::from_chars(written.data(), end, number);
        if (!written.empty() && (error != std::errc() || rest != end || number > most)) fail("`" + written + "` is no number of " + what);
    };
    read(shared, launch.shared_bytes, kernel::most_shared_bytes, "bytes up to 262144");
    read(unlaunched, launch.unlaunched, kernel::most_unlaunched, "clusters from 0 to 8");
    return launch;
}

// Whether the launch lacks something that the kernel does not say itself.
bool is_lacking(const kernel::Function& entry, const kernel::LaunchTexts& said) {
    const bool has_block = !said.block.empty() || entry.block[0] != 0 || entry.most_block[0] != 0;
    return said.grid.empty() || !has_block || (entry.explicit_cluster && said.cluster.empty()) ||
           said.arguments.size() < entry.parameters.size();
}

// For who has not said how the kernel is launched: the whole command, and which numbers in it nothing in the kernel says.
std::vector<std::string> line_to_paste(const Options& options, const kernel::Module& module, const kernel::Function& entry) {
    const kernel::Suggestion suggestion = kernel::suggested_options(module, entry, options.launch);
    std::string line = command_with("kernel", options.inputs.front(), options), guessed;
    for (const std::string& word : suggestion.options) line += " " + (word.rfind("--", 0) == 0 ? word : shell_word(word));
    for (const std::string& argument : suggestion.guessed) guessed += (guessed.empty() ? "`" : ", `") + argument + "`";
    std::vector<std::string> notes = {"a line to begin with: " + line};
    if (!guessed.empty())
        notes.push_back(
            "a guess that nothing in the kernel says: " + guessed +
            "; with 1 a loop may go round once, and what is wrong in its later rounds does not show: say what your program passes");
    return notes;
}

// The launches of one file, which have the same arrays.
std::vector<kernel::Launch> launches_of(const Options& options, const kernel::Module& module, const KernelReading& how) {
    std::vector<kernel::LaunchTexts> texts{options.launch};
    for (const std::string& text : options.next) texts.push_back(launch_in(text));
    try {
        return kernel::launches_of(
            module, texts, [&](const std::string& path) { return read_argument_bytes(path, how); }, options.whole);
    } catch (const Failure& failure) {
        if (!options.next.empty()) throw;
        const kernel::Function& entry = kernel::entry_named(module, options.launch.entry);  // that is not known: it says so once more
        if (!is_lacking(entry, options.launch)) throw;
        std::vector<Diagnostic> told = failure.diagnostics();
        for (const std::string& note : line_to_paste(options, module, entry))
            told.push_back({Diagnostic::Level::note, nullptr, {}, note, {}});
        throw Failure(std::move(told));
    }
}

std::vector<kernel::Launch> recorded_launches_of(const Options& options, const std::vector<KernelFile>& files,
                                                 const std::vector<const kernel::Module*>& modules) {
    if (!options.launch.arguments.empty() || !options.next.empty())
        throw Failure(nullptr, {}, files.front().folder + " is a recorded launch, which has its own arguments",
                      "leave out --arg, and name launches behind it by their folders in place of --then");
    if (files.size() == 1)
        return {record::recorded_launch(*modules.front(), files.front().recording, files.front().folder, options.launch, options.whole)};
    const kernel::LaunchTexts& instead = options.launch;
    if (!instead.entry.empty() || !instead.grid.empty() || !instead.block.empty() || !instead.cluster.empty() ||
        instead.shared_bytes != 0 || instead.unlaunched != 0)
        throw Failure(nullptr, {}, "it is not clear for which launch --entry, --grid, --block, --cluster, --shared and --unlaunched are",
                      "leave them out, or name one launch");
    std::vector<record::Recording> recordings;
    std::vector<std::string> folders;
    for (const KernelFile& file : files) {
        recordings.push_back(file.recording);
        folders.push_back(file.folder);
    }
    return record::recorded_launches(modules, recordings, folders, options.whole);
}

// Puts the options that are about all launches of a stream into these.
void set_up(const Options& options, std::vector<kernel::Launch>& launches) {
    if (options.programmatic && launches.size() == 1)
        throw Failure(nullptr, {}, "--pdl is about launches behind the first, and there is one",
                      "name the next one with --then, or its folder");
    for (kernel::Launch& launch : launches) {
        launch.programmatic = options.programmatic && &launch != &launches.front();
        kernel::require_cut(launch, options.gpus);
        launch.gpus = options.gpus;
    }
}

// The launches that are judged together.
std::vector<KernelLaunch> read_launches(const Options& options, const std::vector<KernelFile>& files, const KernelReading& how) {
    std::map<std::string, std::shared_ptr<const kernel::Module>> known;  // by text
    std::vector<std::shared_ptr<const kernel::Module>> modules;
    std::vector<const kernel::Module*> pointers;
    for (const KernelFile& file : files) {
        std::shared_ptr<const kernel::Module>& module = known[file.ptx->text];
        if (!module) module = std::make_shared<const kernel::Module>(kernel::read_module(file.ptx, options.whole));
        modules.push_back(module);
        pointers.push_back(module.get());
    }
    const bool is_recorded = !files.front().folder.empty();
    std::vector<kernel::Launch> launches =
        is_recorded ? recorded_launches_of(options, files, pointers) : launches_of(options, *modules.front(), how);
    set_up(options, launches);
    std::vector<KernelLaunch> all;
    for (size_t n = 0; n < launches.size(); ++n) {
        options.whole.check();
        const size_t file = is_recorded ? n : 0;
        all.push_back({modules[file], std::make_shared<const kernel::Launch>(std::move(launches[n])), files[file].input,
                       is_recorded ? files[n].folder : std::to_string(n)});
    }
    return stream_of(all, options.repeated);
}

// The launches with the lines that their tests quote.
struct Kernel {
    std::string input;                   // that was named
    std::vector<KernelLaunch> launches;  // at least one
    ThreadNumbers threads;               // of a test; none: it has one for each thing that threads do
    SourceLines cuda;                    // that tests and pages quote
};

Kernel read_kernel(const Options& options) {
    const KernelReading how{{options.into, options.svg, options.html}, options.sources, options.whole};
    const std::vector<KernelFile> files = read_kernel_files(options.inputs, how);
    Kernel kernel{files.front().input, read_launches(options, files, how), {}, {}};
    kernel.cuda = cuda_lines(*kernel.launches.front().module, kernel.input, how);
    kernel.threads = chosen_threads(options.threads.empty() ? "auto" : options.threads);
    if (!options.threads.empty() && kernel.launches.size() > 1)
        throw Failure(nullptr, {}, "--threads says which threads of one launch a test has, and there are several", "name one of them");
    if (!options.threads.empty() && options.into.empty() && !options.needed && !options.compiled.wanted)
        throw Failure(nullptr, {}, "--threads says which threads a test has, and none is asked for", "-o FILE.litmus writes it");
    const kernel::Geometry geometry(*kernel.launches.front().launch);
    for (const auto& [block, thread] : kernel.threads)
        if (block >= geometry.blocks() || thread >= geometry.threads())
            throw Failure(nullptr, {}, "--threads: there is no thread " + std::to_string(block) + "." + std::to_string(thread),
                          "this launch has " + counted(geometry.blocks(), "block") + " of " + counted(geometry.threads(), "thread"));
    return kernel;
}

// The test of a few threads, as it was checked.
struct CheckedThreads {
    std::shared_ptr<const Test> test;  // that the program of `checked` points to
    Checked checked;
};

// A test that is made of a finding, and what to say of it: what `check` says of the test has to show the finding.
struct MadeTest {
    std::string text;  // empty: there is none
    std::string note;  // or why there is none
};

MadeTest made_test(const KernelJudgement& judgement) {
    const auto first = [&](const auto& list, bool shown) -> const Confirmation* {
        for (const SweptKernel& swept : judgement.swept)
            for (const SweptFinding& one : swept.*list)
                if (!one.confirmation.slice.text.empty() && (one.confirmation.answer == Confirmation::Answer::yes) == shown)
                    return &one.confirmation;
        return nullptr;
    };
    if (const Confirmation* const one = first(&SweptKernel::findings, true))
        return {one->slice.text, one->slice.question == sweep::Question::exit
                                     ? "`litmus check` reports what is wrong as the flag `in-flight-at-exit`, beside the verdict"
                                     : ""};
    if (const Confirmation* const one = first(&SweptKernel::denied, false))
        return {one->slice.text, "the model does not confirm the finding: `litmus check` calls this test right"};
    if (first(&SweptKernel::findings, false) != nullptr) return {"", "the test of the finding does not show it"};
    if (judgement.claim != KernelClaim::wrong) return {"", "nothing is found"};
    return judgement.threads ? MadeTest{judgement.threads->made.text, ""} : MadeTest{"", "no finding has a test"};
}

// Says what is missing in the test of a few threads.
std::string advice_on(const Options& options, const Kernel& kernel, const KernelJudgement& judgement, ModelFamily& family,
                      bool is_written) {
    const bool is_wrong = judgement.claim == KernelClaim::wrong && judgement.threads;
    if (!is_wrong) return {};
    Solver solver(Solver::usually, faster);
    const std::string repaired_by = is_written ? command_on("repair", options.into, options) : "";
    const std::string text = soon_missing_text(judgement.threads->made.test, family, family.readings(options.reading), solver,
                                               rest_of(options), true, repaired_by);
    if (!repaired_by.empty() || text.empty()) return text;
    const std::string name = kernel.input == "-" ? "kernel.litmus" : test_beside(kernel.input);
    return text + "`-o " + shell_word(name) + "` writes the test into a file, for `" + command_with("repair", name, options) + "`\n";
}

// The test of a finding, checked.
CheckedThreads checked_finding(const Options& options, const std::string& text, ModelFamily& family) {
    CheckedThreads finding;
    const std::string name = "kernel.litmus";
    finding.test = std::make_shared<const Test>(parse_tests(make_source(name, text)).front());
    finding.checked = check_whole({name, finding.test, std::nullopt, finding.test->source}, family, {{rest_of(options), 0, false}, true});
    return finding;
}

std::vector<std::string> lines_in(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// Says on standard error that a file which was asked for is not there.
void say_unwritten(const std::string& path, const std::string& why) {
    std::fprintf(stderr, "litmus: %s is not written: %s\n", visible(path).c_str(), visible(why).c_str());
}

// Writes the files of `--svg` and `--html`.
void draw(const Options& options, const Kernel& kernel, const KernelJudgement& judgement, const CheckedThreads& threads,
          ModelFamily& family, const std::string& missing) {
    const std::string test = made_test(judgement).text;
    const Model& model = family.under(family.readings(options.reading));
    CheckedThreads finding;  // that the drawing points into
    if (!threads.checked.program && !test.empty()) finding = checked_finding(options, test, family);
    const Checked& shown = threads.checked.program ? threads.checked : finding.checked;
    const std::optional<Drawing> drawing = shown.program ? exhibit(*shown.program, model, shown.answer, 0) : std::nullopt;
    if (!options.svg.empty() && drawing) write_file(options.svg, lanes_picture(*drawing));
    if (!options.svg.empty() && !drawing) {
        remove_file(options.svg);
        say_unwritten(options.svg, "there is no execution to draw");
    }
    if (options.html.empty()) return;
    KernelPage page = page_of(kernel.launches, judgement);
    page.missing = missing;
    page.made = "litmus " LITMUS_VERSION ", model " + model.name;
    const PictureOptions look{.style = false, .title = false};
    if (drawing) page.figure = Figure{svg_picture(*drawing, look), lanes_picture(*drawing, look), {}};
    for (const auto& [key, lines] : kernel.cuda) page.sources.push_back({kernel.launches.front().module->files.at(key), lines});
    const std::string quoted = judgement.threads ? judgement.threads->made.text : test;
    if (!quoted.empty()) page.sources.push_back({name_of_test(options, kernel.input), lines_in(quoted)});
    write_file(options.html, kernel_page(page));
}

// A test of the threads of --threads.
MadeTest named_test(const Options& options, const Kernel& kernel) {
    const ThreadsTest made = test_of_threads(kernel.launches, kernel.threads, options.whole, kernel.cuda);
    if (!made.why.empty()) return {"", made.why};
    const std::string from = made.runs == 1 ? "the run of all threads" : std::to_string(made.runs) + " runs of all threads";
    return {made.text, "the test has " + counted(made.test.threads.size(), "thread") + ", from " + from};
}

// Writes the file of -o, or removes what an earlier time has left there.
TestFile write_test(const Options& options, const MadeTest& made) {
    const bool is_made = !made.text.empty();
    if (is_made)
        write_file(options.into, made.text);
    else
        remove_file(options.into);
    return {options.into, is_made, made.note};
}

int judge(const Options& options, const Kernel& kernel, Output& out) {
    ModelFamily family(options.model, options.variants);
    (void)family.readings(options.reading);  // a wrong name is an error where the model is not asked, too
    Solver solver(Solver::usually, options.engine.value_or(faster));
    XmlOutput xml;
    JudgeQuestion question;
    question.check.reading = options.reading;
    question.file = name_of_test(options, kernel.input);
    question.budget = options.whole;
    std::optional<TestFile> test;  // of -o
    if (!options.threads.empty()) test = write_test(options, named_test(options, kernel));
    CheckedThreads threads;
    KernelJudgement judgement =
        judge_launches(kernel.launches, question, family, solver, [&](const std::shared_ptr<const Test>& test, const Budget& budget) {
            Asked asked{{rest_of(options), 0, false}, true};
            if (const int left = budget.milliseconds_left(); left >= 0) asked.timeout = left / 1000.0;
            threads.test = test;
            threads.checked = check_whole({question.file, test, std::nullopt, test->source}, family, asked);
            return threads.checked.result;
        });
    if (judgement.threads && options.into.empty()) judgement.threads->result.made_of = kernel.input == "-" ? "<stdin>" : kernel.input;

    const auto writer = case_writer(options.format, judgement_rules());
    if (writer) {
        out.put(writer->begin());
        for (const Case& one : judgement_cases(kernel.launches, judgement)) out.put(writer->put(one));
        out.put(writer->end());
    }
    if (options.threads.empty() && !options.into.empty()) test = write_test(options, made_test(judgement));
    const bool is_written = test && test->is_written;
    if (options.format == Format::json) out.put(judgement_json(kernel.launches, judgement, test) + "\n");
    const bool is_text = !writer && options.format != Format::json;
    const bool is_drawn = !options.svg.empty() || !options.html.empty();
    const std::string advice = is_text || is_drawn ? advice_on(options, kernel, judgement, family, is_written) : "";
    if (is_text) out.put(judgement_text(kernel.launches, judgement, text_style(options.times), advice));
    const std::string subject = test && options.threads.empty() ? visible(test->path) + ": " : "";
    if (is_text && is_written && !test->said.empty()) out.put(subject + visible(test->said) + "\n");
    if (test && !is_written) say_unwritten(test->path, test->said);
    if (is_drawn) draw(options, kernel, judgement, threads, family, advice);
    for (const Case& one : judgement_cases(kernel.launches, judgement)) xml.put(one);
    xml.finish();
    Complaints complaints;
    if (judgement.threads) complaints.add(judgement.threads->result);
    complaints.finish();
    if (complaints.status() == internal_status) return internal_status;
    // a test of these threads was asked for, whatever is found
    const bool is_missing = test && !is_written && !options.threads.empty() && judgement.claim == KernelClaim::right;
    return is_missing ? exit_status(Verdict::error) : exit_status(judgement.claim);
}

constexpr double usual_seconds_of_needs = 60;  // where there is no --timeout

// Says what each thing that orders or waits is needed for, from runs of all threads without it. Throws Failure where the machine does not
// execute the kernel.
int tell_needs(const Options& options, const Kernel& kernel, Output& out) {
    std::vector<sweep::Started> started;
    for (const KernelLaunch& one : kernel.launches) started.push_back({one.module.get(), one.launch.get(), one.repeats});
    ModelFamily family(options.model, options.variants);
    (void)family.readings(options.reading);
    Solver solver(Solver::usually, options.engine.value_or(faster));
    CheckOptions check;
    check.reading = options.reading;
    sweep::Options how;
    how.budget = options.timeout > 0 ? options.whole : options.whole.within(usual_seconds_of_needs);
    how.gpus = kernel.launches.front().launch->gpus;
    const double start = now();
    std::optional<Progress> progress;
    const Needed found = needed(started, how, family, check, solver, [&](size_t done, size_t all) {
        if (!progress) progress.emplace(all);
        progress->at(done);
    });
    progress.reset();
    if (options.format == Format::json)
        out.put(needed_json(found, kernel.launches.front().file, options.times ? now() - start : 0) + "\n");
    else
        out.put(needed_text(found));
    return found.findings > 0 ? 1 : found.partial ? 3 : 0;
}

// The help against a change of ptxas, by its kind.
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

// Says what ptxas makes of the kernel's accesses.
int tell_compiled(const Options& options, const Kernel& kernel, Output& out) {
    if (kernel.launches.size() > 1)
        throw Failure(nullptr, {}, "several launches are named, and --compiled is about one", "name one of them");
    const ThreadsTest made = test_of_threads(kernel.launches, kernel.threads, options.whole, kernel.cuda);
    if (!made.why.empty()) throw Failure(nullptr, {}, "no test of these threads is made: " + made.why, "name others with --threads");
    if (!options.into.empty()) write_file(options.into, made.text);
    const KernelLaunch& one = kernel.launches.front();
    const compiled::KernelCode code =
        compiled::assemble_kernel(*one.module, one.launch->entry, made.test, made.statements, settings_of(options.compiled));
    ModelFamily family(options.model, options.variants);
    Solver solver(Solver::usually, options.engine.value_or(faster));
    const std::string file = name_of_test(options, kernel.input);
    const Test test = unclaimed_test(made, file);
    compiled::Report report =
        compiled::report_on(file, test, compiled::make_all(test, code.assembled), family, solver, options.unroll, options.whole);
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
    for (const std::string& line : made.about) text += std::exchange(head, "  ") + visible(line) + "\n";
    out.put(text);
    return exit_status(report.fate());
}

// Throws Failure where options ask for what the answer does not have.
void require_fitting(const Options& options) {
    const std::string question = options.needed ? "--needed" : options.compiled.wanted ? "--compiled" : "";
    if (!question.empty() && (options.format.cases != nullptr || !options.svg.empty() || !options.html.empty()))
        throw Failure(nullptr, {}, question + " writes text or JSON", "leave out --svg, --html and --format, or say --format json");
    if (options.needed && !(options.into.empty() && options.threads.empty()))
        throw Failure(nullptr, {}, "-o and --threads are about a test, and --needed asks all threads",
                      "write the test without --needed, and ask `litmus weaken` about it");
}

int run(const Options& given, Output& out) {
    Options options = given;
    options.whole = Budget(given.timeout, given.memory);
    options.allocated_before = allocated_here();
    const Kernel kernel = read_kernel(options);
    require_fitting(options);
    if (options.compiled.wanted) return tell_compiled(options, kernel, out);
    if (options.needed) return tell_needs(options, kernel, out);
    return judge(options, kernel, out);
}

}  // namespace

Command command() {
    return make_command("kernel", "Judge a kernel: is it right, launched so?", footer, define, run);
}

}  // namespace litmus::kernel_command
