// An execution that one model allows and another forbids, of one program of many.
#pragma once

#include <optional>
#include <vector>

#include "cat/model.h"
#include "solve/encode.h"
#include "solve/solve.h"

namespace litmus {

// Of an open program (BuildOptions::slots): which of Program::alternatives are there, by their order.
using Chosen = std::vector<bool>;

class Apart {
public:
    // The solver forgets what it was told before; all arguments outlive this. Throws GaveUp and OverBudget, and Failure for a model
    // that has negated axioms, or that uses a recursive relation negatively when its axioms are denied.
    Apart(Program& program, const Model& allowing, const Model& forbidding, Solver& solver);

    // Whether the program leaves the models no room to differ in: none of its executions is allowed by one only.
    bool same() const { return same_; }

    // The alternatives of a program that has an execution which `allowing` allows and `forbidding` forbids; nothing: there is none
    // but those left out. Throws GaveUp, OverBudget, and std::logic_error where the two engines disagree.
    std::optional<Chosen> next();
    void leave_out(const Chosen& chosen);

private:
    Program& p_;
    const Model &allowing_, &forbidding_;
    Model joint_;
    bool same_ = false;
    Backend& backend_;
    std::optional<Encoding> encoding_;
    std::vector<Lit> wanted_;
};

}  // namespace litmus
