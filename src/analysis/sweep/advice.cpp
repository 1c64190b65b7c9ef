// A race first asks what the earlier access is, as that says what tells of its end.
#include "analysis/sweep/advice.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kernel/live.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

using kernel::Statement;
using sweep::Breach;
using sweep::Clash;
using sweep::Finding;
using sweep::Place;

constexpr uint32_t warp_size = 32;
constexpr const char* proxy_fence = "`cuda::ptx::fence_proxy_async()`";
constexpr const char* of_block = "`__syncthreads()`";
constexpr const char* of_cluster = "`cluster.sync()`";
constexpr const char* ptx_of_block = "bar.sync 0;";
constexpr const char* ptx_of_cluster = "barrier.cluster.arrive; barrier.cluster.wait;";

// "ring.cu:42"; an instruction where no line is known.
std::string at(const kernel::Module& module, const Place& place) {
    if (place.statement == nullptr) return "the kernel's end";
    const kernel::Origin& origin = place.statement->origin;
    const std::string line = kernel::text_of(module, kernel::shown_line(module, origin));
    if (line.empty()) return "`" + kernel::dotted(place.statement->words) + "`";
    const std::string outer = kernel::text_of(module, origin.back());
    return line + (outer.empty() || outer == line ? "" : " (called at " + outer + ")");
}

// Where those part that pass a statement by, and where they meet again: the branches over it, and the statements that these lead to. The
// nearest come first.
struct Detour {
    std::vector<const Statement*> forks, joins;
};
Detour around(const kernel::Module& module, const Statement* statement) {
    constexpr size_t most = 3;
    Detour result;
    for (const kernel::Function& function : module.functions) {
        if (function.code.empty() || statement < &function.code.front() || statement > &function.code.back()) continue;
        const auto own = static_cast<size_t>(statement - function.code.data());
        std::set<size_t> joins;
        for (size_t i = own; i-- > 0;)
            for (const size_t to : kernel::successors(function, i)) {
                if (to <= own || to == function.code.size()) continue;
                joins.insert(to);
                if (result.forks.size() < most) result.forks.push_back(&function.code[i]);
            }
        for (const size_t join : joins)
            if (result.joins.size() < most) result.joins.push_back(&function.code[join]);
    }
    return result;
}

// Statements where threads end.
std::vector<const Statement*> exits(const kernel::Module& module) {
    std::vector<const Statement*> result;
    for (const kernel::Function& function : module.functions)
        for (const Statement& statement : function.code)
            if (statement.words[0] == "exit" || (statement.words[0] == "ret" && function.entry)) result.push_back(&statement);
    return result;
}

// ---- races -------------------------------------------------------------------------------------------------------------------------

class OfRace {
public:
    OfRace(const kernel::Module& module, bool one_warp, const Finding& finding)
        : module_(module),
          one_warp_blocks_(one_warp),
          first_(finding.places.front()),
          second_(finding.places.back()),
          clash_(*finding.clash),
          breach_(finding.breach),
          a_(at(module, first_)),
          b_(at(module, second_)) {}

    Advice advice() {
        switch (breach_) {
            case Breach::proxy:
                proxy();
                break;
            case Breach::uncached:
                result_ = {{},
                           "a load without `__ldg` and `const __restrict__` at " + b_,
                           "nothing orders a write of this kernel before a load through the cache that is not coherent",
                           "async/helpers/nc-of-what-the-kernel-writes.litmus"};
                break;
            case Breach::tensor_memory:
                tensor_memory();
                break;
            default:
                if (clash_.fresh && !clash_.earlier.writes && clash_.later.writes)
                    too_early();
                else if (clash_.earlier.apart || clash_.earlier.op == Op::tcgen_mma || clash_.earlier.op == Op::tcgen_copy)
                    incomplete();
                else if (clash_.later.apart)
                    before_asynchronous();
                else
                    generic();
        }
        return std::move(result_);
    }

private:
    bool one_thread() const { return one_block() && first_.seat.thread == second_.seat.thread; }
    bool one_warp() const { return one_block() && first_.seat.thread / warp_size == second_.seat.thread / warp_size; }
    bool one_block() const { return first_.seat.block == second_.seat.block; }
    bool one_cluster() const { return first_.seat.cluster == second_.seat.cluster; }
    Insertion behind(const char* ptx) const { return {first_.statement, false, true, ptx}; }
    Insertion before(const char* ptx) const { return {second_.statement, true, true, ptx}; }
    void remedy(const std::string& change, std::vector<Insertion> insertions) {
        result_.remedies.push_back({change, std::move(insertions)});
    }
    void say(const std::string& change, const std::string& why, const std::string& see) {
        result_.change = change;
        result_.why = why;
        result_.see = see;
    }
    std::string in_thread_of_first() const { return one_thread() ? "" : " in the thread that issues it, and then a barrier"; }

    void proxy() {
        constexpr const char* fence = "fence.proxy.async;";
        remedy(std::string(proxy_fence) + " behind " + a_, {behind(fence)});
        if (!one_block()) remedy(std::string(proxy_fence) + " before " + b_ + ", behind what orders it", {before(fence)});
        if (clash_.earlier.writes)
            say(std::string(proxy_fence) + " between " + a_ + " and " + b_ + ", in each thread that writes there",
                "an ordinary write comes before an asynchronous access only through a proxy fence (ISA 8.9.2)",
                "lessons/09-async-proxy.md");
        else
            say("something that waits for the value of " + a_ + " before its place is given back",
                "a load that nothing waits for may be performed after the arrival that gives its place back",
                "async/proxy-war/war-mbarrier-unfenced.litmus");
    }

    // A read of a place that nobody has written yet, and then the write.
    void too_early() {
        const std::string& object = clash_.later.object;
        if (!object.empty())
            return say("a wait for " + object + " before " + a_, "only the end of that phase tells that the bytes of " + b_ + " are there",
                       "async/kernel-bugs/kb-one-warp-waits.litmus");
        if (clash_.later.apart)
            before_asynchronous();
        else
            generic();
    }

    void incomplete() {
        switch (clash_.earlier.op.value_or(Op::mov)) {
            case Op::wgmma_mma:
                remedy("`wgmma.wait_group 0` (`warpgroup_wait<0>()`) behind " + a_,
                       {behind("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;")});
                return say("`wgmma.wait_group` for the product of " + a_ + " before its matrices are given back",
                           "a product reads its matrices until a wait for its group has ended (ISA 9.7.15.7)",
                           "async/wgmma/wgmma-slot-given-back-early.litmus");
            case Op::tcgen_mma:
            case Op::tcgen_copy:
                return say(
                    "`tcgen05.commit` behind " + a_ + ", and a wait for its object before " + b_,
                    "a product reads its matrices until the commit that follows it has arrived; a plain arrival does not wait for it",
                    "async/tcgen05/tc-slot-given-back-early.litmus");
            case Op::async_copy:
                remedy("`cp.async.wait_all` (`__pipeline_wait_prior(0)`) before " + b_, {before("cp.async.wait_all;")});
                if (one_block() && !one_thread())
                    remedy("`cp.async.wait_all` (`__pipeline_wait_prior(0)`) and " + std::string(of_block) + " before " + b_,
                           {before("cp.async.wait_all; bar.sync 0;")});
                if (one_block()) remedy(std::string(of_block) + " before " + a_, {{first_.statement, true, true, ptx_of_block}});
                return say("`cp.async.wait_group` for the group of " + a_ + in_thread_of_first() + ", before " + b_ +
                               "; or, if that needs what was there before, a barrier behind it",
                           "a copy may write until the thread that issues it has waited for its group",
                           "async/cp-async/ca-wait-then-barrier.litmus");
            default:
                return clash_.earlier.object.empty() ? incomplete_group() : incomplete_phase();
        }
    }

    void incomplete_group() {
        if (clash_.fresh && clash_.later.writes)  // what the copy is to read
            return say("a barrier between " + b_ + " and " + a_ + ", and " + proxy_fence + " before it",
                       "the copy may read before the other thread has written", "async/kernel-bugs/kb-epilogue-fenced.litmus");
        const bool reads = !clash_.earlier.writes;
        const std::string wait = reads ? "`cp.async.bulk.wait_group.read 0`" : "`cp.async.bulk.wait_group 0`";
        remedy(wait + " behind " + a_, {behind(reads ? "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;"
                                                     : "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;")});
        say(wait + in_thread_of_first() + " before " + b_,
            reads ? "the copy reads its source until the thread that issues it has waited for its group"
                  : "the copy writes until its thread has waited for its group; `.read` waits for the source alone",
            reads ? "async/wait-group/wg-overwrite-too-early.litmus" : "lessons/11-groups.md");
    }

    void incomplete_phase() {
        const std::string& object = clash_.earlier.object;
        if (clash_.again)
            return say(
                "a wait for " + object + " before " + b_ + ", if that needs the new bytes, else " + b_ + " before the place is given back",
                "the copy fills the place anew while the other access may still come", "lessons/12-slots.md");
        say("a wait for " + object + " before " + b_, "only the end of that phase tells that the operation is complete",
            clash_.later.writes ? "async/kernel-bugs/kb-output-over-load.litmus" : "async/kernel-bugs/kb-one-warp-waits.litmus");
    }

    // The later one is asynchronous, and nothing orders it behind the other.
    void before_asynchronous() {
        if (!clash_.earlier.writes)
            return say("the arrival that gives the place back behind " + a_ + ", and a wait for it before " + b_,
                       "the asynchronous operation may write before the other thread has read", "lessons/12-slots.md");
        if (one_block())
            remedy(std::string(proxy_fence) + " and " + of_block + " behind " + a_, {behind("fence.proxy.async; bar.sync 0;")});
        say("a barrier between " + a_ + " and " + b_ + ", and " + proxy_fence + " behind the write",
            "an asynchronous access comes behind a generic write only through a proxy fence and an order of the threads (ISA 8.9.2)",
            "async/kernel-bugs/kb-epilogue-fenced.litmus");
    }

    void generic() {
        const Clash::Side &a = clash_.earlier, &b = clash_.later;
        if (a.scope != Scope::none && b.scope != Scope::none) return strong();
        if (one_warp() && !one_warp_blocks_) {
            remedy("`__syncwarp()` before " + b_, {before("bar.warp.sync 0xffffffff;")});
            remedy("`__syncwarp()` behind " + a_, {behind("bar.warp.sync 0xffffffff;")});
        }
        if (one_block()) return in_block();
        if (one_cluster()) {
            remedy(std::string(of_cluster) + " before " + b_, {before(ptx_of_cluster)});
            remedy(std::string(of_cluster) + " behind " + a_, {behind(ptx_of_cluster)});
            return say(std::string(of_cluster) + " between " + a_ + " and " + b_, "only it orders threads of two blocks here",
                       "lessons/13-clusters.md");
        }
        between_blocks();
    }

    void in_block() {
        remedy(std::string(of_block) + " before " + b_, {before(ptx_of_block)});
        remedy(std::string(of_block) + " behind " + a_, {behind(ptx_of_block)});
        for (const Statement* fork : around(module_, second_.statement).forks)
            remedy(std::string(of_block) + " before " + b_ + ", where all threads of the block come by",
                   {{fork, true, false, ptx_of_block}});
        for (const Statement* join : around(module_, first_.statement).joins)
            remedy(std::string(of_block) + " behind " + a_ + ", where all threads of the block come by",
                   {{join, true, false, ptx_of_block}});
        say("an order between " + a_ + " and " + b_ + ": " + of_block + ", or an arrival behind the one and a wait before the other",
            "threads of a block go on in any order between barriers", "classic/barriers/bar-sync-mp.litmus");
    }

    void between_blocks() {
        constexpr const char* fence = "fence.acq_rel.gpu;";
        remedy("`__threadfence()` behind " + a_, {behind(fence)});
        remedy("`__threadfence()` before " + b_, {before(fence)});
        remedy("`__threadfence()` behind " + a_ + " and before " + b_, {behind(fence), before(fence)});
        for (const Statement* flag : flags())
            remedy("`__threadfence()` on both sides of " + at(module_, {{}, flag}),
                   {{flag, true, true, fence}, {flag, false, true, fence}});
        say("an order of the two: a release behind the one and an acquire before the other, on one flag (`cuda::atomic_ref`, or "
            "`__threadfence()` on both sides of a relaxed one), or `grid.sync()`",
            "threads of two blocks are ordered by a release and an acquire alone", "lessons/04-patterns.md");
    }

    // Strong accesses of these functions, by which threads may be told something; of each line one.
    std::vector<const Statement*> flags() const {
        constexpr size_t most = 4;
        std::vector<const Statement*> result;
        std::set<kernel::Origin> lines;
        for (const kernel::Function& function : module_.functions)
            for (const Statement& statement : function.code) {
                const auto has = [&](const char* word) {
                    return std::find(statement.words.begin(), statement.words.end(), word) != statement.words.end();
                };
                const bool strong = statement.words[0] == "atom" || statement.words[0] == "red" || has("relaxed") || has("volatile");
                if (strong && !has("async") && result.size() < most && lines.insert(statement.origin).second) result.push_back(&statement);
            }
        return result;
    }

    void strong() {
        if (!one_block() && (clash_.earlier.scope == Scope::cta || clash_.later.scope == Scope::cta))
            return say("a scope of both accesses that has both threads: `thread_scope_device`", "a scope of one block leaves the other out",
                       "lessons/03-scopes.md");
        say("one size of both accesses", "strong accesses race all the same where they overlap in part (ISA 8.7.1)",
            "lessons/03-scopes.md");
    }

    void tensor_memory() {
        constexpr const char* fences = "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;";
        const bool loads = clash_.earlier.op == Op::tcgen_load;
        if (loads) remedy("`tcgen05.wait::ld` behind " + a_, {behind("tcgen05.wait::ld.sync.aligned;")});
        if (loads)
            remedy(
                "`tcgen05.fence::before_thread_sync` behind " + a_ + " and `tcgen05.fence::after_thread_sync` before " + b_,
                {behind("tcgen05.wait::ld.sync.aligned; tcgen05.fence::before_thread_sync;"), before("tcgen05.fence::after_thread_sync;")});
        const bool ends_first = clash_.earlier.op == Op::tcgen_dealloc;
        const Statement* const end = ends_first ? first_.statement : clash_.later.op == Op::tcgen_dealloc ? second_.statement : nullptr;
        const std::string& line_of_end = ends_first ? a_ : b_;
        if (end != nullptr)
            for (const Statement* fork : around(module_, end).forks)
                remedy(std::string(of_block) + ", between the fences of tcgen05, before " + line_of_end +
                           ", where all threads of the block come by",
                       {{fork, true, false, fences}});
        const bool multiplies = clash_.earlier.op == Op::tcgen_mma || clash_.later.op == Op::tcgen_mma;
        if (multiplies)
            return say("a wait for the object at which `tcgen05.commit` arrives, before " + (clash_.later.op == Op::tcgen_mma ? a_ : b_),
                       "a product writes tensor memory until the commit that follows it has arrived",
                       "async/tcgen05/tc-read-before-wait.litmus");
        say("`tcgen05.wait::ld` behind the loads, and a barrier between the fences of tcgen05 before " + line_of_end,
            "a load reads tensor memory until its thread has waited for it", "async/tcgen05/tc-use-after-dealloc-by-another-warp.litmus");
    }

    const kernel::Module& module_;
    const bool one_warp_blocks_;  // a block of this launch is a warp
    const Place &first_, &second_;
    const Clash& clash_;
    const Breach breach_;
    const std::string a_, b_;  // lines
    Advice result_;
};

// ---- all others --------------------------------------------------------------------------------------------------------------------

Advice of_init(const kernel::Module& module, const Finding& finding) {
    const Place &init = finding.places.front(), &use = finding.places.back();
    const bool one_block = init.seat.block == use.seat.block;
    Advice advice;
    const std::string line = at(module, init);
    for (const Statement* join : around(module, init.statement).joins)
        advice.remedies.push_back({std::string(one_block ? of_block : of_cluster) + " behind " + line + ", where all threads of the " +
                                       (one_block ? "block" : "cluster") + " come by",
                                   {{join, true, false, one_block ? ptx_of_block : ptx_of_cluster}}});
    advice.change = std::string(one_block ? of_block : of_cluster) + " between " + line + " and " + at(module, use);
    advice.why = "a thread may use the object before it is there unless something tells that it is";
    advice.see = one_block ? "async/init/no-barrier.litmus" : "async/kernel-bugs/kb-cluster-init-not-synced.litmus";
    return advice;
}

Advice of_exit(const kernel::Module& module, const Finding& finding) {
    const Statement& access = *finding.places.front().statement;
    const bool asynchronous = std::find(access.words.begin(), access.words.end(), "async") != access.words.end();
    Advice advice;
    std::vector<Insertion> insertions;
    for (const Statement* exit : exits(module)) insertions.push_back({exit, true, false, ptx_of_cluster});
    advice.change = std::string(of_cluster) + " as the last thing that all threads of the cluster do";
    advice.remedies.push_back({advice.change, std::move(insertions)});
    if (asynchronous) advice.change = "a wait in that block for what " + at(module, finding.places.front()) + " completes, before it ends";
    advice.why = "the block may have exited when " + at(module, finding.places.front()) + " accesses its memory";
    advice.see = "async/cluster-barrier/exit-before-load.litmus";
    return advice;
}

Advice of_map(const kernel::Module& module, const Finding& finding) {
    const Statement& write = *finding.places.front().statement;
    const std::string release = "`fence.proxy.tensormap::generic.release.gpu` behind " + at(module, finding.places.front());
    const std::string acquire = "`fence.proxy.tensormap::generic.acquire.gpu [map], 128` before " + at(module, finding.places.back());
    const bool released = write.words[0] == "tensormap" && write.words[1] == "cp_fenceproxy";
    Advice advice;
    if (!released) advice.remedies.push_back({release, {{&write, false, true, "fence.proxy.tensormap::generic.release.gpu;"}}});
    advice.change = released ? acquire : release + ", and " + acquire;
    advice.why = "a copy reads its map through a proxy of its own";
    advice.see = "async/tensormap/map-replace-unfenced.litmus";
    return advice;
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
                    "`expect_tx` of all bytes that copies bring in a phase, those of " + line + " too, before it can end",
                    "a phase ends when its arrivals and the bytes that it expects have come",
                    "async/expect-tx/one-of-two-operations.litmus"};
        case Breach::phase_over:
            return {{},
                    "`mbarrier.arrive.expect_tx` in one, or the arrival of the same thread behind " + line,
                    "else the phase may end before",
                    "async/expect-tx/arrive-before-expect.litmus"};
        case Breach::wait_late:
            return {{},
                    "an arrival of this thread, behind its wait at " + line +
                        ", without which the next phase does not end (or a barrier with who ends it)",
                    "a parity does not tell a phase from the one after the next",
                    "async/phases/late-waiter.litmus"};
        case Breach::wait_at_once:
            return {{},
                    "the other parity at " + line + ", if it is to wait for what comes next",
                    "its thread knows that the phase of this parity is over, so that it waits for nothing",
                    "async/phases/parity-not-flipped.litmus"};
        case Breach::barrier_turn:
            return {{},
                    "a barrier with another number at " + line + ", or all its threads at each turn of it",
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
                    "the count of `mbarrier.init` as many as arrive in a phase, or the arrival that is missing",
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
            return {{},
                    "the arrival that ends phase 0; or parity 1, where the first round is to wait for nothing",
                    "for a fresh object a wait for parity 1 ends at once, and one for parity 0 with the first phase",
                    "async/kernel-bugs/kb-first-wait-parity-0.litmus"};
        case Breach::no_arrival:
            return {{},
                    "the arrival that ends this phase, or a wait for the phase before it",
                    "nobody comes to arrive in this phase",
                    "async/phases/full-empty-parity-stuck.litmus"};
        case Breach::few_threads:
            return {{},
                    "the barrier where all threads that it counts come to, or fewer counted (`bar.sync N, THREADS`)",
                    "a thread that goes another way does not count until it exits",
                    "async/deadlock/barrier-split.litmus"};
        case Breach::few_lanes:
            return {{},
                    "the instruction where all lanes of its mask come to, or a mask of those that do",
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
    const std::string line = at(module, place);
    const auto mended = [&](const std::string& change, bool before, const char* ptx, const char* why, const char* see) {
        return Advice{{{change, {{place.statement, before, true, ptx}}}}, change, why, see};
    };
    switch (finding.breach) {
        case Breach::never_initialised:
            return {{},
                    "`mbarrier.init` of it, and a barrier of its block or cluster, before " + line,
                    "an object that is not initialised has no phases",
                    "async/init/no-barrier.litmus"};
        case Breach::arrivals:
            return {{},
                    "the count of `mbarrier.init` as many as arrive in a phase, or fewer arrivals at " + line,
                    "more arrivals than the count are undefined",
                    "async/phases/one-arrival-too-many.litmus"};
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
        case Breach::end_unseen:
            return {{},
                    "a wait for the end of the last phase before " + line,
                    "one does not arrive at the next phase before the last is seen to end",
                    "async/phases/arrive-twice-no-wait.litmus"};
        case Breach::own_block:
            return {{},
                    "`atomicAdd` for the own block, or the address that `mapa` gives of another one",
                    "`red.async` is for another block",
                    ""};
        case Breach::no_cluster:
            return {{}, "a launch in clusters, or a plain store", "`st.async` is for blocks of a cluster", ""};
        case Breach::same_group:
            return {{},
                    "`cp.async.wait_group` between two copies to one place",
                    "copies of one group come in any order",
                    "async/cp-async/ca-same-destination.litmus"};
        case Breach::object_elsewhere:
            return {{},
                    "the mbarrier object of the block that " + line + " copies to",
                    "a copy completes where it writes",
                    "async/multicast/mc-each-waits-for-its-own.litmus"};
        case Breach::product_unfenced:
            return mended("`wgmma.fence` (`warpgroup_arrive()`) before " + line, true, "wgmma.fence.sync.aligned;",
                          "a product may read its registers before earlier accesses to them",
                          "async/wgmma/wgmma-first-without-fence.litmus");
        case Breach::product_open:
            return mended("`wgmma.wait_group 0` (`warpgroup_wait<0>()`) before " + line, true, "wgmma.wait_group.sync.aligned 0;",
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
        case Breach::block_not_begun:
            return mended(std::string(of_cluster) + " before " + line, true, ptx_of_cluster,
                          "blocks of a cluster may start one after the other", "async/helpers/arrive-at-peers-before-init.litmus");
        case Breach::copy_at_exit:
            return mended("`cp.async.bulk.wait_group.read 0` behind " + line + ", before its thread exits", false,
                          "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
                          "the copy reads shared memory that ends with the block", "async/kernel-bugs/kb-exit-while-store-reads.litmus");
        default:
            return {};
    }
}

}  // namespace

Advice advice_on(const kernel::Module& module, bool one_warp, const Finding& finding) {
    const std::string line = at(module, finding.places.back());
    switch (finding.kind) {
        case sweep::Kind::phase:
            return of_phase(finding.breach, line);
        case sweep::Kind::stuck:
            return of_deadlock(finding.breach);
        case sweep::Kind::race:
            return finding.breach == Breach::tensor_map ? of_map(module, finding) : OfRace(module, one_warp, finding).advice();
        default:
            if (finding.breach == Breach::not_known_initialised) return of_init(module, finding);
            if (finding.breach == Breach::block_ended) return of_exit(module, finding);
            return of_others(module, finding);
    }
}

Advice advice_on_narrow_waits() {
    return {{},
            "`.acquire.cluster` (`cuda::ptx::scope_cluster`) on these waits, `.release.cluster` on the arrivals that they wait for",
            "a scope of one block leaves the others out",
            "async/completion/red-async-wait-cta.litmus"};
}

}  // namespace litmus
