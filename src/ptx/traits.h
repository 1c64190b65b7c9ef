// What each instruction is, whatever its qualifiers say: one row for each Op.
//
// The table of forms (rows.h) says how an instruction is written; this one says what the rest of the pipeline asks of it.
// A row that is missing, or stands in the wrong place, does not compile.
#pragma once

#include <string_view>

#include "ptx/instruction.h"

namespace litmus {

struct Traits {
    enum class Kind : uint8_t {
        load,
        store,
        atomic,  // a read and the write computed from it
        fence,
        proxy_fence,
        cta_barrier,
        quorum,  // the column format's barrier
        warp_barrier,
        cluster_barrier,
        warp_reduction,  // the lanes of a warp exchange values
        warp_matrix,     // the lanes of a warp load or store matrices together
        arithmetic,      // registers alone
        hint,            // nothing that memory or other threads notice
        grid_trigger,    // grids that depend on this one may begin
        grid_wait,       // for the grids that this one depends on
        branch,
        exit,
        from_registers,  // red.async, st.async: an asynchronous write, or atomic, whose operands are in registers
        bulk,            // the async proxy copies or reduces memory into memory
        tensor,          // the same between shared memory and a box of a tensor
        map_write,       // a tensor map is written
        bulk_commit,
        bulk_wait,
        copy,  // cp.async
        copy_commit,
        copy_wait,
        copy_arrive,     // an arrival when the thread's copies are complete
        mbarrier_life,   // an object begins or ends
        mbarrier_count,  // bytes are expected, or have come
        mbarrier_arrival,
        mbarrier_wait,
        mbarrier_query,  // of a state in a register
        mma,             // the async proxy reads matrices, and registers are accumulated
        mma_fence,       // of registers
        mma_commit,
        mma_wait,
        tcgen,         // tcgen05: reads matrices through the async proxy, and accesses tensor memory, asynchronously
        tcgen_commit,  // an arrival when the thread's operations on tensor memory are complete
        tcgen_wait,
        tcgen_fence,
        tcgen_life,          // tensor memory is allocated or given back
        fill,                // writes of a range of bytes
        cancellation,        // an asynchronous answer to a request
        cancellation_query,  // of an answer in a register
        last = cancellation_query,
    };
    // Where the page of instructions describes it (page.cpp), in the page's order.
    enum class Family : uint8_t {
        red,
        red_async,
        bulk_reduction,
        st_async,
        redux,
        atom,
        ld,
        st,
        bulk_copies,
        copies,
        mbarrier,
        fences,
        proxy_fences,
        barriers,
        wgmma,
        multimem,
        tensor,
        tcgen,
        proxy_accesses,
        warp_exchange,
        warp_matrices,
        addresses,
        grids,
        hints,
        computation,
    };
    // What the register that it writes holds.
    enum class Result : uint8_t { none, data, predicate, count, state };

    Op op{};
    Kind kind = Kind::arithmetic;
    Family family = Family::computation;
    Result result = Result::none;
    Sem sem = Sem::weak;        // where no qualifier says (ISA 9.1, the section of its row)
    bool scoped = false;        // a qualifier may name a scope
    Scope scope = Scope::none;  // where none does
    Proxy proxy = Proxy::generic;
    bool waits = false;            // the thread gets past it only when others, or its own operations, have come so far
    bool reduces = false;          // a qualifier names an operation
    std::string_view events = {};  // in words; empty: it has none
};

// What all instructions of a kind have in common.
struct KindTraits {
    // By which means it orders what other threads see; none: at most by its semantics.
    enum class Orders : uint8_t { none, fence, wait, barrier };

    Traits::Kind kind{};
    Orders orders = Orders::none;
    bool alone = false;         // what it does depends neither on where other threads are nor on the thread's own operations
    bool asynchronous = false;  // or it commits, awaits or arrives for what is
    bool mbarrier = false;      // mbarrier.*
    bool registers = false;     // registers in, registers out: no memory, no synchronization, no branch
    bool copies = false;        // memory to memory, asynchronously, element by element
};

const Traits& traits(Op op);
const KindTraits& traits(Traits::Kind kind);
inline Traits::Kind kind(Op op) {
    return traits(op).kind;
}

bool is_load(Op op);          // through any proxy
bool is_copy(Op op);          // KindTraits::copies
bool is_asynchronous(Op op);  // KindTraits::asynchronous
bool is_mbarrier(Op op);      // KindTraits::mbarrier
bool is_arithmetic(Op op);    // KindTraits::registers
bool is_multimem(Op op);      // multimem.*: its memory is named by a multimem address
bool is_barrier(Op op);       // of a CTA or a cluster, with an instruction of the hardware
bool meets_others(Op op);     // not KindTraits::alone

}  // namespace litmus
