// The queries for what semantics.md section 9 reports beside outcomes.
//
// The program is built with blocked threads: each wait carries a choice, to get past it or to stay. An
// execution in which a thread stays counts only if what it waits for does not hold of the final state
// (Blocked::hopeless), so that nothing still to come could release it. Over these executions, one query asks for
// some thread that stays, and one for each flag of the model that stands for undefined behaviour.
#include "solve/hazards.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "cat/evaluate.h"
#include "solve/encode.h"
#include "solve/specialise.h"

namespace litmus {

namespace {

using Clock = std::chrono::steady_clock;

class Search {
public:
    Search(Program& program, const Model& model, double timeout, Backend& backend)
        : p_(program),
          m_(restricted(model, [](const Constraint& c) { return !c.flag || is_hazard(c); })),
          timeout_(timeout),
          backend_(backend) {}

    Hazards run() {
        try {
            search();
        } catch (const GaveUp& gave_up) {
            result_.timed_out = result_.timed_out || gave_up.timed_out;
            result_.gave_up = gave_up.reason;
            for (Truth* t : {&result_.undefined, &result_.blocked})
                if (*t == Truth::no) *t = Truth::unknown;
        }
        return std::move(result_);
    }

private:
    void search() {
        if (timeout_ > 0) {
            backend_.reset(start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(timeout_, 1e6))));
        } else {
            backend_.reset();
        }
        const Model encoded = specialised(p_, m_);
        Encoding encoding(p_, encoded, compute_bounds(p_, encoded), backend_);
        encoding.require_model();
        std::vector<Lit> stay;
        for (const Blocked& b : p_.blocked) {
            const Lit when = encoding.condition(b.when);
            stay.push_back(when);
            if (when != always_false) backend_.clause({-when, encoding.condition(b.hopeless)});
        }
        ask(encoding, result_.blocked, some(stay), nullptr);
        for (size_t i = 0; i < m_.constraints.size(); ++i) {
            if (m_.constraints[i].flag) ask(encoding, result_.undefined, encoding.flag(encoded.constraints[i]), &m_.constraints[i]);
        }
    }

    Lit some(const std::vector<Lit>& literals) {
        const Lit any = backend_.fresh();
        std::vector<Lit> clause{-any};
        clause.insert(clause.end(), literals.begin(), literals.end());
        backend_.clause(clause);
        return any;
    }

    void ask(Encoding& encoding, Truth& truth, Lit wanted, const Constraint* flag) {
        if (wanted == always_false) return;
        double left = 0;
        if (timeout_ > 0) left = std::max(timeout_ - std::chrono::duration<double>(Clock::now() - start_).count(), 1e-3);
        const Backend::Result answer = backend_.check({encoding.terminates(), wanted}, left);
        if (answer == Backend::Result::unknown) {
            result_.timed_out = true;
            if (truth == Truth::no) truth = Truth::unknown;
        }
        if (answer != Backend::Result::sat) return;
        truth = Truth::yes;
        result_.found.push_back(read(encoding, flag));
    }

    [[noreturn]] void disagree(const std::string& what) const {
        throw std::logic_error("test \"" + p_.test->name + "\": the two engines disagree: " + what);
    }

    // The execution just found, checked by the concrete engine.
    Hazard read(Encoding& encoding, const Constraint* flag) {
        std::optional<Execution> x = encoding.execution();
        if (!x) disagree("the solver's choice is no candidate execution");
        Evaluation evaluation(m_, *x);
        for (const size_t i : evaluation.failed()) disagree("the solver's execution breaks " + m_.constraints[i].name);
        Hazard hazard;
        const std::map<size_t, size_t> chosen = encoding.final_writes();
        for (size_t cell = 0; cell < p_.cells.size(); ++cell) {
            const auto choice = chosen.find(cell);
            const size_t w = choice == chosen.end() ? final_writes(*x, static_cast<int>(cell)).front() : choice->second;
            hazard.final_values.push_back(x->values[w]);
        }
        for (size_t b = 0; b < p_.blocked.size(); ++b) {
            if (!evaluate(*x, p_.blocked[b].when, hazard.final_values)) continue;
            if (!evaluate(*x, p_.blocked[b].hopeless, hazard.final_values)) disagree("a thread stays although what it awaits holds");
            hazard.stuck.push_back(b);
        }
        if (flag) {
            hazard.flag = flag->name;
            if (!evaluation.holds(*flag)) disagree("the solver's execution does not raise " + flag->name);
            const NodeValue& value = evaluation.value(flag->node);
            if (value.is_set) {
                for (const size_t e : value.set.elements()) hazard.pairs.emplace_back(e, e);
            } else {
                hazard.pairs = value.relation.pairs();
            }
        } else {
            hazard.kind = Hazard::Kind::blocked;
            if (hazard.stuck.empty()) disagree("no thread stays blocked");
        }
        hazard.witness = std::move(*x);
        return hazard;
    }

    Program& p_;
    const Model m_;
    double timeout_;
    Backend& backend_;
    Clock::time_point start_ = Clock::now();
    Hazards result_;
};

}  // namespace

Hazards find_hazards(Program& program, const Model& model, double timeout_seconds, Backend& backend) {
    return Search(program, model, timeout_seconds, backend).run();
}

}  // namespace litmus
