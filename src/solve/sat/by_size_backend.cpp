// The backend that chooses its solver by the number of clauses.
//
// Z3 is the reference, but it keeps each clause as a term besides, 600 to 900 bytes of it in all, and is slow where programs grow. So
// clauses are kept aside, four bytes for each literal, until there are too many for Z3 or the first question comes. After a reset
// the choice is open again.
#include "solve/sat/backend.h"

namespace litmus {

namespace {

constexpr size_t usually = 100'000;  // clauses within 200 MB

class BySizeBackend : public Backend {
public:
    BySizeBackend(size_t most, Maker small) : most_(make_cadical != nullptr ? most : ~size_t{0}), make_small_(small) {}

    std::string_view engine() const override { return large_ ? large_->engine() : small_ ? small_->engine() : name(Engine::cdcl); }
    void try_first(Lit l) override {
        if (chosen_ != nullptr) return chosen_->try_first(l);
        first_.push_back(l);
    }

protected:
    void forget() override {
        if (chosen_ != nullptr) chosen_->reset({});  // its clauses go before new ones come
        chosen_ = nullptr;
        waiting_.clear();
        first_.clear();
    }

    void add_variable(Lit) override {
        if (chosen_ != nullptr) chosen_->fresh();
    }

    void add_clause(std::span<const Lit> literals) override {
        if (chosen_ != nullptr) return chosen_->clause(literals);
        waiting_.insert(waiting_.end(), literals.begin(), literals.end());
        waiting_.push_back(0);
        if (clauses() > most_) choose();
    }

    Result search(std::span<const Lit> assumptions) override {
        if (chosen_ == nullptr) choose();
        return chosen_->check(assumptions);
    }

    bool value_of(Lit l) override { return chosen_->value(l); }

private:
    void choose() {
        const bool large = clauses() > most_;
        std::unique_ptr<Backend>& one = large ? large_ : small_;
        if (!one) one = large ? first_of(make_cadical) : confirming(make_small_);
        one->reset(budget());
        for (size_t known = always_true + 1; known < variables(); ++known) one->fresh();  // the same numbers
        std::vector<Lit> clause;
        for (const Lit l : waiting_) {
            if (l != 0) {
                clause.push_back(l);
                continue;
            }
            one->clause(clause);
            clause.clear();
        }
        waiting_ = {};
        for (const Lit l : first_) one->try_first(l);
        first_ = {};
        chosen_ = one.get();
    }

    const size_t most_;
    const Maker make_small_;
    std::vector<Lit> waiting_;  // clauses, a 0 after each
    std::vector<Lit> first_;    // advice
    std::unique_ptr<Backend> small_, large_;
    Backend* chosen_ = nullptr;  // none until something was asked
};

}  // namespace

std::unique_ptr<Backend> up_to(size_t most, Maker solver) {
    auto backend = std::make_unique<BySizeBackend>(most, solver);
    backend->reset({});
    return backend;
}

std::unique_ptr<Backend> by_size(Maker solver) {
    return up_to(usually, solver);
}

}  // namespace litmus
