// What commands that say something of each test have in common: workers, errors, exit status, output in the order of the inputs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cat/readings.h"
#include "options.h"
#include "solve/solve.h"
#include "tool/inputs.h"
#include "tool/output.h"

namespace litmus {

// What is said of one test.
struct Said {
    std::string text;                      // for people, or one line of JSON
    int status = 0;                        // the exit status that it alone would have
    std::optional<std::string> rewritten;  // with --apply: what shall stand in the file
};

// How a test is asked about.
struct Asking {
    ModelFamily& family;
    std::vector<std::string> readings;  // that are on
    Solver& solver;
    Budget budget;
};

// Runs `say` on each of the inputs that the options choose and gives the exit status of all. What is wrong with an input goes to standard
// error and, as JSON, into its line: file, test, `status` "error", message, hint, line, column; a test that is out of time or memory has
// `status` "unknown" and `why`. Throws Failure for a mistake in the options.
int each_test(const Options& options, Output& out, const std::function<Said(const Input& input, Asking& asking)>& say);

}  // namespace litmus
