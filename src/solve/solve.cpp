// The queries that make an answer: the claim first, then outcomes, then what is reported beside.
//
// Outcomes are enumerated by blocking the projection (the observed values), not the whole model, so
// each check gives a new outcome. Every execution that the solver returns goes through the concrete
// engine; the two disagreeing is an internal error. Where many come, it is tried whether they are a product (parts.h).
#include "solve/solve.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/budget.h"
#include "cat/evaluate.h"
#include "solve/encode.h"
#include "solve/find_hazards.h"
#include "solve/parts.h"
#include "solve/specialise.h"
#include "solve/symmetry.h"

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
            if (options_.avoid.empty()) symmetry_ = find_symmetry(p_, bases_, encoded_, asked(), counts_from_);
            bounds = compute_bounds(bases_, encoded_, symmetry_.order);
            reads_ = bounds.rf.may;
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
            answer_.hazards = search_hazards({p_, m_, common_, encoded_, *encoding_, backend_, symmetry_,
                                              [this](const std::vector<Lit>& wanted) { return check(wanted); }});
    }

    // All that questions about outcomes are about.
    std::vector<ExprId> asked() const {
        std::vector<ExprId> result{condition_, filter_};
        for (const Observable& o : answer_.observables) result.push_back(o.value);
        return result;
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

    // What a consistent execution shows; nothing where it does not pass the filter.
    std::optional<Outcome> outcome_of(Execution x, std::vector<size_t> final_writes) const {
        Outcome outcome;
        std::vector<uint64_t> finals;
        for (const size_t w : final_writes) finals.push_back(x.values[w]);
        if (!evaluate(x, filter_, finals)) return std::nullopt;
        for (const Observable& o : answer_.observables) outcome.values.push_back(evaluate(x, o.value, finals));
        outcome.satisfies = evaluate(x, condition_, finals) != 0;
        outcome.witness = std::move(x);
        outcome.final_writes = std::move(final_writes);
        return outcome;
    }

    // The execution just found, checked by the concrete engine.
    Outcome read_outcome() {
        const Stopwatch watch(answer_.timing.check);
        std::optional<Execution> x = encoding_->execution();
        if (!x) disagree("the solver's choice is no candidate execution");
        Evaluation evaluation(common_, *x);
        for (const size_t i : evaluation.failed()) disagree("the solver's execution breaks " + m_.constraints[i].name);
        std::optional<std::vector<size_t>> last = encoding_->final_writes(*x);
        if (!last) disagree("a write that another is co-after is taken as final");
        std::optional<Outcome> outcome = outcome_of(std::move(*x), std::move(*last));
        if (!outcome) disagree("the solver's execution does not pass the filter");
        return std::move(*outcome);
    }

    void keep(Outcome outcome) {
        leave_out(outcome);
        note(std::move(outcome));
    }

    // From the enumeration.
    void leave_out(const Outcome& outcome) {
        std::vector<Lit> other{-enumerating_};
        for (size_t i = 0; i < answer_.observables.size(); ++i) {
            other.push_back(encoding_->differs(answer_.observables[i].value, outcome.values[i]));
        }
        backend_.clause(other);
    }

    void note(Outcome outcome) {
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
        const bool singly = options_.only || !options_.avoid.empty();
        bool more = list(singly ? options_.max_outcomes : std::min(options_.apart_from, options_.max_outcomes));
        for (const Parts::Ties ties : {Parts::Ties::values, Parts::Ties::program}) more = more && !singly && list_product(ties);
        if (more) list(options_.max_outcomes);
        if (!answer_.complete || options_.only) return;
        for (Truth* t : {&answer_.satisfiable, &answer_.violable, &answer_.filtered_nonempty}) {
            if (*t == Truth::unknown) *t = Truth::no;
        }
    }

    // Up to so many outcomes, each asked of the solver; whether there may be more.
    bool list(size_t most) {
        std::vector<Lit> wanted{encoding_->terminates(), passes_, enumerating_};
        for (size_t i = 0; options_.only && i < answer_.observables.size(); ++i)
            wanted.push_back(-encoding_->differs(answer_.observables[i].value, options_.only->at(i)));
        while (answer_.outcomes.size() < most) {
            const Backend::Result result = check_outcome(wanted);
            answer_.complete = result == Backend::Result::unsat;
            if (result != Backend::Result::sat) return false;
            keep(read_outcome());
        }
        return true;
    }

    bool listed_enough() const { return answer_.outcomes.size() >= options_.max_outcomes; }

    // Outcomes as products of what parts show; whether there may be more, since the parts are not apart.
    bool list_product(Parts::Ties ties) {
        if (listed_enough()) return false;
        Parts parts(p_, reads_, answer_.observables, filter_, ties);
        if (parts.all().size() < 2) return true;
        parts.learn(answer_.outcomes);
        if (!multiply(parts)) return true;
        for (const Parts::Part& part : parts.all()) {
            if (!list_part(parts, part)) return false;
        }
        if (!multiply(parts)) return true;
        answer_.complete = !listed_enough();
        return false;
    }

    // All that a part shows in any outcome; whether that was found out and more outcomes are wanted.
    bool list_part(Parts& parts, const Parts::Part& part) {
        const Lit enumerating = backend_.fresh();
        std::set<std::vector<uint64_t>> left_out;
        for (;;) {
            for (const auto& [values, outcome] : part.shown) {
                if (!left_out.insert(values).second) continue;
                std::vector<Lit> other{-enumerating};
                for (size_t i = 0; i < values.size(); ++i)
                    other.push_back(encoding_->differs(answer_.observables[part.observables[i]].value, values[i]));
                backend_.clause(other);
            }
            if (listed_enough()) return false;
            const Backend::Result result = check_outcome({encoding_->terminates(), passes_, enumerating});
            if (result != Backend::Result::sat) return result == Backend::Result::unsat;
            keep(read_outcome());
            parts.learn(answer_.outcomes);
        }
    }

    // Puts an execution together and gives its outcome; nothing where it is not consistent. Its sources were judged by the model as it was
    // given. This one is judged by `encoded_`, which holds on the same executions and is smaller (specialise.h).
    std::optional<Outcome> joined(const Parts& parts, const std::vector<size_t>& sources) {
        std::vector<size_t> last;
        std::optional<Execution> x = parts.joined(answer_.outcomes, sources, last);
        if (!x || !Evaluation(encoded_, *x, &bases_).consistent()) return std::nullopt;
        return outcome_of(std::move(*x), std::move(last));
    }

    // Lists each member of the product of what the parts have shown, as many as are wanted; no where one has no execution.
    bool multiply(const Parts& parts) {
        const Stopwatch watch(answer_.timing.check);
        std::set<std::vector<uint64_t>> known;
        for (const Outcome& outcome : answer_.outcomes) known.insert(outcome.values);
        bool apart = true;
        parts.each_member([&](const std::vector<size_t>& sources, const std::vector<uint64_t>& values) {
            if (known.count(values) > 0) return true;
            if (listed_enough()) return false;
            std::optional<Outcome> outcome = joined(parts, sources);
            apart = outcome && outcome->values == values;
            if (apart) joined_.push_back(answer_.outcomes.size());
            if (apart) note(std::move(*outcome));
            return apart;
        });
        if (apart) return true;
        for (const size_t i : joined_) leave_out(answer_.outcomes[i]);
        joined_.clear();
        return false;
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
    Symmetry symmetry_;
    std::vector<size_t> joined_;  // outcomes that were put together, and that the enumeration may still find
    Relation reads_;              // which read may read from which write
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
