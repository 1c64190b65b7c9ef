// Trace: what is left of a kernel for one thread when everything that does not depend on memory has been computed.
//
// A trace is the body of a thread of a litmus test. Its addresses name *objects*: a global array of the launch, a variable of the
// module, or one in shared memory, each with an offset in bytes. `cta` of such an operand is the block in whose shared memory the object
// lies, by its number in the grid, and -1 for the thread's own block. Carving the objects into locations comes later (carve.h), when the
// threads of the test have been chosen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernel/launch.h"
#include "kernel/module.h"
#include "language/test.h"

namespace litmus::kernel {

// A piece of memory that traces name.
struct Object {
    std::string name;             // unique, a word of the DSL
    Space space = Space::global;  // shared: one instance for each CTA
    Type type = Type::u32;        // as declared, where that is known
    bool typed = false;           // whether it is
    uint32_t align = 16;
    std::vector<uint8_t> bytes;          // what it holds at the start; of shared memory zeros, which nobody may rely on
    std::vector<size_t> points_to = {};  // of a multimem address: the objects that an operation on it accesses
};

// Where a thread stands in the launch. Of several launches blocks and clusters have numbers as in a test (Placement, in_grid()).
struct Seat {
    uint32_t block = 0;    // linear in the grid
    uint32_t thread = 0;   // linear in the block
    uint32_t cluster = 0;  // linear
    uint32_t gpu = 0;
    uint32_t warp() const { return thread / 32; }
    uint32_t lane() const { return thread % 32; }
};

// Something that was abstracted, to be said in the output.
struct Note {
    Origin origin;
    std::string text;
};

struct Trace {
    Seat seat;
    std::vector<Instruction> body;  // residual instructions; labels as in Thread
    std::vector<std::string> end_labels;
    std::vector<Origin> origins;       // parallel to `body`
    std::vector<size_t> statements;    // parallel to `body`: a number of the PTX statement, equal for all threads
    std::vector<size_t> traps;         // of `body`: these are `exit` where the kernel has `trap`, and nobody should come there
    std::vector<size_t> non_coherent;  // of `body`: these are `ld` where the kernel has `ld.nc`
    size_t turns = 0;                  // that a loop over what an address was found to lead to takes; 0: none was
    std::vector<size_t> aligned;       // of `body`: barriers to which all lanes of a warp come together (`.aligned`, and `bar`)
    std::vector<Note> notes;
};

// How much of the synchronization in the code some thread of the launch came to: barriers, operations on mbarrier objects, asynchronous
// instructions.
struct Coverage {
    size_t statements = 0, reached = 0;
    Origin missed;  // of the first that no thread came to
};

struct Traces {
    std::vector<Object> objects;
    std::vector<Trace> threads;  // all of the launch, or of all launches, by block and thread
    Coverage synchronization = {};
    std::map<std::string, Origin> left_out = {};  // instructions that access memory, and were left out as asked: by name, with one place
};

}  // namespace litmus::kernel
