// Executions drawn by hand: threads, events in program order, and the rf, co and sc wanted.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cat/evaluate.h"

namespace litmus {

class Sketch {
public:
    Sketch() = default;
    Sketch(const Sketch&) = delete;  // the execution points into it
    Sketch& operator=(const Sketch&) = delete;

    // The following events belong to a new thread in this place.
    void thread(int cta = 0, int cluster = 0, int gpu = 0) {
        Thread thread;
        thread.name = "P" + std::to_string(test_.threads.size());
        thread.at.gpu = gpu;
        thread.at.cluster = cluster;
        thread.at.cta = cta;
        test_.threads.push_back(thread);
    }

    // Locations are numbers; each gets its initial write when first named. `alias` is another virtual
    // address of the location, `proxy` the way an access goes.
    size_t write(int cell, Sem sem = Sem::weak, Scope scope = Scope::none) { return access(Event::Kind::write, cell, sem, scope); }
    size_t read(int cell, Sem sem = Sem::weak, Scope scope = Scope::none) { return access(Event::Kind::read, cell, sem, scope); }
    size_t through(size_t event, Proxy proxy) { return program_.events[event].proxy = proxy, event; }
    size_t alias(size_t event) { return program_.events[event].address += 100, event; }
    size_t init(int cell) {
        for (size_t e = 0; e < program_.size(); ++e) {
            if (program_.events[e].kind == Event::Kind::init && program_.events[e].cell == cell) return e;
        }
        Event event;
        event.cell = event.address = cell;
        program_.events.push_back(event);
        if (program_.cells.size() <= static_cast<size_t>(cell)) program_.cells.resize(static_cast<size_t>(cell) + 1);
        return program_.size() - 1;
    }

    // An atomic: its read; the write is the next event.
    size_t atomic(int cell, Sem read_sem, Sem write_sem, Scope scope, bool reduction = false) {
        const size_t r = read(cell, read_sem, scope), w = write(cell, write_sem, scope);
        program_.events[r].reduction = reduction;
        program_.events[r].partner = static_cast<int>(w);
        program_.events[w].partner = static_cast<int>(r);
        relate("rmw", r, w);
        return r;
    }

    size_t fence(Sem sem, Scope scope) { return plain(Event::Kind::fence, sem, scope); }
    size_t proxy_fence(Proxy proxy) { return through(plain(Event::Kind::proxy_fence, Sem::weak, Scope::none), proxy); }
    size_t alias_fence() {
        const size_t e = plain(Event::Kind::proxy_fence, Sem::weak, Scope::none);
        program_.events[e].alias_fence = true;
        return e;
    }
    size_t barrier(Sem sem = Sem::weak, Scope scope = Scope::none) { return plain(Event::Kind::barrier, sem, scope); }

    void relate(const std::string& name, size_t from, size_t to) { pairs_[name].emplace_back(from, to); }
    // `by` waits at its barrier for the arrival `from`; `name` is syncbar or clusterbar.
    void meet(const std::string& name, size_t from, size_t by) {
        relate(name, from, by);
        met_.emplace_back(from, by);
    }
    void rf(size_t from, size_t to) { relate("rf", from, to); }
    void co(size_t from, size_t to) { relate("co", from, to); }
    void sc(size_t from, size_t to) { relate("sc", from, to); }

    const Execution& execution() {
        const size_t n = program_.size();
        program_.test = &test_;
        for (size_t a = 0; a < n; ++a) {
            for (size_t b = a + 1; b < n; ++b) {
                const Event &x = program_.events[a], &y = program_.events[b];
                if (x.thread == y.thread && x.thread >= 0) relate("po", a, b);
            }
            for (size_t b = 0; b < n; ++b) {
                const Event &x = program_.events[a], &y = program_.events[b];
                if (x.kind == Event::Kind::init && y.kind == Event::Kind::write && x.cell == y.cell) relate("co", a, b);
            }
        }
        for (const auto& [from, by] : met_) {
            for (size_t later = by + 1; later < n; ++later) {
                if (program_.events[later].thread == program_.events[by].thread) relate("waits", from, later);
            }
        }
        for (const char* name : {"po", "rmw", "addr", "data", "ctrl"}) program_.relations[name] = relation(name);
        for (const auto& [name, pairs] : pairs_) program_.relations[name] = relation(name);
        execution_.program = &program_;
        execution_.executed = EventSet::all(n);
        execution_.values.assign(n, 0);
        execution_.rf = relation("rf");
        execution_.co = transitive_closure(relation("co"));
        execution_.sc = transitive_closure(relation("sc"));
        return execution_;
    }

private:
    int current() const { return static_cast<int>(test_.threads.size()) - 1; }

    size_t access(Event::Kind kind, int cell, Sem sem, Scope scope) {
        init(cell);
        const size_t e = plain(kind, sem, scope);
        program_.events[e].cell = program_.events[e].address = cell;
        return e;
    }

    size_t plain(Event::Kind kind, Sem sem, Scope scope) {
        Event event;
        event.kind = kind;
        event.thread = current();
        event.sem = sem;
        event.scope = scope;
        program_.events.push_back(event);
        return program_.size() - 1;
    }

    Relation relation(const std::string& name) {
        Relation r(program_.size());
        for (const auto& [from, to] : pairs_[name]) r.add(from, to);
        return r;
    }

    Test test_;
    Program program_;
    Execution execution_;
    std::map<std::string, std::vector<Relation::Pair>> pairs_;
    std::vector<Relation::Pair> met_;
};

// The names of the given constraints, in the model's order, separated by blanks.
inline std::string names(const Model& model, const std::vector<size_t>& constraints) {
    std::string result;
    for (const size_t i : constraints) result += (result.empty() ? "" : " ") + model.constraints[i].name;
    return result;
}

// The axioms that fail.
inline std::string broken(const Model& model, const Execution& execution) {
    return names(model, Evaluation(model, execution).failed());
}

// The flags that are raised.
inline std::string raised(const Model& model, const Execution& execution) {
    return names(model, Evaluation(model, execution).raised());
}

}  // namespace litmus
