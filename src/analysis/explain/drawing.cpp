// The relations of an execution, reduced to what is worth an edge.
#include "analysis/explain/drawing.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <tuple>

#include "cat/evaluate.h"
#include "language/origin.h"

namespace litmus {

namespace {

// ---- what is shown ---------------------------------------------------------------------------

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
    Painter(Drawn& picture, const EventSet& shown) : picture_(picture), visible_(Relation::product(shown, shown)) {}

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
        for (DrawnEdge& edge : picture_.edges)
            if (edge.from == from && edge.to == to && edge.both_ways == both_ways && edge.relations.front() != "po") {
                edge.relations.push_back(name);
                return;
            }
        picture_.edges.push_back({from, to, {name}, both_ways});
    }

    Drawn& picture_;
    Relation visible_;
};

// Whether the pairs of a hazard are drawn: those of a race, and of undefined behaviour.
bool has_marks(const Hazard* hazard) {
    return hazard != nullptr && (hazard->kind == Hazard::Kind::race || hazard->kind == Hazard::Kind::undefined);
}

// What a hazard adds: marks on its events, and where threads stay. Gives its pairs, both ways.
Relation mark_hazard(Drawn& picture, const Program& program, const Hazard* hazard) {
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

// Notes that co, or another relation that is drawn, does not lead from one event to the other; where it leads the other way, that is
// a step.
void collect_absent(const Drawing& drawing, const Derivation& d, Drawn& picture) {
    const std::vector<Node>& nodes = drawing.model.nodes;
    const Node& node = nodes[d.node];
    const bool both_ways = node.op == Node::Op::union_ && nodes[node.args[1]].op == Node::Op::inverse;
    const Node& relation = both_ways ? nodes[node.args[0]] : node;
    if (relation.op != Node::Op::base || relation.is_set || is_about_events(relation.name)) return;
    const bool inverse = base_relation(drawing.execution, relation.name).contains(d.to, d.from);
    (inverse ? picture.steps : picture.absent).push_back({inverse ? d.to : d.from, inverse ? d.from : d.to, relation.name});
}

// The edges that a derivation is made of, as far as they are drawn.
void collect_steps(const Drawing& drawing, const Derivation& d, Drawn& picture) {
    const Node& node = drawing.model.nodes[d.node];
    const bool is_edge = node.op == Node::Op::base && !node.is_set && !is_about_events(node.name);
    if (d.absent) return collect_absent(drawing, d, picture);
    if (is_edge || node.name == "fr" || node.name == "sync" || node.name == "observation") {
        if (d.from != d.to) picture.steps.push_back({d.from, d.to, node.name});
    } else {
        for (const Derivation& part : d.parts) collect_steps(drawing, part, picture);
    }
}

// The steps on which the execution breaks an axiom; the events are marked.
Relation mark_breach(Drawn& picture, const Drawing& drawing) {
    Relation steps(drawing.program.size());
    if (drawing.breach == nullptr) return steps;
    for (const size_t e : drawing.breach->events) picture.marked.add(e);
    for (const Derivation& d : drawing.breach->derivations) collect_steps(drawing, d, picture);
    for (const Step& step : picture.steps) steps.add(step.from, step.to);
    return steps;
}

const Instruction* instruction_of(const Program& program, const Event& event) {
    if (event.thread < 0 || event.instruction < 0) return nullptr;
    return &program.test->threads[static_cast<size_t>(event.thread)].body[static_cast<size_t>(event.instruction)];
}

// "line 8", "line 8, ws_pipeline.cu:38".
std::string where(const Program& program, size_t e, int line) {
    const Instruction* instruction = instruction_of(program, program.events[e]);
    const std::string origin = instruction ? short_text(origin_of(*program.test, *instruction)) : std::string();
    return "line " + std::to_string(line) + (origin.empty() ? "" : ", " + origin);
}

}  // namespace

Drawn drawn(const Drawing& drawing) {
    const Program& program = drawing.program;
    const Execution& execution = drawing.execution;
    Drawn picture;
    picture.events = shown_events(program, execution);
    if (program.test->source)
        for (const size_t e : picture.events) {
            picture.line[e] = position(*program.test->source, span_of(program, e).begin).line;
            picture.where[e] = where(program, e, picture.line[e]);
        }
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
    const Relation completed = base("completes-grid") & Relation::product(shown, shown);
    painter.paint((completed - sequence(po, completed)) | base("begins-grid"), "grid");
    painter.paint(sync - barriers - base("sc") - po, "sync");
    painter.paint(observation - rf - rmw - po, "obs");
    const Relation harm = mark_hazard(picture, program, drawing.hazard);
    painter.paint(mark_breach(picture, drawing), "breach");
    painter.paint(harm, has_marks(drawing.hazard) && drawing.hazard->kind == Hazard::Kind::race ? "race" : "undefined");
    return picture;
}

// ---- one event in words ----------------------------------------------------------------------

namespace {

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

}  // namespace

std::string event_words(const Program& program, size_t e) {
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
        case Event::Kind::grid_start:
            return "start";
        case Event::Kind::grid_trigger:
            return "launch dependents";
        case Event::Kind::grid_wait:
            return "grid wait";
        case Event::Kind::issue:
            return "issue " + issued(program, event);
        case Event::Kind::completion:
            return "completion";
        case Event::Kind::group_wait:
            return barrier_words(program, event);
        case Event::Kind::astray:
            return "access of nothing";
        default:
            break;
    }
    return (event.kind == Event::Kind::read ? "R" : "W") + via + qualifiers(event) + " " + place(program, event);
}

std::string event_words(const Program& program, const Execution& execution, size_t e) {
    const Event& event = program.events[e];
    if (!event.is_memory()) return event_words(program, e);
    return (event.asynchronous ? "async " : "") + event_words(program, e) + "=" +
           format_cell(program, static_cast<size_t>(event.cell), execution.values[e]);
}

const std::vector<RelationWords>& relation_words() {
    static const std::vector<RelationWords> all{
        {"po", "program order", "8.9.1"},
        {"rmw", "the read of an atomic operation to its write", "8.10.3"},
        {"rf", "reads from: a write to the reads that take its value", "8.9.7"},
        {"co", "coherence: the order of the writes to a location", "8.9.6"},
        {"fr", "from reads: a read to the write that overwrites what it read", "8.9.7"},
        {"sc", "the order of the fence.sc", "8.9.3"},
        {"bar", "a barrier to those that it lets go on", "8.9.4"},
        {"iss", "the issue of an asynchronous operation to its events", "8.9.1.1"},
        {"aio", "inside one asynchronous operation", "8.9.1.1"},
        {"grp", "the completion of an operation to the wait for its group", "8.9.1.1"},
        {"grid", "the end of a grid, or what lets another one begin, to the start or the wait behind it", "9.7.13.13"},
        {"sync", "synchronizes with", "8.9.4"},
        {"obs", "observation: a write to a read, through atomic operations", "8.9.2"},
        {"breach", "a step of what the axiom forbids", "8.10"},
        {"race", "a data race: nothing orders the two", "8.7.1"},
        {"undefined", "the two that make the behaviour undefined", ""},
    };
    return all;
}

const RelationWords& words_of(std::string_view relation) {
    const auto& all = relation_words();
    const auto found = std::find_if(all.begin(), all.end(), [&](const RelationWords& words) { return words.relation == relation; });
    if (found == all.end()) throw std::out_of_range("no such relation is drawn: " + std::string(relation));
    return *found;
}

std::string cta_words(int cta) {
    const std::string words = "cta " + std::to_string(number_in_grid(cta));
    return grid_of(cta) == 0 ? words : words + " of grid " + std::to_string(grid_of(cta));
}

std::vector<std::vector<std::string>> scope_paths(const Test& test) {
    std::set<int> gpus, grids;
    std::set<std::pair<int, int>> clusters;
    std::set<int> ctas;
    for (const Thread& thread : test.threads) {
        gpus.insert(thread.at.gpu);
        grids.insert(grid_of(thread.at.cta));
        clusters.emplace(thread.at.gpu, thread.at.cluster);
        ctas.insert(thread.at.cta);
    }
    const bool has_shared =
        std::any_of(test.locations.begin(), test.locations.end(), [](const Location& l) { return l.space == Space::shared; });
    const bool shows_clusters = clusters.size() > std::max(gpus.size(), grids.size()) || (has_shared && ctas.size() > clusters.size());
    std::vector<std::vector<std::string>> paths;
    for (const Thread& thread : test.threads) {
        std::vector<std::string> path;
        if (gpus.size() > 1) path.push_back("gpu " + std::to_string(thread.at.gpu));
        if (grids.size() > 1) path.push_back("grid " + std::to_string(grid_of(thread.at.cta)));
        if (shows_clusters) path.push_back("cluster " + std::to_string(number_in_grid(thread.at.cluster)));
        path.push_back(cta_words(thread.at.cta));
        paths.push_back(std::move(path));
    }
    return paths;
}

}  // namespace litmus
