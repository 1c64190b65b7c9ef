// The claim about launches of kernels: their PTX and their arguments in; right, wrong or open out.
//
// The machine of the sweep answers (analysis/sweep/verdict.h): it runs all threads. Where it finds nothing and is not sure, a test of a few
// threads (threads_test.h) is asked besides. Executions may have orders of strong accesses that no run of whole steps has.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/kernel/threads_test.h"
#include "analysis/sweep/verdict.h"
#include "analysis/verdict/check.h"
#include "base/budget.h"

namespace litmus {

// These launches, so often one after the other. A launch that comes again finds memory as it was left.
std::vector<KernelLaunch> stream_of(const std::vector<KernelLaunch>& launches, size_t times = 1);

// How launches are judged.
struct JudgeQuestion {
    CheckOptions check = {};  // its budget is not asked
    std::string file = {};    // the name that a test of a few threads is shown under
    Budget budget = {};       // for everything
};

// The claim about all launches together.
enum class KernelClaim : uint8_t { right, wrong, open };

struct KernelJudgement {
    KernelClaim claim = KernelClaim::open;

    std::vector<SweptKernel> swept;  // of each launch up to one that does not end

    // A test of a few threads, and what was found in it.
    struct Threads {
        ThreadsTest made;
        Result result;
    };
    std::optional<Threads> threads;  // where one was asked

    struct Open {
        std::string what, closes;
    };
    std::vector<Open> open;  // where the claim is that
    size_t findings = 0;     // where it is wrong
    std::string reading;     // of the ISA, as it was asked for
};

// Asks the model about the test of a few threads, within this budget.
using CheckWithin = std::function<Result(const std::shared_ptr<const Test>& test, const Budget& budget)>;

// Judges launches of one stream. Throws as judge_stream() does.
KernelJudgement judge_launches(const std::vector<KernelLaunch>& launches, const JudgeQuestion& question, ModelFamily& family,
                               Solver& solver, const CheckWithin& check);

// The same, with the solver asked about that test, too.
KernelJudgement judge_launches(const std::vector<KernelLaunch>& launches, const JudgeQuestion& question, ModelFamily& family,
                               Solver& solver);

}  // namespace litmus
