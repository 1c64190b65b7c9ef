// What the instruction table offers for a test: the fences that could be put in, and how an instruction could be called otherwise.
//
// Nothing here lists PTX by hand. A name is offered when the table has it and the test's target does, or, of a test that names
// none, the least target that has its instructions: a repair asks for no newer GPU. Scopes are offered where they tell threads
// of the test apart; `.cluster` only where the test itself speaks of clusters, since a CTA that nothing puts into a cluster with
// others is one of its own.
#pragma once

#include <string>
#include <vector>

#include "language/test.h"

namespace litmus {

class Catalogue {
public:
    explicit Catalogue(const Test& test);

    // A fence, a proxy fence or a fence of tcgen05 or wgmma by its name, with what it means.
    struct Fence {
        std::string name;     // "fence.acq_rel.gpu"
        Instruction meaning;  // without operands
    };
    const std::vector<Fence>& fences() const { return fences_; }

    // In increasing order, those that are worth a try in this test.
    const std::vector<Scope>& scopes() const { return scopes_; }
    bool speaks_of_clusters() const { return clusters_; }

    // Whether an instruction of this dotted name may be used; of the foreign formats, which leave out types, always.
    bool has(const std::string& dotted) const;

private:
    void find_scopes();
    void find_fences();
    bool concerns(const Instruction& fence) const;

    const Test& test_;
    Version least_;  // what the test's instructions need
    bool clusters_ = false;
    std::vector<Scope> scopes_;
    std::vector<Fence> fences_;
};

// The map by which an instruction copies a box of a tensor, if the map lies in memory: its name, or that of the register with its address;
// empty for others. A map that is a constant needs no fence.
std::string map_used(const Test& test, const Instruction& instruction);

// The words of a dotted name, put together.
std::string with_dots(const std::vector<std::string>& words);

// Whether fence `a` orders no more than `b`, whatever the program: the same kind of fence, with less semantics, scope and reach.
bool no_stronger(const Instruction& a, const Instruction& b);
// Of semantics alone: relaxed is less than acquire, and acquire and release less than both.
bool no_stronger(Sem a, Sem b);

}  // namespace litmus
