// What bar.red returns, and what the lanes of a warp exchange: a value made of those of the uses that meet (PTX ISA 9.7.13.1, 9.7.13.12,
// 9.7.13.9, 9.7.9.6, 9.7.13.10, 9.7.13.14).
//
// The ways of values into these results (`values`) are conditional pairs. In a loop each result decides whether the next use
// happens, and so which uses meet. Without conditions it would seem that a use may meet one that its own result brought about.
#include <bit>
#include <map>

#include "event/barrier_uses.h"
#include "ptx/value.h"

namespace litmus {

namespace {

class BarrierResults : BarrierUses {
public:
    explicit BarrierResults(const BarrierUses& all) : BarrierUses(all) {}

    // `value` becomes the result of `u`; it is made of what the partners contribute.
    void give(const BarrierUse& u, ExprId value, const Partners& partners) {
        p_.results[u.event] = x_.ite(guard(u), value, x_.constant(0, x_[value].bits));
        flow_into(u, partners);
    }

    // Who is the k-th of its thread depends on which uses happen, up to the one that is.
    void existence_flows_into(const BarrierUse& u, const Uses& uses) {
        const ExprId index = index_in_thread(uses, u);
        for (const BarrierUse& v : uses) {
            const bool earlier = thread_of(v) == thread_of(u) && v.event < u.event;
            if (earlier) flow(guard(v), u, ExprPool::yes);
            if (thread_of(v) != thread_of(u)) flow(guard(v), u, x_.compare(Operator::le, Type::u16, index_in_thread(uses, v), index));
        }
    }

    // bar.red: the predicates of the generation, counted or combined (9.7.13.1).
    ExprId bar_red(const BarrierUse& u, const Partners& partners) {
        const Operator operation = litmus::operation(*u.instruction);
        ExprId result = operation == Operator::popc ? x_.resize(u.contribution, 32, false) : u.contribution;
        if (operation == Operator::popc) result = x_.apply(Operator::mul, Type::u32, result, x_.constant(weight(u), 32));
        for (const auto& [v, when] : partners) {
            if (v.contribution == BarrierUse::absent) continue;
            const ExprId takes_part = x_.both(when, guard(v));
            const ExprId p = v.contribution;
            if (operation == Operator::popc) {
                result = x_.apply(Operator::add, Type::u32, result,
                                  x_.ite(x_.both(takes_part, p), x_.constant(weight(v), 32), x_.constant(0, 32)));
            } else if (operation == Operator::and_) {
                result = x_.both(result, x_.either(x_.negate(takes_part), p));
            } else {
                result = x_.either(result, x_.both(takes_part, p));
            }
        }
        return result;
    }

    // redux.sync: the values of all lanes that meet, combined (9.7.13.12).
    ExprId redux(const BarrierUse& u, const Partners& partners) {
        const Instruction& i = *u.instruction;
        const Operator operation = litmus::operation(i);
        const Type type = data_type(i);
        const ExprId zero = x_.constant(0, bits(type));
        ExprId nan = ExprPool::no;
        // what one use contributes: its value as often as it has lanes
        const auto contribution = [&](const BarrierUse& v) {
            ExprId value = i.has("abs") ? x_.apply(Operator::and_, Type::u32, v.contribution, x_.constant(0x7fffffff, 32)) : v.contribution;
            const uint64_t count = static_cast<uint64_t>(std::popcount(lanes_of(v)));
            if (operation == Operator::add) value = x_.apply(Operator::mul, type, value, x_.constant(count, bits(type)));
            if (operation == Operator::xor_ && count % 2 == 0) value = zero;
            if (is_float(type)) value = x_.apply(operation, type, value, value);  // a NaN becomes the canonical one
            return value;
        };
        const auto is_nan = [&](ExprId value) { return x_.negate(x_.compare(Operator::eq, type, value, value)); };
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

    // vote.sync: the predicates of all lanes that meet (9.7.13.9).
    ExprId vote(const BarrierUse& u, const Partners& partners) {
        const Instruction& i = *u.instruction;
        if (i.has("ballot")) {
            const auto ballot = [&](const BarrierUse& v) { return x_.ite(v.contribution, word(lanes_of(v)), word(0)); };
            ExprId bits = ballot(u);
            for (const auto& [v, when] : partners)
                bits = x_.apply(Operator::or_, Type::u32, bits, x_.ite(x_.both(when, guard(v)), ballot(v), word(0)));
            return bits;
        }
        ExprId all = u.contribution, any = u.contribution;
        for (const auto& [v, when] : partners) {
            const ExprId there = x_.both(when, guard(v));
            all = x_.both(all, x_.either(x_.negate(there), v.contribution));
            any = x_.either(any, x_.both(there, v.contribution));
        }
        if (i.has("uni")) return x_.either(all, x_.negate(any));
        return i.has("all") ? all : any;
    }

    // shfl.sync: the value of the lane that is named (9.7.9.6); one that does not take part has none.
    ExprId shuffle(const BarrierUse& u, const Partners& partners) {
        const auto names = [&](const BarrierUse& v) {
            const ExprId bit =
                x_.apply(Operator::and_, Type::u32, x_.apply(Operator::shr, Type::u32, word(lanes_of(v) | lane_bit(v)), u.lane), word(1));
            return x_.compare(Operator::ne, Type::u32, bit, word(0));
        };
        ExprId result = u.contribution, found = names(u);
        for (const auto& [v, when] : partners) {
            const ExprId taken = x_.both(x_.both(when, guard(v)), names(v));
            result = x_.ite(taken, v.contribution, result);
            found = x_.either(found, taken);
        }
        flow(u.lane, u, ExprPool::yes);
        if (found != ExprPool::yes) {
            const ExprId missing = x_.both(guard(u), x_.negate(found));
            p_.violations.push_back({u.event, missing, "the lane that shfl.sync names does not take part (ISA 9.7.9.6)"});
            p_.conditional["faulty"].push_back({u.event, u.event, missing});
        }
        return result;
    }

    // match.sync: the lanes that bring the same value; of `all`, those of the mask if each does, and none otherwise (9.7.13.10).
    ExprId match(const BarrierUse& u, const Partners& partners) {
        const Type type = data_type(*u.instruction);
        ExprId equal = word(lanes_of(u)), present = equal, all = ExprPool::yes;
        const auto joined = [&](ExprId lanes, ExprId when, const BarrierUse& v) {
            return x_.apply(Operator::or_, Type::u32, lanes, x_.ite(when, word(lanes_of(v)), word(0)));
        };
        for (const auto& [v, when] : partners) {
            const ExprId there = x_.both(when, guard(v)), same = x_.compare(Operator::eq, type, u.contribution, v.contribution);
            equal = joined(equal, x_.both(there, same), v);
            present = joined(present, there, v);
            all = x_.both(all, x_.either(x_.negate(there), same));
        }
        return u.instruction->has("any") ? equal : x_.ite(all, present, word(0));
    }

    // elect.sync: one of the lanes that take part, for one mask always the same (9.7.13.14). Which one is not said.
    ExprId elect(const BarrierUse& u, const Partners& partners) {
        std::map<int, ExprId> there{{placement(u).lane, ExprPool::yes}};
        for (const auto& [v, when] : partners) {
            const auto [lane, fresh] = there.try_emplace(placement(v).lane, ExprPool::no);
            lane->second = x_.either(lane->second, x_.both(when, guard(v)));
        }
        ExprId lowest = word(0), elected = 0;
        for (auto lane = there.rbegin(); lane != there.rend(); ++lane)
            lowest = x_.ite(lane->second, word(static_cast<uint64_t>(lane->first)), lowest);
        elected = lowest;
        for (auto lane = there.rbegin(); lane != there.rend(); ++lane) {
            if (there.size() == 1) break;
            const auto [preferred, fresh] = preferred_.try_emplace(lane->first, ExprPool::no);
            if (fresh) preferred->second = x_.choice(p_.choices++);
            elected = x_.ite(x_.both(lane->second, preferred->second), word(static_cast<uint64_t>(lane->first)), elected);
        }
        return elected;
    }

    ExprId exchanged(const BarrierUse& u, const Partners& partners) {
        switch (u.instruction->op) {
            case Op::vote_sync:
                return vote(u, partners);
            case Op::shfl_sync:
                return shuffle(u, partners);
            case Op::match_sync:
                return match(u, partners);
            case Op::elect_sync:
                return elect(u, partners);
            default:
                return redux(u, partners);
        }
    }

private:
    // What the result of `u` is computed of: its own contribution, and those of the uses that it meets.
    void flow_into(const BarrierUse& u, const Partners& partners) {
        flow(guard(u), u, ExprPool::yes);
        flow(u.contribution, u, ExprPool::yes);
        for (const auto& [v, when] : partners) {
            flow(guard(v), u, when);
            if (v.contribution != BarrierUse::absent) flow(v.contribution, u, x_.both(when, guard(v)));
        }
    }

    // `values`: the reads and results below `e` come into the result of `u`, if that happens. Its own result may be among them:
    // that of a use in a loop, which a later use of the loop depends on.
    void flow(ExprId e, const BarrierUse& u, ExprId when) {
        when = x_.both(when, guard(u));
        if (when == ExprPool::no) return;
        for_each_leaf(x_, e, [&](const Expr& leaf) {
            if (leaf.op == Expr::Op::read) p_.conditional["values"].push_back({leaf.index, u.event, when});
        });
    }

    // The lanes of the mask that the thread of this use stands for, as bits.
    uint64_t lanes_of(const BarrierUse& u) const {
        if (weight(u) == 1) return mask(u) & lane_bit(u);
        uint64_t lanes = mask(u) & 0xffffffffU;
        for (const Thread& t : p_.test->threads)
            if (same_cta(t.at, placement(u)) && t.at.warp == placement(u).warp && t.at.lane != placement(u).lane)
                lanes &= ~(uint64_t{1} << (t.at.lane & 31));
        return lanes;
    }
    uint64_t lane_bit(const BarrierUse& u) const { return uint64_t{1} << (placement(u).lane & 31); }

    ExprId word(uint64_t n) { return x_.constant(n, 32); }

    std::map<int, ExprId> preferred_;  // elect.sync: by lane, whether it is elected if it takes part and no lower one is
};

}  // namespace

void give_bar_red_results(const BarrierUses& all, const Uses& uses, std::map<size_t, Partners>& partners, bool counted) {
    BarrierResults results(all);
    for (const BarrierUse& u : uses) {
        if (u.result == BarrierUse::absent) continue;
        results.give(u, results.bar_red(u, partners[u.event]), partners[u.event]);
        if (!counted) results.existence_flows_into(u, uses);
    }
}

void give_exchanged(const BarrierUses& all, const Uses& uses, std::map<size_t, Partners>& partners) {
    BarrierResults results(all);
    for (const BarrierUse& u : uses) {
        results.give(u, results.exchanged(u, partners[u.event]), partners[u.event]);
        results.existence_flows_into(u, uses);
    }
}

}  // namespace litmus
