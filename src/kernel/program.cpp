// Qualifiers say what an instruction means (ptx/instruction.h); this notes the answers, so that who executes it does not ask each time.
#include "kernel/program.h"

#include <array>
#include <functional>
#include <variant>

#include "kernel/make.h"
#include "kernel/operands.h"

namespace litmus::kernel {

std::string dotted(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ".") + word;
    return text;
}

bool computes(const std::vector<std::string>& words) {
    static constexpr std::array<std::string_view, 14> sections = {"9.7.1.",   "9.7.2",    "9.7.3",  "9.7.4",   "9.7.5",
                                                                  "9.7.6",    "9.7.7",    "9.7.8",  "9.7.9.3", "9.7.9.7",
                                                                  "9.7.9.21", "9.7.9.22", "9.7.14", "9.7.18"};
    const std::string_view section = section_of(words);
    return std::any_of(sections.begin(), sections.end(), [&](std::string_view s) {
        const bool begins = section.substr(0, s.size()) == s;
        return begins && (s.back() == '.' || section.size() == s.size() || section[s.size()] == '.');
    });
}

bool Step::has(std::string_view word) const {
    return std::find(statement->words.begin(), statement->words.end(), word) != statement->words.end();
}

const Argument* Step::find(Role role) const {
    for (size_t i = 0; i < roles.size(); ++i)
        if (roles[i] == role) return &statement->arguments[i];
    return nullptr;
}

const Demands* Step::demands_of(const Argument& argument) const {
    const Argument* const first = statement->arguments.data();
    const std::less<> before;  // of any two pointers
    return before(&argument, first) || !before(&argument, first + demands.size()) ? nullptr
                                                                                  : &demands[static_cast<size_t>(&argument - first)];
}

std::string_view Step::space(Role role) const {
    return space_of(spaces, role);
}

namespace {

constexpr size_t statements_between_checks = 256;  // of the budget

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
void note_registers_of_call(const Statement& statement, Step& step) {
    bool after = false;
    for (const Argument& argument : statement.arguments) {
        if (argument.kind == Argument::Kind::label) after = true;
        registers_of(argument, after || argument.kind == Argument::Kind::reg ? step.reads : step.writes);
    }
}

// The role of each argument; a pair, `d|p`, fills two shapes of the form and has the role of the first.
std::vector<Role> roles_of(const Form& form, const std::vector<Argument>& arguments, bool policy) {
    const auto width = [](const Argument& argument) { return argument.kind == Argument::Kind::pair ? argument.elements.size() : 1; };
    size_t operands = 0, next = 0;
    for (const Argument& argument : arguments) operands += width(argument);
    const std::vector<const Shape*> shapes = shapes_of(form, false, operands, policy);
    std::vector<Role> roles;
    for (const Argument& argument : arguments) {
        roles.push_back(next < shapes.size() ? shapes[next]->role : Role::none);
        next += width(argument);
    }
    return roles;
}

bool reads_clock(const Argument& argument) {
    const bool is_clock = argument.name.rfind("%clock", 0) == 0 || argument.name.rfind("%globaltimer", 0) == 0;
    return (argument.kind == Argument::Kind::special && is_clock) ||
           std::any_of(argument.elements.begin(), argument.elements.end(), reads_clock);
}

// Integer reductions of one kind may be exchanged. Sums of floating-point numbers depend on the order, and so do operations of two kinds;
// a minimum of signed numbers is of another kind than one of unsigned numbers.
void note_reduction(Step& step) {
    const Operator does = operation(*step.form);
    if (!row(does).commutes) return;
    const bool is_of_signed = row(does).signedness && is_signed(step.type);
    const auto kind = static_cast<uint8_t>(2 * static_cast<uint8_t>(does) + (is_of_signed ? 1 : 0));
    if (is_float(step.type)) {
        step.sum = static_cast<uint16_t>(kind | (1 + static_cast<uint16_t>(step.type)) << 8);
    } else {
        step.reduction = kind;
        step.sum = kind;
    }
}

// The words of a load or store that the table lacks say how strong it is (8.3, 8.4.2).
void note_strength(Step& step) {
    if (step.name() != "ld" && step.name() != "st") return;
    if (step.has("volatile")) {
        step.sem = Sem::relaxed;
        step.scope = Scope::sys;
    }
    for (const Sem sem : {Sem::relaxed, Sem::acquire, Sem::release})
        if (step.has(name(sem))) step.sem = sem;
    for (const Scope scope : {Scope::cta, Scope::cluster, Scope::gpu, Scope::sys})
        if (step.has(name(scope))) step.scope = scope;
}

void require_operands(const SourcePtr& file, const Statement& statement, const Step& step) {
    const Form* const form = step.spelling ? step.spelling->form : nullptr;
    const std::string why = wrong_operands(statement, form);
    if (!why.empty())
        throw Failure(file, statement.span, "`" + dotted(statement.words) + "`: " + why,
                      form != nullptr ? form->box + " (ISA " + form->section + ")" : "");
}

// `setp p|q, a, b` (9.7.6.2): comparisons of the table have one result.
bool has_second_result(const Statement& statement) {
    return statement.words[0] == "setp" && !statement.arguments.empty() && statement.arguments[0].kind == Argument::Kind::pair;
}

// Its form, or why it has none.
void look_up(Step& step) {
    std::vector<std::string> words = step.statement->words;
    if (words[0] == "ld") std::erase(words, "nc");
    auto found = resolve(dotted(words));
    if (has_second_result(*step.statement)) {
        step.refusal = {"`" + dotted(words) + "` with a second result is not modelled", "", 0, 0, true};
    } else if (const Spelling* spelling = std::get_if<Spelling>(&found)) {
        step.spelling = *spelling;
        step.form = make(*spelling, {});
    } else {
        step.refusal = std::get<Refusal>(found);
    }
}

void note_registers(Step& step, size_t carry) {
    const Statement& statement = *step.statement;
    const auto is_result = [&](const Shape& shape) {  // a matrix of the warp is one, too
        return shape.role == Role::result || (shape.role == Role::tile && step.form->op != Op::tcgen_load);
    };
    const Form* const form = step.spelling ? step.spelling->form : nullptr;
    step.writes_first = form != nullptr ? !form->operands.empty() && is_result(form->operands[0]) : may_write_first(statement);
    if (statement.words[0] == "call") {
        note_registers_of_call(statement, step);
    } else {
        for (size_t a = 0; a < statement.arguments.size(); ++a)
            registers_of(statement.arguments[a], a == 0 && step.writes_first ? step.writes : step.reads);
    }
    if (statement.guard >= 0) step.reads.push_back(static_cast<size_t>(statement.guard));
    step.reads_carry = reads_carry(statement.words);
    step.writes_carry = writes_carry(statement.words);
    if (step.reads_carry) step.reads.push_back(carry);
    if (step.writes_carry) step.writes.push_back(carry);
}

// Takes what the table says of it.
void note_form(Step& step) {
    const Instruction& form = *step.form;
    step.roles = roles_of(*step.spelling->form, step.statement->arguments, step.has("L2::cache_hint"));
    for (const Role role : step.roles) {
        step.demands.push_back({role, number_demands(form, role), alignment_demand(form, role), owner_demand(form, role)});
        const std::vector<MemoryEffect> effects = memory_effects(form, role);
        step.effects.insert(step.effects.end(), effects.begin(), effects.end());
    }
    step.type = data_type(form);
    step.bytes = element_bytes(form);
    step.elements = static_cast<uint32_t>(vector_width(form));
    step.sem = semantics(form);
    step.scope = step.sem == Sem::weak ? Scope::none : scope(form);
    if (traits(form.op).reduces) note_reduction(step);
}

// Takes what the words of a load or store say that the table lacks.
void note_words(Step& step) {
    const auto type = type_named(step.statement->words.back());
    if (!type) return;
    const auto& arguments = step.statement->arguments;
    step.type = *type;
    step.bytes = static_cast<uint32_t>(std::max(8, bits(*type)) / 8);
    step.elements = step.has("v8") ? 8 : step.has("v4") ? 4 : step.has("v2") ? 2 : 1;
    note_strength(step);
    step.demands.resize(arguments.size());
    const size_t address = step.name() == "st" ? 0 : 1;
    if (address < arguments.size()) step.demands[address].alignment = {uint64_t{step.bytes} * step.elements, Role::none, "6.4.1"};
}

// Where it branches to.
void note_targets(Step& step, const Function& function) {
    const auto& arguments = step.statement->arguments;
    if (step.name() == "bra" && !arguments.empty()) {
        const auto label = function.labels.find(arguments[0].name);
        step.target = label == function.labels.end() ? function.code.size() : label->second;
    }
    if (step.name() == "brx" && arguments.size() > 1) {
        const auto list = function.targets.find(arguments[1].name);
        if (list == function.targets.end()) return;
        for (const std::string& label : list->second) step.targets.push_back(function.labels.at(label));
    }
}

}  // namespace

std::vector<Step> decoded(const SourcePtr& file, const Function& function, const Budget& budget) {
    std::vector<Step> steps;
    steps.reserve(function.code.size());
    for (const Statement& statement : function.code) {
        if (steps.size() % statements_between_checks == 0) budget.check();
        Step& step = steps.emplace_back();
        step.statement = &statement;
        look_up(step);
        require_operands(file, statement, step);
        note_registers(step, function.registers.size());
        step.spaces = named_spaces(statement.words);
        step.past_caches = step.has("nc");
        step.reads_clock = std::any_of(statement.arguments.begin(), statement.arguments.end(), reads_clock);
        step.computes = step.writes_first && computes(statement.words);
        step.named = named(statement.words);
        step.converts = address_conversion(statement.words);
        step.form ? note_form(step) : note_words(step);
        note_targets(step, function);
        if (!step.targets.empty()) budget.check();
    }
    return steps;
}

}  // namespace litmus::kernel
