// Happening together, by guards and by what is learnt.
#include "solve/together.h"

#include <algorithm>
#include <map>

namespace litmus {

namespace {

std::vector<ExprId> conjuncts(const ExprPool& pool, ExprId root) {
    std::vector<ExprId> result, open{root};
    while (!open.empty()) {
        const ExprId e = open.back();
        open.pop_back();
        if (pool[e].op == Expr::Op::and_) {
            open.push_back(pool[e].a);
            open.push_back(pool[e].b);
        } else if (e != ExprPool::yes) {
            result.push_back(e);
        }
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

}  // namespace

Together::Together(const Program& program) : budget_(program.budget), with_(program.size()) {
    std::map<ExprId, std::vector<size_t>> events;
    for (size_t e = 0; e < program.size(); ++e) events[program.events[e].guard].push_back(e);
    all_ = events.size() <= 1 && events.count(ExprPool::yes) == events.size();
    if (all_) return;
    std::map<ExprId, std::vector<ExprId>> parts;
    for (const auto& [guard, of_guard] : events) parts[guard] = conjuncts(program.exprs, guard);
    for (const auto& [a, of_a] : events)
        for (const auto& [b, of_b] : events) {
            budget_.check();
            const std::vector<ExprId>&has = parts[a], &needs = parts[b];
            if (!std::includes(has.begin(), has.end(), needs.begin(), needs.end())) continue;
            for (const size_t e : of_a)
                for (const size_t f : of_b) with_.add(e, f);
        }
    back_ = with_.inverse();
}

void Together::close() {
    if (all_) return;
    with_ = transitive_closure(std::move(with_));
    back_ = with_.inverse();
}

// The event in the middle happens where the first one does, or where the last one does.
Relation Together::sequence(const Relation& a, const Relation& b) const {
    if (all_) return litmus::sequence(a, b);
    return litmus::sequence(a & with_, b) | litmus::sequence(a, b & back_);
}

Relation Together::closure(const Relation& r) const {
    if (all_) return transitive_closure(r);
    Relation result = r;
    for (;;) {
        budget_.check();
        Relation next = result | sequence(result, result);
        if (next == result) return result;
        result = std::move(next);
    }
}

// Only what has a new pair in it, or goes through an event that is newly known to happen, is composed: there is little of it each time.
void Together::close(Closed& closed, const Relation& more) const {
    const size_t n = with_.size();
    if (closed.pairs.size() != n) closed = {Relation(n), Relation(n)};
    Relation& pairs = closed.pairs;
    const auto to = [&](const Relation& r, const EventSet& set) { return r & Relation::product(EventSet::all(n), set); };
    Relation fresh = more - pairs;
    pairs |= fresh;
    if (!all_) {
        const Relation newly = with_ - closed.with;
        fresh |= (litmus::sequence(pairs & newly, pairs) | litmus::sequence(to(pairs, newly.range()), pairs & newly.inverse())) - pairs;
        pairs |= fresh;
        closed.with = with_;
    }
    while (!fresh.empty()) {
        budget_.check();
        const Relation next = sequence(fresh, pairs) | sequence(to(pairs, fresh.domain()), fresh);
        fresh = next - pairs;
        pairs |= fresh;
    }
}

}  // namespace litmus
