// Which reads can change the value of an expression.
//
// Folding removes most reads that change nothing: r ^ r is 0 as it is built. What it leaves are if-then-elses whose two ways are
// equal, as in `setp.eq p, r, 1; selp v, r, 1, p`, where v is 1. The rule for these: the constants with which a read r is
// compared cut its values into points and intervals. In each part the result of every comparison is known. Put into the
// expression (at a point r itself, too), they fold it. If all parts give one and the same expression, in which r does not
// occur, then r changes nothing. A read that is used otherwise, in arithmetic say, is taken to change the value, and so is
// every read of a large expression: at worst that is one dependency too many.
#include "event/influence.h"

#include <algorithm>
#include <set>

#include "ptx/value.h"

namespace litmus {

namespace {

constexpr size_t largest = 200;  // nodes

bool is_leaf(const ExprPool& pool, ExprId id, uint32_t read) {
    return pool[id].op == Expr::Op::read && pool[id].index == read;
}

// Of a comparison of the read with a constant: the constant.
std::optional<uint64_t> compared_with(const ExprPool& pool, const Expr& e, uint32_t read) {
    if (e.op != Expr::Op::compare || is_float(e.type)) return std::nullopt;
    if (is_leaf(pool, e.a, read) && pool.is_constant(e.b)) return pool[e.b].value;
    if (is_leaf(pool, e.b, read) && pool.is_constant(e.a)) return pool[e.a].value;
    return std::nullopt;
}

// The values at which some comparison may change: both sides of the sign, too, since some order signed numbers.
std::set<uint64_t> points(const ExprPool& pool, const std::vector<ExprId>& nodes, uint32_t read, uint64_t last) {
    if (last == 1) return {0, 1};
    std::set<uint64_t> result;
    for (const ExprId id : nodes)
        if (const auto constant = compared_with(pool, pool[id], read)) result.insert(*constant);
    if (!result.empty()) result.insert({0, last / 2, last / 2 + 1, last});
    return result;
}

// `root` where the read has this value, or, `inside` an interval, any that compares as this one does.
ExprId in_part(ExprPool& pool, ExprId root, uint32_t read, uint64_t value, bool inside) {
    return substitute(pool, root, [&](const Expr& e) -> std::optional<ExprId> {
        if (e.op == Expr::Op::read && e.index == read && !inside) return pool.constant(value, e.bits);
        if (!inside || !compared_with(pool, e, read)) return std::nullopt;
        const auto of = [&](ExprId operand) { return pool.is_constant(operand) ? pool[operand].value : value; };
        return compare(e.operation, e.type, of(e.a), of(e.b)) ? ExprPool::yes : ExprPool::no;
    });
}

// `root` without this read, if it decides nothing.
std::optional<ExprId> without(ExprPool& pool, ExprId root, const std::vector<ExprId>& nodes, const Expr& read) {
    const uint64_t last = read.bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << read.bits) - 1;
    const std::set<uint64_t> at = points(pool, nodes, read.index, last);
    if (at.empty()) return std::nullopt;
    const ExprId first = in_part(pool, root, read.index, *at.begin(), false);
    for (auto point = at.begin(); point != at.end(); ++point) {
        if (in_part(pool, root, read.index, *point, false) != first) return std::nullopt;
        const auto next = std::next(point);
        if (next == at.end() || *next == *point + 1) continue;
        const ExprId between = in_part(pool, root, read.index, *point + 1, true);
        if (between != first || has_read(pool, between, read.index)) return std::nullopt;
    }
    return first;
}

}  // namespace

bool has_read(const ExprPool& pool, ExprId root, uint32_t read) {
    const std::vector<ExprId> nodes = below(pool, root);
    return std::any_of(nodes.begin(), nodes.end(), [&](ExprId id) { return is_leaf(pool, id, read); });
}

ExprId without_idle_reads(ExprPool& pool, ExprId root) {
    const std::vector<ExprId> nodes = below(pool, root);
    if (nodes.size() > largest) return root;
    for (const ExprId id : nodes) {
        const Expr leaf = pool[id];  // a copy: the pool grows
        if (leaf.op != Expr::Op::read) continue;
        if (const std::optional<ExprId> rest = without(pool, root, nodes, leaf)) return without_idle_reads(pool, *rest);
    }
    return root;
}

const Reads& Influence::of(ExprId e) {
    const auto [known, fresh] = known_.try_emplace(e);
    Reads& reads = known->second;
    if (fresh)
        for_each_leaf(pool_, without_idle_reads(pool_, e), [&](const Expr& leaf) {
            if (leaf.op == Expr::Op::read) reads.push_back(leaf.index);
        });
    return reads;
}

bool Influence::can_change(size_t read, ExprId e) {
    const Reads& reads = of(e);
    return std::find(reads.begin(), reads.end(), read) != reads.end();
}

}  // namespace litmus
