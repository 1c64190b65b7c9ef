// Places that lead to each other are one component; an edge within one is on a circle.
#include "sweep/circles.h"

#include <algorithm>
#include <vector>

namespace litmus::sweep {

namespace {

// One more visitor of a place; none: several.
void note(std::map<Memory, std::optional<size_t>>& visitors, const Memory& place, std::optional<size_t> thread) {
    const auto [known, is_first] = visitors.try_emplace(place, thread);
    if (!is_first && known->second != thread) known->second.reset();
}

}  // namespace

void Circles::visit(const Memory& place, size_t thread) {
    note(visitors_, place, thread);
}

bool Circles::is_private(const Memory& place) const {
    const auto known = visitors_.find(place);
    return known != visitors_.end() && known->second;
}

void Circles::add(const Memory& read, const Memory& written, const Edge& now) {
    std::map<Memory, Edge>& from = edges_[read];
    if (count_ == most_edges && !from.contains(written)) {
        too_many_ = now.read_by;
        return;
    }
    const auto [at, fresh] = from.try_emplace(written, now);
    count_ += fresh ? 1 : 0;
    Edge& edge = at->second;
    if ((edge.leads && !now.leads) || (edge.acquires && !now.acquires) || (edge.releases && !now.releases)) edge.read_by = now.read_by;
    edge.waits = edge.waits && now.waits;
    edge.leads = edge.leads && now.leads;
    edge.acquires = edge.acquires && now.acquires;
    edge.releases = edge.releases && now.releases;
}

void Circles::add(const Circles& other) {
    for (const auto& [read, to] : other.edges_)
        for (const auto& [written, edge] : to) add(read, written, edge);
    for (const auto& [place, thread] : other.visitors_) note(visitors_, place, thread);
    if (other.too_many_ != nullptr) too_many_ = other.too_many_;
}

const kernel::Statement* Circles::find(bool exchanged) const {
    if (too_many_ != nullptr) return too_many_;
    const auto reach_of = [&](const Memory& first) {
        std::set<Memory> reach;
        std::vector<Memory> open{first};
        while (!open.empty()) {
            const Memory place = open.back();
            open.pop_back();
            const auto from = edges_.find(place);
            if (from == edges_.end()) continue;
            for (const auto& [to, edge] : from->second)
                if ((exchanged || !is_private(to)) && reach.insert(to).second) open.push_back(to);
        }
        return reach;
    };
    std::map<Memory, std::set<Memory>> reached;
    for (const auto& [place, to] : edges_)
        if (exchanged || !is_private(place)) reached.emplace(place, reach_of(place));
    for (const auto& [first, reach] : reached) {
        std::set<Memory> circle;  // places that lead to this one and back
        for (const Memory& place : reach)
            if (const auto back = reached.find(place); back != reached.end() && back->second.contains(first)) circle.insert(place);
        const auto waits = [&](const Memory& place) {
            return std::all_of(edges_.at(place).begin(), edges_.at(place).end(),
                               [&](const auto& to) { return !circle.contains(to.first) || to.second.waits; });
        };
        if (std::all_of(circle.begin(), circle.end(), waits)) continue;
        std::map<Memory, const kernel::Statement*> weak;  // places in it where a read is not ordered behind what it finds
        for (const Memory& place : circle)
            for (const auto& [written, edge] : edges_.at(place)) {
                if (!circle.contains(written)) continue;
                if (!edge.leads) return edge.read_by;
                if (!edge.acquires) weak.emplace(place, edge.read_by);
                if (!edge.releases) weak.emplace(written, edge.read_by);
            }
        if (circle.size() > 1 && weak.size() > 1) return weak.begin()->second;
    }
    return nullptr;
}

}  // namespace litmus::sweep
