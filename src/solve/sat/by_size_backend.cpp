// The backend that chooses its solver by the number of clauses.
//
// Z3 is the reference, but it keeps each clause as a term besides, 600 to 900 bytes of it in all, and is slow where programs grow. So
// clauses are kept aside, four bytes for each literal, until there are too many for Z3 or the first question comes. After a reset
// the choice is open again.
#ifdef LITMUS_Z3

#include "solve/sat/backend.h"

namespace litmus {

namespace {

constexpr size_t usually_for_z3 = 100'000;  // clauses within 200 MB

class BySizeBackend : public Backend {
public:
    explicit BySizeBackend(size_t most_for_z3) : most_for_z3_(row(Engine::cadical).is_there() ? most_for_z3 : ~size_t{0}) {}

    std::string_view engine() const override { return cadical_ ? cadical_->engine() : z3_ ? z3_->engine() : name(Engine::cdcl); }
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
        if (clauses() > most_for_z3_) choose();
    }

    Result search(std::span<const Lit> assumptions) override {
        if (chosen_ == nullptr) choose();
        return chosen_->check(assumptions);
    }

    bool value_of(Lit l) override { return chosen_->value(l); }

private:
    void choose() {
        const bool large = clauses() > most_for_z3_;
        std::unique_ptr<Backend>& one = large ? cadical_ : z3_;
        if (!one) one = large ? make_cadical_backend() : make_z3_backend();
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

    size_t most_for_z3_;
    std::vector<Lit> waiting_;  // clauses, a 0 after each
    std::vector<Lit> first_;    // advice
    std::unique_ptr<Backend> z3_, cadical_;
    Backend* chosen_ = nullptr;  // none until something was asked
};

}  // namespace

std::unique_ptr<Backend> make_backend_by_size(size_t most_for_z3) {
    auto backend = std::make_unique<BySizeBackend>(most_for_z3);
    backend->reset({});
    return backend;
}

constinit const Maker make_usual_backend = [] { return make_backend_by_size(usually_for_z3); };

}  // namespace litmus

#else

#include "solve/sat/backend.h"

std::unique_ptr<litmus::Backend> litmus::make_backend_by_size(size_t) {
    return nullptr;
}
constinit const litmus::Maker litmus::make_usual_backend = nullptr;

#endif
