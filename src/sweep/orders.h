// The sweep in two orders of the threads, and of several launches.
//
// Where nothing depends on the order, one run is enough. Where something does, as on who draws the last ticket, a second run has the warps
// and blocks in the contrary order: of two contenders each has been the first one then. That is no proof for the other orders.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sweep/sweep.h"

namespace litmus::sweep {

// As sweep(). A finding of the second run alone has the contrary order in its schedule.
Swept sweep_in_orders(const kernel::Module& module, const kernel::Launch& launch, const Options& options = {});

struct Started {
    const kernel::Module* module = nullptr;
    const kernel::Launch* launch = nullptr;
    std::optional<size_t> repeats = {};  // the number, from 0 on, of an earlier one that has the same arguments
};

struct Streamed {
    Swept swept;
    Options how;  // with what earlier launches have left
    // Where nothing is found: what the launch that this one repeats has written, and this one has not. A ticket that was not given back
    // leaves nobody to write the result.
    std::vector<Part> unwritten;
    size_t orders = 1;                          // in which it was run
    bool all_orders = false;                    // of the strong accesses, one after the other
    bool exchanged = false;                     // of blocks that are alike one stood for all in these orders (exchange.h)
    std::string not_exchangeable = {};          // why none may; empty: that was not asked
    std::vector<std::string> out_of_line = {};  // why an execution may have another order than those that were run
};

// Launches of one stream, one after the other, each in the memory that the ones before leave (left.h); their arrays are the same ones. In
// the contrary order all are, if something depends on the order in one of them. What comes behind a launch that does not end is left out.
// Throws as sweep() does, of a later launch with its number.
std::vector<Streamed> sweep_stream(const std::vector<Started>& launches, const Options& options = {});

// Adds what another run of the same launch shows.
void add(Swept& swept, Swept other);

// Whether two findings say the same of the same CUDA lines, or of the same statements where there are none.
bool is_same(const Finding& a, const Finding& b);

}  // namespace litmus::sweep
