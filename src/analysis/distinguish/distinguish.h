// A program of a skeleton that tells two models apart: the one allows an outcome of it, the other does not.
//
// The solver looks for an execution of any program of the skeleton that the one model allows and the other forbids (solve/apart.h).
// Its program is checked by the whole pipeline: another execution with the same outcome may be allowed by both, or the program may be
// undefined or hang; then it is left out, and the solver looks on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/distinguish/vocabulary.h"
#include "solve/solve.h"

namespace litmus {

// A program, and an outcome that `allowing` has and `forbidding` has not; or none, and it is undefined under the one alone.
struct Distinguished {
    Test test;                             // claims that the outcome exists, or undefined behaviour
    std::vector<std::string> observables;  // those that matter: no outcome with these values is one of the other model
    std::vector<uint64_t> values;
    size_t refuted = 0;  // programs of the skeleton that were found before and did not tell the models apart
};

struct Distinguishing {
    const Model& allowing;
    const Model& forbidding;
    Budget budget;           // of one skeleton
    bool undefined = false;  // a program that `allowing` leaves undefined, and `forbidding` does not, tells them apart, too
    Engine engine = Engine::z3;
};

// The first program of the skeleton that tells the models apart; nothing: none does. Throws OverBudget, GaveUp, and as Apart.
std::optional<Distinguished> tell_apart(const Skeleton& skeleton, const Distinguishing& models);

// The minimal sets of these families without which the models are the same for all programs: one that tells them apart has an
// instruction of each set. At most 20 families.
std::vector<Families> required_families(const Families& families, const Model& a, const Model& b);

}  // namespace litmus
