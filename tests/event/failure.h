// What is said of a test that has no program.
#pragma once

#include <string>

#include "event/program.h"
#include "language/syntax/native/dsl.h"

namespace litmus {

inline std::string failure_of(const std::string& body) {
    try {
        const Test test = parse_dsl(make_source("t.litmus", "test \"t\"\n" + body));
        build_program(test, {});
    } catch (const Failure& f) {
        return f.diagnostics().at(0).message;
    }
    return "no failure";
}

}  // namespace litmus
