// Loops: which instructions are one, and how often it is executed.
//
// A backward branch makes the instructions between its target and itself a loop region. A region is first tried as an await
// (await.cpp). If it is none it is unrolled: executed again with the states that came back to its start, up to the unroll
// bound; nested regions recurse. Where constants decide that a loop goes on (it counts), the iteration does not use up the
// bound: such loops end as written, also those that a value read from memory may end before (a few attempts, then something else).
// A loop that goes on as long as requests for clusters succeed ends, too, where the test says how many
// there are: the bound is no less than that takes. Nor is it less than the test's own (`unroll`).
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
constexpr int most_attempts = 16;   // likewise, of a loop that something else may end before its counter does

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
    Pending entry;
    Draft before;
    // who asks for clusters asks until there is none
    const int bound = std::max({options_.unroll, test_.unroll.value_or(1), test_.unlaunched.value_or(0) + 1});
    for (int k = 0, decided = 0; k < bound && !inside.empty();) {
        entry = inside;
        if (k + 1 == bound) before = draft_;
        back_edges_.clear();
        turns_ = {};
        iteration_ = ++draft_.thread.iterations;
        run(region.first, region.last + 1, &region, inside);
        for (auto& [at, state] : inside) arrive(exits, at, state);
        inside = std::exchange(back_edges_, {});
        const bool known = is_decided(entry, inside) && decided < (turns_.may_leave ? most_attempts : most_decided);
        ++(known ? decided : k);
    }
    iteration_ = outer_iteration;
    const bool one = entry.size() == 1 && inside.size() == 1 && entry.begin()->first == inside.begin()->first;
    if (one && options_.blocked)
        cut(region, before, entry.begin()->second, inside.begin()->second);
    else
        for (const auto& [at, state] : inside) note_cut(region, state.guard);
}

void Builder::note_cut(const Region& region, ExprId when) {
    draft_.bounds.push_back({when, thread_, static_cast<int>(region.last)});
}

// Threads are scheduled fairly, and what is written becomes visible in the end. So a loop runs for ever if the last iteration, with
// each read having the final value of its location, leaves the registers that matter and memory as they are, and comes back to
// its start. A choice says that the thread stays there; otherwise the execution counts as cut. Iterations in which threads
// meet, wait, or issue asynchronous operations are not looked at.
void Builder::cut(const Region& region, const Draft& before, const State& entry, const State& next) {
    const size_t first = before.events.size();
    const auto plain = [](const Event& e) {
        return e.kind == Event::Kind::read || e.kind == Event::Kind::write || e.kind == Event::Kind::fence || e.kind == Event::Kind::init;
    };
    // each trap brings a constraint and a choice, and who comes to it does not come back to the start
    const size_t traps = draft_.traps.size() - before.traps.size();
    bool looked_at =
        draft_.diverted.size() == before.diverted.size() + traps && draft_.constraints.size() == before.constraints.size() + traps;
    for (size_t i = first; i < draft_.events.size(); ++i) looked_at = looked_at && plain(draft_.events[i]);
    if (!looked_at) {
        note_cut(region, next.guard);
        return;
    }
    const uint32_t stays = draft_.choices;
    const ExprId stay = divert();
    const auto finally = [&](ExprId e) { return at_end(e, stays, first); };
    const auto same = [&](ExprId a, ExprId b) {
        return exprs_.compare(Operator::eq, Type::u64, exprs_.resize(a, 64, false), exprs_.resize(b, 64, false));
    };
    ExprId again = finally(next.guard);
    const RegisterNames matter = live_registers(thread(), {})[region.first];  // who stays there has no outcome
    for (const std::string& name : matter)
        again =
            exprs_.both(again, same(read_register(exprs_, entry, name, Type::u64), finally(read_register(exprs_, next, name, Type::u64))));
    for (size_t i = first; i < draft_.events.size(); ++i) {
        const Event& e = draft_.events[i];
        if (e.kind != Event::Kind::write) continue;
        const ExprId left = exprs_.final_value(static_cast<uint32_t>(e.cell), exprs_[e.value].bits);
        again = exprs_.both(again, exprs_.either(exprs_.negate(finally(e.guard)), same(finally(e.value), left)));
    }
    again = is_unknown(again) ? ExprPool::no : whenever(again, before.unknown);
    note_cut(region, exprs_.both(next.guard, exprs_.negate(stay)));
    draft_.blocked.push_back({thread_, static_cast<int>(region.last), exprs_.both(next.guard, stay), again});
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
