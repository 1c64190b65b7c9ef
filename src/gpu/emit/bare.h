// Threads of tests as kernels of their own, without the harness: what is assembled to see what the assembler does, and is never run.
//
// The kernels of emit.h run a test, and what they put around a thread (a round's loop, its place, predicates for single lanes) is seen by
// the assembler, too. Here a thread is what a programmer writes: addresses, instructions, and what was read is stored at the end. A module
// holds any number of them, since most of the time of an assembler is its start.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/emit/text.h"
#include "language/test.h"

namespace litmus::gpu {

// What stands around the instructions; the assembler schedules differently in each.
enum class Body : uint8_t {
    plain,     // nothing: global locations are pointers that the kernel is given, which may be equal
    fixed,     // likewise, with global locations as variables of the module, whose addresses and alignment are known
    loop,      // a loop whose end is not known
    pressure,  // as many values as fill half of the registers are kept alive over them
};
std::string_view name(Body body);
inline constexpr Body bodies[] = {Body::plain, Body::fixed, Body::loop, Body::pressure};

struct BareThread {
    const Test* test = nullptr;  // native
    size_t thread = 0;
    Body body = Body::plain;
};

struct BareModule {
    std::string ptx;
    struct Entry {
        std::string name;                  // of the kernel
        std::vector<PtxText::Mark> lines;  // of its instructions that access memory, order accesses or wait
    };
    std::vector<Entry> entries;  // one for each thread
};

// `target`: "sm_90a". Throws Failure where a test cannot be emitted, with the reason.
BareModule emit_bare(const std::vector<BareThread>& threads, const std::string& target);

}  // namespace litmus::gpu
