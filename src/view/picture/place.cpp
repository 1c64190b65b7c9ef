// How far down each card stands: as far up as what must stand above it allows.
//
// What should not stand above what is a graph. Its edges are taken in the order of their importance, and one that would close a
// cycle is left out: an execution that no order of steps explains has links that lead up, and they are those that the eye should
// find. Cards that stand at one level are one node.
#include <algorithm>
#include <numeric>

#include "view/picture/layout.h"

namespace litmus::picture {

namespace {

constexpr double gap = 22;  // between two cards of a column

class Levels {
public:
    Levels(const Scene& scene, const std::vector<CardBox>& boxes, const std::vector<double>& room)
        : scene_(scene), boxes_(boxes), room_(room), node_of_(boxes.size()), after_(boxes.size()) {
        std::iota(node_of_.begin(), node_of_.end(), size_t{0});
    }

    std::vector<double> run() {
        for (const Order& order : scene_.orders) add(order);
        for (size_t c = 0; c < scene_.columns.size(); ++c)
            if (scene_.columns[c].kind == Column::Kind::operations) add_chain(c);
        return longest_ways();
    }

private:
    struct Edge {
        size_t to;
        double distance;  // from top to top
    };

    void add(const Order& order) {
        const size_t a = node_of_[order.above.card], b = node_of_[order.below.card];
        if (a == b) return;
        if (order.kind == Order::Kind::same) {
            if (!reaches(a, b) && !reaches(b, a)) merge(a, b);
            return;
        }
        if (reaches(b, a)) return;
        after_[a].push_back({b, distance(order)});
    }

    double distance(const Order& order) const {
        const CardBox &above = boxes_[order.above.card], &below = boxes_[order.below.card];
        if (order.kind == Order::Kind::apart) return above.box.height + std::max(gap, room_[order.below.card]);
        return std::max(0.0, row_y(above, order.above.row) - row_y(below, order.below.row));
    }

    static double row_y(const CardBox& card, size_t row) { return card.row_y.empty() ? card.box.height / 2 : card.row_y[row]; }

    bool reaches(size_t from, size_t to) const {
        std::vector<bool> seen(after_.size());
        std::vector<size_t> left{from};
        while (!left.empty()) {
            const size_t node = left.back();
            left.pop_back();
            if (node == to) return true;
            if (seen[node]) continue;
            seen[node] = true;
            for (const Edge& edge : after_[node]) left.push_back(edge.to);
        }
        return false;
    }

    void merge(size_t a, size_t b) {
        for (size_t& node : node_of_)
            if (node == b) node = a;
        for (std::vector<Edge>& edges : after_)
            for (Edge& edge : edges)
                if (edge.to == b) edge.to = a;
        after_[a].insert(after_[a].end(), after_[b].begin(), after_[b].end());
        after_[b].clear();
    }

    // Nodes so that each comes after those that it must not stand above, otherwise the higher ones first.
    std::vector<size_t> topological(const std::vector<double>& y) const {
        std::vector<size_t> before(after_.size());
        for (const std::vector<Edge>& edges : after_)
            for (const Edge& edge : edges) ++before[edge.to];
        std::vector<size_t> order, ready;
        for (size_t n = 0; n < after_.size(); ++n)
            if (before[n] == 0) ready.push_back(n);
        while (!ready.empty()) {
            const auto next =
                std::min_element(ready.begin(), ready.end(), [&](size_t a, size_t b) { return y[a] != y[b] ? y[a] < y[b] : a < b; });
            const size_t node = *next;
            ready.erase(next);
            order.push_back(node);
            for (const Edge& edge : after_[node])
                if (--before[edge.to] == 0) ready.push_back(edge.to);
        }
        return order;
    }

    std::vector<double> node_heights() const {
        std::vector<double> y(after_.size(), 0);
        for (const size_t node : topological(y))
            for (const Edge& edge : after_[node]) y[edge.to] = std::max(y[edge.to], y[node] + edge.distance);
        return y;
    }

    // The cards of a lane one under the other, in an order that nothing contradicts.
    void add_chain(size_t column) {
        const std::vector<size_t> order = topological(node_heights());
        std::vector<size_t> cards;
        for (const size_t node : order)
            for (size_t card = 0; card < node_of_.size(); ++card)
                if (node_of_[card] == node && scene_.cards[card].column == column) cards.push_back(card);
        for (size_t i = 1; i < cards.size(); ++i) add({{cards[i - 1], 0}, {cards[i], 0}, Order::Kind::apart});
    }

    std::vector<double> longest_ways() const {
        const std::vector<double> of_node = node_heights();
        std::vector<double> y;
        for (const size_t node : node_of_) y.push_back(of_node[node]);
        return y;
    }

    const Scene& scene_;
    const std::vector<CardBox>& boxes_;
    const std::vector<double>& room_;
    std::vector<size_t> node_of_;           // by card
    std::vector<std::vector<Edge>> after_;  // by node
};

}  // namespace

std::vector<double> heights(const Scene& scene, const std::vector<CardBox>& cards, const std::vector<double>& room) {
    return Levels(scene, cards, room).run();
}

}  // namespace litmus::picture
