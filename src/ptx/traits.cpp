// The rows, in the order of the enumeration. What an instruction's events are is said for the page (model/instructions.md).
#include "ptx/traits.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace litmus {

namespace {

using Kind = Traits::Kind;
using Family = Traits::Family;
using Result = Traits::Result;

constexpr Traits row(Op op) {
    switch (op) {
        case Op::ld:
            return {.kind = Kind::load,
                    .family = Family::ld,
                    .result = Result::data,
                    .scoped = true,
                    .events =
                        "One read per element; elements are unordered among themselves, and each is ordered with the "
                        "rest of the thread."};
        case Op::st:
            return {.kind = Kind::store,
                    .family = Family::st,
                    .scoped = true,
                    .events =
                        "One write per element; elements are unordered among themselves, and each is ordered with the "
                        "rest of the thread."};
        case Op::atom:  // 9.7.13.5: .relaxed and .gpu where left out
            return {.kind = Kind::atomic,
                    .family = Family::atom,
                    .result = Result::data,
                    .sem = Sem::relaxed,
                    .scoped = true,
                    .scope = Scope::gpu,
                    .reduces = true,
                    .events =
                        "Per element a read and the write computed from it, one atomic pair; a `cas` that fails writes "
                        "nothing."};
        case Op::red:  // 9.7.13.6: the same
            return {.kind = Kind::atomic,
                    .family = Family::red,
                    .sem = Sem::relaxed,
                    .scoped = true,
                    .scope = Scope::gpu,
                    .reduces = true,
                    .events = "As `atom`, but what is read reaches no register, so the read never ends an acquire pattern."};
        case Op::suld:
            return {.kind = Kind::load,
                    .family = Family::proxy_accesses,
                    .result = Result::data,
                    .scoped = true,
                    .proxy = Proxy::surface,
                    .events = "A read through the surface proxy."};
        case Op::sust:
            return {.kind = Kind::store,
                    .family = Family::proxy_accesses,
                    .scoped = true,
                    .proxy = Proxy::surface,
                    .events = "A write through the surface proxy."};
        case Op::tld:
            return {.kind = Kind::load,
                    .family = Family::proxy_accesses,
                    .result = Result::data,
                    .scoped = true,
                    .proxy = Proxy::texture,
                    .events = "A read through the texture proxy."};
        case Op::ldc:
            return {.kind = Kind::load,
                    .family = Family::proxy_accesses,
                    .result = Result::data,
                    .scoped = true,
                    .proxy = Proxy::constant,
                    .events = "A read through the constant proxy."};
        case Op::fence:  // 9.7.13.4: .acq_rel where left out; membar is fence.sc (instruction.cpp)
            return {.kind = Kind::fence,
                    .family = Family::fences,
                    .sem = Sem::acq_rel,
                    .scoped = true,
                    .events =
                        "A fence: `.acquire` and `.release` order one way, `.acq_rel` both; all `.sc` fences whose "
                        "scopes include each other stand in one order. `.mbarrier_init` orders earlier `mbarrier.init` "
                        "only, `.sync_restrict` accesses to the named shared memory only. `membar.{cta,gl,sys}` is "
                        "`fence.sc.{cta,gpu,sys}`."};
        case Op::fence_proxy:
            return {.kind = Kind::proxy_fence,
                    .family = Family::proxy_fences,
                    .scoped = true,
                    .events =
                        "A proxy fence between generic accesses and those of the named proxy, in the named state space "
                        "(all when none is named), both ways; `async::generic` orders generic accesses before "
                        "asynchronous ones only, by a releasing and an acquiring half. `tensormap::generic` likewise orders generic "
                        "writes of tensor maps before the reads by tensor copies; its acquiring half covers the one map that it names."};
        case Op::bar_sync:
            return {.kind = Kind::cta_barrier,
                    .family = Family::barriers,
                    .waits = true,
                    .events =
                        "A barrier event: within one completed use it synchronizes with every `sync` and `red`, and "
                        "blocks."};
        case Op::bar_arrive:
            return {.kind = Kind::cta_barrier,
                    .family = Family::barriers,
                    .events = "A barrier event that synchronizes with the `sync` and `red` of its use, and does not block."};
        case Op::bar_red:
            return {.kind = Kind::cta_barrier,
                    .family = Family::barriers,
                    .result = Result::data,
                    .waits = true,
                    .reduces = true,
                    .events = "As `bar.sync`; its result is computed from the predicates of all threads of the use."};
        case Op::bar_quorum:
            return {.kind = Kind::quorum,
                    .family = Family::barriers,
                    .waits = true,
                    .events =
                        "The column format's barrier: uses of one instance and barrier synchronize once enough threads "
                        "reached it."};
        case Op::bar_quorum_arrive:
            return {.kind = Kind::quorum, .family = Family::barriers, .events = "The column format's barrier, without waiting."};
        case Op::bar_warp_sync:
            return {.kind = Kind::warp_barrier,
                    .family = Family::barriers,
                    .waits = true,
                    .events = "A barrier event among the lanes of its mask; lanes that have exited count as arrived."};
        case Op::cluster_arrive:  // 9.7.13.3: .release
            return {.kind = Kind::cluster_barrier,
                    .family = Family::barriers,
                    .sem = Sem::release,
                    .events =
                        "A barrier event that synchronizes with the `barrier.cluster.wait` of its phase in every thread "
                        "of the cluster; a relaxed one only after a releasing fence."};
        case Op::cluster_wait:  // 9.7.13.3: .acquire
            return {.kind = Kind::cluster_barrier,
                    .family = Family::barriers,
                    .sem = Sem::acquire,
                    .waits = true,
                    .events = "A barrier event that blocks until every thread of the cluster has arrived or exited."};
        case Op::mov:
            return {.kind = Kind::arithmetic,
                    .result = Result::data,
                    .events = "No event: carries a value and its dependencies; the source may be the address of a location."};
        case Op::add:
            return {.kind = Kind::arithmetic, .result = Result::data, .computes = Operator::add};
        case Op::sub:
            return {.kind = Kind::arithmetic, .result = Result::data, .computes = Operator::sub};
        case Op::mul:
            return {.kind = Kind::arithmetic, .result = Result::data, .computes = Operator::mul};
        case Op::and_:
            return {.kind = Kind::arithmetic, .result = Result::data, .computes = Operator::and_};
        case Op::or_:
            return {.kind = Kind::arithmetic, .result = Result::data, .computes = Operator::or_};
        case Op::xor_:
            return {.kind = Kind::arithmetic, .result = Result::data, .computes = Operator::xor_};
        case Op::not_:
            return {.kind = Kind::arithmetic, .result = Result::data};
        case Op::neg:
            return {.kind = Kind::arithmetic, .result = Result::data};
        case Op::shl:
            return {.kind = Kind::arithmetic, .result = Result::data, .computes = Operator::shl};
        case Op::shr:
            return {.kind = Kind::arithmetic, .result = Result::data, .computes = Operator::shr};
        case Op::min:
            return {.kind = Kind::arithmetic, .result = Result::data, .computes = Operator::min};
        case Op::max:
            return {.kind = Kind::arithmetic, .result = Result::data, .computes = Operator::max};
        case Op::cvt:
            return {.kind = Kind::arithmetic, .result = Result::data};
        case Op::setp:
            return {.kind = Kind::arithmetic,
                    .result = Result::predicate,
                    .events = "No event: compares, and carries dependencies into a predicate."};
        case Op::selp:
            return {.kind = Kind::arithmetic, .result = Result::data};
        case Op::bra:
            return {.kind = Kind::branch, .events = "No event: later events depend on what decided the branch."};
        case Op::exit:
            return {.kind = Kind::exit, .events = "The end of the thread: it counts as arrived at barriers without a count."};
        case Op::red_async:
            return {.kind = Kind::from_registers,
                    .family = Family::red_async,
                    .scoped = true,
                    .reduces = true,
                    .events =
                        "An issue event in program order, and asynchronously a read and a write as of `red`. The relaxed "
                        "form then performs a complete-tx of the bytes written on `[mbar]`, release at cluster scope; "
                        "the releasing form is complete at the end of the CTA."};
        case Op::st_async:
            return {.kind = Kind::from_registers,
                    .family = Family::st_async,
                    .scoped = true,
                    .events =
                        "An issue event in program order, and asynchronously a weak write per element, then a "
                        "complete-tx of the bytes written on `[mbar]`, release at cluster scope. The releasing form "
                        "writes with release semantics and is complete at the end of the CTA."};
        case Op::bulk_reduce:  // 9.7.9.25.4.2: each reduction is .relaxed.gpu
            return {.kind = Kind::bulk,
                    .family = Family::bulk_reduction,
                    .sem = Sem::relaxed,
                    .scope = Scope::gpu,
                    .proxy = Proxy::async,
                    .reduces = true,
                    .events =
                        "An issue event in program order, and in the async proxy per element a weak read of the source "
                        "and a relaxed.gpu read and write of the destination. Then, after an implicit proxy fence, the "
                        "completion: a complete-tx on `[mbar]`, release at cluster scope, or that of the bulk group."};
        case Op::bulk_copy:
            return {.kind = Kind::bulk,
                    .family = Family::bulk_copies,
                    .proxy = Proxy::async,
                    .events =
                        "An issue event in program order, and in the async proxy per element a weak read and a weak "
                        "write, in every destination CTA of a multicast. Then, after an implicit proxy fence, the "
                        "completion: a complete-tx on `[mbar]` (of each destination CTA), release at cluster scope, or "
                        "that of the bulk group."};
        case Op::bulk_commit:
            return {.kind = Kind::bulk_commit,
                    .family = Family::bulk_copies,
                    .events =
                        "Closes a group of the thread's bulk operations since the last one; groups complete in this "
                        "order."};
        case Op::bulk_wait:
            return {.kind = Kind::bulk_wait,
                    .family = Family::bulk_copies,
                    .waits = true,
                    .events =
                        "Blocks until at most N of the latest bulk groups are pending: their completions are ordered "
                        "before it; `.read` waits for the reads of their sources only."};
        case Op::async_copy:
            return {.kind = Kind::copy,
                    .family = Family::copies,
                    .events =
                        "An issue event in program order, and asynchronously, in the generic proxy, weak reads and weak "
                        "writes."};
        case Op::async_commit:
            return {.kind = Kind::copy_commit,
                    .family = Family::copies,
                    .events = "Closes a group of the thread's `cp.async` since the last one; apart from bulk groups."};
        case Op::async_wait:
            return {.kind = Kind::copy_wait,
                    .family = Family::copies,
                    .waits = true,
                    .events =
                        "Blocks until at most N of the latest `cp.async` groups are pending; `wait_all` closes a group "
                        "and waits for all."};
        case Op::async_arrive:
            return {.kind = Kind::copy_arrive,
                    .family = Family::copies,
                    .events =
                        "An arrival on `[mbar]` once all earlier `cp.async` of the thread are complete; without `.noinc` "
                        "the pending count grows by one first."};
        case Op::mbarrier_init:
            return {.kind = Kind::mbarrier_life,
                    .family = Family::mbarrier,
                    .events = "A weak write of the object: phase 0, `count` arrivals pending and expected, no bytes."};
        case Op::mbarrier_inval:
            return {.kind = Kind::mbarrier_life, .family = Family::mbarrier, .events = "A weak write: the object is no longer one."};
        case Op::mbarrier_expect_tx:  // the ISA names no default; semantics.md section 5 takes .relaxed.cta
            return {.kind = Kind::mbarrier_count,
                    .family = Family::mbarrier,
                    .sem = Sem::relaxed,
                    .scoped = true,
                    .scope = Scope::cta,
                    .events = "An atomic update: the tx-count grows; the phase completes if nothing is pending."};
        case Op::mbarrier_complete_tx:  // the same
            return {.kind = Kind::mbarrier_count,
                    .family = Family::mbarrier,
                    .sem = Sem::relaxed,
                    .scoped = true,
                    .scope = Scope::cta,
                    .events = "An atomic update: the tx-count shrinks; the phase completes if nothing is pending."};
        case Op::mbarrier_arrive:  // 9.7.13.15.13: .release and .cta
            return {.kind = Kind::mbarrier_arrival,
                    .family = Family::mbarrier,
                    .result = Result::state,
                    .sem = Sem::release,
                    .scoped = true,
                    .scope = Scope::cta,
                    .events =
                        "An atomic update: `count` fewer arrivals are pending (after the tx-count grew, with "
                        "`.expect_tx`); the phase completes if nothing is pending. Returns the phase before, as a state."};
        case Op::mbarrier_arrive_drop:  // 9.7.13.15.14: the same
            return {.kind = Kind::mbarrier_arrival,
                    .family = Family::mbarrier,
                    .result = Result::state,
                    .sem = Sem::release,
                    .scoped = true,
                    .scope = Scope::cta,
                    .events = "As `mbarrier.arrive`, and later phases expect that many arrivals fewer."};
        case Op::mbarrier_test_wait:  // 9.7.13.15.16: .acquire and .cta
            return {.kind = Kind::mbarrier_wait,
                    .family = Family::mbarrier,
                    .result = Result::predicate,
                    .sem = Sem::acquire,
                    .scoped = true,
                    .scope = Scope::cta,
                    .events =
                        "A read of the object that yields whether the phase of the state, or of the parity, has "
                        "completed; it synchronizes with the updates that led there when it has. Awaited, it repeats "
                        "until then."};
        case Op::mbarrier_try_wait:  // 9.7.13.15.16: the same
            return {.kind = Kind::mbarrier_wait,
                    .family = Family::mbarrier,
                    .result = Result::predicate,
                    .sem = Sem::acquire,
                    .scoped = true,
                    .scope = Scope::cta,
                    .events = "As `mbarrier.test_wait`; it may take its time before it yields false."};
        case Op::mbarrier_pending_count:
            return {.kind = Kind::mbarrier_query,
                    .family = Family::mbarrier,
                    .result = Result::count,
                    .events = "No event: the pending count that a state of `.noComplete` holds."};
        case Op::redux_sync:
            return {.kind = Kind::warp_reduction,
                    .family = Family::redux,
                    .result = Result::data,
                    .waits = true,
                    .reduces = true,
                    .events =
                        "No memory event and no ordering: blocks until every lane of the mask that has not exited is "
                        "there with the same qualifiers and mask; the result depends on the sources of all of them."};
        case Op::ld_nc:  // semantics.md section 2: the path that textures take, which nothing keeps coherent
            return {.kind = Kind::load,
                    .family = Family::proxy_accesses,
                    .result = Result::data,
                    .proxy = Proxy::texture,
                    .events =
                        "One weak read per element through the texture proxy: no PTX instruction orders it after a write of the "
                        "kernel, so it may give what was there before the kernel began, and races with the write."};
        case Op::mad:
            return {.kind = Kind::arithmetic, .result = Result::data};
        case Op::cvta:
            return {.kind = Kind::arithmetic,
                    .family = Family::addresses,
                    .result = Result::data,
                    .events = "No event: the same address; one outside of the named state space is refused."};
        case Op::mapa:
            return {.kind = Kind::arithmetic,
                    .family = Family::addresses,
                    .result = Result::data,
                    .events = "No event: the address of the same offset in the shared memory of the CTA of that rank."};
        case Op::getctarank:
            return {.kind = Kind::arithmetic,
                    .family = Family::addresses,
                    .result = Result::data,
                    .events = "No event: the rank, in its cluster, of the CTA whose shared memory the address is in."};
        case Op::isspacep:
            return {.kind = Kind::arithmetic,
                    .family = Family::addresses,
                    .result = Result::predicate,
                    .events = "No event: whether the address is one of that state space."};
        case Op::activemask:
            return {.kind = Kind::arithmetic,
                    .family = Family::warp_exchange,
                    .result = Result::data,
                    .events = "No event: the own lane, and any of the warp's other lanes that the test places."};
        case Op::vote_sync:
            return {.kind = Kind::warp_reduction,
                    .family = Family::warp_exchange,
                    .result = Result::data,
                    .waits = true,
                    .events = "As `redux.sync`, of the lanes' predicates; `ballot` has a bit for each lane."};
        case Op::shfl_sync:
            return {.kind = Kind::warp_reduction,
                    .family = Family::warp_exchange,
                    .result = Result::data,
                    .waits = true,
                    .events = "As `redux.sync`; the result is the value of the lane that the operands name."};
        case Op::match_sync:
            return {.kind = Kind::warp_reduction,
                    .family = Family::warp_exchange,
                    .result = Result::data,
                    .waits = true,
                    .events = "As `redux.sync`; the result is the lanes that have the own value or, of `all`, all or none."};
        case Op::elect_sync:
            return {.kind = Kind::warp_reduction,
                    .family = Family::warp_exchange,
                    .result = Result::data,
                    .waits = true,
                    .events = "As `redux.sync`; the result is one of the lanes that take part, for one mask always the same."};
        case Op::hint:
            return {.kind = Kind::hint, .family = Family::hints, .events = "No event: a hint to caches or the scheduler."};
        case Op::grid_dependency:
            return {.kind = Kind::hint,
                    .family = Family::hints,
                    .events =
                        "No event: the threads of a test are one grid, which depends on no other. Neither action orders threads of "
                        "one grid."};
        case Op::wgmma_mma:
            return {.kind = Kind::mma,
                    .family = Family::wgmma,
                    .result = Result::data,
                    .proxy = Proxy::async,
                    .events =
                        "An issue event in program order, and in the async proxy a weak read of each element of the matrices in "
                        "shared memory. Then, after an implicit proxy fence, the completion of its wgmma-group. The thread of the test "
                        "stands for its warpgroup."};
        case Op::wgmma_fence:
            return {.kind = Kind::mma_fence,
                    .family = Family::wgmma,
                    .events = "No event: registers accessed before may be used by the `wgmma.mma_async` that follow. It orders no memory."};
        case Op::wgmma_commit:
            return {.kind = Kind::mma_commit,
                    .family = Family::wgmma,
                    .events = "Closes a wgmma-group of the `wgmma.mma_async` since the last one."};
        case Op::wgmma_wait:
            return {.kind = Kind::mma_wait,
                    .family = Family::wgmma,
                    .waits = true,
                    .events = "Blocks until at most N of the latest wgmma-groups are pending: their completions are ordered before it."};
        case Op::tcgen_mma:
            return {
                .kind = Kind::tcgen,
                .family = Family::tcgen,
                .proxy = Proxy::async,
                .events =
                    "An issue event in program order, in the async proxy a weak read of each element of the matrices in shared memory, "
                    "and in tensor memory a read of A, if it lies there, and a write of D. A `tcgen05.commit` tells of its completion."};
        case Op::tcgen_copy:
            return {.kind = Kind::tcgen,
                    .family = Family::tcgen,
                    .proxy = Proxy::async,
                    .events =
                        "An issue event, in the async proxy a weak read of each element of the source, and a write of tensor memory. A "
                        "`tcgen05.commit` tells of its completion."};
        case Op::tcgen_load:
            return {.kind = Kind::tcgen,
                    .family = Family::tcgen,
                    .result = Result::data,
                    .proxy = Proxy::tensor,
                    .events =
                        "An issue event, a read of tensor memory, and a completion for `tcgen05.wait::ld`. The thread of the test stands "
                        "for its "
                        "warp."};
        case Op::tcgen_store:
            return {
                .kind = Kind::tcgen,
                .family = Family::tcgen,
                .proxy = Proxy::tensor,
                .events =
                    "An issue event, a write of tensor memory, and a completion for `tcgen05.wait::st`. The thread of the test stands for "
                    "its warp."};
        case Op::tcgen_wait:
            return {.kind = Kind::tcgen_wait,
                    .family = Family::tcgen,
                    .waits = true,
                    .events =
                        "Blocks until all prior `tcgen05.ld`, or `tcgen05.st`, of the thread are complete: their completions are ordered "
                        "before it."};
        case Op::tcgen_commit:
            return {.kind = Kind::tcgen_commit,
                    .family = Family::tcgen,
                    .sem = Sem::release,
                    .scope = Scope::cluster,
                    .events =
                        "An issue event, and an arrive-on(1) of each mbarrier object, release at cluster scope, after all accesses of the "
                        "thread's "
                        "prior `tcgen05.mma` and `tcgen05.cp`."};
        case Op::tcgen_fence:
            return {.kind = Kind::tcgen_fence,
                    .family = Family::tcgen,
                    .events =
                        "One event, by which operations on tensor memory before `::before_thread_sync` are ordered with those after "
                        "`::after_thread_sync` in another thread. It orders nothing else."};
        case Op::tcgen_alloc:
            return {.kind = Kind::tcgen_life,
                    .family = Family::tcgen,
                    .events =
                        "A weak write of the address that it allocates, which the model takes to be 32. It waits for columns, and of "
                        "`.cta_group::2` for the peer."};
        case Op::tcgen_dealloc:
            return {.kind = Kind::tcgen_life,
                    .family = Family::tcgen,
                    .proxy = Proxy::tensor,
                    .events = "A write of the tensor memory that it gives back, in program order."};
        case Op::tcgen_relinquish:
            return {.kind = Kind::tcgen_life,
                    .family = Family::tcgen,
                    .events = "One event, after which the CTA allocates no tensor memory. It orders nothing."};
        case Op::st_bulk:
            return {.kind = Kind::fill,
                    .family = Family::st,
                    .events = "A weak write of 0 to each element of the range, unordered among themselves."};
        case Op::discard:
            return {.kind = Kind::fill,
                    .family = Family::hints,
                    .events = "A weak write of an indeterminate value to each element of the range. To read it is undefined."};
        case Op::try_cancel:
            return {.kind = Kind::cancellation,
                    .family = Family::bulk_copies,
                    .proxy = Proxy::async,
                    .events =
                        "An issue event, in the async proxy a weak write of each element of the answer's 16 bytes, which are all 0 or all "
                        "1, and then, "
                        "after an implicit proxy fence, complete_tx(16), release at cluster scope."};
        case Op::query_cancel:
            return {.kind = Kind::cancellation_query,
                    .family = Family::bulk_copies,
                    .result = Result::data,
                    .events =
                        "No event: whether the answer in the register says that a cluster was cancelled. Which CTA was its first has no "
                        "value here."};
        case Op::multimem_load:
            return {
                .kind = Kind::load,
                .family = Family::multimem,
                .result = Result::data,
                .scoped = true,
                .reduces = true,
                .events = "A read of each location that the address points to, in no order; the result is the reduction of their values."};
        case Op::multimem_store:
            return {.kind = Kind::store,
                    .family = Family::multimem,
                    .scoped = true,
                    .events = "A write to each location that the address points to, in no order."};
        case Op::multimem_reduce:  // 9.7.9.14: .relaxed and .sys where left out
            return {.kind = Kind::atomic,
                    .family = Family::multimem,
                    .sem = Sem::relaxed,
                    .scoped = true,
                    .scope = Scope::sys,
                    .reduces = true,
                    .events = "At each location that the address points to, in no order, what `red` is at one."};
        case Op::multimem_store_async:  // PTX 9.3, beside 9.7.9.12
            return {.kind = Kind::from_registers,
                    .family = Family::multimem,
                    .scoped = true,
                    .events = "As `st.async.release`, with a write to each location that the address points to, in no order."};
        case Op::multimem_reduce_async:  // PTX 9.3, beside 9.7.13.7
            return {.kind = Kind::from_registers,
                    .family = Family::multimem,
                    .sem = Sem::relaxed,
                    .scoped = true,
                    .reduces = true,
                    .events = "As `red.async.release`, at each location that the address points to, in no order."};
        case Op::multimem_bulk_copy:
            return {.kind = Kind::bulk,
                    .family = Family::multimem,
                    .proxy = Proxy::async,
                    .events = "As `cp.async.bulk` to global memory, with a write to each location that the address points to."};
        case Op::multimem_bulk_reduce:  // 9.7.9.27: each reduction is .relaxed.sys
            return {.kind = Kind::bulk,
                    .family = Family::multimem,
                    .sem = Sem::relaxed,
                    .scope = Scope::sys,
                    .proxy = Proxy::async,
                    .reduces = true,
                    .events =
                        "As `cp.reduce.async.bulk` to global memory, with a relaxed.sys read and write of each location that the address "
                        "points to."};
        case Op::tensor_copy:
            return {.kind = Kind::tensor,
                    .family = Family::tensor,
                    .proxy = Proxy::async,
                    .events =
                        "As `cp.async.bulk`, for the elements of the box: those in shared memory lie densely. Elements outside of the "
                        "tensor are not read, and zeros are written for them in shared memory; in global memory they are not written. "
                        "The completion counts the bytes of the whole box."};
        case Op::tensor_reduce:  // 9.7.9.27.1.3: each reduction is .relaxed.gpu
            return {.kind = Kind::tensor,
                    .family = Family::tensor,
                    .sem = Sem::relaxed,
                    .scope = Scope::gpu,
                    .proxy = Proxy::async,
                    .reduces = true,
                    .events =
                        "As `cp.reduce.async.bulk` to global memory, for the elements of the box that are in the tensor; their type is the "
                        "tensor's."};
        case Op::tensor_prefetch:
            return {.kind = Kind::hint, .family = Family::tensor, .events = "No event: a hint to the cache."};
        case Op::map_replace:
            return {.kind = Kind::map_write, .family = Family::tensor, .events = "A weak write of the tensor map."};
        case Op::map_copy:
            return {.kind = Kind::map_write,
                    .family = Family::tensor,
                    .scoped = true,
                    .events =
                        "A weak read of the tensor map in shared memory, a weak write of that in global memory, and then a proxy fence: "
                        "the releasing half of `tensormap::generic` for this write."};
    }
    throw std::logic_error("an operation without traits");
}

}  // namespace

Traits traits(Op op) {
    return row(op);
}

bool is_load(Op op) {
    return kind(op) == Kind::load;
}

bool is_copy(Op op) {
    return kind(op) == Kind::bulk || kind(op) == Kind::tensor || kind(op) == Kind::copy;
}

bool is_asynchronous(Op op) {
    constexpr std::array kinds{Kind::from_registers, Kind::bulk,        Kind::bulk_commit, Kind::bulk_wait, Kind::copy,
                               Kind::copy_commit,    Kind::copy_wait,   Kind::copy_arrive, Kind::mma,       Kind::mma_fence,
                               Kind::mma_commit,     Kind::mma_wait,    Kind::tensor,      Kind::tcgen,     Kind::tcgen_commit,
                               Kind::tcgen_wait,     Kind::tcgen_fence, Kind::cancellation};
    return std::find(kinds.begin(), kinds.end(), kind(op)) != kinds.end();
}

bool is_mbarrier(Op op) {
    constexpr std::array kinds{Kind::mbarrier_life, Kind::mbarrier_count, Kind::mbarrier_arrival, Kind::mbarrier_wait,
                               Kind::mbarrier_query};
    return std::find(kinds.begin(), kinds.end(), kind(op)) != kinds.end();
}

bool is_arithmetic(Op op) {
    return kind(op) == Kind::arithmetic || kind(op) == Kind::mbarrier_query || kind(op) == Kind::cancellation_query;
}

bool is_multimem(Op op) {
    return traits(op).family == Family::multimem;
}

bool is_barrier(Op op) {
    return kind(op) == Kind::cta_barrier || kind(op) == Kind::cluster_barrier;
}

bool meets_others(Op op) {
    switch (kind(op)) {
        case Kind::load:
        case Kind::store:
        case Kind::atomic:
        case Kind::fence:
        case Kind::proxy_fence:
        case Kind::arithmetic:
        case Kind::cancellation_query:
        case Kind::hint:
        case Kind::fill:
        case Kind::map_write:
        case Kind::branch:
        case Kind::exit:
            return false;
        case Kind::cta_barrier:
        case Kind::quorum:
        case Kind::warp_barrier:
        case Kind::cluster_barrier:
        case Kind::warp_reduction:
        case Kind::from_registers:
        case Kind::bulk:
        case Kind::tensor:
        case Kind::bulk_commit:
        case Kind::bulk_wait:
        case Kind::copy:
        case Kind::copy_commit:
        case Kind::copy_wait:
        case Kind::copy_arrive:
        case Kind::mbarrier_life:
        case Kind::mbarrier_count:
        case Kind::mbarrier_arrival:
        case Kind::mbarrier_wait:
        case Kind::mbarrier_query:
        case Kind::mma:
        case Kind::mma_fence:
        case Kind::mma_commit:
        case Kind::mma_wait:
        case Kind::tcgen:
        case Kind::tcgen_commit:
        case Kind::tcgen_wait:
        case Kind::tcgen_fence:
        case Kind::tcgen_life:
        case Kind::cancellation:
            return true;
    }
    return false;
}

}  // namespace litmus
