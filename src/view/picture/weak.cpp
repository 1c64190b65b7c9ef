// Whether some order of single steps explains an execution; where none does, a shortest cycle that shows it.
//
// From each event in turn, breadth first: the first time the search comes back, the cycle is a shortest one through that event.
#include <deque>
#include <optional>

#include "view/picture/sketch.h"

namespace litmus::picture {

namespace {

struct Named {
    std::string_view name;
    Relation relation;
};

// One of the relations that leads from one event to the other: the first.
std::string_view name_between(const std::vector<Named>& all, size_t from, size_t to) {
    for (const Named& one : all)
        if (one.relation.contains(from, to)) return one.name;
    return {};
}

// The events of a shortest cycle through `start`; empty: there is none.
std::vector<size_t> cycle_through(const Relation& edges, size_t start) {
    std::vector<std::optional<size_t>> came_from(edges.size());
    std::deque<size_t> queue{start};
    while (!queue.empty()) {
        const size_t e = queue.front();
        queue.pop_front();
        for (const size_t next : edges.successors(e)) {
            if (next == start) {
                std::vector<size_t> cycle{e};
                while (cycle.back() != start) cycle.push_back(*came_from[cycle.back()]);
                return {cycle.rbegin(), cycle.rend()};
            }
            if (came_from[next]) continue;
            came_from[next] = e;
            queue.push_back(next);
        }
    }
    return {};
}

}  // namespace

std::vector<Step> unexplained_cycle(const Drawn& drawn, const Execution& execution) {
    EventSet shown(execution.program->size());
    for (const size_t e : drawn.events) shown.add(e);
    const Relation among = Relation::product(shown, shown);
    const auto base = [&](std::string_view name) { return base_relation(execution, name) & among; };
    const Relation co = transitive_closure(base_relation(execution, "co"));
    const Relation fr = sequence(base_relation(execution, "rf").inverse(), co) & among;
    const std::vector<Named> all{{"po", base("po")},
                                 {"rmw", base("rmw")},
                                 {"rf", base("rf")},
                                 {"co", co & among},
                                 {"fr", fr - Relation::identity(execution.program->size())},
                                 {"iss", base("iss")},
                                 {"aio", base("aio")},
                                 {"grp", base("grp")},
                                 {"grid", base("begins-grid") | base("completes-grid")}};
    Relation edges(execution.program->size());
    for (const Named& one : all) edges |= one.relation;
    std::vector<size_t> shortest;
    for (const size_t e : drawn.events) {
        const std::vector<size_t> cycle = cycle_through(edges, e);
        if (!cycle.empty() && (shortest.empty() || cycle.size() < shortest.size())) shortest = cycle;
    }
    std::vector<Step> steps;
    for (size_t i = 0; i < shortest.size(); ++i) {
        const size_t from = shortest[i], to = shortest[(i + 1) % shortest.size()];
        steps.push_back({from, to, name_between(all, from, to)});
    }
    return steps;
}

}  // namespace litmus::picture
