// The verdict of a kernel: its PTX and its launch in, what is wrong with it out.
//
// A kernel is judged by a litmus test of some of its threads (kernel/write.h). Its verdict is that of the test, and more: a rule that an
// instruction breaks whatever comes of the others makes no test, and a kernel ends where a test may go on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/verdict/check.h"
#include "analysis/verdict/result.h"
#include "base/budget.h"
#include "base/source.h"
#include "kernel/arguments.h"
#include "kernel/module.h"
#include "kernel/write.h"

namespace litmus {

// How a kernel is launched, and which of its threads become the test.
struct KernelQuestion {
    kernel::LaunchTexts launch;
    kernel::ReadBytes read = {};            // what "@FILE" in an argument stands for; none: there are no files, and a Failure says so
    std::vector<std::string> ignored = {};  // dotted beginnings of instructions to leave out ("wgmma")
    kernel::ChoiceOptions choice = {};      // its budget is not asked
    Budget budget = {};                     // for everything up to the test
};

// The test of a kernel. Throws as kernel/arguments.h, evaluate.h and write.h do.
kernel::Written test_of_kernel(const kernel::Module& module, const KernelQuestion& question);

// The same of launches that are known whole, of one or of several of a stream; the texts of the question are not asked.
kernel::Written test_of_kernel(const kernel::Module& module, const std::vector<kernel::Launch>& launches, const KernelQuestion& question);

// The test without the claim that it has for others, from its text: what is wrong with a kernel is the verdict, and no claim that fails.
// Throws Failure where it breaks a static rule (Written::broken).
Test unclaimed_test(const kernel::Written& written, const std::string& file);

// What a verdict is about: the threads that were chosen, what was scaled and abstracted; of what is said in the numbers of the test also
// which elements of the kernel these are. A broken rule is the verdict itself; reservations (Written) are said apart.
std::vector<std::string> what_is_judged(const kernel::Written& written, bool in_numbers_of_test);

// The result of a test, with the hazards that count against it.
using CheckUnclaimed = std::function<Result(const std::shared_ptr<const Test>& test)>;

// The verdict of the kernel that this test was made of. `check` is asked about unclaimed_test(), where there is one, in the numbers of the
// kernel, and has to be strict (CheckOptions); `file` is the name that the test is shown under.
Result kernel_verdict(const kernel::Written& written, const std::string& file, const CheckUnclaimed& check);

// A kernel's verdict with the test that it was found by. Notes of what the verdict is about are Result::judged.
struct JudgedKernel {
    kernel::Written written;
    Result result;
};

// All of it. The test is shown under the name of the PTX, with the ending .litmus. Throws Failure where the kernel cannot be read,
// launched or evaluated, or its test not checked; OverBudget; and std::logic_error where the two engines disagree.
JudgedKernel judge_kernel(const SourcePtr& ptx, const KernelQuestion& question, ModelFamily& family, CheckOptions options, Solver& solver);

}  // namespace litmus
