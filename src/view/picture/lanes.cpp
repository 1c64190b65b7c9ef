// A pipeline is understood by who has a slot when: the producer fills it, a phase of an mbarrier completes, the consumer has it, and gives
// it back. In a graph that is read off many arrows; in a chart it is the order of blocks in rows, and colours.
//
// When a step is: the same orders by which the graph stands from top to bottom (place.cpp) are steps of one length here. A step comes as
// early as what must come before it allows, so steps at one time are in no order, and what the picture says of time is what the execution
// says.
//
// Who has a piece of memory: the lane of whoever accessed it, from its first access until its last one before another lane's. Each lane has
// its colour, and what it has is painted so. Where two accesses are in no order though they should be (the race, or the rule that is
// broken), both lanes have the memory over the whole stretch between the two: the colours meet, and that is what is wrong.
#include "view/picture/lanes.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "base/visible.h"
#include "print/columns.h"
#include "view/picture/layout.h"
#include "view/picture/shapes.h"
#include "view/picture/sketch.h"
#include "view/picture/style.h"

namespace litmus {

namespace picture {

namespace {

// By card the step at which it stands.
std::vector<size_t> times_of(const Scene& scene) {
    constexpr double step = 1000;  // what stands under another is at least as far down as a card is high: much more than any gap
    std::vector<CardBox> cards(scene.cards.size());
    for (CardBox& card : cards) card.box.height = step;
    std::vector<size_t> times;
    for (const double y : heights(scene, cards, std::vector<double>(cards.size(), 0))) times.push_back(static_cast<size_t>(y / step));
    return times;
}

// "arrive" of "mbarrier.arrive.expect_tx.release...", "cp" of "cp.async.bulk...".
std::string verb_of(const std::string& mnemonic) {
    const size_t dot = mnemonic.find('.');
    const std::string first = mnemonic.substr(0, dot);
    if (first != "mbarrier" || dot == std::string::npos) return first;
    const std::string second = mnemonic.substr(dot + 1, mnemonic.find('.', dot + 1) - dot - 1);
    return second == "try_wait" || second == "test_wait" ? "wait" : second;
}

class Maker {
public:
    explicit Maker(const Sketch& sketch) : sketch_(sketch), times_(times_of(sketch.scene)) {}

    Chart run() {
        for (size_t c = 0; c < sketch_.scene.cards.size(); ++c) add_step(c);
        for (const size_t time : times_) chart_.length = std::max(chart_.length, time + 1);
        for (size_t column = 0; column < sketch_.scene.columns.size(); ++column)
            if (sketch_.scene.columns[column].kind == Column::Kind::mbarrier) stretch_states(column);
        add_slots();
        return std::move(chart_);
    }

private:
    void add_step(size_t c) {
        const Card& card = sketch_.scene.cards[c];
        Chart::Step step{card.column, times_[c], times_[c] + 1, card.source, {}, c, card.marked};
        const bool has_event = !card.rows.empty();
        const Event* event = has_event ? &sketch_.event(card.rows.front().front().event) : nullptr;
        switch (card.kind) {
            case Card::Kind::instruction:
            case Card::Kind::operation:
                if (event == nullptr || event->instruction < 0) break;
                step.verb = verb_of(instruction(*event).mnemonic);
                for (const auto& row : card.rows)
                    for (const Mark& mark : row)
                        if (sketch_.event(mark.event).cell >= 0) step.object = name_of(sketch_.event(mark.event).cell);
                break;
            case Card::Kind::completion:
                step.verb = "completes";
                if (event != nullptr && event->cell >= 0) step.object = name_of(event->cell);
                break;
            case Card::Kind::state:
                step.object = card.note;
                break;
            case Card::Kind::stays:
                step.verb = "stays";
                break;
            default:
                break;
        }
        chart_.steps.push_back(std::move(step));
    }

    const Instruction& instruction(const Event& event) const {
        return sketch_.program().test->threads[static_cast<size_t>(event.thread)].body[static_cast<size_t>(event.instruction)];
    }

    // Of the location, without the element and the CTA.
    std::string name_of(int cell) const {
        const Cell& its = sketch_.program().cells[static_cast<size_t>(cell)];
        const std::string name = its.is_mbarrier ? its.name : sketch_.program().test->locations[static_cast<size_t>(its.location)].name;
        return visible(name.substr(0, name.find('@')));
    }

    void stretch_states(size_t column) {
        Chart::Step* before = nullptr;
        for (Chart::Step& step : chart_.steps) {  // states stand in their order
            if (step.column != column) continue;
            if (before != nullptr) before->until = std::max(step.time, before->time + 1);
            before = &step;
        }
        if (before != nullptr) before->until = chart_.length;
    }

    struct Access {
        size_t time = 0, column = 0, event = 0;
    };

    // Elements of an array that the same cards access are one slot: those of another slot have other cards.
    void add_slots() {
        std::map<int, std::set<size_t>> cards;  // by cell
        std::map<int, std::vector<Access>> accesses;
        for (const auto& [event, spot] : sketch_.spot_of) {
            const Event& its = sketch_.event(event);
            if (its.cell < 0 || sketch_.on_mbarrier(event) || its.thread < 0) continue;
            cards[its.cell].insert(spot.card);
            accesses[its.cell].push_back({times_[spot.card], sketch_.scene.cards[spot.card].column, event});
        }
        std::map<std::tuple<int, int, std::set<size_t>>, int> slot_of;  // by location, instance and cards: its first cell
        std::map<std::pair<int, int>, size_t> slots_in;                 // by location and instance
        for (const auto& [cell, its] : cards) {
            const Cell& known = sketch_.program().cells[static_cast<size_t>(cell)];
            if (is_used_by_several(accesses[cell]) && slot_of.emplace(std::tuple(known.location, known.instance, its), cell).second)
                ++slots_in[{known.location, known.instance}];
        }
        for (const auto& [key, cell] : slot_of) {
            const Cell& known = sketch_.program().cells[static_cast<size_t>(cell)];
            const bool alone = slots_in[{known.location, known.instance}] == 1;
            const size_t slot = chart_.slots.size();
            chart_.slots.push_back(name_of(cell) + (alone ? "" : "[" + std::to_string(known.element) + "]"));
            std::vector<Access>& all = accesses[cell];
            std::stable_sort(all.begin(), all.end(), [](const Access& a, const Access& b) { return a.time < b.time; });
            add_holds(slot, all);
        }
    }

    static bool is_used_by_several(const std::vector<Access>& all) {
        return std::any_of(all.begin(), all.end(), [&](const Access& access) { return access.column != all.front().column; });
    }

    void add_holds(size_t slot, const std::vector<Access>& accesses) {
        std::vector<Chart::Hold> holds;
        for (const Access& access : accesses) {
            if (holds.empty() || holds.back().column != access.column) holds.push_back({slot, access.column, access.time, 0});
            holds.back().until = access.time + 1;
        }
        std::vector<Chart::Hold> contested;
        for (const Access& a : accesses)
            for (const Access& b : accesses) {
                if (a.column >= b.column || !is_wrong(a.event, b.event)) continue;
                const size_t from = std::min(a.time, b.time), until = std::max(a.time, b.time) + 1;
                for (const size_t column : {a.column, b.column}) add_contested(contested, {slot, column, from, until, true});
            }
        for (const Chart::Hold& hold : holds)
            if (!is_within(hold, contested)) chart_.holds.push_back(hold);
        chart_.holds.insert(chart_.holds.end(), contested.begin(), contested.end());
    }

    static bool is_within(const Chart::Hold& hold, const std::vector<Chart::Hold>& contested) {
        return std::any_of(contested.begin(), contested.end(),
                           [&](const Chart::Hold& other) { return other.time <= hold.time && other.until >= hold.until; });
    }

    // What one lane contests in several ways is one stretch.
    static void add_contested(std::vector<Chart::Hold>& all, const Chart::Hold& hold) {
        for (Chart::Hold& known : all)
            if (known.column == hold.column) {
                known.time = std::min(known.time, hold.time);
                known.until = std::max(known.until, hold.until);
                return;
            }
        all.push_back(hold);
    }

    // Whether the hazard is about these two.
    bool is_wrong(size_t a, size_t b) const {
        if (sketch_.drawing.hazard == nullptr) return false;
        const auto& pairs = sketch_.drawing.hazard->pairs;
        return std::any_of(pairs.begin(), pairs.end(), [&](const Relation::Pair& one) {
            return (one.first == a && one.second == b) || (one.first == b && one.second == a);
        });
    }

    const Sketch& sketch_;
    const std::vector<size_t> times_;
    Chart chart_;
};

// ---- the drawing ----------------------------------------------------------------------------------

constexpr double chart_margin = 12, names_width = 116, step_width = 66, lane_height = 34, slot_row = 22, line_gap = 20;
constexpr size_t steps_in_a_line = 13;
constexpr size_t colours_of_lanes = 6;  // style.cpp has them

class Painter {
public:
    Painter(const Drawing& drawing, const PictureOptions& options)
        : options_(options), sketch_(sketch_of(drawing, options)), chart_(chart_of(sketch_)) {}

    std::string run() {
        width_ = 2 * chart_margin + names_width + step_width * static_cast<double>(std::clamp<size_t>(chart_.length, 4, steps_in_a_line));
        y_ = chart_margin;
        std::string body;
        for (const std::string& line : caption()) {
            body += text_at({chart_margin, y_ + 10}, "caption", line) + "\n";
            y_ += caption_height;
        }
        if (y_ > chart_margin) y_ += 6;
        for (size_t from = 0; from < chart_.length; from += steps_in_a_line)
            body += line(from, std::min(from + steps_in_a_line, chart_.length));
        const double height = y_ + chart_margin - line_gap;
        const std::string& title = sketch_.scene.title;
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"litmus-picture chart alarm-" + std::string(sketch_.scene.alarm) +
               "\" role=\"graphics-document\"" + attribute("aria-label", title + ": in time") + " width=\"" + number(width_) +
               "\" height=\"" + number(height) + "\" viewBox=\"0 0 " + number(width_) + " " + number(height) + "\">\n<title>" +
               in_xml(title) + "</title>\n" + (options_.style ? "<style>" + picture_style() + "</style>\n" : "") +
               rectangle({0, 0, width_, height}, 0, "paper") + "\n" + body + "</svg>\n";
    }

private:
    std::vector<std::string> caption() const {
        std::vector<std::string> lines;
        const auto most = static_cast<size_t>((width_ - 2 * chart_margin) / (label_size * letter_width));
        std::vector<std::string> sentences = sketch_.scene.caption;
        const bool contested = std::any_of(chart_.holds.begin(), chart_.holds.end(), [](const Chart::Hold& h) { return h.contested; });
        if (contested) sentences.emplace_back("Where two colours meet, both have the memory at one time.");
        for (const std::string& sentence : sentences)
            for (std::string& one : wrapped(sentence, most)) lines.push_back(std::move(one));
        return lines;
    }

    std::string colour_of(size_t column) const {
        size_t place = 0;
        for (size_t c = 0; c < column; ++c)
            if (sketch_.scene.columns[c].kind != Column::Kind::mbarrier) ++place;
        return "lane-" + std::to_string(place % colours_of_lanes);
    }

    double x_of(size_t time) const { return chart_margin + names_width + step_width * static_cast<double>(time - from_); }

    // A line of the chart: the rows in which something is at these times.
    std::string line(size_t from, size_t until) {
        from_ = from;
        until_ = until;
        const double top = y_;
        std::string rows;
        for (size_t c = 0; c < sketch_.scene.columns.size(); ++c) {
            const bool any = std::any_of(chart_.steps.begin(), chart_.steps.end(), [&](const Chart::Step& step) {
                return step.column == c && step.time < until && step.time >= from;
            });
            if (any) rows += lane(c);
        }
        for (size_t slot = 0; slot < chart_.slots.size(); ++slot) {
            const bool any = std::any_of(chart_.holds.begin(), chart_.holds.end(), [&](const Chart::Hold& hold) {
                return hold.slot == slot && hold.time < until && hold.until > from;
            });
            if (any) rows += slot_lane(slot);
        }
        std::string grid;
        for (size_t time = from; time <= until; ++time)
            grid += "<path class=\"tick\" d=\"M" + point({x_of(time), top}) + "V" + number(y_ - 2) + "\"/>";
        y_ += line_gap;
        return "<g class=\"time\">" + grid + "</g>\n" + rows;
    }

    std::string lane(size_t c) {
        const Column& column = sketch_.scene.columns[c];
        const bool object = column.kind == Column::Kind::mbarrier;
        std::string text = "<g class=\"row " + std::string(object ? "mbarrier" : colour_of(c)) + "\">";
        text += rectangle({chart_margin, y_ + 3, names_width - 8, lane_height - 6}, 5, "name");
        text += text_at({chart_margin + 8, y_ + 15}, "lane-title", cut(column.title.substr(0, column.title.find('@')), 14)) +
                text_at({chart_margin + 8, y_ + 27}, "lane-words", cut(column.subtitle, 17));
        for (const Chart::Step& step : chart_.steps) {
            if (step.column != c || step.time >= until_ || step.until <= from_) continue;
            const double from = x_of(std::max(step.time, from_)), until = x_of(std::min(step.until, until_));
            std::string style = object ? phase_of(step) % 2 == 0 ? "phase" : "phase odd" : "step";
            if (step.marked) style += " marked";
            text += "<g class=\"" + style + "\"><title>" + in_xml(told(step)) + "</title>" +
                    rectangle({from + 1.5, y_ + 4, until - from - 3, lane_height - 8}, 4, "block");
            const auto letters = static_cast<size_t>((until - from - 6) / (9.5 * letter_width));
            text += text_at({from + 5, y_ + 16}, "verb", cut(step.verb, letters)) +
                    text_at({from + 5, y_ + 27}, "object", cut(step.object, letters));
            text += "</g>";
        }
        y_ += lane_height;
        return text + "</g>\n";
    }

    // The number at the end of "phase 3"; 0 of an object that is not initialised.
    static int phase_of(const Chart::Step& step) {
        const size_t digits = step.verb.find_first_of("0123456789");
        return digits == std::string::npos ? 0 : std::atoi(step.verb.c_str() + digits);
    }

    std::string slot_lane(size_t slot) {
        std::string text = "<g class=\"row slot\">" + text_at({chart_margin + 8, y_ + 15}, "lane-title", cut(chart_.slots[slot], 14));
        for (const Chart::Hold& hold : chart_.holds) {
            if (hold.slot != slot || hold.time >= until_ || hold.until <= from_) continue;
            const double from = x_of(std::max(hold.time, from_)), until = x_of(std::min(hold.until, until_));
            Box box{from + 1.5, y_ + 4, until - from - 3, slot_row - 8};
            if (is_shared(hold)) {  // each has its half
                if (!is_upper(hold)) box.y += box.height / 2;
                box.height /= 2;
            }
            text += "<g class=\"" + colour_of(hold.column) + (hold.contested ? " contested" : "") + "\"><title>" +
                    in_xml(chart_.slots[slot] + ": " + lane_words(hold.column)) + "</title>" + rectangle(box, 3, "hold") + "</g>";
            if (hold.contested && is_upper(hold)) text += rectangle({box.x - 2, y_ + 1, box.width + 4, slot_row - 2}, 5, "clash");
        }
        y_ += slot_row;
        return text + "</g>\n";
    }

    static bool are_at_once(const Chart::Hold& a, const Chart::Hold& b) {
        return a.slot == b.slot && a.column != b.column && a.time < b.until && b.time < a.until;
    }

    // Whether another lane has the memory at some of these times.
    bool is_shared(const Chart::Hold& hold) const {
        return std::any_of(chart_.holds.begin(), chart_.holds.end(), [&](const Chart::Hold& other) { return are_at_once(hold, other); });
    }

    // Of those that have it the lane that stands above the others.
    bool is_upper(const Chart::Hold& hold) const {
        return std::none_of(chart_.holds.begin(), chart_.holds.end(),
                            [&](const Chart::Hold& other) { return are_at_once(hold, other) && other.column < hold.column; });
    }

    std::string lane_words(size_t c) const {
        const Column& column = sketch_.scene.columns[c];
        return column.title + (column.kind == Column::Kind::operations ? " " + column.subtitle : "");
    }

    // What a reader who points at a block gets.
    std::string told(const Chart::Step& step) const {
        const Card& card = sketch_.scene.cards[step.card];
        std::string text = card.source;
        if (!card.where.empty()) text += " (" + card.where + ")";
        for (const auto& its : card.rows)
            for (const Mark& mark : its)
                if (!mark.text.empty()) text += "\n" + mark.letter + ": " + mark.text;
        return card.note.empty() ? text : text + "\n" + card.note;
    }

    static std::string cut(const std::string& text, size_t most) {
        if (display_width(text) <= most) return text;
        return most < 2 ? std::string() : text.substr(0, most - 1) + "\u2026";
    }

    const PictureOptions& options_;
    const Sketch sketch_;
    const Chart chart_;
    double width_ = 0, y_ = 0;
    size_t from_ = 0, until_ = 0;  // the steps of the line that is drawn
};

}  // namespace

Chart chart_of(const Sketch& sketch) {
    return Maker(sketch).run();
}

}  // namespace picture

std::string lanes_picture(const Drawing& drawing, const PictureOptions& options) {
    return picture::Painter(drawing, options).run();
}

}  // namespace litmus
