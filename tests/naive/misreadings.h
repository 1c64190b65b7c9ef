// Mistakes that a front end could make in reading an instruction, as changes of the test: the checker gets the changed one.
#pragma once

#include <string>
#include <vector>

#include "language/test.h"

namespace litmus::naive {

struct Misreading {
    std::string name;
    // False where the test has nothing of the kind.
    bool (*apply)(Test& test);
};

const std::vector<Misreading>& misreadings();

}  // namespace litmus::naive
