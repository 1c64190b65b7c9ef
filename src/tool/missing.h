// What is missing in a test, as far as it is soon found: for commands that are about something else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/repair/missing.h"
#include "cat/readings.h"
#include "tool/options.h"

namespace litmus {

// The search is short: about a third of a second (Trials::effort). A bound on effort gives the same answer on every machine. The time limit
// is for tests in which a single question is slow.
inline constexpr size_t most_effort_for_missing = 150'000;
inline constexpr double most_seconds_for_missing = 2;  // of a processor

// What the cheapest repairs of the test add under the readings `on`; empty where none of a few edits repairs it, or nothing is to be
// repaired; with `strict` a race is, too. Nothing: not found so soon, or within the time limit of the options, or the test is one row of
// a table.
std::optional<WhatIsMissing> soon_missing(const Test& test, ModelFamily& family, const std::vector<std::string>& on, Solver& solver,
                                          const TestOptions& options, bool strict = false);

// The same in words, or that nothing was found so soon; empty for a row of a table. `command`: what has the patch, as command_on()
// gives it; `further`: what else might help where nothing was found.
std::string soon_missing_text(const Test& test, ModelFamily& family, const std::vector<std::string>& on, Solver& solver,
                              const TestOptions& options, bool strict, const std::string& command, const std::string& further = {});

}  // namespace litmus
