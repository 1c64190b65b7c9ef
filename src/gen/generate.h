// Many cycles: all of them in order, or a random sample.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gen/cycle.h"

namespace litmus::gen {

struct Wanted {
    size_t most_events = 4;                  // of a cycle; two at least
    std::vector<std::string> families = {};  // beside the plain ones, of which each cycle has something; none: all but not_ptx
    std::vector<std::string> shapes = {};    // by name; none: every cycle
    std::optional<uint64_t> seed = {};       // a random sample; none: all, the shortest first
};

// A cycle's name is the name of a file: longer ones are left out.
inline constexpr size_t longest_name = 200;

// Calls `take` with each cycle that has a layout, in canonical form, no two alike, until it returns false. A random sample ends when
// 100,000 attempts in a row gave nothing new. Throws Failure where no family, or no shape, is called so.
void each_cycle(const Wanted& wanted, const std::function<bool(const Cycle&)>& take);

}  // namespace litmus::gen
