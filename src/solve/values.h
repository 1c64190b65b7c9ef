// Expressions as literals and words.
//
// A value that can only be one of a few constants is kept as cases: each constant with the literal
// under which it is the value. Most tests store constants, so their reads, conditions and outcomes
// become pure propositional logic. Where values flow in a circle (atomics feeding each other), or the
// cases get many, a bit-vector word takes over. Floating-point operations have no words: in programs
// that have some, cases may get many more, and reads on a circle get theirs from possible_values().
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "event/program.h"
#include "ptx/mbarrier.h"
#include "solve/words.h"

namespace litmus {

struct Value {
    std::vector<std::pair<uint64_t, Lit>> cases;  // exclusive and, when the value is used, exhaustive
    std::optional<Word> word;                     // instead of cases
};

class Values {
public:
    // `leaf` gives the value of a leaf that is a read, a result or a final value; choices are literals of their own.
    Values(const Program& program, Backend& backend, Gates& gates, Words& words, std::function<Value(const Expr&)> leaf);

    Lit literal(ExprId e);  // of a 1-bit expression
    Value value(ExprId e);
    Word word(ExprId e);
    Word as_word(const Value& value, int bits);
    Lit choice(uint32_t index);
    Lit equals(const Value& value, uint64_t constant, int bits);

    // One of `options` (a literal and the value under it) as one value.
    Value select(const std::vector<std::pair<Lit, Value>>& options, int bits);

private:
    void define_operands(ExprId root);
    Value compute(const Expr& e);
    Word one_of(const std::vector<std::pair<Lit, Word>>& options, int bits);
    std::optional<Value> combine(const Expr& e);
    Word after_step(const Word& state, const MbarrierStep& step);
    const Program& program_;
    size_t max_cases_, max_combinations_;
    Backend& backend_;
    Gates& gates_;
    Words& words_;
    std::function<Value(const Expr&)> leaf_;
    std::unordered_map<ExprId, Value> values_;
    std::unordered_map<ExprId, Lit> literals_;
    std::vector<Lit> choices_;
};

}  // namespace litmus
