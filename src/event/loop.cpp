// Loops: which instructions are one, and how often it is executed.
//
// A backward branch makes the instructions between its target and itself a loop region. A region is first tried as an await
// (await.cpp). If it is none it is unrolled: executed again with the states that came back to its start, up to the unroll
// bound; nested regions recurse. Where constants decide that a loop goes on (it counts), the iteration does not use up the
// bound: such loops end as written.
//
// Loops within loops are executed as often as the product of their bounds says. What stops them are limits of all events
// (`max_events` in instructions.cpp) and of all instructions executed (`most_steps` in control.cpp).
#include <algorithm>

#include "event/builder.h"
#include "ptx/traits.h"

namespace litmus {

using Kind = Traits::Kind;

namespace {

constexpr int most_decided = 1024;  // iterations of one loop that do not count against the unroll bound

}  // namespace

std::vector<Builder::Region> Builder::find_regions() const {
    std::vector<Region> regions;
    const auto& body = thread().body;
    for (size_t i = 0; i < body.size(); ++i) {
        if (kind(body[i].op) != Kind::branch) continue;
        const size_t target = label_target(body[i].at(Role::label));
        if (target <= i) regions.push_back({target, i});
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < regions.size() && !changed; ++i) {
            for (size_t j = 0; j < regions.size() && !changed; ++j) {
                if (i == j) continue;
                Region& a = regions[i];
                const Region& b = regions[j];
                const bool crossing = a.first < b.first && b.first <= a.last && a.last < b.last;
                const bool same = a.first == b.first && a.last == b.last;
                if (!same && !crossing) continue;
                a.last = std::max(a.last, b.last);
                regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(j));
                changed = true;
            }
        }
    }
    return regions;
}

void Builder::loop(const Region& region, Pending& pending) {
    const Pending outer_back = std::exchange(back_edges_, {});
    const Turns outer_turns = turns_;
    Pending inside;
    for (auto it = pending.lower_bound(region.first); it != pending.end() && it->first <= region.last;) {
        inside.insert(pending.extract(it++));
    }
    if (inside.empty()) {
        back_edges_ = outer_back;
        return;
    }
    Pending exits;
    if (!await(region, inside, exits)) unroll(region, std::move(inside), exits);
    back_edges_ = outer_back;
    turns_ = outer_turns;
    // a jump from here to before the region is a back edge of an enclosing one
    for (const auto& [at, state] : exits) arrive(at < region.first ? back_edges_ : pending, at, state);
}

void Builder::unroll(const Region& region, Pending inside, Pending& exits) {
    const int outer_iteration = iteration_;
    for (int k = 0, decided = 0; k < options_.unroll && !inside.empty();) {
        const Pending entry = inside;
        back_edges_.clear();
        turns_ = {};
        iteration_ = ++draft_.thread.iterations;
        run(region.first, region.last + 1, &region, inside);
        for (auto& [at, state] : inside) arrive(exits, at, state);
        inside = std::exchange(back_edges_, {});
        const bool known = is_decided(entry, inside) && decided < most_decided;
        ++(known ? decided : k);
    }
    iteration_ = outer_iteration;
    for (const auto& [at, state] : inside) draft_.bounds.push_back(state.guard);
}

// Whether this was the iteration of a loop that counts: constants alone decided that it goes on, and some register changed.
bool Builder::is_decided(const Pending& entry, const Pending& next) const {
    if (!turns_.decided || turns_.open || entry.size() != 1 || next.size() != 1) return false;
    const State &a = entry.begin()->second, &b = next.begin()->second;
    return std::any_of(b.registers.begin(), b.registers.end(), [&](const auto& r) {
        const auto before = a.registers.find(r.first);
        return exprs_.is_constant(r.second.value) && (before == a.registers.end() || before->second.value != r.second.value);
    });
}

}  // namespace litmus
