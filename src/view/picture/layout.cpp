// Columns from left to right, with gutters between them in which links run; cards from top to bottom; frames around them.
#include "view/picture/layout.h"

#include <algorithm>
#include <cmath>

#include "print/columns.h"

namespace litmus::picture {

namespace {

constexpr double margin = 16;         // around everything
constexpr double frame_padding = 12;  // between a frame and what is in it
constexpr double frame_head = 20;     // the label of a frame
constexpr double least_gutter = 44;
constexpr double least_width = 340;
constexpr int most_rounds = 8;

double column_width(const Scene& scene, const PictureLayout& layout, size_t column) {
    const Column& its = scene.columns[column];
    double width = std::max({90.0, text_width(its.title, title_size) + 16, text_width(its.subtitle, label_size) + 16});
    for (size_t c = 0; c < scene.cards.size(); ++c)
        if (scene.cards[c].column == column) width = std::max(width, layout.cards[c].box.width);
    return width;
}

// How many frames end or begin between two columns that follow each other.
size_t frames_between(const Scene& scene, size_t left, size_t right) {
    const auto &a = scene.columns[left].scopes, &b = scene.columns[right].scopes;
    size_t same = 0;
    while (same < std::min(a.size(), b.size()) && a[same] == b[same]) ++same;
    return a.size() - same + b.size() - same;
}

// The width that the links beside a column need: for their labels, and to be told apart.
double gutter_width(const Scene& scene, size_t right) {
    double label = 0;
    size_t links = 0;
    for (const Link& link : scene.links) {
        if (link.kind != Link::Kind::beside) continue;
        const size_t a = scene.cards[link.from.card].column, b = scene.cards[link.to.card].column;
        const bool passes = std::min(a, b) < right && std::max(a, b) >= right;
        const bool returns = a == b && a + 1 == right;
        if (!passes && !returns) continue;
        ++links;
        if (!link.label.empty()) label = std::max(label, text_width(link.label, label_size));
    }
    return std::max(least_gutter, label + 46) + 4 * std::min<double>(static_cast<double>(links), 12);
}

void place_columns(const Scene& scene, PictureLayout& layout) {
    const size_t depth = scene.columns.empty() ? 0 : scene.columns.front().scopes.size();
    double x = margin + frame_padding * static_cast<double>(depth);
    for (size_t c = 0; c < scene.columns.size(); ++c) {
        if (c > 0) x += std::max(gutter_width(scene, c), frame_padding * static_cast<double>(frames_between(scene, c - 1, c)) + 8);
        const double width = column_width(scene, layout, c);
        layout.columns.push_back({{x, 0, width, 0}});
        x += width;
    }
    if (!scene.columns.empty()) {
        const bool returns = std::any_of(scene.links.begin(), scene.links.end(), [&](const Link& link) {
            const size_t last = scene.columns.size() - 1;
            return link.kind == Link::Kind::beside && scene.cards[link.from.card].column == last &&
                   scene.cards[link.to.card].column == last;
        });
        if (returns) x += gutter_width(scene, scene.columns.size());
    }
    layout.width = std::max(least_width, x + margin + frame_padding * static_cast<double>(depth));
    for (size_t c = 0; c < scene.cards.size(); ++c) {
        Box& box = layout.cards[c].box;
        const Box& column = layout.columns[scene.cards[c].column].box;
        box.x = column.x;
        box.width = column.width;
    }
}

void place_cards(const PictureLayout& measured_cards, const std::vector<double>& y, double top, PictureLayout& layout) {
    for (size_t c = 0; c < layout.cards.size(); ++c) {
        CardBox& card = layout.cards[c];
        const CardBox& original = measured_cards.cards[c];
        const double down = top + y[c];
        card.box.y = down;
        card.source_y = original.source_y + down;
        card.note_y = original.note_y + down;
        for (size_t r = 0; r < card.row_y.size(); ++r) card.row_y[r] = original.row_y[r] + down;
    }
}

// A frame for each run of columns that share the scopes up to a depth.
void place_frames(const Scene& scene, double top, PictureLayout& layout) {
    const size_t depths = scene.columns.empty() ? 0 : scene.columns.front().scopes.size();
    for (size_t depth = 0; depth < depths; ++depth) {
        const double inner = static_cast<double>(depths - 1 - depth);
        for (size_t first = 0; first < scene.columns.size();) {
            const auto& scopes = scene.columns[first].scopes;
            size_t last = first;
            const auto same = [&](const std::vector<std::string>& other) {
                return std::equal(scopes.begin(), scopes.begin() + static_cast<std::ptrdiff_t>(std::min(depth + 1, scopes.size())),
                                  other.begin(), other.begin() + static_cast<std::ptrdiff_t>(std::min(depth + 1, other.size())));
            };
            while (last + 1 < scene.columns.size() && same(scene.columns[last + 1].scopes)) ++last;
            const double pad = frame_padding * (inner + 1);
            Box box;
            box.x = layout.columns[first].box.x - pad;
            box.width = layout.columns[last].box.right() + pad - box.x;
            box.y = top + static_cast<double>(depth) * frame_head;
            box.height = layout.body.bottom() + frame_padding * (inner + 1) - box.y;
            if (depth < scopes.size()) layout.frames.push_back({box, scopes[depth], depth});
            first = last + 1;
        }
    }
}

}  // namespace

// ---- text and shapes ------------------------------------------------------------------------------

double text_width(std::string_view text, double font_size) {
    return static_cast<double>(display_width(text)) * font_size * letter_width;
}

std::vector<std::string> wrapped(const std::string& text, size_t most) {
    std::vector<std::string> lines(1);
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find(' ', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        if (!lines.back().empty() && display_width(lines.back()) + 1 + display_width(word) > most) lines.emplace_back();
        lines.back() += (lines.back().empty() ? "" : " ") + word;
        begin = end + 1;
    }
    return lines;
}

bool overlap(const Box& a, const Box& b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

Point at(const Curve& curve, double t) {
    const double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
    return {a * curve.from.x + b * curve.first.x + c * curve.second.x + d * curve.to.x,
            a * curve.from.y + b * curve.first.y + c * curve.second.y + d * curve.to.y};
}

// ---- cards ----------------------------------------------------------------------------------------

CardBox measured(const Card& card) {
    CardBox result;
    const bool beside = !card.rows.empty() && card.rows.front().size() == 1 && card.rows.front().front().text.empty();
    const double line = card.line > 0 ? text_width(card.where, label_size - 1) + 10 : 0;
    double y = card_padding - 2;
    double width = text_width(card.source, source_size) + (beside ? chip_width + 5 : 0);
    if (card.rows.size() == (beside ? 1U : 0U)) width += line;
    result.source_y = y + 12;
    const double middle = y + source_height / 2;
    y += source_height;
    for (size_t r = 0; r < card.rows.size(); ++r) {
        if (r == 0 && beside) {
            result.row_y.push_back(middle);
            continue;
        }
        double row = 0;
        for (const Mark& mark : card.rows[r]) row += chip_width + 5 + text_width(mark.text, row_size) + 8;
        if (r == (beside ? 1U : 0U)) row += line;
        width = std::max(width, row);
        result.row_y.push_back(y + row_height / 2);
        y += row_height;
    }
    if (!card.note.empty()) {
        for (const std::string& text : wrapped(card.note, note_characters)) {
            width = std::max(width, text_width(text, row_size));
            if (result.note_y == 0) result.note_y = y + 11;
            y += note_height;
        }
    }
    result.box = {0, 0, std::ceil(width + 2 * card_padding), y + card_padding - 2};
    return result;
}

// ---- the whole --------------------------------------------------------------------------------------

PictureLayout layout_of(const Scene& scene) {
    PictureLayout layout;
    for (const Card& card : scene.cards) layout.cards.push_back(measured(card));
    const PictureLayout original = layout;
    place_columns(scene, layout);
    const size_t most = static_cast<size_t>((layout.width - 2 * margin) / (label_size * letter_width));
    if (scene.shows_title)
        layout.title = wrapped(scene.title, static_cast<size_t>((layout.width - 2 * margin) / (title_size * letter_width)));
    for (const std::string& sentence : scene.caption)
        for (std::string& line : wrapped(sentence, most)) layout.caption.push_back(std::move(line));
    const size_t depths = scene.columns.empty() ? 0 : scene.columns.front().scopes.size();
    const double frames_top =
        margin + title_height * static_cast<double>(layout.title.size()) + caption_height * static_cast<double>(layout.caption.size()) + 12;
    const double columns_top = frames_top + frame_head * static_cast<double>(depths) + 4;
    const double top = columns_top + column_head;
    std::vector<double> room(scene.cards.size(), 0);
    for (int round = 0; round < most_rounds; ++round) {
        place_cards(original, heights(scene, original.cards, room), top, layout);
        layout.body = {margin, frames_top, layout.width - 2 * margin, 0};
        double bottom = top + 30;
        for (const CardBox& card : layout.cards) bottom = std::max(bottom, card.box.bottom());
        const std::vector<double> before = room;
        layout.links = routed(scene, layout, room);
        for (const LinkPath& link : layout.links)
            for (const Curve& curve : link.curves) bottom = std::max({bottom, curve.from.y + 6, curve.to.y + 6});
        layout.body.height = bottom + 14 - frames_top;
        if (room == before) break;
    }
    for (ColumnBox& column : layout.columns) {
        column.box.y = columns_top;
        column.box.height = layout.body.bottom() - columns_top;
    }
    place_frames(scene, frames_top, layout);
    layout.height = layout.body.bottom() + frame_padding * static_cast<double>(depths) + margin;
    place_labels(scene, layout);
    return layout;
}

}  // namespace litmus::picture
