// Parts are the connected components of events, cells and choices under the ties.
#include "solve/parts.h"

#include <algorithm>
#include <numeric>

namespace litmus {

namespace {

// Which events, cells and choices are in one component.
class Components {
public:
    explicit Components(const Program& program) : program_(program), parents_(program.size() + program.cells.size() + program.choices) {
        std::iota(parents_.begin(), parents_.end(), size_t{0});
    }

    size_t cell(size_t c) const { return program_.size() + c; }
    size_t choice(size_t c) const { return program_.size() + program_.cells.size() + c; }

    size_t root(size_t node) const {
        while (parents_[node] != node) node = parents_[node];
        return node;
    }

    void tie(size_t a, size_t b) { parents_[root(a)] = root(b); }
    void tie(const Relation& pairs) {
        for (const auto& [a, b] : pairs.pairs()) tie(a, b);
    }
    // All that the expression depends on; gives one of these, nothing of a constant.
    std::optional<size_t> tie_leaves(ExprId e) {
        std::optional<size_t> one;
        for_each_leaf(program_.exprs, e, [&](const Expr& leaf) {
            const size_t node = leaf.op == Expr::Op::choice        ? choice(leaf.index)
                                : leaf.op == Expr::Op::final_value ? cell(leaf.index)
                                                                   : leaf.index;
            if (one) tie(*one, node);
            one = node;
        });
        return one;
    }
    void tie(size_t node, ExprId e) {
        if (const auto leaf = tie_leaves(e)) tie(node, *leaf);
    }

private:
    const Program& program_;
    std::vector<size_t> parents_;
};

void tie_values(Components& components, const Program& p, const Relation& reads, ExprId filter) {
    components.tie(reads);
    components.tie(base_bounds(p, "sc").may);
    for (size_t e = 0; e < p.size(); ++e) {
        const Event& event = p.events[e];
        components.tie(e, event.guard);
        if (event.is_write()) components.tie(e, event.value);
        if (event.cell >= 0) components.tie(e, components.cell(static_cast<size_t>(event.cell)));
    }
    for (const auto& [e, value] : p.results) components.tie(e, value);
    for (const ExprId constraint : p.constraints) components.tie_leaves(constraint);
    for (const Bound& bound : p.bounds) components.tie_leaves(bound.cut);
    components.tie_leaves(filter);
}

void tie_program(Components& components, const Program& p) {
    for (const auto& [name, pairs] : p.relations) components.tie(pairs);
    for (const auto& [name, pairs] : p.conditional) {
        for (const ConditionalPair& c : pairs) {
            components.tie(c.from, c.to);
            components.tie(c.from, c.when);
        }
    }
}

}  // namespace

Parts::Parts(const Program& program, const Relation& reads, const std::vector<Observable>& observables, ExprId filter, Ties ties)
    : program_(program), observables_(observables.size()) {
    Components components(program);
    tie_values(components, program, reads, filter);
    if (ties == Ties::program) tie_program(components, program);
    std::vector<std::optional<size_t>> leaves;
    for (const Observable& o : observables) leaves.push_back(components.tie_leaves(o.value));
    std::map<size_t, size_t> numbers;  // of parts, by the root of their component
    for (const auto& leaf : leaves)
        if (leaf) numbers.emplace(components.root(*leaf), numbers.size());
    parts_.resize(std::max<size_t>(numbers.size(), 1));
    const auto part_of = [&](size_t node) -> Part& {
        const auto number = numbers.find(components.root(node));
        return parts_[number == numbers.end() ? 0 : number->second];
    };
    for (Part& part : parts_) part.events = EventSet(program.size());
    for (size_t i = 0; i < leaves.size(); ++i) (leaves[i] ? part_of(*leaves[i]) : parts_[0]).observables.push_back(i);
    for (size_t e = 0; e < program.size(); ++e) part_of(e).events.add(e);
    for (size_t c = 0; c < program.cells.size(); ++c) part_of(components.cell(c)).cells.push_back(c);
    for (uint32_t c = 0; c < program.choices; ++c) part_of(components.choice(c)).choices.push_back(c);
    for (Part& part : parts_) part.within = Relation::product(part.events, part.events);
}

void Parts::learn(const std::vector<Outcome>& outcomes) {
    for (; learnt_ < outcomes.size(); ++learnt_) {
        for (Part& part : parts_) {
            std::vector<uint64_t> values;
            for (const size_t o : part.observables) values.push_back(outcomes[learnt_].values[o]);
            part.shown.try_emplace(std::move(values), learnt_);
        }
    }
}

void Parts::each_member(const Member& member) const {
    if (learnt_ == 0) return;
    std::vector<decltype(Part::shown)::const_iterator> at;
    for (const Part& part : parts_) at.push_back(part.shown.begin());
    std::vector<size_t> sources(parts_.size());
    std::vector<uint64_t> values(observables_);
    const auto take = [&](size_t i) {
        sources[i] = at[i]->second;
        for (size_t o = 0; o < parts_[i].observables.size(); ++o) values[parts_[i].observables[o]] = at[i]->first[o];
    };
    for (size_t i = 0; i < parts_.size(); ++i) take(i);
    for (;;) {
        program_.budget.check();
        if (!member(sources, values)) return;
        size_t i = 0;
        for (; i < parts_.size() && ++at[i] == parts_[i].shown.end(); ++i) {
            at[i] = parts_[i].shown.begin();
            take(i);
        }
        if (i == parts_.size()) return;
        take(i);
    }
}

std::optional<Execution> Parts::joined(const std::vector<Outcome>& outcomes, const std::vector<size_t>& sources,
                                       std::vector<size_t>& final_writes) const {
    const size_t n = program_.size();
    EventSet executed(n);
    Relation rf(n), co(n), sc(n);
    std::vector<bool> choices(program_.choices);
    final_writes.resize(program_.cells.size());
    for (size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        const Outcome& source = outcomes[sources[i]];
        executed |= source.witness.executed & part.events;
        rf |= source.witness.rf & part.within;
        co |= source.witness.co & part.within;
        sc |= source.witness.sc & part.within;
        for (const uint32_t c : part.choices) choices[c] = source.witness.choices[c];
        for (const size_t c : part.cells) final_writes[c] = source.final_writes[c];
    }
    std::vector<int> rf_of(n, -1);
    for (const auto& [w, r] : rf.pairs()) rf_of[r] = static_cast<int>(w);
    std::optional<Execution> x = complete(program_, rf_of, choices);
    if (!x || x->executed != executed) return std::nullopt;
    x->co = std::move(co);
    x->sc = std::move(sc);
    return x;
}

}  // namespace litmus
