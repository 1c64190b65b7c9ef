// Threads that may change places, and an order among them that loses no answer.
//
// Idea. Where n threads do the same, as those that take one lock, each execution has n! copies that differ only in which thread does what.
// A solver that must show that none of them breaks a claim walks through all. Asked only for executions in which the threads come in the
// order of their numbers, it has one to look at.
//
// Lemma. Let s be a permutation of the events of a program, with its cells and choices, that leaves all that an execution is made of and
// judged by as it is: what each event does, the expressions of guards, values and constraints, the sets and relations that the program
// gives to models. Then s makes an execution of each execution, consistent where that one is, since a model calls events by these sets and
// relations alone. If s leaves a question as it is too, both answer it alike. Let a class of threads be such that each two of them can be
// exchanged so. Choose one write of each, the same in all, to a location that stays. In an execution co is a strict partial order on those
// that happen, so some order of the threads extends it, and the permutation of the class that sorts them by it gives an execution in
// which no such write is co-before that of an earlier thread. So a question that has an answer has one among these.
//
// Premises. For each two neighbours of a class the exchange is written down as a permutation, and compared with the program: events one by
// one, expressions after replacing what they read, every base that the model calls by name pair by pair. Exchanges of neighbours generate
// all permutations of a class. What is asked must be the same after each of them: callers give its expressions. Who asks for something
// else than what was found (a further race) leaves out what was found together with all its images: image() makes their executions.
#pragma once

#include <cstdint>
#include <vector>

#include "cat/model.h"
#include "event/execution.h"
#include "solve/bounds.h"

namespace litmus {

// Two threads of a class change places: a permutation of the program that is its own inverse.
struct Exchange {
    int a = 0, b = 0;               // the threads
    std::vector<size_t> events;     // by event: its image
    std::vector<int> cells;         // by cell
    std::vector<uint32_t> choices;  // by choice
};

struct Symmetry {
    Sequences order;                  // of writes, by class: executions in which none is co-before one that stands before it are enough
    std::vector<Exchange> exchanges;  // of the neighbours in each class that has an order
};

// Classes of at least `fewest` threads, for questions about `asked` and about what the constraints of the model say. `program` is that of
// `bases`: its pool of expressions grows. Throws OverBudget.
Symmetry find_symmetry(Program& program, FixedBases& bases, const Model& model, const std::vector<ExprId>& asked, size_t fewest);

Execution image(const Execution& execution, const Exchange& exchange);

}  // namespace litmus
