// What the assembler made of the instructions of one thread, as far as the code says it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpu/emit/text.h"
#include "language/test.h"
#include "sass/order.h"
#include "sass/waits.h"

namespace litmus::compiled {

// What code is made of.
struct Cost {
    size_t instructions = 0;  // NOPs apart
    size_t loads = 0;
    size_t barriers = 0;  // MEMBAR, and CCTL, which makes caches forget
};

// What was read of the code of a thread. Numbers in `order` and `unwaited` are places in `instructions`.
struct ThreadCode {
    size_t thread = 0;
    std::vector<size_t> instructions;  // of its body, those of which the code tells: they access memory, order or wait
    sass::Order order;
    std::vector<sass::Unwaited> unwaited;
    Cost cost;  // of the whole function

    // Every instruction has code of its own, in the order of the PTX, and waits for what stands before it.
    bool is_kept() const { return order.moved.empty() && order.gone.empty() && unwaited.empty(); }
};

// `marks` are those of the module; those of other threads are passed over.
ThreadCode read_thread(const Test& test, size_t thread, const std::vector<gpu::PtxText::Mark>& marks, const sass::Cubin& cubin,
                       const sass::Function& function);

// One thing that the assembler did, by numbers of instructions in the body of the thread.
struct Change {
    enum class Kind : uint8_t {
        moved,     // `instruction` is issued before `other`, which stands above it
        unwaited,  // `instruction` is issued before the acquire `other`, which stands above it, has its result
        stale,     // `instruction` may read what a cache holds from before the acquire `other`, which stands above it
        dropped,   // `instruction` has no code; of a load, `other` is where its value comes from, where that is known
        merged,    // the access of `instruction` is done by that of `other`, which is wider for it
    };
    Kind kind = Kind::moved;
    size_t thread = 0, instruction = 0;
    std::optional<size_t> other;
    bool operator==(const Change& change) const = default;
};

// The sum of all threads.
Cost cost_of(const std::vector<ThreadCode>& codes);

// In the order of the instructions: first what is gone, then what moved, then what is not waited for.
std::vector<Change> changes_of(const Test& test, const ThreadCode& code);

// "P1: `ld.weak.global.u32 r2, [x]` is dropped: it gets the value of `ld.weak.global.u32 r0, [x]`"; behind an instruction its line of CUDA,
// where that is known.
std::string in_words(const Test& test, const Change& change);
std::string_view name(Change::Kind kind);

// An access of a load or a store, as far as two of them can be compared.
struct Footprint {
    std::string base;  // a location with its instance, or a register
    int64_t offset = 0;
    int element = 0;  // bytes of one
    int elements = 1;

    int bytes() const { return element * elements; }
};
// Of ld and st; nothing of other instructions.
std::optional<Footprint> footprint(const Instruction& instruction);

}  // namespace litmus::compiled
