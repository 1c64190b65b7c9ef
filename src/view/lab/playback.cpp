// The order is found greedily: of the events whose requirements are met, the one that breaks the least is next.
//
// Where program order, communication and coherence together have no cycle, there is always one that breaks nothing: then this is an
// interleaving, and no turn has a note.
#include "view/lab/playback.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace litmus {

namespace {

class Orderer {
public:
    Orderer(const Drawing& drawing, const std::vector<size_t>& final_writes)
        : p_(drawing.program),
          x_(drawing.execution),
          picture_(drawn(drawing)),
          required_(p_.size()),
          done_(p_.size()),
          last_(p_.cells.size(), none) {
        EventSet shown(p_.size());
        for (const size_t e : picture_.events) shown.add(e);
        const auto among = [&](const Relation& r) { return r & Relation::product(shown, shown); };
        const auto base = [&](std::string_view name) { return base_relation(x_, name); };
        rf_ = base("rf");
        co_ = transitive_closure(base("co"));
        for (const size_t last : final_writes)
            for (size_t e = 0; e < p_.size(); ++e)
                if (e != last && x_.executed.contains(e) && p_.events[e].is_write() && p_.events[e].cell == p_.events[last].cell)
                    co_.add(e, last);
        po_ = among(transitive_closure(base("po")));
        fr_ = among(sequence(rf_.inverse(), co_) - Relation::identity(p_.size()));
        for (const char* name : {"rf", "rmw", "iss", "aio", "grp", "syncbar", "clusterbar"}) required_ |= base(name);
        required_ |= value_flow();
        required_ = among(transitive_closure(required_));
        required_ -= required_ & required_.inverse();  // what waits at one barrier lets go of each other
    }

    Playback run() {
        Playback result;
        for (size_t c = 0; c < p_.cells.size(); ++c) result.cells.push_back({p_.cells[c].name, initial(c), p_.cells[c].is_mbarrier});
        std::vector<size_t> left = picture_.events;
        while (!left.empty()) {
            p_.budget.check();
            const auto next = std::min_element(left.begin(), left.end(), [&](size_t a, size_t b) { return cost(a) < cost(b); });
            result.turns.push_back(turn(*next));
            perform(*next);
            left.erase(next);
        }
        return result;
    }

private:
    static constexpr size_t none = ~size_t{0};
    // What is broken when an event comes next: requirements, program order, coherence, reads that would have to come before; then
    // rather the same thread again.
    using Cost = std::tuple<size_t, size_t, size_t, size_t, bool>;

    // From a read to the writes whose value, or existence, rests on it.
    Relation value_flow() const {
        Relation flow = p_.relations.find("values")->second;
        const auto sometimes = p_.conditional.find("values");
        if (sometimes == p_.conditional.end()) return flow;
        for (const ConditionalPair& pair : sometimes->second)
            if (evaluate(x_, pair.when, {}) != 0) flow.add(pair.from, pair.to);
        return flow;
    }

    size_t missing(const Relation& before, size_t e) const {
        const auto open = [&](size_t f) { return f != e && !done_.contains(f) && before.contains(f, e); };
        return static_cast<size_t>(std::count_if(picture_.events.begin(), picture_.events.end(), open));
    }

    Cost cost(size_t e) const {
        return {missing(required_, e), missing(po_, e), missing(co_, e), missing(fr_, e), p_.events[e].thread != thread_};
    }

    std::string initial(size_t cell) const {
        for (size_t e = 0; e < p_.size(); ++e)
            if (p_.events[e].kind == Event::Kind::init && p_.events[e].cell == static_cast<int>(cell))
                return format_cell(p_, cell, x_.values[e]);
        return "?";
    }

    std::string names(const std::vector<size_t>& events) const {
        std::string text;
        for (const size_t e : events) text += (text.empty() ? "" : ", ") + picture_.name.at(e);
        return text;
    }

    std::vector<std::string> notes(size_t e) const {
        std::vector<std::string> result;
        std::vector<size_t> overtaken, newer;
        for (const size_t f : picture_.events) {
            if (f != e && !done_.contains(f) && po_.contains(f, e)) overtaken.push_back(f);
            if (done_.contains(f) && fr_.contains(e, f)) newer.push_back(f);
        }
        if (!overtaken.empty())
            result.push_back("takes effect before " + names(overtaken) + ", which its thread has before it: nothing keeps them in order");
        if (!newer.empty())
            result.push_back("reads an old value: " + names(newer) + " came before in this order, and nothing makes that visible here");
        const bool later =
            std::any_of(picture_.events.begin(), picture_.events.end(), [&](size_t f) { return done_.contains(f) && co_.contains(e, f); });
        if (later) result.emplace_back("comes before what memory holds already in the order of writes to this location");
        return result;
    }

    Turn turn(size_t e) const {
        const Event& event = p_.events[e];
        Turn turn;
        turn.event = e;
        turn.name = picture_.name.at(e);
        turn.thread = event.thread;
        const auto line = picture_.line.find(e);
        turn.line = line == picture_.line.end() ? 0 : line->second;
        turn.words = event_words(p_, x_, e);
        if (event.instruction >= 0) turn.text = instruction_text(p_, event.thread, event.instruction);
        turn.proxy = event.proxy;
        turn.asynchronous = event.asynchronous;
        turn.notes = notes(e);
        if (event.is_write()) {
            const auto cell = static_cast<size_t>(event.cell);
            const size_t last = last_[cell];
            const size_t holds = last != none && co_.contains(e, last) ? last : e;
            turn.change = Turn::Change{cell, format_cell(p_, cell, x_.values[holds])};
        }
        return turn;
    }

    void perform(size_t e) {
        const Event& event = p_.events[e];
        done_.add(e);
        thread_ = event.thread;
        if (!event.is_write()) return;
        size_t& last = last_[static_cast<size_t>(event.cell)];
        if (last == none || !co_.contains(e, last)) last = e;
    }

    const Program& p_;
    const Execution& x_;
    const Drawn picture_;
    Relation rf_, co_, po_, fr_, required_;
    EventSet done_;
    std::vector<size_t> last_;  // by cell: the last write so far, in coherence order
    int thread_ = -1;
};

}  // namespace

Playback playback_of(const Drawing& drawing, const std::vector<size_t>& final_writes) {
    return Orderer(drawing, final_writes).run();
}

}  // namespace litmus
