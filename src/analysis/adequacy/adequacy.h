// Which parts of a model a test needs: the model without the part gives another answer.
//
// A suite is adequate for a model when each part of it is needed by some test; a part that no test needs could be deleted, or be
// wrong, and no test would notice.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/verdict/verdict.h"
#include "cat/parts.h"
#include "cat/readings.h"
#include "solve/solve.h"

namespace litmus {

// The whole model and that without a part, under the same readings.
struct PartUnder {
    std::vector<std::string> readings;
    const Model* whole = nullptr;
    Model without;
};

// A part, and where to look for it: under the default, the weakest and the strongest readings, as far as it takes part under these; one
// that takes no part under the first two, under the weakest and the first reading with which it does. None: it changes no constraint.
struct PartModels {
    ModelPart part;
    std::vector<PartUnder> under;
};

// The parts of a model under the readings of the family, each with its models. Points into the family.
std::vector<PartModels> part_models(ModelFamily& family);

enum class Need : uint8_t {
    no,         // the same outcomes, undefined behaviour, races and hangs
    answer,     // others
    verdict,    // and another verdict: the test's claim, too, notices
    undecided,  // not known within the budget
};

// What one test shows about the next: for programs of one vocabulary (solve/specialise.h) the model without a part is the same as
// the whole, or is not. Safe to share among threads.
class Touched {
public:
    using Vocabulary = std::set<std::string>;

    // Whether the models of parts[part].under[place] differ on programs of this vocabulary; `compare` finds out the first time.
    bool differ(const Vocabulary& vocabulary, size_t part, size_t place, const std::function<bool()>& compare);

private:
    std::mutex mutex_;
    std::map<Vocabulary, std::map<std::pair<size_t, size_t>, bool>> known_;
};

// By part: whether the test needs it. `program` is that of the test, built with BuildOptions::blocked; each question has its own
// budget, made by `budget`. A part for which `wanted` says no is not asked about: Need::no. `touched` belongs to `parts`. Throws
// OverBudget, GaveUp as Solver::solve where not even the whole model has an answer.
std::vector<Need> needs(const Test& test, Program& program, const std::vector<PartModels>& parts, Touched& touched, Solver& solver,
                        const std::function<Budget()>& budget, const std::function<bool(size_t part)>& wanted);

}  // namespace litmus
