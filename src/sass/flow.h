// The ways that a thread can take through its code.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace litmus::sass {

// Whether a thread that has executed the instruction at `from` can come to one that `is_wanted` without executing one that `blocks`. An
// instruction that is both counts as wanted. A branch by a table can lead to wherever code begins that no other runs into.
bool can_reach(std::string_view code, uint64_t from, const std::function<bool(uint64_t address)>& is_wanted,
               const std::function<bool(uint64_t address)>& blocks);
// The same from the first instruction, which is executed, too.
bool can_reach_from_entry(std::string_view code, const std::function<bool(uint64_t address)>& is_wanted,
                          const std::function<bool(uint64_t address)>& blocks);

}  // namespace litmus::sass
