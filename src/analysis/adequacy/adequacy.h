// Which parts of a model a test needs: the model without the part gives another answer.
//
// A suite is adequate for a model when each part of it is needed by some test; a part that no test needs could be deleted, or be
// wrong, and no test would notice.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/verdict/verdict.h"
#include "cat/parts.h"
#include "cat/readings.h"
#include "solve/solve.h"

namespace litmus {

// A part, and where to look for it, as indices into settings: under the default, the weakest and the strongest readings, as far as it takes
// part under these; one that takes no part under the first two, under the weakest and the first reading with which it does. None: it
// changes no constraint.
struct PartUnder {
    ModelPart part;
    std::vector<size_t> under;
};

// The parts of a model under the readings of its family.
struct ModelParts {
    std::vector<std::vector<std::string>> settings;  // readings
    std::vector<PartUnder> parts;
    Model open;                                             // readings and parts are choices
    std::map<std::string, size_t, std::less<>> by_variant;  // of the parts
};

ModelParts model_parts(const ModelFamily& family);

// The model under readings, or that without a part.
Model under(const Model& open, const std::vector<std::string>& readings);

enum class Need : uint8_t {
    no,         // the same outcomes, undefined behaviour, races and hangs
    answer,     // others
    verdict,    // and another verdict: the test's claim, too, notices
    undecided,  // not known within the budget
};

// By part: whether the test needs it. `program` is that of the test, built with BuildOptions::blocked; each question has its own
// budget, made by `budget`. A part for which `wanted` says no is not asked about: Need::no. Throws
// OverBudget, GaveUp as Solver::solve where not even the whole model has an answer.
std::vector<Need> needs(const Test& test, Program& program, const ModelParts& parts, Solver& solver, const std::function<Budget()>& budget,
                        const std::function<bool(size_t part)>& wanted);

}  // namespace litmus
