// Liveness by the usual backward data flow: live before = read, or live after and not surely written; round after round until nothing
// changes. Rounds go from the last statement to the first, so that straight code needs one.
#include "kernel/live.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "kernel/fold.h"

namespace litmus::kernel {

std::string dotted(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ".") + word;
    return text;
}

namespace {

void registers_of(const Argument& argument, std::vector<size_t>& found) {
    if (argument.kind == Argument::Kind::reg && argument.reg >= 0) found.push_back(static_cast<size_t>(argument.reg));
    for (const Argument& element : argument.elements) registers_of(element, found);
}

// Outside of the table an instruction's first operand is its result where it is a register, but for these.
bool may_write_first(const Statement& statement) {
    static constexpr std::array<std::string_view, 6> readers = {"brx", "nanosleep", "stackrestore", "setmaxnreg", "st", "red"};
    using Kind = Argument::Kind;
    if (statement.arguments.empty() || std::find(readers.begin(), readers.end(), statement.words[0]) != readers.end()) return false;
    const Kind kind = statement.arguments[0].kind;
    return kind == Kind::reg || kind == Kind::vector || kind == Kind::pair || kind == Kind::sink;
}

// call (results), function, (parameters): the registers before the name are written.
void plan_call(const Statement& statement, Planned& planned) {
    bool after = false;
    for (const Argument& argument : statement.arguments) {
        if (argument.kind == Argument::Kind::label) after = true;
        registers_of(argument, after || argument.kind == Argument::Kind::reg ? planned.reads : planned.writes);
    }
}

Planned plan_statement(const Statement& statement, size_t carry) {
    Planned planned;
    std::vector<std::string> words = statement.words;
    if (words[0] == "ld") std::erase(words, "nc");
    auto found = resolve(dotted(words));
    if (const Spelling* spelling = std::get_if<Spelling>(&found))
        planned.form = *spelling;
    else
        planned.refusal = std::get<Refusal>(found);
    const auto& operands = planned.form ? planned.form->form->operands : std::vector<Shape>{};
    planned.writes_first = planned.form ? !operands.empty() && operands[0].role == Role::result : may_write_first(statement);
    if (statement.words[0] == "call") {
        plan_call(statement, planned);
    } else {
        for (size_t a = 0; a < statement.arguments.size(); ++a)
            registers_of(statement.arguments[a], a == 0 && planned.writes_first ? planned.writes : planned.reads);
    }
    if (statement.guard >= 0) planned.reads.push_back(static_cast<size_t>(statement.guard));
    if (reads_carry(statement.words)) planned.reads.push_back(carry);
    if (writes_carry(statement.words)) planned.writes.push_back(carry);
    return planned;
}

}  // namespace

std::vector<size_t> successors(const Function& function, size_t s) {
    const Statement& statement = function.code[s];
    const std::string& name = statement.words[0];
    std::vector<size_t> next;
    const bool leaves = name == "bra" || name == "brx" || name == "ret" || name == "exit" || name == "trap";
    if (!leaves || statement.guard >= 0) next.push_back(s + 1);
    const auto add = [&](const std::string& label) {
        const auto target = function.labels.find(label);
        if (target != function.labels.end()) next.push_back(target->second);
    };
    if (name == "bra" && !statement.arguments.empty()) add(statement.arguments[0].name);
    if (name == "brx" && statement.arguments.size() > 1) {
        const auto targets = function.targets.find(statement.arguments[1].name);
        if (targets != function.targets.end())
            for (const std::string& label : targets->second) add(label);
    }
    return next;
}

bool Registers::join(const Registers& other) {
    bool changed = false;
    for (size_t w = 0; w < words_.size(); ++w) {
        const uint64_t joined = words_[w] | other.words_[w];
        changed = changed || joined != words_[w];
        words_[w] = joined;
    }
    return changed;
}

Plan plan(const Function& function) {
    Plan plan;
    plan.function = &function;
    plan.carry = function.registers.size();
    for (const Statement& statement : function.code) plan.statements.push_back(plan_statement(statement, plan.carry));
    plan.leaders.assign(function.code.size() + 1, false);
    for (const auto& [name, at] : function.labels) plan.leaders[at] = true;
    for (size_t s = 0; s < function.code.size(); ++s)
        if (function.code[s].guard >= 0) plan.leaders[s + 1] = true;  // where the ways with it and without it meet
    plan.live.assign(function.code.size() + 1, Registers(plan.carry + 1));
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t s = function.code.size(); s-- > 0;) {
            Registers before(plan.carry + 1);
            for (const size_t next : successors(function, s)) before.join(plan.live[next]);
            if (function.code[s].guard < 0)
                for (const size_t r : plan.statements[s].writes) before.erase(r);
            for (const size_t r : plan.statements[s].reads) before.insert(r);
            changed = plan.live[s].join(before) || changed;
        }
    }
    return plan;
}

}  // namespace litmus::kernel
