// What `litmus compiled` says of a test: as text for people and JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "compiled/assemble.h"
#include "compiled/judge.h"
#include "test/test.h"

namespace litmus::compiled {

// The settings under which the same became of the test.
struct Finding {
    std::vector<Setting> settings;
    CompiledTest compiled;
    Ruling ruling;
};

struct Report {
    std::string file;
    Test test;                      // native
    std::vector<Finding> findings;  // the worst first
    std::vector<std::pair<Setting, std::string>> refused;
    Truth race_free = Truth::unknown, undefined = Truth::unknown;  // the source
    Reading::Base readings = Reading::Base::weakest;               // under which all was asked

    // The worst of all; unknown where it was assembled nowhere.
    Fate fate() const;
};

// 0 kept, or changed and allowed; 1 forbidden; 3 unknown.
int exit_status(Fate fate);

// A paragraph for each finding. `all`: those that kept everything, too; otherwise they are counted only.
std::string to_text(const Report& result, bool all);
// One line without its end; src/report/schemas/compiled.json says what is in it.
std::string to_json(const Report& result);

}  // namespace litmus::compiled
