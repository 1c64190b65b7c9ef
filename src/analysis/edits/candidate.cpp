// Carrying an execution over: events are matched in their order, the new ones being those of instructions that are new.
//
// Edits that only order add fences to an execution and strengthen what is there; rf, the choices and all values stay. co and sc may
// have to grow: a write that became strong is ordered with others, and so are new fences. One order is tried, that of the graph of
// program order and communication as far as it is acyclic.
#include "analysis/edits/candidate.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "cat/evaluate.h"

namespace litmus {

namespace {

constexpr size_t none = ~size_t{0};

// For each event of `from` the one of `to` that it is; empty where the programs differ in more than new instructions.
std::vector<size_t> match(const Candidate& from, const Candidate& to) {
    const std::vector<Event>& a = from.program->events;
    const std::vector<Event>& b = to.program->events;
    const auto origin = [](const Candidate& c, const Event& e) {
        if (e.thread < 0 || e.instruction < 0) return 0;
        return c.origins[static_cast<size_t>(e.thread)][static_cast<size_t>(e.instruction)];
    };
    std::vector<size_t> image(a.size(), none);
    size_t i = 0;
    for (size_t j = 0; j < b.size(); ++j) {
        const bool is_new = b[j].thread >= 0 && b[j].instruction >= 0 && origin(to, b[j]) < 0 &&
                            !std::binary_search(from.set.begin(), from.set.end(), static_cast<size_t>(-1 - origin(to, b[j])));
        if (is_new) continue;
        if (i == a.size()) return {};
        const bool same = a[i].kind == b[j].kind && a[i].thread == b[j].thread && origin(from, a[i]) == origin(to, b[j]) &&
                          a[i].iteration == b[j].iteration && a[i].element == b[j].element;
        if (!same) return {};
        image[i++] = j;
    }
    return i == a.size() ? image : std::vector<size_t>();
}

Relation carried(const Relation& r, const std::vector<size_t>& image, size_t size) {
    Relation result(size);
    for (const auto& [a, b] : r.pairs()) result.add(image[a], image[b]);
    return result;
}

// A rank for each event: a topological order of the graph, cycles broken anyhow.
std::vector<size_t> ranks(const Relation& graph) {
    const Relation reach = transitive_closure(graph);
    std::vector<size_t> order(graph.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<size_t> before(graph.size());
    for (size_t a = 0; a < graph.size(); ++a)
        for (size_t b = 0; b < graph.size(); ++b)
            if (a != b && reach.contains(a, b)) ++before[b];
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return before[a] < before[b]; });
    std::vector<size_t> rank(graph.size());
    for (size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    return rank;
}

// Program order and communication.
Relation communication(const Execution& x) {
    Relation graph = base_relation(x, "po");
    graph |= x.rf;
    graph |= x.co;
    graph |= sequence(x.rf.inverse(), x.co);
    for (const char* name : {"iss", "aio", "grp"}) graph |= base_relation(x, name);
    return graph;
}

void order_fences(Execution& x, const std::vector<size_t>& rank) {
    const Relation may = base_bounds(*x.program, "sc").may;
    for (const auto& [a, b] : may.pairs())
        if (a != b && x.executed.contains(a) && x.executed.contains(b) && rank[a] < rank[b] && !x.sc.contains(b, a)) x.sc.add(a, b);
}

// co extended to a total order of the writes of each cell, the final one last.
void order_writes(Execution& x, const std::vector<size_t>& rank, const std::vector<size_t>& finals) {
    const std::vector<Event>& events = x.program->events;
    const Relation known = x.co;
    const auto key = [&](size_t w) {
        const auto cell = static_cast<size_t>(events[w].cell);
        return std::pair(finals[cell] == w, rank[w]);
    };
    for (const size_t a : x.executed.elements())
        for (const size_t b : x.executed.elements())
            if (a != b && events[a].is_write() && events[b].is_write() && events[a].cell == events[b].cell && !known.contains(b, a) &&
                (known.contains(a, b) || key(a) < key(b)))
                x.co.add(a, b);
}

bool shows(const Counterexample& c, Program& p, const Execution& x, const std::vector<size_t>& finals, Evaluation& evaluation,
           const Model& model) {
    std::vector<uint64_t> values;
    for (const size_t last : finals) {
        if (!x.co.successors(last).empty()) return false;
        values.push_back(x.values[last]);
    }
    const auto raised = [&](bool (*kind)(const Constraint&)) {
        const std::vector<size_t> found = evaluation.raised();
        return std::any_of(found.begin(), found.end(), [&](size_t i) { return kind(model.constraints[i]); });
    };
    switch (c.sight) {
        case Sight::satisfies:
        case Sight::violates: {
            if (p.test->filter && !evaluate(x, condition_expr(p, *p.test->filter), values)) return false;
            return (evaluate(x, condition_expr(p, p.test->claim.condition), values) != 0) == (c.sight == Sight::satisfies);
        }
        case Sight::undefined:
            return raised(is_hazard);
        case Sight::races:
            return raised(is_race);
        case Sight::stuck:
            return std::none_of(p.traps.begin(), p.traps.end(), [&](ExprId trap) { return evaluate(x, trap, values) != 0; }) &&
                   std::any_of(p.blocked.begin(), p.blocked.end(), [&](const Blocked& b) { return evaluate(x, b.when, values) != 0; }) &&
                   std::all_of(p.blocked.begin(), p.blocked.end(),
                               [&](const Blocked& b) { return evaluate(x, b.when, values) == 0 || evaluate(x, b.hopeless, values) != 0; });
        case Sight::terminates:
        case Sight::cut:
            break;
    }
    return false;
}

// A stretch of an edited text.
struct Piece {
    uint32_t begin = 0;          // in that text
    uint32_t was = 0;            // in the text before
    std::optional<size_t> edit;  // that put it there; none: it was there
    bool replaces = false;       // something that stood at `was`
};

std::vector<Piece> pieces_of(const Test& test, const std::vector<Edit>& edits, const EditSet& set) {
    std::vector<std::pair<const Change*, size_t>> changes;
    for (const size_t e : set)
        for (const Change& change : edits[e].changes) changes.emplace_back(&change, e);
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.first->span.begin < b.first->span.begin; });
    std::vector<Piece> pieces;
    uint32_t from = 0, at = 0;
    for (const auto& [change, e] : changes) {
        if (change->span.begin > from) {
            pieces.push_back({at, from, std::nullopt, false});
            at += change->span.begin - from;
        }
        if (!change->text.empty()) pieces.push_back({at, change->span.begin, e, change->span.end > change->span.begin});
        at += static_cast<uint32_t>(change->text.size());
        from = std::max(from, change->span.end);
    }
    if (from < test.source->text.size()) pieces.push_back({at, from, std::nullopt, false});
    return pieces;
}

}  // namespace

std::vector<std::vector<int>> origins_of(const Test& test, const std::vector<Edit>& edits, const EditSet& set, const Test& edited) {
    const std::vector<Piece> pieces = pieces_of(test, edits, set);
    std::vector<std::vector<int>> result;
    for (size_t t = 0; t < edited.threads.size(); ++t) {
        std::map<uint32_t, int> by_place;  // the test's own instructions
        if (t < test.threads.size())
            for (const Instruction& instruction : test.threads[t].body)
                by_place.emplace(instruction.spelled.begin, static_cast<int>(&instruction - test.threads[t].body.data()));
        std::vector<int>& origins = result.emplace_back();
        for (const Instruction& instruction : edited.threads[t].body) {
            const auto behind = std::upper_bound(pieces.begin(), pieces.end(), instruction.spelled.begin,
                                                 [](uint32_t at, const Piece& piece) { return at < piece.begin; });
            const Piece& piece = *std::prev(behind);
            const bool stands = !piece.edit || piece.replaces;
            const auto found = stands ? by_place.find(piece.was + (instruction.spelled.begin - piece.begin)) : by_place.end();
            origins.push_back(found != by_place.end() ? found->second : -1 - static_cast<int>(piece.edit.value_or(0)));
        }
    }
    return result;
}

bool survives(const Counterexample& c, const Candidate& to, const Model& model) {
    const std::vector<size_t> image = match(*c.of, to);
    Program& p = *to.program;
    if (image.empty()) return false;
    std::vector<bool> choices = c.execution.choices;
    if (p.choices != choices.size()) {
        // What was put in has choices of its own. With none taken it is passed at once; which choice is which is not known.
        if (std::count(choices.begin(), choices.end(), true) > 0) return false;
        choices.assign(p.choices, false);
    }
    std::vector<int> rf_of(p.size(), -1);
    for (const auto& [w, r] : c.execution.rf.pairs()) rf_of[image[r]] = static_cast<int>(image[w]);
    std::optional<Execution> x = complete(p, rf_of, choices);
    if (!x) return false;
    x->co = carried(c.execution.co, image, p.size());
    x->sc = carried(c.execution.sc, image, p.size());
    std::vector<size_t> finals;
    for (const size_t w : c.final_writes) finals.push_back(image[w]);
    const std::vector<size_t> rank = ranks(communication(*x) | x->sc);
    order_fences(*x, rank);
    for (const bool total : {false, true}) {
        if (total) order_writes(*x, rank, finals);
        Evaluation evaluation(model, *x);
        if (evaluation.consistent() && shows(c, p, *x, finals, evaluation, model)) return true;
    }
    return false;
}

}  // namespace litmus
