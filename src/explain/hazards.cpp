// Titles from the names of flags, lines from the events of the witness.
#include "explain/hazards.h"

#include <algorithm>
#include <set>

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

void explain_undefined(const Program& program, const Hazard& hazard, HazardText& text) {
    for (const auto& [a, b] : hazard.pairs) {
        for (const Violation& v : program.violations)
            if (v.event == a && a == b && evaluate(hazard.witness, v.when, hazard.final_values)) add(text.lines, v.what);
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

void explain_blocked(const Program& program, const Hazard& hazard, HazardText& text) {
    for (const size_t b : hazard.stuck) {
        const Blocked& blocked = program.blocked[b];
        std::string line = describe_instruction(program, blocked.thread, blocked.instruction) + ": waits for ever";
        for (const size_t cell : awaited_cells(program, blocked))
            line += ", " + program.cells[cell].name + " stays at " + format_cell(program, cell, hazard.final_values[cell]);
        add(text.lines, line);
    }
}

}  // namespace

HazardText explain(const Program& program, const Hazard& hazard) {
    HazardText text;
    text.kind = hazard.kind;
    if (hazard.kind == Hazard::Kind::blocked) {
        text.title = "threads that wait for ever";
        explain_blocked(program, hazard, text);
    } else {
        text.title = title_of(hazard.flag);
        explain_undefined(program, hazard, text);
    }
    return text;
}

bool has_hazards(const Test& test) {
    if (test.dialect != Dialect::native) return false;
    if (test.claims_undefined || test.claims_may_deadlock) return true;
    const auto risky = [](const Instruction& i) {
        return i.await || i.op == Op::bra || i.op >= Op::red_async || (i.op >= Op::bar_sync && i.op <= Op::cluster_wait);
    };
    return std::any_of(test.threads.begin(), test.threads.end(),
                       [&](const Thread& thread) { return std::any_of(thread.body.begin(), thread.body.end(), risky); });
}

std::vector<HazardText> find_hazards(const Test& test, const Model& model, BuildOptions build, const SolveOptions& options, Solver& solver,
                                     Answer& answer) {
    std::vector<HazardText> texts;
    if (!has_hazards(test)) return texts;
    build.blocked = true;
    Program program = build_program(test, build);
    answer.hazards = solver.hazards(program, model, options);
    for (const Hazard& hazard : answer.hazards->found) texts.push_back(explain(program, hazard));
    return texts;
}

}  // namespace litmus
