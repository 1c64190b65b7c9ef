// The rows, in the order of the enumeration. What an instruction's events are
// is said for the page (model/instructions.md).
#include "ptx/traits.h"

#include <array>

namespace litmus {

namespace {

using Kind = Traits::Kind;
using Family = Traits::Family;
using Result = Traits::Result;
using Orders = KindTraits::Orders;

// clang-format off
constexpr auto traits_of_ops = std::to_array<Traits>({
    {.op = Op::ld, .kind = Kind::load, .family = Family::ld, .result = Result::data, .scoped = true,
     .events = "One read per element; elements are unordered among themselves, and each is ordered with the rest of the thread."},
    {.op = Op::st, .kind = Kind::store, .family = Family::st, .scoped = true,
     .events = "One write per element; elements are unordered among themselves, and each is ordered with the rest of the thread."},
    // 9.7.13.5: .relaxed and .gpu where left out
    {.op = Op::atom, .kind = Kind::atomic, .family = Family::atom, .result = Result::data, .sem = Sem::relaxed, .scoped = true,
     .scope = Scope::gpu, .reduces = true,
     .events = "Per element a read and the write computed from it, one atomic pair; a `cas` that fails writes nothing."},
    // 9.7.13.6: as atom
    {.op = Op::red, .kind = Kind::atomic, .family = Family::red, .sem = Sem::relaxed, .scoped = true, .scope = Scope::gpu, .reduces = true,
     .events = "As `atom`, but what is read reaches no register, so the read never ends an acquire pattern."},
    {.op = Op::suld, .kind = Kind::load, .family = Family::proxy_accesses, .result = Result::data, .scoped = true, .proxy = Proxy::surface,
     .events = "A read through the surface proxy."},
    {.op = Op::sust, .kind = Kind::store, .family = Family::proxy_accesses, .scoped = true, .proxy = Proxy::surface,
     .events = "A write through the surface proxy."},
    {.op = Op::tld, .kind = Kind::load, .family = Family::proxy_accesses, .result = Result::data, .scoped = true, .proxy = Proxy::texture,
     .events = "A read through the texture proxy."},
    {.op = Op::ldc, .kind = Kind::load, .family = Family::proxy_accesses, .result = Result::data, .scoped = true, .proxy = Proxy::constant,
     .events = "A read through the constant proxy."},
    // 9.7.13.4: .acq_rel where left out; membar is fence.sc (instruction.cpp)
    {.op = Op::fence, .kind = Kind::fence, .family = Family::fences, .sem = Sem::acq_rel, .scoped = true,
     .events = "A fence: `.acquire` and `.release` order one way, `.acq_rel` both; all `.sc` fences whose scopes include each other "
               "stand in one order. `.mbarrier_init` orders earlier `mbarrier.init` only, `.sync_restrict` accesses to the named "
               "shared memory only. `membar.{cta,gl,sys}` is `fence.sc.{cta,gpu,sys}`."},
    {.op = Op::fence_proxy, .kind = Kind::proxy_fence, .family = Family::proxy_fences, .scoped = true,
     .events = "A proxy fence between generic accesses and those of the named proxy, in the named state space (all when none is "
               "named), both ways; `async::generic` orders generic accesses before asynchronous ones only, by a releasing and an "
               "acquiring half. `tensormap::generic` likewise orders generic writes of tensor maps before the reads by tensor copies; "
               "its acquiring half covers the one map that it names."},
    {.op = Op::bar_sync, .kind = Kind::cta_barrier, .family = Family::barriers, .waits = true,
     .events = "A barrier event: within one completed use it synchronizes with every `sync` and `red`, and blocks."},
    {.op = Op::bar_arrive, .kind = Kind::cta_barrier, .family = Family::barriers,
     .events = "A barrier event that synchronizes with the `sync` and `red` of its use, and does not block."},
    {.op = Op::bar_red, .kind = Kind::cta_barrier, .family = Family::barriers, .result = Result::data, .waits = true, .reduces = true,
     .events = "As `bar.sync`; its result is computed from the predicates of all threads of the use."},
    {.op = Op::bar_quorum, .kind = Kind::quorum, .family = Family::barriers, .waits = true,
     .events = "The column format's barrier: uses of one instance and barrier synchronize once enough threads reached it."},
    {.op = Op::bar_quorum_arrive, .kind = Kind::quorum, .family = Family::barriers,
     .events = "The column format's barrier, without waiting."},
    {.op = Op::bar_warp_sync, .kind = Kind::warp_barrier, .family = Family::barriers, .waits = true,
     .events = "A barrier event among the lanes of its mask; lanes that have exited count as arrived."},
    // 9.7.13.3: .release
    {.op = Op::cluster_arrive, .kind = Kind::cluster_barrier, .family = Family::barriers, .sem = Sem::release,
     .events = "A barrier event that synchronizes with the `barrier.cluster.wait` of its phase in every thread of the cluster; a "
               "relaxed one only after a releasing fence."},
    // 9.7.13.3: .acquire
    {.op = Op::cluster_wait, .kind = Kind::cluster_barrier, .family = Family::barriers, .sem = Sem::acquire, .waits = true,
     .events = "A barrier event that blocks until every thread of the cluster has arrived or exited."},
    {.op = Op::mov, .kind = Kind::arithmetic, .result = Result::data,
     .events = "No event: carries a value and its dependencies; the source may be the address of a location."},
    {.op = Op::binary, .kind = Kind::arithmetic, .result = Result::data},
    {.op = Op::not_, .kind = Kind::arithmetic, .result = Result::data},
    {.op = Op::neg, .kind = Kind::arithmetic, .result = Result::data},
    {.op = Op::cvt, .kind = Kind::arithmetic, .result = Result::data},
    {.op = Op::setp, .kind = Kind::arithmetic, .result = Result::predicate,
     .events = "No event: compares, and carries dependencies into a predicate."},
    {.op = Op::selp, .kind = Kind::arithmetic, .result = Result::data},
    {.op = Op::bra, .kind = Kind::branch,
     .events = "No event: later events depend on what decided the branch."},
    {.op = Op::exit, .kind = Kind::exit,
     .events = "The end of the thread: it counts as arrived at barriers without a count."},
    {.op = Op::trap, .kind = Kind::exit,
     .events = "The end of all threads: an execution that comes there has no outcome. What races or is undefined before counts, and "
               "who waits then is not stuck."},
    {.op = Op::red_async, .kind = Kind::from_registers, .family = Family::red_async, .scoped = true, .reduces = true,
     .events = "An issue event in program order, and asynchronously a read and a write as of `red`. The relaxed form then performs a "
               "complete-tx of the bytes written on `[mbar]`, release at cluster scope; the releasing form is complete at the end of "
               "the CTA."},
    {.op = Op::st_async, .kind = Kind::from_registers, .family = Family::st_async, .scoped = true,
     .events = "An issue event in program order, and asynchronously a weak write per element, then a complete-tx of the bytes written "
               "on `[mbar]`, release at cluster scope. The releasing form writes with release semantics and is complete at the end of "
               "the CTA."},
    // 9.7.9.25.4.2: each reduction is .relaxed.gpu
    {.op = Op::bulk_reduce, .kind = Kind::bulk, .family = Family::bulk_reduction, .sem = Sem::relaxed, .scope = Scope::gpu,
     .proxy = Proxy::async, .reduces = true,
     .events = "An issue event in program order, and in the async proxy per element a weak read of the source and a relaxed.gpu read "
               "and write of the destination. Then, after an implicit proxy fence, the completion: a complete-tx on `[mbar]`, release "
               "at cluster scope, or that of the bulk group."},
    {.op = Op::bulk_copy, .kind = Kind::bulk, .family = Family::bulk_copies, .proxy = Proxy::async,
     .events = "An issue event in program order, and in the async proxy per element a weak read and a weak write, in every "
               "destination CTA of a multicast. Then, after an implicit proxy fence, the completion: a complete-tx on `[mbar]` (of "
               "each destination CTA), release at cluster scope, or that of the bulk group."},
    {.op = Op::bulk_commit, .kind = Kind::bulk_commit, .family = Family::bulk_copies,
     .events = "Closes a group of the thread's bulk operations since the last one; groups complete in this order."},
    {.op = Op::bulk_wait, .kind = Kind::bulk_wait, .family = Family::bulk_copies, .waits = true,
     .events = "Blocks until at most N of the latest bulk groups are pending: their completions are ordered before it; `.read` waits "
               "for the reads of their sources only."},
    {.op = Op::async_copy, .kind = Kind::copy, .family = Family::copies,
     .events = "An issue event in program order, and asynchronously, in the generic proxy, weak reads and weak writes."},
    {.op = Op::async_commit, .kind = Kind::copy_commit, .family = Family::copies,
     .events = "Closes a group of the thread's `cp.async` since the last one; apart from bulk groups."},
    {.op = Op::async_wait, .kind = Kind::copy_wait, .family = Family::copies, .waits = true,
     .events = "Blocks until at most N of the latest `cp.async` groups are pending; `wait_all` closes a group and waits for all."},
    {.op = Op::async_arrive, .kind = Kind::copy_arrive, .family = Family::copies,
     .events = "An arrival on `[mbar]` once all earlier `cp.async` of the thread are complete; without `.noinc` the pending count "
               "grows by one first."},
    {.op = Op::mbarrier_init, .kind = Kind::mbarrier_life, .family = Family::mbarrier,
     .events = "A weak write of the object: phase 0, `count` arrivals pending and expected, no bytes."},
    {.op = Op::mbarrier_inval, .kind = Kind::mbarrier_life, .family = Family::mbarrier,
     .events = "A weak write: the object is no longer one."},
    // the ISA names no default; semantics.md section 5 takes .relaxed.cta
    {.op = Op::mbarrier_expect_tx, .kind = Kind::mbarrier_count, .family = Family::mbarrier, .sem = Sem::relaxed, .scoped = true,
     .scope = Scope::cta,
     .events = "An atomic update: the tx-count grows; the phase completes if nothing is pending."},
    // as expect_tx
    {.op = Op::mbarrier_complete_tx, .kind = Kind::mbarrier_count, .family = Family::mbarrier, .sem = Sem::relaxed, .scoped = true,
     .scope = Scope::cta,
     .events = "An atomic update: the tx-count shrinks; the phase completes if nothing is pending."},
    // 9.7.13.15.13: .release and .cta
    {.op = Op::mbarrier_arrive, .kind = Kind::mbarrier_arrival, .family = Family::mbarrier, .result = Result::state, .sem = Sem::release,
     .scoped = true, .scope = Scope::cta,
     .events = "An atomic update: `count` fewer arrivals are pending (after the tx-count grew, with `.expect_tx`); the phase "
               "completes if nothing is pending. Returns the phase before, as a state."},
    // 9.7.13.15.14: as arrive
    {.op = Op::mbarrier_arrive_drop, .kind = Kind::mbarrier_arrival, .family = Family::mbarrier, .result = Result::state,
     .sem = Sem::release, .scoped = true, .scope = Scope::cta,
     .events = "As `mbarrier.arrive`, and later phases expect that many arrivals fewer."},
    // 9.7.13.15.16: .acquire and .cta
    {.op = Op::mbarrier_test_wait, .kind = Kind::mbarrier_wait, .family = Family::mbarrier, .result = Result::predicate,
     .sem = Sem::acquire, .scoped = true, .scope = Scope::cta,
     .events = "A read of the object that yields whether the phase of the state, or of the parity, has completed; it synchronizes "
               "with the updates that led there when it has. Awaited, it repeats until then."},
    // 9.7.13.15.16: as test_wait
    {.op = Op::mbarrier_try_wait, .kind = Kind::mbarrier_wait, .family = Family::mbarrier, .result = Result::predicate,
     .sem = Sem::acquire, .scoped = true, .scope = Scope::cta,
     .events = "As `mbarrier.test_wait`; it may take its time before it yields false."},
    {.op = Op::mbarrier_pending_count, .kind = Kind::mbarrier_query, .family = Family::mbarrier, .result = Result::count,
     .events = "No event: the pending count that a state of `.noComplete` holds."},
    {.op = Op::redux_sync, .kind = Kind::warp_reduction, .family = Family::redux, .result = Result::data, .waits = true, .reduces = true,
     .events = "No memory event and no ordering: blocks until every lane of the mask that has not exited is there with the same "
               "qualifiers and mask; the result depends on the sources of all of them."},
    // semantics.md section 2: the path that textures take, which nothing keeps coherent
    {.op = Op::ld_nc, .kind = Kind::load, .family = Family::proxy_accesses, .result = Result::data, .proxy = Proxy::texture,
     .events = "One weak read per element through the texture proxy: no PTX instruction orders it after a write of the kernel, so it "
               "may give what was there before the kernel began, and races with the write."},
    {.op = Op::mad, .kind = Kind::arithmetic, .result = Result::data},
    {.op = Op::cvta, .kind = Kind::arithmetic, .family = Family::addresses, .result = Result::data,
     .events = "No event: the same address; one outside of the named state space is refused."},
    {.op = Op::mapa, .kind = Kind::arithmetic, .family = Family::addresses, .result = Result::data,
     .events = "No event: the address of the same offset in the shared memory of the CTA of that rank."},
    {.op = Op::getctarank, .kind = Kind::arithmetic, .family = Family::addresses, .result = Result::data,
     .events = "No event: the rank, in its cluster, of the CTA whose shared memory the address is in."},
    {.op = Op::isspacep, .kind = Kind::arithmetic, .family = Family::addresses, .result = Result::predicate,
     .events = "No event: whether the address is one of that state space."},
    {.op = Op::activemask, .kind = Kind::arithmetic, .family = Family::warp_exchange, .result = Result::data,
     .events = "No event: the own lane, and any of the warp's other lanes that the test places."},
    {.op = Op::vote_sync, .kind = Kind::warp_reduction, .family = Family::warp_exchange, .result = Result::data, .waits = true,
     .events = "As `redux.sync`, of the lanes' predicates; `ballot` has a bit for each lane."},
    {.op = Op::shfl_sync, .kind = Kind::warp_reduction, .family = Family::warp_exchange, .result = Result::data, .waits = true,
     .events = "As `redux.sync`; the result is the value of the lane that the operands name."},
    {.op = Op::match_sync, .kind = Kind::warp_reduction, .family = Family::warp_exchange, .result = Result::data, .waits = true,
     .events = "As `redux.sync`; the result is the lanes that have the own value or, of `all`, all or none."},
    {.op = Op::elect_sync, .kind = Kind::warp_reduction, .family = Family::warp_exchange, .result = Result::data, .waits = true,
     .events = "As `redux.sync`; the result is one of the lanes that take part, for one mask always the same."},
    {.op = Op::ldmatrix, .kind = Kind::warp_matrix, .family = Family::warp_matrices, .result = Result::data, .waits = true,
     .events = "A weak read of each element of the row that the lane's address names, the elements unordered among themselves; lanes "
               "that give no address read nothing. It blocks until every lane of the warp that has not exited is there, and orders "
               "nothing."},
    {.op = Op::stmatrix, .kind = Kind::warp_matrix, .family = Family::warp_matrices, .waits = true,
     .events = "As `ldmatrix`, with a weak write of each element of the row."},
    {.op = Op::warp_mma, .kind = Kind::arithmetic, .family = Family::warp_matrices, .result = Result::data,
     .events = "No event: carries dependencies from the registers that it reads to those that it writes."},
    {.op = Op::hint, .kind = Kind::hint, .family = Family::hints,
     .events = "No event: a hint to caches, to the scheduler or to a debugger."},
    {.op = Op::policy, .kind = Kind::arithmetic, .family = Family::hints, .result = Result::data,
     .events = "No event: what it writes is a hint to caches, and no value."},
    {.op = Op::grid_trigger, .kind = Kind::grid_trigger, .family = Family::grids,
     .events = "A trigger, where a grid of the test depends on this one programmatically: that grid begins after the first trigger of "
               "each CTA, or the exits of its threads. A releasing fence before it synchronizes with the start of that grid (PTX 9.4)."},
    {.op = Op::grid_wait, .kind = Kind::grid_wait, .family = Family::grids, .waits = true,
     .events = "Blocks until all grids that this one depends on have completed: all that they did is ordered before it, and is "
               "visible to this grid behind it. Where there is none, no event."},
    {.op = Op::wgmma_mma, .kind = Kind::mma, .family = Family::wgmma, .result = Result::data, .proxy = Proxy::async,
     .events = "An issue event in program order, and in the async proxy a weak read of each element of the matrices in shared memory. "
               "Then, after an implicit proxy fence, the completion of its wgmma-group. The thread of the test stands for its "
               "warpgroup."},
    {.op = Op::wgmma_fence, .kind = Kind::mma_fence, .family = Family::wgmma,
     .events = "No event: registers accessed before may be used by the `wgmma.mma_async` that follow. It orders no memory."},
    {.op = Op::wgmma_commit, .kind = Kind::mma_commit, .family = Family::wgmma,
     .events = "Closes a wgmma-group of the `wgmma.mma_async` since the last one."},
    {.op = Op::wgmma_wait, .kind = Kind::mma_wait, .family = Family::wgmma, .waits = true,
     .events = "Blocks until at most N of the latest wgmma-groups are pending: their completions are ordered before it."},
    {.op = Op::multimem_load, .kind = Kind::load, .family = Family::multimem, .result = Result::data, .scoped = true, .reduces = true,
     .events = "A read of each location that the address points to, in no order; the result is the reduction of their values, "
               "floating-point numbers added in any order."},
    {.op = Op::multimem_store, .kind = Kind::store, .family = Family::multimem, .scoped = true,
     .events = "A write to each location that the address points to, in no order."},
    // 9.7.9.14: .relaxed and .sys where left out
    {.op = Op::multimem_reduce, .kind = Kind::atomic, .family = Family::multimem, .sem = Sem::relaxed, .scoped = true,
     .scope = Scope::sys, .reduces = true,
     .events = "At each location that the address points to, in no order, what `red` is at one."},
    // PTX 9.3, beside 9.7.9.12
    {.op = Op::multimem_store_async, .kind = Kind::from_registers, .family = Family::multimem, .scoped = true,
     .events = "As `st.async.release`, with a write to each location that the address points to, in no order."},
    // PTX 9.3, beside 9.7.13.7
    {.op = Op::multimem_reduce_async, .kind = Kind::from_registers, .family = Family::multimem, .sem = Sem::relaxed, .scoped = true,
     .reduces = true,
     .events = "As `red.async.release`, at each location that the address points to, in no order."},
    {.op = Op::multimem_bulk_copy, .kind = Kind::bulk, .family = Family::multimem, .proxy = Proxy::async,
     .events = "As `cp.async.bulk` to global memory, with a write to each location that the address points to."},
    // 9.7.9.27: each reduction is .relaxed.sys
    {.op = Op::multimem_bulk_reduce, .kind = Kind::bulk, .family = Family::multimem, .sem = Sem::relaxed, .scope = Scope::sys,
     .proxy = Proxy::async, .reduces = true,
     .events = "As `cp.reduce.async.bulk` to global memory, with a relaxed.sys read and write of each location that the address "
               "points to."},
    {.op = Op::tensor_copy, .kind = Kind::tensor, .family = Family::tensor, .proxy = Proxy::async,
     .events = "As `cp.async.bulk`, for the elements of the box: those in shared memory lie densely. Elements outside of the tensor "
               "are not read, and zeros are written for them in shared memory; in global memory they are not written. The completion "
               "counts the bytes of the whole box."},
    // 9.7.9.27.1.3: each reduction is .relaxed.gpu
    {.op = Op::tensor_reduce, .kind = Kind::tensor, .family = Family::tensor, .sem = Sem::relaxed, .scope = Scope::gpu,
     .proxy = Proxy::async, .reduces = true,
     .events = "As `cp.reduce.async.bulk` to global memory, for the elements of the box that are in the tensor; their type is the "
               "tensor's."},
    {.op = Op::tensor_prefetch, .kind = Kind::hint, .family = Family::tensor,
     .events = "No event: a hint to the cache."},
    {.op = Op::map_replace, .kind = Kind::map_write, .family = Family::tensor,
     .events = "A weak write of the tensor map."},
    {.op = Op::map_field, .kind = Kind::map_write, .family = Family::tensor,
     .events = "A weak read of the tensor map and a weak write of it, which leaves the array that it stands for. The field gets what the "
               "test declares: the shape of a map does not change."},
    {.op = Op::map_copy, .kind = Kind::map_write, .family = Family::tensor, .scoped = true,
     .events = "A weak read of the tensor map in shared memory, a weak write of that in global memory, and then a proxy fence: the "
               "releasing half of `tensormap::generic` for this write."},
    {.op = Op::tcgen_mma, .kind = Kind::tcgen, .family = Family::tcgen, .proxy = Proxy::async,
     .events = "An issue event in program order, in the async proxy a weak read of each element of the matrices in shared memory, and "
               "in tensor memory a read of A, if it lies there, of the factors of blocks and of what says where a sparse matrix has "
               "elements, and a write of D. A `tcgen05.commit` tells of its completion."},
    {.op = Op::tcgen_copy, .kind = Kind::tcgen, .family = Family::tcgen, .proxy = Proxy::async,
     .events = "An issue event, in the async proxy a weak read of each element of the source, and a write of tensor memory. A "
               "`tcgen05.commit` tells of its completion."},
    {.op = Op::tcgen_load, .kind = Kind::tcgen, .family = Family::tcgen, .result = Result::data, .proxy = Proxy::tensor,
     .events = "An issue event, a read of tensor memory, and a completion for `tcgen05.wait::ld`. The thread of the test stands for "
               "its warp."},
    {.op = Op::tcgen_store, .kind = Kind::tcgen, .family = Family::tcgen, .proxy = Proxy::tensor,
     .events = "An issue event, a write of tensor memory, and a completion for `tcgen05.wait::st`. The thread of the test stands for "
               "its warp."},
    {.op = Op::tcgen_wait, .kind = Kind::tcgen_wait, .family = Family::tcgen, .waits = true,
     .events = "Blocks until all prior `tcgen05.ld`, or `tcgen05.st`, of the thread are complete: their completions are ordered "
               "before it."},
    {.op = Op::tcgen_commit, .kind = Kind::tcgen_commit, .family = Family::tcgen, .sem = Sem::release, .scope = Scope::cluster,
     .events = "An issue event, and an arrive-on(1) of each mbarrier object, release at cluster scope, after all accesses of the "
               "thread's prior `tcgen05.mma` and `tcgen05.cp`."},
    {.op = Op::tcgen_fence, .kind = Kind::tcgen_fence, .family = Family::tcgen,
     .events = "One event, by which operations on tensor memory before `::before_thread_sync` are ordered with those after "
               "`::after_thread_sync` in another thread. It orders nothing else."},
    {.op = Op::tcgen_alloc, .kind = Kind::tcgen_life, .family = Family::tcgen,
     .events = "A weak write of the address that it allocates, which the model takes to be 32. It waits for columns, and of "
               "`.cta_group::2` for the peer."},
    {.op = Op::tcgen_dealloc, .kind = Kind::tcgen_life, .family = Family::tcgen, .proxy = Proxy::tensor,
     .events = "A write of the tensor memory that it gives back, in program order."},
    {.op = Op::tcgen_relinquish, .kind = Kind::tcgen_life, .family = Family::tcgen,
     .events = "One event, after which the CTA allocates no tensor memory. It orders nothing."},
    {.op = Op::st_bulk, .kind = Kind::fill, .family = Family::st,
     .events = "A weak write of 0 to each element of the range, unordered among themselves."},
    {.op = Op::discard, .kind = Kind::fill, .family = Family::hints,
     .events = "A weak write of an indeterminate value to each element of the range. To read it is undefined."},
    {.op = Op::try_cancel, .kind = Kind::cancellation, .family = Family::bulk_copies, .proxy = Proxy::async,
     .events = "An issue event, in the async proxy a weak write of each element of the answer's 16 bytes, which are all 0 or all 1, "
               "and then, after an implicit proxy fence, complete_tx(16), release at cluster scope."},
    {.op = Op::query_cancel, .kind = Kind::cancellation_query, .family = Family::bulk_copies, .result = Result::data,
     .events = "No event: whether the answer in the register says that a cluster was cancelled. Which CTA was its first has no value "
               "here."},
});

constexpr auto traits_of_kinds = std::to_array<KindTraits>({
    {.kind = Kind::load, .alone = true},
    {.kind = Kind::store, .alone = true},
    {.kind = Kind::atomic, .alone = true},
    {.kind = Kind::fence, .orders = Orders::fence, .alone = true},
    {.kind = Kind::proxy_fence, .orders = Orders::fence, .alone = true},
    {.kind = Kind::cta_barrier, .orders = Orders::barrier},
    {.kind = Kind::quorum, .orders = Orders::barrier},
    {.kind = Kind::warp_barrier, .orders = Orders::barrier},
    {.kind = Kind::cluster_barrier, .orders = Orders::barrier},
    {.kind = Kind::warp_reduction},
    {.kind = Kind::warp_matrix},
    {.kind = Kind::arithmetic, .alone = true, .registers = true},
    {.kind = Kind::hint, .alone = true},
    {.kind = Kind::grid_trigger, .alone = true},
    {.kind = Kind::grid_wait, .orders = Orders::wait},
    {.kind = Kind::branch, .alone = true},
    {.kind = Kind::exit, .alone = true},
    {.kind = Kind::from_registers, .asynchronous = true},
    {.kind = Kind::bulk, .asynchronous = true, .copies = true},
    {.kind = Kind::tensor, .asynchronous = true, .copies = true},
    {.kind = Kind::map_write, .alone = true},
    {.kind = Kind::bulk_commit, .asynchronous = true},
    {.kind = Kind::bulk_wait, .orders = Orders::wait, .asynchronous = true},
    {.kind = Kind::copy, .asynchronous = true, .copies = true},
    {.kind = Kind::copy_commit, .asynchronous = true},
    {.kind = Kind::copy_wait, .orders = Orders::wait, .asynchronous = true},
    {.kind = Kind::copy_arrive, .asynchronous = true},
    {.kind = Kind::mbarrier_life, .mbarrier = true},
    {.kind = Kind::mbarrier_count, .mbarrier = true},
    {.kind = Kind::mbarrier_arrival, .mbarrier = true},
    {.kind = Kind::mbarrier_wait, .orders = Orders::wait, .mbarrier = true},
    {.kind = Kind::mbarrier_query, .mbarrier = true, .registers = true},
    {.kind = Kind::mma, .asynchronous = true},
    {.kind = Kind::mma_fence, .orders = Orders::fence, .asynchronous = true},
    {.kind = Kind::mma_commit, .asynchronous = true},
    {.kind = Kind::mma_wait, .orders = Orders::wait, .asynchronous = true},
    {.kind = Kind::tcgen, .asynchronous = true},
    {.kind = Kind::tcgen_commit, .asynchronous = true},
    {.kind = Kind::tcgen_wait, .orders = Orders::wait, .asynchronous = true},
    {.kind = Kind::tcgen_fence, .orders = Orders::fence, .asynchronous = true},
    {.kind = Kind::tcgen_life},
    {.kind = Kind::fill, .alone = true},
    {.kind = Kind::cancellation, .asynchronous = true},
    {.kind = Kind::cancellation_query, .alone = true, .registers = true},
});
// clang-format on

// Each row stands at the place of its word.
template <typename Rows, typename Word>
constexpr bool in_order(const Rows& table, Word last, auto word) {
    for (size_t i = 0; i < table.size(); ++i)
        if (static_cast<size_t>(word(table[i])) != i) return false;
    return table.size() == static_cast<size_t>(last) + 1;
}
static_assert(in_order(traits_of_ops, Op::last, [](const Traits& t) { return t.op; }));
static_assert(in_order(traits_of_kinds, Kind::last, [](const KindTraits& t) { return t.kind; }));

}  // namespace

const Traits& traits(Op op) {
    return traits_of_ops.at(static_cast<size_t>(op));
}

const KindTraits& traits(Traits::Kind kind) {
    return traits_of_kinds.at(static_cast<size_t>(kind));
}

bool is_load(Op op) {
    return kind(op) == Kind::load;
}

bool is_copy(Op op) {
    return traits(kind(op)).copies;
}

bool is_asynchronous(Op op) {
    return traits(kind(op)).asynchronous;
}

bool is_mbarrier(Op op) {
    return traits(kind(op)).mbarrier;
}

bool is_arithmetic(Op op) {
    return traits(kind(op)).registers;
}

bool is_multimem(Op op) {
    return traits(op).family == Family::multimem;
}

bool is_barrier(Op op) {
    return kind(op) == Kind::cta_barrier || kind(op) == Kind::cluster_barrier;
}

bool meets_others(Op op) {
    return !traits(kind(op)).alone;
}

}  // namespace litmus
