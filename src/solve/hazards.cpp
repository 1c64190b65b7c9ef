// The queries for what semantics.md section 9 reports beside outcomes.
//
// The program is built with blocked threads: each wait carries a choice, to get past it or to stay. An
// execution in which a thread stays counts only if what it waits for does not hold of the final state
// (Blocked::hopeless), so that nothing still to come could release it. Over these executions, one query asks for
// some thread that stays or some flag of the model that stands for undefined behaviour; each answer takes the
// hazards it shows out of the question.
#include "solve/hazards.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "cat/evaluate.h"
#include "solve/encode.h"
#include "solve/specialise.h"

namespace litmus {

namespace {

class Search {
public:
    Search(Program& program, const Model& model, Backend& backend)
        : p_(program),
          m_(restricted(model, [](const Constraint& c) { return !c.flag || is_hazard(c); })),
          backend_(backend) {}

    Hazards run() {
        try {
            search();
        } catch (const GaveUp& gave_up) {
            result_.gave_up = gave_up.reason;
            leave_rest();
        } catch (const OverBudget& over) {
            (over.is_time() ? result_.timed_out : result_.out_of_memory) = true;
            leave_rest();
        }
        for (auto& [place, hazard] : found_) result_.found.push_back(std::move(hazard));
        return std::move(result_);
    }

private:
    // What is not found yet may be there.
    void leave_rest() {
        for (Truth* t : {&result_.undefined, &result_.blocked})
            if (*t == Truth::no) *t = Truth::unknown;
    }

    void search() {
        backend_.reset(p_.budget);
        const Model encoded = specialised(p_, m_);
        Encoding encoding(p_, encoded, compute_bounds(p_, encoded), backend_);
        encoding.require_model();
        std::vector<Lit> stay;
        for (const Blocked& b : p_.blocked) {
            const Lit when = encoding.condition(b.when);
            stay.push_back(when);
            if (when != always_false) backend_.clause({-when, encoding.condition(b.hopeless)});
        }
        // One query for whatever is not found yet; what the execution shows is taken off, until there is no other.
        std::map<size_t, Lit> left;  // by place: 0 for blocked threads, then the constraints of the model
        left[0] = some(stay);
        for (size_t i = 0; i < m_.constraints.size(); ++i)
            if (m_.constraints[i].flag) left[i + 1] = encoding.flag(encoded.constraints[i]);
        while (check(encoding, left)) {
            const size_t before = found_.size();
            note_all(encoding, left);
            if (found_.size() == before) disagree("the solver's execution shows nothing that was asked for");
            for (const auto& [place, hazard] : found_) left.erase(place);
        }
    }

    Lit some(const std::vector<Lit>& literals) {
        const Lit any = backend_.fresh();
        std::vector<Lit> clause{-any};
        clause.insert(clause.end(), literals.begin(), literals.end());
        backend_.clause(clause);
        return any;
    }

    // Whether some execution shows one of these; what stays unknown is noted.
    bool check(Encoding& encoding, const std::map<size_t, Lit>& wanted) {
        std::vector<Lit> any;
        for (const auto& [place, literal] : wanted)
            if (literal != always_false) any.push_back(literal);
        if (any.empty()) return false;
        const Backend::Result answer = backend_.check({encoding.terminates(), some(any)});
        if (answer == Backend::Result::unknown) {
            result_.timed_out = true;
            leave_rest();
        }
        return answer == Backend::Result::sat;
    }

    [[noreturn]] void disagree(const std::string& what) const {
        throw std::logic_error("test \"" + p_.test->name + "\": the two engines disagree: " + what);
    }

    // What the execution just found shows of what is wanted; the concrete engine checks it.
    void note_all(Encoding& encoding, const std::map<size_t, Lit>& wanted) {
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
        hazard.witness = *x;
        for (const auto& [place, literal] : wanted) {
            if (place == 0 ? hazard.stuck.empty() : !evaluation.holds(m_.constraints[place - 1])) continue;
            Hazard shown = hazard;
            shown.kind = place == 0 ? Hazard::Kind::blocked : Hazard::Kind::undefined;
            if (place > 0) name_flag(shown, m_.constraints[place - 1], evaluation);
            (place == 0 ? result_.blocked : result_.undefined) = Truth::yes;
            found_.emplace(place, std::move(shown));
        }
    }

    static void name_flag(Hazard& hazard, const Constraint& flag, Evaluation& evaluation) {
        hazard.flag = flag.name;
        const NodeValue& value = evaluation.value(flag.node);
        if (value.is_set) {
            for (const size_t e : value.set.elements()) hazard.pairs.emplace_back(e, e);
        } else {
            hazard.pairs = value.relation.pairs();
        }
    }

    Program& p_;
    const Model m_;
    Backend& backend_;
    std::map<size_t, Hazard> found_;  // by place, as in search()
    Hazards result_;
};

}  // namespace

Hazards find_hazards(Program& program, const Model& model, Backend& backend) {
    return Search(program, model, backend).run();
}

}  // namespace litmus
