// The queries that make an answer: the claim first, then outcomes, then what is reported beside.
//
// Outcomes are enumerated by blocking the projection (the observed values), not the whole model, so
// each check gives a new outcome. Every execution that the solver returns goes through the concrete
// engine; the two disagreeing is an internal error.
#include "solve/solve.h"

#include <algorithm>
#include <stdexcept>

#include "base/budget.h"
#include "cat/evaluate.h"
#include "solve/encode.h"
#include "solve/find_hazards.h"
#include "solve/specialise.h"

namespace litmus {

Solver::Solver(size_t counts_from, Engine engine) : counts_from_(counts_from), backend_(row(engine).make()) {
    if (!backend_) throw std::runtime_error("this litmus was built without " + std::string(name(engine)));
}

namespace {

// Adds the time its scope takes to a counter.
class Stopwatch {
public:
    explicit Stopwatch(double& total) : total_(total) {}
    ~Stopwatch() { total_ += now() - start_; }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    double& total_;
    double start_ = now();
};

Model without_flags(const Model& model) {
    return restricted(model, [](const Constraint& c) { return !c.flag; });
}

class Session {
public:
    Session(Program& program, const Model& model, const SolveOptions& options, Solver& solver)
        : p_(program), m_(model), options_(options), backend_(solver.backend()), counts_from_(solver.counts_from()) {
        answer_.observables = observables(program, options.all_state);
    }

    // Gives what could be found out. Where the solver gives up, or the budget is spent, the rest stays unknown.
    Answer run() {
        if (options_.want_hazards) answer_.hazards = undecided_hazards();
        try {
            decide_all();
        } catch (const GaveUp& gave_up) {
            answer_.gave_up = gave_up.reason;
        } catch (const OverBudget& over) {
            (over.is_time() ? answer_.timed_out : answer_.out_of_memory) = true;
        }
        std::sort(answer_.outcomes.begin(), answer_.outcomes.end(), [](const Outcome& a, const Outcome& b) { return a.values < b.values; });
        return std::move(answer_);
    }

private:
    using Truth = Answer::Truth;

    void decide_all() {
        backend_.reset(p_.budget);
        const Test& test = *p_.test;
        condition_ = condition_expr(p_, test.claim.condition);
        if (test.filter && options_.filtered) filter_ = condition_expr(p_, *test.filter);
        ModelBounds bounds;
        {
            const Stopwatch watch(answer_.timing.bounds);
            encoded_ = specialised(bases_, m_);
            bounds = compute_bounds(bases_, encoded_);
        }
        {
            const Stopwatch watch(answer_.timing.encode);
            encoding_.emplace(p_, encoded_, std::move(bounds), backend_, counts_from_);
            encoding_->require_model();
            holds_ = encoding_->condition(condition_);
            passes_ = encoding_->condition(filter_);
            straight_ = encoding_->straight();
            for (const Observable& o : answer_.observables) encoding_->value(o.value);  // before the first check
            for (const Circumstance& circumstance : options_.avoid) avoid(circumstance);
        }
        enumerating_ = backend_.fresh();
        if (options_.only) return enumerate();
        decide_claim();
        if (options_.want_outcomes) enumerate();
        decide_rest();
        if (options_.want_hazards)
            answer_.hazards = search_hazards(
                {p_, m_, common_, encoded_, *encoding_, backend_, [this](const std::vector<Lit>& wanted) { return check(wanted); }});
    }

    void avoid(const Circumstance& circumstance) {
        std::vector<Lit> otherwise;
        for (const size_t e : circumstance.events) otherwise.push_back(-encoding_->condition(p_.events[e].guard));
        for (const Circumstance::Fact& fact : circumstance.facts) {
            const Lit holds = encoding_->fact(fact.relation, fact.pair);
            otherwise.push_back(fact.absent ? holds : -holds);
        }
        backend_.clause(otherwise);
    }

    // Looks for an execution that gives an outcome (Encoding::straight) and in which all of `wanted` holds.
    Backend::Result check_outcome(std::vector<Lit> wanted) {
        wanted.push_back(straight_);
        return check(wanted);
    }

    Backend::Result check(const std::vector<Lit>& assumptions) {
        const Stopwatch watch(answer_.timing.solve);
        const Backend::Result result = backend_.check(assumptions);
        if (result == Backend::Result::unknown) answer_.gave_up = no_answer;
        return result;
    }

    static Truth truth(Backend::Result r) {
        return r == Backend::Result::sat ? Truth::yes : r == Backend::Result::unsat ? Truth::no : Truth::unknown;
    }

    [[noreturn]] void disagree(const std::string& what) const {
        throw std::logic_error("test \"" + p_.test->name + "\": the two engines disagree: " + what);
    }

    // The execution just found, checked by the concrete engine.
    Outcome read_outcome() {
        const Stopwatch watch(answer_.timing.check);
        std::optional<Execution> x = encoding_->execution();
        if (!x) disagree("the solver's choice is no candidate execution");
        Evaluation evaluation(common_, *x);
        for (const size_t i : evaluation.failed()) disagree("the solver's execution breaks " + m_.constraints[i].name);
        Outcome outcome;
        const std::optional<std::vector<size_t>> last = encoding_->final_writes(*x);
        if (!last) disagree("a write that another is co-after is taken as final");
        outcome.final_writes = *last;
        std::vector<uint64_t> finals;
        for (const size_t w : *last) finals.push_back(x->values[w]);
        for (const Observable& o : answer_.observables) outcome.values.push_back(evaluate(*x, o.value, finals));
        outcome.satisfies = evaluate(*x, condition_, finals) != 0;
        if (!evaluate(*x, filter_, finals)) disagree("the solver's execution does not pass the filter");
        outcome.witness = std::move(*x);
        return outcome;
    }

    void keep(Outcome outcome) {
        std::vector<Lit> other{-enumerating_};
        for (size_t i = 0; i < answer_.observables.size(); ++i) {
            other.push_back(encoding_->differs(answer_.observables[i].value, outcome.values[i]));
        }
        backend_.clause(other);
        if (outcome.satisfies) {
            answer_.satisfiable = Truth::yes;
            if (!answer_.witness) answer_.witness = outcome;
        } else {
            answer_.violable = Truth::yes;
        }
        answer_.filtered_nonempty = answer_.nonempty = Truth::yes;
        answer_.outcomes.push_back(std::move(outcome));
    }

    // Decides whether some execution gives the condition this value.
    void decide(bool value) {
        Truth& known = value ? answer_.satisfiable : answer_.violable;
        if (known != Truth::unknown) return;
        known = truth(check_outcome({encoding_->terminates(), passes_, value ? holds_ : -holds_}));
        if (known != Truth::yes) return;
        Outcome outcome = read_outcome();
        if (outcome.satisfies != value) disagree("the solver's execution gives the condition another value");
        keep(std::move(outcome));
    }

    void decide_claim() {
        switch (p_.test->claim.kind) {
            case Claim::Kind::exists:
            case Claim::Kind::not_exists:
                decide(true);
                break;
            case Claim::Kind::forall:
                decide(false);
                break;
            case Claim::Kind::none:
                break;
        }
    }

    void enumerate() {
        std::vector<Lit> wanted{encoding_->terminates(), passes_, enumerating_};
        for (size_t i = 0; options_.only && i < answer_.observables.size(); ++i)
            wanted.push_back(-encoding_->differs(answer_.observables[i].value, options_.only->at(i)));
        while (answer_.outcomes.size() < options_.max_outcomes) {
            const Backend::Result result = check_outcome(wanted);
            if (result == Backend::Result::unsat) {
                answer_.complete = true;
                break;
            }
            if (result == Backend::Result::unknown) return;
            keep(read_outcome());
        }
        if (!answer_.complete || options_.only) return;
        for (Truth* t : {&answer_.satisfiable, &answer_.violable, &answer_.filtered_nonempty}) {
            if (*t == Truth::unknown) *t = Truth::no;
        }
    }

    void decide_rest() {
        if (p_.test->claim.kind != Claim::Kind::none && options_.want_outcomes) {
            decide(true);
            decide(false);
        }
        if (answer_.filtered_nonempty == Truth::unknown)
            answer_.filtered_nonempty = truth(check_outcome({encoding_->terminates(), passes_}));
        if (answer_.nonempty == Truth::unknown) {
            answer_.nonempty = filter_ == ExprPool::yes ? answer_.filtered_nonempty : truth(check_outcome({encoding_->terminates()}));
        }
        if (!p_.bounds.empty()) answer_.bound_hit = check({encoding_->cut()}) != Backend::Result::unsat;
    }

    Program& p_;
    const Model& m_;  // as the concrete engine evaluates it
    Model encoded_;   // as it is encoded
    FixedBases bases_{p_};
    CommonValues common_{m_, bases_};
    const SolveOptions& options_;
    Backend& backend_;
    size_t counts_from_;
    std::optional<Encoding> encoding_;
    ExprId condition_ = ExprPool::yes, filter_ = ExprPool::yes;
    Lit holds_ = always_true, passes_ = always_true, enumerating_ = always_true, straight_ = always_true;
    Answer answer_;
};

}  // namespace

Answer Solver::solve(Program& program, const Model& model, const SolveOptions& options) {
    if (options.want_hazards) return Session(program, model, options, *this).run();
    const Model judged = without_flags(model);
    return Session(program, judged, options, *this).run();
}

Hazards Solver::hazards(Program& program, const Model& model) {
    return find_hazards(program, model, *backend_, counts_from_);
}

}  // namespace litmus
