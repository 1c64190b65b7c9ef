// The rows of what kernels have besides (rows.h): reads past the coherent caches, products of several widths, addresses of a cluster, what
// the lanes of a warp exchange, and hints.
#pragma once

#include "ptx/rows.h"

namespace litmus::rows {

// clang-format off
inline std::span<const Row> helper_rows() {
    constexpr std::string_view shared_windows = ".space = { .global, .shared, .shared::cta@7.8/70, .shared::cluster@7.8/90 }";
    static constexpr Row rows[] = {
        {Op::ld_nc, "9.7.9.9", {60, 70}, "ld",
         "ld.global{.cop}.nc{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy}; .cop = { .ca, .cg, .cs }",
         {narrow_vectors, wide_vectors}},
        {Op::ld_nc, "9.7.9.9", {74, 70}, "ld",
         "ld.global.nc{.level1::eviction_priority}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy}",
         {narrow_vectors, wide_vectors}},
        {Op::ld_nc, "9.7.9.9", {88, 100}, "ld",
         "ld.global.nc{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.level::prefetch_size}.vec.type "
         "d|_, [a]{, cache-policy}",
         {eight_vectors, four_vectors}},
        {Op::ld_nc, "9.7.9.9", {83, 70}, "ld",
         "ld.global{.cop}.nc{.level::cache_hint}{.level::prefetch_size}.b128 d, [a]{, cache-policy}; .cop = { .ca, .cg, .cs }"},
        {Op::ld_nc, "9.7.9.9", {83, 70}, "ld",
         "ld.global.nc{.level1::eviction_priority}{.level::cache_hint}{.level::prefetch_size}.b128 d, [a]{, cache-policy}"},

        {Op::mad, "9.7.1.4", {60, 70}, "mad", "mad.lo.integer d, a, b, c"},
        {Op::mad, "9.7.1.4", {60, 70}, "mad", "mad.hi.type d, a, b, c; .type = { .u16, .u32, .s16, .s32 }"},
        {later, "9.7.1.4", {60, 70}, "mad", "mad.hi.type d, a, b, c; .type = { .u64, .s64 }"},
        {later, "9.7.1.4", {60, 70}, "mad", "mad.hi.sat.s32 d, a, b, c"},
        {Op::mad, "9.7.1.4", {60, 70}, "mad", "mad.wide.type d:u32, a, b, c:u32; .type = { .u16 }"},
        {Op::mad, "9.7.1.4", {60, 70}, "mad", "mad.wide.type d:s32, a, b, c:s32; .type = { .s16 }"},
        {Op::mad, "9.7.1.4", {60, 70}, "mad", "mad.wide.type d:u64, a, b, c:u64; .type = { .u32 }"},
        {Op::mad, "9.7.1.4", {60, 70}, "mad", "mad.wide.type d:s64, a, b, c:s64; .type = { .s32 }"},

        {Op::cvta, "9.7.9.20", {60, 70}, "cvta", "cvta.space.u64 d, a|avar", {shared_windows}},
        {Op::cvta, "9.7.9.20", {60, 70}, "cvta", "cvta.to.space.u64 d, a", {shared_windows}},
        {later, "9.7.9.20", {60, 70}, "cvta", "cvta{.to}.space.u64 d, a; .space = { .const, .local, .param, .param::entry }"},
        {Op::mapa, "9.7.9.23", {78, 90}, "mapa", "mapa{.shared::cluster}.type d, a|avar, b:u32; .type = { .u32, .u64 }"},
        {Op::getctarank, "9.7.9.24", {78, 90}, "getctarank", "getctarank{.shared::cluster}.type d:u32, a|avar; .type = { .u32, .u64 }"},
        {Op::isspacep, "9.7.9.19", {60, 70}, "isspacep",
         "isspacep.space p, a:u64; .space = { .global, .shared, .shared::cta@7.8/70, .shared::cluster@7.8/90, .const, .local, "
         ".param@7.7/70, .param::entry@8.3/70 }"},

        {Op::activemask, "9.7.13.11", {62, 70}, "activemask", "activemask.b32 d"},
        {Op::vote_sync, "9.7.13.9", {60, 70}, "vote.sync",
         "vote.sync.mode.pred d, {!}a=predicate:pred, membermask:b32; .mode = { .all, .any, .uni }"},
        {Op::vote_sync, "9.7.13.9", {60, 70}, "vote.sync", "vote.sync.ballot.b32 d, {!}a=predicate:pred, membermask:b32"},
        {Op::shfl_sync, "9.7.9.6", {60, 70}, "shfl.sync",
         "shfl.sync.mode.b32 d{|p}, a, b:u32, c:u32, membermask:b32; .mode = { .up, .down, .bfly, .idx }"},
        {Op::match_sync, "9.7.13.10", {60, 70}, "match", 
         "match.mode.sync.type d:b32, a, membermask:b32; .mode = { .any }; .type = { .b32, .b64 }"},
        {Op::match_sync, "9.7.13.10", {60, 70}, "match", "match.all.sync.type d|_:b32{|p|_}, a, membermask:b32; .type = { .b32, .b64 }"},
        {Op::elect_sync, "9.7.13.14", {80, 90}, "elect.sync", "elect.sync d|_|p, membermask:b32"},

        {Op::hint, "9.7.9.15", {60, 70}, "prefetch", "prefetch{.space}.level [a]; .space = { .global }; .level = { .L1, .L2 }"},
        {Op::hint, "9.7.9.15", {74, 80}, "prefetch", "prefetch.global.level [a]; .level = { .L2::evict_last, .L2::evict_normal }"},
        {later, "9.7.9.15", {60, 70}, "prefetch", "prefetch.local.level [a]; .level = { .L1, .L2 }"},
        {Op::hint, "9.7.9.15", {60, 70}, "prefetchu", "prefetchu.L1 [a]"},
        {Op::hint, "9.7.9.16", {74, 80}, "applypriority", "applypriority{.global}.L2::evict_normal [a], size:constant"},
        {Op::hint, "9.7.19.2", {63, 70}, "nanosleep", "nanosleep.u32 a"},
        {Op::grid_trigger, "9.7.13.13", {78, 90}, "griddepcontrol", "griddepcontrol.launch_dependents"},
        {Op::grid_wait, "9.7.13.13", {78, 90}, "griddepcontrol", "griddepcontrol.wait"},
        {Op::hint, "9.7.19.1", {60, 70}, "brkpt", "brkpt"},
        {Op::hint, "9.7.19.3", {60, 70}, "pmevent", "pmevent event=a:constant"},
        {Op::hint, "9.7.19.3", {60, 70}, "pmevent", "pmevent.mask events=a:constant"},
        {Op::hint, "9.7.19.5", {80, 90}, "setmaxnreg",
         "setmaxnreg.action.sync.aligned.u32 registers=a:constant; .action = { .inc, .dec }"},
        {Op::hint, "9.7.9.25.4.3", {80, 90}, "cp.async.bulk.prefetch",
         "cp.async.bulk.prefetch.L2.global{.level::cache_hint} [srcMem], size:u32{, cache-policy}"},
        {later, "9.7.9.18", {74, 80}, "createpolicy",
         "createpolicy.range{.global}.primary{.secondary}.b64 d, [a], b:u32, c:u32; "
         ".primary = { .L2::evict_last, .L2::evict_normal, .L2::evict_first, .L2::evict_unchanged }; "
         ".secondary = { .L2::evict_first, .L2::evict_unchanged }"},
        {Op::policy, "9.7.9.18", {74, 80}, "createpolicy",
         "createpolicy.fractional.primary{.secondary}.b64 d{, fraction=a:f32}; "
         ".primary = { .L2::evict_last, .L2::evict_normal, .L2::evict_first, .L2::evict_unchanged }; "
         ".secondary = { .L2::evict_first, .L2::evict_unchanged }"},
        {Op::policy, "9.7.9.18", {74, 80}, "createpolicy", "createpolicy.cvt.L2.b64 d, a"},
    };
    return rows;
}
// clang-format on

}  // namespace litmus::rows
