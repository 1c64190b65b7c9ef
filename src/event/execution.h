// Execution: one candidate execution of a program, concretely.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/program.h"

namespace litmus {

struct Execution {
    const Program* program = nullptr;
    EventSet executed;
    std::vector<uint64_t> values;  // of each executed memory event; 0 elsewhere
    std::vector<bool> choices;
    Relation rf;  // write -> read: exactly one per executed read
    Relation co;  // a strict partial order on the executed writes of each cell, W0 first
    Relation sc;  // orients every pair of executed fence.sc that are in each other's scope or thread; acyclic
};

// A base relation of a cat model in this execution (rf, co, sc, the static ones restricted to what
// was executed, conditional ones where their expression holds).
Relation base_relation(const Execution& execution, std::string_view name);

// The base sets and relations of a program, as far as they are the same in all its executions, over all its events, each computed when it
// is first asked for: for callers that look at many executions of one program, which must outlive this and stay as it is.
class FixedBases {
public:
    explicit FixedBases(const Program& program) : program_(program) {}
    const Program& program() const { return program_; }
    const EventSet& set(std::string_view name);
    const Bounds& bounds(std::string_view name);      // of a relation: base_bounds
    const Relation* relation(std::string_view name);  // null: it may differ from one execution to the next

private:
    const Program& program_;
    std::map<std::string, EventSet, std::less<>> sets_;
    std::map<std::string, Bounds, std::less<>> bounds_;
};

// Completes an execution from what was chosen: `rf_of[r]` is the write that read r takes its value
// from (-1: none). Computes values, guards and which events happen, by following reads to writes;
// values must be well founded (rf | values acyclic). Returns nullopt when the choice is no candidate
// execution that terminates: an executed read without a (happening) write, an unexecuted one with,
// ill-founded values, a constraint that fails, a barrier that waits for itself, a loop cut at its
// bound. co and sc are left empty. Throws OverBudget.
std::optional<Execution> complete(const Program& program, const std::vector<int>& rf_of, const std::vector<bool>& choices);

// The value of an expression; final values of cells come from `final_values`, by cell.
uint64_t evaluate(const Execution& execution, ExprId expr, const std::vector<uint64_t>& final_values);

// Which writes of a cell no other is co-after: each gives one final value.
std::vector<size_t> final_writes(const Execution& execution, int cell);

}  // namespace litmus
