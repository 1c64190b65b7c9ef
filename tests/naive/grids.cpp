// Grids of a test: what an instruction of griddepcontrol does to its thread, and which threads of all can be where they are.
#include "grids.h"

#include <algorithm>

#include "machine.h"

namespace litmus::naive {

// ---- one thread ----------------------------------------------------------------------------------------

const Grid& Machine::grid() const {
    const int own = grid_of(test_.threads[static_cast<size_t>(thread_)].at.cta);
    return *std::find_if(grids_.begin(), grids_.end(), [own](const Grid& g) { return g.number == own; });
}

// A thread whose grid waits for others may never come to its first instruction.
void Machine::begin() {
    constexpr int start = -4;  // the last number of the StepId
    const bool free = grid().after.empty() && grid().programmatic.empty();
    if (!free && oracle_->choice({0, 0, start}, 2) == 1) {
        trace_.waits_for_grids = true;
        return stay();
    }
    ordinal_ = start;
    Event e;
    e.kind = Event::Kind::grid_start;
    add(e, 0);
}

void Machine::trigger_grids() {
    const int own = grid().number;
    const bool noticed = std::any_of(grids_.begin(), grids_.end(),
                                     [own](const Grid& g) { return std::count(g.programmatic.begin(), g.programmatic.end(), own) > 0; });
    if (!noticed) return;
    Event e = event(Event::Kind::grid_trigger);
    e.scope = Scope::none;
    trace_.triggers.push_back(add(e, 0));
}

void Machine::wait_for_grids() {
    if (grids_.size() == 1 || grid().programmatic.empty()) return;
    if (oracle_->choice({static_cast<int>(pc_), iteration_, -3}, 2) == 1) {
        trace_.waits_for_grids = true;
        return stay();
    }
    Event e = event(Event::Kind::grid_wait);
    e.scope = Scope::none;
    trace_.grid_waits.push_back(add(e, 0));
}

// ---- all threads ---------------------------------------------------------------------------------------

GridEdges::GridEdges(const Test& test, const std::vector<const Trace*>& traces) : test_(test), traces_(traces) {
    for (const Grid& g : grids_of(test)) {
        after_[g.number] = {g.after.begin(), g.after.end()};
        programmatic_[g.number] = {g.programmatic.begin(), g.programmatic.end()};
    }
}

int GridEdges::grid(size_t thread) const {
    return grid_of(test_.threads[thread].at.cta);
}

bool GridEdges::is_over(int grid) const {
    for (size_t t = 0; t < traces_.size(); ++t)
        if (this->grid(t) == grid && traces_[t]->end != Trace::End::ended) return false;
    return true;
}

bool GridEdges::are_over(const std::set<int>& grids) const {
    return std::all_of(grids.begin(), grids.end(), [this](int g) { return is_over(g); });
}

bool GridEdges::may_begin(int grid) const {
    if (!are_over(after_.at(grid))) return false;
    std::map<int, bool> triggers, exits;  // by CTA
    for (size_t t = 0; t < traces_.size(); ++t) {
        if (programmatic_.at(grid).count(this->grid(t)) == 0) continue;
        const int cta = test_.threads[t].at.cta;
        triggers[cta] = triggers[cta] || !traces_[t]->triggers.empty();
        exits.emplace(cta, true).first->second &= traces_[t]->end == Trace::End::ended;
    }
    return std::all_of(exits.begin(), exits.end(), [&](const auto& cta) { return cta.second || triggers[cta.first]; });
}

bool GridEdges::possible() const {
    if (after_.size() == 1) return true;
    for (size_t t = 0; t < traces_.size(); ++t) {
        const Trace& trace = *traces_[t];
        const bool begun = !trace.steps.empty(), over = are_over(programmatic_.at(grid(t)));
        // a grid begins, with all of its threads, where it may; it must where all before are over, and not where these have only triggered
        if (begun ? !may_begin(grid(t)) : over && are_over(after_.at(grid(t)))) return false;
        for (size_t u = 0; u < t; ++u)
            if (grid(u) == grid(t) && begun == traces_[u]->steps.empty()) return false;
        if (begun && trace.waits_for_grids && over) return false;
        if (!trace.grid_waits.empty() && !over) return false;
    }
    return true;
}

// By what a grid needs to begin, from the first grid on.
std::set<int> GridEdges::over_at_start(int grid) const {
    std::map<int, std::set<int>> over;
    for (const auto& [g, after] : after_) {
        for (const int before : after) {
            over[g].insert(before);
            over[g].insert(over[before].begin(), over[before].end());
        }
        for (const int before : programmatic_.at(g)) over[g].insert(over[before].begin(), over[before].end());
    }
    return over[grid];
}

std::set<int> GridEdges::over_at_wait(int grid) const {
    std::set<int> over;
    for (const int before : programmatic_.at(grid)) {
        over.insert(before);
        over.merge(over_at_start(before));
    }
    return over;
}

std::set<int> GridEdges::with_ancestors(std::set<int> grids) const {
    for (auto g = after_.rbegin(); g != after_.rend(); ++g) {  // from the last one: what it depends on has a smaller number
        if (grids.count(g->first) == 0) continue;
        grids.insert(g->second.begin(), g->second.end());
        grids.insert(programmatic_.at(g->first).begin(), programmatic_.at(g->first).end());
    }
    return grids;
}

bool GridEdges::none_triggers(int grid) const {
    if (programmatic_.at(grid).empty()) return false;
    for (size_t t = 0; t < traces_.size(); ++t)
        if (programmatic_.at(grid).count(this->grid(t)) > 0 && !traces_[t]->triggers.empty()) return false;
    return true;
}

std::vector<std::map<int, int>> GridEdges::orders() const {
    std::map<int, std::vector<int>> triggering;  // by CTA
    for (size_t t = 0; t < traces_.size(); ++t)
        if (!traces_[t]->triggers.empty()) triggering[test_.threads[t].at.cta].push_back(static_cast<int>(t));
    std::vector<std::map<int, int>> result{{}};
    for (const auto& [cta, threads] : triggering) {
        std::vector<std::map<int, int>> longer;
        for (const std::map<int, int>& way : result)
            for (const int t : threads) {
                longer.push_back(way);
                longer.back()[cta] = t;
            }
        result = std::move(longer);
    }
    return result;
}

}  // namespace litmus::naive
