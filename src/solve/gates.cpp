// Circuits by Tseitin's definitions, and acyclicity by vertex elimination.
#include "solve/gates.h"

#include <algorithm>
#include <limits>
#include <set>

namespace litmus {

bool Gates::simplify(Conjunction& literals) const {
    std::sort(literals.begin(), literals.end());
    literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
    literals.erase(std::remove(literals.begin(), literals.end(), always_true), literals.end());
    return std::none_of(literals.begin(), literals.end(),
                        [&](Lit l) { return l == always_false || (l > 0 && std::binary_search(literals.begin(), literals.end(), -l)); });
}

Lit Gates::both(Lit a, Lit b) {
    if (a == always_false || b == always_false || a == -b) return always_false;
    if (a == always_true || a == b) return b;
    if (b == always_true) return a;
    if (a > b) std::swap(a, b);
    const auto [it, fresh] = ands_.try_emplace({a, b}, 0);
    if (!fresh) return it->second;
    const Lit l = backend_.fresh();
    it->second = l;
    backend_.clause({-l, a});
    backend_.clause({-l, b});
    backend_.clause({l, -a, -b});
    return l;
}

// Over positive literals; a sign of an operand is one of the result.
Lit Gates::differ(Lit a, Lit b) {
    if (a == b) return always_false;
    if (a == -b) return always_true;
    const bool flip = (a < 0) != (b < 0);
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    if (a > b) std::swap(a, b);
    if (a == always_true) return flip ? b : -b;
    const auto [it, fresh] = differences_.try_emplace({a, b}, 0);
    if (fresh) {
        const Lit l = it->second = backend_.fresh();
        backend_.clause({-l, a, b});
        backend_.clause({-l, -a, -b});
        backend_.clause({l, -a, b});
        backend_.clause({l, a, -b});
    }
    return flip ? -it->second : it->second;
}

Lit Gates::choose(Lit condition, Lit then, Lit otherwise) {
    if (condition == always_true || then == otherwise) return then;
    if (condition == always_false) return otherwise;
    if (then == -otherwise) return differ(condition, otherwise);
    if (then == always_true || then == condition) return either(condition, otherwise);
    if (then == always_false || then == -condition) return both(-condition, otherwise);
    if (otherwise == always_true || otherwise == -condition) return either(-condition, then);
    if (otherwise == always_false || otherwise == condition) return both(condition, then);
    const Lit l = backend_.fresh();
    backend_.clause({-condition, -then, l});
    backend_.clause({-condition, then, -l});
    backend_.clause({condition, -otherwise, l});
    backend_.clause({condition, otherwise, -l});
    return l;
}

Lit Gates::all(const Conjunction& literals) {
    Lit result = always_true;
    for (const Lit l : literals) result = both(result, l);
    return result;
}

Lit Gates::any(const std::vector<Lit>& literals) {
    std::vector<Conjunction> disjuncts;
    for (const Lit l : literals) disjuncts.push_back({l});
    return define(std::move(disjuncts), {true, true});
}

Lit Gates::define(std::vector<Conjunction> disjuncts, Polarity polarity) {
    std::vector<Conjunction> kept;
    for (Conjunction& c : disjuncts) {
        if (!simplify(c)) continue;
        if (c.empty()) return always_true;
        kept.push_back(std::move(c));
    }
    if (kept.empty()) return always_false;
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    if (kept.size() == 1) {
        if (kept[0].size() == 1) return kept[0][0];
        if (kept[0].size() == 2) return both(kept[0][0], kept[0][1]);
    }
    const Lit l = backend_.fresh();
    std::vector<Lit> down{-l};
    for (const Conjunction& c : kept) {
        if (polarity.up) {
            std::vector<Lit> up{l};
            for (const Lit x : c) up.push_back(-x);
            backend_.clause(up);
        }
        if (polarity.down) down.push_back(all(c));
    }
    if (polarity.down) backend_.clause(down);
    return l;
}

// Pairwise for a few, by a ladder for many: running[i] says that one of the first i is true.
void Gates::at_most_one(const std::vector<Lit>& literals) {
    if (literals.size() <= 6) {
        for (size_t i = 0; i < literals.size(); ++i) {
            for (size_t j = i + 1; j < literals.size(); ++j) backend_.clause({-literals[i], -literals[j]});
        }
        return;
    }
    Lit running = literals[0];
    for (size_t i = 1; i < literals.size(); ++i) {
        backend_.clause({-running, -literals[i]});
        if (i + 1 == literals.size()) break;
        const Lit next = backend_.fresh();
        backend_.clause({-running, next});
        backend_.clause({-literals[i], next});
        running = next;
    }
}

namespace {

// Strongly connected components of the possible edges (Kosaraju's two passes, with explicit stacks).
// Edges between components are on no cycle.
std::vector<size_t> components(size_t size, const std::vector<std::vector<size_t>>& next) {
    std::vector<std::vector<size_t>> previous(size);
    for (size_t u = 0; u < size; ++u) {
        for (const size_t v : next[u]) previous[v].push_back(u);
    }
    std::vector<bool> seen(size);
    std::vector<size_t> order;
    for (size_t root = 0; root < size; ++root) {
        if (seen[root]) continue;
        std::vector<std::pair<size_t, size_t>> stack{{root, 0}};
        seen[root] = true;
        while (!stack.empty()) {
            auto& [u, i] = stack.back();
            if (i == next[u].size()) {
                order.push_back(u);
                stack.pop_back();
                continue;
            }
            const size_t v = next[u][i++];
            if (seen[v]) continue;
            seen[v] = true;
            stack.emplace_back(v, 0);
        }
    }
    std::vector<size_t> component(size, std::numeric_limits<size_t>::max());
    size_t count = 0;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        if (component[*it] != std::numeric_limits<size_t>::max()) continue;
        std::vector<size_t> stack{*it};
        component[*it] = count;
        while (!stack.empty()) {
            const size_t u = stack.back();
            stack.pop_back();
            for (const size_t v : previous[u]) {
                if (component[v] != std::numeric_limits<size_t>::max()) continue;
                component[v] = count;
                stack.push_back(v);
            }
        }
        ++count;
    }
    return component;
}

// A path literal per pair that elimination needs; `owned` ones may be forced true by new clauses,
// others belong to a relation and must not be.
struct Path {
    Lit literal = always_false;
    bool owned = false;
};

}  // namespace

// A tree of mergers, the leaves being the literals.
std::vector<Lit> Gates::count(const std::vector<Lit>& literals) {
    std::vector<std::vector<Lit>> level;
    for (const Lit l : literals) level.emplace_back(1, l);
    while (level.size() > 1) {
        std::vector<std::vector<Lit>> above;
        for (size_t i = 0; i + 1 < level.size(); i += 2) above.push_back(merged(level[i], level[i + 1]));
        if (level.size() % 2 != 0) above.push_back(std::move(level.back()));
        level = std::move(above);
    }
    return level.empty() ? std::vector<Lit>{} : std::move(level.front());
}

// Two numbers in unary, added: if i of the left and j of the right are true, at least i + j are; if no more of either are, no
// more are together.
std::vector<Lit> Gates::merged(const std::vector<Lit>& left, const std::vector<Lit>& right) {
    std::vector<Lit> sum;
    for (size_t n = 0; n < left.size() + right.size(); ++n) sum.push_back(backend_.fresh());
    for (size_t i = 0; i <= left.size(); ++i) {
        for (size_t j = 0; j <= right.size(); ++j) {
            const Lit some_left = i > 0 ? left[i - 1] : always_true, some_right = j > 0 ? right[j - 1] : always_true;
            if (i + j > 0) backend_.clause({-some_left, -some_right, sum[i + j - 1]});
            const Lit more_left = i < left.size() ? left[i] : always_false, more_right = j < right.size() ? right[j] : always_false;
            if (i + j < sum.size()) backend_.clause({more_left, more_right, -sum[i + j]});
        }
    }
    return sum;
}

// Vertex elimination (as in Gaussian elimination on a sparse matrix): taking a node x out, every path
// u -> x -> v through it becomes an edge u -> v, and a pair of edges u -> x, x -> u is a cycle. Nodes
// of fewest neighbours go first, so a sparse graph adds few edges; static edges cost nothing. Before that, what would lead back
// along a path of static edges is taken away.
void Gates::acyclic(size_t size, const Edges& all) {
    Relation fixed(size);
    for (const auto& [pair, literal] : all)
        if (literal == always_true) fixed.add(pair.first, pair.second);
    fixed = transitive_closure(fixed);
    Edges edges;
    std::vector<std::vector<size_t>> next(size);
    for (const auto& [pair, literal] : all) {
        if (literal == always_false) continue;
        if (pair.first == pair.second || fixed.contains(pair.second, pair.first)) {
            backend_.clause({-literal});
            continue;
        }
        edges.emplace_hint(edges.end(), pair, literal);
        next[pair.first].push_back(pair.second);
    }
    const std::vector<size_t> component = components(size, next);
    std::vector<std::map<size_t, Path>> out(size);
    std::vector<std::set<size_t>> in(size);
    for (const auto& [pair, literal] : edges) {
        const auto [u, v] = pair;
        if (component[u] != component[v]) continue;
        out[u][v] = {literal, false};
        in[v].insert(u);
    }
    const auto cost = [&](size_t x) { return in[x].size() * out[x].size(); };
    std::set<std::pair<size_t, size_t>> queue;
    for (size_t x = 0; x < size; ++x) {
        if (!in[x].empty() || !out[x].empty()) queue.insert({cost(x), x});
    }
    const auto update = [&](size_t x, size_t old) {
        queue.erase({old, x});
        queue.insert({cost(x), x});
    };
    while (!queue.empty()) {
        const size_t x = queue.begin()->second;
        queue.erase(queue.begin());
        for (const size_t u : in[x]) {
            const Lit ux = out[u].at(x).literal;
            for (const auto& [v, xv] : out[x]) {
                if (u == v) {
                    backend_.clause({-ux, -xv.literal});
                    continue;
                }
                const size_t cost_u = cost(u), cost_v = cost(v);
                Path& uv = out[u][v];
                if (uv.literal == always_true) continue;
                if (ux == always_true && xv.literal == always_true) {
                    uv = {always_true, true};
                } else if (!uv.owned) {
                    const Lit path = backend_.fresh();
                    if (uv.literal != always_false) backend_.clause({-uv.literal, path});
                    uv = {path, true};
                }
                if (uv.literal != always_true) backend_.clause({-ux, -xv.literal, uv.literal});
                if (in[v].insert(u).second) {
                    update(u, cost_u);
                    update(v, cost_v);
                }
            }
        }
        for (const size_t u : in[x]) {
            const size_t old = cost(u);
            out[u].erase(x);
            update(u, old);
        }
        for (const auto& [v, path] : out[x]) {
            const size_t old = cost(v);
            in[v].erase(x);
            update(v, old);
        }
        in[x].clear();
        out[x].clear();
    }
}

}  // namespace litmus
