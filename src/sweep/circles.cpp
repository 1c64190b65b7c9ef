// Places that lead to each other are one component; an edge within one is on a circle.
#include "sweep/circles.h"

#include <vector>

namespace litmus::sweep {

void Circles::add(const Memory& read, const Memory& written, bool acquires, bool releases, const kernel::Statement* read_by) {
    Edge& edge = edges_[read].try_emplace(written, Edge{true, true, read_by}).first->second;
    if ((edge.acquires && !acquires) || (edge.releases && !releases)) edge.read_by = read_by;
    edge.acquires = edge.acquires && acquires;
    edge.releases = edge.releases && releases;
}

void Circles::add(const Circles& other) {
    for (const auto& [read, to] : other.edges_)
        for (const auto& [written, edge] : to) add(read, written, edge.acquires, edge.releases, edge.read_by);
}

const kernel::Statement* Circles::find() const {
    const auto reached_from = [&](const Memory& first) {
        std::set<Memory> reached;
        std::vector<Memory> open{first};
        while (!open.empty()) {
            const Memory place = open.back();
            open.pop_back();
            const auto from = edges_.find(place);
            if (from == edges_.end()) continue;
            for (const auto& [to, edge] : from->second)
                if (reached.insert(to).second) open.push_back(to);
        }
        return reached;
    };
    for (const auto& [first, to] : edges_) {
        std::set<Memory> circle;  // places that lead to this one and back
        for (const Memory& place : reached_from(first))
            if (reached_from(place).contains(first)) circle.insert(place);
        std::map<Memory, const kernel::Statement*> weak;  // places in it where a read is not ordered behind what it finds
        for (const Memory& place : circle)
            for (const auto& [written, edge] : edges_.at(place)) {
                if (!circle.contains(written)) continue;
                if (!edge.acquires) weak.emplace(place, edge.read_by);
                if (!edge.releases) weak.emplace(written, edge.read_by);
            }
        if (circle.size() > 1 && weak.size() > 1) return weak.begin()->second;
    }
    return nullptr;
}

}  // namespace litmus::sweep
