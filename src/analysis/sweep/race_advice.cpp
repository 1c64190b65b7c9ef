// First what the earlier access is, as that says what tells of its end.
#include "analysis/sweep/race_advice.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "analysis/sweep/advice_places.h"
#include "kernel/program.h"
#include "ptx/table.h"

namespace litmus {

namespace {

using kernel::Statement;
using sweep::Breach;
using sweep::Clash;
using sweep::Finding;
using sweep::Place;
using Where = PtxEdit::Where;
using namespace meeting;

constexpr uint32_t warp_size = 32, warpgroup_size = 128;
constexpr const char* proxy_fence = "`cuda::ptx::fence_proxy_async()`";
constexpr const char* of_warpgroup = "a barrier of the warpgroup (`bar.sync N, 128`)";
constexpr const char* ptx_of_warpgroup =  // by its number, so that warpgroups do not meet
    "{ .reg .u32 %litmus_n; mov.u32 %litmus_n, %tid.x; shr.u32 %litmus_n, %litmus_n, 7; add.u32 %litmus_n, %litmus_n, 8; bar.sync "
    "%litmus_n, 128; }";

class OfRace {
public:
    OfRace(const SweptModule& kernel, const Finding& finding)
        : kernel_(kernel),
          module_(kernel.module),
          block_(kernel.block),
          first_(finding.places.front()),
          second_(finding.places.back()),
          clash_(*finding.clash),
          breach_(finding.breach),
          a_(advised_line(module_, first_)),
          b_(advised_line(module_, second_)) {}

    Advice advice() {
        // where threads wait for ever at a barrier, that comes first
        const bool is_stuck = std::any_of(kernel_.swept.findings.begin(), kernel_.swept.findings.end(),
                                          [](const Finding& one) { return one.kind == sweep::Kind::stuck; });
        if (is_stuck) result_.remedies = moved_barriers(kernel_);
        switch (breach_) {
            case Breach::proxy:
                proxy();
                break;
            case Breach::uncached:
                uncached();
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
        if (!is_stuck) add(moved_barriers(kernel_));
        in_every_call_first();
        splits_last();
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
    PtxEdit behind(const std::string& ptx) const { return {first_.statement, Where::behind, true, ptx}; }
    PtxEdit before(const std::string& ptx) const { return {second_.statement, Where::before, true, ptx}; }
    void remedy(const std::string& change, std::vector<PtxEdit> edits) { result_.remedies.push_back({change, std::move(edits)}); }
    void say(const std::string& change, const std::string& why, const std::string& see) {
        result_.change = change;
        result_.why = why;
        result_.see = see;
    }
    // It and those alike in all calls, each by a text of its own.
    template <class Text>
    std::vector<PtxEdit> instead(const Statement& statement, const Text& text) const {
        std::vector<PtxEdit> edits;
        for (const Statement* one : alike(module_, statement, true)) edits.push_back({one, Where::instead, false, text(*one)});
        return edits;
    }
    // A change of a line is one of all calls that the line was inlined at. It is one of a single call where nothing else is left to try. A
    // statement that is replaced has registers of its own: such a change has its calls already.
    void in_every_call_first() {
        std::vector<Remedy> at_one_call;
        for (Remedy& remedy : result_.remedies) {
            leave_out_calls(module_, remedy);
            if (std::any_of(remedy.edits.begin(), remedy.edits.end(), [](const PtxEdit& edit) { return edit.where == Where::instead; }))
                continue;
            if (std::optional<Remedy> all = in_every_call(module_, remedy)) at_one_call.push_back(std::exchange(remedy, std::move(*all)));
        }
        add(std::move(at_one_call));
    }
    // A change within a line is said to be one, and comes behind those that leave lines whole.
    void splits_last() {
        std::vector<const Statement*> accesses = flags();
        accesses.insert(accesses.end(), {first_.statement, second_.statement});
        const auto is_split = [&](const Remedy& remedy) {
            return std::any_of(remedy.edits.begin(), remedy.edits.end(),
                               [&](const PtxEdit& edit) { return splits_line(module_, accesses, edit); });
        };
        for (Remedy& remedy : result_.remedies)
            if (is_split(remedy)) remedy.change += ", within that line, which has to become two";
        std::stable_partition(result_.remedies.begin(), result_.remedies.end(), [&](const Remedy& one) { return !is_split(one); });
    }
    // Threads of this kernel do not come to another kernel of the file.
    bool is_of_kernel(const kernel::Function& function) const {
        return !function.entry || &function == in_code(module_, first_.statement).function ||
               &function == in_code(module_, second_.statement).function;
    }
    std::vector<const Statement*> statements(const std::vector<std::string>& words) const {
        std::vector<const Statement*> all = statements_with(module_, words);
        std::erase_if(all, [&](const Statement* one) { return !is_of_kernel(*in_code(module_, one).function); });
        return all;
    }
    bool uses(const std::vector<std::string>& words) const { return !statements(words).empty(); }
    void add(std::vector<Remedy> remedies) { std::move(remedies.begin(), remedies.end(), std::back_inserter(result_.remedies)); }
    // A barrier somewhere between the two; `fence` stands before it.
    void meet(const std::string& what = "", const std::string& fence = "", const WhyThere& why = {}) {
        if (one_block()) add(meetings(module_, first_, second_, what + of_block, fence + ptx_of_block, why));
        if (one_block() && fence.empty())
            for (Remedy& remedy : meetings_in_branches(module_, first_, second_)) {
                if (why) remedy.why = why(second_.statement, Where::before);
                result_.remedies.push_back(std::move(remedy));
            }
        if (one_warpgroup()) add(meetings(module_, first_, second_, what + of_warpgroup, fence + ptx_of_warpgroup, why));
    }
    // The same about an asynchronous operation that one of the two is. Where a barrier alone helps, its thread has waited for it, and the
    // other one does not know; or it begins while the other one is not done.
    void meet_copy() {
        const bool is_earlier = clash_.earlier.apart;
        const Clash::Side& copy = is_earlier ? clash_.earlier : clash_.later;
        meet("", "", [&](const Statement* access, Where where) {
            const bool is_of_copy = access == (is_earlier ? first_ : second_).statement;
            if (is_of_copy != (where == Where::before)) return told_of(copy);
            return "the " + name_of(copy) + " may " +
                   (copy.writes ? "overwrite the place while another thread still uses it"
                                : "read the place before another thread has written it");
        });
    }
    static std::string told_of(const Clash::Side& copy) {
        return "its thread has waited for the " + name_of(copy) + ", and other threads learn of that at a barrier alone";
    }
    static std::string name_of(const Clash::Side& side) { return side.op == Op::wgmma_mma ? "product" : "copy"; }
    // By which threads may wait for copies, and give places back.
    bool has_objects() const { return uses({"mbarrier", "init"}); }
    // A wait for groups that is there already leaves fewer of them pending.
    void wait_for_more(const std::vector<std::string>& words, const std::string& name) {
        for (const Statement* wait : statements(words)) {
            for (uint64_t left = std::min<uint64_t>(wait->arguments[0].bits, 8); left-- > 0;) {
                const std::string pending = std::to_string(left);
                remedy("`" + name + " " + pending + "` in place of " + std::to_string(wait->arguments[0].bits) + " at " +
                           advised_line(module_, {{}, wait}),
                       instead(*wait, [&](const Statement& one) { return with_argument(module_, one, 0, pending); }));
            }
        }
    }
    // Behind each wait for copies, where the thread that issued them knows that they are complete.
    void behind_waits(const std::string& what, const std::string& ptx, const std::string& why = "") {
        const auto remedy = [&](const std::string& change, std::vector<PtxEdit> edits) {
            result_.remedies.push_back({change, std::move(edits), why});
        };
        for (const Statement* wait : statements({"cp", "async"}))
            if (std::any_of(wait->words.begin(), wait->words.end(), [](const std::string& word) { return word.rfind("wait_", 0) == 0; }))
                remedy(what + " behind the wait at " + advised_line(module_, {{}, wait}), {{wait, Where::behind, true, ptx}});
        for (const Statement* wait : statements({"mbarrier", "parity"}))
            if (const Statement* const end = end_of_loop(module_, wait))
                remedy(what + " behind the wait at " + advised_line(module_, {{}, wait}), {{end, Where::behind, false, ptx}});
    }
    std::string in_thread_of_first() const { return one_thread() ? "" : " in the thread that issues it, and then a barrier"; }

    void proxy() {
        constexpr const char* fence = "fence.proxy.async;";
        if (clash_.earlier.apart) behind_waits(proxy_fence, fence);
        if (clash_.earlier.apart) remedy(std::string(proxy_fence) + " before " + b_, {before(fence)});
        remedy(std::string(proxy_fence) + " behind " + a_, {behind(fence)});
        if (!one_block()) remedy(std::string(proxy_fence) + " before " + b_ + ", behind what orders it", {before(fence)});
        if (clash_.earlier.apart)
            say(std::string(proxy_fence) + " behind the wait for " + a_ + ", in each thread that waits, and before " + b_,
                "the copy writes through the generic proxy: who has waited for it lacks the proxy fence (ISA 8.9.2)",
                "lessons/09-async-proxy.md");
        else if (clash_.earlier.writes)
            say(std::string(proxy_fence) + " between " + a_ + " and " + b_ + ", in each thread that writes there",
                "an ordinary write comes before an asynchronous access only through a proxy fence (ISA 8.9.2)",
                "lessons/09-async-proxy.md");
        else
            say(std::string(proxy_fence) + " between " + a_ + " and " + b_ + ", in each thread that reads there",
                "a load comes before an asynchronous write through a proxy fence, or through an mbarrier object when something has waited "
                "for its value",
                "async/proxy-war/war-mbarrier-unfenced.litmus");
    }

    // A load as others are, alone or with an order.
    void uncached() {
        Statement coherent = *second_.statement;
        coherent.words.erase(std::remove(coherent.words.begin(), coherent.words.end(), "nc"), coherent.words.end());
        const std::string plain = "a load without `__ldg` and `const __restrict__` at " + b_;
        const std::vector<PtxEdit> loads = instead(*second_.statement, [&](const Statement& one) {
            return guard_of(one) + kernel::dotted(coherent.words) + spelled(module_, one).substr(kernel::dotted(one.words).size());
        });
        generic();
        std::vector<Remedy> orders = std::move(result_.remedies);
        result_.remedies = {{plain, loads}};
        for (Remedy& order : orders) {
            const bool changes_load = std::any_of(order.edits.begin(), order.edits.end(), [&](const PtxEdit& edit) {
                return edit.at == second_.statement && edit.where == Where::instead;
            });
            if (changes_load) continue;
            order.change = plain + ", and " + order.change;
            order.edits.insert(order.edits.end(), loads.begin(), loads.end());
            result_.remedies.push_back(std::move(order));
        }
        say(plain, "nothing orders a write of this kernel before a load through the cache that is not coherent",
            "async/helpers/nc-of-what-the-kernel-writes.litmus");
    }

    // A wait stands behind the initialisation, in every order: an access before it has to come later itself.
    std::string waiting_for(const std::string& object, const Place& place, const std::string& line) const {
        const InCode at = in_code(module_, place.statement);
        const std::vector<const Statement*> inits = statements({"mbarrier", "init"});
        const auto behind = std::find_if(inits.rbegin(), inits.rend(), [&](const Statement* init) {
            const InCode made = in_code(module_, init);
            return made.function == at.function && made.number > at.number;
        });
        if (behind == inits.rend()) return "a wait for " + object + " before " + line;
        return line + " behind " + advised_line(module_, {{}, *behind}) + " and a wait for " + object;
    }

    // One copy, which each lane issues, or an object that each thread initialises.
    bool is_issued_by_each() const {
        if (clash_.earlier.op == Op::mbarrier_init) return first_.statement == second_.statement;
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
            return say(waiting_for(object, first_, a_), "only the end of that phase tells that the bytes of " + b_ + " are there",
                       "async/kernel-bugs/kb-one-warp-waits.litmus");
        if (clash_.later.apart)
            before_asynchronous();
        else
            generic();
    }

    void incomplete() {
        switch (clash_.earlier.op.value_or(Op::mov)) {
            case Op::wgmma_mma:
                wait_for_more({"wgmma", "wait_group"}, "wgmma.wait_group");
                meet_copy();
                remedy("`wgmma.wait_group 0` (`warpgroup_wait<0>()`) behind " + a_, {behind(ptx_of(mends::wait_for_products))});
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

    // cp.async, which writes through the generic proxy. Its thread waits for it, and then the others meet that thread. Or it arrives at an
    // mbarrier object.
    void incomplete_copy() {
        const bool fenced = clash_.later.apart && clash_.later.op != Op::async_copy;
        wait_for_copy(fenced ? "`cp.async.wait_all`, " + std::string(proxy_fence) : "`cp.async.wait_all` (`__pipeline_wait_prior(0)`)",
                      fenced ? " fence.proxy.async; " : " ", second_, b_);
        if (uses({"cp", "async", "mbarrier", "arrive"}))
            return say("a wait for the mbarrier object at which the copy of " + a_ + " arrives, before " + b_,
                       "only the end of that phase tells other threads that the copy is complete",
                       "async/cp-async/ca-mbarrier-arrive.litmus");
        say("`cp.async.wait_group` for the group of " + a_ + (fenced ? ", " + std::string(proxy_fence) : "") + in_thread_of_first() +
                ", before " + b_,
            not_waited_for, "async/cp-async/ca-wait-then-barrier.litmus");
    }
    static constexpr const char* not_waited_for = "a copy may write until its thread has waited for it";
    // Before what uses the bytes: the wait, the barrier, or both.
    void wait_for_copy(const std::string& wait, const std::string& fence, const Place& use, const std::string& line) {
        const std::string ptx = ptx_of(mends::wait_for_copies) + fence;
        const auto from = static_cast<ptrdiff_t>(result_.remedies.size());
        wait_for_more({"cp", "async", "wait_group"}, "cp.async.wait_group");
        behind_waits(of_block, ptx_of_block, told_of(clash_.earlier.apart ? clash_.earlier : clash_.later));
        meet_copy();
        if (fence == " ") remedy(wait + " before " + line, {{use.statement, Where::before, true, ptx}});
        meet(wait + " and ", ptx);
        std::for_each(result_.remedies.begin() + from, result_.remedies.end(), [](Remedy& one) {
            if (one.why.empty()) one.why = not_waited_for;
        });
    }

    void incomplete_group() {
        if (clash_.fresh && clash_.later.writes)  // what the copy is to read
            return say("a barrier between " + b_ + " and " + a_ + ", and " + proxy_fence + " before it",
                       "the copy may read before the other thread has written", "async/kernel-bugs/kb-epilogue-fenced.litmus");
        const bool reads = !clash_.earlier.writes;
        wait_for_more({"cp", "async", "bulk", "wait_group"}, reads ? "cp.async.bulk.wait_group.read" : "cp.async.bulk.wait_group");
        meet_copy();
        const std::string wait = reads ? "`cp.async.bulk.wait_group.read 0`" : "`cp.async.bulk.wait_group 0`";
        remedy(wait + " behind " + a_, {behind(ptx_of(reads ? mends::wait_for_bulk_reads : mends::wait_for_bulk))});
        say(wait + in_thread_of_first() + " before " + b_,
            reads ? "the copy reads its source until the thread that issues it has waited for its group"
                  : "the copy writes until its thread has waited for its group; `.read` waits for the source alone",
            reads ? "async/wait-group/wg-overwrite-too-early.litmus" : "lessons/11-groups.md");
    }

    void incomplete_phase() {
        const std::string& object = clash_.earlier.object;
        if (clash_.again)
            return say(waiting_for(object, second_, b_), "the copy fills the place anew while the other access may still come",
                       "lessons/12-slots.md");
        say(waiting_for(object, second_, b_), "only the end of that phase tells that the operation is complete",
            clash_.later.writes ? "async/kernel-bugs/kb-output-over-load.litmus" : "async/kernel-bugs/kb-one-warp-waits.litmus");
    }

    // An arrival at an mbarrier object that stands before the access of which it tells. It goes behind that; of a load also behind the
    // first store of what is read, which waits for the value.
    void arrive_later(const Place& place, const std::string& line) {
        const InCode own = in_code(module_, place.statement);
        for (const Statement* arrival : statements({"mbarrier", "arrive"})) {
            const InCode at = in_code(module_, arrival);
            if (at.function != own.function || at.number > own.number) continue;
            if (std::find(arrival->words.begin(), arrival->words.end(), "expect_tx") != arrival->words.end()) continue;
            const auto move = [&](const Statement* to, const std::string& where) {
                result_.remedies.push_back({"the arrival at " + advised_line(module_, {{}, arrival}) + " behind " + where,
                                            moved(module_, *arrival, *to, Where::behind),
                                            "an arrival tells of what its thread has done before", "lessons/12-slots.md"});
            };
            move(place.statement, line);
            if (const Statement* const store = store_of(place.statement))
                move(store, advised_line(module_, {{}, store}) + ", which stores what is read");
        }
    }
    // The first store behind a load whose value was made of what that has read.
    const Statement* store_of(const Statement* load) const {
        const auto [function, own] = in_code(module_, load);
        if (load->words[0] != "ld") return nullptr;
        std::set<int> made = {load->arguments.front().reg};
        for (size_t i = own + 1; i < function->code.size(); ++i) {
            const Statement& statement = function->code[i];
            const bool uses = std::any_of(statement.arguments.begin(), statement.arguments.end(),
                                          [&](const kernel::Argument& argument) { return made.count(argument.reg) > 0; });
            if (uses && statement.words[0] == "st") return &statement;
            if (uses && statement.arguments.front().kind == kernel::Argument::Kind::reg) made.insert(statement.arguments.front().reg);
        }
        return nullptr;
    }

    // The later one is asynchronous, and nothing orders it behind the other.
    void before_asynchronous() {
        if (!clash_.earlier.writes) {
            arrive_later(first_, a_);
            if (clash_.fresh && clash_.later.op == Op::async_copy) return read_before_copy();
            meet_copy();
            const std::string why = "the asynchronous operation may write before the other thread has read";
            if (clash_.later.op == Op::async_copy && !has_objects())
                return say("a barrier behind " + a_ + ", before " + b_, why, "lessons/12-slots.md");
            return say("the arrival that gives the place back behind " + a_ + ", and a wait for it before " + b_, why,
                       "lessons/12-slots.md");
        }
        const std::string fence = "fence.proxy.async; ";
        meet();
        meet(std::string(proxy_fence) + " and ", fence);
        say("a barrier between " + a_ + " and " + b_ + ", and " + proxy_fence + " behind the write",
            "an asynchronous access comes behind an ordinary write only through a proxy fence and an order of the threads (ISA 8.9.2)",
            "async/kernel-bugs/kb-epilogue-fenced.litmus");
    }

    // Nobody has written the place yet: the bytes that are read are those of a copy that comes later in the run.
    void read_before_copy() {
        wait_for_copy("`cp.async.wait_all` (`__pipeline_wait_prior(0)`)", " ", first_, a_);
        if (uses({"cp", "async", "mbarrier", "arrive"}))
            return say("a wait for the mbarrier object at which the copy of " + b_ + " arrives, before " + a_,
                       "only the end of that phase tells other threads that the copy is complete",
                       "async/cp-async/ca-mbarrier-arrive.litmus");
        say("`cp.async.wait_group` for the group of " + b_ + " in the thread that issues it, and then a barrier, before " + a_,
            not_waited_for, "async/cp-async/ca-wait-then-barrier.litmus");
    }

    void generic() {
        const Clash::Side &a = clash_.earlier, &b = clash_.later;
        if (a.scope != Scope::none && b.scope != Scope::none) return strong();
        // in a block of one warp, too, where nothing else is meant: the next launch may have more warps
        const bool of_warps = uses({"bar", "warp"}) || (uses({"shfl"}) && !uses({"bar", "sync"}) && !uses({"barrier", "sync"}));
        const bool has_warps = block_[0] * block_[1] * block_[2] > warp_size;
        if (one_warp() && (has_warps || of_warps))
            add(meetings(module_, first_, second_,
                         has_warps ? "`__syncwarp()`" : "`__syncwarp()` (" + of_block + " where a block has more warps than here)",
                         "bar.warp.sync 0xffffffff;"));
        if (one_block()) return in_block();
        if (one_cluster()) {
            add(meetings(module_, first_, second_, of_cluster, ptx_of_cluster));
            return say(std::string(of_cluster) + " between " + a_ + " and " + b_, "only it orders threads of two blocks here",
                       "lessons/13-clusters.md");
        }
        between_blocks();
    }

    void in_block() {
        arrive_later(first_, a_);
        if (second_.statement != first_.statement) arrive_later(second_, b_);
        meet();
        strengthen_told();
        strengthen_polls();
        if (is_by_all()) return one_of_all();
        say(sweep::nothing_found, "threads of a block go on in any order between barriers", "classic/barriers/bar-sync-mp.litmus");
    }

    // Several threads write one place by one instruction, without being told apart.
    bool is_by_all() const { return first_.statement == second_.statement && clash_.earlier.writes && clash_.later.writes; }
    void one_of_all() {
        say("one thread that comes to " + a_, "nothing that stands before or behind this line comes between two that write there",
            "lessons/06-atomics.md");
    }

    void between_blocks() {
        const std::string fence = clash_.apart ? "`__threadfence_system()`" : "`__threadfence()`";
        const std::string ptx = clash_.apart ? "fence.acq_rel.sys;" : "fence.acq_rel.gpu;";
        const std::vector<const Statement*> signs = flags();
        strengthen_told();
        widen_fences();
        for (const Statement* flag : signs)
            if (!is_volatile(*flag)) strengthen({flag});
        remedy(fence + " behind " + a_, {behind(ptx)});
        remedy(fence + " before " + b_, {before(ptx)});
        for (const Statement* flag : signs) {
            const std::string line = advised_line(module_, {{}, flag});
            const PtxEdit above{flag, Where::before, true, ptx}, below{end_of_wait(flag), Where::behind, true, ptx};
            remedy(fence + " before " + line, {above});
            remedy(fence + " behind " + line, {below});
            remedy(fence + " on both sides of " + line, {above, below});
            if (is_volatile(*flag)) strengthen({flag});
        }
        remedy(fence + " behind " + a_ + " and before " + b_, {behind(ptx), before(ptx)});
        meet_at_flags(signs);
        if (signs.size() > 1) strengthen(signs);
        move_past_flags(signs);
        strengthen_polls();
        if (is_by_all()) return one_of_all();
        say("an order of the two: a release behind " + a_ + " and an acquire before " + b_ + ", on one flag (" + fence +
                " before the flag is written, and behind the read of it)" + (clash_.apart ? ", all of the system's scope" : ""),
            std::string("threads of two ") + (clash_.apart ? "GPUs" : "blocks") + " are ordered by a release and an acquire alone",
            "lessons/04-patterns.md");
    }

    static bool has_word(const Statement& statement, const char* word) {
        return std::find(statement.words.begin(), statement.words.end(), word) != statement.words.end();
    }
    static bool is_volatile(const Statement& statement) { return has_word(statement, "volatile"); }

    // Fences whose scope leaves one of the two threads out, each line alone and then all (9.7.13.4).
    void widen_fences() {
        struct Fence {
            const char *word, *cuda;
        };
        constexpr std::array near = {Fence{"cta", "`__threadfence_block()`"}, Fence{"cluster", "a fence of the cluster"}};
        constexpr std::array gpu = {Fence{"gl", "`__threadfence()`"}, Fence{"gpu", "`__threadfence()`"}};
        std::vector<Fence> narrow(near.begin(), near.end());
        if (clash_.apart) narrow.insert(narrow.end(), gpu.begin(), gpu.end());
        const std::string wide = clash_.apart ? "`__threadfence_system()`" : "`__threadfence()`";
        std::vector<Remedy> each;
        std::set<const Statement*> changed;
        for (const char* name : {"membar", "fence"})
            for (const Fence& fence : narrow)
                for (const Statement* statement : statements({name, fence.word})) {
                    const bool is_plain = statement->words.size() <= 3;  // not of a proxy, nor of an initialisation
                    if (!is_plain || changed.contains(statement)) continue;
                    std::vector<std::string> words = statement->words;
                    const std::string scope = clash_.apart ? "sys" : words[0] == "membar" ? "gl" : "gpu";
                    std::replace(words.begin(), words.end(), std::string(fence.word), scope);
                    Remedy one{wide + " in place of " + fence.cuda + " at " + advised_line(module_, {{}, statement}), {}};
                    for (const Statement* other : alike(module_, *statement, true)) {
                        changed.insert(other);
                        one.edits.push_back({other, Where::instead, false, guard_of(*other) + kernel::dotted(words) + ";"});
                    }
                    each.push_back(std::move(one));
                }
        Remedy all;
        for (const Remedy& one : each) {
            all.change += (all.change.empty() ? "" : ", and ") + one.change;
            all.edits.insert(all.edits.end(), one.edits.begin(), one.edits.end());
        }
        if (each.size() > 1) each.push_back(std::move(all));
        add(std::move(each));
    }

    // Strong accesses of these functions, by which threads may be told something; of each line one.
    std::vector<const Statement*> flags() const {
        constexpr size_t most = 6;
        std::vector<const Statement*> result;
        std::set<kernel::Origin> lines;
        for (const kernel::Function& function : module_.functions) {
            if (!is_of_kernel(function)) continue;
            for (const Statement& statement : function.code) {
                const std::string& name = statement.words[0];
                const bool is_access = name == "ld" || name == "st" || name == "atom" || name == "red";
                if (is_access && is_strong(statement) && !has_word(statement, "async") && !has_word(statement, "shared") &&
                    result.size() < most && (statement.origin.empty() || lines.insert(without_calls(module_, statement.origin)).second))
                    result.push_back(&statement);
            }
        }
        return result;
    }

    static bool is_strong(const Statement& statement) {
        constexpr std::array words = {"relaxed", "volatile", "acquire", "release", "acq_rel", "mmio"};
        return statement.words[0] == "atom" || statement.words[0] == "red" ||
               std::any_of(statement.words.begin(), statement.words.end(),
                           [&](const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); });
    }

    // A loop may repeat it, and what is put behind goes behind the loop.
    const Statement* end_of_wait(const Statement* flag) const {
        const Statement* const end = flag->words[0] == "red" || flag->words[0] == "st" ? nullptr : end_of_loop(module_, flag);
        return end != nullptr ? end : flag;
    }

    // How strong accesses become, besides a scope that has both threads.
    enum class Become : uint8_t {
        wide,     // no more than that
        strong,   // weak loads and stores relaxed
        ordering  // all of them with all the order that they can have (9.7.13.5, 9.7.9.8, 9.7.9.11); an atomic that says nothing of it
                  // stays
    };

    // A weak access loses hints that a strong one cannot have, and reads no more past the coherent caches.
    void strengthen(const std::vector<const Statement*>& signs, Become become = Become::ordering) {
        // other blocks may access there, too, unless it is memory of the block
        const bool of_block = one_block() && std::all_of(signs.begin(), signs.end(), [](const Statement* sign) {
                                  return std::any_of(sign->words.begin(), sign->words.end(),
                                                     [](const std::string& word) { return word.rfind("shared", 0) == 0; });
                              });
        const std::string scope = clash_.apart ? "sys" : of_block ? "cta" : "gpu";
        const bool orders = become == Become::ordering;
        std::string change;
        std::vector<PtxEdit> edits;
        for (const Statement* flag : signs) {
            const std::string& name = flag->words[0];
            const bool is_weak = (name == "ld" || name == "st") && !is_strong(*flag);
            const std::string most = !orders ? "relaxed" : name == "ld" ? "acquire" : name == "atom" ? "acq_rel" : "release";
            std::string now;
            bool narrow = false;
            for (const std::string& word : flag->words) {
                if (word == "weak" || word == "nc") continue;
                const bool is_order = word == "relaxed" || word == "acquire" || word == "release";
                const bool is_near = word == "cta" || word == "cluster" || (clash_.apart && word == "gpu");
                narrow = narrow || is_near;
                now += (now.empty() ? "" : ".") + (word == "volatile" && orders ? most + "." + scope
                                                   : is_order && orders         ? most
                                                   : is_near                    ? scope
                                                                                : word);
                if (is_weak && now == name) now += "." + most + "." + scope;
            }
            now = without_hints_refused(now);
            const std::string before = kernel::dotted(flag->words);
            if (now == before) continue;
            for (PtxEdit& edit :
                 instead(*flag, [&](const Statement& one) { return guard_of(one) + now + spelled(module_, one).substr(before.size()); }))
                edits.push_back(std::move(edit));
            const std::string sem = orders || is_weak ? most : "", wide = narrow || is_weak ? scope : "";
            change += (change.empty() ? "`" : ", and `") + (sem.empty() ? "" : "." + sem) + (wide.empty() ? "" : "." + wide) + "`" +
                      in_cuda(sem, wide, *flag) + " at " + advised_line(module_, {{}, flag}) + " (`" + before + "`)";
        }
        if (edits.empty()) return;
        result_.remedies.push_back({change, std::move(edits),
                                    orders
                                        ? "what is written before a release is there for who reads it by an acquire, in the scope of both"
                                        : "only strong accesses whose scopes have both threads do not race",
                                    "lessons/04-patterns.md"});
    }
    // The same in the words of CUDA; empty where the kernel has no lines of CUDA.
    std::string in_cuda(const std::string& sem, const std::string& scope, const Statement& access) const {
        if (module_.files.empty()) return {};
        constexpr std::array scopes = {std::pair("cta", "block"), std::pair("gpu", "device"), std::pair("sys", "system")};
        std::string words;
        for (const auto& [ptx, cuda] : scopes)
            if (scope == ptx) words = std::string("`cuda::thread_scope_") + cuda + "`";
        if (!sem.empty()) words += (words.empty() ? "`" : " and `") + ("cuda::memory_order_" + sem) + "`";
        if (words.empty()) return {};
        const bool is_vector = has_word(access, "v2") || has_word(access, "v4");
        const bool is_exchange = access.words[0] == "st" && !is_vector && sem == "relaxed" && scope == "gpu";
        return " (`cuda::atomic_ref` with " + words + (is_exchange ? ", or `atomicExch()`)" : ")");
    }
    std::string guard_of(const Statement& statement) const {
        const std::string whole = module_.source->text.substr(statement.span.begin, statement.span.end - statement.span.begin);
        return whole.substr(0, whole.size() - spelled(module_, statement).size());
    }

    // An atomic beside a weak access may make that right, in whatever order they come. A cas compares what a load has found. A store behind
    // an atomic sets back what that has drawn.
    void strengthen_told() {
        const Statement *const a = first_.statement, *const b = second_.statement;
        const auto is_told_by = [&](const Statement& weak, const Statement& atomic) {
            if (atomic.words[0] != "atom") return false;
            if (weak.words[0] == "ld") return has_word(atomic, "cas");
            const InCode store = in_code(module_, &weak), draws = in_code(module_, &atomic);
            return store.function == draws.function && store.number > draws.number;
        };
        if (is_told_by(*a, *b)) strengthen({a}, Become::strong);
        if (is_told_by(*b, *a)) strengthen({b}, Become::strong);
    }

    // Weak accesses of races by which threads may be told something: a load, or a cas, that a loop repeats, and what it waits for.
    void strengthen_polls() {
        std::set<std::set<const Statement*>> told;
        const auto both = [&](const Finding& race) {
            const Statement *const a = race.places.front().statement, *const b = race.places.back().statement;
            if (is_strong(*a) && is_strong(*b)) return;
            if (!told.insert({a, b}).second) return;
            for (const Become become : {Become::strong, Become::ordering}) strengthen(a == b ? std::vector{a} : std::vector{a, b}, become);
        };
        const auto repeats = [&](const Place& place) {
            const std::vector<std::string>& words = place.statement->words;
            const bool asks = words[0] == "ld" || has_word(*place.statement, "cas");
            return asks && end_of_loop(module_, place.statement) != nullptr;
        };
        for (const Finding& race : kernel_.swept.findings)
            if (race.kind == sweep::Kind::race && !race.clash->earlier.apart && !race.clash->later.apart &&
                std::any_of(race.places.begin(), race.places.end(), repeats))
                both(race);
    }

    // One thread of a block tells others, or is told, and the others have to meet it.
    void meet_at_flags(const std::vector<const Statement*>& signs) {
        std::vector<Remedy> remedies = meetings(module_, first_, second_, of_block, ptx_of_block);
        for (const Statement* flag : signs) {
            const Detour detour = around(module_, flag);
            const std::string line = advised_line(module_, {{}, flag});
            for (const Statement* join : detour.joins)
                remedies.push_back({std::string(of_block) + " behind " + line + ", where all threads of the block come by",
                                    {{join, Where::before, false, ptx_of_block}}});
            for (const Statement* fork : detour.forks)
                remedies.push_back({std::string(of_block) + " before " + line + ", where all threads of the block come by",
                                    {{fork, Where::before, false, ptx_of_block}}});
        }
        for (Remedy& one : remedies) {
            one.why = "one thread of the block tells the others' accesses to another block, or is told of them: they have to meet it";
            one.see = "classic/barriers/bar-sync-mp.litmus";
        }
        add(std::move(remedies));
    }

    // An access that stands on the wrong side of what tells of it.
    void move_past_flags(const std::vector<const Statement*>& signs) {
        for (const Place* place : {&first_, &second_}) {
            const Statement* const access = place->statement;
            if (access->words[0] != "st" && access->words[0] != "ld") continue;
            const InCode own = in_code(module_, access);
            const auto move = [&](const Statement* to, Where where, const std::string& there) {
                const bool is_later = in_code(module_, to).number > own.number;
                if (!leads_by(module_, is_later ? access : to, is_later ? to : access)) return;  // other threads would come to it
                result_.remedies.push_back({advised_line(module_, *place) + there, moved(module_, *access, *to, where),
                                            "what is told is not done yet", "lessons/04-patterns.md"});
            };
            for (const Statement* flag : signs) {
                const InCode at = in_code(module_, flag);
                if (at.function != own.function) continue;
                const std::string line = advised_line(module_, {{}, flag});
                if (at.number < own.number) {
                    for (size_t i = at.number; i-- > 0;) {
                        const Statement& barrier = at.function->code[i];
                        if (barrier.words[0] != "bar" && barrier.words[0] != "barrier") continue;
                        move(&barrier, Where::before, " before the barrier before " + line);
                        break;
                    }
                    const Detour detour = around(module_, flag);
                    move(detour.forks.empty() ? flag : detour.forks.front(), Where::before, " before " + line);
                } else if (access->words[0] == "ld") {
                    const Detour detour = around(module_, flag);
                    if (detour.joins.empty())
                        move(end_of_wait(flag), Where::behind, " behind " + line);
                    else
                        move(detour.joins.front(), Where::before, " behind " + line);
                }
            }
        }
    }

    // The two, where they say a scope.
    std::vector<const Statement*> scoped() const {
        std::vector<const Statement*> result = {first_.statement};
        if (second_.statement != first_.statement) result.push_back(second_.statement);
        return result;
    }

    void strong() {
        const auto has = [&](Scope scope) { return clash_.earlier.scope == scope || clash_.later.scope == scope; };
        strengthen(scoped(), Become::wide);
        of_one_size(*first_.statement, *second_.statement);
        of_one_size(*second_.statement, *first_.statement);
        if (clash_.apart && (has(Scope::cta) || has(Scope::cluster) || has(Scope::gpu)))
            return say("a scope of both accesses that has both threads: `thread_scope_system`", "a scope of one GPU leaves the other out",
                       "lessons/03-scopes.md");
        if ((!one_block() && has(Scope::cta)) || (!one_cluster() && has(Scope::cluster)))
            return say("a scope of both accesses that has both threads: `thread_scope_device`", "a scope of one block leaves the other out",
                       "lessons/03-scopes.md");
        say("one size of both accesses", "strong accesses race all the same where they overlap in part (ISA 8.7.1)",
            "lessons/03-scopes.md");
    }

    // A vector of two becomes the one word that the other access is of.
    void of_one_size(const Statement& pair, const Statement& other) {
        const auto bits = [](const std::string& type) { return type.substr(std::min(type.find_first_of("0123456789"), type.size())); };
        const auto doubled = [&](const std::string& type) { return bits(type).empty() ? 0 : 2 * std::stoi(bits(type)); };
        const bool loads = pair.words[0] == "ld";
        if ((!loads && pair.words[0] != "st") || !has_word(pair, "v2") || has_word(other, "v2")) return;
        if (std::to_string(doubled(pair.words.back())) != bits(other.words.back())) return;
        const std::string type = "b" + bits(other.words.back());
        std::vector<std::string> words = pair.words;
        words.erase(std::find(words.begin(), words.end(), "v2"));
        words.back() = type;
        remedy("`" + kernel::dotted(words) + "` at " + advised_line(module_, {{}, &pair}) + " (`" + kernel::dotted(pair.words) + "`)",
               instead(pair, [&](const Statement& one) {
                   const std::string guard = guard_of(one), access = guard + kernel::dotted(words) + " ";
                   const auto argument = [&](size_t number) {
                       const auto [begin, end] = one.arguments[number].span;
                       return module_.source->text.substr(begin, end - begin);
                   };
                   return "{ .reg ." + type + " %litmus_q; " +
                          (loads
                               ? access + "%litmus_q, " + argument(1) + "; " + guard + "mov." + type + " " + argument(0) + ", %litmus_q; }"
                               : guard + "mov." + type + " %litmus_q, " + argument(1) + "; " + access + argument(0) + ", %litmus_q; }");
               }));
    }

    void tensor_memory() {
        constexpr const char* fences = "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;";
        const bool loads = clash_.earlier.op == Op::tcgen_load;
        if (loads) remedy("`tcgen05.wait::ld` behind " + a_, {behind(ptx_of(mends::wait_for_tensor_loads))});
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
                       {{fork, Where::before, false, fences}});
        const bool multiplies = clash_.earlier.op == Op::tcgen_mma || clash_.later.op == Op::tcgen_mma;
        if (multiplies)
            return say("a wait for the object at which `tcgen05.commit` arrives, before " + (clash_.earlier.op != Op::tcgen_mma ? a_ : b_),
                       "a product writes tensor memory until the commit that follows it has arrived",
                       "async/tcgen05/tc-read-before-wait.litmus");
        say("`tcgen05.wait::ld` behind the loads, and a barrier between the fences of tcgen05 before " + line_of_end,
            "a load reads tensor memory until its thread has waited for it", "async/tcgen05/tc-use-after-dealloc-by-another-warp.litmus");
    }

    const SweptModule& kernel_;
    const kernel::Module& module_;
    const kernel::Dimensions block_;
    const Place &first_, &second_;
    const Clash& clash_;
    const Breach breach_;
    const std::string a_, b_;  // lines
    Advice result_;
};

}  // namespace

Advice advice_on_race(const SweptModule& kernel, const sweep::Finding& finding) {
    return OfRace(kernel, finding).advice();
}

}  // namespace litmus
