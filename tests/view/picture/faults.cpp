// The rules of a picture, each by itself and in plain geometry: nothing here knows how the layout was found.
#include "view/picture/faults.h"

#include <algorithm>

namespace litmus::picture {

namespace {

constexpr int samples = 48;   // points of each curve that are looked at
constexpr double near = 0.6;  // pixels: less than a line is wide

class Inspection {
public:
    Inspection(const Scene& scene, const PictureLayout& layout) : scene_(scene), layout_(layout) {}

    std::vector<std::string> run() {
        cards();
        for (size_t l = 0; l < scene_.links.size(); ++l) {
            ends(l);
            way(l);
            levels(l);
            label(l);
        }
        frames();
        return std::move(found_);
    }

private:
    const Box& box(size_t card) const { return layout_.cards[card].box; }
    std::string name(size_t l) const {
        const Link& link = scene_.links[l];
        return std::string(link.relations.front()) + " " + link.from_event + "->" + link.to_event;
    }
    void fault(const std::string& what) { found_.push_back(what); }

    static bool inside(const Box& outer, const Box& inner) {
        return inner.x >= outer.x - near && inner.y >= outer.y - near && inner.right() <= outer.right() + near &&
               inner.bottom() <= outer.bottom() + near;
    }

    void cards() {
        const Box whole{0, 0, layout_.width, layout_.height};
        for (size_t c = 0; c < scene_.cards.size(); ++c) {
            if (!inside(whole, box(c))) fault("card " + std::to_string(c) + " is not in the picture");
            if (!inside(layout_.columns[scene_.cards[c].column].box, box(c))) fault("card " + std::to_string(c) + " leaves its column");
            const double room = box(c).width - card_padding;
            if (text_width(scene_.cards[c].source, source_size) > room) fault("the source of card " + std::to_string(c) + " is too long");
            for (size_t other = 0; other < c; ++other)
                if (overlap(box(c), box(other))) fault("cards " + std::to_string(other) + " and " + std::to_string(c) + " overlap");
        }
    }

    // A link begins and ends on the borders of its cards, at the heights of their rows.
    void ends(size_t l) {
        const Link& link = scene_.links[l];
        const auto& curves = layout_.links[l].curves;
        if (!at_border(curves.front().from, link.from, link.kind) || !at_border(curves.back().to, link.to, link.kind))
            fault(name(l) + " does not end at its cards");
        for (size_t i = 1; i < curves.size(); ++i)
            if (std::hypot(curves[i].from.x - curves[i - 1].to.x, curves[i].from.y - curves[i - 1].to.y) > near)
                fault(name(l) + " is interrupted");
    }

    bool at_border(Point p, Spot spot, Link::Kind kind) const {
        const Box& b = box(spot.card);
        const bool beside = std::abs(p.x - b.x) < near || std::abs(p.x - b.right()) < near;
        const bool end = std::abs(p.y - b.y) < near || std::abs(p.y - b.bottom()) < near;
        const bool within = p.x > b.x - near && p.x < b.right() + near && p.y > b.y - near && p.y < b.bottom() + near;
        if (kind == Link::Kind::inside) return within;
        const std::vector<double>& rows = layout_.cards[spot.card].row_y;
        const double row = rows.empty() ? b.y + b.height / 2 : rows[spot.row];
        return within && (end || (beside && std::abs(p.y - row) <= row_height / 2));
    }

    // No link passes through a card, its own ones included.
    void way(size_t l) {
        if (scene_.links[l].kind == Link::Kind::inside) return;
        for (const Curve& curve : layout_.links[l].curves)
            for (int i = 0; i <= samples; ++i) {
                const Point p = at(curve, static_cast<double>(i) / samples);
                if (p.x < 0 || p.y < 0 || p.x > layout_.width || p.y > layout_.height) return fault(name(l) + " leaves the picture");
                for (size_t c = 0; c < scene_.cards.size(); ++c) {
                    const Box& b = box(c);
                    if (p.x > b.x + near && p.x < b.right() - near && p.y > b.y + near && p.y < b.bottom() - near)
                        return fault(name(l) + " runs through card " + std::to_string(c));
                }
            }
    }

    // Program order goes down, and the inner order of operations; nothing stands above what issued it, or brought it about.
    void levels(size_t l) {
        const Link& link = scene_.links[l];
        const std::string_view relation = link.relations.front();
        const Box &from = box(link.from.card), &to = box(link.to.card);
        const bool is_inner = relation == "aio" && link.from.card != link.to.card;
        if ((link.kind == Link::Kind::down || is_inner) && to.y < from.bottom()) fault(name(l) + " does not go down");
        if ((relation == "iss" || relation == "update") && to.bottom() < from.y + near) fault(name(l) + " leads to what stands above");
        if ((relation == "iss" || relation == "update") && middle(link.to) < middle(link.from) - near) fault(name(l) + " leads up");
    }

    double middle(Spot spot) const {
        const CardBox& card = layout_.cards[spot.card];
        return card.row_y.empty() ? card.box.y + card.box.height / 2 : card.row_y[spot.row];
    }

    void label(size_t l) {
        const Box& label = layout_.links[l].label;
        if (scene_.links[l].label.empty()) return;
        if (label.width < text_width(scene_.links[l].label, label_size)) fault("the label of " + name(l) + " is too narrow");
        if (label.x < 0 || label.right() > layout_.width) fault("the label of " + name(l) + " is not in the picture");
        for (size_t c = 0; c < scene_.cards.size(); ++c)
            if (overlap(label, box(c))) fault("the label of " + name(l) + " lies on card " + std::to_string(c));
        for (size_t other = 0; other < l; ++other)
            if (!scene_.links[other].label.empty() && overlap(label, layout_.links[other].label))
                fault("the labels of " + name(l) + " and " + name(other) + " overlap");
    }

    // Each column is in a frame for each of its scopes, and frames either nest or are apart.
    void frames() {
        for (size_t c = 0; c < scene_.columns.size(); ++c)
            for (const std::string& scope : scene_.columns[c].scopes) {
                const auto around = [&](const FrameBox& frame) {
                    return frame.label == scope && inside(frame.box, layout_.columns[c].box);
                };
                if (std::none_of(layout_.frames.begin(), layout_.frames.end(), around)) fault("a column is not in the frame of " + scope);
            }
        for (size_t a = 0; a < layout_.frames.size(); ++a)
            for (size_t b = 0; b < a; ++b) {
                const Box &one = layout_.frames[a].box, &other = layout_.frames[b].box;
                if (overlap(one, other) && !inside(other, one)) fault("frames overlap");
                if (layout_.frames[a].label == layout_.frames[b].label && is_cta(layout_.frames[a])) fault("two frames for one CTA");
            }
    }

    static bool is_cta(const FrameBox& frame) { return frame.label.rfind("cta ", 0) == 0; }

    const Scene& scene_;
    const PictureLayout& layout_;
    std::vector<std::string> found_;
};

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == ':';
}

// The position behind an entity that begins at `at`; npos: there is none that XML knows by itself.
size_t behind_entity(const std::string& text, size_t at) {
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;"})
        if (text.compare(at, std::string(entity).size(), entity) == 0) return at + std::string(entity).size();
    return std::string::npos;
}

// The position behind the attributes of a tag, at its `/` or `>`; npos where they are wrong.
size_t behind_attributes(const std::string& text, size_t at) {
    while (at < text.size() && text[at] == ' ') {
        const size_t name = ++at;
        while (at < text.size() && is_name(text[at])) ++at;
        if (at == name || text.compare(at, 2, "=\"") != 0) return std::string::npos;
        for (at += 2; at < text.size() && text[at] != '"';) {
            if (text[at] == '<') return std::string::npos;
            at = text[at] == '&' ? behind_entity(text, at) : at + 1;
            if (at == std::string::npos) return at;
        }
        ++at;
    }
    return at;
}

}  // namespace

std::vector<std::string> faults(const Scene& scene, const PictureLayout& layout) {
    return Inspection(scene, layout).run();
}

std::string xml_fault(const std::string& text) {
    std::vector<std::string> open;
    for (size_t at = 0; at < text.size();) {
        const auto c = static_cast<unsigned char>(text[at]);
        if (c < 0x20 && c != '\n') return "a control character at byte " + std::to_string(at);
        if (text[at] == '&') {
            at = behind_entity(text, at);
            if (at == std::string::npos) return "an unknown entity";
        } else if (text[at] == '<') {
            const bool closes = text[at + 1] == '/';
            const size_t begin = at + (closes ? 2 : 1);
            size_t end = begin;
            while (end < text.size() && is_name(text[end])) ++end;
            const std::string name = text.substr(begin, end - begin);
            at = behind_attributes(text, end);
            if (name.empty() || at == std::string::npos || at >= text.size()) return "a broken tag " + name;
            const bool empty = text[at] == '/';
            if (closes) {
                if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
                open.pop_back();
            } else if (!empty) {
                open.push_back(name);
            }
            at += empty ? 1 : 0;
            if (at >= text.size() || text[at] != '>') return "a broken tag " + name;
            ++at;
        } else {
            ++at;
        }
    }
    return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

}  // namespace litmus::picture
