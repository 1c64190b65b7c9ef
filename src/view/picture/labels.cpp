// Labels: near the middle of a link, in a gutter, where no card and no other label is and few other links are.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "view/picture/layout.h"

namespace litmus::picture {

namespace {

constexpr double label_height = 15, label_padding = 4;
constexpr double head_text = 36;  // how far down the words at the head of a column reach
// Where along a curve a label may stand, the best first.
constexpr std::array<double, 13> stations{0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.22, 0.78, 0.16, 0.84, 0.1, 0.9};

// How far above or below the link it may stand, the best first.
constexpr std::array<double, 7> asides{0, -6, 6, -12, 12, -18, 18};

class Labels {
public:
    Labels(const Scene& scene, PictureLayout& layout) : scene_(scene), layout_(layout) {}

    // What the eye should meet first is labelled first; then links that are flat, whose labels have the least choice.
    void run() {
        std::vector<size_t> order;
        for (size_t l = 0; l < scene_.links.size(); ++l)
            if (!scene_.links[l].label.empty()) order.push_back(l);
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
            if (scene_.links[a].strong != scene_.links[b].strong) return scene_.links[a].strong;
            return rise(layout_.links[a]) < rise(layout_.links[b]);
        });
        for (const size_t l : order) place(l);
    }

private:
    static double rise(const LinkPath& path) { return std::abs(path.curves.front().from.y - path.curves.back().to.y); }

    void place(size_t l) {
        LinkPath& path = layout_.links[l];
        Box size;
        size.width = text_width(scene_.links[l].label, label_size) + 2 * label_padding;
        size.height = label_height;
        if (scene_.links[l].kind == Link::Kind::down) {  // beside the arrow
            const Point middle = at(path.curves.front(), 0.5);
            path.label = {middle.x + 7, middle.y - size.height / 2, size.width, size.height};
            placed_.push_back(path.label);
            return;
        }
        double least = std::numeric_limits<double>::infinity();
        for (size_t c = 0; c < path.curves.size(); ++c)
            for (size_t s = 0; s < stations.size(); ++s)
                for (const double aside : asides) {
                    const double from_centre = std::abs(static_cast<double>(c) - static_cast<double>(path.curves.size() - 1) / 2);
                    const double own = from_centre * 2 + static_cast<double>(s) + 4 * std::abs(aside);
                    if (own >= least) continue;
                    const Point middle = at(path.curves[c], stations[s]);
                    const Box box = beside_cards({middle.x - size.width / 2, middle.y - size.height / 2 + aside, size.width, size.height});
                    const double cost = own + disturbance(box, l);
                    if (cost >= least) continue;
                    least = cost;
                    path.label = box;
                }
        placed_.push_back(path.label);
    }

    // Moved out of a column that it would reach into, where its gutter is wide enough.
    Box beside_cards(Box box) const {
        const double middle = box.x + box.width / 2;
        double from = 2, to = layout_.width - 2;
        for (const ColumnBox& column : layout_.columns) {
            if (column.box.right() <= middle) from = std::max(from, column.box.right() + 2);
            if (column.box.x >= middle) to = std::min(to, column.box.x - 2);
        }
        if (to - from >= box.width) box.x = std::clamp(box.x, from, to - box.width);
        return box;
    }

    double disturbance(const Box& box, size_t l) const {
        double cost = 0;
        for (const CardBox& card : layout_.cards)
            if (overlap(card.box, box)) cost += 100000;
        for (const ColumnBox& column : layout_.columns)
            if (overlap({column.box.x, column.box.y, column.box.width, head_text}, box)) cost += 100000;
        for (const Box& other : placed_)
            if (overlap(other, box)) cost += 1000;
        for (size_t other = 0; other < layout_.links.size(); ++other)
            if (other != l && passes(layout_.links[other], box)) cost += scene_.links[other].strong ? 20 : 6;
        return cost;
    }

    static bool passes(const LinkPath& path, const Box& box) {
        for (const Curve& curve : path.curves) {
            const auto [left, right] = std::minmax({curve.from.x, curve.first.x, curve.second.x, curve.to.x});
            const auto [top, bottom] = std::minmax(curve.from.y, curve.to.y);
            if (right <= box.x || left >= box.right() || bottom <= box.y || top >= box.bottom()) continue;
            for (int i = 0; i <= 16; ++i) {
                const Point p = at(curve, i / 16.0);
                if (p.x > box.x && p.x < box.right() && p.y > box.y && p.y < box.bottom()) return true;
            }
        }
        return false;
    }

    const Scene& scene_;
    PictureLayout& layout_;
    std::vector<Box> placed_;
};

}  // namespace

void place_labels(const Scene& scene, PictureLayout& layout) {
    Labels(scene, layout).run();
}

}  // namespace litmus::picture
