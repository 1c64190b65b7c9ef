// One PTX instruction as parsed: opcode, qualifiers in the ISA's order, operands, guard.
//
// The text of each form (syntax box, versions, legality) lives in table.h; here is what the rest of
// the pipeline reads. Accessors below decode qualifiers and apply the ISA's defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
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
    add,
    sub,
    mul,
    and_,
    or_,
    xor_,
    not_,
    neg,
    shl,
    shr,
    min,
    max,
    cvt,
    setp,
    selp,
    bra,   // bra L; in the foreign formats also beq/bne a, b, L
    exit,  // exit, ret

    // Asynchronous operations and what completes them. Operands as in the ISA's boxes, hints left out;
    // [m] is an mbarrier object.
    red_async,               // [a], b, [m]   or, with release semantics, [a], b
    st_async,                // [a], b|{..}, [m]   or [a], b
    bulk_reduce,             // cp.reduce.async.bulk [dst], [src], size{, [m]}
    bulk_copy,               // cp.async.bulk [dst], [src], size{, [m]}{, cta mask}
    bulk_commit,             // cp.async.bulk.commit_group
    bulk_wait,               // cp.async.bulk.wait_group{.read} N
    async_copy,              // cp.async [dst], [src], size{, size of the source}
    async_commit,            // cp.async.commit_group
    async_wait,              // cp.async.wait_group N, cp.async.wait_all
    async_arrive,            // cp.async.mbarrier.arrive{.noinc} [m]
    mbarrier_init,           // [m], count
    mbarrier_inval,          // [m]
    mbarrier_expect_tx,      // [m], bytes
    mbarrier_complete_tx,    // [m], bytes
    mbarrier_arrive,         // d|_, [m]{, count}; .expect_tx: d|_, [m], bytes; .noComplete: d, [m], count
    mbarrier_arrive_drop,    // the same
    mbarrier_test_wait,      // p, [m], state or parity; awaited: [m], state or parity
    mbarrier_try_wait,       // the same{, time hint}
    mbarrier_pending_count,  // d, state
    redux_sync,              // d, a, member mask
};

struct Operand {
    enum class Kind : uint8_t {
        reg,        // name
        immediate,  // value (bits; negative integers in two's complement of 64 bits)
        address,    // [name + offset]: name is a location or, when `indirect`, a register
        vector,     // elements
        sink,       // _
        label,      // name
        symbol,     // a location's name used as a value: mov.u64 r0, x;
    };
    Kind kind = Kind::reg;
    std::string name;
    uint64_t value = 0;     // immediate
    bool is_float = false;  // immediate written as a float: `value` holds an f32/f64/f16 bit pattern of the type in use
    bool negated = false;   // reg: the predicate's complement, `!c` of bar.red
    bool indirect = false;  // address: `name` is a register
    int64_t offset = 0;     // address: bytes
    int cta = -1;           // address, symbol: instance named with name@ctaN; -1: not named
    std::vector<Operand> elements;
    Place span;
    friend bool operator==(const Operand&, const Operand&) = default;
};

struct Guard {
    std::string reg;
    bool negated = false;
    friend bool operator==(const Guard&, const Guard&) = default;
};

// `await ld... r0, [x] == 1;` and `ld.weak r0, [x] == 2;` of the braces format: the value read must
// compare as written for the execution to count.
struct Expectation {
    std::string comparison;  // "==" "!=" "<" "<=" ">" ">="
    Operand value;           // immediate or register
    friend bool operator==(const Expectation&, const Expectation&) = default;
};

struct Instruction {
    Op op{};
    std::string mnemonic;                 // canonical text before the qualifiers: "ld", "bar.sync", "fence.proxy"
    std::vector<std::string> qualifiers;  // without dots, in the ISA's order: "relaxed" "gpu" "global" "u32"
    std::vector<Operand> operands;
    std::optional<Guard> guard;
    bool await = false;
    std::optional<Expectation> expect;
    std::vector<std::string> labels;  // labels that stand before this instruction
    Place span;

    bool has(std::string_view qualifier) const;
    friend bool operator==(const Instruction&, const Instruction&) = default;
};

enum class Sem : uint8_t { weak, relaxed, acquire, release, acq_rel, sc };
enum class Scope : uint8_t { none, cta, cluster, gpu, sys };
enum class Proxy : uint8_t { generic, async, surface, texture, constant };

// Defaults as model/semantics.md section 2: ld/st weak; atom/red relaxed.gpu; fence acq_rel; volatile is
// relaxed.sys; membar.{cta,gl,sys} is fence.sc.{cta,gpu,sys}; barrier.cluster.arrive release; mbarrier arrivals
// release.cta, waits acquire.cta, expect_tx and complete_tx relaxed.cta; the reductions of cp.reduce.async.bulk
// relaxed.gpu. What is said is the operation's own: the completion of an asynchronous one is not meant.
Sem semantics(const Instruction& instruction);
Scope scope(const Instruction& instruction);
// Of the data accesses; for a proxy fence, the proxy that it orders with the generic one.
Proxy proxy(const Instruction& instruction);
// The data type; u32 where the foreign formats leave it out.
Type data_type(const Instruction& instruction);
// The type converted from (cvt.dtype.atype); elsewhere the data type.
Type source_type(const Instruction& instruction);
// 1, 2, 4 or 8 elements (.v2 ...); 1 when scalar.
int vector_width(const Instruction& instruction);
// "add", "cas", "inc" ... of atom, red, red.async, cp.reduce.async.bulk, redux.sync, bar.red; empty otherwise.
std::string_view operation(const Instruction& instruction);

std::string_view name(Sem sem);
std::string_view name(Scope scope);
std::string_view name(Proxy proxy);

}  // namespace litmus
