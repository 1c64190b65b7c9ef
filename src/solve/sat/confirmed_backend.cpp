// The backend in which our own solver searches, and another confirms that there is nothing to be found.
//
// An execution that a solver finds is checked by the concrete engine, whichever solver it was. That there is none has to be believed. So
// our own solver comes first. Where it finds a solution, or values follow from the assumptions by one clause after the other until none
// fits, nothing is left to ask. Any other refutation is traced to the clauses that it was made of, and the judge, Z3 or CaDiCaL, is asked
// whether these contradict the assumptions: then all clauses do. They are few, and taking clauses in is most of what Z3 spends its time
// on. Where the search takes long, or the judge should not agree, it gets all clauses and decides by itself, until the next reset.
#include <array>
#include <optional>
#include <set>

#include "solve/sat/backend.h"
#include "solve/sat/cdcl.h"

namespace litmus {

namespace {

constexpr size_t most_conflicts = 1000;  // of one question, before the judge gets it: more than nearly all questions of the library have

class ConfirmedBackend : public Backend {
public:
    explicit ConfirmedBackend(Maker judge) : make_judge_(judge) {}

    std::string_view engine() const override { return alone_ ? alone_->engine() : judge_ ? judge_->engine() : name(Engine::cdcl); }
    void try_first(Lit l) override {
        if (!is_alone_) own_->try_first(l);
    }

protected:
    void forget() override {
        own_.emplace([this] { return is_spent(); });
        own_->keep_sources();
        own_->add_clause(std::array{always_true});
        told_.clear();
        is_told_ = is_alone_ = false;
    }

    void add_variable(Lit) override {
        if (is_alone_) alone_->fresh();
        if (is_told_) judge_->fresh();
    }

    void add_clause(std::span<const Lit> literals) override {
        if (is_alone_) return alone_->clause(literals);
        own_->add_clause(literals);
    }

    Result search(std::span<const Lit> assumptions) override {
        if (!is_alone_) {
            const std::optional<bool> found = own_->solve(assumptions, most_conflicts);
            if (found == true) return Result::sat;
            if (found == false && is_confirmed(assumptions)) return Result::unsat;
            check_budget();
            tell_all();
        }
        return alone_->check(assumptions);
    }

    bool value_of(Lit l) override { return is_alone_ ? alone_->value(l) : l > 0 ? own_->value(l) : !own_->value(-l); }

private:
    void begin(Backend& backend) const {
        backend.reset(budget());
        for (size_t known = always_true + 1; known < variables(); ++known) backend.fresh();  // the same numbers
    }

    // The first of a test takes more time than most questions.
    Backend& judge() {
        if (!judge_) judge_ = make_judge_();
        if (!is_told_) begin(*judge_);
        is_told_ = true;
        return *judge_;
    }

    bool is_confirmed(std::span<const Lit> assumptions) {
        const Cdcl::Refutation& refutation = own_->refutation();
        if (!refutation.searched) return true;
        for (const uint32_t clause : refutation.clauses)
            if (told_.insert(clause).second) judge().clause(own_->given(clause));
        return judge().check(assumptions) == Result::unsat;
    }

    void tell_all() {
        if (judge_) judge_->reset({});
        is_told_ = false;
        if (!alone_) alone_ = first_of(make_judge_);
        begin(*alone_);
        own_->each_given([&](std::span<const Lit> clause) { alone_->clause(clause); });
        own_.reset();
        is_alone_ = true;
    }

    const Maker make_judge_;
    std::optional<Cdcl> own_;
    std::set<uint32_t> told_;         // clauses of own_ that the judge has, too
    std::unique_ptr<Backend> judge_;  // none until it was asked
    bool is_told_ = false;            // judge_ knows of what came since the last reset
    std::unique_ptr<Backend> alone_;  // none until it was needed
    bool is_alone_ = false;           // and has all of it, instead of own_
};

}  // namespace

std::unique_ptr<Backend> confirming(Maker solver) {
    auto backend = std::make_unique<ConfirmedBackend>(solver);
    backend->reset({});
    return backend;
}

}  // namespace litmus
