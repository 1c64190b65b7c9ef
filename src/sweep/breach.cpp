// The table of what can be wrong.
#include "sweep/breach.h"

#include <algorithm>
#include <array>

namespace litmus::sweep {

namespace {

using B = Breach;
using K = Kind;

constexpr std::array breach_rows = std::to_array<BreachRow>({
    {B::never_initialised, K::not_initialised, "the mbarrier object in {} is not initialised", "",
     "`mbarrier.init` of it, and a barrier of its block or cluster, before {}", "an object that is not initialised has no phases",
     "async/init/no-barrier.litmus"},
    {B::not_known_initialised, K::not_initialised, "the mbarrier object in {} is not known to be initialised"},

    {B::arrivals, K::arrivals, "more arrivals at the mbarrier object in {} than the {} of its count", "", "fewer arrivals at {}",
     "more arrivals than the count are undefined", "async/phases/one-arrival-too-many.litmus"},

    {B::phase_of_bytes, K::phase, "the phase of {} whose bytes it expects depends on the schedule", "",
     "a wait for the end of the last phase before {}, in its thread or in one that it waits for", "else it may count for that phase still",
     "async/phases/arrive-twice-no-wait.litmus"},
    {B::phase_of_copy, K::phase, "the phase of {} that {} completes depends on the schedule", "",
     "a wait for the end of the last phase before {}, in its thread or in one that it waits for",
     "else the copy may complete another phase than the one that is meant", "lessons/08-transactions.md"},
    {B::bytes_unexpected, K::phase, "{} brings bytes to a phase of {} that does not expect them", "",
     "`expect_tx` of all bytes that copies bring in a phase, those of {} too, before its arrivals (as many as `mbarrier.init` counts) have "
     "come",
     "a phase ends when its arrivals and the bytes that it expects have come", "async/expect-tx/one-of-two-operations.litmus"},
    {B::phase_of_arrival, K::phase, "the phase of {} at which it arrives depends on the schedule", "",
     "a wait for the end of the last phase before {}, in its thread or in one that it waits for", "else it may count for that phase still",
     "async/phases/arrive-twice-no-wait.litmus"},
    {B::phase_over, K::phase, "the phase of {} to which it adds may be over before", "",
     "`mbarrier.arrive.expect_tx` in one, or the arrival of the same thread behind {}", "else the phase may end before",
     "async/expect-tx/arrive-before-expect.litmus"},
    {B::wait_late, K::phase, "the phase of {} that it waits for may be over, and the next one, too", "",
     "a barrier with who ends the next phase, behind the wait at {}", "a wait tells its phase from the next one, and from no other",
     "async/phases/late-waiter.litmus"},
    {B::wait_at_once, K::phase, "the phase of {} that it waits for may be over, and the next one, too", "", nothing_found,
     "its thread knows that the phase it asks for is over, so that it waits for nothing, and may come late",
     "async/phases/parity-not-flipped.litmus"},
    {B::barrier_turn, K::phase, "at which turn of barrier {} it arrives depends on the schedule", "", "a barrier with another number at {}",
     "who has not waited for the turn before may count for it", "classic/barriers/bar-sync-id-count.litmus"},
    {B::invalidated, K::phase, "the mbarrier object in {} may be invalidated before this operation", "",
     "a barrier behind the last use, before {}", "an object must not be used while it is invalidated",
     "async/init/inval-after-bar-sync.litmus"},

    {B::unordered, K::race, "race on {}"},
    {B::incomplete, K::race, "race on {}: the asynchronous operation is not known to be complete"},
    {B::proxy, K::race, "race on {}: no proxy fence lies between"},
    {B::alias, K::race, "race on {}: no alias proxy fence lies between the two addresses", "8.2.3"},
    {B::overlap, K::race, "race on {}: the launch before may still run"},
    {B::uncached, K::race, "race on {}: it is read through a cache that is not coherent", "9.7.9.9"},
    {B::tensor_map, K::race, "race on the tensor map in `{}`: no pair of fence.proxy.tensormap::generic lies between"},
    {B::tensor_memory, K::race, "race on tensor memory of block {} in lane {}, column {}"},

    {B::trap, K::undefined, "a trap is reached: an assertion does not hold, or the kernel gives up", "",
     "arguments and a launch that the kernel allows", "what it asserts does not hold here"},
    {B::barrier_mixed, K::undefined, "`.red` and `.sync` meet at one barrier", "9.7.13.1", "a barrier with a number of its own for `.red`",
     "one turn of a barrier is of one kind", "classic/barriers/bar-red-met-by-bar-sync.litmus"},
    {B::cluster_arrival, K::undefined, "it arrives at the cluster's barrier again before it has waited", "9.7.13.3",
     "`barrier.cluster.wait` before {}", "an arrival pairs with the wait that follows it",
     "async/cluster-barrier/cluster-arrive-twice.litmus"},
    {B::byte_count, K::undefined, "the tx-count of {} goes beyond 2^20-1", "9.7.13.15.2", "fewer bytes in a phase",
     "the count of an object ends at 2^20-1", "async/expect-tx/tx-count-at-limits.litmus"},
    {B::initialised_again, K::undefined, "the mbarrier object in {} is initialised a second time", "9.7.13.15.9",
     "one thread that initialises it, once; before another life `mbarrier.inval`", "`mbarrier.init` of a valid object is undefined",
     "async/init/twice.litmus"},
    {B::over_object, K::undefined, "it {} bytes of the mbarrier object in {}, which only mbarrier operations may touch", "9.7.13.15",
     "another place for what {} accesses", "the state of an object lies where it is, until it is invalidated",
     "async/init/inval-after-bar-sync.litmus"},
    {B::misaligned, K::undefined, "{} is not aligned to {} bytes{}", "",
     "an address at {}, and a size, that are multiples of what the instruction moves (`__align__`, `alignas`)",
     "an address that is not aligned is undefined, and a GPU stops there"},
    {B::out_of_range, K::undefined, "{}", "", "a number at {} in the range that the instruction asks for", "any other is undefined"},
    {B::outside_mask, K::undefined, "lane {} executes it, and its mask leaves that lane out{}", "",
     "a mask at {} that has each lane which comes there (`__activemask()` does not promise that)",
     "a lane that its mask leaves out waits for nobody, and nobody for it"},
    {B::absent_lane, K::undefined, "lane {}, from which it takes a value, does not take part{}", "",
     "a source lane at {} that is in the mask and has not exited", "no other lane has a value to give"},
    {B::exited_lanes, K::undefined, "a lane of its warp has exited{}", "", "all lanes of the warp at {}: none exits before",
     "a warp executes the instruction as a whole"},
    {B::half_warpgroup, K::undefined, "not all warps of the warpgroup execute this `setmaxnreg`", "9.7.19.5",
     "the same `setmaxnreg` in all four warps of the warpgroup, as at {}", "registers are given to a warpgroup as a whole"},
    {B::foreign_state, K::undefined, "its state is not one {}", "", "the state that the last arrival at this object has given, at {}",
     "a state is of one object, between its init and its inval", "async/phases/pending-count.litmus"},
    {B::completes_phase, K::undefined, "this `.noComplete` arrival completes the phase", "9.7.13.15.13",
     "an arrival without `.noComplete` at {}", "the last arrival of a phase completes it", "async/phases/no-complete-may-be-last.litmus"},
    {B::end_unseen, K::undefined, "it arrives at the next phase of {}, and no wait has seen the last one end", "9.7.13.15.4",
     "a wait for the end of the last phase before {}", "one does not arrive at the next phase before the last is seen to end",
     "async/phases/arrive-twice-no-wait.litmus"},
    {B::own_block, K::undefined, "{} is for the shared memory of another block{}", "",
     "the address that `mapa` gives of another block, at {}", "`red.async` is for another block"},
    {B::no_cluster, K::undefined, "`st.async` needs a cluster of more than one block", "9.7.9.12", "a launch in clusters",
     "`st.async` is for blocks of a cluster"},
    {B::same_group, K::undefined, "another `cp.async` of the same group writes this place", "9.7.9.25.3.2",
     "`cp.async.wait_group` between two copies to one place", "copies of one group come in any order",
     "async/cp-async/ca-same-destination.litmus"},
    {B::object_elsewhere, K::undefined, "its mbarrier object is in block {}, and its data in block {}{}", "",
     "the mbarrier object of the block that {} copies to", "a copy completes where it writes",
     "async/multicast/mc-each-waits-for-its-own.litmus"},
    {B::not_global, K::undefined, "`{}` without an mbarrier object is for global memory (ISA {})", "", "an address in global memory at {}",
     "without such an object it is for global memory"},
    {B::foreign_block, K::undefined, "it names the shared memory of block {}, and {} is for that of its own block here, {}{}", "",
     "an address of the own block at {}", "`.shared::cta` is the memory of the executing block"},
    {B::not_generic, K::undefined, "its address is one of the space `.shared`, and it names no space: a generic address is due{}"},
    {B::product_unfenced, K::undefined, "no wgmma.fence stands between an access to its registers and this operation", "9.7.15.7.1"},
    {B::product_open, K::undefined, "it accesses a register of a wgmma.mma_async that no wgmma.wait_group has waited for", "9.7.15.7.3"},
    {B::load_open, K::undefined, "it writes a register of a tcgen05.ld that nothing has read, and no tcgen05.wait::ld has waited for",
     "9.7.16.6.4.5"},
    {B::allocation, K::undefined, "it {}", "",
     "allocations of 32, 64, 128, 256 or 512 columns, none larger than the last one, before `relinquish_alloc_permit`",
     "so tcgen05.alloc asks for it", "async/tcgen05/tc-alloc-grows.litmus"},
    {B::not_allocated, K::undefined, "it accesses columns of tensor memory that are not allocated", "",
     "the access at {} between `tcgen05.alloc` of its columns and a barrier before their `tcgen05.dealloc`",
     "other columns may be another block's", "async/tcgen05/tc-use-after-dealloc.litmus"},
    {B::kept, K::undefined, "tensor memory is not given back before block {} ends", "",
     "`tcgen05.dealloc` of what {} allocates, behind a barrier of all that use it", "a block gives back what it has",
     "async/tcgen05/tc-alloc-kept.litmus"},
    {B::foreign_lanes, K::undefined, "it names lane {} of tensor memory, and its warp has lanes {} to {}", "9.7.16.8.1",
     "lane `32 * (warp % 4)` in the address at {}", "a warp has a quarter of the lanes", "async/tcgen05/tc-warps-of-one-quarter.litmus"},
    {B::request_after_failure, K::undefined, "a thread of its block has observed that a request failed", "9.7.13.17",
     "a request at {} only where the last one has got a cluster", "a block that has seen a request fail makes no other",
     "async/helpers/try-cancel-again.litmus"},
    {B::no_answer, K::undefined, "{}{}", "",
     "`clusterlaunchcontrol.query_cancel.is_canceled` of the whole answer, behind the wait for it, before {}",
     "an answer is there when its mbarrier object says so, and names a block where a cluster was cancelled",
     "async/helpers/query-cancel-ctaid.litmus"},
    {B::mixed_groups, K::undefined, "another instruction of this kernel has `.cta_group::{}`: all have the same", "9.7.16.5",
     "one `.cta_group` in all instructions of tcgen05", "a kernel works with single blocks or with pairs"},

    {B::few_arrivals, K::stuck, "{}: phase {} of {} lacks {}", "", "the arrival that the phase lacks",
     "a phase ends with the last of the arrivals that its object was initialised for", "async/deadlock/count-too-high.litmus"},
    {B::few_bytes, K::stuck, "{}: phase {} of {} lacks {}", "", "`expect_tx` of the bytes that the copies of a phase bring",
     "a phase does not end while bytes are missing", "async/expect-tx/tx-count-too-large.litmus"},
    {B::many_bytes, K::stuck, "{}: phase {} of {} has got {} more than it expects", "",
     "`expect_tx` of all bytes that the copies of a phase bring", "a phase does not end while its bytes do not add up",
     "async/expect-tx/elements-not-bytes.litmus"},
    {B::no_first_arrival, K::stuck, "{}: phase {} of {} lacks {}", "", nothing_found,
     "nobody has ended phase 0; for a fresh object a wait for parity 1 ends at once, and one for parity 0 with the first phase",
     "async/kernel-bugs/kb-first-wait-parity-0.litmus"},
    {B::no_arrival, K::stuck, "{}: phase {} of {} lacks {}", "", "the arrival that ends this phase", "nobody comes to arrive in this phase",
     "async/phases/full-empty-parity-stuck.litmus"},
    {B::stuck, K::stuck, "{}", "", "a store that ends the loop, in a thread that can go on", "nothing that it waits for comes any more",
     "async/deadlock/flag-never-raised.litmus"},
    {B::few_lanes, K::stuck, "{}: other lanes of its {} do not come", "", "the instruction where all lanes that it waits for come to",
     "it waits for all lanes that its mask names; without a mask, for all of its warp",
     "classic/barriers/bar-warp-sync-outside-mask.litmus"},
    {B::few_lanes_at_barrier, K::stuck, "{}: other lanes of its warp do not come", "",
     "the barrier of {} where all threads that it waits for come by",
     "it waits for each thread of its block, or cluster, that has not exited", "async/deadlock/barrier-split.litmus"},
    {B::few_threads, K::stuck, "{}: barrier {} lacks {} of {}", "", "the barrier where all threads that it counts come to",
     "a thread that goes another way does not count until it exits", "async/deadlock/barrier-split.litmus"},
    {B::few_in_cluster, K::stuck, "{}: threads of the cluster do not come", "",
     "the cluster's barrier where all threads of all its blocks come to", "it waits for all that have not exited",
     "async/cluster-barrier/one-thread-stays.litmus"},

    {B::block_not_begun, K::in_flight, "an access to the shared memory of block {}, which may not have begun"},
    {B::block_ended, K::in_flight, "{} may not exist any more{}"},
    {B::copy_at_exit, K::in_flight, "a copy out of shared memory is in flight when its thread exits"},
});

constexpr std::array kind_rows = std::to_array<KindRow>({
    {K::not_initialised, "not-initialised", "An mbarrier object is used that is not known to be initialised."},
    {K::arrivals, "arrivals", "An mbarrier object gets more arrivals than it was initialised for."},
    {K::phase, "phase",
     "At which phase of an mbarrier object, or at which turn of a barrier, a thread waits or arrives depends on the schedule."},
    {K::race, "race", "Two accesses to one place are not ordered, and one of them writes."},
    {K::undefined, "undefined", "The PTX ISA forbids this, or does not say what it does."},
    {K::stuck, "stuck", "Threads wait for ever."},
    {K::in_flight, "in-flight", "An operation on a block's shared memory may come before the block begins, or after it ends."},
});

// Each has a row, at the place of its number.
template <typename Rows, typename Name>
constexpr bool are_complete(const Rows& rows, Name last, Name Rows::value_type::*name) {
    for (size_t at = 0; at < rows.size(); ++at)
        if (static_cast<size_t>(rows[at].*name) != at) return false;
    return rows.size() == static_cast<size_t>(last) + 1;
}
static_assert(are_complete(breach_rows, last_breach, &BreachRow::breach));
static_assert(are_complete(kind_rows, K::in_flight, &KindRow::kind));

}  // namespace

const BreachRow& row_of(Breach breach) {
    return breach_rows[static_cast<size_t>(breach)];
}

std::span<const BreachRow> breaches() {
    return breach_rows;
}

const KindRow& row_of(Kind kind) {
    return kind_rows[static_cast<size_t>(kind)];
}

std::span<const KindRow> kinds() {
    return kind_rows;
}

std::string filled(std::string_view words, const Filling& with) {
    std::string text;
    auto next = with.begin();
    for (size_t at = 0; at < words.size();) {
        const size_t gap = std::min(words.find("{}", at), words.size());
        text += words.substr(at, gap - at);
        if (gap < words.size()) text += *next++;
        at = gap + 2;
    }
    return text;
}

std::string says(Breach breach, const Filling& with) {
    const BreachRow& row = row_of(breach);
    return filled(row.words, with) + (row.section.empty() ? "" : " (ISA " + std::string(row.section) + ")");
}

}  // namespace litmus::sweep
