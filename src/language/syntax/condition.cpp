// Conditions by recursive descent: one function for the two levels of operators, one for what they combine.
#include "language/syntax/condition.h"

#include <utility>

namespace litmus {

Condition ConditionParser::parse() {
    return chain(Condition::Kind::disjunction, 0);
}

// a \/ b \/ c, or one level below a /\ b /\ c; a single operand stands for itself.
Condition ConditionParser::chain(Condition::Kind kind, int depth) {
    const bool outer = kind == Condition::Kind::disjunction;
    const Mark mark = outer ? Mark::either : Mark::both;
    const auto operand = [&] { return outer ? chain(Condition::Kind::conjunction, depth) : primary(depth); };
    Condition first = operand();
    if (!accept(mark)) return first;
    Condition result;
    result.kind = kind;
    result.span = first.span;
    result.operands.push_back(std::move(first));
    do {
        result.operands.push_back(operand());
    } while (accept(mark));
    result.span.end = last_end();
    return result;
}

Condition ConditionParser::primary(int depth) {
    check_depth(depth);
    const Span begin = next();
    if (accept(Mark::open)) {
        Condition inner = chain(Condition::Kind::disjunction, depth + 1);
        close();
        return inner;
    }
    Condition result;
    if (accept(Mark::negation)) {
        result.kind = Condition::Kind::negation;
        result.operands.push_back(primary(depth + 1));
    } else if (accept(Mark::yes)) {
        result.value = true;
    } else if (accept(Mark::no)) {
        result.value = false;
    } else {
        result.kind = Condition::Kind::atom;
        comparison(result);
    }
    result.span = {begin.begin, last_end()};
    return result;
}

}  // namespace litmus
