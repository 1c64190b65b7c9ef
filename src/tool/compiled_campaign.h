// `litmus compiled --random N --triples N --waits N`: the search for what an assembler breaks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/compiled/assemble.h"
#include "tool/output.h"

namespace litmus {

struct CampaignOptions {
    size_t random = 0, triples = 0, waits = 0;  // threads of each kind
    std::optional<uint64_t> seed;               // of the random ones
    std::string into;                           // the folder for the smallest programs; empty: none
    bool wanted() const { return random + triples + waits > 0; }
};

// The exit status: 1 where something forbidden was found.
int compiled_campaign(const CampaignOptions& options, unsigned jobs, const compiled::Settings& settings, Output& out);

}  // namespace litmus
