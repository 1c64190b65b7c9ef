// The rows of operations on multimem addresses (ISA 8.2.3), in the notation of rows.h.
#pragma once

#include "ptx/rows.h"

namespace litmus::rows {

// clang-format off
// On floating-point types. A vector has 32, 64 or 128 bits; sums of halves may be accumulated as .f32.
inline std::span<const Row> multimem_float_rows() {
    constexpr std::string_view sums = ".op = { .add }; .type = { .f32, .f64 }", pairs = ".op = { .add, .min, .max }; .type = { .f16x2, .bf16x2 }",
                               sums_of_pairs = ".op = { .add }; .type = { .f16x2, .bf16x2 }";
    constexpr Cases vectors = {".op = { .add }; .vec = { .v2, .v4 }; .type = { .f32 }",
                               ".op = { .add, .min, .max }; .vec = { .v2, .v4 }; .type = { .f16, .f16x2, .bf16, .bf16x2 }",
                               ".op = { .add, .min, .max }; .vec = { .v8 }; .type = { .f16, .bf16 }"};
    constexpr Cases half_sums = {".op = { .add }; .vec = { .v2, .v4 }; .type = { .f16, .f16x2, .bf16, .bf16x2 }",
                                 ".op = { .add }; .vec = { .v8 }; .type = { .f16, .bf16 }"};
    constexpr Cases sum_vectors = {vectors[0], half_sums[0], half_sums[1]};
    constexpr Cases stored = {".vec = { .v2, .v4 }; .type = { .f32, .f16, .f16x2, .bf16, .bf16x2 }", ".vec = { .v8 }; .type = { .f16, .bf16 }"};
    constexpr Version first = {81, 90}, as_f32 = {82, 90};
    static constexpr Row rows[] = {
        {Op::multimem_load, "9.7.9.14", first, "multimem.ld_reduce", "multimem.ld_reduce{.weak}{.global}.op.type d, [a]", {sums, pairs}},
        {Op::multimem_load, "9.7.9.14", first, "multimem.ld_reduce", "multimem.ld_reduce{.weak}{.global}.op.vec.type d, [a]", vectors},
        {Op::multimem_load, "9.7.9.14", as_f32, "multimem.ld_reduce", "multimem.ld_reduce{.weak}{.global}.op.acc::f32.type d, [a]",
         {sums_of_pairs}},
        {Op::multimem_load, "9.7.9.14", as_f32, "multimem.ld_reduce", "multimem.ld_reduce{.weak}{.global}.op.acc::f32.vec.type d, [a]",
         half_sums},
        {Op::multimem_load, "9.7.9.14", first, "multimem.ld_reduce",
         "multimem.ld_reduce.sem.scope{.global}.op.type d, [a]; .sem = { .relaxed, .acquire }", {sums, pairs}},
        {Op::multimem_load, "9.7.9.14", first, "multimem.ld_reduce",
         "multimem.ld_reduce.sem.scope{.global}.op.vec.type d, [a]; .sem = { .relaxed, .acquire }", vectors},
        {Op::multimem_load, "9.7.9.14", as_f32, "multimem.ld_reduce",
         "multimem.ld_reduce.sem.scope{.global}.op.acc::f32.type d, [a]; .sem = { .relaxed, .acquire }", {sums_of_pairs}},
        {Op::multimem_load, "9.7.9.14", as_f32, "multimem.ld_reduce",
         "multimem.ld_reduce.sem.scope{.global}.op.acc::f32.vec.type d, [a]; .sem = { .relaxed, .acquire }", half_sums},
        {Op::multimem_store, "9.7.9.14", first, "multimem.st",
         "multimem.st{.weak}{.global}.type [a], b; .type = { .f16x2, .bf16x2, .f32, .f64 }"},
        {Op::multimem_store, "9.7.9.14", first, "multimem.st", "multimem.st{.weak}{.global}.vec.type [a], b", stored},
        {Op::multimem_store, "9.7.9.14", first, "multimem.st",
         "multimem.st.sem.scope{.global}.type [a], b; .sem = { .relaxed, .release }; .type = { .f16x2, .bf16x2, .f32, .f64 }"},
        {Op::multimem_store, "9.7.9.14", first, "multimem.st",
         "multimem.st.sem.scope{.global}.vec.type [a], b; .sem = { .relaxed, .release }", stored},
        {Op::multimem_reduce, "9.7.9.14", first, "multimem.red",
         "multimem.red{.sem.scope}{.global}.op.type [a], b; .sem = { .relaxed, .release }", {sums, sums_of_pairs}},
        {Op::multimem_reduce, "9.7.9.14", first, "multimem.red",
         "multimem.red{.sem.scope}{.global}.op.vec.type [a], b; .sem = { .relaxed, .release }", sum_vectors},
    };
    return rows;
}

// On floating-point types of 8 bits, added as .f16 where that is asked for: known, and not modelled.
inline std::span<const Row> multimem_byte_rows() {
    constexpr std::string_view scalars_of = ".type = { .e5m2x4, .e4m3x4 }";
    constexpr Cases vectors = {".vec = { .v2 }; .type = { .e5m2x2, .e5m2x4, .e4m3x2, .e4m3x4 }",
                               ".vec = { .v4 }; .type = { .e5m2, .e5m2x2, .e5m2x4, .e4m3, .e4m3x2, .e4m3x4 }",
                               ".vec = { .v8 }; .type = { .e5m2, .e5m2x2, .e4m3, .e4m3x2 }"};
    constexpr Version least = {86, 100, true};
    static constexpr Row rows[] = {
        {later, "9.7.9.14", least, "multimem.ld_reduce",
         "multimem.ld_reduce{.weak}{.global}.op.type d, [a]; .op = { .add, .min, .max }", {scalars_of}},
        {later, "9.7.9.14", least, "multimem.ld_reduce",
         "multimem.ld_reduce{.weak}{.global}.op.vec.type d, [a]; .op = { .add, .min, .max }", vectors},
        {later, "9.7.9.14", least, "multimem.ld_reduce", "multimem.ld_reduce{.weak}{.global}.add.acc::f16.type d, [a]", {scalars_of}},
        {later, "9.7.9.14", least, "multimem.ld_reduce", "multimem.ld_reduce{.weak}{.global}.add.acc::f16.vec.type d, [a]", vectors},
        {later, "9.7.9.14", least, "multimem.ld_reduce",
         "multimem.ld_reduce.sem.scope{.global}.op.type d, [a]; .op = { .add, .min, .max }; .sem = { .relaxed, .acquire }", {scalars_of}},
        {later, "9.7.9.14", least, "multimem.ld_reduce",
         "multimem.ld_reduce.sem.scope{.global}.op.vec.type d, [a]; .op = { .add, .min, .max }; .sem = { .relaxed, .acquire }", vectors},
        {later, "9.7.9.14", least, "multimem.ld_reduce",
         "multimem.ld_reduce.sem.scope{.global}.add.acc::f16.type d, [a]; .sem = { .relaxed, .acquire }", {scalars_of}},
        {later, "9.7.9.14", least, "multimem.ld_reduce",
         "multimem.ld_reduce.sem.scope{.global}.add.acc::f16.vec.type d, [a]; .sem = { .relaxed, .acquire }", vectors},
        {later, "9.7.9.14", least, "multimem.st", "multimem.st{.weak}{.global}.type [a], b", {scalars_of}},
        {later, "9.7.9.14", least, "multimem.st", "multimem.st{.weak}{.global}.vec.type [a], b", vectors},
        {later, "9.7.9.14", least, "multimem.st", "multimem.st.sem.scope{.global}.type [a], b; .sem = { .relaxed, .release }", {scalars_of}},
        {later, "9.7.9.14", least, "multimem.st", "multimem.st.sem.scope{.global}.vec.type [a], b; .sem = { .relaxed, .release }", vectors},
    };
    return rows;
}

inline std::span<const Row> multimem_rows() {
    constexpr Cases pairs = {
        ".op = { .add }; .type = { .u32, .s32, .u64 }", ".op = { .and, .or, .xor }; .type = { .b32, .b64 }",
        ".op = { .min, .max }; .type = { .u32, .s32, .u64, .s64 }"};
    constexpr std::string_view integers = ".type = { .b32, .b64, .u32, .u64, .s32, .s64 }";
    static constexpr Row rows[] = {
        {Op::multimem_load, "9.7.9.14", {81, 90}, "multimem.ld_reduce", "multimem.ld_reduce{.weak}{.global}.op.type d, [a]", pairs},
        {Op::multimem_load, "9.7.9.14", {81, 90}, "multimem.ld_reduce",
         "multimem.ld_reduce.sem.scope{.global}.op.type d, [a]; .sem = { .relaxed, .acquire }", pairs},
        {Op::multimem_store, "9.7.9.14", {81, 90}, "multimem.st", "multimem.st{.weak}{.global}.type [a], b", {integers}},
        {Op::multimem_store, "9.7.9.14", {81, 90}, "multimem.st",
         "multimem.st.sem.scope{.global}.type [a], b; .sem = { .relaxed, .release }", {integers}},
        {Op::multimem_reduce, "9.7.9.14", {81, 90}, "multimem.red",
         "multimem.red{.sem.scope}{.global}.op.type [a], b; .sem = { .relaxed, .release }", pairs},
        {Op::multimem_store_async, "9.7.9.14", {93, 100}, "multimem.st.async",
         "multimem.st.async.release.scope{.global}.type [a], b; .scope = { .gpu, .sys }", {scalars}},
        {Op::multimem_reduce_async, "9.7.9.14", {93, 100}, "multimem.red.async",
         "multimem.red.async.release.scope{.global}.add.type [a], b; .scope = { .gpu, .sys }; .type = { .u32, .s32, .u64 }"},
        {Op::multimem_bulk_copy, "9.7.9.26", {91, 90}, "multimem.cp.async.bulk",
         "multimem.cp.async.bulk.global.shared::cta.bulk_group [dstMem], [srcMem], size:u32"},
        {Op::multimem_bulk_reduce, "9.7.9.27", {91, 90}, "multimem.cp.reduce.async.bulk",
         "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.op.type [dstMem], [srcMem], size:u32",
         {".op = { .add }; .type = { .u32, .s32, .u64, .f32, .f64 }", ".op = { .min, .max }; .type = { .u32, .s32, .u64, .s64, .f16, .bf16 }",
          ".op = { .inc, .dec }; .type = { .u32 }", ".op = { .and, .or, .xor }; .type = { .b32, .b64 }"}},
        {Op::multimem_bulk_reduce, "9.7.9.27", {91, 90}, "multimem.cp.reduce.async.bulk",
         "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.type [dstMem], [srcMem], size:u32; .type = { .f16, .bf16 }"},
    };
    return rows;
}
// clang-format on

}  // namespace litmus::rows
