// Where everything of a test goes on the device: threads, locations, what is observed.
//
// A plan is what emission and the harness share. Two layouts:
//   packed   Every location is in global memory and threads meet in memory only. A hardware thread runs one thread
//            of the test in one instance; the 32 lanes of a warp run 32 instances.
//   grouped  One instance occupies a group of CTAs, placed as the test says, a warp for each of its warps, and runs
//            many rounds in a launch.
// A test of several grids is grouped: a kernel for each grid, launched one after the other in one stream in the same shape, in which only
// the CTAs of that grid do anything. It runs one round in a launch, since what lets a grid begin counts once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "language/test.h"
#include "ptx/traits.h"

namespace litmus::gpu {

// One CTA of the test.
struct PlannedCta {
    int number = 0;   // as the test writes it
    int gpu = 0;      // which of the GPUs of an instance
    int cluster = 0;  // as the test writes it
    int unit = 0;     // which of the clusters of an instance: those of its first GPU first, Plan::units on each
    int rank = 0;     // in its launched cluster
    int grid = 0;     // which of Plan::grids it is part of
    std::vector<int>
        warps;  // the test's warp numbers, in order: the place in this list is the hardware warp; four in a row for a warpgroup
};

// One value that is kept of every instance.
struct Word {
    enum class Kind : uint8_t { reg, global, shared, timeout };
    Kind kind = Kind::reg;
    std::string name;  // as `litmus outcomes` writes it: "P1:r0", "x", "s[1]", "x@cta1"
    Type type = Type::u32;
    int thread = -1;    // reg, timeout
    std::string reg;    // reg
    int location = -1;  // global, shared: index into Test::locations
    int cta = -1;       // shared: index into Plan::ctas
    int element = 0;
    bool shown = true;  // false: kept so that the assembler does not leave out its load, or a time-out
};

// A grid of the test.
struct PlannedGrid {
    int number = 0;             // as the test writes it
    bool programmatic = false;  // it may begin before the one that is launched before it has completed
};

// "litmus_test", and for the grids behind the first "litmus_test_1", ...
std::string test_kernel(size_t grid);

struct Plan {
    enum class ThreadLayout : uint8_t { packed, grouped };
    ThreadLayout layout = ThreadLayout::packed;
    std::vector<PlannedCta> ctas;
    std::vector<int> cta_of;         // by thread: index into ctas
    std::vector<int> warp_of;        // by thread: hardware warp within its CTA (packed: within its share of the CTA)
    std::vector<PlannedGrid> grids;  // in the order of their launches
    int gpus = 1;                    // that one instance runs on; each runs the same kernel
    int units = 1;                   // launched clusters that one instance has on each of them
    int cluster = 1;                 // CTAs of a launched cluster
    int warps = 1;                   // warps that a CTA needs for one instance (packed: for 32)

    std::vector<int> region;  // by location: its number among those in global memory; -1: shared
    int regions = 0;
    std::vector<int> offset;  // by location: bytes into the CTA's shared memory; -1: global
    int shared_bytes = 0;
    int slot_bytes = 4;    // the least distance of two instances of a global location
    bool aliased = false;  // some location is a second address of another
    int turn = 1;          // the warps of a CTA change places so many at once: 4, where some of them are a warpgroup
    bool turns = false;    // the CTAs of a cluster may change places: no instruction names them by rank
    bool spoils = false;   // an instance that times out may leave asynchronous operations behind, which reach into the next

    std::vector<Word> words;
    int sm = 90;
    bool specific = false;  // the target is sm_NNa
    int ptx = 80;           // 10 * major + minor
    std::string hang;       // why the kernel may wait at a barrier for ever; empty: nothing says so
};

// Plans a native test. `sm`: 90 or 100 to ask for that target, none for the least. Throws Failure where the test cannot
// run on GPUs of that kind, with the reason. A reading of `%clock` and its kin has no value that could be compared with an outcome. A
// multimem address needs a multicast object over several GPUs. The assembler at hand, or the GPUs, lack some instructions. The sweep of
// kernels has none of these limits.
enum class Runner : uint8_t { gpu, sweep };
Plan make_plan(const Test& test, std::optional<int> sm, Runner runner = Runner::gpu);

// Whether the assembler may move, merge and drop the instructions of a thread as its rules allow, or finds something between them that it
// moves nothing across (thread_text.cpp).
enum class Pins : uint8_t { none, between };

// What the emitter asks of operations.
bool touches_memory(Op op);                 // done by the thread's own lane only
bool is_of_warp(Op op);                     // done by all lanes of a warp alike: tensormap.cp_fenceproxy, ldmatrix, stmatrix
bool is_of_warpgroup(Op op);                // done by all lanes of four warps: wgmma.*
bool runs_warpgroup(const Thread& thread);  // some instruction of it is
// Whether any instruction of the test is so.
template <typename Predicate>
bool any_instruction(const Test& test, Predicate predicate) {
    return std::any_of(test.threads.begin(), test.threads.end(),
                       [&](const Thread& t) { return std::any_of(t.body.begin(), t.body.end(), predicate); });
}

// Whether copies through the map gather and scatter rows.
bool copies_rows(const Test& test, const TensorMap& map);

// The kernel that thread t of the test is part of.
std::string kernel_of_thread(const Plan& plan, size_t t);

// The warps of one instance, on all its GPUs, and which of them runs thread t of the test.
int places(const Plan& plan);
int place_of_thread(const Plan& plan, size_t t);

}  // namespace litmus::gpu
