// Where links lead: never through a card.
//
// Between two columns that are neighbours a link is one curve in the gutter between them: it leaves the one card to the side and
// enters the other from the side, and a Bezier curve stays within the hull of its points. On its way to a column farther away it
// passes each column in between through a gap: between two of its cards, above the first or below the last. The gaps are
// chosen so that the link goes up and down as little as can be; links in one gap keep their distance, and a gap that is too
// narrow for its links asks for more room.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "view/picture/layout.h"

namespace litmus::picture {

namespace {

constexpr double clearance = 8;      // between a card and a link that passes it
constexpr double port_distance = 5;  // between links that end at one row
constexpr double port_range = 12;    // in which all of them end

// A stretch of a column without cards.
struct Gap {
    double from = 0, to = 0;
    size_t below = std::numeric_limits<size_t>::max();  // the card under it; none under the last gap
};

struct Pass {
    size_t column = 0, gap = 0;
    double y = 0;
};

struct Way {
    Point from, to;
    bool leaves_right = true, enters_left = true;
    std::vector<Pass> passes;  // from the end that leaves
    double bulge = 0;          // of a link that returns to its column: how far it goes out
};

class Router {
public:
    Router(const Scene& scene, const PictureLayout& layout, std::vector<double>& room)
        : scene_(scene), layout_(layout), room_(room), gaps_(scene.columns.size()), ways_(scene.links.size()) {}

    std::vector<LinkPath> run() {
        for (size_t c = 0; c < scene_.columns.size(); ++c) find_gaps(c);
        for (size_t l = 0; l < scene_.links.size(); ++l) {
            goes_down_.push_back(scene_.links[l].kind == Link::Kind::down || is_inner_step(scene_.links[l]));
            if (is_routed(l)) choose_sides(l);
        }
        spread_ports();
        for (const size_t l : by_length()) choose_gaps(l);
        spread_passes();
        spread_returns();
        std::vector<LinkPath> paths;
        for (size_t l = 0; l < scene_.links.size(); ++l) paths.push_back(is_routed(l) ? path(ways_[l]) : straight(scene_.links[l]));
        return paths;
    }

private:
    bool is_routed(size_t l) const { return scene_.links[l].kind == Link::Kind::beside && !goes_down_[l]; }
    size_t column_of(const Spot& spot) const { return scene_.cards[spot.card].column; }
    const Box& column(size_t c) const { return layout_.columns[c].box; }

    double row_y(const Spot& spot) const {
        const CardBox& card = layout_.cards[spot.card];
        return card.row_y.empty() ? card.box.y + card.box.height / 2 : card.row_y[spot.row];
    }

    // ---- gaps ---------------------------------------------------------------------------------

    void find_gaps(size_t c) {
        std::vector<size_t> cards;
        for (size_t card = 0; card < scene_.cards.size(); ++card)
            if (scene_.cards[card].column == c) cards.push_back(card);
        std::sort(cards.begin(), cards.end(), [&](size_t a, size_t b) { return layout_.cards[a].box.y < layout_.cards[b].box.y; });
        double from = top();
        for (const size_t card : cards) {
            const Box& box = layout_.cards[card].box;
            gaps_[c].push_back({from, box.y - clearance, card});
            from = box.bottom() + clearance;
        }
        gaps_[c].push_back({from, std::numeric_limits<double>::infinity(), std::numeric_limits<size_t>::max()});
    }

    double top() const {
        double y = std::numeric_limits<double>::infinity();
        for (const CardBox& card : layout_.cards) y = std::min(y, card.box.y);
        return y - 14 - clearance;
    }

    // Whether a link leads from one card of an asynchronous operation to the one right under it.
    bool is_inner_step(const Link& link) const {
        const size_t c = column_of(link.from);
        if (link.relations.front() != "aio" || c != column_of(link.to)) return false;
        const Box &a = layout_.cards[link.from.card].box, &b = layout_.cards[link.to.card].box;
        const auto between = [&](const Gap& gap) { return gap.below == link.to.card && gap.from == a.bottom() + clearance; };
        return a.y < b.y && std::any_of(gaps_[c].begin(), gaps_[c].end(), between);
    }

    // ---- ends ---------------------------------------------------------------------------------

    void choose_sides(size_t l) {
        const Link& link = scene_.links[l];
        const size_t a = column_of(link.from), b = column_of(link.to);
        Way& way = ways_[l];
        way.leaves_right = a <= b;
        way.enters_left = a < b;
        way.from = {way.leaves_right ? column(a).right() : column(a).x, row_y(link.from)};
        way.to = {way.enters_left ? column(b).x : column(b).right(), row_y(link.to)};
    }

    // Links that end at one side of one row: beside each other, in the order of where they come from.
    void spread_ports() {
        struct Port {
            double* y;
            double other;
        };
        std::map<std::tuple<size_t, size_t, bool>, std::vector<Port>> ports;
        for (size_t l = 0; l < ways_.size(); ++l) {
            if (!is_routed(l)) continue;
            const Link& link = scene_.links[l];
            Way& way = ways_[l];
            const double from = way.from.y, to = way.to.y;
            ports[{link.from.card, link.from.row, way.leaves_right}].push_back({&way.from.y, to});
            ports[{link.to.card, link.to.row, !way.enters_left}].push_back({&way.to.y, from});
        }
        for (auto& [where, all] : ports) {
            std::stable_sort(all.begin(), all.end(), [](const Port& a, const Port& b) { return a.other < b.other; });
            const double n = static_cast<double>(all.size() - 1);
            const double step = n > 0 ? std::min(port_distance, port_range / n) : 0;
            for (size_t i = 0; i < all.size(); ++i) *all[i].y += (static_cast<double>(i) - n / 2) * step;
        }
    }

    // ---- gaps on the way ------------------------------------------------------------------------

    std::vector<size_t> by_length() const {
        std::vector<size_t> order;
        for (size_t l = 0; l < ways_.size(); ++l)
            if (is_routed(l)) order.push_back(l);
        const auto length = [&](size_t l) {
            const size_t a = column_of(scene_.links[l].from), b = column_of(scene_.links[l].to);
            return a < b ? b - a : a - b;
        };
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return length(a) < length(b); });
        return order;
    }

    // Of all ways through the gaps of the columns in between one that goes up and down least; each column is passed where the gap is
    // nearest to where the link comes from, or goes to.
    void choose_gaps(size_t l) {
        const size_t a = column_of(scene_.links[l].from), b = column_of(scene_.links[l].to);
        Way& way = ways_[l];
        std::vector<size_t> between;
        for (size_t c = std::min(a, b) + 1; c < std::max(a, b); ++c) between.push_back(c);
        if (a > b) std::reverse(between.begin(), between.end());
        struct State {
            Pass pass;
            double cost = 0;
            size_t before = 0;
        };
        std::vector<std::vector<State>> stages;
        for (const size_t c : between) {
            std::vector<State> states;
            for (size_t g = 0; g < gaps_[c].size(); ++g) {
                const Gap& gap = gaps_[c][g];
                if (gap.to < gap.from) continue;
                for (const double wanted : {way.from.y, way.to.y}) {
                    State state{{c, g, std::clamp(wanted, gap.from, gap.to)}};
                    state.cost = std::numeric_limits<double>::infinity();
                    const auto consider = [&](double cost, size_t before) {
                        if (cost < state.cost) state.cost = cost, state.before = before;
                    };
                    const double crowd = 6.0 * static_cast<double>(load_[{c, g}]);
                    if (stages.empty()) consider(std::abs(state.pass.y - way.from.y) + crowd, 0);
                    for (size_t s = 0; !stages.empty() && s < stages.back().size(); ++s)
                        consider(stages.back()[s].cost + std::abs(state.pass.y - stages.back()[s].pass.y) + crowd, s);
                    states.push_back(state);
                }
            }
            stages.push_back(std::move(states));
        }
        if (stages.empty()) return;
        size_t best = 0;
        const auto total = [&](const State& state) { return state.cost + std::abs(state.pass.y - way.to.y); };
        for (size_t s = 0; s < stages.back().size(); ++s)
            if (total(stages.back()[s]) < total(stages.back()[best])) best = s;
        for (size_t stage = stages.size(); stage-- > 0;) {
            const State& state = stages[stage][best];
            way.passes.insert(way.passes.begin(), state.pass);
            ++load_[{state.pass.column, state.pass.gap}];
            best = state.before;
        }
    }

    // Links in one gap keep their distance, in the order in which they come and go.
    void spread_passes() {
        struct Passing {
            Pass* pass;
            double order;
        };
        std::map<std::pair<size_t, size_t>, std::vector<Passing>> passing;
        for (Way& way : ways_)
            for (size_t p = 0; p < way.passes.size(); ++p) {
                const double before = p == 0 ? way.from.y : way.passes[p - 1].y;
                const double after = p + 1 == way.passes.size() ? way.to.y : way.passes[p + 1].y;
                passing[{way.passes[p].column, way.passes[p].gap}].push_back({&way.passes[p], before + after});
            }
        for (auto& [where, all] : passing) {
            const Gap& gap = gaps_[where.first][where.second];
            std::stable_sort(all.begin(), all.end(), [](const Passing& a, const Passing& b) {
                return a.pass->y != b.pass->y ? a.pass->y < b.pass->y : a.order < b.order;
            });
            const double n = static_cast<double>(all.size() - 1);
            if (gap.to - gap.from < n * pass_distance && gap.below < room_.size())
                room_[gap.below] = std::max(room_[gap.below], n * pass_distance + 2 * clearance);
            const double step = n > 0 ? std::min(pass_distance, (gap.to - gap.from) / n) : 0;
            keep_distance(all, gap, step);
        }
    }

    // Each as near to where it wants to be as the distance to the one before allows, and all within the gap.
    template <typename Passing>
    static void keep_distance(std::vector<Passing>& all, const Gap& gap, double step) {
        double least = gap.from;
        for (Passing& one : all) {
            one.pass->y = std::max(one.pass->y, least);
            least = one.pass->y + step;
        }
        double most = gap.to;
        for (size_t i = all.size(); i-- > 0;) {
            all[i].pass->y = std::min(all[i].pass->y, most);
            most = all[i].pass->y - step;
        }
    }

    // ---- links that return to their column --------------------------------------------------------

    // The longer ones go out farther.
    void spread_returns() {
        std::map<size_t, std::vector<size_t>> returns;
        for (size_t l = 0; l < ways_.size(); ++l)
            if (is_routed(l) && column_of(scene_.links[l].from) == column_of(scene_.links[l].to))
                returns[column_of(scene_.links[l].from)].push_back(l);
        for (auto& [c, all] : returns) {
            std::stable_sort(all.begin(), all.end(), [&](size_t a, size_t b) { return span(a) < span(b); });
            const double end = c + 1 < scene_.columns.size() ? column(c + 1).x : layout_.width;
            const double widest = std::max(14.0, end - column(c).right() - 12);
            for (size_t i = 0; i < all.size(); ++i) {
                const double n = static_cast<double>(all.size());
                ways_[all[i]].bulge = widest * (0.35 + 0.6 * (static_cast<double>(i) + 0.5) / n);
            }
        }
    }

    double span(size_t l) const { return std::abs(ways_[l].from.y - ways_[l].to.y); }

    // ---- curves -----------------------------------------------------------------------------------

    static Curve line(Point a, Point b) {
        return {a, {a.x + (b.x - a.x) / 3, a.y + (b.y - a.y) / 3}, {a.x + 2 * (b.x - a.x) / 3, a.y + 2 * (b.y - a.y) / 3}, b};
    }

    static Curve across(Point a, Point b) {
        const double half = (b.x - a.x) / 2;
        return {a, {a.x + half, a.y}, {b.x - half, b.y}, b};
    }

    LinkPath path(const Way& way) const {
        LinkPath result;
        if (way.bulge > 0) {  // a cubic goes out three quarters as far as its inner points
            const double out = way.bulge / 0.75;
            result.curves.push_back({way.from, {way.from.x + out, way.from.y}, {way.to.x + out, way.to.y}, way.to});
            return result;
        }
        const bool right = way.leaves_right;
        Point here = way.from;
        for (const Pass& pass : way.passes) {
            const Box& box = column(pass.column);
            const Point in{right ? box.x : box.right(), pass.y}, out{right ? box.right() : box.x, pass.y};
            result.curves.push_back(across(here, in));
            result.curves.push_back(line(in, out));
            here = out;
        }
        result.curves.push_back(across(here, way.to));
        return result;
    }

    // From card to card in a column, or from row to row in a card.
    LinkPath straight(const Link& link) const {
        const CardBox &a = layout_.cards[link.from.card], &b = layout_.cards[link.to.card];
        if (link.kind == Link::Kind::inside) {  // a bracket beside the letters
            const double from = a.row_y[link.from.row] + 2, to = a.row_y[link.to.row] - 2, x = a.box.x + card_padding;
            return {{line({x, from}, {x - 4, from}), line({x - 4, from}, {x - 4, to}), line({x - 4, to}, {x, to})}, {}};
        }
        const double x = a.box.x + std::min(24.0, a.box.width / 2);
        return {{line({x, a.box.bottom()}, {x, b.box.y})}, {}};
    }

    const Scene& scene_;
    const PictureLayout& layout_;
    std::vector<double>& room_;
    std::vector<std::vector<Gap>> gaps_;                // by column, from top to bottom
    std::vector<Way> ways_;                             // by link
    std::vector<bool> goes_down_;                       // by link
    std::map<std::pair<size_t, size_t>, size_t> load_;  // by column and gap: the links in it
};

}  // namespace

std::vector<LinkPath> routed(const Scene& scene, const PictureLayout& layout, std::vector<double>& room) {
    return Router(scene, layout, room).run();
}

}  // namespace litmus::picture
