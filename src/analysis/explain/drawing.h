// What a picture of one execution shows, whoever draws it: which events, under which letters and in which words, and which
// relations join them.
//
// Transitive relations are shown by their least generators: po and co by their immediate pairs, fr by the first write that
// overwrites what was read. Initial writes have no box of their own: a read of one says so, and that it is first in co is true of
// all.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/explain/why.h"
#include "cat/model.h"
#include "event/execution.h"
#include "solve/solve.h"

namespace litmus {

// An execution of a program, and what it is shown for.
struct Drawing {
    const Program& program;
    const Model& model;
    const Execution& execution;
    std::string title;
    const Hazard* hazard = nullptr;       // of this execution: what races or is undefined is marked, a thread that stays says where
    bool legend = false;                  // what each relation that is drawn means
    const BrokenAxiom* breach = nullptr;  // of this execution: its events are marked, its steps drawn
};

// Several relations on one pair of events are one edge.
struct DrawnEdge {
    size_t from = 0, to = 0;
    std::vector<std::string_view> relations;  // names of relation_words()
    bool both_ways = false;
};

// One of the edges that a breach is made of.
struct Step {
    size_t from = 0, to = 0;
    std::string_view relation;  // as the model calls it; its text outlives this
};

struct Drawn {
    std::vector<size_t> events;           // in order of letters: by thread, in program order
    std::map<size_t, int> line;           // event -> in the test's text
    std::map<size_t, std::string> where;  // event -> the same in words: "line 8", "line 8, k.cu:38" where the test names CUDA lines
    std::map<int, std::string> stays;     // thread -> where it waits for ever
    EventSet marked;                      // what the hazard or the breach is about
    std::map<size_t, std::string> name;   // event -> "a"
    std::vector<DrawnEdge> edges;
    std::vector<Step> steps;   // of the breach, also those that lead from or to events that are not shown
    std::vector<Step> absent;  // orders that the axiom of the breach asks for, and that are not there
    EventSet from_initial;     // reads of an initial write
};

// Throws OverBudget when the budget of the program is spent.
Drawn drawn(const Drawing& drawing);

// "W.rel.gpu x", "F.sc.gpu", "bar.sync 0"; with the execution "async W.rel.cluster x=1".
std::string event_words(const Program& program, size_t event);
std::string event_words(const Program& program, const Execution& execution, size_t event);

// What the name of a relation that is drawn means.
struct RelationWords {
    std::string_view relation, meaning;
    std::string_view section;  // of the ISA; empty: none
};
// In the order in which they are told.
const std::vector<RelationWords>& relation_words();
// Throws std::out_of_range for a name that is not drawn.
const RelationWords& words_of(std::string_view relation);

// "cta 1"; of another grid than the first, "cta 0 of grid 1".
std::string cta_words(int cta);

// The scopes that each thread stands in, outermost first: "gpu 1", "grid 1", "cluster 0", "cta 2". A level that does not tell threads apart
// is left out, but for the CTA, and for the cluster where it holds several CTAs that could share memory.
std::vector<std::vector<std::string>> scope_paths(const Test& test);

}  // namespace litmus
