// Expressions: what is known about a value before the execution is.
//
// Registers, guards and stored values are expressions over three kinds of leaves: the value of a
// read event, a Boolean choice of the execution (which generation a barrier use falls in, ...), and
// the final value of a memory cell. Nodes are hash-consed in a pool and folded as they are built, so
// equal expressions have equal ids and a constant is seen as one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ptx/operators.h"
#include "ptx/type.h"

namespace litmus {

using ExprId = uint32_t;

struct Expr {
    enum class Op : uint8_t {
        constant,     // value
        read,         // value of read event `index`
        choice,       // Boolean choice `index`
        final_value,  // final value of cell `index`
        apply,        // ptx/value.h apply(operation, type, a, b)
        compare,      // 1 bit: compare(operation, type, a, b)
        not_,
        and_,
        or_,      // on 1-bit operands
        ite,      // a ? b : c
        resize,   // a zero- or sign-extended (type's signedness) or truncated to `bits`
        convert,  // a between f32 and `type`, f16 or bf16: to that of the two that has `bits`
    };
    Op op = Op::constant;
    uint8_t bits = 1;
    Type type = Type::u32;                // apply, compare, resize: type of the operands; convert
    Operator operation = Operator::none;  // apply, compare
    uint64_t value = 0;
    uint32_t index = 0;
    ExprId a = 0, b = 0, c = 0;
    friend bool operator==(const Expr&, const Expr&) = default;
};

class ExprPool {
public:
    ExprPool();
    static constexpr ExprId no = 0;   // the 1-bit constant 0
    static constexpr ExprId yes = 1;  // the 1-bit constant 1

    ExprId constant(uint64_t value, int bits);
    ExprId read(uint32_t event, int bits);
    ExprId choice(uint32_t index);
    ExprId final_value(uint32_t cell, int bits);
    ExprId apply(Operator operation, Type type, ExprId a, ExprId b);
    ExprId compare(Operator comparison, Type type, ExprId a, ExprId b) { return compare(comparison, type, a, b, 0); }
    ExprId negate(ExprId a);
    ExprId both(ExprId a, ExprId b);
    ExprId either(ExprId a, ExprId b);
    ExprId ite(ExprId condition, ExprId yes, ExprId no);
    ExprId resize(ExprId a, int bits, bool sign);
    ExprId widen(Type half, ExprId a);   // the f32 that the number in `half` is, f16 or bf16
    ExprId narrow(Type half, ExprId a);  // the f32 rounded to `half`

    const Expr& operator[](ExprId id) const { return nodes_[id]; }
    size_t size() const { return nodes_.size(); }
    bool is_constant(ExprId id) const { return nodes_[id].op == Expr::Op::constant; }
    // The bits that can be 1 in its value, whatever its leaves are.
    uint64_t ones(ExprId id) const { return ones_[id]; }

private:
    struct Hash {
        size_t operator()(const Expr& e) const;
    };
    ExprId intern(const Expr& e);
    ExprId compare(Operator comparison, Type type, ExprId a, ExprId b, int depth);
    ExprId convert(Type half, ExprId a, int bits);
    ExprId intern_apply(Operator operation, Type type, ExprId a, ExprId b);
    uint64_t possible_ones(const Expr& e) const;
    std::vector<Expr> nodes_;
    std::vector<uint64_t> ones_;  // by node: the bits that can be 1
    std::unordered_map<Expr, ExprId, Hash> ids_;
};

// What a conversion makes of a value.
uint64_t converted(const Expr& conversion, uint64_t value);

// The operands of a node, in the order a, b, c; none of a leaf.
std::vector<ExprId> operands(const Expr& e);

// `root` and all that it is made of, operands before their users.
std::vector<ExprId> below(const ExprPool& pool, ExprId root);

// Calls `leaf` once for every read, choice and final_value node below `root`.
void for_each_leaf(const ExprPool& pool, ExprId root, const std::function<void(const Expr&)>& leaf);

// `root` with some nodes replaced: `node` gives an expression of the same width, or nothing to keep the node.
ExprId substitute(ExprPool& pool, ExprId root, const std::function<std::optional<ExprId>(const Expr&)>& node);

// Whether two conditions contradict each other, as far as their conjuncts show: one of them denies another.
bool contradict(ExprPool& pool, ExprId a, ExprId b);
// Whether they exclude each other, as far as their conjuncts show. They do if they contradict each other, if one value equals two
// constants, or if a read equals a constant of which another conjunct does not hold.
bool exclude(ExprPool& pool, ExprId a, ExprId b);
// Whether the one condition implies the other, likewise: its conjuncts are all among those of the one.
bool implies(ExprPool& pool, ExprId a, ExprId b);

// The value of `root`, given the value of each leaf.
uint64_t evaluate(const ExprPool& pool, ExprId root, const std::function<uint64_t(const Expr&)>& leaf);

}  // namespace litmus
