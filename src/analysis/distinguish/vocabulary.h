// The instructions of which programs are made to tell models apart, and the shapes of such programs.
//
// Instructions of one use (a store, a proxy fence, a wait) are a family; a skeleton says where in a program an instruction of which
// family stands, and the solver chooses the instruction. All programs have the same memory: `g`, an array, and `f` in global memory;
// two arrays `s` and `t` and an mbarrier object `bar` of one arrival in the shared memory of each CTA of one cluster. Their initial
// values differ, and so do those that stores write.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "event/program.h"
#include "language/test.h"

namespace litmus {

struct Family {
    std::string name;  // "load"
    // In the DSL. {other} is another CTA than that of the thread; {r} a register of its own, {before} that of the instruction
    // before, {v} a value of its own.
    std::vector<std::string> instructions = {};
    bool gives = false;  // writes {r}
    bool takes = false;  // reads {before}: the instruction before gives it
    // Where it is of no use elsewhere; a program that is as small as can be has none that is of no use.
    bool inside = false;  // not as the first of a thread, nor as the last
    bool not_first = false;
    bool not_last = false;                  // where all threads are in one CTA: what comes after a thread's end is the end of shared memory
    std::vector<std::string> earlier = {};  // one of these families stands before it in its thread; no names: no matter
    std::vector<std::string> later = {};    // one of these after it
    std::vector<std::vector<std::string>> with = {};  // one of each of these somewhere
    bool meets = false;                               // another thread of its CTA has one, too
    bool apart = false;                               // some thread is in another CTA
};

const std::vector<Family>& vocabulary();
// By name, or a failure that names the nearest.
size_t family_named(const std::string& name);

using Families = std::vector<size_t>;  // indices into vocabulary()

struct Skeleton {
    std::vector<int> ctas;          // of each thread
    std::vector<Families> threads;  // of each thread, in program order
    size_t size() const;            // instructions
};

// All skeletons of so many instructions in at most so many threads, one of each that differ by the order of threads or the names
// of CTAs alone, that have one family at least of each set in `required`; without those in which an instruction is of no use.
std::vector<Skeleton> skeletons(const Families& families, const std::vector<Families>& required, size_t instructions, size_t most_threads);

// All programs of a skeleton at once: for BuildOptions::slots.
struct OpenTest {
    Test test;
    Slots slots;
};
OpenTest open_test(const Skeleton& skeleton);

// The one program that has, of each slot, this instruction of its family; slots by thread, then in program order. It claims nothing.
Test one_test(const Skeleton& skeleton, const std::vector<size_t>& instructions);

// A program with every instruction of the families, several threads of each kind.
Test test_of_all(const Families& families);

}  // namespace litmus
