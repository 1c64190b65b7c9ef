// Grids: kernels of one test, of which one begins when others have completed, or have let it (ISA 9.7.13.13; PTX 9.4, 8.9.4).
//
// Threads are executed in the order of their grids, so that of each grid that another one depends on it is known whether its threads
// exit, and whether they trigger. Where threads can stay blocked, a thread gets past a griddepcontrol.wait just when all threads exit that
// it waits for. A grid begins when all threads exit of the grids on which it depends. Triggers alone let it begin, and do not make it:
// "There is no guarantee that the dependent will launch before the completion of the current grid" (9.7.13.13). Each of these is a choice
// with a constraint, as at a barrier, and no condition of the events behind it. The reads of others decide it only by way of what they wait
// for
// (`waits`). Nobody is noted as blocked there: it is by those who are.
//
// A test of one grid has none of these events, and no relation of them.
#include <algorithm>

#include "event/builder.h"
#include "event/relations.h"

namespace litmus {

namespace {

const Grid& grid_at(const std::vector<Grid>& grids, const Placement& at) {
    return *std::find_if(grids.begin(), grids.end(), [&](const Grid& g) { return g.number == grid_of(at.cta); });
}

}  // namespace

// ---- events -----------------------------------------------------------------------------------------

bool Builder::has_grids() const {
    return grids_.size() > 1;
}

// Whether all threads of a grid exit.
ExprId Builder::completes(int grid) {
    ExprId all = ExprPool::yes;
    for (size_t t = 0; t < test_.threads.size(); ++t)
        if (grid_of(test_.threads[t].at.cta) == grid) all = exprs_.both(all, exits(t));
    return all;
}

ExprId Builder::exits(size_t thread) const {
    const auto exit = draft_.notes.exits.find(static_cast<int>(thread));
    return exit == draft_.notes.exits.end() ? ExprPool::no : draft_.events[exit->second].guard;
}

// Whether each CTA of a grid triggers, or all of its threads exit.
ExprId Builder::lets_begin(int grid) {
    std::map<int, ExprId> exit, trigger;  // by CTA
    for (size_t t = 0; t < test_.threads.size(); ++t) {
        const int cta = test_.threads[t].at.cta;
        if (grid_of(cta) != grid) continue;
        ExprId& all = exit.emplace(cta, ExprPool::yes).first->second;
        all = exprs_.both(all, exits(t));
    }
    for (const size_t event : draft_.notes.triggers) {
        const Event& e = draft_.events[event];
        ExprId& any = trigger.emplace(test_.threads[static_cast<size_t>(e.thread)].at.cta, ExprPool::no).first->second;
        any = exprs_.either(any, e.guard);
    }
    ExprId all = ExprPool::yes;
    for (const auto& [cta, exited] : exit) {
        const auto triggered = trigger.find(cta);
        all = exprs_.both(all, triggered == trigger.end() ? exited : exprs_.either(exited, triggered->second));
    }
    return all;
}

// The choice that something comes: only when it may, and always when it must.
ExprId Builder::comes(ExprId may, ExprId must) {
    if (!options_.blocked || must == ExprPool::yes) return ExprPool::yes;
    if (may == ExprPool::no) return ExprPool::no;
    const ExprId stays = divert();
    draft_.constraints.push_back(exprs_.either(stays, may));
    draft_.constraints.push_back(exprs_.negate(exprs_.both(stays, must)));
    return exprs_.negate(stays);
}

void Builder::begin_thread(State& state) {
    if (!has_grids()) return;
    const Grid& grid = grid_at(grids_, thread().at);
    const auto [known, fresh] = draft_.notes.begun.try_emplace(grid.number, ExprPool::yes);
    if (fresh) {
        ExprId may = ExprPool::yes;
        for (const int before : grid.after) may = exprs_.both(may, completes(before));
        ExprId must = may;
        for (const int before : grid.programmatic) {
            may = exprs_.both(may, lets_begin(before));
            must = exprs_.both(must, completes(before));
        }
        known->second = comes(may, must);
    }
    state.guard = known->second;
    if (state.guard == ExprPool::no) return;
    Event e;
    e.kind = Event::Kind::grid_start;
    e.guard = state.guard;
    draft_.notes.starts[thread_] = add_event(e);
}

// Only a grid that depends on this one programmatically notices it.
void Builder::trigger_grids(const Context& c, const State& state) {
    const int own = grid_of(thread().at.cta);
    const bool noticed = std::any_of(grids_.begin(), grids_.end(), [&](const Grid& g) {
        return std::find(g.programmatic.begin(), g.programmatic.end(), own) != g.programmatic.end();
    });
    if (!noticed) return;
    Event e = event_of(c, Event::Kind::grid_trigger);
    e.scope = Scope::none;
    const size_t id = add_event(e);
    depend_control(state, id);
    depend("ctrl", c.guard_reads, id);
    draft_.notes.triggers.push_back(id);
}

// The other grids that this one depends on have completed before it began.
void Builder::wait_for_grids(const Context& c, State& state) {
    const std::vector<int> before = has_grids() ? grid_at(grids_, thread().at).programmatic : std::vector<int>{};
    if (before.empty()) return;
    ExprId complete = ExprPool::yes;
    for (const int grid : before) complete = exprs_.both(complete, completes(grid));
    complete = comes(complete, complete);
    Event e = event_of(c, Event::Kind::grid_wait);
    e.scope = Scope::none;
    e.guard = exprs_.both(c.guard, complete);
    const size_t id = add_event(e);
    depend_control(state, id);
    depend("ctrl", c.guard_reads, id);
    draft_.notes.grid_waits.push_back(id);
    state.guard = exprs_.both(state.guard, exprs_.either(exprs_.negate(c.when), complete));
}

// ---- relations --------------------------------------------------------------------------------------

namespace {

// What the edges between grids say, once for all threads.
class GridOrder {
public:
    explicit GridOrder(const std::vector<Grid>& grids) {
        for (const Grid& grid : grids) grids_[grid.number] = &grid;
    }

    // Grids that have completed whenever this one begins: those it is after, and what had completed when they, or those it depends on
    // programmatically, began.
    std::set<int> complete_at_start(int grid) const {
        std::set<int> result;
        for (const int before : grids_.at(grid)->after) result.insert(before), result.merge(complete_at_start(before));
        for (const int before : grids_.at(grid)->programmatic) result.merge(complete_at_start(before));
        return result;
    }
    // Besides, when one of its threads has waited.
    std::set<int> complete_at_wait(int grid) const { return {grids_.at(grid)->programmatic.begin(), grids_.at(grid)->programmatic.end()}; }
    // All on which those depend that have completed, if a grid completes after all that it depends on (reading grids-in-order).
    std::set<int> in_order(const std::set<int>& complete) const {
        std::set<int> result = complete;
        for (const int grid : complete) {
            result.merge(in_order({grids_.at(grid)->after.begin(), grids_.at(grid)->after.end()}));
            result.merge(in_order({grids_.at(grid)->programmatic.begin(), grids_.at(grid)->programmatic.end()}));
        }
        return result;
    }

private:
    std::map<int, const Grid*> grids_;
};

}  // namespace

void Relations::relate_grids() {
    const std::vector<Grid> grids = grids_of(*program_.test);
    if (grids.size() == 1) return;
    const GridOrder order(grids);
    for (const Grid& grid : grids) {
        const std::set<int> at_start = order.complete_at_start(grid.number), at_wait = order.complete_at_wait(grid.number);
        const std::vector<Way> ways = ways_to_begin(grid);
        ExprId untriggered = grid.programmatic.empty() ? ExprPool::no : ExprPool::yes;
        for (const Way& way : ways)
            if (way.trigger) untriggered = program_.exprs.both(untriggered, program_.exprs.negate(program_.events[way.event].guard));
        for (const auto& [thread, start] : notes_.starts) {
            if (grid_at(grids, placement(thread)).number != grid.number) continue;
            relate_completed(at_start, start, "completes-grid", ExprPool::yes);
            relate_completed(order.in_order(at_start), start, "completes-in-order", ExprPool::yes);
            relate_completed({grid.programmatic.begin(), grid.programmatic.end()}, start, "completes-untriggered", untriggered);
            for (const Way& way : ways) {
                if (way.trigger) notes_.pairs.push_back({"begins-grid", way.event, start, way.when});
                begin_after(way.event, start, way.when);
            }
            for (const auto& [before, exit] : notes_.exits)
                if (at_start.count(grid_of(placement(before).cta)) > 0) begin_after(exit, start, ExprPool::yes);
        }
        for (const size_t wait : notes_.grid_waits) {
            if (grid_at(grids, placement(program_.events[wait].thread)).number != grid.number) continue;
            relate_completed(at_wait, wait, "completes-grid", ExprPool::yes);
            relate_completed(order.in_order(at_wait), wait, "completes-in-order", ExprPool::yes);
            for (const auto& [before, exit] : notes_.exits)
                if (at_wait.count(grid_of(placement(before).cta)) > 0) begin_after(exit, wait, ExprPool::yes);
        }
    }
}

const Placement& Relations::placement(int thread) const {
    return program_.test->threads[static_cast<size_t>(thread)].at;
}

// Each event of these grids, asynchronous ones too, is over when `event` comes.
void Relations::relate_completed(const std::set<int>& grids, size_t event, const char* relation, ExprId when) {
    for (size_t e = 0; e < program_.events.size() && when != ExprPool::no; ++e) {
        program_.budget.check();
        const int thread = program_.events[e].thread;
        if (thread >= 0 && grids.count(grid_of(placement(thread).cta)) > 0) notes_.pairs.push_back({relation, e, event, when});
    }
}

// A start, or a wait, and what follows it in its thread come after this.
void Relations::begin_after(size_t event, size_t start, ExprId when) {
    const Event& begins = program_.events[start];
    for (size_t e = start; e < program_.events.size(); ++e) {
        const Event& later = program_.events[e];
        if (later.thread == begins.thread && !later.asynchronous) program_.conditional["waits"].push_back({event, e, when});
    }
}

// What a programmatic dependent of grids waits for: of each of their CTAs the first trigger, or the exits of all threads where none
// triggers. Which of several threads is the first to trigger, the execution chooses.
std::vector<Relations::Way> Relations::ways_to_begin(const Grid& dependent) {
    ExprPool& exprs = program_.exprs;
    std::vector<Way> ways;
    for (const auto& [cta, at] : ctas_of(*program_.test)) {
        if (std::find(dependent.programmatic.begin(), dependent.programmatic.end(), grid_of(cta)) == dependent.programmatic.end()) continue;
        std::map<int, std::vector<size_t>> triggers;  // by thread
        for (const size_t event : notes_.triggers)
            if (placement(program_.events[event].thread).cta == cta) triggers[program_.events[event].thread].push_back(event);
        ExprId some = ExprPool::no, chosen = ExprPool::no;
        for (const auto& [thread, events] : triggers) {
            ExprId before = ExprPool::no;  // the thread has triggered
            const ExprId first = triggers.size() == 1 ? ExprPool::yes : first_to_trigger(thread);
            for (const size_t event : events) {
                const ExprId guard = program_.events[event].guard;
                const ExprId when = exprs.both(first, exprs.negate(before));
                if (exprs.both(when, guard) != ExprPool::no) ways.push_back({event, true, when});
                before = exprs.either(before, guard);
            }
            some = exprs.either(some, before);
            if (first == ExprPool::yes) continue;
            program_.constraints.push_back(exprs.either(exprs.negate(first), before));
            program_.constraints.push_back(exprs.negate(exprs.both(first, chosen)));
            chosen = exprs.either(chosen, first);
        }
        if (triggers.size() > 1) program_.constraints.push_back(exprs.either(exprs.negate(some), chosen));
        for (const auto& [thread, exit] : notes_.exits)
            if (placement(thread).cta == cta && some != ExprPool::yes) ways.push_back({exit, false, exprs.negate(some)});
    }
    return ways;
}

// All dependents of a grid see one order.
ExprId Relations::first_to_trigger(int thread) {
    const auto [known, fresh] = first_to_trigger_.try_emplace(thread, 0);
    if (fresh) known->second = program_.exprs.choice(program_.choices++);
    return known->second;
}

}  // namespace litmus
