// What one path of a thread knows: the condition under which it is taken, an expression for each register, and the reads that
// each register and the control flow depend on. Private to this folder.
#pragma once

#include <map>
#include <string>

#include "event/expr.h"
#include "ptx/type.h"

namespace litmus {

// The reads something depends on, each with the condition under which the dependency exists.
using Dependencies = std::map<size_t, ExprId>;

struct RegisterState {
    ExprId value = 0;
    bool sign = false;  // extends as a signed value when read at a wider type
    Dependencies reads;
    ExprId written = ExprPool::yes;  // when it has been written, given that this place is reached
};

struct State {
    ExprId guard = ExprPool::yes;
    std::map<std::string, RegisterState> registers;
    Dependencies control;   // what the branches before depend on, and all of `blocking`
    Dependencies blocking;  // what the awaits, waits and barriers before have waited for
    Dependencies awaited;   // reads whose value something before has waited for, each with the reason: performed.cpp
};

void add_reads(ExprPool& pool, Dependencies& to, const Dependencies& from);

// These dependencies where the condition holds.
Dependencies under(ExprPool& pool, const Dependencies& reads, ExprId condition);

// The value of a register at `type`; 0 where nothing has written it.
ExprId read_register(ExprPool& pool, const State& state, const std::string& name, Type type);
// When a register has been written, given that this place is reached.
ExprId written(const State& state, const std::string& name);
const Dependencies& register_reads(const State& state, const std::string& name);

// The state where two paths meet, of which at most one is taken: a register becomes an if-then-else of its two values.
State merge(ExprPool& pool, State a, const State& b);

}  // namespace litmus
