// Writing a drawing out, as a Graphviz graph or in words. Only program order shapes the layout of the graph (every other edge has
// constraint=false), so threads stay columns.
#include "analysis/explain/dot.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/verdict/hazards.h"
#include "base/visible.h"
#include "print/columns.h"

namespace litmus {

namespace {

// ---- Graphviz --------------------------------------------------------------------------------

// The Okabe-Ito palette: told apart by people with any kind of colour vision.
struct Look {
    std::string_view relation, colour, extra;
};
constexpr std::array<Look, 16> looks{{
    {"po", "#999999", "weight=20"},
    {"rmw", "#000000", "weight=20 style=bold"},
    {"rf", "#0072B2", "constraint=false penwidth=1.6"},
    {"co", "#D55E00", "constraint=false penwidth=1.6"},
    {"fr", "#A0527A", "constraint=false style=dashed"},
    {"sc", "#B07800", "constraint=false penwidth=1.6"},
    {"bar", "#3A8FBF", "constraint=false style=dashed"},
    {"iss", "#666666", "constraint=false style=dashed"},
    {"aio", "#666666", "constraint=false"},
    {"grp", "#3A8FBF", "constraint=false"},
    {"grid", "#3A8FBF", "constraint=false penwidth=2"},
    {"sync", "#009E73", "constraint=false penwidth=2"},
    {"obs", "#0072B2", "constraint=false style=dotted"},
    {"breach", "#D00000", "constraint=false penwidth=2.4"},
    {"race", "#D00000", "constraint=false penwidth=2.4"},
    {"undefined", "#D00000", "constraint=false penwidth=2.4"},
}};

std::string dot_escaped(std::string_view text) {
    std::string out;
    for (const char c : visible(text)) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string in_quotes(std::string_view text) {
    return "\"" + dot_escaped(text) + "\"";
}

// "po", "rf", ... with what they mean: those that are drawn.
std::vector<std::string> legend(const Drawn& picture) {
    std::vector<std::string> lines;
    for (const RelationWords& words : relation_words()) {
        const auto shows = [&](const DrawnEdge& edge) {
            return std::count(edge.relations.begin(), edge.relations.end(), words.relation) > 0;
        };
        if (std::any_of(picture.edges.begin(), picture.edges.end(), shows))
            lines.push_back(left(std::string(words.relation), 9) + "  " + std::string(words.meaning));
    }
    return lines;
}

const Look& look_of(std::string_view relation) {
    return *std::find_if(looks.begin(), looks.end(), [&](const Look& look) { return look.relation == relation; });
}

// Several relations on one pair: parallel lines, each in its colour.
std::string edge_line(const Drawn& picture, const DrawnEdge& edge) {
    std::vector<std::string_view> colours;
    for (const std::string_view relation : edge.relations) colours.push_back(look_of(relation).colour);
    const Look& first = look_of(edge.relations.front());
    std::string line = "  " + picture.name.at(edge.from) + " -> " + picture.name.at(edge.to) + " [";
    if (first.relation != "po") line += "label=" + in_quotes(" " + joined(edge.relations, ", ") + " ") + " ";
    line += "color=" + in_quotes(joined(colours, ":")) + " fontcolor=" + in_quotes(colours.back()) + " " + std::string(first.extra);
    if (edge.both_ways) line += " dir=both";
    return line + "];\n";
}

std::string_view fill(const Event& event) {
    switch (event.kind) {
        case Event::Kind::write:
            return "#FFE8D6";
        case Event::Kind::read:
            return "#DCEBF7";
        default:
            return "#EEEEEE";
    }
}

std::string node_line(const Program& program, const Drawn& picture, const Execution& execution, size_t e) {
    const std::string& id = picture.name.at(e);
    const std::string initial = picture.from_initial.contains(e) ? " (init)" : "";
    const auto line = picture.where.find(e);
    const std::string where = line == picture.where.end() ? "" : "  " + line->second;
    const std::string marked = picture.marked.contains(e) ? " color=\"#D00000\" penwidth=2.4" : "";
    return id + " [label=" + in_quotes(id + ": " + event_words(program, execution, e) + initial + where) +
           " fillcolor=" + in_quotes(fill(program.events[e])) + marked + "];\n";
}

// The boxes that threads stand in, outermost first.
class Boxes {
public:
    Boxes(const Test& test, std::function<std::string(size_t thread, const std::string& indent)> body)
        : test_(test), paths_(scope_paths(test)), body_(std::move(body)) {}

    std::string text() {
        std::vector<size_t> threads(test_.threads.size());
        for (size_t t = 0; t < threads.size(); ++t) threads[t] = t;
        return level(threads, 0, "  ");
    }

private:
    // Opens one box for each part of `threads` that agrees at this depth of their paths.
    std::string level(const std::vector<size_t>& threads, size_t depth, const std::string& indent) {
        std::string text;
        if (depth == paths_[threads.front()].size()) {
            for (const size_t t : threads) text += box(test_.threads[t].name, "solid", "#FFFFFF", body_(t, indent + "  "), indent);
            return text;
        }
        std::vector<std::pair<std::string, std::vector<size_t>>> parts;  // in order of first appearance
        for (const size_t t : threads) {
            const std::string& label = paths_[t][depth];
            const auto known = std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.first == label; });
            if (known == parts.end())
                parts.push_back({label, {t}});
            else
                known->second.push_back(t);
        }
        const std::string_view shade = depth % 2 == 0 ? "#F7F7F7" : "#EFEFEF";
        for (const auto& [label, inside] : parts) text += box(label, "dashed", shade, level(inside, depth + 1, indent + "  "), indent);
        return text;
    }

    std::string box(const std::string& label, std::string_view style, std::string_view colour, const std::string& body,
                    const std::string& indent) {
        return indent + "subgraph cluster_" + std::to_string(boxes_++) + " {\n" + indent + "  label=" + in_quotes(label) +
               " style=\"filled," + std::string(style) + "\" color=\"#AAAAAA\" fillcolor=" + in_quotes(colour) + "\n" + body + indent +
               "}\n";
    }

    const Test& test_;
    std::vector<std::vector<std::string>> paths_;
    std::function<std::string(size_t, const std::string&)> body_;
    size_t boxes_ = 0;
};

// The node at the top of a thread's box; one without events has an invisible one, or it would vanish.
std::string first_node(const Program& program, const Drawn& picture, size_t thread) {
    for (const size_t e : picture.events)
        if (program.events[e].thread == static_cast<int>(thread)) return picture.name.at(e);
    return "empty_" + std::to_string(thread);
}

// An invisible row of pegs outside all boxes, from which the threads hang in their order. (Between
// nodes inside boxes dot does not keep an order.)
std::string pegs(const Program& program, const Drawn& picture) {
    std::string row, order, strings;
    for (size_t t = 0; t < program.test->threads.size(); ++t) {
        const std::string peg = "peg_" + std::to_string(t);
        row += " " + peg + " [style=invis label=\"\" width=0 height=0];";
        order += (t == 0 ? "  " : " -> ") + peg;
        strings += "  " + peg + " -> " + first_node(program, picture, t) + " [style=invis weight=50];\n";
    }
    return "  { rank=source;" + row + " }\n" + order + " [style=invis];\n" + strings;
}

}  // namespace

std::string dot_graph(const Drawing& drawing) {
    const Program& program = drawing.program;
    const Drawn picture = drawn(drawing);
    const auto body = [&](size_t thread, const std::string& indent) {
        std::string text;
        for (const size_t e : picture.events)
            if (program.events[e].thread == static_cast<int>(thread)) text += indent + node_line(program, picture, drawing.execution, e);
        if (text.empty()) text = indent + first_node(program, picture, thread) + " [label=\"\" style=invis];\n";
        const auto stays = picture.stays.find(static_cast<int>(thread));
        if (stays != picture.stays.end())
            text += indent + "stays_" + std::to_string(thread) + " [label=" + in_quotes("waits for ever: " + stays->second) +
                    " color=\"#D00000\" fillcolor=\"#FFFFFF\"];\n";
        return text;
    };
    std::string text = "digraph " + in_quotes(program.test->name) + " {\n";
    text += "  graph [label=" + in_quotes(drawing.title) + " labelloc=t fontname=\"Helvetica\" fontsize=13 nodesep=0.6 ranksep=0.5];\n";
    text += "  node [shape=box style=\"rounded,filled\" color=\"#666666\" fontname=\"Helvetica\" fontsize=12 margin=\"0.12,0.06\"];\n";
    text += "  edge [fontname=\"Helvetica\" fontsize=11 arrowsize=0.8];\n";
    if (!program.test->threads.empty()) text += pegs(program, picture) + Boxes(*program.test, body).text();
    for (const DrawnEdge& edge : picture.edges) text += edge_line(picture, edge);
    if (drawing.legend) {
        std::string lines;
        for (const std::string& line : legend(picture)) lines += dot_escaped(line) + "\\l";  // flush left
        if (!lines.empty()) text += "  legend [shape=note style=\"\" fontname=\"Courier\" fontsize=10 label=\"" + lines + "\"];\n";
    }
    return text + "}\n";
}

namespace {

// A line for each event, under its thread: "  a: W.rlx.gpu x=1  line 8", the lines in a column.
std::string event_lines(const Drawing& drawing, const Drawn& picture) {
    const Program& program = drawing.program;
    std::map<size_t, std::string> shown;
    size_t width = 0;
    for (const size_t e : picture.events) {
        shown[e] = "  " + picture.name.at(e) + ": " + event_words(program, drawing.execution, e) +
                   (picture.from_initial.contains(e) ? " (init)" : "");
        width = std::max(width, display_width(shown[e]));
    }
    std::string text;
    for (size_t t = 0; t < program.test->threads.size(); ++t) {
        const auto mine = [&](size_t e) { return program.events[e].thread == static_cast<int>(t); };
        const auto stays = picture.stays.find(static_cast<int>(t));
        if (stays == picture.stays.end() && std::none_of(picture.events.begin(), picture.events.end(), mine)) continue;
        text += visible(program.test->threads[t].name) + "\n";
        for (const size_t e : picture.events) {
            if (!mine(e)) continue;
            const auto line = picture.where.find(e);
            text += line == picture.where.end() ? shown[e] : left(shown[e], width) + "  " + visible(line->second);
            text += picture.marked.contains(e) ? "  <--\n" : "\n";
        }
        if (stays != picture.stays.end()) text += "  waits for ever: " + visible(stays->second) + "\n";
    }
    return text;
}

}  // namespace

std::string execution_text(const Drawing& drawing) {
    const Drawn picture = drawn(drawing);
    std::string text = visible(drawing.title) + "\n" + event_lines(drawing, picture);
    for (const RelationWords& words : relation_words()) {
        std::string line;
        for (const DrawnEdge& edge : picture.edges)
            if (std::count(edge.relations.begin(), edge.relations.end(), words.relation) > 0)
                line += "  " + picture.name.at(edge.from) + (edge.both_ways ? "<->" : "->") + picture.name.at(edge.to);
        if (!line.empty()) text += std::string(words.relation) + ":" + line + "\n";
    }
    for (const std::string& line : mbarrier_stories(drawing.program, drawing.execution)) text += visible(line) + "\n";
    if (drawing.hazard != nullptr && drawing.hazard->kind != Hazard::Kind::race) {
        const HazardText hazard = explain(drawing.program, *drawing.hazard);
        const bool undefined = hazard.kind == Hazard::Kind::undefined;
        if (undefined) text += "undefined behaviour, " + visible(hazard.title) + ", at\n";
        for (const std::string& line : hazard.lines) text += (undefined ? "  " : "") + visible(line) + "\n";
    }
    if (!drawing.legend) return text;
    const std::vector<std::string> lines = legend(picture);
    for (const std::string& line : lines) text += (&line == &lines.front() ? "\n  " : "  ") + line + "\n";
    return text;
}

}  // namespace litmus
