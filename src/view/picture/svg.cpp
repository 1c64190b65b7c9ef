// Writing a layout out. There are no ids and no references to them, so that many pictures may stand in one page: arrow heads are
// shapes of their own.
#include "view/picture/svg.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "print/columns.h"
#include "view/picture/layout.h"
#include "view/picture/shapes.h"
#include "view/picture/style.h"

namespace litmus {

namespace {

using namespace picture;

std::string_view sort_of(const Event& event) {
    switch (event.kind) {
        case Event::Kind::read:
            return "read";
        case Event::Kind::write:
        case Event::Kind::init:
            return "write";
        default:
            return "other";
    }
}

std::string_view sort_of(Card::Kind kind) {
    switch (kind) {
        case Card::Kind::instruction:
            return "instruction";
        case Card::Kind::operation:
            return "operation";
        case Card::Kind::completion:
            return "completion";
        case Card::Kind::state:
            return "state-card";
        case Card::Kind::initial:
            return "initial";
        case Card::Kind::exit:
            return "exit";
        case Card::Kind::stays:
            return "stays";
        case Card::Kind::missing:
            return "missing";
    }
    return {};
}

class Writer {
public:
    Writer(const Drawing& drawing, const PictureOptions& options)
        : drawing_(drawing), options_(options), scene_(scene_of(drawing, options)), layout_(layout_of(scene_)) {}

    std::string run() {
        std::string body;
        body += headline();
        for (const FrameBox& frame : layout_.frames) body += frame_text(frame);
        for (size_t c = 0; c < scene_.columns.size(); ++c) body += column(c);
        for (const bool strong : {false, true}) {
            for (size_t l = 0; l < scene_.links.size(); ++l)
                if (scene_.links[l].strong == strong && scene_.links[l].kind != picture::Link::Kind::inside) body += link(l);
            if (!strong)
                for (size_t c = 0; c < scene_.cards.size(); ++c) body += card(c);
        }
        for (size_t l = 0; l < scene_.links.size(); ++l)
            if (scene_.links[l].kind == picture::Link::Kind::inside) body += link(l);
        double height = layout_.height;
        if (options_.legend) body += legend(height);
        const std::string size = number(layout_.width) + " " + number(height);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"litmus-picture alarm-" + std::string(scene_.alarm) +
               (is_quiet() ? "" : " has-strong") + "\" role=\"graphics-document\"" + attribute("aria-label", scene_.title) + " width=\"" +
               number(layout_.width) + "\" height=\"" + number(height) + "\" viewBox=\"0 0 " + size + "\">\n<title>" +
               in_xml(scene_.title) + "</title>\n" + (options_.style ? "<style>" + picture_style() + "</style>\n" : "") +
               rectangle({0, 0, layout_.width, height}, 0, "paper") + "\n" + body + "</svg>\n";
    }

private:
    bool is_quiet() const {
        return std::none_of(scene_.links.begin(), scene_.links.end(), [](const picture::Link& link) { return link.strong; }) &&
               std::none_of(scene_.cards.begin(), scene_.cards.end(), [](const Card& card) { return card.marked; });
    }

    std::string headline() const {
        std::string text;
        double y = 27;
        for (const std::string& line : layout_.title) {
            text += text_at({16, y}, "title", line) + "\n";
            y += title_height;
        }
        for (const std::string& line : layout_.caption) {
            text += text_at({16, y - 1}, "caption", line) + "\n";
            y += caption_height;
        }
        return text;
    }

    static std::string frame_text(const FrameBox& frame) {
        return "<g class=\"frame\">" + rectangle(frame.box, 10, frame.depth % 2 == 0 ? "frame-even" : "frame-odd") +
               text_at({frame.box.x + 10, frame.box.y + 15}, "frame-label", frame.label) + "</g>\n";
    }

    std::string column(size_t c) const {
        const Column& its = scene_.columns[c];
        const Box& box = layout_.columns[c].box;
        const double middle = box.x + box.width / 2;
        std::string style = "column";
        if (its.kind == Column::Kind::operations) style += " operations proxy-" + std::string(name(its.proxy));
        if (its.kind == Column::Kind::mbarrier) style += " mbarrier";
        std::string text = "<g" + attribute("class", style) + ">";
        if (its.kind != Column::Kind::thread) text += rectangle({box.x - 7, box.y, box.width + 14, box.height - 2}, 9, "lane");
        text += text_at({middle, box.y + 17}, "column-title", its.title) + text_at({middle, box.y + 31}, "column-subtitle", its.subtitle);
        return text + "</g>\n";
    }

    std::string card(size_t c) const {
        const Card& its = scene_.cards[c];
        const CardBox& at = layout_.cards[c];
        const Column& column = scene_.columns[its.column];
        std::string style = "card " + std::string(sort_of(its.kind));
        if (column.kind == Column::Kind::operations) style += " proxy-" + std::string(name(column.proxy));
        if (its.marked) style += " marked";
        std::string text = "<g" + attribute("class", style);
        if (its.kind == Card::Kind::state) {
            text = "<g" + attribute("class", style + " state") + attribute("data-cell", its.object);
            text += attribute("data-event", its.rows.empty() ? "" : its.rows.front().front().letter);
        }
        text += ">" + rectangle(at.box, 6, "box");
        const bool beside = !its.rows.empty() && its.rows.front().size() == 1 && its.rows.front().front().text.empty();
        const double x = at.box.x + card_padding;
        for (size_t r = 0; r < its.rows.size(); ++r) text += row(its, at, r);
        text += text_at({x + (beside ? chip_width + 5 : 0), at.source_y}, "source", its.source);
        if (!its.note.empty()) {
            double y = at.note_y;
            for (const std::string& line : wrapped(its.note, note_characters)) {
                text += text_at({x, y}, "note", line);
                y += note_height;
            }
        }
        if (its.line > 0) {
            const double y = its.rows.size() > (beside ? 1U : 0U) ? at.row_y[beside ? 1 : 0] + 4 : at.source_y;
            text += text_at({at.box.right() - card_padding, y}, "line", its.where);
        }
        return text + "</g>\n";
    }

    std::string row(const Card& its, const CardBox& at, size_t r) const {
        std::string text;
        double x = at.box.x + card_padding;
        for (const Mark& mark : its.rows[r]) {
            const bool names = its.kind == Card::Kind::initial || its.kind == Card::Kind::exit;
            if (names) continue;
            const double y = at.row_y[r];
            if (its.kind != Card::Kind::state)
                text +=
                    "<g class=\"event\"" + attribute("data-event", mark.letter) + attribute("data-line", std::to_string(its.line)) + ">";
            text += rectangle({x, y - 7, chip_width, 14}, 4, "chip " + std::string(sort_of(drawing_.program.events[mark.event])));
            text += text_at({x + chip_width / 2, y + 3.7}, "letter", mark.letter);
            if (!mark.text.empty()) text += text_at({x + chip_width + 5, y + 3.8}, "words", mark.text);
            if (its.kind != Card::Kind::state) text += "</g>";
            x += chip_width + 5 + text_width(mark.text, row_size) + 8;
        }
        return text;
    }

    // ---- links ----------------------------------------------------------------------------------

    static std::string head(Point tip, Point behind, double size) {
        const double dx = tip.x - behind.x, dy = tip.y - behind.y, length = std::max(0.001, std::hypot(dx, dy));
        const double x = dx / length, y = dy / length;
        const Point back{tip.x - size * x, tip.y - size * y};
        const double half = size * 0.45;
        return "<path class=\"head\" d=\"M" + point(tip) + "L" + point({back.x - y * half, back.y + x * half}) + "L" +
               point({back.x + y * half, back.y - x * half}) + "Z\"/>";
    }

    // What a reader with the keyboard, or who does not see, gets of a link: "rf from b to c: reads from: ...".
    static std::string reader_words(const picture::Link& its) {
        if (its.kind != picture::Link::Kind::beside) return {};
        const std::string ends = " from " + its.from_event + " to " + its.to_event;
        return " tabindex=\"0\" role=\"img\"" +
               attribute("aria-label", joined(its.relations, ", ") + ends + ": " + joined(its.meanings, "; "));
    }

    std::string link(size_t l) const {
        const picture::Link& its = scene_.links[l];
        const LinkPath& path = layout_.links[l];
        std::string style = "edge " + joined(its.relations, " ");
        if (its.kind != picture::Link::Kind::beside) style += " short";
        if (its.strong) style += " strong";
        if (its.missing) style += " no-order";
        std::string text = "<g" + attribute("class", style) + reader_words(its) + attribute("data-relation", joined(its.relations, " ")) +
                           attribute("data-meaning", joined(its.meanings, "; ")) + attribute("data-section", joined(its.sections, "; ")) +
                           attribute("data-from", its.from_event) + attribute("data-to", its.to_event) + ">";
        std::string d = "M" + point(path.curves.front().from);
        for (const Curve& curve : path.curves) d += "C" + point(curve.first) + " " + point(curve.second) + " " + point(curve.to);
        if (its.strong) text += "<path class=\"glow\" d=\"" + d + "\"/>";
        text += "<path class=\"hit\" d=\"" + d + "\"/><path class=\"line\" d=\"" + d + "\"/>";
        const Curve &first = path.curves.front(), &last = path.curves.back();
        const double size = its.kind == picture::Link::Kind::inside ? 3 : its.strong ? 9 : 7;
        if (!its.missing) text += head(last.to, litmus::picture::at(last, 0.93), size);
        if (its.both_ways && !its.missing) text += head(first.from, litmus::picture::at(first, 0.07), size);
        if (!its.label.empty())
            text +=
                rectangle(path.label, 4, "pill") + text_at({path.label.x + path.label.width / 2, path.label.y + 11}, "label", its.label);
        return text + "</g>\n";
    }

    // ---- the legend -----------------------------------------------------------------------------

    // What is drawn, in words; makes the picture higher.
    std::string legend(double& height) const {
        std::string text = "<g class=\"legend\">\n";
        std::set<std::string_view> told;
        double y = height + 4;
        const size_t most = static_cast<size_t>((layout_.width - 32 - 96) / (label_size * letter_width));
        for (const picture::Link& link : scene_.links)
            for (size_t r = link.kind == picture::Link::Kind::down && link.relations.front() == "co" ? 1 : 0; r < link.relations.size();
                 ++r) {
                if (!told.insert(link.relations[r]).second) continue;
                const std::string section = r < link.sections.size() ? " (ISA " + link.sections[r] + ")" : "";
                text += "<g class=\"edge " + std::string(link.relations[r]) + (link.missing ? " no-order strong" : "") +
                        "\"><path class=\"line\" d=\"M16," + number(y - 4) + "L44," + number(y - 4) + "\"/>" +
                        (link.missing ? "" : head({46, y - 4}, {40, y - 4}, 7)) + "</g>" +
                        text_at({52, y}, "legend-name", link.relations[r]);
                for (const std::string& line : wrapped(link.meanings[r] + section, most)) {
                    text += text_at({112, y}, "legend-words", line) + "\n";
                    y += 15;
                }
            }
        height = y + 4;
        return text + "</g>\n";
    }

    const Drawing& drawing_;
    const PictureOptions& options_;
    const Scene scene_;
    const PictureLayout layout_;
};

}  // namespace

std::string svg_picture(const Drawing& drawing, const PictureOptions& options) {
    return Writer(drawing, options).run();
}

}  // namespace litmus
