// Hazards: what is reported of a program's executions beside their outcomes (model/semantics.md section 9).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cat/model.h"
#include "event/execution.h"

namespace litmus {

enum class Truth : uint8_t { no, yes, unknown };

// What is reported of some consistent execution beside its outcome: undefined behaviour, threads that stay blocked for ever,
// a data race, another flag of the model.
struct Hazard {
    enum class Kind : uint8_t { undefined, blocked, race, flag };
    Kind kind = Kind::undefined;
    std::string flag;                               // the model's flag; of blocked threads none
    std::vector<Relation::Pair> pairs;              // what the flag holds of; of a set, each event with itself; of a race the one pair
    using StaticInstruction = std::pair<int, int>;  // thread and instruction, whatever the unrolled copy and the element
    std::set<StaticInstruction> places;             // of a flag: where it holds in any execution; of initial values the thread is -1
    std::vector<size_t> stuck;                      // indices into Program::blocked: threads that stay in the witness
    Execution witness;
    std::vector<uint64_t> final_values;  // by cell
};

// What was found, each once: threads that stay, then flags in the order of the model, then races in the order of their places.
struct Hazards {
    Truth undefined = Truth::no;
    Truth blocked = Truth::no;
    bool races_complete = true;  // no other pair of places races
    std::vector<Hazard> found;
    bool timed_out = false, out_of_memory = false;
    std::string gave_up;  // why, when it was neither time nor memory
};

// Whether a flag of this name was raised.
bool raises(const Hazards& hazards, std::string_view flag);
// The flags that were raised and are neither undefined behaviour nor a race.
std::set<std::string> other_flags(const Hazards& hazards);

// Flags of this name are undefined behaviour (model/semantics.md section 9).
bool is_hazard(const Constraint& constraint);
// The flag of this name holds of the pairs of accesses that race.
inline constexpr std::string_view race_flag = "data-race";
bool is_race(const Constraint& constraint);

}  // namespace litmus
