// What is missing in a test, as far as it is soon found: for commands that are about something else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/repair/missing.h"
#include "cat/readings.h"
#include "options.h"

namespace litmus {

// The search stops after so many questions to the solver. A count gives the same answer on every machine; the time limit is for tests whose
// questions are slow.
inline constexpr size_t most_asked_for_missing = 200;
inline constexpr double most_seconds_for_missing = 30;  // of a processor

// What the cheapest repairs of the test add under the readings `on`; empty where none of a few edits repairs it, or nothing is to be
// repaired. Nothing: not found so soon, or within the time limit of the options, or the test is one row of a table.
std::optional<WhatIsMissing> soon_missing(const Test& test, ModelFamily& family, const std::vector<std::string>& on, Solver& solver,
                                          const Options& options);

// The same in words, or that nothing was found so soon; empty for a row of a table. `command`: what has the patch, as command_on()
// gives it.
std::string soon_missing_text(const Test& test, ModelFamily& family, const std::vector<std::string>& on, Solver& solver,
                              const Options& options, const std::string& command);

}  // namespace litmus
