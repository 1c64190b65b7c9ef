// The rows of the instruction table (table.h): the one place that says what PTX has.
//
// Notation, as in the ISA's syntax boxes: `.word` is a slot that must be filled, `{.word}` one that may
// be; a word that names a set stands for any of its members, another word for itself. Sets are written
// `.scope = { .cta, .cluster@7.8/90 }`; `@7.8/90` says that this member needs PTX 7.8 and sm_90.
// A row's own sets follow its box; the common ones are below. A row with several cases stands for one
// form per case. Operands: the name says what an operand is (`operand_roles` below), `name=role` where the ISA's
// name does not; `d` and `p` are written, `[a]` is an address, others are read; `name:type`
// gives an operand a type other than the instruction's, `name:constant` asks for a number,
// `name:sign` for one that may be negative; `[map, coords]` is a tensor map with coordinates; `d|_` allows
// the sink and `_` nothing else, `a|avar` a location's address, `[a_desc]|a` a matrix in registers, `{!}c` the complement of a predicate,
// `{, b}` an optional operand. `{.sem.scope}` are two slots that are filled together. `/100a` is the
// architecture's own target.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "ptx/table.h"

namespace litmus::rows {

// clang-format off
inline constexpr std::string_view common_sets = R"(
    .scope = { .cta, .cluster@7.8/90, .gpu, .sys };
    .ss = { .global, .shared, .shared::cta@7.8/70, .shared::cluster@7.8/90 };
    .space = { .global, .shared, .shared::cta@7.8/70, .shared::cluster@7.8/90 };
    .level::cache_hint = { .L2::cache_hint@7.4/80 };
    .level::prefetch_size = { .L2::64B@7.4/75, .L2::128B@7.4/75, .L2::256B@7.4/80 };
    .level1::eviction_priority = { .L1::evict_normal@7.4/70, .L1::evict_unchanged@7.4/70, .L1::evict_first@7.4/70,
                                   .L1::evict_last@7.4/70, .L1::no_allocate@7.4/70 };
    .level2::eviction_priority = { .L2::evict_normal@8.8/100, .L2::evict_first@8.8/100, .L2::evict_last@8.8/100 };
    .integer = { .u16, .u32, .u64, .s16, .s32, .s64 };
    .unsigned = { .u16, .u32, .u64 };
    .bits = { .b16, .b32, .b64 };
    .logic = { .pred, .b16, .b32, .b64 };
    .any = { .pred, .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
    .float = { .f16, .f16x2, .bf16, .bf16x2, .f32, .f32x2, .f64 };
)";

// What an operand is, by its name in the boxes or by what stands behind `=`.
struct OperandRole {
    std::string_view name;
    Role role;
};
inline constexpr std::array operand_roles = {
    OperandRole{"d", Role::result},
    OperandRole{"p", Role::result},
    OperandRole{"_", Role::result},
    OperandRole{"a", Role::source},
    OperandRole{"b", Role::source},
    OperandRole{"c", Role::source},
    OperandRole{"compare", Role::compare},
    OperandRole{"swap", Role::swap},
    OperandRole{"predicate", Role::predicate},
    OperandRole{"[a]", Role::address},
    OperandRole{"[addr]", Role::address},
    OperandRole{"[dst]", Role::copy_to},
    OperandRole{"[dstMem]", Role::copy_to},
    OperandRole{"[src]", Role::copy_from},
    OperandRole{"[srcMem]", Role::copy_from},
    OperandRole{"size", Role::size},
    OperandRole{"cp-size", Role::size},
    OperandRole{"src-size", Role::source_size},
    OperandRole{"byteMask", Role::byte_mask},
    OperandRole{"ctaMask", Role::cta_mask},
    OperandRole{"membermask", Role::member_mask},
    OperandRole{"[mbar]", Role::mbarrier},
    OperandRole{"count", Role::count},
    OperandRole{"txCount", Role::tx_count},
    OperandRole{"state", Role::state},
    OperandRole{"phaseParity", Role::parity},
    OperandRole{"suspendTimeHint", Role::time_hint},
    OperandRole{"N", Role::groups},
    OperandRole{"barrier", Role::barrier},
    OperandRole{"threads", Role::threads},
    OperandRole{"tgt", Role::label},
    OperandRole{"cache-policy", Role::policy},
    OperandRole{"accumulator", Role::accumulator},
    OperandRole{"[a_desc]", Role::matrix},
    OperandRole{"[b_desc]", Role::matrix},
    OperandRole{"scale-d", Role::scale_d},
    OperandRole{"imm-scale-a", Role::scale},
    OperandRole{"imm-scale-b", Role::scale},
    OperandRole{"imm-trans-a", Role::transpose},
    OperandRole{"imm-trans-b", Role::transpose},
    OperandRole{"[tensorMap, tensorCoords]", Role::tensor},
    OperandRole{"im2colInfo", Role::image},
    OperandRole{"[d_tmem]", Role::tensor_memory},
    OperandRole{"[taddr]", Role::tensor_memory},
    OperandRole{"taddr", Role::source},
    OperandRole{"[s_desc]", Role::matrix},
    OperandRole{"r", Role::tile},
    OperandRole{"tile", Role::tile},
    OperandRole{"fragment", Role::fragment},
    OperandRole{"[scale_a]", Role::scales},
    OperandRole{"[scale_b]", Role::scales},
    OperandRole{"[sp_meta]", Role::metadata},
    OperandRole{"zero-column-mask", Role::column_mask},
    OperandRole{"idesc", Role::descriptor},
    OperandRole{"enable-input-d", Role::scale_d},
    OperandRole{"scale-input-d", Role::exponent},
    OperandRole{"new_val", Role::source},
    OperandRole{"ord", Role::ordinal},
    OperandRole{"nCols", Role::columns},
    OperandRole{"initval", Role::initial},
    OperandRole{"try_cancel_response", Role::response},
};

// What a row stands for besides its box: sets that differ from one form to the next.
class Cases {
public:
    constexpr Cases(std::initializer_list<std::string_view> cases) : count_(cases.size()) {
        std::copy(cases.begin(), cases.end(), cases_.begin());
    }
    constexpr const std::string_view* begin() const { return cases_.data(); }
    constexpr const std::string_view* end() const { return cases_.data() + count_; }
    constexpr std::string_view operator[](size_t i) const { return cases_.at(i); }

private:
    std::array<std::string_view, 8> cases_{};
    size_t count_ = 0;
};

struct Row {
    std::optional<Op> op;
    std::string_view section;
    Version least;
    std::string_view mnemonic;
    std::string_view box;  // and sets of its own
    Cases cases = {""};
};

inline constexpr std::optional<Op> later = std::nullopt;  // known, not modelled yet

// Which vectors of which types: a vector is at most 16 bytes, 32 in global memory from sm_100 on.
inline constexpr std::string_view narrow_vectors =
    ".vec = { .v2, .v4 }; .type = { .b8, .b16, .b32, .u8, .u16, .u32, .s8, .s16, .s32, .f32 }";
inline constexpr std::string_view wide_vectors = ".vec = { .v2 }; .type = { .b64, .u64, .s64, .f64 }";
inline constexpr std::string_view eight_vectors = ".vec = { .v8 }; .type = { .b32, .u32, .s32, .f32 }";
inline constexpr std::string_view four_vectors = ".vec = { .v4 }; .type = { .b64, .u64, .s64, .f64 }";
inline constexpr std::string_view scalars = ".type = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 }";

// Which atomic operations take which types. ISA 9.7.13.5 lists operations and types apart; the pairs are the assembler's.
inline constexpr std::string_view logic_pairs = ".op = { .and, .or, .xor }; .type = { .b32, .b64 }";
inline constexpr std::string_view add_pairs = ".op = { .add }; .type = { .u32, .s32, .u64 }";
inline constexpr std::string_view step_pairs = ".op = { .inc, .dec }; .type = { .u32 }";
inline constexpr std::string_view order_pairs = ".op = { .min, .max }; .type = { .u32, .s32, .u64, .s64 }";

inline std::span<const Row> load_store_rows() {
    constexpr Cases usual = {narrow_vectors, wide_vectors};
    constexpr Cases long_ones = {eight_vectors, four_vectors};
    static constexpr Row rows[] = {
        {Op::ld, "9.7.9.8", {60, 70}, "ld",
         "ld{.weak}{.ss}{.cop}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy}; "
         ".cop = { .ca, .cg, .cs, .lu, .cv }",
         usual},
        {Op::ld, "9.7.9.8", {60, 70}, "ld",
         "ld{.weak}{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.level::prefetch_size}{.vec}.type "
         "d, [a]{, cache-policy}",
         usual},
        {Op::ld, "9.7.9.8", {60, 70}, "ld", "ld.volatile{.ss}{.level::prefetch_size}{.vec}.type d, [a]", usual},
        {Op::ld, "9.7.9.8", {60, 70}, "ld",
         "ld.sem.scope{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.level::prefetch_size}{.vec}.type "
         "d, [a]{, cache-policy}; .sem = { .relaxed, .acquire }",
         usual},
        {Op::ld, "9.7.9.8", {82, 70}, "ld", "ld.mmio.relaxed.sys{.global}.type d, [a]", {scalars}},
        {Op::ld, "9.7.9.8", {88, 100}, "ld",
         "ld{.weak}{.global}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.level::prefetch_size}.vec.type "
         "d|_, [a]{, cache-policy}",
         long_ones},
        {Op::ld, "9.7.9.8", {88, 100}, "ld",
         "ld.sem.scope{.global}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}"
         "{.level::prefetch_size}.vec.type d|_, [a]{, cache-policy}; .sem = { .relaxed, .acquire }",
         long_ones},
        {Op::ld, "9.7.9.8", {83, 70}, "ld", "ld{.order}{.ss}.b128 d, [a]; .order = { .weak, .volatile }"},
        {Op::ld, "9.7.9.8", {83, 70}, "ld",
         "ld{.weak}{.ss}{.cop}{.level::cache_hint}{.level::prefetch_size}.b128 d, [a]{, cache-policy}; .cop = { .ca, .cg, .cs, .lu, .cv }"},
        {Op::ld, "9.7.9.8", {83, 70}, "ld",
         "ld{.weak}{.ss}{.level1::eviction_priority}{.level::cache_hint}{.level::prefetch_size}.b128 d, [a]{, cache-policy}"},
        {Op::ld, "9.7.9.8", {83, 70}, "ld", "ld.sem.scope{.ss}.b128 d, [a]; .sem = { .relaxed, .acquire }; .scope = { .cta, .cluster@7.8/90, .gpu, .sys@8.4/70 }"},
        {Op::ld, "9.7.9.8", {84, 70}, "ld", "ld.mmio.relaxed.sys{.global}.b128 d, [a]"},
        {later, "9.7.9.8", {60, 70}, "ld",
         "ld{.weak}.ss{.cop}{.vec}.type d, [a]; .cop = { .ca, .cg, .cs, .lu, .cv }; "
         ".ss = { .const, .local, .param, .param::entry, .param::func }",
         usual},

        {Op::st, "9.7.9.11", {60, 70}, "st",
         "st{.weak}{.ss}{.cop}{.level::cache_hint}{.vec}.type [a], b{, cache-policy}; .cop = { .wb, .cg, .cs, .wt }",
         usual},
        {Op::st, "9.7.9.11", {60, 70}, "st",
         "st{.weak}{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.vec}.type [a], b{, cache-policy}",
         usual},
        {Op::st, "9.7.9.11", {60, 70}, "st", "st.volatile{.ss}{.vec}.type [a], b", usual},
        {Op::st, "9.7.9.11", {60, 70}, "st",
         "st.sem.scope{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.vec}.type "
         "[a], b{, cache-policy}; .sem = { .relaxed, .release }",
         usual},
        {Op::st, "9.7.9.11", {82, 70}, "st", "st.mmio.relaxed.sys{.global}.type [a], b", {scalars}},
        {Op::st, "9.7.9.11", {88, 100}, "st",
         "st{.weak}{.global}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}.vec.type [a], b|_{, cache-policy}",
         long_ones},
        {Op::st, "9.7.9.11", {88, 100}, "st",
         "st.sem.scope{.global}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}.vec.type "
         "[a], b|_{, cache-policy}; .sem = { .relaxed, .release }",
         long_ones},
        {Op::st, "9.7.9.11", {83, 70}, "st", "st{.order}{.ss}.b128 [a], b; .order = { .weak, .volatile }"},
        {Op::st, "9.7.9.11", {83, 70}, "st", "st.sem.scope{.ss}.b128 [a], b; .sem = { .relaxed, .release }; .scope = { .cta, .cluster@7.8/90, .gpu, .sys@8.4/70 }"},
        {Op::st, "9.7.9.11", {84, 70}, "st", "st.mmio.relaxed.sys{.global}.b128 [a], b"},
        {later, "9.7.9.11", {60, 70}, "st",
         "st{.weak}.ss{.cop}{.vec}.type [a], b; .cop = { .wb, .cg, .cs, .wt }; .ss = { .local, .param, .param::func }",
         usual},
    };
    return rows;
}

inline std::span<const Row> atomic_rows() {
    static constexpr Row rows[] = {
        {Op::atom, "9.7.13.5", {60, 70}, "atom",
         "atom{.sem}{.scope}{.space}.op{.level::cache_hint}.type d|_, [a], b{, cache-policy}; "
         ".sem = { .relaxed, .acquire, .release, .acq_rel }",
         {add_pairs, logic_pairs, step_pairs, order_pairs, ".op = { .exch }; .type = { .b32, .b64 }"}},
        {Op::atom, "9.7.13.5", {63, 70}, "atom",
         "atom{.sem}{.scope}{.space}.cas.type d|_, [a], b=compare, c=swap; .type = { .b16, .b32, .b64 }; "
         ".sem = { .relaxed, .acquire, .release, .acq_rel }"},
        {Op::atom, "9.7.13.5", {83, 90}, "atom",
         "atom{.sem}{.scope}{.space}.cas.b128 d|_, [a], b=compare, c=swap; .sem = { .relaxed, .acquire, .release, .acq_rel }; "
         ".scope = { .cta, .cluster, .gpu, .sys@8.4/90 }"},
        {Op::atom, "9.7.13.5", {83, 90}, "atom",
         "atom{.sem}{.scope}{.space}.exch{.level::cache_hint}.b128 d|_, [a], b{, cache-policy}; "
         ".sem = { .relaxed, .acquire, .release, .acq_rel }; .scope = { .cta, .cluster, .gpu, .sys@8.4/90 }"},
        {Op::atom, "9.7.13.5", {60, 70}, "atom",
         "atom{.sem}{.scope}{.space}.add{.level::cache_hint}.type d|_, [a], b{, cache-policy}; .type = { .f32, .f64 }; "
         ".sem = { .relaxed, .acquire, .release, .acq_rel }"},
        {Op::atom, "9.7.13.5", {63, 70}, "atom",
         "atom{.sem}{.scope}{.space}.add.noftz{.level::cache_hint}.type d|_, [a], b{, cache-policy}; "
         ".type = { .f16, .f16x2, .bf16@7.8/90, .bf16x2@7.8/90 }; .sem = { .relaxed, .acquire, .release, .acq_rel }"},
        {Op::atom, "9.7.13.5", {81, 90}, "atom",
         "atom{.sem}{.scope}{.global}.add{.level::cache_hint}.vec_32_bit.f32 d|_, [a], b{, cache-policy}; .vec_32_bit = { .v2, .v4 }; "
         ".sem = { .relaxed, .acquire, .release, .acq_rel }"},
        {Op::atom, "9.7.13.5", {81, 90}, "atom",
         "atom{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.type d|_, [a], b{, cache-policy}; .op = { .add, .min, .max }; "
         ".sem = { .relaxed, .acquire, .release, .acq_rel }",
         {".vec = { .v2, .v4, .v8 }; .type = { .f16, .bf16 }", ".vec = { .v2, .v4 }; .type = { .f16x2, .bf16x2 }"}},

        {Op::red, "9.7.13.6", {60, 70}, "red",
         "red{.sem}{.scope}{.space}.op{.level::cache_hint}.type [a], b{, cache-policy}; .sem = { .relaxed, .release }",
         {add_pairs, logic_pairs, step_pairs, order_pairs}},
        {Op::red, "9.7.13.6", {60, 70}, "red",
         "red{.sem}{.scope}{.space}.add{.level::cache_hint}.type [a], b{, cache-policy}; .type = { .f32, .f64 }; "
         ".sem = { .relaxed, .release }"},
        {Op::red, "9.7.13.6", {63, 70}, "red",
         "red{.sem}{.scope}{.space}.add.noftz{.level::cache_hint}.type [a], b{, cache-policy}; "
         ".type = { .f16, .f16x2, .bf16@7.8/90, .bf16x2@7.8/90 }; .sem = { .relaxed, .release }"},
        {Op::red, "9.7.13.6", {81, 90}, "red",
         "red{.sem}{.scope}{.global}.add{.level::cache_hint}.vec_32_bit.f32 [a], b{, cache-policy}; .vec_32_bit = { .v2, .v4 }; "
         ".sem = { .relaxed, .release }"},
        {Op::red, "9.7.13.6", {81, 90}, "red",
         "red{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.type [a], b{, cache-policy}; .op = { .add, .min, .max }; "
         ".sem = { .relaxed, .release }",
         {".vec = { .v2, .v4, .v8 }; .type = { .f16, .bf16 }", ".vec = { .v2, .v4 }; .type = { .f16x2, .bf16x2 }"}},
    };
    return rows;
}

// The asynchronous reductions, stores and copies, and what waits for them. The pairs of operation and type are those
// of the pages' tables.
inline std::span<const Row> asynchronous_rows() {
    constexpr Cases shared_pairs = {
        ".op = { .add }; .type = { .u32, .s32, .u64 }",
        ".op = { .min, .max }; .type = { .u32, .s32 }",
        ".op = { .inc, .dec }; .type = { .u32 }",
        ".op = { .and, .or, .xor }; .type = { .b32 }",
    };
    constexpr Cases short_vectors = {".vec = { .v2, .v4 }; .type = { .b32, .u32, .s32, .f32 }", wide_vectors};
    static constexpr Row rows[] = {
        {Op::red_async, "9.7.13.7", {81, 90}, "red.async",
         "red.async.relaxed.cluster{.shared::cluster}{.mbarrier::complete_tx::bytes}.op.type [a], b, [mbar]", shared_pairs},
        {Op::red_async, "9.7.13.7", {87, 100}, "red.async",
         "red.async.release.scope{.global}.add.type [a], b; .scope = { .gpu, .sys }; .type = { .u32, .s32, .u64, .s64 }"},
        {Op::red_async, "9.7.13.7", {87, 100}, "red.async",
         "red.async.mmio.release.sys{.global}.add.type [a], b; .type = { .u32, .s32, .u64, .s64 }"},

        {Op::st_async, "9.7.9.12", {81, 90}, "st.async",
         "st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.vec}.type [a], b, [mbar]", short_vectors},
        {Op::st_async, "9.7.9.12", {87, 100}, "st.async",
         "st.async.cluster{.shared::cluster}.mbarrier::complete_tx::bytes{.vec}.type [a], b, [mbar]", short_vectors},
        {Op::st_async, "9.7.9.12", {87, 100}, "st.async",
         "st.async.release.scope{.global}.type [a], b; .scope = { .gpu, .sys }",
         {scalars}},
        {Op::st_async, "9.7.9.12", {87, 100}, "st.async", "st.async.mmio.release.sys{.global}.type [a], b", {scalars}},

        {Op::bulk_reduce, "9.7.9.25.4.2", {80, 90}, "cp.reduce.async.bulk",
         "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [dstMem], [srcMem], size:u32, [mbar]",
         shared_pairs},
        {Op::bulk_reduce, "9.7.9.25.4.2", {80, 90}, "cp.reduce.async.bulk",
         "cp.reduce.async.bulk.global.shared::cta.bulk_group{.level::cache_hint}.op.type [dstMem], [srcMem], size:u32{, cache-policy}",
         {".op = { .add }; .type = { .u32, .s32, .u64, .f32, .f64 }",
          ".op = { .min, .max }; .type = { .u32, .s32, .u64, .s64, .f16, .bf16 }", ".op = { .inc, .dec }; .type = { .u32 }",
          ".op = { .and, .or, .xor }; .type = { .b32, .b64 }"}},
        {Op::bulk_reduce, "9.7.9.25.4.2", {80, 90}, "cp.reduce.async.bulk",
         "cp.reduce.async.bulk.global.shared::cta.bulk_group{.level::cache_hint}.add.noftz.type "
         "[dstMem], [srcMem], size:u32{, cache-policy}; .type = { .f16, .bf16 }"},

        {Op::bulk_copy, "9.7.9.25.4.1", {86, 90}, "cp.async.bulk",
         "cp.async.bulk{.weak}.shared::cta.global.mbarrier::complete_tx::bytes{.level::cache_hint} "
         "[dstMem], [srcMem], size:u32, [mbar]{, cache-policy}; .weak = { .weak@9.3/90a }"},
        {Op::bulk_copy, "9.7.9.25.4.1", {80, 90}, "cp.async.bulk",
         "cp.async.bulk{.weak}.shared::cluster.global.mbarrier::complete_tx::bytes{.level::cache_hint} "
         "[dstMem], [srcMem], size:u32, [mbar]{, cache-policy}; .weak = { .weak@9.3/90a }"},
        {Op::bulk_copy, "9.7.9.25.4.1", {80, 90}, "cp.async.bulk",
         "cp.async.bulk{.weak}.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{.level::cache_hint} "
         "[dstMem], [srcMem], size:u32, [mbar], ctaMask:u16{, cache-policy}; .weak = { .weak@9.3/90a }"},
        {Op::bulk_copy, "9.7.9.25.4.1", {80, 90}, "cp.async.bulk",
         "cp.async.bulk{.weak}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dstMem], [srcMem], size:u32, [mbar]; "
         ".weak = { .weak@9.3/90a }"},
        {Op::bulk_copy, "9.7.9.25.4.1", {80, 90}, "cp.async.bulk",
         "cp.async.bulk{.weak}.global.shared::cta.bulk_group{.level::cache_hint} [dstMem], [srcMem], size:u32{, cache-policy}; "
         ".weak = { .weak@9.3/90a }"},
        // elements of 16 bytes, which nothing that is modelled accesses as a whole
        {later, "9.7.9.25.4.1", {93, 90, true}, "cp.async.bulk",
         "cp.async.bulk.relaxed.scope.dst.global.mbarrier::complete_tx::bytes{.level::cache_hint}.b128 "
         "[dstMem], [srcMem], size:u32, [mbar]{, cache-policy}; .dst = { .shared::cta, .shared::cluster }"},
        {later, "9.7.9.25.4.1", {93, 90, true}, "cp.async.bulk",
         "cp.async.bulk.relaxed.scope.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{.level::cache_hint}.b128 "
         "[dstMem], [srcMem], size:u32, [mbar], ctaMask:u16{, cache-policy}"},
        {later, "9.7.9.25.4.1", {93, 90, true}, "cp.async.bulk",
         "cp.async.bulk.relaxed.scope.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128 [dstMem], [srcMem], size:u32, [mbar]; "
         ".scope = { .cta, .cluster }"},
        {later, "9.7.9.25.4.1", {93, 90, true}, "cp.async.bulk",
         "cp.async.bulk.relaxed.scope.global.shared::cta.bulk_group{.level::cache_hint}.b128 [dstMem], [srcMem], size:u32{, cache-policy}"},
        {later, "9.7.9.25.4.1", {92, 90}, "cp.async.bulk",
         "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.level::cache_hint}.ignore_oob "
         "[dstMem], [srcMem], size:u32, b:u32, c:u32, [mbar]{, cache-policy}"},
        {later, "9.7.9.25.4.1", {86, 100}, "cp.async.bulk",
         "cp.async.bulk.global.shared::cta.bulk_group{.level::cache_hint}.cp_mask "
         "[dstMem], [srcMem], size:u32{, cache-policy}, byteMask:u16"},
        {Op::bulk_commit, "9.7.9.27.2.1", {80, 90}, "cp.async.bulk.commit_group", "cp.async.bulk.commit_group"},
        {Op::bulk_wait, "9.7.9.27.2.2", {80, 90}, "cp.async.bulk.wait_group", "cp.async.bulk.wait_group{.read} N:constant"},

        {Op::async_copy, "9.7.9.25.3.1", {70, 80}, "cp.async",
         "cp.async.cop.dst.global{.level::cache_hint}{.level::prefetch_size} [dst], [src], cp-size:constant{, src-size:u32}{, cache-policy}; "
         ".cop = { .ca, .cg }; .dst = { .shared, .shared::cta@7.8/80 }"},
        {Op::async_commit, "9.7.9.25.3.2", {70, 80}, "cp.async.commit_group", "cp.async.commit_group"},
        {Op::async_wait, "9.7.9.25.3.3", {70, 80}, "cp.async.wait_group", "cp.async.wait_group N:constant"},
        {Op::async_wait, "9.7.9.25.3.3", {70, 80}, "cp.async.wait_all", "cp.async.wait_all"},
        {Op::async_arrive, "9.7.13.15.15", {70, 80}, "cp.async.mbarrier.arrive",
         "cp.async.mbarrier.arrive{.noinc}{.space}.b64 [mbar]; .space = { .shared, .shared::cta@7.8/80 }"},
        {Op::redux_sync, "9.7.13.12", {70, 80}, "redux.sync",
         "redux.sync.op.type d, a, membermask:b32",
         {".op = { .add, .min, .max }; .type = { .u32, .s32 }", ".op = { .and, .or, .xor }; .type = { .b32 }"}},
        {Op::redux_sync, "9.7.13.12", {86, 100, true}, "redux.sync",
         "redux.sync.op{.abs}{.NaN}.f32 d, a, membermask:b32; .op = { .min, .max }"},
    };
    return rows;
}

// Operations on mbarrier objects (ISA 9.7.13.15). What is in the executing CTA's shared memory is written `.shared`,
// `.shared::cta` or with a generic address; an arrival elsewhere in the cluster returns no state.
inline std::span<const Row> mbarrier_rows() {
    constexpr std::string_view update = ".sem = { .relaxed }; .scope = { .cta, .cluster }";
    constexpr std::string_view arrive =
        ".sem = { .release@8.0/80, .relaxed@8.6/90 }; .scope = { .cta, .cluster@8.0/90 }; "
        ".space = { .shared, .shared::cta@7.8/80 }";
    constexpr std::string_view wait =
        ".sem = { .acquire@8.0/80, .relaxed@8.6/90 }; .scope = { .cta, .cluster@8.0/90 }; "
        ".space = { .shared, .shared::cta@7.8/80 }";
    constexpr std::string_view own = ".space = { .shared, .shared::cta@7.8/80 }";
    constexpr std::string_view own_release =
        ".sem = { .release@8.0/80 }; .scope = { .cta }; .space = { .shared, .shared::cta@7.8/80 }";
    static constexpr Row rows[] = {
        {Op::mbarrier_init, "9.7.13.15.9", {70, 80}, "mbarrier.init",
         "mbarrier.init{.layout}{.space}.b64 [mbar], count:u32; .layout = { .layout::v0@9.3/90, .layout::v1@9.3/90 }", {own}},
        {Op::mbarrier_inval, "9.7.13.15.10", {70, 80}, "mbarrier.inval", "mbarrier.inval{.space}.b64 [mbar]", {own}},
        {Op::mbarrier_expect_tx, "9.7.13.15.11", {80, 90}, "mbarrier.expect_tx",
         "mbarrier.expect_tx{.sem.scope}{.space}.b64 [mbar], txCount:u32; .space = { .shared, .shared::cta, .shared::cluster }", {update}},
        {Op::mbarrier_complete_tx, "9.7.13.15.12", {80, 90}, "mbarrier.complete_tx",
         "mbarrier.complete_tx{.sem.scope}{.space}.b64 [mbar], txCount:u32; .space = { .shared, .shared::cta, .shared::cluster }", {update}},

        {Op::mbarrier_arrive, "9.7.13.15.13", {70, 80}, "mbarrier.arrive",
         "mbarrier.arrive{.sem.scope}{.space}.b64 d|_, [mbar]{, count:u32@7.8/90}", {arrive}},
        {Op::mbarrier_arrive, "9.7.13.15.13", {80, 90}, "mbarrier.arrive",
         "mbarrier.arrive{.sem.scope}.shared::cluster.b64 _, [mbar]{, count:u32}", {arrive}},
        {Op::mbarrier_arrive, "9.7.13.15.13", {80, 90}, "mbarrier.arrive",
         "mbarrier.arrive.expect_tx{.sem.scope}{.space}.b64 d|_, [mbar], txCount:u32", {arrive}},
        {Op::mbarrier_arrive, "9.7.13.15.13", {80, 90}, "mbarrier.arrive",
         "mbarrier.arrive.expect_tx{.sem.scope}.shared::cluster.b64 _, [mbar], txCount:u32", {arrive}},
        {Op::mbarrier_arrive, "9.7.13.15.13", {70, 80}, "mbarrier.arrive",
         "mbarrier.arrive.noComplete{.sem.scope}{.space}.b64 d|_, [mbar], count:u32", {own_release}},

        {Op::mbarrier_arrive_drop, "9.7.13.15.14", {70, 80}, "mbarrier.arrive_drop",
         "mbarrier.arrive_drop{.sem.scope}{.space}.b64 d|_, [mbar]{, count:u32@7.8/90}", {arrive}},
        {Op::mbarrier_arrive_drop, "9.7.13.15.14", {80, 90}, "mbarrier.arrive_drop",
         "mbarrier.arrive_drop{.sem.scope}.shared::cluster.b64 _, [mbar]{, count:u32}", {arrive}},
        {Op::mbarrier_arrive_drop, "9.7.13.15.14", {80, 90}, "mbarrier.arrive_drop",
         "mbarrier.arrive_drop.expect_tx{.sem.scope}{.space}.b64 d|_, [mbar], txCount:u32", {arrive}},
        {Op::mbarrier_arrive_drop, "9.7.13.15.14", {80, 90}, "mbarrier.arrive_drop",
         "mbarrier.arrive_drop.expect_tx{.sem.scope}.shared::cluster.b64 _, [mbar], txCount:u32", {arrive}},
        {Op::mbarrier_arrive_drop, "9.7.13.15.14", {70, 80}, "mbarrier.arrive_drop",
         "mbarrier.arrive_drop.noComplete{.sem.scope}{.space}.b64 d|_, [mbar], count:u32", {own_release}},

        {Op::mbarrier_test_wait, "9.7.13.15.16", {70, 80}, "mbarrier.test_wait",
         "mbarrier.test_wait{.phase_type}{.sem.scope}{.space}.b64 p, [mbar], state:b64; .phase_type = { .phase_type::primary@9.3/90 }", {wait}},
        {Op::mbarrier_test_wait, "9.7.13.15.16", {71, 80}, "mbarrier.test_wait",
         "mbarrier.test_wait.parity{.phase_type}{.sem.scope}{.space}.b64 p, [mbar], phaseParity:u32; "
         ".phase_type = { .phase_type::primary@9.3/90, .phase_type::conditional@9.3/90 }", {wait}},
        {Op::mbarrier_try_wait, "9.7.13.15.16", {78, 90}, "mbarrier.try_wait",
         "mbarrier.try_wait{.phase_type}{.sem.scope}{.space}.b64 p, [mbar], state:b64{, suspendTimeHint:u32}; "
         ".phase_type = { .phase_type::primary@9.3/90 }", {wait}},
        {Op::mbarrier_try_wait, "9.7.13.15.16", {78, 90}, "mbarrier.try_wait",
         "mbarrier.try_wait.parity{.phase_type}{.sem.scope}{.space}.b64 p, [mbar], phaseParity:u32{, suspendTimeHint:u32}; "
         ".phase_type = { .phase_type::primary@9.3/90, .phase_type::conditional@9.3/90 }", {wait}},
        {Op::mbarrier_pending_count, "9.7.13.15.17", {70, 80}, "mbarrier.pending_count", "mbarrier.pending_count.b64 d:u32, state"},
    };
    return rows;
}

// An acquiring fence restricts itself to what the cluster shares, a releasing one to what the CTA does (ISA 9.7.13.4).
inline constexpr Cases restricted = {
    ".sem = { .acquire }; .sync_restrict = { .sync_restrict::shared::cluster }",
    ".sem = { .release }; .sync_restrict = { .sync_restrict::shared::cta }",
};

// The surface, texture and constant accesses of the mixed-proxy literature: PTX's own suld.b and tex
// name a geometry and are listed below as not modelled.
inline std::span<const Row> proxy_rows() {
    static constexpr Row rows[] = {
        {Op::suld, "8.6", {75, 70}, "suld", "suld{.weak}.type d, [a]", {scalars}},
        {Op::sust, "8.6", {75, 70}, "sust", "sust{.weak}.type [a], b", {scalars}},
        {Op::tld, "8.6", {75, 70}, "tld", "tld{.weak}.type d, [a]", {scalars}},
        {Op::ldc, "8.6", {75, 70}, "ldc", "ldc{.weak}.type d, [a]", {scalars}},
        {Op::fence_proxy, "9.7.13.4", {75, 70}, "fence.proxy", "fence.proxy.proxykind; .proxykind = { .alias }"},
        {Op::fence_proxy, "8.6", {75, 70}, "fence.proxy", "fence.proxy.proxykind; .proxykind = { .surface, .texture, .constant }"},
        {Op::fence_proxy, "9.7.13.4", {75, 70}, "membar.proxy", "membar.proxy.alias"},
        {Op::fence_proxy, "9.7.13.4", {80, 90}, "fence.proxy", "fence.proxy.async{.space}; .space = { .global, .shared::cta, .shared::cluster }"},
        {Op::fence_proxy, "9.7.13.4", {80, 90}, "membar.proxy", "membar.proxy.async{.space}; .space = { .global, .shared::cta, .shared::cluster }"},
        {Op::fence_proxy, "9.7.13.4", {83, 90}, "fence.proxy", "fence.proxy.tensormap::generic.release.scope"},
        {Op::fence_proxy, "9.7.13.4", {83, 90}, "fence.proxy", "fence.proxy.tensormap::generic.acquire.scope [addr], size:constant"},
        {Op::fence_proxy, "9.7.13.4", {86, 90}, "fence.proxy", "fence.proxy.async::generic.sem.sync_restrict.cluster", restricted},
    };
    return rows;
}

inline std::span<const Row> synchronization_rows() {
    constexpr std::string_view named_cta = ".cta = { .cta@7.8/70 }";
    static constexpr Row rows[] = {
        {Op::fence, "9.7.13.4", {60, 70}, "fence", "fence{.sem}.scope; .sem = { .sc, .acq_rel, .acquire@8.6/90, .release@8.6/90 }"},
        {Op::fence, "9.7.13.4", {86, 90}, "fence", "fence.sem.sync_restrict.cluster", restricted},
        {Op::fence, "9.7.13.4", {80, 90}, "fence", "fence.mbarrier_init.release.cluster"},
        {Op::fence, "9.7.13.4", {60, 70}, "membar", "membar.level; .level = { .cta, .gl, .sys }"},

        {Op::bar_sync, "9.7.13.1", {60, 70}, "bar.sync", "bar{.cta}.sync a=barrier:u32{, b=threads:u32}", {named_cta}},
        {Op::bar_arrive, "9.7.13.1", {60, 70}, "bar.arrive", "bar{.cta}.arrive a=barrier:u32, b=threads:u32", {named_cta}},
        {Op::bar_red, "9.7.13.1", {60, 70}, "bar.red",
         "bar{.cta}.red.popc.u32 d, a=barrier:u32{, b=threads:u32}, {!}c=predicate:pred", {named_cta}},
        {Op::bar_red, "9.7.13.1", {60, 70}, "bar.red",
         "bar{.cta}.red.op.pred p, a=barrier:u32{, b=threads:u32}, {!}c=predicate:pred; .op = { .and, .or }", {named_cta}},
        {Op::bar_sync, "9.7.13.1", {60, 70}, "barrier.sync", "barrier{.cta}.sync{.aligned} a=barrier:u32{, b=threads:u32}", {named_cta}},
        {Op::bar_arrive, "9.7.13.1", {60, 70}, "barrier.arrive", "barrier{.cta}.arrive{.aligned} a=barrier:u32, b=threads:u32", {named_cta}},
        {Op::bar_red, "9.7.13.1", {60, 70}, "barrier.red",
         "barrier{.cta}.red.popc{.aligned}.u32 d, a=barrier:u32{, b=threads:u32}, {!}c=predicate:pred", {named_cta}},
        {Op::bar_red, "9.7.13.1", {60, 70}, "barrier.red",
         "barrier{.cta}.red.op{.aligned}.pred p, a=barrier:u32{, b=threads:u32}, {!}c=predicate:pred; .op = { .and, .or }", {named_cta}},
        {Op::bar_warp_sync, "9.7.13.2", {60, 70}, "bar.warp.sync", "bar.warp.sync membermask:b32"},
        {Op::cluster_arrive, "9.7.13.3", {78, 90}, "barrier.cluster.arrive",
         "barrier.cluster.arrive{.sem}{.aligned}; .sem = { .release@8.0/90, .relaxed@8.0/90 }"},
        {Op::cluster_wait, "9.7.13.3", {78, 90}, "barrier.cluster.wait",
         "barrier.cluster.wait{.sem}{.aligned}; .sem = { .acquire@8.0/90 }"},
    };
    return rows;
}

inline std::span<const Row> arithmetic_rows() {
    static constexpr Row rows[] = {
        {Op::mov, "9.7.9.3", {60, 70}, "mov", "mov.any d, a|avar"},
        {Op::mov, "9.7.9.4", {83, 70}, "mov", "mov.b128 d, a"},
        {Op::binary, "9.7.1.1", {60, 70}, "add", "add.integer d, a, b"},
        {later, "9.7.1.1", {60, 70}, "add", "add.sat.s32 d, a, b"},
        {later, "9.7.1.1", {80, 90}, "add", "add.type d, a, b; .type = { .u16x2, .s16x2 }"},
        {later, "9.7.3.3", {60, 70}, "add", "add{.rnd}{.ftz}{.sat}.float d, a, b; .rnd = { .rn, .rz, .rm, .rp }"},
        {Op::binary, "9.7.1.2", {60, 70}, "sub", "sub.integer d, a, b"},
        {later, "9.7.1.2", {60, 70}, "sub", "sub.sat.s32 d, a, b"},
        {later, "9.7.3.4", {60, 70}, "sub", "sub{.rnd}{.ftz}{.sat}.float d, a, b; .rnd = { .rn, .rz, .rm, .rp }"},
        {Op::binary, "9.7.1.3", {60, 70}, "mul", "mul.lo.integer d, a, b"},
        {Op::binary, "9.7.1.3", {60, 70}, "mul", "mul.hi.type d, a, b; .type = { .u16, .u32, .s16, .s32 }"},
        {later, "9.7.1.3", {60, 70}, "mul", "mul.hi.type d, a, b; .type = { .u64, .s64 }"},
        {Op::binary, "9.7.1.3", {60, 70}, "mul", "mul.wide.type d:u32, a, b; .type = { .u16 }"},
        {Op::binary, "9.7.1.3", {60, 70}, "mul", "mul.wide.type d:s32, a, b; .type = { .s16 }"},
        {Op::binary, "9.7.1.3", {60, 70}, "mul", "mul.wide.type d:u64, a, b; .type = { .u32 }"},
        {Op::binary, "9.7.1.3", {60, 70}, "mul", "mul.wide.type d:s64, a, b; .type = { .s32 }"},
        {later, "9.7.3.5", {60, 70}, "mul", "mul{.rnd}{.ftz}{.sat}.float d, a, b; .rnd = { .rn, .rz, .rm, .rp }"},
        {Op::binary, "9.7.1.8", {60, 70}, "div", "div.integer d, a, b"},
        {later, "9.7.3.8", {60, 70}, "div", "div{.rnd}{.ftz}.type d, a, b; .rnd = { .approx, .full, .rn, .rz, .rm, .rp }; .type = { .f32, .f64 }"},
        {Op::binary, "9.7.1.9", {60, 70}, "rem", "rem.integer d, a, b"},
        {Op::neg, "9.7.1.11", {60, 70}, "neg", "neg.type d, a; .type = { .s16, .s32, .s64 }"},
        {later, "9.7.3.10", {60, 70}, "neg", "neg{.ftz}.float d, a"},
        {Op::binary, "9.7.1.12", {60, 70}, "min", "min.integer d, a, b"},
        {later, "9.7.1.12", {80, 90}, "min", "min{.relu}.type d, a, b; .type = { .u16x2, .s16x2, .s32 }"},
        {later, "9.7.3.11", {60, 70}, "min", "min{.ftz}{.NaN}{.xorsign}{.abs}.float d, a, b{, c}"},
        {Op::binary, "9.7.1.13", {60, 70}, "max", "max.integer d, a, b"},
        {later, "9.7.1.13", {80, 90}, "max", "max{.relu}.type d, a, b; .type = { .u16x2, .s16x2, .s32 }"},
        {later, "9.7.3.12", {60, 70}, "max", "max{.ftz}{.NaN}{.xorsign}{.abs}.float d, a, b{, c}"},
        {Op::binary, "9.7.8.1", {60, 70}, "and", "and.logic d, a, b"},
        {Op::binary, "9.7.8.2", {60, 70}, "or", "or.logic d, a, b"},
        {Op::binary, "9.7.8.3", {60, 70}, "xor", "xor.logic d, a, b"},
        {Op::not_, "9.7.8.4", {60, 70}, "not", "not.logic d, a"},
        {Op::binary, "9.7.8.8", {60, 70}, "shl", "shl.bits d, a, b:u32"},
        {Op::binary, "9.7.8.9", {60, 70}, "shr", "shr.type d, a, b:u32; .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64 }"},
        {Op::cvt, "9.7.9.21", {60, 70}, "cvt",
         "cvt.dtype.atype d, a:atype; .dtype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64 }; "
         ".atype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64 }"},
        {later, "9.7.9.21", {60, 70}, "cvt",
         "cvt{.rnd}{.ftz}{.sat}.dtype.atype d, a:atype; .rnd = { .rni, .rzi, .rmi, .rpi, .rn, .rz, .rm, .rp, .rna }; "
         ".dtype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .bf16, .f16, .f32, .f64, .tf32, .f16x2, .bf16x2 }; "
         ".atype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .bf16, .f16, .f32, .f64 }"},
        {Op::setp, "9.7.6.2", {60, 70}, "setp",
         "setp.CmpOp.type p, a, b",
         {".CmpOp = { .eq, .ne }; .type = { .b16, .b32, .b64 }",
          ".CmpOp = { .eq, .ne, .lt, .le, .gt, .ge }; .type = { .u16, .u32, .u64, .s16, .s32, .s64 }",
          ".CmpOp = { .lo, .ls, .hi, .hs }; .type = { .u16, .u32, .u64 }"}},
        {Op::setp, "9.7.6.2", {60, 70}, "setp", "setp.CmpOp.BoolOp.type p, a, b, {!}c=predicate:pred; .BoolOp = { .and, .or, .xor }",
         {".CmpOp = { .eq, .ne }; .type = { .b16, .b32, .b64 }",
          ".CmpOp = { .eq, .ne, .lt, .le, .gt, .ge }; .type = { .u16, .u32, .u64, .s16, .s32, .s64 }",
          ".CmpOp = { .lo, .ls, .hi, .hs }; .type = { .u16, .u32, .u64 }"}},
        {later, "9.7.6.2", {60, 70}, "setp",
         "setp.CmpOp{.BoolOp}{.ftz}.type p, a, b{, c=predicate}; .BoolOp = { .and, .or, .xor }; "
         ".CmpOp = { .eq, .ne, .lt, .le, .gt, .ge, .equ, .neu, .ltu, .leu, .gtu, .geu, .num, .nan }; "
         ".type = { .f16, .f16x2, .bf16, .bf16x2, .f32, .f64 }"},
        {Op::selp, "9.7.6.3", {60, 70}, "selp",
         "selp.type d, a, b, c=predicate:pred; .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 }"},
        {Op::bra, "9.7.12.3", {60, 70}, "bra", "bra{.uni} tgt"},
        {Op::exit, "9.7.12.7", {60, 70}, "exit", "exit"},
        {Op::exit, "9.7.12.6", {60, 70}, "ret", "ret{.uni}"},
        {Op::trap, "9.7.19.4", {60, 70}, "trap", "trap"},
    };
    return rows;
}

// PTX that is known by name only, by ISA section.
struct NameRow {
    std::string_view section;
    std::string_view mnemonics;
};
inline constexpr std::array not_modelled = {
    NameRow{"9.7.1.5", "mul24"},
    NameRow{"9.7.1.6", "mad24"},
    NameRow{"9.7.1.7", "sad"},
    NameRow{"9.7.1.10", "abs"},
    NameRow{"9.7.1.14", "popc"},
    NameRow{"9.7.1.15", "clz"},
    NameRow{"9.7.1.16", "bfind"},
    NameRow{"9.7.1.17", "fns"},
    NameRow{"9.7.1.18", "brev"},
    NameRow{"9.7.1.19", "bfe"},
    NameRow{"9.7.1.20", "bfi"},
    NameRow{"9.7.1.21", "szext"},
    NameRow{"9.7.1.22", "bmsk"},
    NameRow{"9.7.1.23", "dp4a"},
    NameRow{"9.7.1.24", "dp2a"},
    NameRow{"9.7.2", "add.cc addc sub.cc subc mad.cc madc"},
    NameRow{"9.7.3", "testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh"},
    NameRow{"9.7.6.1", "set"},
    NameRow{"9.7.6.4", "slct"},
    NameRow{"9.7.8.5", "cnot"},
    NameRow{"9.7.8.6", "lop3"},
    NameRow{"9.7.8.7", "shf"},
    NameRow{"9.7.9.5", "shfl"},
    NameRow{"9.7.9.7", "prmt"},
    NameRow{"9.7.9.10", "ldu"},
    NameRow{"9.7.9.22", "cvt.pack"},
    NameRow{"9.7.10.3", "tex"},
    NameRow{"9.7.10.4", "tld4"},
    NameRow{"9.7.10.5", "txq"},
    NameRow{"9.7.10.6", "istypep"},
    NameRow{"9.7.11.1", "suld.b"},
    NameRow{"9.7.11.2", "sust.b sust.p"},
    NameRow{"9.7.11.3", "sured"},
    NameRow{"9.7.11.4", "suq"},
    NameRow{"9.7.12.4", "brx.idx"},
    NameRow{"9.7.12.5", "call"},
    NameRow{"9.7.13.8", "vote"},
    NameRow{"9.7.13.15", "mbarrier.check_layout"},
    NameRow{"9.7.14", "wmma.load wmma.store wmma.mma"},
    NameRow{"9.7.14.6", "mma.sp::ordered_metadata"},
    NameRow{"9.7.15.6", "wgmma.mma_async.sp"},
    NameRow{"9.7.16", "tcgen05.ld.red tcgen05.shift"},
    NameRow{"9.7.17", "stacksave stackrestore alloca"},
    NameRow{"9.7.18.1", "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset"},
    NameRow{"9.7.18.2", "vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4"},
};

// Slots that change nothing that the model sees (litmus/language.md, "Bodies"): `.cta` only says what bar means anyway.
inline constexpr std::array<std::string_view, 6> without_effect = {
    "cop", "level::cache_hint", "level::prefetch_size", "level1::eviction_priority", "level2::eviction_priority", "cta"};

// Hints for global memory and generic addresses only (ISA 9.7.9.8, 9.7.13.6); the assembler says it of all of them.
inline constexpr std::array<std::string_view, 4> global_hints = {"level::cache_hint", "level::prefetch_size", "level1::eviction_priority",
                                                                 "level2::eviction_priority"};

inline constexpr std::array known_targets = {70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
// clang-format on

}  // namespace litmus::rows
