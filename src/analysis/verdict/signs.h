// What an answer says of a test, apart from witnesses: so that answers under two models can be compared.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "solve/solve.h"

namespace litmus {

// What an execution shows beside its outcome, as the same thing under every model: a flag, a race of two places, a hang.
struct Sign {
    Hazard::Kind kind = Hazard::Kind::race;
    std::string flag;
    std::set<Hazard::StaticInstruction> places;  // of a race
    friend bool operator==(const Sign&, const Sign&) = default;
    friend bool operator<(const Sign& a, const Sign& b) { return std::tie(a.kind, a.flag, a.places) < std::tie(b.kind, b.flag, b.places); }
};

// The signs of an answer, each with its hazard.
std::map<Sign, const Hazard*> signs_of(const Program& program, const Answer& answer);

bool has_outcome(const Answer& answer, const std::vector<uint64_t>& values);

// Whether all outcomes are known; whether it is known of this sign that the answer has it or not; whether all is known.
bool knows_outcomes(const Answer& answer);
bool knows(const Answer& answer, const Sign& sign);
bool knows_all(const Answer& answer);

}  // namespace litmus
