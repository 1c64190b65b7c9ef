// The search for what an assembler breaks: many short threads through it, those in which something changed before the model, and what is
// forbidden made as small as it can be.
//
// Threads are triples, [access; any operation; access] on the same, on neighbouring and on other addresses; waits, [a copy; its commit; its
// wait; any operation]; and random threads of three to eight instructions. Thousands share a run of the assembler. Of those that it
// changed, two of a sort are judged: the sort of a change is what changed, the kinds of both instructions, how their addresses stand to
// each other, and the kinds of what stands between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compiled/assemble.h"
#include "analysis/compiled/judge.h"
#include "analysis/compiled/operations.h"
#include "cat/readings.h"
#include "solve/solve.h"

namespace litmus::compiled {

// A thread to try, as lines of a test.
struct Trial {
    std::vector<std::string> lines;
    int sm = 90;        // the least that has it
    size_t middle = 0;  // of a triple: its operation, by number
    bool is_triple = false;
};

// How many triples there are, and the n-th of them.
size_t triples(const std::vector<Operation>& operations);
Trial triple(const std::vector<Operation>& operations, size_t number);
// How many waits there are, and the n-th of them.
size_t waits(const std::vector<Operation>& operations);
Trial wait(const std::vector<Operation>& operations, size_t number);
// The n-th of the random threads of a seed.
Trial random_trial(const std::vector<Operation>& operations, uint64_t seed, uint64_t number);

// A trial that was changed, with what was read of its code.
struct Changed {
    Trial trial;
    Setting setting;
    std::vector<Change> changes;
    ThreadCode code;
};

// Trials of one run of the assembler.
struct Batch {
    size_t assembled = 0, refused = 0, strays = 0;
    std::vector<Changed> changed;
    std::vector<Trial> kept_triples;  // triples in which nothing changed
};
Batch assemble(const std::vector<Trial>& trials, const sass::Assembler& assembler, int level, const std::string& target, gpu::Body body);

// The sort of a change.
std::string sort_of(const Test& test, const Change& change);

// What the model says of a changed thread with one of its partners, the worst of them.
struct Judged {
    Ruling ruling;
    Test test;  // with the partner
    Truth race_free = Truth::unknown;
    Reading::Base readings = Reading::Base::weakest;
    std::vector<Change> changes;
};
Judged judge(const Changed& changed, ModelFamily& family, Solver& solver, double seconds);

// The trial with as few instructions as still give something forbidden by a change of the same kind; nothing where the trial itself, alone
// in a module, gives nothing.
std::optional<std::pair<Changed, Judged>> reduced(const Changed& changed, const sass::Assembler& assembler, ModelFamily& family,
                                                  Solver& solver, double seconds);
// What tells classes of findings apart: the kinds of the changes and of the instructions of the smallest thread.
std::string class_of(const Test& test, const std::vector<Change>& changes);

// By operation, what became of the accesses around it.
struct Passage {
    uint64_t triples = 0, dropped = 0, merged = 0, earlier = 0, later = 0, unwaited = 0;
};
// Counts a triple; `changes` are of it.
void count(const Trial& trial, const std::vector<Change>& changes, Passage& passage);

}  // namespace litmus::compiled
