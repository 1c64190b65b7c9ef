// The rows of tensor copies and reductions (ISA 9.7.9.27.1), in the notation of rows.h.
//
// The modes `.im2col::w` are known and not modelled: the driver makes their maps with swizzling only (cuTensorMapEncodeIm2colWide).
#pragma once

#include "ptx/rows.h"

namespace litmus::rows {

// clang-format off
inline constexpr std::string_view tensor_sets = R"(
    .dim = { .1d, .2d, .3d, .4d, .5d };
    .image = { .3d, .4d, .5d };
    .cta_group = { .cta_group::1@8.6/100a, .cta_group::2@8.6/100a };
)";

inline constexpr std::string_view tensor_reductions = ".redOp = { .add, .min, .max, .inc, .dec, .and, .or, .xor }";

inline constexpr std::string_view map_spaces = ".ss = { .global, .shared::cta }";

inline std::span<const Row> tensor_rows() {
    static constexpr Row rows[] = {
        {Op::tensor_copy, "9.7.9.27.1.2", {86, 90}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.dim.shared::cta.global{.tile}.mbarrier::complete_tx::bytes{.cta_group}{.level::cache_hint} "
         "[dstMem], [tensorMap, tensorCoords], [mbar]{, cache-policy}"},
        {Op::tensor_copy, "9.7.9.27.1.2", {80, 90}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.dim.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes{.cta_group}{.level::cache_hint} "
         "[dstMem], [tensorMap, tensorCoords], [mbar]{, cache-policy}"},
        {Op::tensor_copy, "9.7.9.27.1.2", {80, 90}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.dim.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes.multicast::cluster{.cta_group}{.level::cache_hint} "
         "[dstMem], [tensorMap, tensorCoords], [mbar], ctaMask:u16{, cache-policy}"},
        {Op::tensor_copy, "9.7.9.27.1.2", {80, 90}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.dim.global.shared::cta{.tile}.bulk_group{.level::cache_hint} "
         "[tensorMap, tensorCoords], [srcMem]{, cache-policy}"},
        {Op::tensor_reduce, "9.7.9.27.1.3", {80, 90}, "cp.reduce.async.bulk.tensor",
         "cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp{.tile}.bulk_group{.level::cache_hint} "
         "[tensorMap, tensorCoords], [srcMem]{, cache-policy}", {tensor_reductions}},
        {Op::tensor_prefetch, "9.7.9.27.1.4", {80, 90}, "cp.async.bulk.prefetch.tensor",
         "cp.async.bulk.prefetch.tensor.dim.L2.global{.tile}{.level::cache_hint} [tensorMap, tensorCoords]{, cache-policy}"},
        {Op::map_replace, "9.7.9.28", {83, 90, true}, "tensormap.replace",
         "tensormap.replace.tile.global_address{.ss}.b1024.b64 [addr], new_val", {map_spaces}},
        {Op::map_copy, "9.7.13.16", {83, 90}, "tensormap.cp_fenceproxy",
         "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [dst], [src], size:constant"},
    };
    return rows;
}

// Four rows of a tensor of two dimensions.
inline std::span<const Row> tensor_row_rows() {
    static constexpr Row rows[] = {
        {Op::tensor_copy, "9.7.9.27.1.2", {86, 100}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes{.cta_group}{.level::cache_hint} "
         "[dstMem], [tensorMap, tensorCoords], [mbar]{, cache-policy}"},
        {Op::tensor_copy, "9.7.9.27.1.2", {86, 100, true}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes{.cta_group}{.level::cache_hint} "
         "[dstMem], [tensorMap, tensorCoords], [mbar]{, cache-policy}"},
        {Op::tensor_copy, "9.7.9.27.1.2", {86, 100, true}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster{.cta_group}"
         "{.level::cache_hint} [dstMem], [tensorMap, tensorCoords], [mbar], ctaMask:u16{, cache-policy}"},
        {Op::tensor_copy, "9.7.9.27.1.2", {86, 100, true}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group{.level::cache_hint} "
         "[tensorMap, tensorCoords], [srcMem]{, cache-policy}"},
        {Op::tensor_prefetch, "9.7.9.27.1.4", {86, 100, true}, "cp.async.bulk.prefetch.tensor",
         "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4{.level::cache_hint} [tensorMap, tensorCoords]{, cache-policy}"},
    };
    return rows;
}

// Columns of pixels.
inline std::span<const Row> tensor_column_rows() {
    static constexpr Row rows[] = {
        {Op::tensor_copy, "9.7.9.27.1.2", {80, 90}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.image.dst.global.im2col.mbarrier::complete_tx::bytes{.cta_group}{.level::cache_hint} "
         "[dstMem], [tensorMap, tensorCoords], [mbar], im2colInfo:u16{, cache-policy}; .dst = { .shared::cta@8.6/90, .shared::cluster }"},
        {Op::tensor_copy, "9.7.9.27.1.2", {80, 90}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.image.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster{.cta_group}"
         "{.level::cache_hint} [dstMem], [tensorMap, tensorCoords], [mbar], im2colInfo:u16, ctaMask:u16{, cache-policy}"},
        {Op::tensor_copy, "9.7.9.27.1.2", {80, 90}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.image.global.shared::cta.im2col_no_offs.bulk_group{.level::cache_hint} "
         "[tensorMap, tensorCoords], [srcMem]{, cache-policy}"},
        {Op::tensor_reduce, "9.7.9.27.1.3", {80, 90}, "cp.reduce.async.bulk.tensor",
         "cp.reduce.async.bulk.tensor.image.global.shared::cta.redOp.im2col_no_offs.bulk_group{.level::cache_hint} "
         "[tensorMap, tensorCoords], [srcMem]{, cache-policy}", {tensor_reductions}},
        {Op::tensor_prefetch, "9.7.9.27.1.4", {80, 90}, "cp.async.bulk.prefetch.tensor",
         "cp.async.bulk.prefetch.tensor.image.L2.global.im2col{.level::cache_hint} "
         "[tensorMap, tensorCoords], im2colInfo:u16{, cache-policy}"},
        {later, "9.7.9.27.1.2", {86, 100}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.image.shared::cta.global.wide.mbarrier::complete_tx::bytes{.cta_group}{.level::cache_hint} "
         "[dstMem], [tensorMap, tensorCoords], [mbar], im2colInfo:u16{, cache-policy}; "
         ".wide = { .im2col::w, .im2col::w::128@8.6/100a }"},
        {later, "9.7.9.27.1.2", {86, 100, true}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.image.shared::cluster.global.wide.mbarrier::complete_tx::bytes{.cta_group}{.level::cache_hint} "
         "[dstMem], [tensorMap, tensorCoords], [mbar], im2colInfo:u16{, cache-policy}; .wide = { .im2col::w, .im2col::w::128 }"},
        {later, "9.7.9.27.1.2", {86, 100, true}, "cp.async.bulk.tensor",
         "cp.async.bulk.tensor.image.shared::cluster.global.wide.mbarrier::complete_tx::bytes.multicast::cluster{.cta_group}"
         "{.level::cache_hint} [dstMem], [tensorMap, tensorCoords], [mbar], im2colInfo:u16, ctaMask:u16{, cache-policy}; "
         ".wide = { .im2col::w, .im2col::w::128 }"},
        {later, "9.7.9.27.1.4", {86, 100, true}, "cp.async.bulk.prefetch.tensor",
         "cp.async.bulk.prefetch.tensor.image.L2.global.wide{.level::cache_hint} "
         "[tensorMap, tensorCoords], im2colInfo:u16{, cache-policy}; .wide = { .im2col::w, .im2col::w::128 }"},
    };
    return rows;
}

// Fields of a tensor map other than its array.
inline std::span<const Row> map_field_rows() {
    static constexpr Row rows[] = {
        {Op::map_field, "9.7.9.28", {83, 90, true}, "tensormap.replace", "tensormap.replace.tile.rank{.ss}.b1024.b32 [addr], new_val", {map_spaces}},
        {Op::map_field, "9.7.9.28", {83, 90, true}, "tensormap.replace",
         "tensormap.replace.tile.field{.ss}.b1024.b32 [addr], ord:constant, new_val; .field = { .box_dim, .global_dim, .element_stride }",
         {map_spaces}},
        {Op::map_field, "9.7.9.28", {83, 90, true}, "tensormap.replace",
         "tensormap.replace.tile.global_stride{.ss}.b1024.b64 [addr], ord:constant, new_val", {map_spaces}},
        {Op::map_field, "9.7.9.28", {83, 90, true}, "tensormap.replace",
         "tensormap.replace.tile.field{.ss}.b1024.b32 [addr], new_val:constant; "
         ".field = { .elemtype, .interleave_layout, .swizzle_mode, .swizzle_atomicity@8.6/100a, .fill_mode }", {map_spaces}},
    };
    return rows;
}
// clang-format on

}  // namespace litmus::rows
