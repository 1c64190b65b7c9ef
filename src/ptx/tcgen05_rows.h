// The rows of tcgen05, the fifth generation of matrix units with their tensor memory (ISA 9.7.16), in the notation of rows.h.
//
// A matrix in shared memory is written as the array that its descriptor stands for: `[a_desc]` is the ISA's a-desc; where a part of tensor
// memory stands there (`.tmem`), the operand is the ISA's [a-tmem]. Behind them stand three others that came with sm_100 or lie beside
// them: st.bulk, discard, clusterlaunchcontrol.
#pragma once

#include "ptx/rows.h"

namespace litmus::rows {

// clang-format off
inline constexpr std::string_view tcgen05_sets = R"(
    .group = { .cta_group::1, .cta_group::2 };
    .collector_usage = { .collector::a::fill, .collector::a::use, .collector::a::lastuse, .collector::a::discard };
    .buffer_usage = { .collector::b0::fill, .collector::b0::use, .collector::b0::lastuse, .collector::b0::discard,
        .collector::b1::fill, .collector::b1::use, .collector::b1::lastuse, .collector::b1::discard,
        .collector::b2::fill, .collector::b2::use, .collector::b2::lastuse, .collector::b2::discard,
        .collector::b3::fill, .collector::b3::use, .collector::b3::lastuse, .collector::b3::discard };
    .num = { .x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128 };
    .dst_fmt = { .b8x16 };
    .src_fmt = { .b6x16_p32, .b4x16_p64 };
)";

inline std::span<const Row> tcgen05_rows() {
    constexpr Version first = {86, 100, true};
    constexpr Cases scaled = {".kind = { .kind::f16, .kind::tf32 }"}, unscaled = {".kind = { .kind::f8f6f4, .kind::i8 }"};
    constexpr Cases unblocked = {".kind = { .kind::f16, .kind::tf32, .kind::f8f6f4, .kind::i8 }"};
    // how long the blocks are that one factor is for: with each kind its own words. Without one they are `.block32`, and need the version
    // that has this word, as the assembler says
    constexpr Version later_kind = {87, 100, true}, unsaid_blocks = {88, 100, true};
    constexpr Cases usual_blocks = {".kind = { .kind::mxf8f6f4, .kind::mxf4 }"};
    constexpr Cases first_blocks = {".kind = { .kind::mxf8f6f4 }; .scale_vectorsize = { .scale_vec::1X, .block32@8.8/100a }",
                                       ".kind = { .kind::mxf4 }; .scale_vectorsize = { .scale_vec::2X, .block32@8.8/100a }"};
    constexpr Cases blocks = {
        ".kind = { .kind::mxf4nvf4 }; .scale_vectorsize = { .scale_vec::2X, .scale_vec::4X, .block16@8.8/100a, .block32@8.8/100a }"};
    constexpr Cases tiles = {".shape = { .16x64b, .32x32b }",
                                                 ".shape = { .16x128b }; .num = { .x1, .x2, .x4, .x8, .x16, .x32, .x64 }",
                                                 ".shape = { .16x256b }; .num = { .x1, .x2, .x4, .x8, .x16, .x32 }"};
    static constexpr Row rows[] = {
        {Op::tcgen_mma, "9.7.16.10.9.1", first, "tcgen05.mma",
         "tcgen05.mma.group.kind{.collector_usage} [d_tmem], [a_desc], [b_desc], idesc:b32, enable-input-d:pred{, scale-input-d:constant}", scaled},
        {Op::tcgen_mma, "9.7.16.10.9.1", first, "tcgen05.mma",
         "tcgen05.mma.group.kind{.collector_usage} [d_tmem], [a_desc], [b_desc], idesc:b32, enable-input-d:pred", unscaled},
        {Op::tcgen_mma, "9.7.16.10.9.1", first, "tcgen05.mma",
         "tcgen05.mma.group.kind.block_scale.scale_vectorsize{.collector_usage} [d_tmem], [a_desc], [b_desc], idesc:b32, "
         "[scale_a], [scale_b], enable-input-d:pred", first_blocks},
        {Op::tcgen_mma, "9.7.16.10.9.1", unsaid_blocks, "tcgen05.mma",
         "tcgen05.mma.group.kind.block_scale{.collector_usage} [d_tmem], [a_desc], [b_desc], idesc:b32, [scale_a], [scale_b], "
         "enable-input-d:pred", usual_blocks},
        {Op::tcgen_mma, "9.7.16.10.9.1", later_kind, "tcgen05.mma",
         "tcgen05.mma.group.kind.block_scale.scale_vectorsize{.collector_usage} [d_tmem], [a_desc], [b_desc], idesc:b32, "
         "[scale_a], [scale_b], enable-input-d:pred", blocks},
        {Op::tcgen_mma, "9.7.16.10.9.2", first, "tcgen05.mma.sp",
         "tcgen05.mma.sp.group.kind{.collector_usage} [d_tmem], [a_desc], [b_desc], [sp_meta], idesc:b32, enable-input-d:pred"
         "{, scale-input-d:constant}", scaled},
        {Op::tcgen_mma, "9.7.16.10.9.2", first, "tcgen05.mma.sp",
         "tcgen05.mma.sp.group.kind{.collector_usage} [d_tmem], [a_desc], [b_desc], [sp_meta], idesc:b32, enable-input-d:pred", unscaled},
        {Op::tcgen_mma, "9.7.16.10.9.2", first, "tcgen05.mma.sp",
         "tcgen05.mma.sp.group.kind.block_scale.scale_vectorsize{.collector_usage} [d_tmem], [a_desc], [b_desc], [sp_meta], idesc:b32, "
         "[scale_a], [scale_b], enable-input-d:pred", first_blocks},
        {Op::tcgen_mma, "9.7.16.10.9.2", unsaid_blocks, "tcgen05.mma.sp",
         "tcgen05.mma.sp.group.kind.block_scale{.collector_usage} [d_tmem], [a_desc], [b_desc], [sp_meta], idesc:b32, [scale_a], "
         "[scale_b], enable-input-d:pred", usual_blocks},
        {Op::tcgen_mma, "9.7.16.10.9.2", later_kind, "tcgen05.mma.sp",
         "tcgen05.mma.sp.group.kind.block_scale.scale_vectorsize{.collector_usage} [d_tmem], [a_desc], [b_desc], [sp_meta], idesc:b32, "
         "[scale_a], [scale_b], enable-input-d:pred", blocks},
        {Op::tcgen_mma, "9.7.16.10.9.3", first, "tcgen05.mma.ws",
         "tcgen05.mma.ws.cta_group::1.kind{.buffer_usage} [d_tmem], [a_desc], [b_desc], idesc:b32, enable-input-d:pred"
         "{, zero-column-mask:b64}", unblocked},
        {Op::tcgen_mma, "9.7.16.10.9.4", first, "tcgen05.mma.ws.sp",
         "tcgen05.mma.ws.sp.cta_group::1.kind{.buffer_usage} [d_tmem], [a_desc], [b_desc], [sp_meta], idesc:b32, enable-input-d:pred"
         "{, zero-column-mask:b64}", unblocked},
        {Op::tcgen_copy, "9.7.16.9.2", first, "tcgen05.cp", "tcgen05.cp.group.shape{.dst_fmt.src_fmt} [taddr], [s_desc]",
         {".shape = { .128x256b, .4x256b, .128x128b }"}},
        {Op::tcgen_copy, "9.7.16.9.2", first, "tcgen05.cp", "tcgen05.cp.group.64x128b.half{.dst_fmt.src_fmt} [taddr], [s_desc]",
         {".half = { .warpx2::02_13, .warpx2::01_23 }"}},
        {Op::tcgen_copy, "9.7.16.9.2", first, "tcgen05.cp", "tcgen05.cp.group.32x128b.warpx4{.dst_fmt.src_fmt} [taddr], [s_desc]"},
        {Op::tcgen_load, "9.7.16.8.3", first, "tcgen05.ld", "tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32 r, [taddr]", tiles},
        {Op::tcgen_store, "9.7.16.8.4", first, "tcgen05.st", "tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32 [taddr], r=fragment", tiles},
        {Op::tcgen_wait, "9.7.16.8.5", first, "tcgen05.wait::ld", "tcgen05.wait::ld.sync.aligned"},
        {Op::tcgen_wait, "9.7.16.8.5", first, "tcgen05.wait::st", "tcgen05.wait::st.sync.aligned"},
        {Op::tcgen_commit, "9.7.16.12.1", first, "tcgen05.commit",
         "tcgen05.commit.group.mbarrier::arrive::one{.shared::cluster}.b64 [mbar]"},
        {Op::tcgen_commit, "9.7.16.12.1", first, "tcgen05.commit",
         "tcgen05.commit.group.mbarrier::arrive::one{.shared::cluster}.multicast::cluster.b64 [mbar], ctaMask:u16"},
        {Op::tcgen_fence, "9.7.16.11.1", first, "tcgen05.fence::before_thread_sync", "tcgen05.fence::before_thread_sync"},
        {Op::tcgen_fence, "9.7.16.11.1", first, "tcgen05.fence::after_thread_sync", "tcgen05.fence::after_thread_sync"},
        {Op::tcgen_alloc, "9.7.16.7.1", first, "tcgen05.alloc", "tcgen05.alloc.group.sync.aligned{.shared::cta}.b32 [a], nCols:b32"},
        {Op::tcgen_dealloc, "9.7.16.7.1", first, "tcgen05.dealloc", "tcgen05.dealloc.group.sync.aligned.b32 taddr|avar, nCols:b32"},
        {Op::tcgen_relinquish, "9.7.16.7.1", first, "tcgen05.relinquish_alloc_permit", "tcgen05.relinquish_alloc_permit.group.sync.aligned"},

        {Op::st_bulk, "9.7.9.13", {86, 100}, "st.bulk", "st.bulk{.weak}{.shared::cta} [dst], size:u64, initval:constant"},
        {Op::discard, "9.7.9.17", {74, 80}, "discard", "discard{.global}.L2 [dst], size:constant"},
        {Op::try_cancel, "9.7.13.17", {86, 100}, "clusterlaunchcontrol.try_cancel",
         "clusterlaunchcontrol.try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes.b128 [dst], [mbar]"},
        {Op::try_cancel, "9.7.13.17", first, "clusterlaunchcontrol.try_cancel",
         "clusterlaunchcontrol.try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [dst], [mbar]"},
        {Op::query_cancel, "9.7.13.18", {86, 100}, "clusterlaunchcontrol.query_cancel",
         "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, try_cancel_response:b128"},
        {Op::query_cancel, "9.7.13.18", {86, 100}, "clusterlaunchcontrol.query_cancel",
         "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 d|_, try_cancel_response:b128"},
        // the box lets the dimension be left out, but then a vector is returned: "by default, the instruction returns a .v4 vector"
        {Op::query_cancel, "9.7.13.18", {86, 100}, "clusterlaunchcontrol.query_cancel",
         "clusterlaunchcontrol.query_cancel.dimension.b32.b128 d|_, try_cancel_response:b128; "
         ".dimension = { .get_first_ctaid::x, .get_first_ctaid::y, .get_first_ctaid::z }"},
    };
    return rows;
}
// clang-format on

}  // namespace litmus::rows
