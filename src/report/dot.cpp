// Drawing an execution.
//
// First the picture is made as data: which events are shown under which letters, and which edges join
// them. Transitive relations are shown by their least generators: po and co by their immediate pairs,
// fr by the first write that overwrites what was read. Initial writes have no box of their own: a
// read of one says so, and that it is first in co is true of all. Then one of two printers writes it
// out. Only program order shapes the layout (every other edge has constraint=false), so threads stay
// columns.
#include "report/dot.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/visible.h"
#include "cat/evaluate.h"
#include "explain/hazards.h"
#include "report/columns.h"

namespace litmus {

namespace {

// ---- what is shown ---------------------------------------------------------------------------

struct Edge {
    size_t from = 0, to = 0;
    std::vector<std::string_view> relations;
    bool both_ways = false;
};

struct Picture {
    std::vector<size_t> events;          // in order of letters: by thread, in program order
    std::map<size_t, int> line;          // event -> in the test's text
    std::map<int, std::string> stays;    // thread -> where it waits for ever
    EventSet marked;                     // what the hazard is about
    std::map<size_t, std::string> name;  // event -> "a"
    std::vector<Edge> edges;
    EventSet from_initial;  // reads of an initial write
};

// a, b, ..., z, aa, ab, ...
std::string letters(size_t index) {
    std::string text;
    for (size_t n = index + 1; n > 0; n = (n - 1) / 26) text.insert(text.begin(), static_cast<char>('a' + (n - 1) % 26));
    return text;
}

// Pairs of a transitive relation that no third element of it lies between.
Relation reduced(const Relation& transitive) {
    return transitive - sequence(transitive, transitive);
}

bool is_shown(const Program& program, const Execution& execution, size_t e) {
    const Event::Kind kind = program.events[e].kind;
    return execution.executed.contains(e) && kind != Event::Kind::init && kind != Event::Kind::exit;
}

std::vector<size_t> shown_events(const Program& program, const Execution& execution) {
    std::vector<size_t> shown;
    for (size_t e = 0; e < program.size(); ++e)
        if (is_shown(program, execution, e)) shown.push_back(e);
    std::stable_sort(shown.begin(), shown.end(), [&](size_t a, size_t b) { return program.events[a].thread < program.events[b].thread; });
    return shown;
}

EventSet reads_of_initial(const Program& program, const Relation& rf) {
    EventSet reads(program.size());
    for (const auto& [write, read] : rf.pairs())
        if (program.events[write].kind == Event::Kind::init) reads.add(read);
    return reads;
}

// The relation that the model binds to `name` last; nothing when it has none.
Relation named_relation(const Model& model, Evaluation& evaluation, std::string_view name, size_t size) {
    for (size_t n = model.nodes.size(); n-- > 0;) {
        const Node& node = model.nodes[n];
        if (node.name == name && !node.is_set && node.op != Node::Op::base) return evaluation.value(static_cast<NodeId>(n)).relation;
    }
    return Relation(size);
}

// Collects edges; relations on one pair of events become one edge.
class Painter {
public:
    Painter(Picture& picture, const EventSet& shown) : picture_(picture), visible_(Relation::product(shown, shown)) {}

    void paint(Relation relation, std::string_view name) {
        relation &= visible_;
        for (const auto& [from, to] : relation.pairs()) {
            const bool back = from != to && relation.contains(to, from);
            if (back && to < from) continue;  // drawn once, with two heads
            add(from, to, name, back);
        }
    }

private:
    void add(size_t from, size_t to, std::string_view name, bool both_ways) {
        for (Edge& edge : picture_.edges)
            if (edge.from == from && edge.to == to && edge.both_ways == both_ways && edge.relations.front() != "po") {
                edge.relations.push_back(name);
                return;
            }
        picture_.edges.push_back({from, to, {name}, both_ways});
    }

    Picture& picture_;
    Relation visible_;
};

// Whether the pairs of a hazard are drawn: those of a race, and of undefined behaviour.
bool has_marks(const Hazard* hazard) {
    return hazard != nullptr && (hazard->kind == Hazard::Kind::race || hazard->kind == Hazard::Kind::undefined);
}

// What a hazard adds: marks on its events, and where threads stay. Gives its pairs, both ways.
Relation mark_hazard(Picture& picture, const Program& program, const Hazard* hazard) {
    Relation pairs(program.size());
    picture.marked = EventSet(program.size());
    if (hazard == nullptr) return pairs;
    for (const size_t b : hazard->stuck) {
        const Blocked& blocked = program.blocked[b];
        picture.stays[blocked.thread] = describe_instruction(program, blocked.thread, blocked.instruction);
    }
    if (!has_marks(hazard)) return pairs;
    for (const auto& [a, b] : hazard->pairs) {
        picture.marked.add(a);
        picture.marked.add(b);
        if (a == b) continue;
        pairs.add(a, b);
        pairs.add(b, a);
    }
    return pairs;
}

// The edges that a derivation is made of, as far as they are drawn.
void collect_steps(const Model& model, const Derivation& d, Relation& steps) {
    const Node& node = model.nodes[d.node];
    const bool is_edge = node.op == Node::Op::base && !node.is_set && !is_about_events(node.name);
    if (d.absent) return;
    if (is_edge || node.name == "fr" || node.name == "sync" || node.name == "observation") {
        steps.add(d.from, d.to);
    } else {
        for (const Derivation& part : d.parts) collect_steps(model, part, steps);
    }
}

// The steps on which the execution breaks an axiom; the events are marked.
Relation mark_breach(Picture& picture, const Drawing& drawing) {
    Relation steps(drawing.program.size());
    if (drawing.breach == nullptr) return steps;
    for (const size_t e : drawing.breach->events) picture.marked.add(e);
    for (const Derivation& d : drawing.breach->derivations) collect_steps(drawing.model, d, steps);
    return steps - Relation::identity(steps.size());
}

Picture make_picture(const Drawing& drawing) {
    const Program& program = drawing.program;
    const Execution& execution = drawing.execution;
    Picture picture;
    picture.events = shown_events(program, execution);
    if (program.test->source)
        for (const size_t e : picture.events) picture.line[e] = position(*program.test->source, span_of(program, e).begin).line;
    EventSet shown(program.size());
    for (size_t i = 0; i < picture.events.size(); ++i) {
        picture.name[picture.events[i]] = letters(i);
        shown.add(picture.events[i]);
    }

    const auto base = [&](std::string_view name) { return base_relation(execution, name); };
    const Relation po = base("po") & Relation::product(shown, shown);
    const Relation rmw = base("rmw");
    const Relation rf = base("rf");
    const Relation co = transitive_closure(base("co"));
    const Relation fr = sequence(rf.inverse(), co) - Relation::identity(program.size());
    const Relation barriers = base("syncbar") | base("clusterbar");
    Evaluation evaluation(drawing.model, execution);
    const Relation sync = named_relation(drawing.model, evaluation, "sync", program.size());
    const Relation observation = named_relation(drawing.model, evaluation, "observation", program.size());
    picture.from_initial = reads_of_initial(program, rf);

    Painter painter(picture, shown);
    painter.paint(reduced(po) - rmw, "po");
    painter.paint(rmw, "rmw");
    painter.paint(rf, "rf");
    painter.paint(reduced(co), "co");
    painter.paint(fr - sequence(fr, co) - po, "fr");  // along po it goes without saying
    painter.paint(reduced(transitive_closure(base("sc"))), "sc");
    painter.paint(barriers - po, "bar");
    painter.paint(base("iss"), "iss");
    painter.paint(reduced(transitive_closure(base("aio"))) - rmw, "aio");
    painter.paint(base("grp"), "grp");
    painter.paint(sync - barriers - base("sc") - po, "sync");
    painter.paint(observation - rf - rmw - po, "obs");
    const Relation harm = mark_hazard(picture, program, drawing.hazard);
    painter.paint(mark_breach(picture, drawing), "breach");
    painter.paint(harm, has_marks(drawing.hazard) && drawing.hazard->kind == Hazard::Kind::race ? "race" : "undefined");
    return picture;
}

// ---- one event in words ----------------------------------------------------------------------

const Instruction* instruction_of(const Program& program, const Event& event) {
    if (event.thread < 0 || event.instruction < 0) return nullptr;
    return &program.test->threads[static_cast<size_t>(event.thread)].body[static_cast<size_t>(event.instruction)];
}

// "x", or "s (x)" when the instruction reaches x under the name of an alias.
std::string place(const Program& program, const Event& event) {
    const std::string& cell = program.cells[static_cast<size_t>(event.cell)].name;
    const Instruction* instruction = instruction_of(program, event);
    if (instruction == nullptr) return cell;
    for (const Operand& operand : instruction->operands) {
        if (operand.kind != Operand::Kind::address || operand.indirect) continue;
        const Location* location = find_location(*program.test, operand.name);
        if (location != nullptr && !location->alias_of.empty()) return operand.name + " (" + cell + ")";
    }
    return cell;
}

std::string_view short_name(Sem sem) {
    constexpr std::array<std::string_view, 6> names{"", "rlx", "acq", "rel", "acq_rel", "sc"};
    return names[static_cast<size_t>(sem)];
}

std::string with_dot(std::string_view text) {
    return text.empty() ? std::string() : "." + std::string(text);
}

std::string qualifiers(const Event& event) {
    std::string text = with_dot(short_name(event.sem));
    if (event.scope != Scope::none && event.sem != Sem::weak) text += with_dot(name(event.scope));
    return text;
}

std::string barrier_words(const Program& program, const Event& event) {
    const Instruction* instruction = instruction_of(program, event);
    if (instruction == nullptr) return "B";
    std::string text = instruction->mnemonic;
    for (const Operand& operand : instruction->operands) {
        if (operand.kind == Operand::Kind::immediate) text += " " + std::to_string(operand.value);
        if (operand.kind == Operand::Kind::reg) text += " " + operand.name;
    }
    return text;
}

// "red.async [x]": what an issue event issues.
std::string issued(const Program& program, const Event& event) {
    const Instruction* instruction = instruction_of(program, event);
    if (instruction == nullptr) return {};
    std::string text = instruction->mnemonic;
    for (const Operand& operand : instruction->operands)
        if (operand.kind == Operand::Kind::address) text += " [" + operand.name + "]";
    return text;
}

// "W.rel.gpu x=1", "F.sc.gpu", "bar.sync 0".
std::string words(const Program& program, const Execution& execution, size_t e) {
    const Event& event = program.events[e];
    const std::string via = event.proxy == Proxy::generic ? std::string() : with_dot(name(event.proxy));
    switch (event.kind) {
        case Event::Kind::fence:
            return "F" + qualifiers(event);
        case Event::Kind::proxy_fence:
            return "F.proxy" + (event.alias_fence ? std::string(".alias") : via);
        case Event::Kind::barrier:
            return barrier_words(program, event);
        case Event::Kind::exit:
            return "exit";
        case Event::Kind::issue:
            return "issue " + issued(program, event);
        case Event::Kind::completion:
            return "completion";
        case Event::Kind::group_wait:
            return barrier_words(program, event);
        default:
            break;
    }
    const std::string value = "=" + format_cell(program, static_cast<size_t>(event.cell), execution.values[e]);
    return (event.asynchronous ? std::string("async ") : std::string()) + (event.kind == Event::Kind::read ? "R" : "W") + via +
           qualifiers(event) + " " + place(program, event) + value;
}

// ---- Graphviz --------------------------------------------------------------------------------

// The Okabe-Ito palette: told apart by people with any kind of colour vision.
struct Look {
    std::string_view relation, colour, extra, meaning;
};
constexpr std::array<Look, 15> looks{{
    {"po", "#999999", "weight=20", "program order"},
    {"rmw", "#000000", "weight=20 style=bold", "the read of an atomic operation to its write"},
    {"rf", "#0072B2", "constraint=false penwidth=1.6", "reads from: a write to the reads that take its value"},
    {"co", "#D55E00", "constraint=false penwidth=1.6", "coherence: the order of the writes to a location"},
    {"fr", "#A0527A", "constraint=false style=dashed", "from reads: a read to the write that overwrites what it read"},
    {"sc", "#B07800", "constraint=false penwidth=1.6", "the order of the fence.sc"},
    {"bar", "#3A8FBF", "constraint=false style=dashed", "a barrier to those that it lets go on"},
    {"iss", "#666666", "constraint=false style=dashed", "the issue of an asynchronous operation to its events"},
    {"aio", "#666666", "constraint=false", "inside one asynchronous operation"},
    {"grp", "#3A8FBF", "constraint=false", "the completion of an operation to the wait for its group"},
    {"sync", "#009E73", "constraint=false penwidth=2", "synchronizes with"},
    {"obs", "#0072B2", "constraint=false style=dotted", "observation: a write to a read, through atomic operations"},
    {"breach", "#D00000", "constraint=false penwidth=2.4", "a step of what the axiom forbids"},
    {"race", "#D00000", "constraint=false penwidth=2.4", "a data race: nothing orders the two"},
    {"undefined", "#D00000", "constraint=false penwidth=2.4", "the two that make the behaviour undefined"},
}};

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string in_quotes(std::string_view text) {
    return "\"" + escaped(text) + "\"";
}

// "po", "rf", ... with what they mean: those that are drawn.
std::vector<std::string> legend(const Picture& picture) {
    std::vector<std::string> lines;
    for (const Look& look : looks) {
        const auto shows = [&](const Edge& edge) { return std::count(edge.relations.begin(), edge.relations.end(), look.relation) > 0; };
        if (std::any_of(picture.edges.begin(), picture.edges.end(), shows))
            lines.push_back(left(std::string(look.relation), 9) + "  " + std::string(look.meaning));
    }
    return lines;
}

const Look& look_of(std::string_view relation) {
    return *std::find_if(looks.begin(), looks.end(), [&](const Look& look) { return look.relation == relation; });
}

// Several relations on one pair: parallel lines, each in its colour.
std::string edge_line(const Picture& picture, const Edge& edge) {
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

std::string node_line(const Program& program, const Picture& picture, const Execution& execution, size_t e) {
    const std::string& id = picture.name.at(e);
    const std::string initial = picture.from_initial.contains(e) ? " (init)" : "";
    const auto line = picture.line.find(e);
    const std::string where = line == picture.line.end() ? "" : "  line " + std::to_string(line->second);
    const std::string marked = picture.marked.contains(e) ? " color=\"#D00000\" penwidth=2.4" : "";
    return id + " [label=" + in_quotes(id + ": " + words(program, execution, e) + initial + where) +
           " fillcolor=" + in_quotes(fill(program.events[e])) + marked + "];\n";
}

// The boxes threads stand in, outermost first. A level that does not tell threads apart has no box.
using Path = std::vector<std::string>;

std::vector<Path> paths_of_threads(const Test& test) {
    std::set<int> gpus;
    std::set<std::pair<int, int>> clusters;
    for (const Thread& thread : test.threads) {
        gpus.insert(thread.at.gpu);
        clusters.emplace(thread.at.gpu, thread.at.cluster);
    }
    std::vector<Path> paths;
    for (const Thread& thread : test.threads) {
        Path path;
        if (gpus.size() > 1) path.push_back("gpu " + std::to_string(thread.at.gpu));
        if (clusters.size() > gpus.size()) path.push_back("cluster " + std::to_string(thread.at.cluster));
        path.push_back("cta " + std::to_string(thread.at.cta));
        paths.push_back(std::move(path));
    }
    return paths;
}

class Boxes {
public:
    Boxes(const Test& test, std::function<std::string(size_t thread, const std::string& indent)> body)
        : test_(test), paths_(paths_of_threads(test)), body_(std::move(body)) {}

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
    std::vector<Path> paths_;
    std::function<std::string(size_t, const std::string&)> body_;
    size_t boxes_ = 0;
};

// The node at the top of a thread's box; one without events has an invisible one, or it would vanish.
std::string first_node(const Program& program, const Picture& picture, size_t thread) {
    for (const size_t e : picture.events)
        if (program.events[e].thread == static_cast<int>(thread)) return picture.name.at(e);
    return "empty_" + std::to_string(thread);
}

// An invisible row of pegs outside all boxes, from which the threads hang in their order. (Between
// nodes inside boxes dot does not keep an order.)
std::string pegs(const Program& program, const Picture& picture) {
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
    const Picture picture = make_picture(drawing);
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
    std::string text = "digraph " + in_quotes(visible(program.test->name)) + " {\n";
    text += "  graph [label=" + in_quotes(visible(drawing.title)) +
            " labelloc=t fontname=\"Helvetica\" fontsize=13 nodesep=0.6 ranksep=0.5];\n";
    text += "  node [shape=box style=\"rounded,filled\" color=\"#666666\" fontname=\"Helvetica\" fontsize=12 margin=\"0.12,0.06\"];\n";
    text += "  edge [fontname=\"Helvetica\" fontsize=11 arrowsize=0.8];\n";
    if (!program.test->threads.empty()) text += pegs(program, picture) + Boxes(*program.test, body).text();
    for (const Edge& edge : picture.edges) text += edge_line(picture, edge);
    if (drawing.legend) {
        std::string lines;
        for (const std::string& line : legend(picture)) lines += escaped(line) + "\\l";  // flush left
        if (!lines.empty()) text += "  legend [shape=note style=\"\" fontname=\"Courier\" fontsize=10 label=\"" + lines + "\"];\n";
    }
    return text + "}\n";
}

namespace {

// A line for each event, under its thread: "  a: W.rlx.gpu x=1  line 8", the lines in a column.
std::string event_lines(const Drawing& drawing, const Picture& picture) {
    const Program& program = drawing.program;
    std::map<size_t, std::string> shown;
    size_t width = 0;
    for (const size_t e : picture.events) {
        shown[e] =
            "  " + picture.name.at(e) + ": " + words(program, drawing.execution, e) + (picture.from_initial.contains(e) ? " (init)" : "");
        width = std::max(width, display_width(shown[e]));
    }
    std::string text;
    for (size_t t = 0; t < program.test->threads.size(); ++t) {
        const auto mine = [&](size_t e) { return program.events[e].thread == static_cast<int>(t); };
        const auto stays = picture.stays.find(static_cast<int>(t));
        if (stays == picture.stays.end() && std::none_of(picture.events.begin(), picture.events.end(), mine)) continue;
        text += program.test->threads[t].name + "\n";
        for (const size_t e : picture.events) {
            if (!mine(e)) continue;
            const auto line = picture.line.find(e);
            text += line == picture.line.end() ? shown[e] : left(shown[e], width) + "  line " + std::to_string(line->second);
            text += picture.marked.contains(e) ? "  <--\n" : "\n";
        }
        if (stays != picture.stays.end()) text += "  waits for ever: " + stays->second + "\n";
    }
    return text;
}

}  // namespace

std::string execution_text(const Drawing& drawing) {
    const Picture picture = make_picture(drawing);
    std::string text = visible(drawing.title) + "\n" + event_lines(drawing, picture);
    for (const Look& look : looks) {
        std::string line;
        for (const Edge& edge : picture.edges)
            if (std::count(edge.relations.begin(), edge.relations.end(), look.relation) > 0)
                line += "  " + picture.name.at(edge.from) + (edge.both_ways ? "<->" : "->") + picture.name.at(edge.to);
        if (!line.empty()) text += std::string(look.relation) + ":" + line + "\n";
    }
    for (const std::string& line : mbarrier_stories(drawing.program, drawing.execution)) text += line + "\n";
    if (drawing.hazard != nullptr && drawing.hazard->kind != Hazard::Kind::race) {
        const HazardText hazard = explain(drawing.program, *drawing.hazard);
        const bool undefined = hazard.kind == Hazard::Kind::undefined;
        if (undefined) text += "undefined behaviour, " + hazard.title + ", at\n";
        for (const std::string& line : hazard.lines) text += (undefined ? "  " : "") + line + "\n";
    }
    if (!drawing.legend) return text;
    const std::vector<std::string> lines = legend(picture);
    for (const std::string& line : lines) text += (&line == &lines.front() ? "\n  " : "  ") + line + "\n";
    return text;
}

}  // namespace litmus
