// What the static checks of a native test's text share: the test, its CTAs, and where the violations are collected.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/source.h"
#include "language/test.h"
#include "ptx/table.h"

namespace litmus::dsl {

class Rules {
public:
    // Not `complete`: some instructions or threads could not be read, so nothing is said to be missing.
    Rules(const Test& of, bool is_complete);

    void report(Span span, std::string message, std::string hint = {});

    // `x@cta1`: of shared locations only, of an instance that exists. Reports what is wrong and returns whether all is well.
    bool check_instance(Span span, int cta, const Location& location);

    const Test& test;
    const bool complete;
    const std::map<int, Placement> ctas;
    std::vector<Diagnostic> found;
};

// "the nearest is `x`", or nothing.
std::string near_hint(const std::string& name, const std::vector<std::string>& known);

// For an operand that names neither a location nor a register: the nearest of the thread's registers and of the locations that may stand
// there, or else the declaration that is missing, where the operand says what it is of. Or nothing.
std::string undeclared_hint(const Test& test, const Instruction& instruction, const Operand& operand, std::vector<std::string> registers);

// The registers that an instruction takes as states of mbarrier objects are written as such.
void check_states(Rules& rules, const Thread& thread, const Instruction& instruction);

}  // namespace litmus::dsl
