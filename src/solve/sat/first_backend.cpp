// The backend that makes what is found independent of the solver that found it.
//
// A solver decides whether there is a solution. If there is one, our own solver looks in the same clauses for the first one in the order of
// the variables. No question of the library takes it more than a hundred conflicts. If one takes too many, the solution is that of the
// solver that decided.
#include <array>
#include <optional>
#include <stdexcept>

#include "solve/sat/backend.h"
#include "solve/sat/cdcl.h"

namespace litmus {

namespace {

class FirstBackend : public Backend {
public:
    explicit FirstBackend(std::unique_ptr<Backend> solver) : solver_(std::move(solver)) {}

    std::string_view engine() const override { return solver_->engine(); }

protected:
    void forget() override {
        solver_->reset(budget());
        chooser_.emplace([this] { return is_spent(); });
        chooser_->add_clause(std::array{always_true});
    }

    void add_variable(Lit) override { solver_->fresh(); }

    void add_clause(std::span<const Lit> literals) override {
        solver_->clause(literals);
        chooser_->add_clause(literals);
    }

    Result search(std::span<const Lit> assumptions) override {
        const Result result = solver_->check(assumptions);
        if (result != Result::sat) return result;
        const std::optional<bool> found = chooser_->solve_first(assumptions);
        if (found == false) throw std::logic_error("a solver found what our own says is not there");
        is_first_ = found.has_value();
        return result;
    }

    bool value_of(Lit l) override { return !is_first_ ? solver_->value(l) : l > 0 ? chooser_->value(l) : !chooser_->value(-l); }

private:
    std::unique_ptr<Backend> solver_;
    std::optional<Cdcl> chooser_;
    bool is_first_ = false;  // chooser_ has the solution
};

}  // namespace

std::unique_ptr<Backend> first_of(Maker solver) {
    auto backend = std::make_unique<FirstBackend>(solver());
    backend->reset({});
    return backend;
}

}  // namespace litmus
