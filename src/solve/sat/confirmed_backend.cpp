// The backend in which our own solver searches, and Z3 confirms that there is nothing to be found.
//
// An execution that a solver finds is checked by the concrete engine, whichever solver it was. That there is none has to be believed. So
// our own solver comes first. Where it finds a solution, or values follow from the assumptions by one clause after the other until none
// fits, nothing is left to ask. Any other refutation is traced to the clauses that it was made of, and Z3, the reference, is asked whether
// these contradict the assumptions: then all clauses do. They are few, and taking clauses in is most of what Z3 spends its time on. Where
// the search takes long, or Z3 should not agree, it gets all clauses and decides by itself, until the next reset.
#ifdef LITMUS_Z3

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "solve/sat/backend.h"
#include "solve/sat/cdcl.h"

namespace litmus {

namespace {

constexpr size_t most_conflicts = 1000;  // of one question, before Z3 gets it: more than nearly all questions of the library have

class ConfirmedBackend : public Backend {
public:
    std::string_view engine() const override { return name(z3_ ? Engine::z3 : Engine::cdcl); }
    void try_first(Lit l) override {
        if (!is_alone_) own_->try_first(l);
    }

protected:
    void forget() override {
        own_.emplace([this] { return is_spent(); });
        own_->keep_sources();
        own_->add_clause(std::array{always_true});
        clauses_.clear();
        told_.clear();
        is_told_ = is_alone_ = false;
    }

    void add_variable(Lit) override {
        if (is_told_) z3_->fresh();
    }

    void add_clause(std::span<const Lit> literals) override {
        if (is_alone_) return z3_->clause(literals);
        own_->add_clause(literals);
        clauses_.insert(clauses_.end(), literals.begin(), literals.end());
        clauses_.push_back(0);
    }

    Result search(std::span<const Lit> assumptions) override {
        if (!is_alone_) {
            const std::optional<bool> found = own_->solve(assumptions, most_conflicts);
            if (found == true) return Result::sat;
            if (found == false && is_confirmed(assumptions)) return Result::unsat;
            check_budget();
            tell_all();
        }
        return z3_->check(assumptions);
    }

    bool value_of(Lit l) override { return is_alone_ ? z3_->value(l) : l > 0 ? own_->value(l) : !own_->value(-l); }

private:
    bool is_spent() const {
        try {
            check_budget();
            return false;
        } catch (const OverBudget&) {
            return true;
        }
    }

    // Z3, with the variables that there are. The first of a test takes more time than most questions.
    Backend& z3() {
        if (!z3_) z3_ = make_z3_alone_backend();
        if (!is_told_) {
            z3_->reset(budget());
            for (size_t known = always_true + 1; known < variables(); ++known) z3_->fresh();  // the same numbers
        }
        is_told_ = true;
        return *z3_;
    }

    bool is_confirmed(std::span<const Lit> assumptions) {
        const Cdcl::Refutation& refutation = own_->refutation();
        if (!refutation.searched) return true;
        for (const uint32_t clause : refutation.clauses)
            if (told_.insert(clause).second) z3().clause(own_->given(clause));
        return z3().check(assumptions) == Result::unsat;
    }

    void tell_all() {
        is_told_ = false;
        for (auto begin = clauses_.begin(); begin != clauses_.end();) {
            const auto end = std::find(begin, clauses_.end(), 0);
            z3().clause(std::span(begin, end));
            begin = end + 1;
        }
        clauses_ = {};
        own_.reset();
        is_alone_ = true;
    }

    std::optional<Cdcl> own_;
    std::vector<Lit> clauses_;     // all, a 0 after each
    std::set<uint32_t> told_;      // clauses of own_ that Z3 has, too
    std::unique_ptr<Backend> z3_;  // none until it was asked
    bool is_told_ = false;         // z3_ knows of what came since the last reset
    bool is_alone_ = false;        // and has all of it, instead of own_
};

}  // namespace

constinit const Maker make_z3_backend = []() -> std::unique_ptr<Backend> {
    auto backend = std::make_unique<ConfirmedBackend>();
    backend->reset({});
    return backend;
};

}  // namespace litmus

#else

#include "solve/sat/backend.h"

constinit const litmus::Maker litmus::make_z3_backend = nullptr;

#endif
