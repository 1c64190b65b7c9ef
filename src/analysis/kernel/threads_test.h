// The test of a few threads of a kernel, for others to check.
//
// It has what these threads did in a run of all threads (sweep/slice.h), and says so at its head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/verdict/result.h"
#include "base/budget.h"
#include "kernel/launch.h"
#include "kernel/module.h"
#include "language/test.h"

namespace litmus {

// A launch of a stream.
struct KernelLaunch {
    std::shared_ptr<const kernel::Module> module;
    std::shared_ptr<const kernel::Launch> launch;
    std::string file;  // of its kernel: the PTX, as reports name it
    std::string name;  // launches of one name are one, launched again
    std::optional<size_t> repeats = {};
};

// (block, thread), both linear.
using ThreadNumbers = std::vector<std::pair<uint32_t, uint32_t>>;

struct ThreadsTest {
    Test test;
    std::string text;                       // ends in a newline; claims `racefree`
    std::vector<std::string> about;         // what the test has; the text begins with it
    std::vector<std::string> reservations;  // why less follows than it seems if nothing comes up; the text has them, too
    size_t runs = 1;                        // of all threads, that it is taken from
    // By thread and instruction of the test: where the statement of the PTX begins that it comes from.
    std::vector<std::vector<size_t>> statements;
    std::string why;  // there is none: then the rest is empty
};

// The lines of CUDA files, by their keys in Module::files.
using SourceLines = std::map<int, std::vector<std::string>>;

// The test of these threads. Where none are named, it has one for each thing that threads do. Its text quotes lines of these sources.
// Throws OverBudget.
ThreadsTest test_of_threads(const std::vector<KernelLaunch>& launches, const ThreadNumbers& threads, const Budget& budget,
                            const SourceLines& sources = {});

// The test without its claim: what is wrong with the threads is the verdict, and no claim that fails.
Test unclaimed_test(const ThreadsTest& made, const std::string& file);

using CheckUnclaimed = std::function<Result(const std::shared_ptr<const Test>& test)>;

// The verdict on the threads. `check` is asked about unclaimed_test(), and has to be strict (CheckOptions). A kernel ends where a test
// may go on: a copy that is in flight then is undefined. `file` is the name that the test is shown under.
Result threads_verdict(const ThreadsTest& made, const std::string& file, const CheckUnclaimed& check);

}  // namespace litmus
