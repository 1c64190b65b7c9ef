// Which reads can change the value of an expression.
#pragma once

#include <map>
#include <vector>

#include "event/expr.h"

namespace litmus {

using Reads = std::vector<uint32_t>;  // event numbers

// `root` without the reads whose value cannot change its own, as far as the rule of influence.cpp proves it.
ExprId without_idle_reads(ExprPool& pool, ExprId root);

// The reads that can change expressions of one pool, each found once.
class Influence {
public:
    // The pool outlives it.
    explicit Influence(ExprPool& pool) : pool_(pool) {}

    const Reads& of(ExprId e);
    bool can_change(size_t read, ExprId e);

private:
    ExprPool& pool_;
    std::map<ExprId, Reads> known_;
};

// Whether the value of this read stands in the expression.
bool has_read(const ExprPool& pool, ExprId e, uint32_t read);

}  // namespace litmus
