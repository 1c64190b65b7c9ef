// One PTX instruction as parsed: opcode, qualifiers in the ISA's order, operands with their roles, guard.
//
// The text of each form (syntax box, versions, legality) lives in table.h; here is what the rest of
// the pipeline reads. The parser binds an instruction to its row of the table and each operand to its role; who
// reads the instruction asks for a role and counts no positions. Accessors below decode qualifiers and apply the
// ISA's defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "ptx/operators.h"
#include "ptx/type.h"

namespace litmus {

// The families of instructions that mean something to the checker. A family may be written with
// several mnemonics (bar / bar.cta / barrier / barrier.cta).
enum class Op : uint8_t {
    ld,
    st,
    atom,
    red,
    suld,
    sust,
    tld,
    ldc,    // surface, texture and constant proxies (foreign formats)
    fence,  // fence, fence.{sc,acq_rel,acquire,release}, membar
    fence_proxy,
    bar_sync,
    bar_arrive,
    bar_red,            // bar{.cta}, barrier{.cta}
    bar_quorum,         // the column format's bar.cta.sync I[, B[, Q]]
    bar_quorum_arrive,  // and its bar.cta.arrive I[, B[, Q]]
    bar_warp_sync,
    cluster_arrive,
    cluster_wait,  // barrier.cluster.*
    mov,
    binary,  // add, sub and the like: what is named as an Operator, of two values
    not_,
    neg,
    cvt,
    setp,
    selp,
    bra,   // bra L; in the foreign formats also beq/bne a, b, L
    exit,  // exit, ret
    trap,

    // Asynchronous operations, and what completes them.
    red_async,
    st_async,
    bulk_reduce,   // cp.reduce.async.bulk
    bulk_copy,     // cp.async.bulk
    bulk_commit,   // cp.async.bulk.commit_group
    bulk_wait,     // cp.async.bulk.wait_group{.read}
    async_copy,    // cp.async
    async_commit,  // cp.async.commit_group
    async_wait,    // cp.async.wait_group, cp.async.wait_all
    async_arrive,  // cp.async.mbarrier.arrive{.noinc}
    mbarrier_init,
    mbarrier_inval,
    mbarrier_expect_tx,
    mbarrier_complete_tx,
    mbarrier_arrive,
    mbarrier_arrive_drop,
    mbarrier_test_wait,
    mbarrier_try_wait,
    mbarrier_pending_count,
    redux_sync,

    // What kernels have besides: reads past the coherent caches, addresses, what the lanes of a warp exchange, hints.
    ld_nc,  // ld.global.nc
    mad,
    cvta,
    mapa,
    getctarank,
    isspacep,
    activemask,
    vote_sync,
    shfl_sync,
    match_sync,  // match.any.sync, match.all.sync
    elect_sync,
    ldmatrix,  // rows of matrices in shared memory, by the addresses of the lanes
    stmatrix,
    warp_mma,      // mma.sync, mma.sp.sync, movmatrix: of registers
    hint,          // prefetch, nanosleep, setmaxnreg and others
    policy,        // createpolicy
    grid_trigger,  // griddepcontrol.launch_dependents
    grid_wait,     // griddepcontrol.wait

    // Matrix operations of a warpgroup, and what orders and completes them.
    wgmma_mma,     // wgmma.mma_async
    wgmma_fence,   // wgmma.fence
    wgmma_commit,  // wgmma.commit_group
    wgmma_wait,    // wgmma.wait_group

    // Operations on multimem addresses.
    multimem_load,          // multimem.ld_reduce
    multimem_store,         // multimem.st
    multimem_reduce,        // multimem.red
    multimem_store_async,   // multimem.st.async
    multimem_reduce_async,  // multimem.red.async
    multimem_bulk_copy,     // multimem.cp.async.bulk
    multimem_bulk_reduce,   // multimem.cp.reduce.async.bulk

    // Copies of boxes of a tensor.
    tensor_copy,      // cp.async.bulk.tensor
    tensor_reduce,    // cp.reduce.async.bulk.tensor
    tensor_prefetch,  // cp.async.bulk.prefetch.tensor
    map_replace,      // tensormap.replace.tile.global_address
    map_field,        // tensormap.replace of another field
    map_copy,         // tensormap.cp_fenceproxy
    // tcgen05: the fifth generation of matrix units, and tensor memory.
    tcgen_mma,         // tcgen05.mma, tcgen05.mma.sp, tcgen05.mma.ws, tcgen05.mma.ws.sp
    tcgen_copy,        // tcgen05.cp
    tcgen_load,        // tcgen05.ld
    tcgen_store,       // tcgen05.st
    tcgen_wait,        // tcgen05.wait::ld, tcgen05.wait::st
    tcgen_commit,      // tcgen05.commit
    tcgen_fence,       // tcgen05.fence::before_thread_sync, tcgen05.fence::after_thread_sync
    tcgen_alloc,       // tcgen05.alloc
    tcgen_dealloc,     // tcgen05.dealloc
    tcgen_relinquish,  // tcgen05.relinquish_alloc_permit

    st_bulk,       // st.bulk: zeros
    discard,       // discard.L2
    try_cancel,    // clusterlaunchcontrol.try_cancel
    query_cancel,  // clusterlaunchcontrol.query_cancel
    last = query_cancel,
};

// What an operand is. The box of its form says so by the operand's name (rows.h), which stands beside each.
enum class Role : uint8_t {
    none,           // no operand of an instruction: an element of a vector, the value of an expectation
    result,         // d, p: the register that is written; `_`: none
    source,         // a, b: a value; where there are several, in the box's order
    compare,        // cas: what the memory must hold
    swap,           // cas: what it then gets
    predicate,      // c of selp and of bar.red
    address,        // [a]: the memory that is accessed
    copy_to,        // [dst], [dstMem]: where a copy writes
    copy_from,      // [src], [srcMem]: what it reads
    size,           // size, cp-size: how many bytes a copy writes
    source_size,    // src-size: the bytes that are read, the rest being zeros
    byte_mask,      // byteMask: of a bulk copy
    cta_mask,       // ctaMask: of a multicast
    member_mask,    // membermask: lanes of the warp
    mbarrier,       // [mbar]: an mbarrier object
    count,          // a number of arrivals
    tx_count,       // txCount: a number of bytes
    state,          // what an arrival returned
    parity,         // phaseParity
    time_hint,      // suspendTimeHint
    groups,         // N: the groups that may stay pending
    barrier,        // the number of a barrier; the column format has two
    threads,        // how many take part in it
    label,          // tgt
    policy,         // cache-policy: accepted and left out
    accumulator,    // d of wgmma.mma_async: registers that are read and written
    fragment,       // a: registers that hold part of a matrix
    matrix,         // [a_desc], [b_desc]: a matrix in shared memory
    scale_d,        // whether the accumulator is read
    scale,          // imm-scale-a: 1 or -1
    transpose,      // imm-trans-a: 0 or 1
    tensor,         // [tensorMap, tensorCoords]: a place in a tensor in global memory
    image,          // im2colInfo: offsets to W, H and D
    tensor_memory,  // [taddr]: tensor memory
    scales,         // [scale_a], [scale_b]: tensor memory that holds the factors of blocks of a matrix
    metadata,       // [sp_meta]: tensor memory that says where the elements of a sparse matrix stand
    column_mask,    // zero-column-mask: columns of B that are taken as zeros
    ordinal,        // ord: which of the numbers of a field of a tensor map
    tile,           // r of tcgen05.ld: registers that are written
    descriptor,     // idesc: the shape of tcgen05.mma
    exponent,       // scale-input-d: 0 to 15
    columns,        // nCols: of tensor memory
    initial,        // initval of st.bulk: 0
    response,       // try_cancel_response: a register of 128 bits that holds an answer
};

// Whether it is the address of memory or of an object in it.
bool is_address(Role role);
// Whether the instruction writes the registers of such an operand, or reads them. An accumulator is both.
bool is_written(Role role);
bool is_read(Role role);

struct Operand {
    enum class Kind : uint8_t {
        reg,        // name
        immediate,  // value (bits; negative integers in two's complement of 64 bits)
        address,    // [name + offset]: name is a location or, when `indirect`, a register
        vector,     // elements
        sink,       // _
        label,      // name
        symbol,     // a location's name used as a value: mov.u64 r0, x;
        tensor,     // [name, {elements}]: a tensor map and coordinates
    };
    Kind kind = Kind::reg;
    Role role = Role::none;
    std::string name;       // of a register, location or label; of an immediate: the special register (ISA 10) whose value it is
    uint64_t value = 0;     // immediate
    bool is_float = false;  // immediate written as a float: `value` holds an f32/f64/f16 bit pattern of the type in use
    bool negated = false;   // reg: the predicate's complement, `!c` of bar.red
    bool indirect = false;  // address: `name` is a register
    int64_t offset = 0;     // address: bytes
    int cta = -1;           // address, symbol: instance named with name@ctaN; -1: not named
    std::vector<Operand> elements;
    TextSpan span;
    friend bool operator==(const Operand&, const Operand&) = default;
};

// A register of 128 bits is a vector that has a name: of the two registers of 64 bits that it is made of, `q.lo` and `q.hi`.
bool is_wide(const Operand& operand);
// Makes one of a register.
void widen(Operand& reg);

struct Guard {
    std::string reg;
    bool negated = false;
    friend bool operator==(const Guard&, const Guard&) = default;
};

// `await ld... r0, [x] == 1;` and `ld.weak r0, [x] == 2;` of the braces format: the value read must
// compare as written for the execution to count.
struct Expectation {
    Operator comparison = Operator::none;
    Operand value;  // immediate or register
    friend bool operator==(const Expectation&, const Expectation&) = default;
};

struct Form;

// The row of the table that an instruction has. Null in the foreign formats, which leave out what PTX must have.
struct FormOf {
    const Form* form = nullptr;
};

// A line of the CUDA source that an instruction was compiled from, as `.loc` gives it (ISA 11.5.4).
struct CudaLine {
    int file = 0;    // key of Test::files
    int line = 0;    // from 1; 0: not known
    int column = 0;  // from 1; 0: not known
};

// Whether the text where an instruction was written is its own. It is not where it stands for the same instruction of several
// threads (`thread W[3]`) or in the quotes of an `asm` statement.
struct Wording {
    bool own = true;
};

struct Instruction {
    Op op{};
    Uncompared<FormOf> row;               // follows from what comes next, and from hints that are left out
    std::string mnemonic;                 // canonical text before the qualifiers: "ld", "bar.sync", "fence.proxy"
    std::vector<std::string> qualifiers;  // without dots, in the ISA's order: "relaxed" "gpu" "global" "u32"
    std::vector<Operand> operands;
    std::optional<Guard> guard;
    bool await = false;
    std::optional<Expectation> expect;
    std::vector<std::string> labels;  // labels that stand before this instruction
    Uncompared<CudaLine> origin;      // changes nothing that the instruction means
    TextSpan span;
    TextSpan spelled;  // mnemonic and qualifiers, as written
    Uncompared<Wording> wording;

    bool has(std::string_view qualifier) const;
    // The n-th operand in this role; null where there is none.
    const Operand* find(Role role, size_t nth = 0) const;
    // The n-th operand in this role, of an instruction that must have it; throws std::out_of_range otherwise.
    const Operand& at(Role role, size_t nth = 0) const;
    Operand& at(Role role, size_t nth = 0);
    friend bool operator==(const Instruction&, const Instruction&) = default;
};

enum class Sem : uint8_t { weak, relaxed, acquire, release, acq_rel, sc };
enum class Scope : uint8_t { none, cta, cluster, gpu, sys };
enum class Proxy : uint8_t { generic, async, surface, texture, constant, tensor, tensormap };  // tensor: of tensor memory (ISA 9.7.16.6)

// Defaults as model/semantics.md section 2: ld/st weak; atom/red relaxed.gpu; fence acq_rel; volatile is
// relaxed.sys; membar.{cta,gl,sys} is fence.sc.{cta,gpu,sys}; barrier.cluster.arrive release; mbarrier arrivals
// release.cta, waits acquire.cta, expect_tx and complete_tx relaxed.cta; the reductions of cp.reduce.async.bulk
// relaxed.gpu. What is said is the operation's own: the completion of an asynchronous one is not meant.
Sem semantics(const Instruction& instruction);
Scope scope(const Instruction& instruction);
// The proxy of the data accesses; of a proxy fence, the one that it orders with the generic proxy.
Proxy proxy(const Instruction& instruction);
// The data type; u32 where the foreign formats leave it out.
Type data_type(const Instruction& instruction);
// The type converted from (cvt.dtype.atype); elsewhere the data type.
Type source_type(const Instruction& instruction);
// The width of a special register (ISA 10) whose value nobody knows: a clock, or the number of a multiprocessor. None: another one.
std::optional<int> width_of_unknown(std::string_view special_register);
// 1, 2, 4 or 8 elements (.v2 ...); 1 when scalar.
int vector_width(const Instruction& instruction);
// Of add and the like, atom, red, red.async, cp.reduce.async.bulk, redux.sync, bar.red; none otherwise.
Operator operation(const Instruction& instruction);

std::string_view name(Sem sem);
std::string_view name(Scope scope);
std::string_view name(Proxy proxy);

}  // namespace litmus
