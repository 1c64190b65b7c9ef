// The machine first. Its claim stays open, unless a test of a few threads shows a bug.
#include "analysis/kernel/judge.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/sweep/report.h"
#include "print/columns.h"

namespace litmus {

namespace {

constexpr std::string_view model_of_run = "ptx";
constexpr double usual_seconds = 20;  // for a test that is asked besides, where there is no limit

// A thread of the test may wait for who is left out: that it waits for ever says nothing.
bool is_found(Verdict verdict) {
    return verdict == Verdict::race || verdict == Verdict::undefined;
}

class Judge {
public:
    Judge(const std::vector<KernelLaunch>& launches, const JudgeQuestion& question, ModelFamily& family, Solver& solver,
          const CheckWithin& check)
        : launches_(launches), question_(question), family_(family), solver_(solver), check_(check) {}

    KernelJudgement run() {
        result_.reading = question_.check.reading;
        sweep();
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
        } catch (const Failure& failure) {  // what was not recorded may be why
            std::vector<Diagnostic> told = failure.diagnostics();
            for (const KernelLaunch& one : launches_)
                for (const std::string& note : one.launch->notes) told.push_back({Diagnostic::Level::note, nullptr, {}, note, {}});
            throw Failure(std::move(told));
        }
    }

    // The machine has the rules of the ISA, as ptx.cat has them under its default readings, and asks the model about findings alone.
    void list_what_is_not_run() {
        const std::string& name = family_.by_default().name;
        const std::string test = "`-o FILE --threads B.T,...` writes a test of a few threads, of which `litmus check ";
        if (!question_.check.reading.empty())
            result_.open.push_back({"the run of all threads has each reading at its default", test + "--reading` asks"});
        if (name != model_of_run)
            result_.open.push_back({"the run of all threads is by the model `ptx`, not by `" + name + "`", test + "-m` asks"});
        if (!family_.variants().empty())
            result_.open.push_back({"the run of all threads has no variant of the model", test + "--variant` asks"});
    }

    void list_open() {
        list_what_is_not_run();
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
        const Budget budget = question_.budget.within(left < 0 ? usual_seconds : left / 4000.0);
        try {
            KernelJudgement::Threads threads;
            threads.made = test_of_threads(launches_, {}, budget);
            if (!threads.made.why.empty()) return;
            threads.result = threads_verdict(threads.made, question_.file,
                                             [&](const std::shared_ptr<const Test>& test) { return check_(test, budget); });
            result_.threads = std::move(threads);
        } catch (const Failure&) {  // it has something that the model has no word for
            return;
        } catch (const OverBudget&) {
            return;
        }
        const Result& result = result_.threads->result;
        if (!result.internal_error.empty() || !is_found(result.judgement.verdict)) return;
        result_.claim = KernelClaim::wrong;
        result_.open.clear();
        result_.findings = std::max<size_t>(result.hazards.size() + result.races.size(), 1);
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
