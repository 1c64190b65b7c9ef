// From what is left of all threads of a launch to a litmus test of some of them, which a person can read and keep.
//
// roles.h says which threads are chosen, scale.h what becomes of counts and bytes when the others are left out, carve.h how memory
// becomes locations. Here the parts are put together, and the text is made: every choice, scaling and abstraction on a line of its own
// before the test, and before each instruction the CUDA line that it comes from, as `.loc` and in its words.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "kernel/trace.h"
#include "language/origin.h"

namespace litmus::kernel {

struct ChoiceOptions {
    size_t per_role = 1;                                 // threads of one role and CTA, at least 1
    std::vector<std::pair<uint32_t, uint32_t>> threads;  // (block, thread), linear: just these; empty: they are chosen by role
    size_t most_threads = 16;                            // of the test; what needs more is refused
    // The lines of CUDA files, by their key in Module::files, to be quoted beside instructions; files that are not here are not quoted.
    std::map<int, std::vector<std::string>> cuda = {};
    Budget budget = {};
};

// Undefined behaviour that an instruction has whatever comes of the others.
struct BrokenRule {
    std::string thread;
    Instruction instruction;
    CudaPlace origin;
    std::string message, hint;  // as a Diagnostic has them
};

// An array of a test of which the kernel has more. Elements that the test has lie together in granules.
struct KernelArray {
    std::string name;
    int count = 0;                   // elements in the kernel
    uint64_t granule = 0;            // bytes
    std::vector<uint64_t> granules;  // where those begin in the kernel's array that follow each other in the test's
};

struct Written {
    Test test;                                     // as read from `text`, with its spans; where a static rule is broken, as made
    std::string text;                              // ends in a newline
    std::vector<std::string> lines_about_numbers;  // which elements of the kernel's arrays it has, of `arrays`; the text begins with them
    std::vector<std::string> lines_about_choice;   // what was chosen, scaled and abstracted; they come next
    std::vector<KernelArray> arrays;               // that in_numbers_of_kernel has in the numbers of the kernel
    // Why less follows than it seems if nothing comes up: what was left out, what no thread came to. The text has them, too.
    std::vector<std::string> reservations;
    // By thread and instruction of the test: where the statement of the PTX begins that it comes from; none for what was put in.
    std::vector<std::vector<std::optional<size_t>>> statements;
    // Static rules that the test breaks (model/semantics.md, section 9): `check` refuses to read it. Empty: it can judge the test.
    std::vector<BrokenRule> broken;
    // Rules that are no matter of tests, and that some thread of the launch breaks (convergence.h, started.h, masks.h).
    std::vector<BrokenRule> of_kernel;
};

// The same test with all elements of these arrays, so that elements and offsets have the numbers that they have in the kernel. Its text is
// another one's.
Test in_numbers_of_kernel(Test test, const std::vector<KernelArray>& arrays);

// The test of a launch. `traces` are those of all its threads (evaluate.h). Throws Failure, with the PTX line and the CUDA line,
// where a count or a size cannot be scaled exactly, and where memory is accessed in a way that the model has no meaning for; and
// OverBudget.
// The test claims `racefree`, and where a thread of it may come to a `trap`, that no thread does: `trapped` stays 0.
Written write_test(const Module& module, const Launch& launch, const Traces& traces, const ChoiceOptions& options = {});
// The same of several launches of a stream: each is a grid of the test.
Written write_test(const Module& module, const std::vector<Launch>& launches, const Traces& traces, const ChoiceOptions& options = {});

}  // namespace litmus::kernel
