// Titles from the names of flags, lines from the events of the witness.
#include "analysis/verdict/hazards.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace litmus {

namespace {

// "undefined-read-of-bulk-destination" -> "read of bulk destination"
std::string title_of(const std::string& flag) {
    constexpr std::string_view prefix = "undefined-";
    std::string title = flag.rfind(prefix, 0) == 0 ? flag.substr(prefix.size()) : flag;
    std::replace(title.begin(), title.end(), '-', ' ');
    return title;
}

// The state that an access to an mbarrier object finds in the witness; nothing for other events.
std::string state_at(const Program& program, const Hazard& hazard, size_t event) {
    const Event& e = program.events[event];
    if (e.cell < 0 || !program.cells[static_cast<size_t>(e.cell)].is_mbarrier) return {};
    size_t read = event;
    if (e.kind == Event::Kind::write && e.partner >= 0) read = static_cast<size_t>(e.partner);
    if (program.events[read].kind != Event::Kind::read) return {};
    const auto cell = static_cast<size_t>(e.cell);
    return ": " + program.cells[cell].name + " is at " + format_cell(program, cell, hazard.witness.values[read]);
}

void add(std::vector<std::string>& lines, std::string line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

// The first violation that the witness shows at an event: those after it follow from it.
const Violation* violation_at(const Program& program, const Hazard& hazard, size_t event) {
    for (const Violation& v : program.violations)
        if (v.event == event && evaluate(hazard.witness, v.when, hazard.final_values)) return &v;
    return nullptr;
}

void explain_undefined(const Program& program, const Hazard& hazard, HazardText& text) {
    for (const auto& [a, b] : hazard.pairs) {
        if (const Violation* v = violation_at(program, hazard, a); v != nullptr && a == b) {
            add(text.lines, v->what);
            text.says_why = true;
        }
        add(text.lines, describe(program, a) + state_at(program, hazard, a));
        if (a != b) add(text.lines, describe(program, b) + state_at(program, hazard, b));
    }
}

// The cells whose final values keep a thread waiting.
std::set<size_t> awaited_cells(const Program& program, const Blocked& blocked) {
    std::set<size_t> cells;
    for_each_leaf(program.exprs, blocked.hopeless, [&](const Expr& leaf) {
        if (leaf.op == Expr::Op::final_value) cells.insert(leaf.index);
    });
    return cells;
}

std::string in_number(int64_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// "bar stays in phase 0: 1 arrival is missing, 4 bytes were expected and never came".
std::string stays(const Program& program, size_t cell, uint64_t value) {
    const std::string& name = program.cells[cell].name;
    if (!program.cells[cell].is_mbarrier) return name + " stays " + format_cell(program, cell, value);
    const MbarrierState s = unpack(value);
    if (s.life == 0) return name + " is not initialised";
    std::string text = name + " stays in phase " + std::to_string(s.phase);
    std::string separator = ": ";
    if (s.pending > 0)
        text += std::exchange(separator, ", ") + in_number(s.pending, "arrival") + (s.pending == 1 ? " is" : " are") + " missing";
    if (s.tx > 0) text += separator + in_number(s.tx, "byte") + (s.tx == 1 ? " was" : " were") + " expected and never came";
    if (s.tx < 0) text += separator + in_number(-int64_t{s.tx}, "byte") + " came that nobody expected";
    return text;
}

void explain_blocked(const Program& program, const Hazard& hazard, HazardText& text) {
    for (const size_t b : hazard.stuck) {
        const Blocked& blocked = program.blocked[b];
        std::string line = describe_instruction(program, blocked.thread, blocked.instruction) + ": waits for ever";
        std::string separator = ", ";
        for (const size_t cell : awaited_cells(program, blocked))
            line += std::exchange(separator, "; ") + stays(program, cell, hazard.final_values[cell]);
        add(text.lines, line);
    }
}

// The writes to a cell in coherence order; that of an mbarrier object is total.
std::vector<size_t> writes_in_order(const Program& program, const Execution& execution, int cell) {
    std::vector<size_t> writes;
    for (const size_t e : execution.executed.elements())
        if (program.events[e].is_write() && program.events[e].cell == cell) writes.push_back(e);
    std::sort(writes.begin(), writes.end(), [&](size_t a, size_t b) { return execution.co.contains(a, b); });
    return writes;
}

}  // namespace

std::vector<MbarrierChange> mbarrier_changes(const Program& program, const Execution& execution) {
    std::vector<MbarrierChange> changes;
    for (size_t cell = 0; cell < program.cells.size(); ++cell) {
        if (!program.cells[cell].is_mbarrier) continue;
        std::optional<MbarrierState> before;
        for (const size_t w : writes_in_order(program, execution, static_cast<int>(cell))) {
            MbarrierChange change{cell, w, unpack(execution.values[w]), {}};
            if (before && before->life == change.now.life && before->phase != change.now.phase) change.completed = before->phase;
            before = change.now;
            changes.push_back(change);
        }
    }
    return changes;
}

std::vector<std::string> mbarrier_stories(const Program& program, const Execution& execution) {
    std::vector<std::string> lines;
    for (const MbarrierChange& change : mbarrier_changes(program, execution)) {
        const std::string state = format_cell(program, change.cell, execution.values[change.write]);
        if (program.events[change.write].kind == Event::Kind::init) {
            lines.push_back(program.cells[change.cell].name + " is at " + state);
        } else {
            lines.push_back("  " + describe(program, change.write) + ": " + state +
                            (change.completed ? ", phase " + std::to_string(*change.completed) + " completes" : ""));
        }
    }
    return lines;
}

namespace {

CudaPlace origin_of_instruction(const Program& program, int thread, int instruction) {
    return origin_of(*program.test, program.test->threads[static_cast<size_t>(thread)].body[static_cast<size_t>(instruction)]);
}

// The events that a hazard is about, each place of the text once, in its order.
std::vector<HazardText::Access> accesses(const Program& program, const Hazard& hazard) {
    std::set<size_t> events;
    for (const auto& [a, b] : hazard.pairs) events.insert({a, b});
    std::vector<HazardText::Access> result;
    std::set<std::pair<int, int>> places;
    for (const size_t e : events) {
        const Event& event = program.events[e];
        if (event.thread < 0 || !places.insert({event.thread, event.instruction}).second) continue;
        const CudaPlace origin = event.instruction < 0 ? CudaPlace() : origin_of_instruction(program, event.thread, event.instruction);
        result.push_back({describe(program, e), span_of(program, e), origin});
    }
    for (const size_t b : hazard.kind == Hazard::Kind::blocked ? hazard.stuck : std::vector<size_t>{}) {
        const Blocked& blocked = program.blocked[b];
        const Thread& thread = program.test->threads[static_cast<size_t>(blocked.thread)];
        result.push_back({describe_instruction(program, blocked.thread, blocked.instruction),
                          thread.body[static_cast<size_t>(blocked.instruction)].span,
                          origin_of_instruction(program, blocked.thread, blocked.instruction)});
    }
    return result;
}

// One mistake raises several flags: one that holds only where an earlier flag of the model does is left out.
bool says_nothing_new(const Hazard& hazard, const std::vector<Hazard>& all) {
    if (hazard.kind != Hazard::Kind::undefined && hazard.kind != Hazard::Kind::flag) return false;
    const auto covers = [&](const Hazard& earlier) {
        return earlier.kind == hazard.kind &&
               std::includes(earlier.places.begin(), earlier.places.end(), hazard.places.begin(), hazard.places.end());
    };
    const auto end = std::find_if(all.begin(), all.end(), [&](const Hazard& other) { return &other == &hazard; });
    return std::any_of(all.begin(), end, covers);
}

}  // namespace

HazardText explain(const Program& program, const Hazard& hazard) {
    HazardText text;
    text.kind = hazard.kind;
    text.flag = hazard.flag;
    text.accesses = accesses(program, hazard);
    switch (hazard.kind) {
        case Hazard::Kind::blocked:
            text.title = "threads that wait for ever";
            explain_blocked(program, hazard, text);
            break;
        case Hazard::Kind::race: {
            const int cell = program.events[hazard.pairs.front().first].cell;
            if (cell >= 0) text.title = program.cells[static_cast<size_t>(cell)].name;
            for (const HazardText::Access& access : text.accesses) text.lines.push_back(access.text);
            break;
        }
        case Hazard::Kind::undefined:
        case Hazard::Kind::flag:
            text.title = title_of(hazard.flag);
            explain_undefined(program, hazard, text);
            break;
    }
    return text;
}

std::vector<HazardText> explain(const Program& program, const Hazards& hazards) {
    std::vector<HazardText> texts;
    for (const Hazard& hazard : hazards.found) {
        if (says_nothing_new(hazard, hazards.found)) continue;
        texts.push_back(explain(program, hazard));
        texts.back().number = static_cast<size_t>(&hazard - hazards.found.data());
    }
    return texts;
}

}  // namespace litmus
