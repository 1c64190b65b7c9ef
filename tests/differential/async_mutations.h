// Wrong models: what ptx.cat is to be told from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cat/model.h"

namespace litmus {

struct Mutation {
    std::string name;
    std::string kind;      // of the random programs that tell it (random_async.h)
    std::string readings;  // the specification under which it is told from ptx.cat: weakest, or that with one reading switched
    Model wrong;
    // Which answers may differ from those of the right model; `races`: outcomes, or which accesses race. Only of those told by outcomes or
    // races do the updates of an mbarrier object surely make one chain (BruteForceOptions::chains).
    enum class By : uint8_t { outcomes, races, hazards, blocked };
    By told_by = By::outcomes;
    bool by_outcomes() const { return told_by == By::outcomes || told_by == By::races; }
};

// Every axiom of ptx.cat removed, and changes of its other rules. Throws std::logic_error when a rule that one of them
// changes is not in the text any more.
std::vector<Mutation> mutations();

}  // namespace litmus
