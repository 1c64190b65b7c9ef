// A test as a question shows it: what it does, without what would tell the answer.
#pragma once

#include <string>
#include <vector>

#include "language/test.h"

namespace litmus {

struct SourceLine {
    int number = 0;    // in the file, from 1
    std::string text;  // without its comment
};

// The lines from the first declaration to the end of the last thread: neither the name nor what describes the test, nor what it claims.
// The test has the source that it was read from.
std::vector<SourceLine> bare_source(const Test& test);

}  // namespace litmus
