// Candidate executions, concretely: values by following rf, base relations, final writes.
#include "event/execution.h"

namespace litmus {

namespace {

// Evaluates expressions under a choice of rf. The value of every event is computed from those of the others, again and again
// until nothing changes. Where values are well founded, each round settles at least one more.
class Valuation {
public:
    Valuation(const Program& program, const std::vector<int>& rf_of, const std::vector<bool>& choices)
        : program_(program), rf_of_(rf_of), choices_(choices), values_(program.size()) {
        for (size_t round = 0; round <= program.size() && !settled_; ++round) {
            settled_ = true;
            for (size_t e = 0; e < program.size(); ++e) {
                const uint64_t value = computed(e);
                settled_ = settled_ && value == values_[e];
                values_[e] = value;
            }
        }
    }

    bool settled() const { return settled_; }

    uint64_t of(ExprId e) const {
        return evaluate(program_.exprs, e, [this](const Expr& leaf) -> uint64_t {
            if (leaf.op == Expr::Op::choice) return choices_[leaf.index] ? 1 : 0;
            return values_[leaf.index];
        });
    }

    // The value an event stores, returns or yields; 0 for a read that reads nothing.
    uint64_t event(size_t e) const { return values_[e]; }

private:
    uint64_t computed(size_t e) const {
        const Event& event_ = program_.events[e];
        if (event_.kind == Event::Kind::read) return rf_of_[e] < 0 ? 0 : values_[static_cast<size_t>(rf_of_[e])];
        if (const auto result = program_.results.find(e); result != program_.results.end()) return of(result->second);
        return event_.is_write() ? of(event_.value) : 0;
    }

    const Program& program_;
    const std::vector<int>& rf_of_;
    const std::vector<bool>& choices_;
    std::vector<uint64_t> values_;
    bool settled_ = false;
};

// rf | values has no cycle: values come from somewhere.
bool well_founded(const Program& program, const std::vector<int>& rf_of, const Valuation& valuation) {
    Relation flow = program.relations.find("values")->second;
    for (const ConditionalPair& c : program.conditional.at("values"))
        if (valuation.of(c.when)) flow.add(c.from, c.to);
    if (flow.empty()) return true;
    for (size_t r = 0; r < rf_of.size(); ++r) {
        if (rf_of[r] >= 0) flow.add(static_cast<size_t>(rf_of[r]), r);
    }
    return flow.acyclic();
}

bool terminates(const Program& program, const std::vector<ConditionalPair>& order, const Valuation& valuation, const EventSet& executed) {
    if (order.empty()) return true;
    program.budget.check();
    Relation waiting(program.size());
    for (const ConditionalPair& c : order) {
        if (executed.contains(c.from) && executed.contains(c.to) && valuation.of(c.when)) waiting.add(c.from, c.to);
    }
    return waiting.acyclic();
}

}  // namespace

std::optional<Execution> complete(const Program& program, const std::vector<int>& rf_of, const std::vector<bool>& choices) {
    const size_t n = program.size();
    const Valuation valuation(program, rf_of, choices);
    if (!valuation.settled() || !well_founded(program, rf_of, valuation)) return std::nullopt;
    Execution x;
    x.program = &program;
    x.executed = EventSet(n);
    x.values = std::vector<uint64_t>(n);
    x.choices = choices;
    x.rf = Relation(n);
    x.co = Relation(n);
    x.sc = Relation(n);
    for (size_t e = 0; e < n; ++e) {
        program.budget.check();
        if (valuation.of(program.events[e].guard)) x.executed.add(e);
    }
    for (size_t e = 0; e < n; ++e) {
        const Event& event = program.events[e];
        const bool happens = x.executed.contains(e);
        if (event.kind == Event::Kind::read) {
            if (happens != (rf_of[e] >= 0)) return std::nullopt;
            if (!happens) continue;
            const auto w = static_cast<size_t>(rf_of[e]);
            if (!x.executed.contains(w)) return std::nullopt;
            x.rf.add(w, e);
        }
        if (happens) x.values[e] = valuation.event(e);
    }
    for (const ExprId constraint : program.constraints) {
        program.budget.check();
        if (!valuation.of(constraint)) return std::nullopt;
    }
    for (const Bound& bound : program.bounds) {
        if (valuation.of(bound.cut)) return std::nullopt;
    }
    if (!terminates(program, waiting_order(program), valuation, x.executed)) return std::nullopt;
    return x;
}

uint64_t evaluate(const Execution& execution, ExprId expr, const std::vector<uint64_t>& final_values) {
    return evaluate(execution.program->exprs, expr, [&](const Expr& leaf) -> uint64_t {
        switch (leaf.op) {
            case Expr::Op::choice:
                return execution.choices[leaf.index] ? 1 : 0;
            case Expr::Op::final_value:
                return final_values[leaf.index];
            default:
                return execution.values[leaf.index];
        }
    });
}

Relation base_relation(const Execution& x, std::string_view name) {
    if (name == "rf") return x.rf;
    if (name == "co") return x.co;
    if (name == "sc" || name == "sync_fence") return x.sc;
    Bounds bounds = base_bounds(*x.program, name);
    Relation result = std::move(bounds.must);
    if (const auto conditional = x.program->conditional.find(name); conditional != x.program->conditional.end()) {
        for (const ConditionalPair& c : conditional->second) {
            if (evaluate(x, c.when, {})) result.add(c.from, c.to);
        }
    }
    return result & Relation::product(x.executed, x.executed);
}

const EventSet& FixedBases::set(std::string_view name) {
    const auto found = sets_.find(name);
    return found != sets_.end() ? found->second : sets_.emplace(name, base_set(program_, name)).first->second;
}

const Bounds& FixedBases::bounds(std::string_view name) {
    const auto found = bounds_.find(name);
    return found != bounds_.end() ? found->second : bounds_.emplace(name, base_bounds(program_, name)).first->second;
}

const Relation* FixedBases::relation(std::string_view name) {
    const bool chosen = name == "rf" || name == "co" || name == "sc" || name == "sync_fence";
    return chosen || program_.conditional.contains(name) ? nullptr : &bounds(name).must;
}

std::vector<size_t> final_writes(const Execution& x, int cell) {
    std::vector<size_t> maximal;
    for (const size_t w : x.executed.elements()) {
        const Event& event = x.program->events[w];
        if (event.is_write() && event.cell == cell && x.co.successors(w).empty()) maximal.push_back(w);
    }
    return maximal;
}

}  // namespace litmus
