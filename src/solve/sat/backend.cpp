// What all solvers share: counting, simplification of constants, the budget.
#include "solve/sat/backend.h"

#include <algorithm>
#include <stdexcept>

namespace litmus {

namespace {

constexpr size_t max_clauses = 8'000'000;        // about 2 GB in Z3
constexpr size_t clauses_between_asking = 1024;  // variables or clauses between two looks at the budget

// The time that a library takes to free its variables and clauses: at most this share of the time it took to add them, and at
// most so many seconds for each of them.
constexpr double share_to_forget = 0.25, most_to_forget = 2e-6;

}  // namespace

const Maker make_reference = make_z3 != nullptr ? make_z3 : make_cadical;

void Backend::reset(const Budget& budget) {
    budget_ = budget;
    variables_ = always_true + 1;
    clauses_ = 0;
    asking_ = asked_ = 0;
    forget();
}

double Backend::seconds_to_forget() const {
    const double adding = (asked_ > 0 ? asked_ : now()) - first_told_ - asking_;
    return std::min(share_to_forget * adding, most_to_forget * static_cast<double>(clauses_ + variables_));
}

bool Backend::is_spent() const {
    try {
        check_budget();
        return false;
    } catch (const OverBudget&) {
        return true;
    }
}

Lit Backend::fresh() {
    const auto n = static_cast<Lit>(variables_++);
    if (n == always_true + 1) first_told_ = now();
    if (variables_ % clauses_between_asking == 0) check_budget();
    add_variable(n);
    return n;
}

void Backend::clause(std::span<const Lit> literals) {
    bool has_false = false;
    for (const Lit l : literals) {
        if (l == always_true) return;
        if (l == 0) throw std::logic_error("a clause has a literal that was not made yet");
        has_false = has_false || l == always_false;
    }
    if (++clauses_ > max_clauses) throw GaveUp{};
    if (clauses_ % clauses_between_asking == 0) check_budget();
    if (!has_false) return add_clause(literals);
    rest_.clear();
    for (const Lit l : literals)
        if (l != always_false) rest_.push_back(l);
    add_clause(rest_);
}

Backend::Result Backend::check(std::span<const Lit> assumptions) {
    check_budget();
    std::vector<Lit> open;
    for (const Lit l : assumptions) {
        if (l == always_false) return Result::unsat;
        if (l != always_true) open.push_back(l);
    }
    asked_ = now();
    const Result result = search(open);
    asking_ += now() - asked_;
    asked_ = 0;
    if (result == Result::unknown) check_budget();
    return result;
}

std::unique_ptr<Backend> itself(Maker solver) {
    return solver();
}

}  // namespace litmus
