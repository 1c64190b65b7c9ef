// The machine first, then a test of a few threads.
#include "analysis/kernel/judge.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/sweep/report.h"
#include "print/columns.h"
#include "sweep/slice.h"

namespace litmus {

namespace {

constexpr std::string_view model_of_run = "ptx";
constexpr double usual_seconds = 20;  // for a test that is asked besides, where there is no limit

bool is_found(Verdict verdict) {
    return verdict != Verdict::ok && verdict != Verdict::unknown && verdict != Verdict::error;
}

class Judge {
public:
    Judge(const std::vector<KernelLaunch>& launches, const JudgeQuestion& question, ModelFamily& family, Solver& solver,
          const CheckWithin& check)
        : launches_(launches), question_(question), family_(family), solver_(solver), check_(check) {}

    KernelJudgement run() {
        result_.reading = question_.check.reading;
        sweep();
        if (!result_.not_swept.empty()) {
            ask_threads(question_.budget);
            if (!result_.threads) throw neither();
            take_threads();
            return std::move(result_);
        }
        for (const SweptKernel& one : result_.swept) result_.findings += one.findings.size() + one.out_of_scope;
        if (result_.findings > 0) {
            result_.claim = KernelClaim::wrong;
            return std::move(result_);
        }
        list_open();
        if (result_.open.empty()) {
            result_.claim = KernelClaim::right;
            return std::move(result_);
        }
        ask_besides();
        return std::move(result_);
    }

private:
    void sweep() {
        sweep::Options how;
        how.budget = question_.budget;
        how.gpus = launches_.front().launch->gpus;
        std::vector<sweep::Started> started;
        for (const KernelLaunch& one : launches_)
            if (one.launch->programmatic && one.module->source->text != launches_.front().module->source->text)
                throw Failure(nullptr, {}, launches_.front().file + " and " + one.file + " have different PTX, and --pdl is about one file",
                              "name launches of kernels in one CUDA file");
        for (const KernelLaunch& one : launches_) started.push_back({one.module.get(), one.launch.get(), one.repeats});
        try {
            result_.swept = judge_stream(started, how, family_, question_.check, solver_);
        } catch (const Failure& failure) {
            result_.not_swept = failure.diagnostics();
        }
    }

    void ask_threads(const Budget& budget) {
        try {
            JudgedKernel judged;
            judged.written = test_of_launches(launches_, question_.choice, budget);
            judged.result = kernel_verdict(judged.written, question_.file,
                                           [&](const std::shared_ptr<const Test>& test) { return check_(test, budget); });
            if (judged.result.judgement.verdict == Verdict::error && judged.result.internal_error.empty())
                result_.no_test = judged.result.errors;
            else
                result_.threads = std::move(judged);
        } catch (const Failure& failure) {
            result_.no_test = failure.diagnostics();
        }
    }

    // The machine's errors, and those of the test as notes, where they say something else.
    Failure neither() const {
        std::vector<Diagnostic> told = result_.not_swept;
        for (Diagnostic other : result_.no_test) {
            const auto is_same = [&](const Diagnostic& one) { return one.message == other.message; };
            if (std::any_of(told.begin(), told.end(), is_same)) continue;
            if (other.level != Diagnostic::Level::note) other.message = "a test of a few threads has no answer, either: " + other.message;
            other.level = Diagnostic::Level::note;
            told.push_back(std::move(other));
        }
        return Failure(std::move(told));
    }

    // The test of a few threads finds, and clears nothing: the other threads were not run, and shared memory holds 0 at the
    // start of a test.
    void take_threads() {
        const Result& result = result_.threads->result;
        if (is_found(result.judgement.verdict)) {
            result_.claim = KernelClaim::wrong;
            result_.open.clear();
            result_.findings = std::max<size_t>(result.hazards.size() + result.races.size(), 1);
            return;
        }
        if (result.judgement.verdict == Verdict::unknown) {
            std::string why = "the model has no answer about " + counted(result_.threads->written.test.threads.size(), "thread");
            for (const std::string& note : result.judgement.notes) why += (&note == &result.judgement.notes.front() ? ": " : "; ") + note;
            result_.open.push_back({std::move(why), "more time or memory, a smaller launch, or fewer rounds of a loop"});
        }
        for (const std::string& reservation : result.reservations)
            result_.open.push_back(
                {reservation, "other arguments or a larger launch, in which more of the kernel runs and its threads meet"});
        if (!result_.not_swept.empty())
            result_.open.push_back(
                {"not all threads were run: " + result_.not_swept.front().message, "judge a copy of the kernel that lacks it"});
    }

    // The machine has the rules of the ISA, as ptx.cat has them under its default readings, and asks the model about findings alone.
    void list_what_is_not_run() {
        const std::string& name = family_.by_default().name;
        const std::string test = "`-o FILE --threads auto` writes a test of a few threads, of which `litmus check ";
        if (!question_.check.reading.empty())
            result_.open.push_back({"the run of all threads has each reading at its default", test + "--reading` asks"});
        if (name != model_of_run)
            result_.open.push_back({"the run of all threads is by the model `ptx`, not by `" + name + "`", test + "-m` asks"});
        if (!family_.variants().empty())
            result_.open.push_back({"the run of all threads has no variant of the model", test + "--variant` asks"});
    }

    void list_open() {
        if (!result_.swept.empty()) list_what_is_not_run();
        for (size_t n = 0; n < result_.swept.size(); ++n) {
            const SweptKernel& one = result_.swept[n];
            const std::string where = launches_.size() > 1 ? "launch " + std::to_string(n + 1) + ": " : "";
            if (!one.denied.empty())
                result_.open.push_back({where + counted(one.denied.size(), "finding") + " that the model does not confirm",
                                        "look at its test, which -o writes, with `litmus explain`"});
            if (!one.unwritten.empty())
                result_.open.push_back({where + "it leaves unwritten what the launch that it repeats has written",
                                        "reset what a launch leaves for the next one, as a counter or a ticket"});
            if (!one.conditions.empty())
                result_.open.push_back(
                    {where + orders_text(one) + (one.orders == 1 ? " was" : " were") +
                         (one.all_orders ? " run, each order of the strong accesses among them" : " run, and others may do something else"),
                     one.all_orders ? "look at the lines below, which say what else may come about"
                                    : "take fewer blocks, so that each order can be run, or say why it does not matter who "
                                      "comes first at the lines below"});
        }
    }

    // The machine finds nothing and is not sure: a test of a few threads has every order of them.
    void ask_besides() {
        const int left = question_.budget.milliseconds_left();
        try {
            ask_threads(question_.budget.within(left < 0 ? usual_seconds : left / 4000.0));
        } catch (const OverBudget&) {
            result_.threads.reset();
        }
        const bool has_answer = result_.threads && result_.threads->result.internal_error.empty();
        if (has_answer && is_found(result_.threads->result.judgement.verdict)) take_threads();
    }

    const std::vector<KernelLaunch>& launches_;
    const JudgeQuestion& question_;
    ModelFamily& family_;
    Solver& solver_;
    const CheckWithin& check_;
    KernelJudgement result_;
};

}  // namespace

std::vector<KernelLaunch> stream_of(const std::vector<KernelLaunch>& launches, size_t times) {
    std::vector<KernelLaunch> stream;
    std::map<std::string, size_t> first;  // by name
    for (size_t n = 0; n < times * launches.size(); ++n) {
        KernelLaunch& one = stream.emplace_back(launches[n % launches.size()]);
        const auto [earlier, is_fresh] = first.emplace(one.name, n);
        if (is_fresh) continue;
        one.repeats = earlier->second;
        auto again = std::make_shared<kernel::Launch>(*one.launch);
        for (kernel::Array& array : again->arrays) array.recorded.clear();  // memory was so the first time
        one.launch = std::move(again);
    }
    return stream;
}

kernel::Written test_of_launches(const std::vector<KernelLaunch>& launches, const kernel::ChoiceOptions& choice, const Budget& budget) {
    std::vector<kernel::Launch> all;
    for (const KernelLaunch& one : launches) {
        if (one.module->source->text != launches.front().module->source->text)
            throw Failure(nullptr, {}, launches.front().file + " and " + one.file + " have different PTX: a test is of one file",
                          "name launches of kernels in one CUDA file");
        if (one.launch->gpus > 1 && launches.size() > 1)
            throw Failure(nullptr, {}, "--gpus cuts one launch, and there are several", "judge them one by one");
        if (one.launch->unlaunched > 0 && launches.size() > 1)
            throw Failure(nullptr, {}, "a test of several launches cannot say that clusters of one of them have not started (--unlaunched)",
                          "judge that launch alone");
        all.push_back(*one.launch);
    }
    KernelQuestion question;
    question.choice = choice;
    question.budget = budget;
    try {
        return test_of_kernel(*launches.front().module, all, question);
    } catch (const Failure& failure) {  // what was not recorded may be why
        std::vector<Diagnostic> told = failure.diagnostics();
        for (const kernel::Launch& launch : all)
            for (const std::string& note : launch.notes) told.push_back({Diagnostic::Level::note, nullptr, {}, note, {}});
        throw Failure(std::move(told));
    }
}

namespace {

// Where each instruction of a slice begins in the PTX.
std::vector<std::vector<std::optional<size_t>>> places_of(const sweep::Slice& slice) {
    std::vector<std::vector<std::optional<size_t>>> places;
    for (const auto& thread : slice.statements) {
        auto& here = places.emplace_back();
        for (const kernel::Statement* const statement : thread) here.emplace_back(statement->span.begin);
    }
    return places;
}

kernel::Written written_of(sweep::Slice slice) {
    kernel::Written written;
    written.lines_about_choice = {
        "The threads do what they did in a run of all threads. No order of all has them do anything else.",
        "A verdict is about these threads, these arguments and this PTX.",
        "Places that the same instructions touch are one place here. Counts and bytes are those of these threads."};
    if (!slice.shares) written.reservations = {"no data is touched by more than one of the threads of the test"};
    for (const std::string& line : written.lines_about_choice) written.text += "// " + line + "\n";
    for (const std::string& line : written.reservations) written.text += "// reservation: " + line + "\n";
    written.text += slice.text;
    written.statements = places_of(slice);
    written.test = std::move(slice.test);
    return written;
}

// Why no test of these threads is made from a run; empty: one may be.
std::string why_not_from_run(const std::vector<KernelLaunch>& launches, const kernel::ChoiceOptions& choice) {
    if (choice.threads.empty()) return "the roles of threads come of that";
    if (launches.size() > 1) return "there are several launches";
    if (launches.front().launch->unlaunched > 0) return "some clusters have not started";
    return {};
}

}  // namespace

NamedThreads test_of_named(const std::vector<KernelLaunch>& launches, const kernel::ChoiceOptions& choice, const Budget& budget) {
    std::string why = why_not_from_run(launches, choice);
    if (why.empty()) {
        const KernelLaunch& one = launches.front();
        sweep::Options how;
        how.budget = budget;
        how.gpus = one.launch->gpus;
        sweep::Slice slice = sweep::slice_of(*one.module, *one.launch, how, choice.threads);
        if (!slice.text.empty()) return {written_of(std::move(slice)), {}};
        why = std::move(slice.why);
    }
    return {test_of_launches(launches, choice, budget), std::move(why)};
}

KernelJudgement judge_launches(const std::vector<KernelLaunch>& launches, const JudgeQuestion& question, ModelFamily& family,
                               Solver& solver, const CheckWithin& check) {
    return Judge(launches, question, family, solver, check).run();
}

KernelJudgement judge_launches(const std::vector<KernelLaunch>& launches, const JudgeQuestion& question, ModelFamily& family,
                               Solver& solver) {
    return judge_launches(launches, question, family, solver, [&](const std::shared_ptr<const Test>& test, const Budget& budget) {
        CheckOptions options = question.check;
        options.strict = true;
        options.budget = budget;
        return check_test(question.file, *test, family, options, solver).result;
    });
}

}  // namespace litmus
