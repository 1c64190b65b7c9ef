// Which readings a verdict depends on.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace litmus {

// What a question answers under a set of readings; equal numbers are equal answers. Negative: not decided.
using AskUnder = std::function<int(const std::vector<std::string>& readings)>;

struct Dependence {
    bool known = true;                            // false: some answer that matters was not decided
    std::vector<std::vector<std::string>> flips;  // minimal sets of readings that, added to the weakest, change the answer
};

// The minimal sets S of `disputed` for which the answer under `weakest` and S is not that under `weakest`; empty when
// no reading matters. The weakest is asked first.
Dependence depends_on(const std::vector<std::string>& weakest, const std::vector<std::string>& disputed, const AskUnder& ask);

}  // namespace litmus
