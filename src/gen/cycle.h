// Cycles of edges: their names, their canonical form, and what a test that has one looks like.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gen/vocabulary.h"
#include "language/test.h"

namespace litmus::gen {

// An access, and the edge that leaves it to the access of the next step, that of the last to the first.
struct Step {
    size_t access = 0, edge = 0;  // indices into vocabulary()
    friend bool operator==(const Step&, const Step&) = default;
    friend bool operator<(const Step& a, const Step& b) { return std::pair(a.access, a.edge) < std::pair(b.access, b.edge); }
};
using Cycle = std::vector<Step>;

const Access& access_of(const Step& step);
const Edge& edge_of(const Step& step);

// Of all rotations that end with an edge between threads the least. Two cycles are the same, but for where one begins to read them, when
// their canonical forms are equal. In a cycle of one thread, the last edge is the communication against program order; it has one form.
Cycle canonical(const Cycle& cycle);

// The names of edges, and of accesses that are not weak before the edges that leave them, joined by "+". It is a name for a file.
std::string name(const Cycle& cycle);
// The cycle of these names, in their order. Throws Failure, with the nearest name, where a word is none or does not follow the one before.
Cycle parse_cycle(const std::vector<std::string>& words);
// The name in the literature of a cycle that is like this but for fences, semantics and places; empty: it has none.
std::string shape_name(const Cycle& cycle);

// Where everything is in the test of a cycle; vectors are parallel to its steps, unless they say otherwise.
struct CycleLayout {
    std::vector<int> thread, location;
    std::vector<Placement> places;              // of each thread
    std::vector<int> memory;                    // of each location: the CTA whose shared memory it is in; -1: global
    std::vector<int> other;                     // the same of the other end of a copy
    std::vector<int> object;                    // of an operation that completes on an mbarrier: the CTA of that
    std::vector<uint64_t> value;                // what it writes, or reads in the cycle; a reduction: what it adds
    std::vector<bool> asked;                    // whether the cycle says what it reads
    std::vector<std::optional<uint64_t>> last;  // of each location: its final value, if the cycle needs it to be known
};
// Nothing where no test has the cycle, or no final state shows it. The cycle ends with an edge between threads, or with a communication if
// it has none.
//
// A location is a run of accesses between edges to another one, and must be communicated on. Threads stand as far from each other
// as the edges allow, and no nearer. A location is in global memory if all its accesses allow that, else in the shared memory of the first
// CTA with a thread where they do. The communications on a location follow each other in one line, which gives the values: each write
// has a bit of its own. A coherence edge is seen in the final value, so that it comes last.
std::optional<CycleLayout> layout(const Cycle& cycle);

}  // namespace litmus::gen
