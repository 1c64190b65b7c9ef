// Generations of barriers that name a thread count (PTX ISA 9.7.13.1, model/semantics.md section 7).
//
// The uses of such a barrier are split into generations of exactly that many threads. Each use gets a generation number by
// one-hot Boolean choices, in each thread's order (strictly later after a blocking use). Generations fill up one after the
// other, and only an arrival may be left over. A warp arrives as a whole: the k-th uses of its lanes are one arrival of 32
// threads. Where only one way to split is possible (`regular`), no choice is made.
#include <algorithm>
#include <set>

#include "event/barrier_uses.h"

namespace litmus {

namespace {

constexpr size_t max_counted_uses = 24;
constexpr uint64_t warp_threads = 32;

class CountedBarrier : BarrierUses {
public:
    explicit CountedBarrier(const BarrierUses& all) : BarrierUses(all) {}

    void split(const Uses& uses, const Meet& meet) {
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
        const auto generations = static_cast<size_t>(warp_threads * static_cast<uint64_t>(most) / count);
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
                    // a lane cannot wait for an arrival that is whole only because this lane exits
                    const ExprId after_exit =
                        x_.compare(Operator::le, Type::u16, uses_of_thread(counted, thread_of(uses[v])), arrivals[u].index);
                    require(x_.negate(x_.both(together, after_exit)));
                }
                if (u == v) continue;
                meet(uses[u], uses[v], together);
                relate("generations", uses[u], uses[v], earlier);
            }
        }
    }

private:
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
        require(x_.compare(Operator::eq, Type::pred, some, guard(u)));
        if (u.stays != BarrierUse::absent)
            require(x_.either(x_.negate(guard(u)), x_.compare(Operator::eq, Type::pred, u.stays, in.back())));
    }

    // The uses that are one arrival of a warp are in one generation.
    void keep_warps_together(const Uses& uses, const std::vector<Arrival>& arrivals) {
        for (size_t u = 0; u < uses.size(); ++u) {
            for (size_t v = 0; v < u; ++v) {
                if (thread_of(uses[u]) == thread_of(uses[v]) || !same_warp(placement(uses[u]), placement(uses[v]))) continue;
                const ExprId both = x_.both(guard(uses[u]), guard(uses[v]));
                const ExprId apart = x_.negate(x_.both(both, equal(arrivals[u].index, arrivals[v].index)));
                for (size_t g = 0; g < arrivals[u].in.size(); ++g)
                    require(x_.either(apart, x_.compare(Operator::eq, Type::pred, arrivals[u].in[g], arrivals[v].in[g])));
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
                require(x_.compare(Operator::lt, Type::u16, sum, number(count)));
                return;
            }
            const ExprId full = equal(sum, number(count));
            require(x_.either(full, equal(sum, number(0))));
            require(x_.either(previous_full, x_.negate(full)));
            previous_full = full;
        }
    }
};

}  // namespace

void meet_by_count(const BarrierUses& all, const Uses& uses, const Meet& meet) {
    CountedBarrier(all).split(uses, meet);
}

}  // namespace litmus
