// The queries for what model/semantics.md section 9 reports beside outcomes.
//
// The program is built with blocked threads, where any can be: each wait carries a choice, to get past it or to stay. An
// execution in which a thread stays counts only if what it waits for does not hold of the final state
// (Blocked::hopeless), so that nothing still to come could release it. Over these executions, one query asks for
// some thread that stays, some flag of the model, some race; each answer takes what it shows out of the question. Of a flag
// it is also asked where it holds, by the places of the events: what a report says of it is then the same whichever execution was found.
#include "solve/find_hazards.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "solve/encode.h"
#include "solve/specialise.h"

namespace litmus {

namespace {

constexpr size_t most_place_queries = 64;  // queries that ask only for further races, and for further places of flags

class Search {
public:
    explicit Search(const HazardQuestion& question) : q_(question), p_(question.program) {}

    Hazards run() {
        left_[{Kind::blocked, 0, {}}] = q_.encoding.stays();
        for (size_t i = 0; i < q_.encoded.constraints.size(); ++i) {
            const Constraint& c = q_.encoded.constraints[i];
            if (!c.flag) continue;
            if (!is_race(c)) left_[{Kind::flag, i, {}}] = q_.encoding.negation(c);
            add_places(i, is_race(c) ? Kind::race : Kind::place);
        }
        add_images();
        try {
            while (ask()) note_all();
        } catch (const GaveUp& gave_up) {
            result_.gave_up = gave_up.reason;
            leave_unknown();
        } catch (const OverBudget& over) {
            (over.is_time() ? result_.timed_out : result_.out_of_memory) = true;
            leave_unknown();
        }
        for (auto& [key, hazard] : found_) {
            hazard.places = places_[std::get<1>(key)];
            result_.found.push_back(std::move(hazard));
        }
        return std::move(result_);
    }

private:
    enum class Kind : uint8_t { blocked, flag, race, place };
    using StaticInstruction = Hazard::StaticInstruction;
    using Places = std::pair<StaticInstruction, StaticInstruction>;
    using Key = std::tuple<Kind, size_t, Places>;  // what can be found: with the constraint, of a race or a place of a flag also the places

    Places places_of(const Relation::Pair& pair) const {
        const auto place = [&](size_t e) { return StaticInstruction(p_.events[e].thread, p_.events[e].instruction); };
        return std::minmax(place(pair.first), place(pair.second));
    }

    // Whether a pair of a flag's node is one for which it is raised.
    static bool raises(const Constraint& flag, const Relation::Pair& pair) {
        return flag.kind != Constraint::Kind::irreflexive || pair.first == pair.second;
    }

    void add_places(size_t constraint, Kind kind) {
        const Constraint& c = q_.encoded.constraints[constraint];
        if (kind == Kind::race && q_.encoded.nodes[c.node].is_set) return;
        std::map<Places, std::vector<Lit>> by_places;
        for (const auto& [pair, literal] : q_.encoding.pairs(c.node))
            if (raises(c, pair)) by_places[places_of(pair)].push_back(literal);
        for (const auto& [places, literals] : by_places) left_[{kind, constraint, places}] = q_.encoding.some(literals);
    }

    // What no execution in the order of its threads shows, but the image of one: it is asked for by none, and found with the other.
    void add_images() {
        std::vector<Key> next;
        for (const auto& of_key : left_) next.push_back(of_key.first);
        while (!next.empty()) {
            const Key key = next.back();
            next.pop_back();
            for (const Exchange& exchange : q_.symmetry.exchanges)
                if (const Key image = image_of(key, exchange); left_.try_emplace(image, always_false).second) next.push_back(image);
        }
    }

    // Whether some execution shows anything of what is left; what stays unknown is noted.
    bool ask() {
        std::vector<Lit> any;
        bool places_only = true, races = false;
        for (const auto& [key, literal] : left_) {
            if (literal == always_false) continue;
            any.push_back(literal);
            const Kind kind = std::get<Kind>(key);
            places_only = places_only && (kind == Kind::race || kind == Kind::place);
            races = races || kind == Kind::race;
        }
        if (any.empty()) return false;
        if (places_only && place_queries_++ == most_place_queries) {
            result_.races_complete = !races;
            return false;
        }
        const Backend::Result answer = q_.check({q_.encoding.terminates(), q_.encoding.some(any)});
        if (answer == Backend::Result::unknown) {
            result_.gave_up = no_answer;
            leave_unknown();
        }
        return answer == Backend::Result::sat;
    }

    void leave_unknown() {
        for (Truth* t : {&result_.undefined, &result_.blocked})
            if (*t == Truth::no) *t = Truth::unknown;
        result_.races_complete = false;
    }

    [[noreturn]] void disagree(const std::string& what) const {
        throw std::logic_error("test \"" + p_.test->name + "\": the two engines disagree: " + what);
    }

    // What the execution just found shows of what is left, and what its images under exchanges of threads show. So what is left is the
    // same after each exchange, as the next question needs it (symmetry.h).
    void note_all() {
        std::optional<Execution> x = q_.encoding.execution();
        if (!x) disagree("the solver's choice is no candidate execution");
        std::optional<std::vector<size_t>> last = q_.encoding.final_writes(*x);
        if (!last) disagree("a write that another is co-after is taken as final");
        std::vector<Shown> next;
        next.push_back(show(std::move(*x), std::move(*last)));
        if (next.back().keys.empty()) disagree("the solver's execution shows nothing that was asked for");
        while (!next.empty()) {
            const Shown shown = std::move(next.back());
            next.pop_back();
            for (const Exchange& exchange : q_.symmetry.exchanges) {
                const auto is_left = [&](const Key& key) { return left_.count(image_of(key, exchange)) > 0; };
                if (std::none_of(shown.keys.begin(), shown.keys.end(), is_left)) continue;
                p_.budget.check();
                std::vector<size_t> last_of_image(shown.last.size());
                for (size_t cell = 0; cell < shown.last.size(); ++cell)
                    last_of_image[static_cast<size_t>(exchange.cells[cell])] = exchange.events[shown.last[cell]];
                next.push_back(show(image(shown.execution, exchange), std::move(last_of_image)));
                if (std::any_of(shown.keys.begin(), shown.keys.end(), is_left)) disagree("an image shows something else");
            }
        }
    }

    static Key image_of(const Key& key, const Exchange& exchange) {
        const auto place = [&](StaticInstruction at) {
            at.first = at.first == exchange.a ? exchange.b : at.first == exchange.b ? exchange.a : at.first;
            return at;
        };
        const auto& [kind, constraint, places] = key;
        if (kind == Kind::blocked || kind == Kind::flag) return key;  // of no places
        return {kind, constraint, std::minmax(place(places.first), place(places.second))};
    }

    struct Shown {
        Execution execution;
        std::vector<size_t> last;  // by cell: the write taken as final
        std::vector<Key> keys;     // what it was the first to show
    };

    // Notes what an execution shows of what is left; the concrete engine checks it.
    Shown show(Execution x, std::vector<size_t> last) {
        Shown shown;
        Evaluation evaluation(q_.common, x);
        for (const size_t i : evaluation.failed()) disagree("the solver's execution breaks " + q_.model.constraints[i].name);
        const Hazard found = hazard(x, last);
        const auto note_if_left = [&](const Key& key, const Hazard& of) {
            if (note(key, of)) shown.keys.push_back(key);
        };
        if (!found.stuck.empty()) note_if_left({Kind::blocked, 0, {}}, found);
        for (const size_t i : evaluation.raised()) {
            const Constraint& flag = q_.model.constraints[i];
            Hazard raised = found;
            raised.flag = flag.name;
            if (!is_race(flag)) {
                for (const Relation::Pair& pair : members(evaluation.value(flag.node)))
                    if (raises(flag, pair)) raised.pairs.push_back(pair);
                for (const Relation::Pair& pair : raised.pairs) {
                    const Places places = places_of(pair);
                    places_[i].insert({places.first, places.second});
                    if (left_.erase({Kind::place, i, places}) > 0) shown.keys.push_back({Kind::place, i, places});
                }
                note_if_left({Kind::flag, i, {}}, raised);
            } else if (!q_.model.nodes[flag.node].is_set) {
                for (const Relation::Pair& pair : evaluation.value(flag.node).relation.pairs()) {
                    if (!raises(flag, pair)) continue;
                    raised.pairs = {std::minmax(pair.first, pair.second)};
                    note_if_left({Kind::race, i, places_of(pair)}, raised);
                }
            }
        }
        shown.execution = std::move(x);
        shown.last = std::move(last);
        return shown;
    }

    Hazard hazard(const Execution& x, const std::vector<size_t>& last) const {
        Hazard result;
        for (const size_t w : last) result.final_values.push_back(x.values[w]);
        for (size_t b = 0; b < p_.blocked.size(); ++b) {
            if (!evaluate(x, p_.blocked[b].when, result.final_values)) continue;
            if (!evaluate(x, p_.blocked[b].hopeless, result.final_values)) disagree("a thread stays although what it awaits holds");
            result.stuck.push_back(b);
        }
        for (const ExprId trap : p_.traps)
            if (evaluate(x, trap, result.final_values)) result.stuck.clear();  // who waits for a grid that is over is not stuck
        result.witness = x;
        return result;
    }

    // Whether it was left.
    bool note(const Key& key, Hazard hazard) {
        if (left_.erase(key) == 0) return false;
        const Kind kind = std::get<Kind>(key);
        if (kind == Kind::blocked) {
            hazard.kind = Hazard::Kind::blocked;
            result_.blocked = Truth::yes;
        } else if (kind == Kind::race) {
            hazard.kind = Hazard::Kind::race;
        } else if (is_hazard(q_.model.constraints[std::get<1>(key)])) {
            hazard.kind = Hazard::Kind::undefined;
            result_.undefined = Truth::yes;
        } else {
            hazard.kind = Hazard::Kind::flag;
        }
        found_.emplace(key, std::move(hazard));
        return true;
    }

    static std::vector<Relation::Pair> members(const NodeValue& value) {
        if (!value.is_set) return value.relation.pairs();
        std::vector<Relation::Pair> result;
        for (const size_t e : value.set.elements()) result.emplace_back(e, e);
        return result;
    }

    const HazardQuestion& q_;
    Program& p_;
    std::map<Key, Lit> left_;  // what no execution has shown yet
    std::map<Key, Hazard> found_;
    size_t place_queries_ = 0;
    std::map<size_t, std::set<StaticInstruction>> places_;  // by flag
    Hazards result_;
};

}  // namespace

Hazards undecided_hazards() {
    Hazards result;
    result.undefined = result.blocked = Truth::unknown;
    result.races_complete = false;
    return result;
}

Hazards undecided_hazards(const GaveUp& why) {
    Hazards result = undecided_hazards();
    result.gave_up = why.reason;
    return result;
}

Hazards undecided_hazards(const OverBudget& why) {
    Hazards result = undecided_hazards();
    (why.is_time() ? result.timed_out : result.out_of_memory) = true;
    return result;
}

Hazards search_hazards(const HazardQuestion& question) {
    return Search(question).run();
}

Hazards find_hazards(Program& program, const Model& model, Backend& backend, size_t counts_from) {
    try {
        backend.reset(program.budget);
        FixedBases bases(program);
        CommonValues common(model, bases);
        const Model encoded = specialised(bases, model);
        const Symmetry symmetry = find_symmetry(program, bases, encoded, {}, counts_from);
        Encoding encoding(program, encoded, compute_bounds(bases, encoded, symmetry.order), backend, counts_from);
        encoding.require_model();
        return search_hazards({program, model, common, encoded, encoding, backend, symmetry,
                               [&](const std::vector<Lit>& assumptions) { return backend.check(assumptions); }});
    } catch (const GaveUp& gave_up) {
        return undecided_hazards(gave_up);
    } catch (const OverBudget& over) {
        return undecided_hazards(over);
    }
}

}  // namespace litmus
