// Building, folding and evaluating expressions.
#include "event/expr.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <unordered_set>

#include "ptx/value.h"

namespace litmus {

namespace {

// Floating-point arithmetic: no identity of integers holds (-0 + 0 is 0, a NaN is not kept as it is).
bool is_rounding(Operator operation, Type type) {
    return is_float(type) && (row(operation).on == OperatorRow::Domain::numbers || row(operation).on == OperatorRow::Domain::floats);
}

// Integer types that an operation does not tell apart are one type, so that equal terms look equal.
Type plain(Operator operation, Type type) {
    if (is_float(type) || type == Type::pred || type == Type::b128) return type;
    const bool sign = row(operation).signedness && is_signed(type);
    switch (bits(type)) {
        case 8:
            return sign ? Type::s8 : Type::u8;
        case 16:
            return sign ? Type::s16 : Type::u16;
        case 32:
            return sign ? Type::s32 : Type::u32;
        default:
            return sign ? Type::s64 : Type::u64;
    }
}

}  // namespace

size_t ExprPool::Hash::operator()(const Expr& e) const {
    uint64_t h = 0xcbf29ce484222325U;
    const auto mix = [&h](uint64_t v) { h = (h ^ v) * 0x100000001b3U; };
    mix(static_cast<uint64_t>(e.op) | uint64_t{e.bits} << 8 | static_cast<uint64_t>(e.type) << 16 |
        static_cast<uint64_t>(e.operation) << 24);
    mix(e.value);
    mix(e.index);
    mix(uint64_t{e.a} | uint64_t{e.b} << 32);
    mix(e.c);
    return static_cast<size_t>(h ^ (h >> 29));
}

ExprPool::ExprPool() {
    constant(0, 1);
    constant(1, 1);
}

ExprId ExprPool::intern(const Expr& e) {
    const uint64_t ones = possible_ones(e);
    if (ones == 0 && e.op != Expr::Op::constant && e.bits > 1) return constant(0, e.bits);
    const auto [it, fresh] = ids_.try_emplace(e, static_cast<ExprId>(nodes_.size()));
    if (fresh) {
        nodes_.push_back(e);
        ones_.push_back(ones);
    }
    return it->second;
}

// The bits that can be 1 in a value, whatever its leaves are: (x & 1) & 2 and (x << 16) << 16 have none.
uint64_t ExprPool::possible_ones(const Expr& e) const {
    const uint64_t all = e.bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << e.bits) - 1;
    const auto shifted_by = [&]() -> std::optional<uint64_t> {
        if (!is_constant(e.b) || nodes_[e.b].value >= 64) return std::nullopt;
        return nodes_[e.b].value;
    };
    switch (e.op) {
        case Expr::Op::constant:
            return e.value;
        case Expr::Op::ite:
            return ones_[e.b] | ones_[e.c];
        case Expr::Op::resize:
            return e.bits <= nodes_[e.a].bits || !is_signed(e.type) ? ones_[e.a] & all : all;
        case Expr::Op::apply:
            if (is_float(e.type)) return all;
            if (e.operation == Operator::and_) return ones_[e.a] & ones_[e.b];
            if (e.operation == Operator::or_ || e.operation == Operator::xor_) return ones_[e.a] | ones_[e.b];
            if (e.operation == Operator::shl && shifted_by()) return ones_[e.a] << *shifted_by() & all;
            if (e.operation == Operator::shr && shifted_by() && !is_signed(e.type)) return ones_[e.a] >> *shifted_by();
            return all;
        default:
            return all;
    }
}

ExprId ExprPool::constant(uint64_t value, int bits) {
    Expr e;
    e.op = Expr::Op::constant;
    e.bits = static_cast<uint8_t>(bits);
    e.value = truncate(value, bits);
    return intern(e);
}

ExprId ExprPool::read(uint32_t event, int bits) {
    Expr e;
    e.op = Expr::Op::read;
    e.bits = static_cast<uint8_t>(bits);
    e.index = event;
    return intern(e);
}

ExprId ExprPool::choice(uint32_t index) {
    Expr e;
    e.op = Expr::Op::choice;
    e.index = index;
    return intern(e);
}

ExprId ExprPool::final_value(uint32_t cell, int bits) {
    Expr e;
    e.op = Expr::Op::final_value;
    e.bits = static_cast<uint8_t>(bits);
    e.index = cell;
    return intern(e);
}

ExprId ExprPool::apply(Operator operation, Type type, ExprId a, ExprId b) {
    type = plain(operation, type);
    const int width = bits(type);
    if (is_constant(a) && is_constant(b)) {
        const auto folded = litmus::apply(operation, type, nodes_[a].value, nodes_[b].value);
        if (!folded) throw std::logic_error("operation without a meaning for its type");
        return constant(*folded, width);
    }
    if (operation == Operator::exch) return b;
    if (is_rounding(operation, type)) return intern_apply(operation, type, a, b);
    const auto is = [&](ExprId e, uint64_t value) { return is_constant(e) && nodes_[e].value == value; };
    for (const auto& [gives, operand, applies] :
         {std::tuple{row(operation).same, a, a == b}, std::tuple{row(operation).with_zero, a, is(b, 0)},
          std::tuple{row(operation).from_zero, b, is(a, 0)}}) {
        if (applies && gives == OperatorRow::Gives::operand) return operand;
        if (applies && gives == OperatorRow::Gives::zero) return constant(0, width);
    }
    if (operation == Operator::min && !is_signed(type) && (is(a, 0) || is(b, 0))) return constant(0, width);
    // (x + c) + d is x + (c + d), and (x + c) - x is c
    const Expr inner = nodes_[a];
    if (inner.op == Expr::Op::apply && inner.operation == Operator::add && inner.bits == width) {
        const bool first = is_constant(inner.a);
        const ExprId rest = first ? inner.b : inner.a, number = first ? inner.a : inner.b;
        if (operation == Operator::sub && (b == inner.a || b == inner.b)) return b == inner.a ? inner.b : inner.a;
        if (operation == Operator::add && is_constant(number) && is_constant(b))
            return apply(Operator::add, type, rest, apply(Operator::add, type, number, b));
    }
    if (row(operation).commutes && a > b) std::swap(a, b);
    return intern_apply(operation, type, a, b);
}

ExprId ExprPool::intern_apply(Operator operation, Type type, ExprId a, ExprId b) {
    Expr e;
    e.op = Expr::Op::apply;
    e.bits = static_cast<uint8_t>(bits(type));
    e.type = type;
    e.operation = operation;
    e.a = a;
    e.b = b;
    return intern(e);
}

// `depth`: into how many nested if-then-elses the comparison has been moved already.
ExprId ExprPool::compare(Operator comparison, Type type, ExprId a, ExprId b, int depth) {
    constexpr int deepest = 200;
    type = plain(comparison, type);
    if (is_constant(a) && is_constant(b)) return litmus::compare(comparison, type, nodes_[a].value, nodes_[b].value) ? yes : no;
    const auto is_zero = [&](ExprId e) { return is_constant(e) && nodes_[e].value == 0; };
    if (!is_signed(type) && !is_float(type) && type != Type::pred) {
        if ((comparison == Operator::lt && is_zero(b)) || (comparison == Operator::gt && is_zero(a))) return no;
        if ((comparison == Operator::le && is_zero(a)) || (comparison == Operator::ge && is_zero(b))) return yes;
    }
    if (a == b && !is_float(type)) return row(comparison).equal ? yes : no;
    // comparing an if-then-else with a constant is an if-then-else of two comparisons
    for (const bool left : {true, false}) {
        if (depth == deepest) break;
        const Expr chosen = nodes_[left ? a : b];
        const ExprId other = left ? b : a;
        if (chosen.op != Expr::Op::ite || !is_constant(other) || (!is_constant(chosen.b) && !is_constant(chosen.c))) continue;
        const auto in_branch = [&](ExprId branch) {
            return left ? compare(comparison, type, branch, other, depth + 1) : compare(comparison, type, other, branch, depth + 1);
        };
        const ExprId when = in_branch(chosen.b);
        return ite(chosen.a, when, in_branch(chosen.c));
    }
    if (comparison == Operator::ne) return negate(compare(Operator::eq, type, a, b, depth));
    if (comparison == Operator::gt) return compare(Operator::lt, type, b, a, depth);
    if (comparison == Operator::ge) return compare(Operator::le, type, b, a, depth);
    if (nodes_[a].bits == 1 && comparison == Operator::eq) {
        if (is_constant(b)) return b == yes ? a : negate(a);
        if (is_constant(a)) return a == yes ? b : negate(b);
    }
    if (row(comparison).commutes && a > b) std::swap(a, b);
    Expr e;
    e.op = Expr::Op::compare;
    e.bits = 1;
    e.type = type;
    e.operation = comparison;
    e.a = a;
    e.b = b;
    return intern(e);
}

ExprId ExprPool::negate(ExprId a) {
    if (a == yes) return no;
    if (a == no) return yes;
    if (nodes_[a].op == Expr::Op::not_) return nodes_[a].a;
    Expr e;
    e.op = Expr::Op::not_;
    e.a = a;
    return intern(e);
}

ExprId ExprPool::both(ExprId a, ExprId b) {
    if (a == no || b == no || a == negate(b)) return no;
    if (a == yes || a == b) return b;
    if (b == yes) return a;
    const auto conjunct = [&](ExprId whole, ExprId part) {
        const Expr& e = nodes_[whole];
        return e.op == Expr::Op::and_ && (e.a == part || e.b == part);
    };
    if (conjunct(a, b)) return a;
    if (conjunct(b, a)) return b;
    const ExprId not_a = negate(a), not_b = negate(b);
    if (conjunct(a, not_b) || conjunct(b, not_a)) return no;
    if (a > b) std::swap(a, b);
    Expr e;
    e.op = Expr::Op::and_;
    e.a = a;
    e.b = b;
    return intern(e);
}

ExprId ExprPool::either(ExprId a, ExprId b) {
    if (a == yes || b == yes || a == negate(b)) return yes;
    if (a == no || a == b) return b;
    if (b == no) return a;
    // (p and q) or (p and not q) is p: the paths of a branch meet again
    const Expr x = nodes_[a], y = nodes_[b];
    if (x.op == Expr::Op::and_ && y.op == Expr::Op::and_) {
        for (const auto& [p, q] : {std::pair{x.a, x.b}, std::pair{x.b, x.a}}) {
            if (p == y.a && q == negate(y.b)) return p;
            if (p == y.b && q == negate(y.a)) return p;
        }
    }
    const auto disjunct = [&](ExprId whole, ExprId part) {
        const Expr& e = nodes_[whole];
        return whole == part || (e.op == Expr::Op::or_ && (e.a == part || e.b == part));
    };
    if (disjunct(a, b)) return a;
    if (disjunct(b, a)) return b;
    const ExprId not_a = negate(a), not_b = negate(b);
    if (disjunct(a, not_b) || disjunct(b, not_a)) return yes;
    // p or (not p and q) is p or q: a path that was left earlier
    for (const auto& [whole, part] : {std::pair{a, b}, std::pair{b, a}}) {
        const Expr e = nodes_[part];
        if (e.op != Expr::Op::and_) continue;
        if (disjunct(whole, negate(e.a))) return either(whole, e.b);
        if (disjunct(whole, negate(e.b))) return either(whole, e.a);
    }
    if (a > b) std::swap(a, b);
    Expr e;
    e.op = Expr::Op::or_;
    e.a = a;
    e.b = b;
    return intern(e);
}

ExprId ExprPool::ite(ExprId condition, ExprId then, ExprId otherwise) {
    if (condition == yes || then == otherwise) return then;
    if (condition == no) return otherwise;
    if (nodes_[then].bits == 1) {
        if (then == yes && otherwise == no) return condition;
        if (then == no && otherwise == yes) return negate(condition);
        return either(both(condition, then), both(negate(condition), otherwise));
    }
    Expr e;
    e.op = Expr::Op::ite;
    e.bits = nodes_[then].bits;
    e.a = condition;
    e.b = then;
    e.c = otherwise;
    return intern(e);
}

ExprId ExprPool::resize(ExprId a, int bits, bool sign) {
    const Expr from = nodes_[a];
    if (from.bits == bits) return a;
    if (from.op == Expr::Op::constant) return constant(sign ? static_cast<uint64_t>(sign_extend(from.value, from.bits)) : from.value, bits);
    Expr e;
    e.op = Expr::Op::resize;
    e.bits = static_cast<uint8_t>(bits);
    e.type = sign ? Type::s64 : Type::u64;
    e.a = a;
    return intern(e);
}

ExprId ExprPool::widen(Type half, ExprId a) {
    return convert(half, a, bits(Type::f32));
}

ExprId ExprPool::narrow(Type half, ExprId a) {
    return convert(half, a, bits(half));
}

ExprId ExprPool::convert(Type half, ExprId a, int bits) {
    Expr e;
    e.op = Expr::Op::convert;
    e.bits = static_cast<uint8_t>(bits);
    e.type = half;
    e.a = a;
    return is_constant(a) ? constant(converted(e, nodes_[a].value), bits) : intern(e);
}

uint64_t converted(const Expr& conversion, uint64_t value) {
    const Type half = conversion.type;
    return conversion.bits == bits(half) ? converted(Type::f32, half, value) : converted(half, Type::f32, value);
}

std::vector<ExprId> operands(const Expr& e) {
    switch (e.op) {
        case Expr::Op::constant:
        case Expr::Op::read:
        case Expr::Op::choice:
        case Expr::Op::final_value:
            return {};
        case Expr::Op::not_:
        case Expr::Op::resize:
        case Expr::Op::convert:
            return {e.a};
        case Expr::Op::ite:
            return {e.a, e.b, e.c};
        default:
            return {e.a, e.b};
    }
}

std::vector<ExprId> below(const ExprPool& pool, ExprId root) {
    std::vector<ExprId> open{root}, found;
    std::unordered_set<ExprId> seen{root};
    while (!open.empty()) {
        const ExprId id = open.back();
        open.pop_back();
        found.push_back(id);
        for (const ExprId operand : operands(pool[id]))
            if (seen.insert(operand).second) open.push_back(operand);
    }
    std::sort(found.begin(), found.end());
    return found;
}

void for_each_leaf(const ExprPool& pool, ExprId root, const std::function<void(const Expr&)>& leaf) {
    for (const ExprId id : below(pool, root)) {
        const Expr::Op op = pool[id].op;
        if (op == Expr::Op::read || op == Expr::Op::choice || op == Expr::Op::final_value) leaf(pool[id]);
    }
}

namespace {

uint64_t evaluate_node(const ExprPool& pool, const Expr& e, const std::function<uint64_t(ExprId)>& of,
                       const std::function<uint64_t(const Expr&)>& leaf) {
    switch (e.op) {
        case Expr::Op::constant:
            return e.value;
        case Expr::Op::read:
        case Expr::Op::choice:
        case Expr::Op::final_value:
            return leaf(e);
        case Expr::Op::apply:
            return *apply(e.operation, e.type, of(e.a), of(e.b));
        case Expr::Op::compare:
            return compare(e.operation, e.type, of(e.a), of(e.b)) ? 1 : 0;
        case Expr::Op::not_:
            return of(e.a) ^ 1U;
        case Expr::Op::and_:
            return of(e.a) & of(e.b);
        case Expr::Op::or_:
            return of(e.a) | of(e.b);
        case Expr::Op::ite:
            return of(e.a) ? of(e.b) : of(e.c);
        case Expr::Op::resize: {
            const int from = pool[e.a].bits;
            const uint64_t v = of(e.a);
            return truncate(is_signed(e.type) ? static_cast<uint64_t>(sign_extend(v, from)) : v, e.bits);
        }
        case Expr::Op::convert:
            return converted(e, of(e.a));
    }
    return 0;
}

}  // namespace

namespace {

// What holds wherever e does: its conjuncts, with negations pushed inside.
std::vector<ExprId> conjuncts(ExprPool& pool, ExprId e) {
    std::vector<ExprId> open{e}, result;
    while (!open.empty()) {
        const ExprId next = open.back();
        open.pop_back();
        const Expr x = pool[next], inner = x.op == Expr::Op::not_ ? Expr(pool[x.a]) : x;
        if (x.op == Expr::Op::and_)
            open.insert(open.end(), {x.a, x.b});
        else if (x.op == Expr::Op::not_ && inner.op == Expr::Op::or_)
            open.insert(open.end(), {pool.negate(inner.a), pool.negate(inner.b)});
        else
            result.push_back(next);
    }
    return result;
}

}  // namespace

bool contradict(ExprPool& pool, ExprId a, ExprId b) {
    std::set<ExprId> all;
    for (const ExprId e : {a, b})
        for (const ExprId part : conjuncts(pool, e)) all.insert(part);
    return std::any_of(all.begin(), all.end(), [&](ExprId part) { return part == ExprPool::no || all.count(pool.negate(part)) != 0; });
}

bool exclude(ExprPool& pool, ExprId a, ExprId b) {
    if (contradict(pool, a, b)) return true;
    std::vector<ExprId> parts = conjuncts(pool, a);
    for (const ExprId part : conjuncts(pool, b)) parts.push_back(part);
    std::map<ExprId, ExprId> constants;  // by value: what it equals
    for (const ExprId part : parts) {
        const Expr& e = pool[part];
        if (e.op != Expr::Op::compare || e.operation != Operator::eq || is_float(e.type)) continue;
        const bool first = pool.is_constant(e.a);
        if (first == pool.is_constant(e.b)) continue;
        const ExprId constant = first ? e.a : e.b;
        if (constants.emplace(first ? e.b : e.a, constant).first->second != constant) return true;
    }
    // a read that equals a constant denies whatever does not hold of that constant
    return std::any_of(constants.begin(), constants.end(), [&](const auto& known) {
        const Expr read = pool[known.first];
        if (read.op != Expr::Op::read) return false;
        const auto put_in = [&](const Expr& leaf) {
            const bool same = leaf.op == Expr::Op::read && leaf.index == read.index && leaf.bits == read.bits;
            return same ? std::optional(known.second) : std::nullopt;
        };
        return std::any_of(parts.begin(), parts.end(), [&](ExprId part) { return substitute(pool, part, put_in) == ExprPool::no; });
    });
}

bool implies(ExprPool& pool, ExprId a, ExprId b) {
    const std::vector<ExprId> known = conjuncts(pool, a), asked = conjuncts(pool, b);
    const std::set<ExprId> all(known.begin(), known.end());
    return std::all_of(asked.begin(), asked.end(), [&](ExprId part) { return part == ExprPool::yes || all.count(part) != 0; });
}

// Operands have smaller ids than their users, so deep expressions are evaluated with an explicit
// stack: a node is visited again once its operands are known. Only the branch of an ite that counts
// is followed, since the other may hold leaves that have no value.
uint64_t evaluate(const ExprPool& pool, ExprId root, const std::function<uint64_t(const Expr&)>& leaf) {
    if (pool[root].op == Expr::Op::constant) return pool[root].value;
    std::unordered_map<ExprId, uint64_t> known;
    std::vector<ExprId> stack{root};
    while (!stack.empty()) {
        const ExprId id = stack.back();
        const Expr& e = pool[id];
        std::array<ExprId, 3> needs{};
        size_t count = 0;
        switch (e.op) {
            case Expr::Op::constant:
            case Expr::Op::read:
            case Expr::Op::choice:
            case Expr::Op::final_value:
                break;
            case Expr::Op::not_:
            case Expr::Op::resize:
            case Expr::Op::convert:
                needs[count++] = e.a;
                break;
            case Expr::Op::and_:
            case Expr::Op::or_: {
                needs[count++] = e.a;
                const auto a = known.find(e.a);
                const uint64_t decides = e.op == Expr::Op::and_ ? 0 : 1;
                if (a != known.end() && a->second == decides) {
                    known[id] = decides;
                    count = 0;
                } else if (a != known.end()) {
                    needs[count++] = e.b;
                }
                break;
            }
            case Expr::Op::ite: {
                needs[count++] = e.a;
                const auto a = known.find(e.a);
                if (a != known.end()) {
                    const ExprId branch = a->second ? e.b : e.c;
                    needs[count++] = branch;
                    const auto b = known.find(branch);
                    if (b != known.end()) known[id] = b->second;
                }
                break;
            }
            default:
                needs[count++] = e.a;
                needs[count++] = e.b;
        }
        if (known.count(id)) {
            stack.pop_back();
            continue;
        }
        bool ready = true;
        for (size_t i = 0; i < count; ++i) {
            if (known.count(needs[i])) continue;
            stack.push_back(needs[i]);
            ready = false;
            break;
        }
        if (!ready) continue;
        known[id] = evaluate_node(
            pool, e, [&known](ExprId x) { return known.at(x); }, leaf);
        stack.pop_back();
    }
    return known.at(root);
}

// Operands have smaller ids than their users, so what is below the root is rebuilt in the order of the ids.
ExprId substitute(ExprPool& pool, ExprId root, const std::function<std::optional<ExprId>(const Expr&)>& node) {
    std::unordered_map<ExprId, ExprId> done;
    const auto rebuilt = [&](const Expr& e, ExprId id) -> ExprId {
        const auto part = [&](ExprId operand) { return done.at(operand); };
        if (const std::optional<ExprId> other = node(e)) return *other;
        switch (e.op) {
            case Expr::Op::constant:
                return id;
            case Expr::Op::read:
            case Expr::Op::choice:
            case Expr::Op::final_value:
                return id;
            case Expr::Op::apply:
                return pool.apply(e.operation, e.type, part(e.a), part(e.b));
            case Expr::Op::compare:
                return pool.compare(e.operation, e.type, part(e.a), part(e.b));
            case Expr::Op::not_:
                return pool.negate(part(e.a));
            case Expr::Op::and_:
                return pool.both(part(e.a), part(e.b));
            case Expr::Op::or_:
                return pool.either(part(e.a), part(e.b));
            case Expr::Op::ite:
                return pool.ite(part(e.a), part(e.b), part(e.c));
            case Expr::Op::resize:
                return pool.resize(part(e.a), e.bits, is_signed(e.type));
            case Expr::Op::convert:
                return e.bits == bits(e.type) ? pool.narrow(e.type, part(e.a)) : pool.widen(e.type, part(e.a));
        }
        return id;
    };
    for (const ExprId id : below(pool, root)) {
        const Expr e = pool[id];  // a copy: the pool grows
        done.emplace(id, rebuilt(e, id));
    }
    return done.at(root);
}

}  // namespace litmus
