// The threads of a test of a few, where none are named: one for each thing that threads do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "sweep/log.h"

namespace litmus::sweep {

// From a log of everything of all threads, which are numbered block after block. Threads of a block that execute the same statements are
// alike. One of each kind is taken, and a second one that shares places which no two others share. At most so many are
// taken: those that share the most places with each other, those of two warps first.
std::set<uint32_t> representatives(const std::vector<Event>& log, uint32_t threads_of_block, size_t most);

}  // namespace litmus::sweep
