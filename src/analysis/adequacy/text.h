// What `litmus adequacy` found, as text for people and JSON for programs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/adequacy/adequacy.h"
#include "analysis/verdict/text.h"

namespace litmus {

// What the tests say of one part.
struct PartReport {
    ModelPart part;
    bool takes_part = true;  // false: the model has a constraint under no readings that it changes
    size_t needed = 0;       // tests that answer otherwise without it
    size_t noticed = 0;      // and have another verdict
    size_t undecided = 0;
    std::string test, file;  // one that needs it, a smallest
    std::string known;       // why no test can need it, where that is known; else empty
};

struct AdequacyReport {
    std::string model;
    size_t tests = 0;
    bool counted = false;  // every test was asked of every part; else until one needed it
    std::vector<PartReport> parts;
};

// Some test needs it, or it is known that none can (and not both), or it changes no constraint.
bool is_settled(const PartReport& part);

// 0 every part is settled; 1 some is not; 3 of some it was not decided, and all others are.
int exit_status(const AdequacyReport& report);

// The parts that no test needs, and the totals. `verbose`: all parts.
std::string adequacy_text(const AdequacyReport& report, const TextStyle& style, bool verbose);

// A line for each part, without its end; src/schemas/adequacy.json says what is in it.
std::vector<std::string> adequacy_json(const AdequacyReport& report);

}  // namespace litmus
