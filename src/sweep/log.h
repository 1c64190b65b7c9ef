// What threads did in a sweep, in its order: from it a finding becomes a test (slice.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "kernel/module.h"
#include "ptx/instruction.h"

namespace litmus::sweep {

// A byte of memory, or an mbarrier object there.
struct Memory {
    size_t object = 0;   // of kernel::MemoryLayout::objects
    uint32_t block = 0;  // whose shared memory
    uint64_t offset = 0;
    friend bool operator<(const Memory& a, const Memory& b) {
        return std::tie(a.object, a.block, a.offset) < std::tie(b.object, b.block, b.offset);
    }
    friend bool operator==(const Memory&, const Memory&) = default;
};

// Bytes one after the other.
struct Stretch {
    Memory from;
    uint64_t bytes = 0;
    friend bool operator==(const Stretch&, const Stretch&) = default;
};

struct Event {
    enum class What : uint8_t {
        access,  // to the byte that is watched, by the statement itself
        flag,    // a strong access to another place; the last of a loop that only waits
        copy,    // an asynchronous operation of it, which an mbarrier object completes, or a group
        init,
        invalidate,
        arrive,
        expect,
        wait,  // also one that nothing ends
        fence,
        barrier,
        cluster,  // likewise
        warp,
        commit,
        groups,  // a wait for them
        need,    // the last read of this statement is performed: something waits for its value; in a log of everything
    };
    What what = What::access;
    uint32_t thread = 0;
    const kernel::Statement* statement = nullptr;
    std::optional<Op> op = {};  // none: the table lacks it
    Scope scope = Scope::none;
    Sem sem = Sem::weak;
    std::optional<Memory> mbarrier = {};  // that the operation is on, or that completes it
    uint32_t phase = 0;                   // of that object
    int64_t number = 0;       // arrivals of a count, of an initialisation; bytes expected; a barrier's number; groups left; lanes
    uint32_t generation = 0;  // of a barrier
    bool counted = false;     // a barrier with a number of threads
    bool reads = false, writes = false;  // the byte that is watched; a flag
    std::optional<Memory> place = {};    // of a flag
    uint32_t bytes = 0;                  // of it; 0: of several elements
    // Of a flag, where they are known: what is read, and what is written, or an atomic's operand; of cas what it compares with, too.
    std::optional<uint64_t> read = {}, operand = {}, compared = {};
    Operator does = Operator::none;                        // of an atomic
    bool settled = false;                                  // what a loop waits for
    std::vector<Stretch> read_from = {}, written_to = {};  // by a weak access or a copy, in a log of everything
    friend bool operator==(const Event&, const Event&) = default;
};

// What a log has: all arrivals, expectations and initialisations, the first strong accesses, and everything of these threads.
struct Watch {
    std::set<uint32_t> threads;
    std::optional<Memory> byte;  // accesses to it
    size_t until = SIZE_MAX;     // the run ends with the finding of this number, in the order in which they are found
    bool everything = false;     // all accesses of these threads, and what they access
};

}  // namespace litmus::sweep
