// Objects with byte ranges into locations of the language (litmus/language.md, "Declarations").
//
// Every place that chosen threads touch is an element of some size: that of the accesses to it. The model asks for elements that overlap
// completely or not at all (model/semantics.md, section 3); the one exception is a wider load of several elements. Copies have no size of
// their own: what they copy has the elements of what it is copied to, and from. An object becomes one array for each size of element in it;
// mbarrier objects, told by their use, become locations of their own. Of an array only those *granules* are kept that hold a touched
// element: 16 bytes where something copies, else the widest access to the object, so that everything stays aligned as it was. They stand
// side by side in their order, so a range of an operation stays a range.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/granules.h"

namespace litmus::kernel {

// A location, and what it was cut from.
struct CarvedPiece {
    Location location;
    size_t object = 0;
    uint32_t width = 0;              // bytes of an element
    uint64_t granule = 0;            // bytes
    std::vector<uint64_t> granules;  // where the kept ones begin in the object, ascending
    std::string kept;                // of an array that is not whole: which of its elements these are, in words
};

struct Carved {
    std::vector<CarvedPiece> pieces;  // in the order of objects
    std::vector<Trace> threads;       // with addresses and sizes in the new locations
    std::vector<std::string> lines;   // which elements are touched by several threads, in the numbers of the kernel
    bool shared = false;              // some element is touched by several threads
};

// `threads` are the chosen ones, scaled. Throws Failure, with the CUDA lines in the message, for accesses of mixed sizes.
Carved carve(const Module& module, const Traces& traces, const Memory& memory, std::vector<Trace> threads, const Granules& granules);

}  // namespace litmus::kernel
