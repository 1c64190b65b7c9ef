// The search, its queue of variables, and what it learns.
#include "solve/sat/cdcl.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace litmus {

namespace {

constexpr size_t decisions_between_asking = 256;  // decisions between two looks at `stop`
constexpr size_t conflicts_a_run = 100;           // the unit of restarts
constexpr size_t more_learnt = 1000;              // clauses kept, each time that some were forgotten
constexpr size_t soon = 20;                       // conflicts in which nearly all questions of the library are answered in order
constexpr size_t most_for_first = 10'000;         // conflicts on the way to the first solution, where there is one
constexpr size_t always_kept = 2;                 // levels: learnt clauses of so small a spread stay

// 1 1 2 1 1 2 4 1 1 2 ...: how long the n-th run lasts, from 0 (Luby, Sinclair and Zuckerman 1993).
size_t luby(size_t n) {
    size_t whole = 1, power = 0;  // the shortest beginning of the form 2^k - 1 that has the n-th
    while (whole < n + 1) {
        whole = 2 * whole + 1;
        ++power;
    }
    while (whole - 1 != n) {
        whole /= 2;
        --power;
        n %= whole;
    }
    return size_t{1} << power;
}

}  // namespace

// ---- the queue of variables ---------------------------------------------------------------------

void Cdcl::Queue::put(size_t i, Variable v) {
    heap_[i] = v;
    place_[v] = i;
}

void Cdcl::Queue::up(size_t i) {
    const Variable v = heap_[i];
    while (i > 0 && activity_[heap_[(i - 1) / 2]] < activity_[v]) {
        put(i, heap_[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    put(i, v);
}

void Cdcl::Queue::down(size_t i) {
    const Variable v = heap_[i];
    for (size_t child = 2 * i + 1; child < heap_.size(); child = 2 * i + 1) {
        if (child + 1 < heap_.size() && activity_[heap_[child + 1]] > activity_[heap_[child]]) ++child;
        if (activity_[heap_[child]] <= activity_[v]) break;
        put(i, heap_[child]);
        i = child;
    }
    put(i, v);
}

void Cdcl::Queue::insert(Variable v) {
    if (v >= place_.size()) {
        place_.resize(2 * (size_t{v} + 1), nowhere);
        activity_.resize(2 * (size_t{v} + 1), 0);
    }
    if (place_[v] != nowhere) return;
    heap_.push_back(v);
    up(heap_.size() - 1);
}

Cdcl::Variable Cdcl::Queue::take() {
    const Variable first = heap_.front();
    const Variable last = heap_.back();
    heap_.pop_back();
    place_[first] = nowhere;
    if (heap_.empty()) return first;
    put(0, last);
    down(0);
    return first;
}

void Cdcl::Queue::bump(Variable v) {
    constexpr double too_large = 1e100;
    activity_[v] += step_;
    if (activity_[v] > too_large) {
        for (double& activity : activity_) activity /= too_large;
        step_ /= too_large;
    }
    if (place_[v] != nowhere) up(place_[v]);
}

// ---- clauses and assignments --------------------------------------------------------------------

Cdcl::Cdcl(std::function<bool()> stop) : stop_(std::move(stop)) {}

void Cdcl::try_first(Literal l) {
    know(variable(l));
    queue_.bump(variable(l));
}

void Cdcl::know(Variable v) {
    if (v < known_) return;
    const Variable first = std::exchange(known_, v + 1);
    if (v >= level_.size()) {
        const size_t room = 2 * size_t{known_};
        level_.resize(room, 0);
        reason_.resize(room, no_clause);
        phase_.resize(room, -1);
        seen_.resize(room, 0);
        truth_.resize(2 * room, 0);
        watches_.resize(2 * room);
    }
    for (Variable next = first; next < known_; ++next) queue_.insert(next);
}

Cdcl::Clause Cdcl::store(std::span<const Literal> literals, size_t spread) {
    if (clauses_.size() + literals.size() + header >= no_clause) throw std::length_error("there are too many clauses");
    const auto c = static_cast<Clause>(clauses_.size());
    clauses_.resize(c + header + literals.size());
    clauses_[c] = static_cast<int32_t>(literals.size());
    clauses_[c + 1] = static_cast<int32_t>(spread);
    std::copy(literals.begin(), literals.end(), clauses_.begin() + static_cast<std::ptrdiff_t>(c + header));
    return c;
}

void Cdcl::watch(Clause c) {
    const Literal first = literals(c)[0], second = literals(c)[1];
    watches_[index(first)].push_back({c, second});
    watches_[index(second)].push_back({c, first});
}

void Cdcl::add_clause(std::span<const Literal> literals) {
    added_.assign(literals.begin(), literals.end());
    std::sort(added_.begin(), added_.end(), [](Literal a, Literal b) { return index(a) < index(b); });
    if (!added_.empty()) know(variable(added_.back()));
    added_.erase(std::unique(added_.begin(), added_.end()), added_.end());
    size_t open = 0;  // literals that are left move to the front
    for (Literal& l : added_) {
        if (truth_[index(l)] > 0 || (open > 0 && added_[open - 1] == -l)) return;  // it holds, now and always
        if (truth_[index(l)] == 0) std::swap(added_[open++], l);
    }
    if (!traced_) added_.resize(open);  // the rest is false, and part of the reason for what follows
    const Clause stored = traced_ || open > 1 ? store(added_, 0) : no_clause;
    if (open > 1) return watch(stored);
    if (open == 1) return assign(added_.front(), stored);
    contradictory_ = true;
    trace(stored);
}

void Cdcl::assign(Literal l, Clause reason) {
    const Variable v = variable(l);
    truth_[index(l)] = 1;
    truth_[index(-l)] = -1;
    level_[v] = level();
    reason_[v] = reason;
    trail_.push_back(l);
}

void Cdcl::back_to(size_t level) {
    if (level >= levels_.size()) return;
    const size_t begin = levels_[level];
    for (size_t i = trail_.size(); i-- > begin;) {
        const Literal l = trail_[i];
        truth_[index(l)] = truth_[index(-l)] = 0;
        if (!in_order_) phase_[variable(l)] = l > 0 ? 1 : -1;
        queue_.insert(variable(l));
        next_ = std::min(next_, variable(l));
    }
    trail_.resize(begin);
    levels_.resize(level);
    propagated_ = begin;
}

// Looks at a clause of which a watched literal became false. True where it goes on watching that one: it holds, or
// its other literal is the last (which is then at place 0, for the caller to assign or to find false).
bool Cdcl::visit(Watch& watch, Literal falsified) {
    Literal* const l = literals(watch.clause);
    if (l[0] == falsified) std::swap(l[0], l[1]);
    watch.other = l[0];
    if (truth_[index(l[0])] > 0) return true;
    for (size_t i = 2; i < size(watch.clause); ++i) {
        if (truth_[index(l[i])] < 0) continue;
        std::swap(l[1], l[i]);
        watches_[index(l[1])].push_back(watch);
        return false;
    }
    return true;
}

// Assigns all that follows. Gives a clause that is false, or none.
Cdcl::Clause Cdcl::propagate() {
    while (propagated_ < trail_.size()) {
        const Literal falsified = -trail_[propagated_++];
        std::vector<Watch>& watches = watches_[index(falsified)];
        size_t kept = 0;
        Clause conflict = no_clause;
        for (size_t i = 0; i < watches.size(); ++i) {
            Watch watch = watches[i];
            const bool stays = conflict != no_clause || truth_[index(watch.other)] > 0 || visit(watch, falsified);
            if (!stays) continue;
            watches[kept++] = watch;
            if (conflict != no_clause || truth_[index(watch.other)] > 0) continue;
            if (truth_[index(watch.other)] < 0)
                conflict = watch.clause;
            else
                assign(watch.other, watch.clause);
        }
        watches.resize(kept);
        if (conflict != no_clause) return conflict;
    }
    return no_clause;
}

// ---- learning -----------------------------------------------------------------------------------

// Resolves a false clause with the reasons of its literals, the last assigned first, until one literal of this level is left: that one
// comes first in the result.
std::vector<Cdcl::Literal> Cdcl::resolve(Clause conflict) {
    std::vector<Literal> result(1);
    size_t here = 0;  // literals of this level that are not resolved yet
    size_t next = trail_.size();
    for (Clause c = conflict;;) {
        if (traced_) resolved_.push_back(c);
        const Literal implied = c == conflict ? 0 : trail_[next];
        for (size_t i = 0; i < size(c); ++i) {
            const Literal l = literals(c)[i];
            const Variable v = variable(l);
            if (l == implied || seen_[v] || level_[v] == 0) continue;
            seen_[v] = 1;
            if (!in_order_) queue_.bump(v);
            if (level_[v] == level())
                ++here;
            else
                result.push_back(l);
        }
        do --next;
        while (!seen_[variable(trail_[next])]);
        seen_[variable(trail_[next])] = 0;
        if (--here == 0) break;
        c = reason_[variable(trail_[next])];
    }
    result.front() = -trail_[next];
    return result;
}

// Whether a literal that is to be learnt follows from the others: the clause that implied it has no further ones.
bool Cdcl::is_implied(Literal l) {
    const Clause c = reason_[variable(l)];
    if (c == no_clause) return false;
    for (size_t i = 0; i < size(c); ++i) {
        const Variable v = variable(literals(c)[i]);
        if (v != variable(l) && !seen_[v] && level_[v] > 0) return false;
    }
    if (traced_) resolved_.push_back(c);
    return true;
}

size_t Cdcl::spread(const std::vector<Literal>& literals) {
    ++counts_;
    level_counted_.resize(std::max(level_counted_.size(), level() + 1), 0);
    size_t result = 0;
    for (const Literal l : literals) {
        size_t& counted = level_counted_[level_of(l)];
        if (counted != counts_) ++result;
        counted = counts_;
    }
    return result;
}

void Cdcl::learn(Clause conflict) {
    resolved_.clear();
    const std::vector<Literal> resolved = resolve(conflict);
    std::vector<Literal> learnt{resolved.front()};
    for (size_t i = 1; i < resolved.size(); ++i)
        if (!is_implied(resolved[i])) learnt.push_back(resolved[i]);
    for (const Literal l : resolved) seen_[variable(l)] = 0;
    queue_.decay();
    if (learnt.size() == 1) {
        back_to(0);
        return assign(learnt.front(), traced_ ? store_learnt(learnt, 1) : no_clause);
    }
    // the second watched literal is the one that becomes open last on the way back
    const auto deepest =
        std::max_element(learnt.begin() + 1, learnt.end(), [&](Literal a, Literal b) { return level_of(a) < level_of(b); });
    std::swap(learnt[1], *deepest);
    const size_t how_spread = spread(learnt);
    back_to(level_of(learnt[1]));
    ++learnt_;
    const Clause stored = store_learnt(learnt, how_spread);
    watch(stored);
    assign(learnt.front(), stored);
}

Cdcl::Clause Cdcl::store_learnt(std::span<const Literal> literals, size_t spread) {
    const Clause c = store(literals, spread);
    if (traced_) sources_[c] = resolved_;
    return c;
}

// Collects what a refutation is made of: the clause that cannot hold, the reasons of its literals, and of a learnt clause what it was
// resolved from. There the literals of level 0 were left out, so that their reasons are part of it, too.
void Cdcl::trace(Clause refuted) {
    refutation_ = {};
    if (refuted == no_clause) return;
    std::set<std::pair<Clause, bool>> met;
    std::vector<std::pair<Clause, bool>> open{{refuted, true}};  // true: the reasons of all its literals count
    while (!open.empty()) {
        const auto [c, all] = open.back();
        open.pop_back();
        if (!met.insert({c, all}).second) continue;
        for (size_t i = 0; i < size(c); ++i) {
            const Literal l = literals(c)[i];
            const Clause reason = reason_[variable(l)];
            if (truth_[index(l)] < 0 && reason != no_clause && (all || level_of(l) == 0)) open.emplace_back(reason, true);
        }
        const auto sources = sources_.find(c);
        if (sources == sources_.end()) {
            refutation_.clauses.insert(c);
            continue;
        }
        refutation_.searched = true;
        for (const Clause source : sources->second) open.emplace_back(source, false);
    }
}

// At level 0: half of the learnt clauses go, the most spread and of these the oldest, and all clauses that hold for good.
void Cdcl::forget_clauses() {
    std::vector<int32_t> spreads;
    for (size_t c = 0; c < clauses_.size(); c += header + size(static_cast<Clause>(c)))
        if (clauses_[c + 1] > 0) spreads.push_back(clauses_[c + 1]);
    const auto middle = spreads.begin() + static_cast<ptrdiff_t>(spreads.size() / 2);
    std::nth_element(spreads.begin(), middle, spreads.end());
    const size_t most = std::max<size_t>(always_kept, middle == spreads.end() ? 0 : static_cast<size_t>(*middle));

    std::vector<int32_t> kept;
    learnt_ = 0;
    size_t next = 0;
    for (size_t c = 0; c < clauses_.size(); c = next) {
        const auto begin = clauses_.begin() + static_cast<ptrdiff_t>(c);
        next = c + header + size(static_cast<Clause>(c));
        const auto end = clauses_.begin() + static_cast<ptrdiff_t>(next);
        const auto how_spread = static_cast<size_t>(clauses_[c + 1]);
        if (how_spread > most) continue;
        if (std::any_of(begin + header, end, [&](Literal l) { return truth_[index(l)] > 0; })) continue;
        if (how_spread > 0) ++learnt_;
        kept.insert(kept.end(), begin, end);
    }
    clauses_ = std::move(kept);
    for (std::vector<Watch>& watches : watches_) watches.clear();
    for (const Literal l : trail_) reason_[variable(l)] = no_clause;
    for (size_t c = 0; c < clauses_.size(); c += header + size(static_cast<Clause>(c))) watch(static_cast<Clause>(c));
    most_learnt_ = std::max(most_learnt_, learnt_) + more_learnt;
}

// ---- the search ---------------------------------------------------------------------------------

// The next literal to try, with a level of its own: an assumption, then the most active variable. 0 where every variable has a value.
Cdcl::Literal Cdcl::decide(std::span<const Literal> assumptions, bool& refuted) {
    while (level() < assumptions.size()) {
        const Literal l = assumptions[level()];
        refuted = truth_[index(l)] < 0;
        if (refuted && traced_) trace(reason_[variable(l)]);
        if (refuted) return 0;
        if (truth_[index(l)] == 0) return l;
        levels_.push_back(trail_.size());  // an assumption that holds already
    }
    if (in_order_) {
        while (next_ < known_ && truth_[2 * size_t{next_}] != 0) ++next_;
        return next_ < known_ ? -static_cast<Literal>(next_) : 0;
    }
    while (!queue_.empty()) {
        const Variable v = queue_.take();
        const auto l = static_cast<Literal>(v);
        if (truth_[index(l)] == 0) return phase_[v] > 0 ? l : -l;
    }
    return 0;
}

std::optional<bool> Cdcl::search(std::span<const Literal> assumptions, size_t most_conflicts) {
    size_t runs = 0, left = conflicts_a_run;
    for (;;) {
        const Clause conflict = propagate();
        if (conflict != no_clause) {
            if (level() == 0) {
                contradictory_ = true;
                if (traced_) trace(conflict);
                return false;
            }
            if (most_conflicts-- == 0) return std::nullopt;
            learn(conflict);
            if (left > 0) --left;
            continue;
        }
        if (++steps_ % decisions_between_asking == 0 && stop_()) return std::nullopt;
        if (left == 0 && !in_order_) {
            left = conflicts_a_run * luby(++runs);
            back_to(0);
            if (learnt_ > most_learnt_ && !traced_) forget_clauses();
            continue;
        }
        bool refuted = false;
        const Literal next = decide(assumptions, refuted);
        if (refuted) return false;
        if (next == 0) return true;
        levels_.push_back(trail_.size());
        assign(next, no_clause);
    }
}

std::optional<bool> Cdcl::ask(std::span<const Literal> assumptions, size_t most_conflicts) {
    for (const Literal l : assumptions) know(variable(l));
    if (contradictory_) return false;
    const std::optional<bool> result = search(assumptions, most_conflicts);
    if (result == true) model_ = truth_;
    back_to(0);
    return result;
}

// What was learnt on a way that led nowhere is in the way of a search by activity: it goes.
std::optional<bool> Cdcl::ask_in_order(std::span<const Literal> assumptions, size_t most_conflicts) {
    const size_t clauses = clauses_.size(), learnt = learnt_;
    in_order_ = true;
    next_ = 1;
    const std::optional<bool> result = ask(assumptions, most_conflicts);
    in_order_ = false;
    if (!result) unlearn(clauses, learnt);
    return result;
}

// From now on the clauses that were learnt since then are not looked at.
void Cdcl::unlearn(size_t clauses, size_t learnt) {
    for (std::vector<Watch>& watches : watches_) std::erase_if(watches, [&](const Watch& watch) { return watch.clause >= clauses; });
    if (!traced_) clauses_.resize(clauses);  // otherwise what was found by them is traced to them
    learnt_ = learnt;
}

std::optional<bool> Cdcl::solve(std::span<const Literal> assumptions, size_t most_conflicts) {
    std::optional<bool> result = ask_in_order(assumptions, std::min(soon, most_conflicts));
    if (result) return result;
    result = ask(assumptions, most_conflicts);
    if (result == true) solve_first(assumptions);  // which leaves the model as it is where it finds none
    return result;
}

std::optional<bool> Cdcl::solve_first(std::span<const Literal> assumptions) {
    return ask_in_order(assumptions, most_for_first);
}

bool Cdcl::value(Literal literal) const {
    return index(literal) < model_.size() && model_[index(literal)] > 0;
}

}  // namespace litmus
