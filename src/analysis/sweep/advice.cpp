// By kind; of a race in race_advice.h.
#include "analysis/sweep/advice.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/sweep/advice_places.h"
#include "analysis/sweep/phase_advice.h"
#include "analysis/sweep/race_advice.h"
#include "kernel/live.h"

namespace litmus {

namespace {

using kernel::Statement;
using sweep::Breach;
using sweep::Finding;
using sweep::Place;
using Where = PtxEdit::Where;
using namespace meeting;

Advice of_init(const kernel::Module& module, const Finding& finding) {
    const Place &init = finding.places.front(), &use = finding.places.back();
    const bool one_block = init.seat.block == use.seat.block;
    Advice advice;
    const std::string line = advised_line(module, init);
    for (const Statement* join : around(module, init.statement).joins)
        advice.remedies.push_back({std::string(one_block ? of_block : of_cluster) + " behind " + line + ", where all threads of the " +
                                       (one_block ? "block" : "cluster") + " come by",
                                   {{join, Where::before, false, one_block ? ptx_of_block : ptx_of_cluster}}});
    advice.change = std::string(one_block ? of_block : of_cluster) + " between " + line + " and " + advised_line(module, use);
    advice.why = "a thread may use the object before it is there unless something tells that it is";
    advice.see = one_block ? "async/init/no-barrier.litmus" : "async/kernel-bugs/kb-cluster-init-not-synced.litmus";
    return advice;
}

Advice of_exit(const kernel::Module& module, const Finding& finding) {
    const Statement& access = *finding.places.front().statement;
    const bool asynchronous = std::find(access.words.begin(), access.words.end(), "async") != access.words.end();
    Advice advice;
    std::vector<PtxEdit> edits;
    for (const Statement* exit : exits(module)) edits.push_back({exit, Where::before, false, ptx_of_cluster});
    advice.change = std::string(of_cluster) + " as the last thing that all threads of the cluster do";
    advice.remedies.push_back({advice.change, std::move(edits)});
    if (asynchronous)
        advice.change = "a wait in that block for what " + advised_line(module, finding.places.front()) + " completes, before it ends";
    advice.why = "the block may have exited when " + advised_line(module, finding.places.front()) + " accesses its memory";
    advice.see = "async/cluster-barrier/exit-before-load.litmus";
    return advice;
}

Advice of_map(const kernel::Module& module, const Finding& finding) {
    const Statement& write = *finding.places.front().statement;
    const std::string release = "`fence.proxy.tensormap::generic.release.gpu` behind " + advised_line(module, finding.places.front());
    const std::string acquire =
        "`fence.proxy.tensormap::generic.acquire.gpu [map], 128` before " + advised_line(module, finding.places.back());
    const bool released = write.words[0] == "tensormap" && write.words[1] == "cp_fenceproxy";
    Advice advice;
    if (!released) advice.remedies.push_back({release, {{&write, Where::behind, true, "fence.proxy.tensormap::generic.release.gpu;"}}});
    const Statement& copy = *finding.places.back().statement;
    for (const kernel::Argument& argument : copy.arguments) {
        if (argument.elements.size() < 2) continue;  // not the map with its coordinates
        const auto [begin, end] = argument.elements[0].span;
        const std::string map = module.source->text.substr(begin, end - begin);
        advice.remedies.push_back(
            {acquire, {{&copy, Where::before, true, "fence.proxy.tensormap::generic.acquire.gpu [" + map + "], 128;"}}});
    }
    advice.change = released ? acquire : release + ", and " + acquire;
    advice.why = "a copy reads its map through a proxy of its own";
    advice.see = "async/tensormap/map-replace-unfenced.litmus";
    return advice;
}

// The fence is enough directly before the later access, since any thread may execute it.
Advice of_alias(const kernel::Module& module, const Finding& finding) {
    const std::string change = "`fence.proxy.alias` before " + advised_line(module, finding.places.back());
    return {{{change, {{finding.places.back().statement, Where::before, true, "fence.proxy.alias;"}}}},
            change,
            "a multimem address and an address of one of its buffers are two addresses",
            "async/multimem/mm-broadcast-fenced.litmus"};
}

Advice of_overlap(const kernel::Module& module, const Finding& finding) {
    const std::string change = "`griddepcontrol.wait` before " + advised_line(module, finding.places.back());
    return {{{change, {{finding.places.back().statement, Where::before, true, "griddepcontrol.wait;"}}}},
            change,
            "a programmatic dependent launch may begin before the one before it is over",
            "async/grids/pdl-no-wait.litmus"};
}

// With one place, `line`.
Advice of_phase(Breach breach, const std::string& line) {
    switch (breach) {
        case Breach::phase_of_bytes:
        case Breach::phase_of_arrival:
            return {{},
                    "a wait for the end of the last phase before " + line + ", in its thread or in one that it waits for",
                    "else it may count for that phase still",
                    "async/phases/arrive-twice-no-wait.litmus"};
        case Breach::phase_of_copy:
            return {{},
                    "a wait for the end of the last phase before " + line + ", in its thread or in one that it waits for",
                    "else the copy may complete another phase than the one that is meant",
                    "lessons/08-transactions.md"};
        case Breach::bytes_unexpected:
            return {{},
                    "`expect_tx` of all bytes that copies bring in a phase, those of " + line +
                        " too, before its arrivals (as many as `mbarrier.init` counts) have come",
                    "a phase ends when its arrivals and the bytes that it expects have come",
                    "async/expect-tx/one-of-two-operations.litmus"};
        case Breach::phase_over:
            return {{},
                    "`mbarrier.arrive.expect_tx` in one, or the arrival of the same thread behind " + line,
                    "else the phase may end before",
                    "async/expect-tx/arrive-before-expect.litmus"};
        case Breach::wait_late:
            return {{},
                    "a barrier with who ends the next phase, behind the wait at " + line,
                    "a parity does not tell a phase from the one after the next",
                    "async/phases/late-waiter.litmus"};
        case Breach::wait_at_once:
            return {{},
                    nothing_found,
                    "its thread knows that the phase of this parity is over, so that it waits for nothing, and may come late",
                    "async/phases/parity-not-flipped.litmus"};
        case Breach::barrier_turn:
            return {{},
                    "a barrier with another number at " + line,
                    "who has not waited for the turn before may count for it",
                    "classic/barriers/bar-sync-id-count.litmus"};
        default:  // invalidated
            return {{},
                    "a barrier behind the last use, before " + line,
                    "an object must not be used while it is invalidated",
                    "async/init/inval-after-bar-sync.litmus"};
    }
}

Advice of_deadlock(Breach breach) {
    switch (breach) {
        case Breach::few_arrivals:
            return {{},
                    "the arrival that the phase lacks",
                    "a phase ends with the last of the arrivals that its object was initialised for",
                    "async/deadlock/count-too-high.litmus"};
        case Breach::few_bytes:
            return {{},
                    "`expect_tx` of the bytes that the copies of a phase bring",
                    "a phase does not end while bytes are missing",
                    "async/expect-tx/tx-count-too-large.litmus"};
        case Breach::many_bytes:
            return {{},
                    "`expect_tx` of all bytes that the copies of a phase bring",
                    "a phase does not end while its bytes do not add up",
                    "async/expect-tx/elements-not-bytes.litmus"};
        case Breach::no_first_arrival:
            return {
                {},
                nothing_found,
                "nobody has ended phase 0; for a fresh object a wait for parity 1 ends at once, and one for parity 0 with the first phase",
                "async/kernel-bugs/kb-first-wait-parity-0.litmus"};
        case Breach::no_arrival:
            return {{},
                    "the arrival that ends this phase",
                    "nobody comes to arrive in this phase",
                    "async/phases/full-empty-parity-stuck.litmus"};
        case Breach::few_threads:
            return {{},
                    "the barrier where all threads that it counts come to",
                    "a thread that goes another way does not count until it exits",
                    "async/deadlock/barrier-split.litmus"};
        case Breach::few_lanes:
            return {{},
                    "the instruction where all lanes of its mask come to",
                    "it waits for all lanes that the mask names",
                    "classic/barriers/bar-warp-sync-outside-mask.litmus"};
        case Breach::few_in_cluster:
            return {{},
                    "the cluster's barrier where all threads of all its blocks come to",
                    "it waits for all that have not exited",
                    "async/cluster-barrier/one-thread-stays.litmus"};
        default:
            return {{},
                    "a store that ends the loop, in a thread that can go on",
                    "nothing that it waits for comes any more",
                    "async/deadlock/flag-never-raised.litmus"};
    }
}

Advice of_others(const kernel::Module& module, const Finding& finding) {
    const Place& place = finding.places.front();
    const std::string line = advised_line(module, place);
    const auto mended = [&](const std::string& change, Where where, const char* ptx, const char* why, const char* see) {
        return Advice{{{change, {{place.statement, where, true, ptx}}}}, change, why, see};
    };
    switch (finding.breach) {
        case Breach::never_initialised:
            return {{},
                    "`mbarrier.init` of it, and a barrier of its block or cluster, before " + line,
                    "an object that is not initialised has no phases",
                    "async/init/no-barrier.litmus"};
        case Breach::arrivals:
            return {
                {}, "fewer arrivals at " + line, "more arrivals than the count are undefined", "async/phases/one-arrival-too-many.litmus"};
        case Breach::trap:
            return {{}, "arguments and a launch that the kernel allows", "what it asserts does not hold here", ""};
        case Breach::barrier_mixed:
            return {{},
                    "a barrier with a number of its own for `.red`",
                    "one turn of a barrier is of one kind",
                    "classic/barriers/bar-red-met-by-bar-sync.litmus"};
        case Breach::cluster_arrival:
            return {{},
                    "`barrier.cluster.wait` before " + line,
                    "an arrival pairs with the wait that follows it",
                    "async/cluster-barrier/cluster-arrive-twice.litmus"};
        case Breach::byte_count:
            return {{}, "fewer bytes in a phase", "the count of an object ends at 2^20-1", "async/expect-tx/tx-count-at-limits.litmus"};
        case Breach::initialised_again:
            return {{},
                    "one thread that initialises it, once; before another life `mbarrier.inval`",
                    "`mbarrier.init` of a valid object is undefined",
                    "async/init/twice.litmus"};
        case Breach::over_object:
            return {{},
                    "another place for what " + line + " accesses",
                    "the state of an object lies where it is, until it is invalidated",
                    "async/init/inval-after-bar-sync.litmus"};
        case Breach::misaligned:
            return {{},
                    "an address at " + line + ", and a size, that are multiples of what the instruction moves (`__align__`, `alignas`)",
                    "an address that is not aligned is undefined, and a GPU stops there",
                    ""};
        case Breach::out_of_range:
            return {{}, "a number at " + line + " in the range that the instruction asks for", "any other is undefined", ""};
        case Breach::outside_mask:
            return {{},
                    "a mask at " + line + " that has each lane which comes there (`__activemask()` does not promise that)",
                    "a lane that its mask leaves out waits for nobody, and nobody for it",
                    ""};
        case Breach::absent_lane:
            return {{}, "a source lane at " + line + " that is in the mask and has not exited", "no other lane has a value to give", ""};
        case Breach::exited_lanes:
            return {{}, "all lanes of the warp at " + line + ": none exits before", "a warp executes the instruction as a whole", ""};
        case Breach::half_warpgroup:
            return {{},
                    "the same `setmaxnreg` in all four warps of the warpgroup, as at " + line,
                    "registers are given to a warpgroup as a whole",
                    ""};
        case Breach::foreign_state:
            return {{},
                    "the state that the last arrival at this object has given, at " + line,
                    "a state is of one object, between its init and its inval",
                    "async/phases/pending-count.litmus"};
        case Breach::completes_phase:
            return {{},
                    "an arrival without `.noComplete` at " + line,
                    "the last arrival of a phase completes it",
                    "async/phases/no-complete-may-be-last.litmus"};
        case Breach::foreign_block:
            return {{}, "an address of the own block at " + line, "`.shared::cta` is the memory of the executing block", ""};
        case Breach::mixed_groups:
            return {{}, "one `.cta_group` in all instructions of tcgen05", "a kernel works with single blocks or with pairs", ""};
        case Breach::load_open:
            return mended("`tcgen05.wait::ld` before " + line, Where::before, "tcgen05.wait::ld.sync.aligned;",
                          "the load may write the register after this", "");
        case Breach::end_unseen:
            return {{},
                    "a wait for the end of the last phase before " + line,
                    "one does not arrive at the next phase before the last is seen to end",
                    "async/phases/arrive-twice-no-wait.litmus"};
        case Breach::own_block:
            return {{}, "the address that `mapa` gives of another block, at " + line, "`red.async` is for another block", ""};
        case Breach::no_cluster:
            return {{}, "a launch in clusters", "`st.async` is for blocks of a cluster", ""};
        case Breach::same_group:
            return {{},
                    "`cp.async.wait_group` between two copies to one place",
                    "copies of one group come in any order",
                    "async/cp-async/ca-same-destination.litmus"};
        case Breach::not_global:
            return {{}, "an address in global memory at " + line, "without such an object it is for global memory", ""};
        case Breach::object_elsewhere:
            return {{},
                    "the mbarrier object of the block that " + line + " copies to",
                    "a copy completes where it writes",
                    "async/multicast/mc-each-waits-for-its-own.litmus"};
        case Breach::product_unfenced:
            return mended("`wgmma.fence` (`warpgroup_arrive()`) before " + line, Where::before, "wgmma.fence.sync.aligned;",
                          "a product may read its registers before earlier accesses to them",
                          "async/wgmma/wgmma-first-without-fence.litmus");
        case Breach::product_open:
            return mended("`wgmma.wait_group 0` (`warpgroup_wait<0>()`) before " + line, Where::before, "wgmma.wait_group.sync.aligned 0;",
                          "a product has its registers until it was waited for", "async/wgmma/wgmma-accumulator-read-early.litmus");
        case Breach::allocation:
            return {{},
                    "allocations of 32, 64, 128, 256 or 512 columns, none larger than the last one, before `relinquish_alloc_permit`",
                    "so tcgen05.alloc asks for it",
                    "async/tcgen05/tc-alloc-grows.litmus"};
        case Breach::not_allocated:
            return {{},
                    "the access at " + line + " between `tcgen05.alloc` of its columns and a barrier before their `tcgen05.dealloc`",
                    "other columns may be another block's",
                    "async/tcgen05/tc-use-after-dealloc.litmus"};
        case Breach::kept:
            return {{},
                    "`tcgen05.dealloc` of what " + line + " allocates, behind a barrier of all that use it",
                    "a block gives back what it has",
                    "async/tcgen05/tc-alloc-kept.litmus"};
        case Breach::foreign_lanes:
            return {{},
                    "lane `32 * (warp % 4)` in the address at " + line,
                    "a warp has a quarter of the lanes",
                    "async/tcgen05/tc-warps-of-one-quarter.litmus"};
        case Breach::request_after_failure:
            return {{},
                    "a request at " + line + " only where the last one has got a cluster",
                    "a block that has seen a request fail makes no other",
                    "async/helpers/try-cancel-again.litmus"};
        case Breach::no_answer:
            return {{},
                    "`clusterlaunchcontrol.query_cancel.is_canceled` of the whole answer, behind the wait for it, before " + line,
                    "an answer is there when its mbarrier object says so, and names a block where a cluster was cancelled",
                    "async/helpers/query-cancel-ctaid.litmus"};
        case Breach::block_not_begun:
            return mended(std::string(of_cluster) + " before " + line, Where::before, ptx_of_cluster,
                          "blocks of a cluster may start one after the other", "async/helpers/arrive-at-peers-before-init.litmus");
        case Breach::copy_at_exit:
            return mended("`cp.async.bulk.wait_group.read 0` behind " + line + ", before its thread exits", Where::behind,
                          "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
                          "the copy reads shared memory that ends with the block", "async/kernel-bugs/kb-exit-while-store-reads.litmus");
        default:
            return {};
    }
}

}  // namespace

Advice advice_on(const SweptModule& kernel, const Finding& finding) {
    const kernel::Module& module = kernel.module;
    const std::string line = advised_line(module, finding.places.back());
    const auto with_remedies = [](Advice advice, std::vector<Remedy> remedies) {
        advice.remedies = std::move(remedies);
        return advice;
    };
    switch (finding.kind) {
        case sweep::Kind::phase:
            return with_remedies(of_phase(finding.breach, line), phase_remedies(kernel, finding));
        case sweep::Kind::stuck:
            return with_remedies(of_deadlock(finding.breach), finding.tally ? phase_remedies(kernel, finding)
                                                              : finding.breach == Breach::few_lanes
                                                                  ? without_branches(kernel, finding.places.front().statement)
                                                                  : moved_barriers(kernel));
        case sweep::Kind::race:
            if (finding.breach == Breach::overlap) return of_overlap(module, finding);
            if (finding.breach == Breach::alias) return of_alias(module, finding);
            return finding.breach == Breach::tensor_map ? of_map(module, finding) : advice_on_race(kernel, finding);
        default:
            if (finding.breach == Breach::not_known_initialised) return of_init(module, finding);
            if (finding.breach == Breach::block_ended) return of_exit(module, finding);
            if (finding.tally) return with_remedies(of_others(module, finding), phase_remedies(kernel, finding));
            return of_others(module, finding);
    }
}

namespace {

// A wait, or an arrival, in the scope of the cluster.
std::string in_cluster(const kernel::Module& module, const Statement& statement, const char* order) {
    const auto has = [&](const std::string& word) {
        return std::find(statement.words.begin(), statement.words.end(), word) != statement.words.end();
    };
    std::vector<std::string> words;
    bool is_said = has("cta") || has("cluster");
    for (const std::string& word : statement.words) {
        if (!is_said && (word.rfind("shared", 0) == 0 || word == "b64")) {
            words.insert(words.end(), {order, "cluster"});
            is_said = true;
        }
        words.push_back(word == "cta" ? "cluster" : word);
    }
    const auto [begin, end] = statement.span;
    const std::string text = spelled(module, statement), whole = module.source->text.substr(begin, end - begin);
    return whole.substr(0, whole.size() - text.size()) + kernel::dotted(words) + text.substr(kernel::dotted(statement.words).size());
}

}  // namespace

Advice advice_on_narrow_waits(const kernel::Module& module, const std::vector<Place>& waits) {
    Advice advice;
    advice.change = "`.acquire.cluster` (`cuda::ptx::scope_cluster`) on these waits, `.release.cluster` on the arrivals that they wait for";
    advice.why = "a scope of one block leaves the others out";
    advice.see = "async/completion/red-async-wait-cta.litmus";
    std::vector<PtxEdit> edits;
    std::set<const Statement*> changed;
    const auto widen = [&](const Statement& statement, const char* order) {
        for (const Statement* one : alike(module, statement, true))
            if (changed.insert(one).second) edits.push_back({one, Where::instead, false, in_cluster(module, *one, order)});
    };
    for (const Place& wait : waits) widen(*wait.statement, "acquire");
    advice.remedies.push_back({"`.acquire.cluster` (`cuda::ptx::scope_cluster`) on these waits", edits});
    for (const char* arrival : {"arrive", "arrive_drop"})
        for (const Statement* one : statements_with(module, {"mbarrier", arrival}))
            if (std::find(one->words.begin(), one->words.end(), "async") == one->words.end()) widen(*one, "release");
    advice.remedies.push_back({advice.change, std::move(edits)});
    return advice;
}

}  // namespace litmus
