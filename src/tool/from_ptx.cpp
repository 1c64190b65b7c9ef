// PTX to a test, and on to check's pipeline.
#include "tool/from_ptx.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "analysis/compiled/kernel.h"
#include "analysis/compiled/report.h"
#include "analysis/verdict/claim_text.h"
#include "analysis/verdict/json.h"
#include "analysis/weaken/text.h"
#include "analysis/weaken/weaken.h"
#include "base/shell_word.h"
#include "base/visible.h"
#include "kernel/arguments.h"
#include "kernel/evaluate.h"
#include "kernel/module.h"
#include "kernel/write.h"
#include "language/origin.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "tool/advice.h"
#include "tool/assembling.h"
#include "tool/missing.h"
#include "tool/pipeline.h"
#include "tool/results.h"
#include "tool/rewrite.h"

namespace litmus {

namespace {

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

// The lines of the CUDA files that are there to be read, of those that the PTX names. It may name any file: only what is called like a
// source is quoted.
std::map<int, std::vector<std::string>> cuda_lines(const kernel::Module& module, const std::string& ptx, const std::string& into) {
    std::map<int, std::vector<std::string>> result;
    size_t left = most_bytes;  // of all together
    constexpr std::array<std::string_view, 7> endings{".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc", ".inl"};
    for (const auto& [key, name] : module.files) {
        const fs::path named(name), beside = fs::path(ptx).parent_path() / named;
        const bool is_source = std::find(endings.begin(), endings.end(), named.extension().string()) != endings.end();
        if (!is_source || name.find("/include/") != std::string::npos) continue;
        std::error_code error;
        const fs::path path = fs::is_regular_file(named, error) ? named : beside;
        // a link may be called so, too
        if (fs::canonical(path, error).extension() != named.extension()) continue;
        if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > left) continue;
        require_apart(path.string(), into);
        const SourcePtr source = read_source(path.string(), {.most_bytes = left});
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
};

Kernel read_kernel(const Options& options) {
    const FromPtxOptions& from = options.from_ptx;
    const ReadLimits limits{.most_bytes = most_bytes, .budget = Budget(options.timeout, options.memory)};
    kernel::ChoiceOptions choice;
    choice.per_role = from.per_role;
    choice.most_threads = from.most_threads;
    choice.threads = chosen_threads(from.threads);
    choice.budget = limits.budget;
    const auto source = [&](const std::string& path) {
        require_apart(path, options.into);
        return read_source(path, limits);
    };
    kernel::Module module = kernel::read_module(source(options.inputs.front()), limits.budget);
    choice.cuda = cuda_lines(module, options.inputs.front(), options.into);
    const auto read = [&](const std::string& path) { return source(path)->text; };
    const kernel::Launch launch = kernel::launch_of(module, from.launch, read);
    kernel::EvaluateOptions evaluation;
    evaluation.ignored = from.ignored;
    evaluation.budget = limits.budget;
    kernel::Written written = kernel::write_test(module, launch, kernel::evaluate(module, launch, evaluation), choice);
    return {std::move(module), std::move(written)};
}

// The threads of a role break a rule alike: it is said once.
void add_broken(Result& result, const std::vector<kernel::BrokenRule>& rules) {
    std::set<std::string> said;  // lines, or where none is known the messages
    for (const kernel::BrokenRule& rule : rules) {
        Result::Access access;
        access.origin = rule.origin;
        if (!said.insert(access.origin ? short_text(access.origin) : rule.message).second) continue;
        access.text = rule.thread + " " + print(rule.instruction);
        Result::Harm harm;
        harm.title = rule.message;
        harm.lines = {access.text + (access.origin ? " (" + short_text(access.origin) + ")" : "")};
        harm.accesses = {access};
        result.hazards.push_back(std::move(harm));
    }
    if (rules.empty()) return;
    result.judgement.verdict = Verdict::undefined;
    result.judgement.notes.clear();
}

// A test may be the middle of a kernel, of which nothing follows from a bulk operation that may still be under way at its end. A kernel
// ends there: its shared memory is given to another CTA, which the operation reads or writes.
void add_in_flight(Result& result) {
    for (Result::Harm harm : result.flagged) {
        if (harm.flag != in_flight_at_exit) continue;
        harm.kind = Hazard::Kind::undefined;
        harm.title =
            "copy in flight when its CTA exits: a wait for its completion must come before, as it reads or writes the CTA's shared memory "
            "(ISA 9.7.9.25.2)";
        harm.lines.clear();
        for (const Result::Access& access : harm.accesses) harm.lines.push_back(access.text);
        result.hazards.push_back(std::move(harm));
        result.judgement.verdict = Verdict::undefined;
        result.judgement.notes.clear();
    }
}

// What breaks a static rule is undefined behaviour of the kernel, but no test that check's pipeline takes.
Result undefined_result(const std::string& file, const kernel::Written& written) {
    Result result;
    result.file = file;
    result.test = written.test.name;
    add_broken(result, written.broken);
    return result;
}

// What a verdict is about; a broken rule is the verdict itself.
std::vector<std::string> judged(const kernel::Written& written) {
    std::vector<std::string> lines;
    for (const std::string& line : written.lines_about_choice)
        if (line.rfind("undefined: ", 0) != 0) lines.push_back(line);
    return lines;
}

// The test of a kernel, without the claim that it has for others: what is wrong with a kernel is the verdict, and no claim that fails.
Test unclaimed(const SourcePtr& source) {
    Test test = parse_tests(source).front();
    test.claims_racefree = false;
    return test;
}

int judge(const Options& options, const kernel::Written& written, Output& out) {
    Options asked = options;
    asked.strict = true;
    ModelFamily family(asked.model, asked.variants);
    const std::string file = name_of_test(options);
    const SourcePtr source = make_source(file, written.text);
    Titles titles;
    titles.tests = 1;
    bool found = false;  // by the test, where something may be missing
    const auto advice = [&](const Result&) -> std::string {
        if (!found) return {};
        Solver solver(Solver::usually, faster);
        const std::string repaired_by = command_on("repair", options.into, options);
        const std::string text = soon_missing_text(written.test, family, family.readings(asked.reading), solver, asked, repaired_by);
        if (!repaired_by.empty() || text.empty()) return text;
        const std::string& ptx = options.inputs.front();
        const std::string name = ptx == "-" ? "kernel.litmus" : test_beside(ptx);
        return text + "`-o " + shell_word(name) + "` writes the test into a file, for `" + command_with("repair", name, options) + "`\n";
    };
    Results results(asked, out, titles, advice);
    Result result;
    if (written.broken.empty()) {
        const auto test = std::make_shared<const Test>(unclaimed(source));
        result = check_input({file, test, std::nullopt, source}, family, asked);
        const Verdict verdict = result.judgement.verdict;
        found = verdict != Verdict::ok && verdict != Verdict::unknown && verdict != Verdict::error;
        add_in_flight(result);
    } else {
        result = undefined_result(file, written);
    }
    if (result.judgement.verdict != Verdict::error) add_broken(result, written.of_kernel);
    result.judged = judged(written);
    if (options.into.empty()) result.made_of = options.inputs.front() == "-" ? "<stdin>" : options.inputs.front();
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
    const Test test = unclaimed(make_source(file, written.text));
    Solver solver(Solver::usually, options.engine.value_or(faster));
    WeakenOptions wanted;
    wanted.by_line = true;
    wanted.unroll = options.unroll;
    wanted.budget = Budget(options.timeout, options.memory);
    const Weakening found = weaken(test, family, family.readings(options.reading), solver, wanted);
    WeakenReport report = make_report(file, test, found);
    report.model = family.by_default().name;
    report.seconds = options.times ? now() - start : 0;
    const bool json = options.format == Options::Format::json;
    out.put(json ? weaken_json(report) + "\n" : needed_text(report, judged(written), text_style(options)));
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
            return "a relaxed or volatile access stays, as does one behind a fence, or behind a loop that waits";
        case Kind::moved:
            if (change.other && body[*change.other].has("read")) return "`wait_group` without `.read` holds it back";
            return "two accesses in one spelling, both relaxed or both volatile, stay in order";
        case Kind::unwaited:
            return "it waits behind a branch on the result, or behind a loop that waits";
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
    if (options.format != Options::Format::text && options.format != Options::Format::json)
        throw Failure(nullptr, {}, "--compiled writes text or JSON", "leave out --format, or say --format json");
    const compiled::KernelCode code = compiled::assemble_kernel(kernel.module, written, settings_of(options.compiled));
    ModelFamily family(options.model, options.variants);
    Solver solver(Solver::usually, options.engine.value_or(faster));
    const Test test = unclaimed(make_source(name_of_test(options), written.text));
    compiled::Report report = compiled::report_on(name_of_test(options), test, compiled::make_all(test, code.assembled), family, solver,
                                                  options.unroll, Budget(options.timeout, options.memory));
    report.left_out = code.left_out;
    if (options.format == Options::Format::json) {
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
    for (const std::string& line : judged(written)) text += std::exchange(head, "  ") + visible(line) + "\n";
    out.put(text);
    return exit_status(report.fate());
}

}  // namespace

int from_ptx(const Options& options, Output& out) {
    const Kernel kernel = read_kernel(options);
    const kernel::Written& written = kernel.written;
    if (!options.into.empty()) write_file(options.into, written.text);
    if (options.from_ptx.check) return judge(options, written, out);
    if (options.compiled.wanted) return tell_compiled(options, kernel, out);
    if (options.from_ptx.needed) return tell_needs(options, written, out);
    if (options.into.empty()) out.put(written.text);
    return 0;
}

}  // namespace litmus
