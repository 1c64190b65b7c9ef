// Locations that many atomic updates change, and what is known of each update by counting.
//
// Let all writes to a location, but for some plain ones (its bases), be updates: an atomic read and the write computed from its
// value and constants. If the model orders these writes totally (co), lets no write come between the one that an update reads from
// and its own (atomicity), and lets no update read from itself or a later write, then each update reads from its immediate
// predecessor in co. So what it reads is the value of the last base, passed through the updates since then in their
// order. Where that order does not matter, it is a function of how many updates of each kind came since.
//
// Without this a solver that must show, say, that n additions of one end in n walks through all n! orders. The three premises
// are shown from the structure of the model and the bounds of the program (implied.h): where they fail, as for atomics whose
// scopes do not include each other, the location is no chain.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "solve/bounds.h"
#include "solve/implied.h"

namespace litmus {

struct Chain {
    struct Update {
        size_t read, write;  // events
        size_t kind;         // updates of one kind compute the same function
    };
    std::vector<size_t> bases;  // writes that are no updates, the initial one first
    std::vector<Update> updates;
    std::vector<size_t> kinds;         // how many updates there are of each kind
    std::map<size_t, uint64_t> known;  // other reads whose values the updates use: all that they may read is one constant

    std::vector<size_t> writes() const;  // bases first
};

// The chains of a program under a model, of at least `fewest` updates; the bounds are those of compute_bounds. `in`: of a write and a read
// that the write is not co-after what is read, if both happen; the bounds may rest on it (narrow.h). Throws OverBudget.
std::vector<Chain> find_chains(const Program& program, const Model& model, const std::vector<NodeBounds>& bounds, const Bounds& rf,
                               const Bounds& co, const Relation& in, size_t fewest);

// What is read after so many updates of each kind since a base, whatever their order, for each vector of numbers up to
// Chain::kinds: an entry without a value depends on the order. The first kind varies fastest. Nothing when there are too
// many entries, or the base does not write a constant.
std::optional<std::vector<std::optional<uint64_t>>> values_by_count(const Program& program, const Chain& chain, size_t base);

// Nodes of the form x; (rmw; x)*, with x: what leads from a write to those who read what updates made of it.
struct ChainNode {
    NodeId node, link;
};
std::vector<ChainNode> chain_nodes(const Model& model);

// Whether a node is rf^-1; co.
bool is_fr(const Model& model, NodeId node);

// Whether a node is rf or a part of it, as far as its form shows.
bool is_part_of_rf(const Model& model, NodeId node);

}  // namespace litmus
