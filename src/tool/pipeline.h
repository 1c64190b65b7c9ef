// The pipeline: from a test to its result.
#pragma once

#include <memory>
#include <string>

#include "analysis/verdict/result.h"
#include "cat/readings.h"
#include "options.h"
#include "solve/solve.h"
#include "tool/inputs.h"

namespace litmus {

inline constexpr int internal_status = 70;  // the exit status of a run in which the tool itself failed

// How outcomes are listed.
SolveOptions solve_options(const Options& options);

// The solver that decides; of two that are compared, the reference.
Engine engine_of(const Options& options);

// What is asked of every test, as text: the tool's version, the model and the options that matter. Time and memory are not among them: a
// result that they cut short says so (Result::partial).
// With --compiled, which assembler made what the answer is about is one of them.
std::string terms(const Model& model, const Options& options);
// All that the answer about an input depends on: these, the text of the file and which of its tests.
std::string question(const Input& input, const std::string& terms);
// The key of results that answer it: of no two questions the same, whoever made them up.
std::string key_of(const std::string& question);

// A result with what it was made of.
struct Checked {
    std::unique_ptr<Program> program;  // null: the test could not be checked
    Answer answer;
    Result result;
};

// Checks one input, with every error as a result. Safe to call from several threads.
Checked check_whole(const Input& input, ModelFamily& family, const Options& options);
Result check_input(const Input& input, ModelFamily& family, const Options& options);

// The exit status of one result.
int status_of(const Result& result);

}  // namespace litmus
