// What sentences call an event: "P0:9 fence.acq_rel.gpu" where it is mentioned first, "P0:9" from then on.
#pragma once

#include <map>
#include <set>
#include <string>

#include "event/execution.h"

namespace litmus {

class EventNames {
public:
    // The execution outlives the names.
    explicit EventNames(const Execution& execution);

    // Which of its instruction's events it is comes first, where there are several: "the read of P0:4 atom.add...".
    std::string mention(size_t event);
    // As at a first mention, whatever was mentioned.
    std::string full(size_t event) const;

private:
    std::string role(size_t event) const;
    std::string round(size_t event) const;

    const Program& program_;
    std::map<std::pair<int, int>, std::vector<size_t>> of_instruction_;  // executed events, by thread and instruction
    std::set<std::pair<int, int>> ambiguous_;                            // instructions that share a line with another of their thread
    std::set<std::pair<int, int>> mentioned_;
};

}  // namespace litmus
