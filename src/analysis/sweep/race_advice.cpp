// First what the earlier access is, as that says what tells of its end.
#include "analysis/sweep/race_advice.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/sweep/advice_places.h"

namespace litmus {

namespace {

using kernel::Statement;
using sweep::Breach;
using sweep::Clash;
using sweep::Finding;
using sweep::Place;
using namespace meeting;

constexpr uint32_t warp_size = 32, warpgroup_size = 128;
constexpr const char* proxy_fence = "`cuda::ptx::fence_proxy_async()`";
constexpr const char* of_warpgroup = "a barrier of the warpgroup (`bar.sync N, 128`)";
constexpr const char* ptx_of_warpgroup =  // by its number, so that warpgroups do not meet
    "{ .reg .u32 %litmus_n; mov.u32 %litmus_n, %tid.x; shr.u32 %litmus_n, %litmus_n, 7; add.u32 %litmus_n, %litmus_n, 8; bar.sync "
    "%litmus_n, 128; }";

class OfRace {
public:
    OfRace(const kernel::Module& module, const kernel::Dimensions& block, const Finding& finding)
        : module_(module),
          block_(block),
          first_(finding.places.front()),
          second_(finding.places.back()),
          clash_(*finding.clash),
          breach_(finding.breach),
          a_(advised_line(module, first_)),
          b_(advised_line(module, second_)) {}

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
                if (is_issued_by_each())
                    issued_by_each();
                else if (clash_.fresh && !clash_.earlier.writes && clash_.later.writes)
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
    // Of several, in a block of one dimension.
    bool one_warpgroup() const {
        return one_block() && first_.seat.thread / warpgroup_size == second_.seat.thread / warpgroup_size && block_[0] > warpgroup_size &&
               block_[1] * block_[2] == 1;
    }
    bool one_block() const { return first_.seat.block == second_.seat.block; }
    bool one_cluster() const { return first_.seat.cluster == second_.seat.cluster; }
    Insertion behind(const std::string& ptx) const { return {first_.statement, false, true, ptx}; }
    Insertion before(const std::string& ptx) const { return {second_.statement, true, true, ptx}; }
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

    // One copy, which each lane issues, or an object that each thread initialises.
    bool is_issued_by_each() const {
        if (clash_.earlier.op == Op::mbarrier_init && clash_.later.op == Op::mbarrier_init) return first_.statement == second_.statement;
        return clash_.earlier.apart && clash_.later.apart && first_.statement == second_.statement && one_warp() && !one_thread();
    }
    void issued_by_each() {
        if (clash_.earlier.op == Op::mbarrier_init)
            return say("one thread that comes to " + a_, "an object is initialised once", "async/init/by-every-thread.litmus");
        say("one thread that issues " + a_ + " (`cuda::ptx::elect_sync`), and not each of its warp",
            "each issues a copy of its own, and nothing orders them", "async/kernel-bugs/kb-not-elected.litmus");
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
                return incomplete_copy();
            default:
                return clash_.earlier.object.empty() ? incomplete_group() : incomplete_phase();
        }
    }

    // cp.async, which writes through the generic proxy.
    void incomplete_copy() {
        const bool fenced = clash_.later.apart && clash_.later.op != Op::async_copy;
        const std::string wait =
            fenced ? "`cp.async.wait_all`, " + std::string(proxy_fence) : "`cp.async.wait_all` (`__pipeline_wait_prior(0)`)";
        const std::string ptx = fenced ? "cp.async.wait_all; fence.proxy.async; " : "cp.async.wait_all; ";
        if (!fenced) remedy(wait + " before " + b_, {before(ptx)});
        if (one_block()) {
            remedy(wait + " and " + of_block + " before " + b_, {before(ptx + ptx_of_block)});
            if (one_warpgroup()) remedy(wait + " and " + of_warpgroup + " before " + b_, {before(ptx + ptx_of_warpgroup)});
            remedy(std::string(of_block) + " before " + a_, {{first_.statement, true, true, ptx_of_block}});
        }
        say("`cp.async.wait_group` for the group of " + a_ + (fenced ? ", " + std::string(proxy_fence) : "") + in_thread_of_first() +
                ", before " + b_ + "; or, if that needs what was there before, a barrier behind it",
            "a copy may write until the thread that issues it has waited for its group", "async/cp-async/ca-wait-then-barrier.litmus");
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
        const std::string fence = "fence.proxy.async; ";
        if (one_warpgroup()) remedy(std::string(of_warpgroup) + " behind " + a_, {behind(ptx_of_warpgroup)});
        if (one_block()) remedy(std::string(of_block) + " behind " + a_, {behind(ptx_of_block)});
        if (one_block()) remedy(std::string(proxy_fence) + " and " + of_block + " behind " + a_, {behind(fence + ptx_of_block)});
        if (one_warpgroup())
            remedy(std::string(proxy_fence) + " and " + of_warpgroup + " behind " + a_, {behind(fence + ptx_of_warpgroup)});
        say("a barrier between " + a_ + " and " + b_ + ", and " + proxy_fence + " behind the write",
            "an asynchronous access comes behind an ordinary write only through a proxy fence and an order of the threads (ISA 8.9.2)",
            "async/kernel-bugs/kb-epilogue-fenced.litmus");
    }

    void generic() {
        const Clash::Side &a = clash_.earlier, &b = clash_.later;
        if (a.scope != Scope::none && b.scope != Scope::none) return strong();
        if (one_warp() && block_[0] * block_[1] * block_[2] > warp_size) {  // else the next launch may have more warps
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
        if (one_warpgroup()) {
            remedy(std::string(of_warpgroup) + " before " + b_, {before(ptx_of_warpgroup)});
            remedy(std::string(of_warpgroup) + " behind " + a_, {behind(ptx_of_warpgroup)});
        }
        for (const Statement* fork : around(module_, second_.statement).forks)
            remedy(std::string(of_block) + " before " + b_ + ", where all threads of the block come by",
                   {{fork, true, false, ptx_of_block}});
        for (const Statement* join : around(module_, first_.statement).joins)
            remedy(std::string(of_block) + " behind " + a_ + ", where all threads of the block come by",
                   {{join, true, false, ptx_of_block}});
        if (is_by_all()) return one_of_all("each thread");
        say("an order between " + a_ + " and " + b_ + ": " + of_block + ", or an arrival behind the one and a wait before the other",
            "threads of a block go on in any order between barriers", "classic/barriers/bar-sync-mp.litmus");
    }

    // Several threads write one place by one instruction, without being told apart.
    bool is_by_all() const { return first_.statement == second_.statement && clash_.earlier.writes && clash_.later.writes; }
    void one_of_all(const std::string& who) {
        say("one thread that comes to " + a_ + ", or a place of its own for " + who + ", or an atomic",
            "nothing that stands before or behind this line comes between two threads that write there", "lessons/06-atomics.md");
    }

    void between_blocks() {
        const std::string fence = clash_.apart ? "`__threadfence_system()`" : "`__threadfence()`";
        const std::string ptx = clash_.apart ? "fence.acq_rel.sys;" : "fence.acq_rel.gpu;";
        remedy(fence + " behind " + a_, {behind(ptx)});
        remedy(fence + " before " + b_, {before(ptx)});
        remedy(fence + " behind " + a_ + " and before " + b_, {behind(ptx), before(ptx)});
        for (const Statement* flag : flags())
            remedy(fence + " on both sides of " + advised_line(module_, {{}, flag}), {{flag, true, true, ptx}, {flag, false, true, ptx}});
        if (is_by_all()) return one_of_all("each block");
        const bool one_is_strong = clash_.earlier.scope != Scope::none || clash_.later.scope != Scope::none;
        say(std::string(one_is_strong ? "both accesses strong (`cuda::atomic_ref`, `volatile`), as one of them is; or " : "") +
                "an order of the two: a release behind the one and an acquire before the other, on one flag (`cuda::atomic_ref`, or " +
                fence + " on both sides of a relaxed one)" + (clash_.apart ? ", all of the system's scope" : ", or `grid.sync()`"),
            std::string("threads of two ") + (clash_.apart ? "GPUs" : "blocks") + " are ordered by a release and an acquire alone",
            "lessons/04-patterns.md");
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
        const auto has = [&](Scope scope) { return clash_.earlier.scope == scope || clash_.later.scope == scope; };
        if (clash_.apart && (has(Scope::cta) || has(Scope::cluster) || has(Scope::gpu)))
            return say("a scope of both accesses that has both threads: `thread_scope_system`", "a scope of one GPU leaves the other out",
                       "lessons/03-scopes.md");
        if ((!one_block() && has(Scope::cta)) || (!one_cluster() && has(Scope::cluster)))
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
    const kernel::Dimensions block_;
    const Place &first_, &second_;
    const Clash& clash_;
    const Breach breach_;
    const std::string a_, b_;  // lines
    Advice result_;
};

}  // namespace

Advice advice_on_race(const kernel::Module& module, const kernel::Dimensions& block, const sweep::Finding& finding) {
    return OfRace(module, block, finding).advice();
}

}  // namespace litmus
