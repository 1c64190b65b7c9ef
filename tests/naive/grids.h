// Which grids wait for which, given what every thread does (model/semantics.md section 7).
#pragma once

#include <map>
#include <set>
#include <vector>

#include "trace.h"

namespace litmus::naive {

class GridEdges {
public:
    GridEdges(const Test& test, const std::vector<const Trace*>& traces);

    // Whether just those threads began, and got past a griddepcontrol.wait, that could.
    bool possible() const;

    // Grids that have completed when one begins, and when one of its threads has waited.
    std::set<int> over_at_start(int grid) const;
    std::set<int> over_at_wait(int grid) const;
    // These, and all on which they depend in any way.
    std::set<int> with_ancestors(std::set<int> grids) const;
    // Those on which it depends programmatically.
    const std::set<int>& programmatic(int grid) const { return programmatic_.at(grid); }
    // Whether there are such, and no thread of them triggers.
    bool none_triggers(int grid) const;

    // Each way for one thread of each CTA that triggers to be the first there: by CTA, the thread.
    std::vector<std::map<int, int>> orders() const;

private:
    int grid(size_t thread) const;
    bool is_over(int grid) const;
    bool are_over(const std::set<int>& grids) const;
    bool may_begin(int grid) const;

    const Test& test_;
    const std::vector<const Trace*>& traces_;
    std::map<int, std::set<int>> after_, programmatic_;
};

}  // namespace litmus::naive
