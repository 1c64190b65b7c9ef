// The links of a picture: each edge of the drawing, as far as it says more than where the cards stand.
//
// Program order is the order of a thread's cards, and coherence of an mbarrier object that of its states. What an update read is
// the state before. Of the synchronization through an mbarrier object, the link from the state to the wait that sees it tells.
#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/visible.h"
#include "print/columns.h"
#include "view/picture/sketch.h"

namespace litmus::picture {

namespace {

// What names of the picture mean that no model has.
constexpr std::string_view update = "update", sees = "sees", no_order = "missing";

// The name under which a relation of a model is drawn.
std::string_view drawn_name(std::string_view relation) {
    if (relation == "observation") return "obs";
    if (relation == "syncbar" || relation == "clusterbar") return "bar";
    return relation;
}

std::string meaning_of(std::string_view relation) {
    if (relation == update) return "an operation to the state of the mbarrier object that it brings about";
    if (relation == no_order) return "an order that the axiom asks for, and that is not there";
    if (relation == sees) return "a state of an mbarrier object to the wait that sees it";
    for (const RelationWords& words : relation_words())
        if (words.relation == relation) return std::string(words.meaning);
    for (const BaseName& base : base_names())
        if (base.name == relation) return std::string(base.meaning);
    return std::string(relation);
}

std::string section_of(std::string_view relation) {
    if (relation == update || relation == sees) return "9.7.13.15";
    for (const RelationWords& words : relation_words())
        if (words.relation == relation) return std::string(words.section);
    return {};
}

class Links {
public:
    explicit Links(Sketch& sketch) : sketch_(sketch), execution_(sketch.drawing.execution), po_(base_relation(execution_, "po")) {}

    void run() {
        add_columns_order();
        add_updates();
        for (const DrawnEdge& edge : sketch_.drawn.edges)
            for (const std::string_view relation : edge.relations) add_edge(edge, relation);
        add_initial_states();
        add_steps();
        add_absent();
        join_steps();
        for (Link& link : sketch_.scene.links) finish(link);
        std::stable_sort(scene().orders.begin(), scene().orders.end(), [](const Order& a, const Order& b) { return a.rank < b.rank; });
    }

private:
    Scene& scene() { return sketch_.scene; }

    // The link between two spots, made where there is none. A relation is named once on it.
    Link& link(Spot from, Spot to, size_t from_event, size_t to_event, std::string_view relation, bool both_ways = false) {
        auto found = std::find_if(scene().links.begin(), scene().links.end(), [&](const Link& one) {
            return one.from == from && one.to == to && one.both_ways == both_ways && one.missing == (relation == no_order);
        });
        if (found == scene().links.end()) {
            Link fresh;
            fresh.from = from;
            fresh.to = to;
            fresh.from_event = sketch_.letter(from_event);
            fresh.to_event = sketch_.letter(to_event);
            fresh.both_ways = both_ways;
            fresh.missing = relation == no_order;
            const bool is_row = from.card == to.card && to.row == from.row + 1 && relation == "rmw";
            fresh.kind = is_row ? Link::Kind::inside : Link::Kind::beside;
            found = scene().links.insert(scene().links.end(), std::move(fresh));
        }
        if (std::count(found->relations.begin(), found->relations.end(), relation) == 0) found->relations.push_back(relation);
        return *found;
    }

    // ---- columns ------------------------------------------------------------------------------

    size_t first_event(size_t card) const { return sketch_.scene.cards[card].rows.front().front().event; }
    size_t last_event(size_t card) const { return sketch_.scene.cards[card].rows.back().back().event; }
    bool has_event(size_t card) const { return !sketch_.scene.cards[card].rows.empty(); }

    // Cards that follow each other in a thread, and in the lane of an mbarrier object.
    void add_columns_order() {
        for (size_t c = 0; c < scene().columns.size(); ++c) {
            const Column::Kind kind = scene().columns[c].kind;
            if (kind == Column::Kind::operations) continue;
            const std::vector<size_t>& cards = sketch_.in_order[c];
            for (size_t i = 1; i < cards.size(); ++i) add_next(cards, i, kind == Column::Kind::thread ? "po" : "co");
        }
    }

    // A card without events stands between two that have some.
    void add_next(const std::vector<size_t>& cards, size_t i, std::string_view relation) {
        const size_t above = cards[i - 1], below = cards[i];
        order({above, 0}, {below, 0}, 0, Order::Kind::apart);
        Link next;
        next.kind = Link::Kind::down;
        next.from = {above, std::max<size_t>(scene().cards[above].rows.size(), 1) - 1};
        next.to = {below, 0};
        next.relations = {relation};
        for (size_t k = i; k-- > 0 && next.from_event.empty();)
            if (has_event(cards[k])) next.from_event = sketch_.letter(last_event(cards[k]));
        for (size_t k = i; k < cards.size() && next.to_event.empty(); ++k)
            if (has_event(cards[k])) next.to_event = sketch_.letter(first_event(cards[k]));
        scene().links.push_back(std::move(next));
    }

    // ---- mbarrier objects ---------------------------------------------------------------------

    // From each update to the state that it brings about.
    void add_updates() {
        for (const auto& [write, state] : sketch_.state_of) {
            const auto spot = sketch_.spot_of.find(write);
            if (spot == sketch_.spot_of.end()) continue;
            link(spot->second, {state, 0}, write, write, update);
            order(spot->second, {state, 0}, 0);
        }
    }

    // Where an edge of this relation ends: writes to mbarrier objects stand in the lane of their object.
    Spot end(size_t e) {
        const auto state = sketch_.state_of.find(e);
        return state != sketch_.state_of.end() ? Spot{state->second, 0} : spot_for(sketch_, e);
    }

    bool is_wait(size_t e) const {
        const Event& event = sketch_.event(e);
        return sketch_.on_mbarrier(e) && event.kind == Event::Kind::read && event.partner < 0;
    }

    // The waits that see the state that an object begins with.
    void add_initial_states() {
        for (const auto& [write, read] : execution_.rf.pairs())
            if (sketch_.event(write).kind == Event::Kind::init && is_wait(read) && sketch_.state_of.count(write) > 0) add_seen(write, read);
    }

    void add_seen(size_t write, size_t read) {
        if (sketch_.spot_of.count(read) == 0) return;
        link(end(write), sketch_.spot_of.at(read), write, read, sees);
        order(end(write), sketch_.spot_of.at(read), 2);
    }

    // An edge both ends of which are operations on mbarrier objects.
    void add_on_mbarrier(const DrawnEdge& edge, std::string_view relation) {
        if (relation == "rf" && is_wait(edge.to)) add_seen(edge.from, edge.to);
        if (relation != "sync") return;
        // told by the last update of all that synchronize with the wait
        const auto later = [&](const DrawnEdge& other) {
            return other.to == edge.to && execution_.co.contains(edge.from, other.from) &&
                   std::count(other.relations.begin(), other.relations.end(), "sync") > 0;
        };
        const auto& edges = sketch_.drawn.edges;
        if (is_wait(edge.to) && std::any_of(edges.begin(), edges.end(), later)) return;
        link(end(edge.from), spot_for(sketch_, edge.to), edge.from, edge.to, "sync");
    }

    // ---- edges --------------------------------------------------------------------------------

    void add_edge(const DrawnEdge& edge, std::string_view relation) {
        const size_t from = edge.from, to = edge.to;
        const bool alarm = relation == "race" || relation == "undefined";
        if (relation == "breach" || relation == "po") return;
        if (alarm) return add_alarm(edge, relation);
        if (sketch_.on_mbarrier(from) && sketch_.on_mbarrier(to)) return add_on_mbarrier(edge, relation);
        const Spot a = spot_for(sketch_, from), b = spot_for(sketch_, to);
        if (relation == "obs" || (relation == "sync" && follows(edge))) return;
        if (relation == "iss" || relation == "aio") return add_operation(edge, relation);
        if (a.card == b.card && relation != "rmw") return;  // the card tells the order of its events
        link(a, b, from, to, relation, edge.both_ways);
        order(a, b, rank_of(relation), relation == "bar" && edge.both_ways ? Order::Kind::same : Order::Kind::level);
    }

    static int rank_of(std::string_view relation) {
        constexpr std::array<std::string_view, 8> ranks{"", "bar", "grp", "grid", "sync", "rf", "co", "fr"};
        const auto at = std::find(ranks.begin(), ranks.end(), relation);
        return at == ranks.end() ? 4 : static_cast<int>(at - ranks.begin());
    }

    // Whether a synchronization adds nothing to another one and program order.
    bool follows(const DrawnEdge& edge) {
        const auto within = [&](size_t a, size_t b) { return a == b || po_.contains(a, b); };
        for (const DrawnEdge& other : sketch_.drawn.edges) {
            const bool is_sync = std::count(other.relations.begin(), other.relations.end(), "sync") > 0;
            const bool same = other.from == edge.from && other.to == edge.to;
            if (is_sync && !same && within(edge.from, other.from) && within(other.to, edge.to)) return true;
        }
        return false;
    }

    // Issuing leads to the first card of an operation, its inner order from card to card.
    void add_operation(const DrawnEdge& edge, std::string_view relation) {
        const Spot a = spot_for(sketch_, edge.from), b = spot_for(sketch_, edge.to);
        if (a.card == b.card) return;
        const bool started = std::any_of(scene().links.begin(), scene().links.end(), [&](const Link& other) {
            return other.to.card == b.card && (other.from.card == a.card || (relation == "iss" && is_inner(other)));
        });
        order(a, b, 0, relation == "aio" ? Order::Kind::apart : Order::Kind::level);
        if (started) return;
        if (relation == "iss" && is_completion_of_data(edge)) return;
        link(a, b, edge.from, edge.to, relation);
    }

    // The link between two cards that a step of an asynchronous operation is part of.
    Link* operation_link(Spot a, Spot b, std::string_view relation) {
        for (Link& link : scene().links)
            if (link.from.card == a.card && link.to.card == b.card && link.relations.front() == relation) return &link;
        return nullptr;
    }

    bool is_inner(const Link& link) { return std::count(link.relations.begin(), link.relations.end(), "aio") > 0; }

    // Whether the end of an issue edge is reached from another event of its operation.
    bool is_completion_of_data(const DrawnEdge& edge) {
        const size_t card = spot_for(sketch_, edge.to).card;
        return std::any_of(sketch_.drawn.edges.begin(), sketch_.drawn.edges.end(), [&](const DrawnEdge& other) {
            const bool inner = std::count(other.relations.begin(), other.relations.end(), "aio") > 0;
            return inner && spot_for(sketch_, other.to).card == card && spot_for(sketch_, other.from).card != card;
        });
    }

    // ---- what the eye meets first ---------------------------------------------------------------

    void add_alarm(const DrawnEdge& edge, std::string_view relation) {
        Link& one = link(spot_for(sketch_, edge.from), spot_for(sketch_, edge.to), edge.from, edge.to, no_order, edge.both_ways);
        one.relations = {relation};
        one.strong = true;
        one.label = relation == "race" ? "no order" : "undefined";
    }

    void add_steps() {
        for (const Step& step : sketch_.steps) {
            const std::string_view relation = drawn_name(step.relation);
            if (relation == "po" && add_path(step)) continue;
            Spot a = end(step.from), b = end(step.to);
            if (relation == "iss" || relation == "aio" || relation == "rmw")
                a = spot_for(sketch_, step.from), b = spot_for(sketch_, step.to);
            if (a == b) continue;
            const auto down = std::find_if(scene().links.begin(), scene().links.end(), [&](const Link& one) {
                return one.kind == Link::Kind::down && one.from.card == a.card && one.to.card == b.card;
            });
            Link* one = down != scene().links.end() ? &*down : nullptr;
            if (one == nullptr && (relation == "iss" || relation == "aio")) one = operation_link(a, b, relation);
            if (one == nullptr && (a.card != b.card || relation != "aio")) one = &link(a, b, step.from, step.to, relation);
            if (one != nullptr) {
                one->strong = true;
                if (std::count(one->relations.begin(), one->relations.end(), relation) == 0) one->relations.push_back(relation);
            }
            for (const auto& [spot, event] : {std::pair(a, step.from), std::pair(b, step.to)})
                (scene().cards[spot.card].kind == Card::Kind::state ? as_state_ : as_operation_).insert(event);
            mark(a.card);
            mark(b.card);
        }
    }

    // Where one step ends at a state and the next begins at the operation that brought it about, or the other way round, the way
    // leads along the update.
    void join_steps() {
        for (const size_t e : as_state_) {
            const auto spot = sketch_.spot_of.find(e);
            if (as_operation_.count(e) > 0 && spot != sketch_.spot_of.end()) link(spot->second, end(e), e, e, update).strong = true;
        }
    }

    void add_absent() {
        for (const Step& step : sketch_.drawn.absent) {
            const Spot a = end(step.from), b = end(step.to);
            if (a == b) continue;
            Link& one = link(a, b, step.from, step.to, no_order, true);
            one.strong = true;
            one.label = "no " + std::string(drawn_name(step.relation));
            mark(a.card);
            mark(b.card);
        }
    }

    void mark(size_t card) { scene().cards[card].marked = true; }

    // Program order from one card of a thread to a later one: the links between all cards on the way.
    bool add_path(const Step& step) {
        const Spot a = spot_for(sketch_, step.from), b = spot_for(sketch_, step.to);
        mark(a.card);
        mark(b.card);
        as_operation_.insert({step.from, step.to});
        if (a.card == b.card) return true;
        const size_t column = scene().cards[a.card].column;
        if (column != scene().cards[b.card].column) return false;
        const std::vector<size_t>& cards = sketch_.in_order[column];
        const auto begin = std::find(cards.begin(), cards.end(), a.card), end = std::find(cards.begin(), cards.end(), b.card);
        if (begin >= end) return false;
        for (Link& link : scene().links)
            for (auto at = begin; at != end; ++at)
                if (link.kind == Link::Kind::down && link.from.card == *at && link.to.card == *(at + 1)) link.strong = true;
        return true;
    }

    // ---- the rest -------------------------------------------------------------------------------

    void order(Spot above, Spot below, int rank, Order::Kind kind = Order::Kind::level) {
        if (above.card != below.card) scene().orders.push_back({above, below, kind, rank});
    }

    void finish(Link& link) {
        for (const std::string_view relation : link.relations) {
            link.meanings.push_back(meaning_of(relation));
            if (const std::string section = section_of(relation); !section.empty()) link.sections.push_back(section);
        }
        if (link.label.empty()) link.label = joined(labelled(link), ", ");
    }

    // Names that are shown beside a link: none of what the place and the look of the link say.
    static std::vector<std::string_view> labelled(const Link& link) {
        std::vector<std::string_view> names;
        constexpr std::array<std::string_view, 4> silent{update, sees, "iss", "aio"};
        if (link.kind == Link::Kind::inside) return names;
        for (const std::string_view relation : link.relations) {
            const bool order = link.kind == Link::Kind::down && (relation == "po" || relation == "co");
            if (!order && std::find(silent.begin(), silent.end(), relation) == silent.end()) names.push_back(relation);
        }
        return names;
    }

    Sketch& sketch_;
    const Execution& execution_;
    const Relation po_;
    std::set<size_t> as_state_, as_operation_;  // events at which steps begin and end, by where they do
};

}  // namespace

Spot spot_for(Sketch& sketch, size_t e) {
    const auto known = sketch.spot_of.find(e);
    if (known != sketch.spot_of.end()) return known->second;
    const Event& event = sketch.event(e);
    Card card;
    if (event.kind == Event::Kind::init) {
        card.kind = Card::Kind::initial;
        card.column = 0;
        card.source = "initially " + visible(sketch.program().cells[static_cast<size_t>(event.cell)].name) + " = " +
                      format_cell(sketch.program(), static_cast<size_t>(event.cell), sketch.drawing.execution.values[e]);
        for (const size_t other : sketch.drawn.events)
            if (sketch.event(other).cell == event.cell && sketch.event(other).thread >= 0 && !sketch.event(other).asynchronous) {
                card.column = sketch.thread_column.at(sketch.event(other).thread);
                break;
            }
    } else {
        card.kind = Card::Kind::exit;
        card.column = sketch.thread_column.at(event.thread);
        card.source = sketch.letter(e);
    }
    const size_t index = sketch.scene.cards.size();
    card.rows.push_back({{e, sketch.letter(e), {}}});
    std::vector<size_t>& cards = sketch.in_order[card.column];
    const bool first = card.kind == Card::Kind::initial;
    if (!cards.empty()) {
        const size_t neighbour = first ? cards.front() : cards.back();
        const Spot here{index, 0}, there{neighbour, 0};
        sketch.scene.orders.push_back({first ? here : there, first ? there : here, Order::Kind::apart});
    }
    cards.insert(first ? cards.begin() : cards.end(), index);
    sketch.scene.cards.push_back(std::move(card));
    return sketch.spot_of[e] = {index, 0};
}

void add_links(Sketch& sketch) {
    Links(sketch).run();
}

}  // namespace litmus::picture
