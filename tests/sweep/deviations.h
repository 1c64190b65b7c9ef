// Where the sweep says something else than the model, and why.
#pragma once

#include <string>
#include <vector>

#include "language/test.h"
#include "sweep/against_model.h"

namespace litmus {

struct Deviation {
    std::string name;  // as model/sweep.md has it
    bool (*concerns)(const Test& test, const Comparison& result) = nullptr;
};

const std::vector<Deviation>& deviations();

// The first one that concerns a test on which the answers differ; null: none does.
const Deviation* deviation_of(const Test& test, const Comparison& result);

}  // namespace litmus
