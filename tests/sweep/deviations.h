// Where the sweep says something else than the model, and why (model/sweep.md, "Where the sweep and the model differ").
#pragma once

#include <string>

#include "language/test.h"
#include "sweep/against_model.h"

namespace litmus {

struct Deviation {
    std::string name, why;
    bool (*concerns)(const Test& test, const Comparison& result) = nullptr;
};

// The first one that concerns a test on which the answers differ; null: none does.
const Deviation* deviation_of(const Test& test, const Comparison& result);

}  // namespace litmus
