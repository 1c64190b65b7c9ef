// Values that nobody knows: what %clock64, %globaltimer and their like say (ISA 10), and %smid; and cache policies.
//
// Each of them is a leaf of its own, which stands for no event; arithmetic carries it. A comparison with it comes out as a choice says.
// There is one choice for a comparison, its contrary, and the same with its sides exchanged. So a time-out may come at any time, and need
// not come. (That the readings of one clock do not decrease, the comparisons do not know.) Memory, addresses, counts and claims refuse such
// a value.
//
// Where a thread would wait for ever time passes: it stays only if it does however the comparisons with new readings come out (`whenever`).
#include <algorithm>

#include "event/builder.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

constexpr uint32_t first_unknown = 0xfffc0000U, most_unknown = 0x10000U;  // leaves that stand for no event

}  // namespace

ExprId Builder::unknown(const Context& c, Type type) {
    if (draft_.unknown == most_unknown) fail(c.instruction.span, "clocks are read too often");
    return exprs_.read(first_unknown + draft_.unknown++, bits(type));
}

bool Builder::is_unknown(ExprId e, uint32_t from) const {
    if (draft_.unknown == 0) return false;
    const std::vector<ExprId> nodes = below(exprs_, e);
    return std::any_of(nodes.begin(), nodes.end(), [&](ExprId id) {
        const Expr& node = exprs_[id];
        return node.op == Expr::Op::read && node.index >= first_unknown + from && node.index < first_unknown + most_unknown;
    });
}

// A comparison and its contrary, or the same the other way round, are one question.
ExprId Builder::decided(ExprId comparison) {
    if (!is_unknown(comparison)) return comparison;
    const Expr e = exprs_[comparison];
    if (e.op == Expr::Op::not_) return exprs_.negate(decided(e.a));
    if (e.op == Expr::Op::compare && !is_float(e.type)) {
        if (e.operation == Operator::ne) return exprs_.negate(decided(exprs_.compare(Operator::eq, e.type, e.a, e.b)));
        if (e.operation == Operator::ge) return exprs_.negate(decided(exprs_.compare(Operator::lt, e.type, e.a, e.b)));
        if (e.operation == Operator::le) return exprs_.negate(decided(exprs_.compare(Operator::lt, e.type, e.b, e.a)));
        if (e.operation == Operator::gt) return decided(exprs_.compare(Operator::lt, e.type, e.b, e.a));
    }
    const auto [choice, fresh] = draft_.undecided.try_emplace(comparison, draft_.choices);
    if (fresh) ++draft_.choices;
    return exprs_.choice(choice->second);
}

// Whether `e` holds however those comparisons come out that are with a value got after the first `from` ones.
ExprId Builder::whenever(ExprId e, uint32_t from) {
    for (const auto& [comparison, number] : draft_.undecided) {
        if (!is_unknown(comparison, from)) continue;
        const auto with = [&, n = number](ExprId value) {
            return substitute(exprs_, e, [&](const Expr& leaf) -> std::optional<ExprId> {
                return leaf.op == Expr::Op::choice && leaf.index == n ? std::optional(value) : std::nullopt;
            });
        };
        e = exprs_.both(with(ExprPool::no), with(ExprPool::yes));
    }
    return e;
}

// Refuses an instruction, other than of registers alone, that reads such a value.
void Builder::refuse_unknown(const Context& c, const State& state) const {
    if (draft_.unknown == 0 || is_arithmetic(c.instruction.op)) return;
    std::set<std::string> names;
    for (const Operand& operand : c.instruction.operands)
        if (is_read(operand.role)) note_names(operand, names);
    for (const std::string& name : names)
        if (const auto found = state.registers.find(name); found != state.registers.end() && is_unknown(found->second.value))
            fail(c.instruction.span, "the value of `" + name + "` is known to nobody: it comes of a clock, or is a cache policy",
                 "only comparisons may use it, and arithmetic before them");
}

}  // namespace litmus
