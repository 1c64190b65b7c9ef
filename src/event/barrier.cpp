// Which uses of a barrier meet, for each kind of barrier (PTX ISA 9.7.13.1 to 9.7.13.3, model/semantics.md section 7).
//
// Without counts every thread that the barrier is for takes part, so the k-th use of one thread meets the k-th use of every
// other (`meet_by_index`). With counts, generations are found by barrier_count.cpp. The column format's quorum barriers choose
// which uses are the first Q. Pairs carry the condition under which they hold; most conditions fold to a constant.
#include "event/barrier.h"

#include <algorithm>
#include <functional>

#include "event/barrier_uses.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus {

using Kind = Traits::Kind;

bool blocks(const BarrierUse& use) {
    return traits(use.instruction->op).waits;
}

namespace {

class Barriers : BarrierUses {
public:
    using BarrierUses::BarrierUses;

    void add(const std::vector<BarrierUse>& uses) {
        add_cta_barriers(select(uses, Kind::cta_barrier));
        add_quorum(select(uses, Kind::quorum));
        add_warp(select(uses, Kind::warp_barrier));
        add_exchanges(select(uses, Kind::warp_reduction));
        add_exchanges(select(uses, Kind::warp_matrix));
        add_cluster(select(uses, Kind::cluster_barrier));
    }

private:
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
                meet_by_count(*this, uses, meet);
            } else {
                meet_by_index(
                    uses, [this](const BarrierUse& v, const Placement& at) { return same_cta(placement(v), at); }, meet);
            }
            give_bar_red_results(*this, uses, partners, counted);
        }
    }

    // ISA 9.7.13.1 (9.1): "barrier{.cta}.red should not be intermixed with .sync or .arrive using the same active barrier.
    // Execution in this case is unpredictable."
    void forbid_mixture(const BarrierUse& u, const BarrierUse& v, ExprId when) {
        if (traits(u.instruction->op).reduces == traits(v.instruction->op).reduces) return;
        const ExprId mixed = x_.both(when, guard(u));
        p_.violations.push_back({v.event, mixed, "bar.red meets another kind of barrier instruction (ISA 9.7.13.1)"});
        relate_events_of("faulty", v.event, mixed);
    }

    // ---- the column format's quorum barriers ----------------------------------------------------

    void add_quorum(const Uses& all) {
        // a group has the k-th use of each thread of a CTA with one instance; each value of the second operand is a barrier in it
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
        return x_.compare(Operator::eq, Type::u32, u.barrier, v.barrier);
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
        const ExprId opens = x_.compare(Operator::le, Type::u16, number(quorum), arrivals);
        if (u.stays != BarrierUse::absent)
            require(x_.either(x_.negate(guard(u)), x_.compare(Operator::eq, Type::pred, u.stays, x_.negate(opens))));
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

    // ---- redux.sync (ISA 9.7.13.12) and other exchanges: the same qualifiers and mask; they order nothing ---

    void add_exchanges(const Uses& all) {
        using Kind = std::tuple<Cta, int, uint64_t, std::string>;
        const auto groups = group<Kind>(all, [this](const BarrierUse& u) {
            const bool any = litmus::kind(u.instruction->op) == Traits::Kind::warp_matrix;  // other qualifiers are undefined (aligned.cpp)
            return Kind(cta_of(u), placement(u).warp, mask(u), any ? "" : spelling(*u.instruction));
        });
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
            if (uses.front().result != BarrierUse::absent) give_exchanged(*this, uses, partners);
        }
    }

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
                const ExprId arrived =
                    x_.compare(Operator::lt, Type::u16, index, index_in_thread(arrivals, v));  // the thread itself has arrived
                if (v.stays == BarrierUse::absent) require(x_.either(x_.negate(guard(v)), arrived));
                stay_unless_all(arrived_before, v, index, in_cluster, arrived);
            }
            for (const BarrierUse& u : arrivals) forbid_second_arrival(arrivals, waits, u);
        }
    }

    // ISA 9.7.13.3: a thread arrives once in each phase; its wait tells it that the phase before is over.
    void forbid_second_arrival(const Uses& arrivals, const Uses& waits, const BarrierUse& u) {
        const ExprId early = x_.compare(Operator::lt, Type::u16, index_in_thread(waits, u), index_in_thread(arrivals, u));
        if (early == ExprPool::no) return;
        p_.violations.push_back({u.event, early, "this thread has arrived in this phase of the barrier already (ISA 9.7.13.3)"});
        relate_events_of("faulty", u.event, early);
    }
    void relate_events_of(const char* identity, size_t event, ExprId when) { p_.conditional[identity].push_back({event, event, when}); }

    std::map<size_t, ExprId> first_;  // quorum: by use, the choice that it is among the first
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
