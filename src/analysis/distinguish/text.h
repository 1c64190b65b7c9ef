// What `litmus distinguish` found, as a test or a statement for people and as JSON for programs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/distinguish/distinguish.h"

namespace litmus {

struct DistinguishReport {
    std::array<std::string, 2> models;   // as they were named
    std::optional<Distinguished> found;  // claims what `allowing` says
    size_t allowing = 0;                 // 0 or 1: the model that allows its outcome
    size_t instructions = 0;             // of the program found
    size_t complete = 0;                 // all programs of so many instructions, or fewer, were searched, but for a larger one found
    size_t wanted = 0;                   // at most so many instructions were asked for
    size_t threads = 0;                  // at most so many
    std::vector<std::string> families;   // of instructions that programs are made of
    std::vector<size_t> skeletons;       // by number of instructions from 1 on: how many shapes of programs were searched
    std::string reason;                  // why the search is not complete; else empty
};

// The test in the DSL, with a doc that says what it tells apart and what was searched before; without one, what was searched.
std::string distinguish_text(const DistinguishReport& report);

// One line without its end; src/schemas/distinguish.json says what is in it.
std::string distinguish_json(const DistinguishReport& report);

}  // namespace litmus
