// What a kernel adds to the verdict of its test.
#include "analysis/kernel/kernel_verdict.h"

#include <filesystem>
#include <set>
#include <utility>

#include "analysis/verdict/hazards.h"
#include "kernel/evaluate.h"
#include "language/origin.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"

namespace litmus {

namespace {

void count_as_undefined(Result& result) {
    result.judgement.verdict = Verdict::undefined;
    result.judgement.notes.clear();
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
    if (!rules.empty()) count_as_undefined(result);
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
        count_as_undefined(result);
    }
}

// What breaks a static rule is undefined behaviour of the kernel, but no test that can be checked.
Result undefined_result(const std::string& file, const kernel::Written& written) {
    Result result;
    result.file = file;
    result.test = written.test.name;
    add_broken(result, written.broken);
    return result;
}

}  // namespace

kernel::Written test_of_kernel(const kernel::Module& module, const KernelQuestion& question) {
    const kernel::ReadBytes no_files = [](const std::string& path) -> std::string {
        throw Failure(nullptr, {}, "there is no file `" + path + "`", "arguments name none here");
    };
    return test_of_kernel(module, {kernel::launch_of(module, question.launch, question.read ? question.read : no_files)}, question);
}

kernel::Written test_of_kernel(const kernel::Module& module, const std::vector<kernel::Launch>& launches, const KernelQuestion& question) {
    kernel::EvaluateOptions evaluation;
    evaluation.ignored = question.ignored;
    evaluation.budget = question.budget;
    kernel::ChoiceOptions choice = question.choice;
    choice.budget = question.budget;
    return kernel::write_test(module, launches, kernel::evaluate(module, launches, evaluation), choice);
}

Test unclaimed_test(const kernel::Written& written, const std::string& file) {
    Test test = parse_tests(make_source(file, written.text)).front();
    test.claims_racefree = false;
    return test;
}

std::vector<std::string> what_is_judged(const kernel::Written& written, bool in_numbers_of_test) {
    std::vector<std::string> lines;
    if (in_numbers_of_test) lines = written.lines_about_numbers;
    for (const std::string& line : written.lines_about_choice)
        if (line.rfind("undefined: ", 0) != 0 && line.rfind("reservation: ", 0) != 0) lines.push_back(line);
    return lines;
}

Result kernel_verdict(const kernel::Written& written, const std::string& file, const CheckUnclaimed& check) {
    Result result;
    if (written.broken.empty()) {
        result = check(std::make_shared<const Test>(kernel::in_numbers_of_kernel(unclaimed_test(written, file), written.arrays)));
        add_in_flight(result);
    } else {
        result = undefined_result(file, written);
    }
    if (result.judgement.verdict != Verdict::error) add_broken(result, written.of_kernel);
    result.judged = what_is_judged(written, false);
    result.reservations = written.reservations;
    return result;
}

JudgedKernel judge_kernel(const SourcePtr& ptx, const KernelQuestion& question, ModelFamily& family, CheckOptions options, Solver& solver) {
    kernel::Written written = test_of_kernel(kernel::read_module(ptx, question.budget), question);
    options.strict = true;
    const std::string file = std::filesystem::path(ptx->name).filename().replace_extension(".litmus").string();
    Result result = kernel_verdict(
        written, file, [&](const std::shared_ptr<const Test>& test) { return check_test(file, *test, family, options, solver).result; });
    result.made_of = ptx->name;
    return {std::move(written), std::move(result)};
}

}  // namespace litmus
