// Statements of a function (see body.h).
#include "kernel/read/body.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "kernel/read/operand.h"
#include "kernel/read/variable.h"

namespace litmus::kernel {
namespace {

constexpr size_t most_blocks = 100;                    // within each other
constexpr size_t most_instructions = size_t{1} << 20;  // of a file: each takes some 700 bytes
constexpr size_t most_inlined_frames = 32;             // of a chain of inlined calls; more of them are left out
constexpr uint64_t most_line = std::numeric_limits<int>::max();

}  // namespace

BodyReader::BodyReader(Cursor& cursor, Diagnostics& diagnostics, const Globals& globals, Function& function, size_t& instructions)
    : cursor_(cursor), diagnostics_(diagnostics), function_(function), instructions_(instructions), names_(globals, function) {}

void BodyReader::read() {
    const PtxToken open = cursor_.expect("{", "before the body of the function");
    for (;;) {
        bool at_end = false, unclosed = false;
        const size_t unresolved = unresolved_.size();
        const bool good = diagnostics_.attempt([&] {
            at_end = cursor_.at("}") && names_.depth() == 1;
            unclosed = cursor_.peek().kind == PtxToken::Kind::end;
            if (!at_end && !unclosed) statement();
        });
        if (at_end || unclosed) break;
        if (good) continue;
        unresolved_.resize(unresolved);  // the statement is not there
        recover();
    }
    if (cursor_.peek().kind == PtxToken::Kind::end)
        cursor_.fail(open.span, "the function that begins here has no end", "is the file cut off?");
    cursor_.take();
    resolve();
}

// Behind the statement that could not be read. A brace that a comma, a semicolon or a bracket follows closes operands and no block.
void BodyReader::recover() {
    for (;;) {
        bool stop = false;
        try {
            const PtxToken token = cursor_.peek();
            const bool of_operands = cursor_.peek(1).is(",") || cursor_.peek(1).is(";") || cursor_.peek(1).is("]");
            stop = token.kind == PtxToken::Kind::end || token.is(";") || (token.is("}") && !of_operands);
            if (token.is(";")) cursor_.take();
        } catch (const Failure&) {
            continue;  // peek has passed what is no token
        }
        if (stop) return;
        cursor_.skip();
    }
}

void BodyReader::statement() {
    const PtxToken token = cursor_.peek();
    if (token.is("{")) {
        if (names_.depth() >= most_blocks) cursor_.fail(token.span, "blocks nest too deeply");
        cursor_.take();
        names_.open_block();
    } else if (token.is("}")) {
        cursor_.take();
        names_.close_block();
    } else if (token.is(";")) {
        cursor_.take();
    } else if (token.kind == PtxToken::Kind::dotted) {
        directive();
    } else if (token.kind == PtxToken::Kind::word && cursor_.peek(1).is(":")) {
        label();
    } else if (token.kind == PtxToken::Kind::word || token.is("@")) {
        instruction();
    } else {
        cursor_.fail_expected("an instruction, a label or a declaration");
    }
}

void BodyReader::directive() {
    const PtxToken token = cursor_.peek();
    if (token.is(".reg")) return registers();
    if (token.is(".loc")) return location();
    if (token.is(".section")) return skip_section(cursor_);
    if (token.is(".pragma")) {
        cursor_.take();
        do cursor_.expect(PtxToken::Kind::string, "a pragma in quotes");
        while (cursor_.accept(","));
        cursor_.expect(";", "after the pragma");
        return;
    }
    if (!is_space(token)) cursor_.fail_expected("an instruction, a label or a declaration");
    const Declare declare = [&](const PtxToken& name) {
        const auto kept = names_.declare_variable(name.text);
        if (!kept) cursor_.fail(name.span, "this name is declared twice in its block");
        return *kept;
    };
    auto variables = read_variables(cursor_, declare, [&](std::string_view name) { return names_.find_variable(name); });
    for (Variable& variable : variables) function_.variables.push_back(std::move(variable));
}

// `.reg .b32 %r<81>, x;`
void BodyReader::registers() {
    cursor_.take();
    const PtxToken type = cursor_.expect(PtxToken::Kind::dotted, "the type of a register");
    const std::string name(type.text.substr(1));
    if (name != "pred" && bytes_of_type(name) == 0)
        cursor_.fail(type.span, "registers of this type are not read", name[0] == 'v' ? "use registers that are declared one by one" : "");
    do {
        const PtxToken reg = cursor_.expect(PtxToken::Kind::word, "the name of a register");
        bool is_new = true;
        if (cursor_.accept("<")) {
            is_new = names_.declare_registers(reg.text, read_number(cursor_, "a number of registers", most_line), name);
            cursor_.expect(">", "after the number of registers");
        } else {
            is_new = names_.declare_register(reg.text, name);
        }
        if (!is_new) cursor_.fail(reg.span, "this name is declared twice in its block");
    } while (cursor_.accept(","));
    cursor_.expect(";", "after the declaration");
}

Line BodyReader::line() {
    Line result;
    result.file = static_cast<int>(read_number(cursor_, "the number of a file", most_line));
    result.line = static_cast<int>(read_number(cursor_, "a line", most_line));
    result.column = static_cast<int>(read_number(cursor_, "a column", most_line));
    return result;
}

// `.loc 2 19 3, function_name $L__info_string0, inlined_at 1 12 5`: the place within a function that was inlined at the second line,
// whose own `.loc`, with what it was inlined at, stands before (11.5.1).
void BodyReader::location() {
    cursor_.take();
    const Line own = line();
    origin_ = {own};
    while (cursor_.accept(",")) {
        if (cursor_.accept("function_name")) {
            cursor_.expect(PtxToken::Kind::word, "the label of the function's name");
            if (cursor_.accept("+")) read_number(cursor_, "an offset", most_line);
        } else {
            cursor_.expect("inlined_at", "or `function_name`");
            const Line outer = line();
            const auto known = latest_.find(outer);
            const Origin calls = known == latest_.end() ? Origin{outer} : known->second;
            for (const Line& call : calls)
                if (origin_.size() < most_inlined_frames) origin_.push_back(call);
        }
    }
    latest_[own] = origin_;
}

// A label, or a list of targets or a prototype that has one.
void BodyReader::label() {
    const PtxToken name = cursor_.take();
    cursor_.take();
    const auto kept = names_.declare_label(name.text);
    if (!kept) cursor_.fail(name.span, "this label stands twice in its block");
    if (cursor_.at(".branchtargets")) return branch_targets(*kept);
    if (cursor_.at(".callprototype") || cursor_.at(".calltargets")) {  // a call finds its function by what the register holds
        while (!cursor_.at(";") && !cursor_.at("}") && cursor_.peek().kind != PtxToken::Kind::end) cursor_.take();
        cursor_.expect(";", "after the prototype");
        return;
    }
    function_.labels[*kept] = function_.code.size();
}

void BodyReader::branch_targets(const std::string& name) {
    cursor_.take();
    UnresolvedTargets targets{name, {}, names_.block()};
    do targets.labels.push_back(cursor_.expect(PtxToken::Kind::word, "a label"));
    while (cursor_.accept(","));
    cursor_.expect(";", "after the labels");
    unresolved_targets_.push_back(std::move(targets));
}

void BodyReader::guard(Statement& statement) {
    if (!cursor_.accept("@")) return;
    statement.guard_negated = cursor_.accept("!");
    const PtxToken name = cursor_.expect(PtxToken::Kind::word, "a predicate after `@`");
    statement.guard = names_.find_register(name.text);
    if (statement.guard < 0) cursor_.fail(name.span, "no register `" + std::string(name.text.substr(0, 80)) + "` is declared here");
}

void BodyReader::instruction() {
    Statement statement;
    const uint32_t begin = cursor_.peek().span.begin;
    guard(statement);
    const PtxToken name = cursor_.expect(PtxToken::Kind::word, "an instruction");
    statement.words.emplace_back(name.text);
    while (cursor_.peek().kind == PtxToken::Kind::dotted) statement.words.emplace_back(cursor_.take().text.substr(1));
    if (!cursor_.at(";")) {
        if (statement.words[0] == "call")
            call_arguments(statement);
        else
            arguments(statement);
    }
    check_vectors(statement);
    cursor_.expect(";", "after the instruction");
    statement.origin = origin_;
    statement.span = Span{begin, cursor_.taken()};
    if (++instructions_ > most_instructions)
        cursor_.fail(name.span, "this file has more than " + std::to_string(most_instructions) + " instructions",
                     "compile fewer kernels into one file");
    function_.code.push_back(std::move(statement));
}

// A load or a store as `.v2` names two elements (6.4.3): whoever executes it counts on them. Textures have other vectors.
void BodyReader::check_vectors(const Statement& statement) const {
    constexpr std::array<std::string_view, 6> accesses{"ld", "ldu", "st", "atom", "red", "multimem"};
    if (std::find(accesses.begin(), accesses.end(), statement.words[0]) == accesses.end()) return;
    for (const unsigned count : {2U, 4U, 8U}) {
        const std::string word = "v" + std::to_string(count);
        if (std::find(statement.words.begin(), statement.words.end(), word) == statement.words.end()) continue;
        for (const Argument& argument : statement.arguments)
            if (argument.kind == Argument::Kind::vector && argument.elements.size() != count)
                cursor_.fail(argument.span, "`." + word + "` names " + std::to_string(count) + " elements, and here are " +
                                                std::to_string(argument.elements.size()));
    }
}

// A name that may be declared further down.
void BodyReader::name_argument(Statement& statement) {
    unresolved_.push_back({function_.code.size(), statement.arguments.size(), names_.block()});
    statement.arguments.push_back(label_of(cursor_.expect(PtxToken::Kind::word, "a label")));
}

void BodyReader::arguments(Statement& statement) {
    const OperandContext context{statement.words.back()};
    const bool is_branch = statement.words[0] == "bra", is_indexed = statement.words[0] == "brx";
    do {
        const size_t place = statement.arguments.size();
        if ((is_branch && place == 0) || (is_indexed && place == 1))
            name_argument(statement);
        else
            statement.arguments.push_back(read_operand(cursor_, names_, context));
    } while (cursor_.accept(","));
    while (cursor_.peek().kind == PtxToken::Kind::dotted) statement.words.emplace_back(cursor_.take().text.substr(1));  // `[a].unified`
}

// `call (results), function, (parameters), prototype;` (9.7.13.5)
void BodyReader::call_arguments(Statement& statement) {
    const OperandContext context{};
    if (cursor_.at("(")) {
        statement.arguments.push_back(read_list(cursor_, names_, context));
        cursor_.expect(",", "after the results");
    }
    const PtxToken callee = cursor_.peek();
    if (callee.kind == PtxToken::Kind::word && names_.find_register(callee.text) < 0)
        statement.arguments.push_back(label_of(cursor_.take()));
    else
        statement.arguments.push_back(read_operand(cursor_, names_, context));
    while (cursor_.accept(",")) {
        if (cursor_.at("("))
            statement.arguments.push_back(read_list(cursor_, names_, context));
        else
            name_argument(statement);
    }
}

std::string BodyReader::label_meant(const Argument& argument, size_t block) const {
    const auto label = names_.find_label(block, argument.name);
    if (!label)
        cursor_.fail(argument.span, "there is no label `" + argument.name.substr(0, 80) + "` in this block or around it",
                     "labels of blocks in braces are known only inside them");
    return *label;
}

// Branches and lists, when all labels are known.
void BodyReader::resolve() {
    for (const Unresolved& use : unresolved_)
        diagnostics_.attempt([&] {
            Argument& argument = function_.code[use.statement].arguments.at(use.argument);
            argument.name = label_meant(argument, use.block);
        });
    for (const UnresolvedTargets& targets : unresolved_targets_)
        diagnostics_.attempt([&] {
            for (const PtxToken& label : targets.labels)
                function_.targets[targets.list].push_back(label_meant(label_of(label), targets.block));
        });
}

void skip_section(Cursor& cursor) {
    cursor.take();
    cursor.expect(PtxToken::Kind::dotted, "the name of a section");
    const PtxToken open = cursor.expect("{", "after the name of the section");
    for (size_t depth = 1; depth > 0;) {
        const PtxToken token = cursor.take();
        if (token.kind == PtxToken::Kind::end) cursor.fail(open.span, "the section that begins here has no end", "is the file cut off?");
        if (token.is("{")) ++depth;
        if (token.is("}")) --depth;
    }
}

}  // namespace litmus::kernel
