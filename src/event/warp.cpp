// What the lanes of a warp exchange: redux.sync (ISA 9.7.13.12), vote.sync (9.7.13.9), shfl.sync (9.7.9.6), match.sync (9.7.13.10),
// elect.sync (9.7.13.14), activemask (9.7.13.11). Here is what a lane brings and takes; what those that meet make of it stands in
// barrier_result.cpp.
#include "event/builder.h"
#include "ptx/traits.h"

namespace litmus {

// The result is a value of its own, defined once it is known who meets.
void Builder::exchange(const Context& c, State& state, BarrierUse& use, Dependencies& reads) {
    const Instruction& i = c.instruction;
    const Type type = *written_type(i);
    use.count = value_of(state, i.at(Role::member_mask), Type::u32, reads);
    const Operand* given = i.find(i.op == Op::vote_sync ? Role::predicate : Role::source);
    use.contribution = given ? value_of(state, *given, operand_type(i, *given), reads) : exprs_.constant(0, 32);
    const ExprId in_range = i.op == Op::shfl_sync ? source_lane(c, state, use, reads) : ExprPool::yes;
    use.result = exprs_.read(static_cast<uint32_t>(use.event), bits(type));
    draft_.events[use.event].type = type;
    draft_.events[use.event].value = use.result;
    const Dependencies by_event = {{use.event, ExprPool::yes}};
    assign(state, i.at(Role::result), type, use.result, by_event, c.when, c.guard_reads);
    const Operand* second = i.find(Role::result, 1);
    if (!second) return;
    const ExprId own = exprs_.constant(static_cast<uint64_t>(thread().at.lane), 32);
    const ExprId holds = i.op == Op::elect_sync   ? exprs_.compare(Operator::eq, Type::u32, use.result, own)
                         : i.op == Op::match_sync ? exprs_.compare(Operator::ne, Type::u32, use.result, exprs_.constant(0, 32))
                                                  : in_range;
    assign(state, *second, Type::pred, holds, i.op == Op::shfl_sync ? reads : by_event, c.when, c.guard_reads);
}

// The lane that shfl.sync takes its value from, as the ISA computes it; whether it is in range, or else its own is meant.
ExprId Builder::source_lane(const Context& c, const State& state, BarrierUse& use, Dependencies& reads) {
    const Instruction& i = c.instruction;
    const auto number = [&](uint64_t n) { return exprs_.constant(n, 32); };
    const auto op = [&](Operator name, ExprId a, ExprId b) { return exprs_.apply(name, Type::u32, a, b); };
    const ExprId named = value_of(state, i.at(Role::source, 1), Type::u32, reads),
                 packed = value_of(state, i.at(Role::source, 2), Type::u32, reads);
    const ExprId lane = number(static_cast<uint64_t>(thread().at.lane)), by = op(Operator::and_, named, number(31)),
                 clamp = op(Operator::and_, packed, number(31));
    const ExprId segment = op(Operator::and_, op(Operator::shr, packed, number(8)), number(31)),
                 rest = op(Operator::xor_, segment, number(31));
    const ExprId first = op(Operator::and_, lane, segment), last = op(Operator::or_, first, op(Operator::and_, clamp, rest));
    ExprId j = 0;
    if (i.has("up")) j = op(Operator::sub, lane, by);
    if (i.has("down")) j = op(Operator::add, lane, by);
    if (i.has("bfly")) j = op(Operator::xor_, lane, by);
    if (i.has("idx")) j = op(Operator::or_, first, op(Operator::and_, by, rest));
    const ExprId in_range = exprs_.compare(i.has("up") ? Operator::ge : Operator::le, Type::s32, j, last);
    use.lane = exprs_.ite(in_range, j, lane);
    return in_range;
}

// A thread that is alone in its warp stands for all of it; of several, each other one is active or not.
ExprId Builder::active_lanes() {
    const auto in_warp = [&](const Thread& t) { return same_cta(t.at, thread().at) && t.at.warp == thread().at.warp; };
    uint64_t others = 0;
    for (const Thread& t : test_.threads)
        if (in_warp(t) && &t != &thread()) others |= uint64_t{1} << (t.at.lane & 31);
    const uint64_t own_lane = uint64_t{1} << (thread().at.lane & 31);
    ExprId mask = exprs_.constant(others == 0 ? 0xffffffff : own_lane, 32);
    for (uint64_t lane = 0; lane < 32; ++lane) {
        if ((others >> lane & 1) == 0) continue;
        const ExprId with = exprs_.apply(Operator::or_, Type::u32, mask, exprs_.constant(uint64_t{1} << lane, 32));
        mask = exprs_.ite(exprs_.choice(draft_.choices++), with, mask);
    }
    return mask;
}

}  // namespace litmus
