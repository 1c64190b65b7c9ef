// Generations of barriers (PTX ISA 9.7.13.1 to 9.7.13.3, model/semantics.md section 7).
//
// Without counts, every thread of the CTA takes part, so the k-th use of one thread meets the k-th use
// of every other. With counts, the uses of a barrier are split into generations of exactly that many
// threads: each use gets a generation number by one-hot Boolean choices, in each thread's order
// (strictly later after a blocking use), generations fill up one after the other, and only an arrival
// may be left over. A warp arrives there as a whole: the k-th uses of its lanes are one arrival of 32 threads. The column format's quorum
// barriers choose which uses are the first Q.
//
// Pairs carry the condition under which they hold; most conditions fold to a constant. So do the ways of values into the
// results of bar.red and redux.sync: in a loop, each result decides whether the next use happens, and which uses
// meet depends on it; that a use meets one that its own result brought about is a circle on paper only.
#include "event/barrier.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <stdexcept>

#include "ptx/table.h"
#include "ptx/traits.h"
#include "ptx/value.h"

namespace litmus {

using Kind = Traits::Kind;

bool blocks(const BarrierUse& use) {
    return traits(use.instruction->op).waits;
}

namespace {

constexpr size_t max_counted_uses = 24;
constexpr uint64_t warp_threads = 32;

class Barriers {
public:
    Barriers(Program& program, const std::map<int, size_t>& exits) : p_(program), x_(program.exprs), exits_(exits) {}

    void add(const std::vector<BarrierUse>& uses) {
        add_cta_barriers(select(uses, Kind::cta_barrier));
        add_quorum(select(uses, Kind::quorum));
        add_warp(select(uses, Kind::warp_barrier));
        add_redux(select(uses, Kind::warp_reduction));
        add_cluster(select(uses, Kind::cluster_barrier));
    }

private:
    using Uses = std::vector<BarrierUse>;
    using Partners = std::vector<std::pair<BarrierUse, ExprId>>;  // who meets a use, and when

    static Uses select(const Uses& uses, Traits::Kind wanted) {
        return select(uses, [wanted](const BarrierUse& u) { return kind(u.instruction->op) == wanted; });
    }

    static Uses select(const Uses& uses, const std::function<bool(const BarrierUse&)>& wanted) {
        Uses result;
        std::copy_if(uses.begin(), uses.end(), std::back_inserter(result), wanted);
        return result;
    }

    template <class Key>
    static std::map<Key, Uses> group(const Uses& uses, const std::function<Key(const BarrierUse&)>& key) {
        std::map<Key, Uses> groups;
        for (const BarrierUse& u : uses) groups[key(u)].push_back(u);
        return groups;
    }

    using Cta = std::tuple<int, int, int>;
    Cta cta_of(const BarrierUse& u) const {
        const Placement& at = placement(u);
        return {at.gpu, at.cluster, at.cta};
    }
    int thread_of(const BarrierUse& u) const { return p_.events[u.event].thread; }
    const Placement& placement(const BarrierUse& u) const { return p_.test->threads[static_cast<size_t>(thread_of(u))].at; }
    ExprId guard(const BarrierUse& u) const { return p_.events[u.event].guard; }

    [[noreturn]] void fail(const BarrierUse& u, std::string message, std::string hint = {}) const {
        throw Failure(p_.test->source, u.instruction->span, std::move(message), std::move(hint));
    }

    uint64_t constant_of(const BarrierUse& u, ExprId e, const char* what) const {
        if (!x_.is_constant(e)) fail(u, std::string("the ") + what + " of this barrier depends on a value read from memory: not modelled");
        return x_[e].value;
    }

    void relate(const char* relation, const BarrierUse& from, const BarrierUse& to, ExprId when) {
        relate_events(relation, from.event, to.event, when);
    }

    // Whatever comes after the blocking use in its thread waits for `from`. (The use itself is also an
    // arrival that others wait for, so it cannot stand for its own end.) Where the use may be dropped, nothing comes later for it.
    void wait_for(size_t from, const BarrierUse& blocked, ExprId when) {
        when = x_.both(when, guard(blocked));  // what comes after may happen without the use
        const char* relation = blocked.is_kept ? "waits" : "generations";
        for (const size_t later : p_.relations.find("po")->second.successors(blocked.event)) relate_events(relation, from, later, when);
    }

    void relate_events(const char* relation, size_t from, size_t to, ExprId when) {
        if (when == ExprPool::no || from == to) return;
        p_.conditional[relation].push_back({from, to, when});
    }

    // ---- sums of small numbers ----------------------------------------------------------------

    ExprId number(uint64_t n) { return x_.constant(n, 16); }
    ExprId plus_if(ExprId sum, ExprId condition, uint64_t n) {
        return x_.apply("add", Type::u16, sum, x_.ite(condition, number(n), number(0)));
    }
    ExprId equal(ExprId a, ExprId b) { return x_.compare("==", Type::u16, a, b); }

    // How many of the thread's uses in `uses` (all its uses of one barrier) happen before `u`.
    ExprId index_in_thread(const Uses& uses, const BarrierUse& u) {
        ExprId k = number(0);
        for (const BarrierUse& v : uses) {
            if (thread_of(v) == thread_of(u) && v.event < u.event) k = plus_if(k, guard(v), 1);
        }
        return k;
    }

    // The same for all of them at once, and the uses of each thread.
    struct Count {
        std::map<int, std::vector<std::pair<const BarrierUse*, ExprId>>> uses;  // by thread, with how many come before
        std::map<int, ExprId> all;                                              // by thread

        ExprId before(size_t event, int thread) const {
            for (const auto& [u, index] : uses.at(thread))
                if (u->event == event) return index;
            throw std::logic_error("a use that was not counted");
        }
    };
    Count count_in_threads(const Uses& uses) {
        Count result;
        for (const BarrierUse& u : uses) {
            ExprId& k = result.all.try_emplace(thread_of(u), number(0)).first->second;
            result.uses[thread_of(u)].emplace_back(&u, k);
            k = plus_if(k, guard(u), 1);
        }
        return result;
    }
    ExprId uses_of_thread(const Count& counted, int thread) {
        const auto found = counted.all.find(thread);
        return found == counted.all.end() ? number(0) : found->second;
    }

    // The k-th use of each thread meets the k-th of every other; `among` says which threads take part.
    // A thread that has exited counts as arrived.
    void meet_by_index(const Uses& uses, const std::function<bool(const BarrierUse&, const Placement&)>& among,
                       const std::function<void(const BarrierUse&, const BarrierUse&, ExprId)>& meet) {
        const Count counted = count_in_threads(uses);
        std::vector<ExprId> index;
        for (const BarrierUse& u : uses) index.push_back(counted.before(u.event, thread_of(u)));
        for (size_t v = 0; v < uses.size(); ++v) {
            p_.budget.check();
            for (size_t u = 0; u < uses.size(); ++u) {
                if (thread_of(uses[u]) == thread_of(uses[v]) || !among(uses[v], placement(uses[u]))) continue;
                meet(uses[u], uses[v], equal(index[u], index[v]));
            }
            wait_for_exits(counted, uses[v], index[v], among);
            stay_unless_all(counted, uses[v], index[v], among);
        }
    }

    // A thread stays at a blocking use exactly when one that takes part neither arrives for the index-th time nor exits.
    void stay_unless_all(const Count& arrivals, const BarrierUse& v, ExprId index,
                         const std::function<bool(const BarrierUse&, const Placement&)>& among, ExprId itself = ExprPool::yes) {
        if (v.stays == BarrierUse::absent) return;
        const ExprId all = x_.both(itself, all_arrive(arrivals, v, index, among));
        require(x_.either(x_.negate(guard(v)), x_.compare("==", Type::pred, v.stays, x_.negate(all))));
    }

    // Every thread that takes part, that of `v` apart, arrives for the index-th time or exits.
    ExprId all_arrive(const Count& arrivals, const BarrierUse& v, ExprId index,
                      const std::function<bool(const BarrierUse&, const Placement&)>& among) {
        ExprId all = ExprPool::yes;
        for (size_t t = 0; t < p_.test->threads.size(); ++t) {
            const auto thread = static_cast<int>(t);
            if (thread == thread_of(v) || !among(v, p_.test->threads[t].at)) continue;
            ExprId here = ExprPool::no;
            if (const auto uses = arrivals.uses.find(thread); uses != arrivals.uses.end())
                for (const auto& [u, before] : uses->second) here = x_.either(here, x_.both(guard(*u), equal(before, index)));
            if (const auto exit = exits_.find(thread); exit != exits_.end())
                here = x_.either(
                    here, x_.both(p_.events[exit->second].guard, x_.compare("<=", Type::u16, uses_of_thread(arrivals, thread), index)));
            all = x_.both(all, here);
        }
        return all;
    }

    void wait_for_exits(const Count& arrivals, const BarrierUse& v, ExprId index,
                        const std::function<bool(const BarrierUse&, const Placement&)>& among, ExprId when = ExprPool::yes) {
        if (!blocks(v)) return;
        for (const auto& [thread, exit] : exits_) {
            if (thread == thread_of(v) || !among(v, p_.test->threads[static_cast<size_t>(thread)].at)) continue;
            wait_for(exit, v, x_.both(when, x_.compare("<=", Type::u16, uses_of_thread(arrivals, thread), index)));
        }
    }

    static bool same_cta(const Placement& a, const Placement& b) { return a.gpu == b.gpu && a.cluster == b.cluster && a.cta == b.cta; }
    static bool same_warp(const Placement& a, const Placement& b) { return same_cta(a, b) && a.warp == b.warp; }

    // ---- bar{.cta}, barrier{.cta} ---------------------------------------------------------------

    void add_cta_barriers(const Uses& all) {
        const auto groups = group<std::pair<Cta, uint64_t>>(
            all, [this](const BarrierUse& u) { return std::pair(cta_of(u), constant_of(u, u.barrier, "id")); });
        for (const auto& [key, uses] : groups) {
            const bool counted = std::any_of(uses.begin(), uses.end(), [](const BarrierUse& u) { return u.count != BarrierUse::absent; });
            std::map<size_t, Partners> partners;  // of each use: who meets it, when
            const auto meet = [&](const BarrierUse& u, const BarrierUse& v, ExprId when) {
                if (when == ExprPool::no) return;
                partners[v.event].emplace_back(u, when);
                forbid_mixture(u, v, when);
                if (!blocks(v)) return;
                relate("syncbar", u, v, when);
                wait_for(u.event, v, when);
            };
            if (counted) {
                meet_by_count(uses, meet);
            } else {
                meet_by_index(
                    uses, [this](const BarrierUse& v, const Placement& at) { return same_cta(placement(v), at); }, meet);
            }
            for (const BarrierUse& u : uses) {
                if (u.result == BarrierUse::absent) continue;
                set_result(u, reduction(u, partners[u.event]));
                flow_into(u, partners[u.event]);
                if (!counted) existence_flows_into(u, uses);
            }
        }
    }

    // ISA 9.7.13.1 (9.1): "barrier{.cta}.red should not be intermixed with .sync or .arrive using the same active barrier.
    // Execution in this case is unpredictable."
    void forbid_mixture(const BarrierUse& u, const BarrierUse& v, ExprId when) {
        if ((u.instruction->op == Op::bar_red) == (v.instruction->op == Op::bar_red)) return;
        const ExprId mixed = x_.both(when, guard(u));
        p_.violations.push_back({v.event, mixed, "bar.red meets another kind of barrier instruction (ISA 9.7.13.1)"});
        relate_events_of("faulty", v.event, mixed);
    }

    // bar.red: the predicates of the generation, counted or combined (9.7.13.1).
    ExprId reduction(const BarrierUse& u, const Partners& partners) {
        const std::string_view operation = litmus::operation(*u.instruction);
        ExprId result = operation == "popc" ? x_.resize(u.contribution, 32, false) : u.contribution;
        if (operation == "popc") result = x_.apply("mul", Type::u32, result, x_.constant(weight(u), 32));
        for (const auto& [v, when] : partners) {
            if (v.contribution == BarrierUse::absent) continue;
            const ExprId takes_part = x_.both(when, guard(v));
            const ExprId p = v.contribution;
            if (operation == "popc") {
                result = x_.apply("add", Type::u32, result, x_.ite(x_.both(takes_part, p), x_.constant(weight(v), 32), x_.constant(0, 32)));
            } else if (operation == "and") {
                result = x_.both(result, x_.either(x_.negate(takes_part), p));
            } else {
                result = x_.either(result, x_.both(takes_part, p));
            }
        }
        return result;
    }

    void set_result(const BarrierUse& u, ExprId value) { p_.results[u.event] = x_.ite(guard(u), value, x_.constant(0, x_[value].bits)); }

    // What the result of `u` is computed of: its own contribution, and those of the uses that it meets.
    void flow_into(const BarrierUse& u, const Partners& partners) {
        flow(guard(u), u, ExprPool::yes);
        flow(u.contribution, u, ExprPool::yes);
        for (const auto& [v, when] : partners) {
            flow(guard(v), u, when);
            if (v.contribution != BarrierUse::absent) flow(v.contribution, u, x_.both(when, guard(v)));
        }
    }

    // Who is the k-th of its thread depends on which uses happen, up to the one that is.
    void existence_flows_into(const BarrierUse& u, const Uses& uses) {
        const ExprId index = index_in_thread(uses, u);
        for (const BarrierUse& v : uses) {
            const bool earlier = thread_of(v) == thread_of(u) && v.event < u.event;
            if (earlier) flow(guard(v), u, ExprPool::yes);
            if (thread_of(v) != thread_of(u)) flow(guard(v), u, x_.compare("<=", Type::u16, index_in_thread(uses, v), index));
        }
    }

    // `values`: the reads and results below `e` come into the result of `u`, if that happens.
    void flow(ExprId e, const BarrierUse& u, ExprId when) {
        when = x_.both(when, guard(u));
        for_each_leaf(x_, e, [&](const Expr& leaf) {
            if (leaf.op == Expr::Op::read) relate_events("values", leaf.index, u.event, when);
        });
    }

    // Threads a use stands for: its whole warp, unless the test places other lanes of that warp; then
    // the first placed lane also stands for the lanes that are not placed.
    uint64_t weight(const BarrierUse& u) const {
        const Placement& at = placement(u);
        uint64_t placed = 0;
        int first = at.lane;
        for (const Thread& t : p_.test->threads) {
            if (!same_cta(t.at, at) || t.at.warp != at.warp) continue;
            ++placed;
            first = std::min(first, t.at.lane);
        }
        return first == at.lane ? 32 - (placed - 1) : 1;
    }

    uint64_t cta_threads(const BarrierUse& u) const {
        std::vector<int> warps;
        for (const Thread& t : p_.test->threads) {
            if (same_cta(t.at, placement(u))) warps.push_back(t.at.warp);
        }
        std::sort(warps.begin(), warps.end());
        return 32 * static_cast<uint64_t>(std::unique(warps.begin(), warps.end()) - warps.begin());
    }

    uint64_t common_count(const Uses& uses) const {
        uint64_t count = 0;
        for (const BarrierUse& u : uses) {
            const uint64_t here = u.count == BarrierUse::absent ? cta_threads(u) : constant_of(u, u.count, "thread count");
            if (count != 0 && here != count) {
                fail(u, "this barrier is used with " + std::to_string(here) + " threads here and with " + std::to_string(count) +
                            " elsewhere");
            }
            count = here;
        }
        return count;
    }

    // When all lanes of warps that add up to exactly the count take part, each as often, and at most one thread arrives
    // without blocking, the k-th uses meet in every execution that terminates: the uses fill exactly as many generations
    // as each thread has uses, a blocking thread is in each of them once, and then so is the one that only arrives.
    bool regular(const Uses& uses, uint64_t count) const {
        std::map<int, size_t> per_thread;
        std::map<int, bool> arrives;
        for (const BarrierUse& u : uses) {
            if (guard(u) != ExprPool::yes || u.stays != BarrierUse::absent) return false;
            ++per_thread[thread_of(u)];
            arrives[thread_of(u)] = arrives[thread_of(u)] || !blocks(u);
        }
        std::set<int> warps;
        for (const BarrierUse& u : uses) warps.insert(placement(u).warp);
        for (size_t t = 0; t < p_.test->threads.size(); ++t) {
            const Placement& at = p_.test->threads[t].at;
            const bool is_lane = same_cta(at, placement(uses.front())) && warps.count(at.warp) != 0;
            if (is_lane && per_thread.count(static_cast<int>(t)) == 0) return false;
        }
        const bool even =
            std::all_of(per_thread.begin(), per_thread.end(), [&](const auto& t) { return t.second == per_thread.begin()->second; });
        const auto arriving = std::count_if(arrives.begin(), arrives.end(), [](const auto& t) { return t.second; });
        return even && warp_threads * warps.size() == count && arriving <= 1;
    }

    // ISA 9.7.13.1: a use "causes executing thread to wait for all non-exited threads from its warp and marks warps' arrival".
    struct Arrival {
        ExprId index;                  // how many uses of its thread come before
        ExprId whole;                  // each other lane of the warp makes its use of that index, or exits before
        ExprId first;                  // no earlier lane makes one: it is the use that counts for the warp
        std::vector<ExprId> in;        // by generation; the last: left over
        ExprId counts = ExprPool::no;  // whole and first
    };

    std::vector<Arrival> arrivals_of(const Uses& uses, const Count& counted) {
        std::vector<Arrival> result;
        const auto of_warp = [this](const BarrierUse& v, const Placement& at) { return same_warp(placement(v), at); };
        for (const BarrierUse& u : uses) {
            const ExprId index = counted.before(u.event, thread_of(u));
            Arrival a{index, all_arrive(counted, u, index, of_warp), ExprPool::yes, {}};
            for (const BarrierUse& v : uses)
                if (thread_of(v) < thread_of(u) && same_warp(placement(u), placement(v)))
                    a.first = x_.both(a.first, x_.negate(x_.both(guard(v), equal(counted.before(v.event, thread_of(v)), index))));
            a.counts = x_.both(a.whole, a.first);
            result.push_back(std::move(a));
        }
        return result;
    }

    void meet_by_count(const Uses& uses, const std::function<void(const BarrierUse&, const BarrierUse&, ExprId)>& meet) {
        const uint64_t count = common_count(uses);
        const Count counted = count_in_threads(uses);
        if (regular(uses, count)) {
            for (const BarrierUse& v : uses) {
                p_.budget.check();
                for (const BarrierUse& u : uses) {
                    if (thread_of(u) == thread_of(v)) continue;
                    meet(u, v, equal(counted.before(u.event, thread_of(u)), counted.before(v.event, thread_of(v))));
                }
            }
            return;
        }
        if (uses.size() > max_counted_uses)
            fail(uses.back(), "more than " + std::to_string(max_counted_uses) + " uses of a barrier whose generations are not determined");
        std::vector<Arrival> arrivals = arrivals_of(uses, counted);
        const auto most = std::count_if(arrivals.begin(), arrivals.end(), [](const Arrival& a) { return a.counts != ExprPool::no; });
        const size_t generations = warp_threads * static_cast<uint64_t>(most) / count;
        for (size_t u = 0; u < uses.size(); ++u) choose_generation(uses[u], generations, arrivals[u]);
        keep_warps_together(uses, arrivals);
        order_in_threads(uses, arrivals);
        fill_generations(arrivals, generations, count);
        for (size_t u = 0; u < uses.size(); ++u) {
            for (size_t v = 0; v < uses.size(); ++v) {
                p_.budget.check();
                ExprId together = ExprPool::no, earlier = ExprPool::no;
                for (size_t g = 0; g < generations; ++g) {
                    together = x_.either(together, x_.both(arrivals[u].in[g], arrivals[v].in[g]));
                    for (size_t h = g + 1; h <= generations; ++h)
                        earlier = x_.either(earlier, x_.both(arrivals[u].in[g], arrivals[v].in[h]));
                }
                // exited lanes of the warp of u arrive with it
                const auto its_lanes = [&](const BarrierUse&, const Placement& at) { return same_warp(placement(uses[u]), at); };
                wait_for_exits(counted, uses[v], arrivals[u].index, its_lanes, together);
                if (blocks(uses[v]) && same_warp(placement(uses[u]), placement(uses[v]))) {
                    // no lane waits for an arrival that its own exit makes whole
                    const ExprId after_exit = x_.compare("<=", Type::u16, uses_of_thread(counted, thread_of(uses[v])), arrivals[u].index);
                    require(x_.negate(x_.both(together, after_exit)));
                }
                if (u == v) continue;
                meet(uses[u], uses[v], together);
                relate("generations", uses[u], uses[v], earlier);
            }
        }
    }

    void choose_generation(const BarrierUse& u, size_t generations, Arrival& arrival) {
        std::vector<ExprId>& in = arrival.in;
        ExprId some = ExprPool::no;
        for (size_t g = 0; g <= generations; ++g) {
            const bool possible = g < generations || !blocks(u) || u.stays != BarrierUse::absent;
            in.push_back(possible ? x_.choice(p_.choices++) : ExprPool::no);
            for (size_t h = 0; h < g; ++h) require(x_.negate(x_.both(in[h], in[g])));
            if (g < generations) require(x_.either(x_.negate(in[g]), arrival.whole));
            some = x_.either(some, in[g]);
        }
        require(x_.compare("==", Type::pred, some, guard(u)));
        if (u.stays != BarrierUse::absent) require(x_.either(x_.negate(guard(u)), x_.compare("==", Type::pred, u.stays, in.back())));
    }

    // The uses that are one arrival of a warp are in one generation.
    void keep_warps_together(const Uses& uses, const std::vector<Arrival>& arrivals) {
        for (size_t u = 0; u < uses.size(); ++u) {
            for (size_t v = 0; v < u; ++v) {
                if (thread_of(uses[u]) == thread_of(uses[v]) || !same_warp(placement(uses[u]), placement(uses[v]))) continue;
                const ExprId both = x_.both(guard(uses[u]), guard(uses[v]));
                const ExprId apart = x_.negate(x_.both(both, equal(arrivals[u].index, arrivals[v].index)));
                for (size_t g = 0; g < arrivals[u].in.size(); ++g)
                    require(x_.either(apart, x_.compare("==", Type::pred, arrivals[u].in[g], arrivals[v].in[g])));
            }
        }
    }

    void order_in_threads(const Uses& uses, const std::vector<Arrival>& arrivals) {
        for (size_t u = 0; u < uses.size(); ++u) {
            for (size_t v = 0; v < uses.size(); ++v) {
                if (thread_of(uses[u]) != thread_of(uses[v]) || uses[u].event >= uses[v].event) continue;
                const std::vector<ExprId>&before = arrivals[u].in, &after = arrivals[v].in;
                for (size_t g = 0; g < before.size(); ++g) {
                    for (size_t h = 0; h < (blocks(uses[u]) ? g + 1 : g); ++h) require(x_.negate(x_.both(before[g], after[h])));
                }
            }
        }
    }

    void fill_generations(const std::vector<Arrival>& arrivals, size_t generations, uint64_t count) {
        ExprId previous_full = ExprPool::yes;
        for (size_t g = 0; g <= generations; ++g) {
            ExprId sum = number(0);
            for (const Arrival& a : arrivals) sum = plus_if(sum, x_.both(a.in[g], a.counts), warp_threads);
            if (g == generations) {
                require(x_.compare("<", Type::u16, sum, number(count)));
                return;
            }
            const ExprId full = equal(sum, number(count));
            require(x_.either(full, equal(sum, number(0))));
            require(x_.either(previous_full, x_.negate(full)));
            previous_full = full;
        }
    }

    void require(ExprId e) {
        if (e != ExprPool::yes) p_.constraints.push_back(e);
    }

    // ---- the column format's quorum barriers ----------------------------------------------------

    void add_quorum(const Uses& all) {
        // same CTA, same instance and the k-th such use of its thread: one barrier per value of the second operand
        std::map<std::pair<int, uint64_t>, size_t> seen;
        std::map<std::tuple<Cta, uint64_t, size_t>, Uses> groups;
        for (const BarrierUse& u : all) {
            const uint64_t instance = constant_of(u, u.instance, "instance");
            groups[{cta_of(u), instance, seen[{thread_of(u), instance}]++}].push_back(u);
        }
        for (const auto& [key, uses] : groups) add_quorum_group(uses);
    }

    ExprId same_barrier(const BarrierUse& u, const BarrierUse& v) {
        if (u.barrier == BarrierUse::absent || v.barrier == BarrierUse::absent)
            return u.barrier == v.barrier ? ExprPool::yes : ExprPool::no;
        return x_.compare("==", Type::u32, u.barrier, v.barrier);
    }

    void add_quorum_group(const Uses& uses) {
        for (const BarrierUse& u : uses) {
            p_.budget.check();
            ExprId first = ExprPool::yes;
            if (u.count != BarrierUse::absent)
                first = choose_first(uses, u);
            else if (u.stays != BarrierUse::absent)
                require(x_.negate(u.stays));
            for (const BarrierUse& v : uses) {
                if (u.event == v.event || !blocks(v)) continue;
                const ExprId when = x_.both(first, same_barrier(u, v));
                relate("syncbar", u, v, when);
                wait_for(u.event, v, when);
            }
        }
    }

    // Whether u is among the first Q uses of its barrier, those that open it. Only the uses that block need it to open.
    ExprId choose_first(const Uses& uses, const BarrierUse& u) {
        const auto quorum = static_cast<ExprId>(constant_of(u, u.count, "quorum"));
        ExprId arrivals = number(0), opening = number(0);
        for (const BarrierUse& v : uses) arrivals = plus_if(arrivals, x_.both(guard(v), same_barrier(u, v)), 1);
        const ExprId opens = x_.compare("<=", Type::u16, number(quorum), arrivals);
        if (u.stays != BarrierUse::absent)
            require(x_.either(x_.negate(guard(u)), x_.compare("==", Type::pred, u.stays, x_.negate(opens))));
        else if (blocks(u))
            require(x_.either(x_.negate(guard(u)), opens));
        if (x_.is_constant(arrivals) && x_[arrivals].value <= quorum) return ExprPool::yes;
        for (const BarrierUse& v : uses) opening = plus_if(opening, x_.both(first_choice(v), same_barrier(u, v)), 1);
        require(x_.either(x_.negate(x_.both(guard(u), opens)), equal(opening, number(quorum))));
        require(x_.either(x_.negate(first_choice(u)), guard(u)));
        return first_choice(u);
    }

    ExprId first_choice(const BarrierUse& u) {
        const auto [it, fresh] = first_.try_emplace(u.event, 0);
        if (fresh) it->second = x_.choice(p_.choices++);
        return it->second;
    }

    // ---- bar.warp.sync ----------------------------------------------------------------------------

    void add_warp(const Uses& all) {
        // uses meet under the same mask only (9.7.13.2)
        using Mask = std::tuple<Cta, int, uint64_t>;
        const auto groups = group<Mask>(all, [this](const BarrierUse& u) { return Mask(cta_of(u), placement(u).warp, mask(u)); });
        for (const auto& [key, uses] : groups) {
            const auto among = [this](const BarrierUse& v, const Placement& at) {
                return same_cta(placement(v), at) && placement(v).warp == at.warp && in_mask(v, at);
            };
            meet_by_index(uses, among, [&](const BarrierUse& u, const BarrierUse& v, ExprId when) {
                relate("syncbar", u, v, when);
                wait_for(u.event, v, when);
            });
        }
    }

    // ---- redux.sync (ISA 9.7.13.12): the same qualifiers and mask; it orders nothing -----------------------

    void add_redux(const Uses& all) {
        using Kind = std::tuple<Cta, int, uint64_t, std::string>;
        const auto groups =
            group<Kind>(all, [this](const BarrierUse& u) { return Kind(cta_of(u), placement(u).warp, mask(u), spelling(*u.instruction)); });
        for (const auto& [kind, uses] : groups) {
            const auto among = [this](const BarrierUse& v, const Placement& at) {
                return same_cta(placement(v), at) && placement(v).warp == at.warp && in_mask(v, at);
            };
            std::map<size_t, Partners> partners;
            meet_by_index(uses, among, [&](const BarrierUse& u, const BarrierUse& v, ExprId when) {
                if (when == ExprPool::no) return;
                partners[v.event].emplace_back(u, when);
                wait_for(u.event, v, when);
            });
            for (const BarrierUse& u : uses) {
                set_result(u, redux(u, partners[u.event]));
                flow_into(u, partners[u.event]);
                existence_flows_into(u, uses);
            }
        }
    }

    // The lanes of the mask that the thread of this use stands for.
    uint64_t lanes_of(const BarrierUse& u) const {
        uint64_t own = mask(u) >> (placement(u).lane & 31) & 1U;
        if (weight(u) == 1) return own;
        uint64_t lanes = mask(u) & 0xffffffffU;
        for (const Thread& t : p_.test->threads)
            if (same_cta(t.at, placement(u)) && t.at.warp == placement(u).warp && t.at.lane != placement(u).lane)
                lanes &= ~(uint64_t{1} << (t.at.lane & 31));
        return static_cast<uint64_t>(std::popcount(lanes));
    }

    ExprId redux(const BarrierUse& u, const Partners& partners) {
        const Instruction& i = *u.instruction;
        const std::string operation(litmus::operation(i));
        const Type type = data_type(i);
        const ExprId zero = x_.constant(0, bits(type));
        ExprId nan = ExprPool::no;
        // what one use contributes: its value as often as it has lanes
        const auto contribution = [&](const BarrierUse& v) {
            ExprId value = i.has("abs") ? x_.apply("and", Type::u32, v.contribution, x_.constant(0x7fffffff, 32)) : v.contribution;
            const uint64_t count = lanes_of(v);
            if (operation == "add") value = x_.apply("mul", type, value, x_.constant(count, bits(type)));
            if (operation == "xor" && count % 2 == 0) value = zero;
            if (is_float(type)) value = x_.apply(operation, type, value, value);  // a NaN becomes the canonical one
            return value;
        };
        const auto is_nan = [&](ExprId value) { return x_.negate(x_.compare("==", type, value, value)); };
        ExprId result = contribution(u);
        if (is_float(type)) nan = is_nan(result);
        for (const auto& [v, when] : partners) {
            const ExprId there = x_.both(when, guard(v));
            const ExprId value = contribution(v);
            if (is_float(type)) nan = x_.either(nan, x_.both(there, is_nan(value)));
            result = x_.ite(there, x_.apply(operation, type, result, value), result);
        }
        return i.has("NaN") ? x_.ite(nan, x_.constant(canonical_nan(type), bits(type)), result) : result;
    }

    uint64_t mask(const BarrierUse& u) const { return constant_of(u, u.count, "mask"); }
    bool in_mask(const BarrierUse& u, const Placement& at) const { return (mask(u) >> (at.lane & 31)) & 1U; }

    // ---- barrier.cluster ----------------------------------------------------------------------------

    void add_cluster(const Uses& all) {
        const auto groups =
            group<std::pair<int, int>>(all, [this](const BarrierUse& u) { return std::pair(placement(u).gpu, placement(u).cluster); });
        for (const auto& [key, uses] : groups) {
            const Uses arrivals = select(uses, [](const BarrierUse& u) { return !blocks(u); });
            const Uses waits = select(uses, blocks);
            const auto in_cluster = [this](const BarrierUse& v, const Placement& at) {
                return placement(v).gpu == at.gpu && placement(v).cluster == at.cluster;
            };
            const Count arrived_before = count_in_threads(arrivals), waited_before = count_in_threads(waits);
            for (const BarrierUse& v : waits) {
                p_.budget.check();
                const ExprId index = waited_before.before(v.event, thread_of(v));
                for (const BarrierUse& u : arrivals) {
                    const ExprId when = equal(arrived_before.before(u.event, thread_of(u)), index);
                    relate("clusterbar", u, v, when);
                    wait_for(u.event, v, when);
                }
                wait_for_exits(arrived_before, v, index, in_cluster);
                const ExprId arrived = x_.compare("<", Type::u16, index, index_in_thread(arrivals, v));  // by the thread itself
                if (v.stays == BarrierUse::absent) require(x_.either(x_.negate(guard(v)), arrived));
                stay_unless_all(arrived_before, v, index, in_cluster, arrived);
            }
            for (const BarrierUse& u : arrivals) forbid_second_arrival(arrivals, waits, u);
        }
    }

    // ISA 9.7.13.3: a thread arrives once in each phase; its wait tells it that the phase before is over.
    void forbid_second_arrival(const Uses& arrivals, const Uses& waits, const BarrierUse& u) {
        const ExprId early = x_.compare("<", Type::u16, index_in_thread(waits, u), index_in_thread(arrivals, u));
        if (early == ExprPool::no) return;
        p_.violations.push_back({u.event, early, "this thread has arrived in this phase of the barrier already (ISA 9.7.13.3)"});
        relate_events_of("faulty", u.event, early);
    }
    void relate_events_of(const char* identity, size_t event, ExprId when) { p_.conditional[identity].push_back({event, event, when}); }

    Program& p_;
    ExprPool& x_;
    const std::map<int, size_t>& exits_;
    std::map<size_t, ExprId> first_;
};

}  // namespace

void add_barriers(Program& program, const std::vector<BarrierUse>& uses, const std::map<int, size_t>& exits) {
    if (uses.empty()) return;
    Barriers(program, exits).add(uses);
}

std::vector<ConditionalPair> waiting_order(const Program& program) {
    std::vector<ConditionalPair> edges;
    for (const char* name : {"waits", "generations"}) {
        const auto found = program.conditional.find(name);
        if (found != program.conditional.end()) edges.insert(edges.end(), found->second.begin(), found->second.end());
    }
    return edges;
}

}  // namespace litmus
