// Names and rotations of cycles.
#include "gen/cycle.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/source.h"

namespace litmus::gen {

namespace {

// Each rotation that ends with an edge between threads. In a cycle without one the last edge leads back to where the thread begins, so
// that it cannot be turned.
std::vector<Cycle> rotations(const Cycle& cycle) {
    const bool threads = std::any_of(cycle.begin(), cycle.end(), [](const Step& step) { return edge_of(step).external(); });
    if (!threads) return {cycle};
    std::vector<Cycle> result;
    Cycle rotated = cycle;
    for (size_t i = 0; i < cycle.size(); ++i) {
        if (edge_of(rotated.back()).external()) result.push_back(rotated);
        std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
    }
    return result;
}

[[noreturn]] void refuse(const std::string& word, const std::string& why, const std::vector<std::string_view>& legal) {
    const std::string close = nearest(word, legal);
    throw Failure(nullptr, {}, "`" + word + "` " + why,
                  close.empty() ? "`litmus gen --list` has all words" : "did you mean `" + close + "`?");
}

// The access of this name that stands before the edge; after the edge before it, where there is one.
size_t access_between(const std::string& name, const Edge* before, const Edge& edge, bool half) {
    const std::vector<Access>& all = vocabulary().accesses;
    std::vector<std::string_view> legal;
    for (size_t a = 0; a < all.size(); ++a) {
        if (!leaves(all[a], edge) || (before != nullptr && !enters(*before, all[a])) || all[a].half.empty() == half) continue;
        if (all[a].name == name) return a;
        legal.push_back(all[a].name);
    }
    if (legal.empty() && before != nullptr) refuse(edge.name, "cannot follow `" + before->name + "`", {});
    refuse(name.empty() ? edge.name : name, "has no place here, before the edge `" + edge.name + "`", legal);
}

}  // namespace

const Access& access_of(const Step& step) {
    return vocabulary().accesses[step.access];
}
const Edge& edge_of(const Step& step) {
    return vocabulary().edges[step.edge];
}

Cycle canonical(const Cycle& cycle) {
    const std::vector<Cycle> all = rotations(cycle);
    return *std::min_element(all.begin(), all.end());
}

std::string name(const Cycle& cycle) {
    std::string text;
    for (const Step& step : cycle) {
        if (!access_of(step).name.empty()) text += (text.empty() ? "" : "+") + access_of(step).name;
        text += (text.empty() ? "" : "+") + edge_of(step).name;
    }
    return text;
}

Cycle parse_cycle(const std::vector<std::string>& words) {
    const Vocabulary& all = vocabulary();
    std::vector<std::string> accesses;
    Cycle cycle;
    std::string access;
    for (const std::string& word : words) {
        const auto edge = std::find_if(all.edges.begin(), all.edges.end(), [&](const Edge& e) { return e.name == word; });
        if (edge != all.edges.end()) {
            cycle.push_back({0, static_cast<size_t>(edge - all.edges.begin())});
            accesses.push_back(access);
            access.clear();
            continue;
        }
        std::vector<std::string_view> legal;
        for (const Edge& e : all.edges) legal.push_back(e.name);
        for (const Access& a : all.accesses) legal.push_back(a.name);
        if (!access.empty() || std::find(legal.begin(), legal.end(), word) == legal.end()) refuse(word, "is no edge", legal);
        access = word;
    }
    if (!access.empty()) refuse(access, "stands before no edge", {});
    if (cycle.size() < 2) throw Failure(nullptr, {}, "a cycle has two edges at least", "such as: PodWW Rfe@gpu PodRR Fre@gpu");
    for (size_t i = 0; i < cycle.size(); ++i) {
        const Edge& before = edge_of(cycle[(i + cycle.size() - 1) % cycle.size()]);
        const bool half = before.kind == Edge::Kind::instruction || edge_of(cycle[i]).kind == Edge::Kind::instruction;
        cycle[i].access = access_between(accesses[i], &before, edge_of(cycle[i]), half);
    }
    return canonical(cycle);
}

std::string shape_name(const Cycle& cycle) {
    for (const Shape& shape : shapes()) {
        if (shape.edges.size() != cycle.size()) continue;
        for (const Cycle& rotated : rotations(cycle))
            for (size_t from = 0; from < cycle.size(); ++from) {
                bool equal = true;
                for (size_t i = 0; i < cycle.size() && equal; ++i)
                    equal = edge_of(rotated[i]).shape == shape.edges[(i + from) % cycle.size()];
                if (equal) return shape.name;
            }
    }
    return {};
}

}  // namespace litmus::gen
