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
// clang-format on

}  // namespace litmus::rows
