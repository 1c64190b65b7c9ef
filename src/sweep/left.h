// What launches of a stream leave to each other.
//
// All of a launch happens before all of the next one, whatever the proxies (ISA 8.9.4). So nothing races between them, and what goes from
// one to the next is what global memory holds: its bytes, which of them are computed, and which might be others after another order of the
// threads. A programmatic dependent launch may begin before: it has to know more (grids.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel/module.h"
#include "sweep/doubt.h"

namespace litmus::sweep {

struct Contents {
    std::vector<uint8_t> bytes;
    std::vector<bool> known;                     // by byte: it is computed
    std::unordered_map<uint64_t, Doubt> doubts;  // of bytes
};

// Bytes of an array, or of a variable in global memory.
struct Part {
    std::string object;
    uint64_t begin = 0, end = 0;
};

struct Running;  // grids.h

// Launches of a stream have the same arrays. Variables are those of a module.
struct Left {
    std::vector<Contents> arrays;
    std::map<std::pair<const kernel::Module*, std::string>, Contents> variables;
    std::vector<Part> written;  // by the last launch, by object
    Doubts doubts;
    std::vector<std::string> began;  // by number of Doubts::statements(): why what began there might be another value; empty: it is not
    std::shared_ptr<const Running> running;  // where the next launch may begin before these are over; else null
};

}  // namespace litmus::sweep
