// The claim about launches of kernels: their PTX and their arguments in; right, wrong or open out.
//
// The machine of the sweep answers (analysis/sweep/verdict.h): it runs all threads. A test of a few threads (kernel_verdict.h) is decided
// in every order of them. It is asked where the machine does not execute something, and where it finds nothing and is not sure.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/kernel/kernel_verdict.h"
#include "analysis/sweep/verdict.h"
#include "base/budget.h"
#include "base/source.h"
#include "kernel/launch.h"
#include "kernel/module.h"
#include "kernel/write.h"

namespace litmus {

// A launch of a stream.
struct KernelLaunch {
    std::shared_ptr<const kernel::Module> module;
    std::shared_ptr<const kernel::Launch> launch;
    std::string file;  // of its kernel: the PTX, as reports name it
    std::string name;  // launches of one name are one, launched again
    std::optional<size_t> repeats = {};
};

// These launches, so often one after the other. A launch that comes again finds memory as it was left.
std::vector<KernelLaunch> stream_of(const std::vector<KernelLaunch>& launches, size_t times = 1);

// How launches are judged.
struct JudgeQuestion {
    CheckOptions check = {};            // its budget is not asked
    kernel::ChoiceOptions choice = {};  // of the test of a few threads; its budget is not asked
    std::string file = {};              // the name that this test is shown under
    Budget budget = {};                 // for everything
};

// The claim about all launches together.
enum class KernelClaim : uint8_t { right, wrong, open };

struct KernelJudgement {
    KernelClaim claim = KernelClaim::open;

    std::vector<SweptKernel> swept;       // by the machine, of each launch up to one that does not end
    std::vector<Diagnostic> not_swept;    // why the machine has no say: then this is not empty, and `swept` is
    std::optional<JudgedKernel> threads;  // where a test of a few threads was asked
    std::vector<Diagnostic> no_test;      // why there is none, though one was asked for

    struct Open {
        std::string what, closes;
    };
    std::vector<Open> open;  // where the claim is that
    size_t findings = 0;     // where it is wrong
    std::string reading;     // of the ISA, as it was asked for
};

// Asks the model about the test of a few threads, within this budget.
using CheckWithin = std::function<Result(const std::shared_ptr<const Test>& test, const Budget& budget)>;

// Judges launches of one stream. Throws Failure where neither the machine nor a test has an answer, as judge_stream() and test_of_kernel()
// do; and OverBudget.
KernelJudgement judge_launches(const std::vector<KernelLaunch>& launches, const JudgeQuestion& question, ModelFamily& family,
                               Solver& solver, const CheckWithin& check);

// The same, with the solver asked about that test, too.
KernelJudgement judge_launches(const std::vector<KernelLaunch>& launches, const JudgeQuestion& question, ModelFamily& family,
                               Solver& solver);

// The test of a few threads of these launches. Throws as test_of_kernel() does; and Failure where they have several files.
kernel::Written test_of_launches(const std::vector<KernelLaunch>& launches, const kernel::ChoiceOptions& choice, const Budget& budget);

// The test of threads that are named.
struct NamedThreads {
    kernel::Written written;
    std::string evaluated;  // why it is made by evaluating each thread; empty: it is made from the run of all (sweep/slice.h)
};

// The test of the threads of `choice` from a run; else that of test_of_launches(), which it throws as.
NamedThreads test_of_named(const std::vector<KernelLaunch>& launches, const kernel::ChoiceOptions& choice, const Budget& budget);

}  // namespace litmus
