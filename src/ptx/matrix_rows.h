// The rows of matrix operations, in the notation of rows.h.
//
// A matrix descriptor is written as the array that it stands for: `[a_desc]` is the ISA's a-desc. Registers that hold a matrix stand in
// braces; how many, the shape says (matrix.h).
#pragma once

#include "ptx/rows.h"

namespace litmus::rows {

// clang-format off
// The shapes of wgmma.mma_async (ISA 9.7.15.5.2).
inline constexpr std::string_view matrix_sets = R"(
    .m64nNk16 = { .m64n8k16, .m64n16k16, .m64n24k16, .m64n32k16, .m64n40k16, .m64n48k16, .m64n56k16, .m64n64k16, .m64n72k16,
        .m64n80k16, .m64n88k16, .m64n96k16, .m64n104k16, .m64n112k16, .m64n120k16, .m64n128k16, .m64n136k16, .m64n144k16,
        .m64n152k16, .m64n160k16, .m64n168k16, .m64n176k16, .m64n184k16, .m64n192k16, .m64n200k16, .m64n208k16, .m64n216k16,
        .m64n224k16, .m64n232k16, .m64n240k16, .m64n248k16, .m64n256k16 };
    .m64nNk8 = { .m64n8k8, .m64n16k8, .m64n24k8, .m64n32k8, .m64n40k8, .m64n48k8, .m64n56k8, .m64n64k8, .m64n72k8, .m64n80k8,
        .m64n88k8, .m64n96k8, .m64n104k8, .m64n112k8, .m64n120k8, .m64n128k8, .m64n136k8, .m64n144k8, .m64n152k8, .m64n160k8,
        .m64n168k8, .m64n176k8, .m64n184k8, .m64n192k8, .m64n200k8, .m64n208k8, .m64n216k8, .m64n224k8, .m64n232k8, .m64n240k8,
        .m64n248k8, .m64n256k8 };
    .m64nNk32 = { .m64n8k32, .m64n16k32, .m64n24k32, .m64n32k32, .m64n40k32, .m64n48k32, .m64n56k32, .m64n64k32, .m64n72k32,
        .m64n80k32, .m64n88k32, .m64n96k32, .m64n104k32, .m64n112k32, .m64n120k32, .m64n128k32, .m64n136k32, .m64n144k32,
        .m64n152k32, .m64n160k32, .m64n168k32, .m64n176k32, .m64n184k32, .m64n192k32, .m64n200k32, .m64n208k32, .m64n216k32,
        .m64n224k32, .m64n232k32, .m64n240k32, .m64n248k32, .m64n256k32 };
    .m64nIk32 = { .m64n8k32, .m64n16k32, .m64n24k32, .m64n32k32, .m64n48k32, .m64n64k32, .m64n80k32, .m64n96k32, .m64n112k32,
        .m64n128k32, .m64n144k32, .m64n160k32, .m64n176k32, .m64n192k32, .m64n208k32, .m64n224k32 };
    .m64nBk256 = { .m64n8k256, .m64n16k256, .m64n24k256, .m64n32k256, .m64n48k256, .m64n64k256, .m64n80k256, .m64n96k256,
        .m64n112k256, .m64n128k256, .m64n144k256, .m64n160k256, .m64n176k256, .m64n192k256, .m64n208k256, .m64n224k256,
        .m64n240k256, .m64n256k256 };
)";

// Warpgroup-level operations: of sm_90a alone (ISA 9.7.15). A may be in registers, `a`, and comes then without its
// transposition.
inline std::span<const Row> wgmma_rows() {
    constexpr Version first = {80, 90, true}, mixed_signs = {84, 90, true};
    constexpr Cases half_types = {".type = { .f16 }", ".type = { .bf16 }"};
    constexpr std::string_view eight_bits = ".atype = { .e4m3, .e5m2 }; .btype = { .e4m3, .e5m2 }";
    constexpr Cases same_signs = {".type = { .u8 }", ".type = { .s8 }"};
    constexpr Cases other_signs = {".atype = { .u8 }; .btype = { .s8 }", ".atype = { .s8 }; .btype = { .u8 }"};
    static constexpr Row rows[] = {
        {Op::wgmma_mma, "9.7.15.5.2", first, "wgmma.mma_async",
         "wgmma.mma_async.sync.aligned.m64nNk16.f32.type.type d=accumulator, [a_desc]|a, [b_desc], scale-d:pred, "
         "imm-scale-a:sign, imm-scale-b:sign, imm-trans-a:constant{, imm-trans-b:constant}", half_types},
        {Op::wgmma_mma, "9.7.15.5.2", first, "wgmma.mma_async",
         "wgmma.mma_async.sync.aligned.m64nNk16.f16.f16.f16 d=accumulator:b32, [a_desc]|a, [b_desc], scale-d:pred, "
         "imm-scale-a:sign, imm-scale-b:sign, imm-trans-a:constant{, imm-trans-b:constant}"},
        {Op::wgmma_mma, "9.7.15.5.2", first, "wgmma.mma_async",
         "wgmma.mma_async.sync.aligned.m64nNk8.f32.tf32.tf32 d=accumulator, [a_desc]|a, [b_desc], scale-d:pred, "
         "imm-scale-a:sign, imm-scale-b:sign"},
        {Op::wgmma_mma, "9.7.15.5.2", first, "wgmma.mma_async",
         "wgmma.mma_async.sync.aligned.m64nNk32.f32.atype.btype d=accumulator, [a_desc]|a, [b_desc], scale-d:pred, "
         "imm-scale-a:sign, imm-scale-b:sign", {eight_bits}},
        {Op::wgmma_mma, "9.7.15.5.2", first, "wgmma.mma_async",
         "wgmma.mma_async.sync.aligned.m64nNk32.f16.atype.btype d=accumulator:b32, [a_desc]|a, [b_desc], scale-d:pred, "
         "imm-scale-a:sign, imm-scale-b:sign", {eight_bits}},
        {Op::wgmma_mma, "9.7.15.5.2", first, "wgmma.mma_async",
         "wgmma.mma_async.sync.aligned.m64nIk32.s32.type.type{.satfinite} d=accumulator, [a_desc]|a, [b_desc], scale-d:pred", same_signs},
        {Op::wgmma_mma, "9.7.15.5.2", mixed_signs, "wgmma.mma_async",
         "wgmma.mma_async.sync.aligned.m64nIk32.s32.atype.btype{.satfinite} d=accumulator, [a_desc]|a, [b_desc], scale-d:pred", other_signs},
        {Op::wgmma_mma, "9.7.15.5.2", first, "wgmma.mma_async",
         "wgmma.mma_async.sync.aligned.m64nBk256.s32.b1.b1.and.popc d=accumulator, [a_desc]|a, [b_desc], scale-d:pred"},
        {Op::wgmma_fence, "9.7.15.7.1", first, "wgmma.fence", "wgmma.fence.sync.aligned"},
        {Op::wgmma_commit, "9.7.15.7.2", first, "wgmma.commit_group", "wgmma.commit_group.sync.aligned"},
        {Op::wgmma_wait, "9.7.15.7.3", first, "wgmma.wait_group", "wgmma.wait_group.sync.aligned N:constant"},
    };
    return rows;
}

// What a warp does with matrices: it loads them from shared memory, stores them there, and multiplies those in its registers (ISA 9.7.14).
inline std::span<const Row> warp_matrix_rows() {
    constexpr Version blackwell = {86, 100, true};
    constexpr Cases halves = {".shape = { .m16n8k8@6.5/75, .m16n8k16@7.0/80 }; .type = { .f16 }",
                              ".shape = { .m16n8k8@6.5/75, .m16n8k16@7.0/80 }; .type = { .f32 }"};
    constexpr Cases bytes = {".shape = { .m8n8k16@6.5/75, .m16n8k16@7.0/80, .m16n8k32@7.0/80 }; .atype = { .u8, .s8 }; .btype = { .u8, .s8 }",
                             ".shape = { .m8n8k32@6.5/75, .m16n8k32@7.0/80, .m16n8k64@7.0/80 }; .atype = { .u4, .s4 }; .btype = { .u4, .s4 }"};
    static constexpr Row rows[] = {
        {Op::ldmatrix, "9.7.14.5.15", {65, 75}, "ldmatrix", "ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 r:b32, [a]",
         {".num = { .x1, .x2, .x4 }; .ss = { .shared, .shared::cta@7.8/75 }"}},
        {Op::ldmatrix, "9.7.14.5.15", blackwell, "ldmatrix", "ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8 r:b32, [a]",
         {".num = { .x1, .x2 }; .ss = { .shared, .shared::cta }"}},
        {Op::ldmatrix, "9.7.14.5.15", blackwell, "ldmatrix", "ldmatrix.sync.aligned.m16n16.num.trans{.ss}.dst_fmt.src_fmt r:b32, [a]",
         {".num = { .x1, .x2 }; .ss = { .shared, .shared::cta }"}},
        {Op::ldmatrix, "9.7.14.5.15", blackwell, "ldmatrix", "ldmatrix.sync.aligned.m8n16.num{.ss}.dst_fmt.src_fmt r:b32, [a]",
         {".num = { .x1, .x2, .x4 }; .ss = { .shared, .shared::cta }"}},
        {Op::stmatrix, "9.7.14.5.16", {78, 90}, "stmatrix", "stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [a], r=fragment",
         {".num = { .x1, .x2, .x4 }; .ss = { .shared, .shared::cta }"}},
        {later, "9.7.14.5.16", blackwell, "stmatrix", "stmatrix.sync.aligned.m16n8.num.trans{.ss}.b8 [a], r=fragment",
         {".num = { .x1, .x2, .x4 }; .ss = { .shared, .shared::cta }"}},
        {Op::warp_mma, "9.7.14.5.17", {78, 75}, "movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 d:b32, a:b32"},
        {Op::warp_mma, "9.7.14.5.14", {64, 70}, "mma", "mma.sync.aligned.m8n8k4.alayout.blayout.dtype.f16.f16.ctype "
         "d=tile:b32, a=fragment, b=fragment, c=fragment; .alayout = { .row, .col }; .blayout = { .row, .col }",
         {".dtype = { .f16, .f32 }; .ctype = { .f16 }", ".dtype = { .f32 }; .ctype = { .f32 }"}},
        {Op::warp_mma, "9.7.14.5.14", {65, 75}, "mma", "mma.sync.aligned.shape.row.col.type.f16.f16.type "
         "d=tile:b32, a=fragment, b=fragment, c=fragment", halves},
        {Op::warp_mma, "9.7.14.5.14", {70, 80}, "mma", "mma.sync.aligned.shape.row.col.f32.type.type.f32 "
         "d=tile:b32, a=fragment, b=fragment, c=fragment",
         {".shape = { .m16n8k8, .m16n8k16 }; .type = { .bf16 }", ".shape = { .m16n8k4, .m16n8k8 }; .type = { .tf32 }"}},
        {Op::warp_mma, "9.7.14.5.14", {84, 89}, "mma", "mma.sync.aligned.shape.row.col.type.atype.btype.type "
         "d=tile:b32, a=fragment, b=fragment, c=fragment; .atype = { .e4m3, .e5m2 }; .btype = { .e4m3, .e5m2 }",
         {".shape = { .m16n8k32, .m16n8k16@8.7/89 }; .type = { .f32 }", ".shape = { .m16n8k32@8.7/89, .m16n8k16@8.7/89 }; .type = { .f16 }"}},
        {Op::warp_mma, "9.7.14.5.14", {65, 75}, "mma", "mma.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 "
         "d=tile:b32, a=fragment, b=fragment, c=fragment", bytes},
        {Op::warp_mma, "9.7.14.5.14", {70, 75}, "mma", "mma.sync.aligned.shape.row.col.s32.b1.b1.s32.bitOp.popc "
         "d=tile:b32, a=fragment, b=fragment, c=fragment; .bitOp = { .xor, .and@7.1/80 }",
         {".shape = { .m8n8k128, .m16n8k128@7.0/80, .m16n8k256@7.0/80 }"}},
        {later, "9.7.14.5.14", {70, 80}, "mma", "mma.sync.aligned.shape.row.col.f64.f64.f64.f64 "
         "d=tile:b64, a=fragment, b=fragment, c=fragment", {".shape = { .m8n8k4, .m16n8k4@7.8/90, .m16n8k8@7.8/90, .m16n8k16@7.8/90 }"}},
        {later, "9.7.14.5.14", {87, 120, true}, "mma", "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.type.atype.btype.type "
         "d=tile:b32, a=fragment, b=fragment, c=fragment; .type = { .f16, .f32 }; .atype = { .e4m3, .e5m2, .e3m2, .e2m3, .e2m1 }; "
         ".btype = { .e4m3, .e5m2, .e3m2, .e2m3, .e2m1 }"},
        {Op::warp_mma, "9.7.14.6", {71, 80}, "mma.sp", "mma.sp.sync.aligned.shape.row.col.type.f16.f16.type "
         "d=tile:b32, a=fragment, b=fragment, c=fragment, e=a:b32, f=a:constant; .shape = { .m16n8k16, .m16n8k32 }",
         {".type = { .f16 }", ".type = { .f32 }"}},
        {Op::warp_mma, "9.7.14.6", {71, 80}, "mma.sp", "mma.sp.sync.aligned.shape.row.col.f32.type.type.f32 "
         "d=tile:b32, a=fragment, b=fragment, c=fragment, e=a:b32, f=a:constant",
         {".shape = { .m16n8k16, .m16n8k32 }; .type = { .bf16 }", ".shape = { .m16n8k8, .m16n8k16 }; .type = { .tf32 }"}},
        {Op::warp_mma, "9.7.14.6", {71, 80}, "mma.sp", "mma.sp.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 "
         "d=tile:b32, a=fragment, b=fragment, c=fragment, e=a:b32, f=a:constant",
         {".shape = { .m16n8k32, .m16n8k64 }; .atype = { .u8, .s8 }; .btype = { .u8, .s8 }",
          ".shape = { .m16n8k64, .m16n8k128 }; .atype = { .u4, .s4 }; .btype = { .u4, .s4 }"}},
        {Op::warp_mma, "9.7.14.6", {84, 89}, "mma.sp", "mma.sp.sync.aligned.m16n8k64.row.col.f32.atype.btype.f32 "
         "d=tile:b32, a=fragment, b=fragment, c=fragment, e=a:b32, f=a:constant; .atype = { .e4m3, .e5m2 }; .btype = { .e4m3, .e5m2 }"},
    };
    return rows;
}
// clang-format on

}  // namespace litmus::rows
