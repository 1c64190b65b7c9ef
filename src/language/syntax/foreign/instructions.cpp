// One table of what the formats have, by mnemonic; reader and printer go by it. The roles of the operands are listed there, in
// the formats' order.
#include "language/syntax/foreign/instructions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::foreign {

namespace {

std::vector<std::string_view> split(std::string_view words) {
    std::vector<std::string_view> result;
    while (!words.empty()) {
        const size_t end = std::min(words.find(' '), words.size());
        result.push_back(words.substr(0, end));
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return result;
}

bool among(std::string_view word, std::string_view words) {
    const auto list = split(words);
    return std::find(list.begin(), list.end(), word) != list.end();
}

// One spelling of an instruction.
struct Form {
    std::string_view mnemonic;
    Op op;
    std::vector<Role> operands;   // those of a barrier may be left out from the second on
    std::string_view sems;        // legal .sem; empty: none is
    std::string_view operations;  // legal .op of an atomic; the qualifiers of fence.proxy and membar
    bool braces = false;          // the braces format has it, too
};

constexpr std::string_view reductions = "add sub and or xor min max inc dec";
constexpr std::string_view atomics = "add sub and or xor min max inc dec exch cas";
constexpr std::string_view rmw_sems = "relaxed acquire release acq_rel";

// ISA 9.7.9.8 ld, 9.7.9.11 st, 9.7.13.4 fence, 9.7.13.5 atom, 9.7.13.6 red, 9.7.13.1 bar. The column
// format lets red acquire, which the ISA does not; surface, texture and constant accesses are the formats' own, and so is
// .sub, which adds the negative.
const std::vector<Form>& forms() {
    static const std::vector<Form> all = {
        {"ld", Op::ld, {Role::result, Role::address}, "weak volatile relaxed acquire", "", true},
        {"st", Op::st, {Role::address, Role::source}, "weak volatile relaxed release", "", true},
        {"suld", Op::suld, {Role::result, Role::address}, "weak relaxed acquire", "", true},
        {"sust", Op::sust, {Role::address, Role::source}, "weak relaxed release", "", true},
        {"tld", Op::tld, {Role::result, Role::address}, "weak", "", true},
        {"ldc", Op::ldc, {Role::result, Role::address}, "weak", "", true},
        {"atom", Op::atom, {Role::result, Role::address, Role::source}, rmw_sems, atomics, true},
        {"red", Op::red, {Role::address, Role::source}, rmw_sems, reductions, true},
        {"fence", Op::fence, {}, "sc acq_rel acquire release", "", true},
        {"fence.proxy", Op::fence_proxy, {}, "", "alias surface texture constant", true},
        {"membar", Op::fence, {}, "", "cta gl sys"},
        {"bar.cta.sync", Op::bar_quorum, {Role::barrier, Role::barrier, Role::threads}, "", ""},
        {"bar.cta.arrive", Op::bar_quorum_arrive, {Role::barrier, Role::barrier, Role::threads}, "", ""},
        {"mov", Op::mov, {Role::result, Role::source}, "", ""},
        {"add", Op::binary, {Role::result, Role::source, Role::source}, "", ""},
        {"sub", Op::binary, {Role::result, Role::source, Role::source}, "", ""},
        {"mul", Op::binary, {Role::result, Role::source, Role::source}, "", ""},
        {"and", Op::binary, {Role::result, Role::source, Role::source}, "", ""},
        {"or", Op::binary, {Role::result, Role::source, Role::source}, "", ""},
        {"xor", Op::binary, {Role::result, Role::source, Role::source}, "", ""},
        {"not", Op::not_, {Role::result, Role::source}, "", ""},
        {"shl", Op::binary, {Role::result, Role::source, Role::source}, "", ""},
        {"shr", Op::binary, {Role::result, Role::source, Role::source}, "", ""},
        {"min", Op::binary, {Role::result, Role::source, Role::source}, "", ""},
        {"max", Op::binary, {Role::result, Role::source, Role::source}, "", ""},
        {"beq", Op::bra, {Role::source, Role::source, Role::label}, "", ""},
        {"bne", Op::bra, {Role::source, Role::source, Role::label}, "", ""},
        {"goto", Op::bra, {Role::label}, "", ""},
    };
    return all;
}

constexpr std::string_view scopes = "cta gpu sys";
const Form* find_form(std::string_view mnemonic) {
    const auto it = std::find_if(forms().begin(), forms().end(), [&](const Form& form) { return form.mnemonic == mnemonic; });
    return it == forms().end() ? nullptr : &*it;
}

// The operands of an instruction of this form.
std::vector<Role> operands_of(const Form& form, bool cas) {
    return cas ? std::vector{Role::result, Role::address, Role::compare, Role::swap} : form.operands;
}

size_t required_operands(const std::vector<Role>& roles) {
    return !roles.empty() && roles[0] == Role::barrier ? 1 : roles.size();
}

bool has_form(const Form* form, Dialect dialect) {
    return form != nullptr && (dialect == Dialect::column || form->braces);
}

std::string format_name(Dialect dialect) {
    return dialect == Dialect::column ? "the column format" : "the braces format";
}

std::string quoted_list(Dialect dialect) {
    std::string list;
    for (const Form& form : forms()) {
        if (has_form(&form, dialect)) list += (list.empty() ? "" : " ") + std::string(form.mnemonic);
    }
    return list;
}

// Whether the instruction table of PTX has an instruction that starts with this word.
bool is_ptx(std::string_view word) {
    const auto& table = litmus::forms();
    return std::any_of(table.begin(), table.end(), [&](const litmus::Form& form) {
        return form.mnemonic == word || form.mnemonic.rfind(std::string(word) + ".", 0) == 0;
    });
}

// A mnemonic or qualifier and where it stands.
struct Word {
    std::string_view text;
    Span span;
};

std::vector<Word> parse_dotted(Cursor& in) {
    std::vector<Word> words;
    do {
        const Lexeme token = in.expect(Lexeme::Kind::word, words.empty() ? "an instruction" : "a qualifier after `.`");
        words.push_back({token.text, token.span});
    } while (in.accept("."));
    return words;
}

// Takes the words that make up the mnemonic from the front of `words`.
const Form& take_form(const Cursor& in, std::vector<Word>& words, Dialect dialect) {
    const Word first = words[0];
    std::string mnemonic(first.text == "cold" && dialect == Dialect::column ? "ldc" : first.text);
    size_t length = 1;
    if (mnemonic == "fence" && words.size() > 1 && words[1].text == "proxy") {
        mnemonic = "fence.proxy";
        length = 2;
    } else if (mnemonic == "fence" && words.size() > 1 && words[1].text == "alias" && dialect == Dialect::braces) {
        mnemonic = "fence.proxy";  // the artifact's short form of fence.proxy.alias
    } else if (mnemonic == "bar") {
        const bool cta = words.size() == 3 && words[1].text == "cta" && (words[2].text == "sync" || words[2].text == "arrive");
        if (dialect == Dialect::column && !cta) {
            in.fail({first.span.begin, words.back().span.end}, "the column format has no such barrier",
                    "write bar.cta.sync I[, B[, Q]] or bar.cta.arrive I[, B[, Q]]");
        }
        if (cta) {
            mnemonic = "bar.cta." + std::string(words[2].text);
            length = 3;
        }
    }
    const Form* form = find_form(mnemonic);
    if (!has_form(form, dialect)) {
        const bool known = form != nullptr || is_ptx(mnemonic);
        const std::string quoted = "`" + mnemonic + "`";
        in.fail(first.span,
                known ? quoted + " is PTX, but " + format_name(dialect) + " does not have it"
                      : quoted + " is not an instruction of " + format_name(dialect),
                (known ? "the native format may have it; this one has: " : "expected one of: ") + quoted_list(dialect));
    }
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length));
    return *form;
}

void put_once(const Cursor& in, std::string& slot, const Word& word, std::string_view what) {
    if (!slot.empty()) in.fail(word.span, "second " + std::string(what) + " `." + std::string(word.text) + "`");
    slot = word.text;
}

// The qualifiers in the ISA's order: sem, scope, op. Any order is read.
std::vector<std::string> parse_qualifiers(const Cursor& in, const Form& form, const std::vector<Word>& words, Span span, Dialect dialect) {
    std::string sem;
    std::string scope;
    std::string operation;
    for (const Word& word : words) {
        if (among(word.text, form.sems)) {
            put_once(in, sem, word, "semantics");
        } else if (among(word.text, form.operations)) {
            put_once(in, operation, word, "operation");
        } else if (!form.sems.empty() && among(word.text, scopes)) {
            put_once(in, scope, word, "scope");
        } else {
            std::string hint = form.sems.empty() && form.operations.empty() ? "it takes no qualifiers" : "it takes:";
            for (const std::string_view list : {form.sems, form.sems.empty() ? std::string_view{} : scopes, form.operations}) {
                if (!list.empty()) hint += " " + std::string(list);
            }
            if (type_named(word.text)) hint = "types are left out in " + format_name(dialect) + ": everything has 32 bits";
            in.fail(
                word.span,
                "`." + std::string(word.text) + "` is not a qualifier of `" + std::string(form.mnemonic) + "` in " + format_name(dialect),
                hint);
        }
    }
    const std::string mnemonic(form.mnemonic);
    if (!form.operations.empty() && operation.empty()) in.fail(span, "`" + mnemonic + "` needs one of: " + std::string(form.operations));
    const bool rmw = kind(form.op) == Traits::Kind::atomic;
    const bool scoped = form.op == Op::fence ? !form.sems.empty() : !rmw && !sem.empty() && sem != "weak" && sem != "volatile";
    if (scoped && scope.empty()) in.fail(span, "`" + mnemonic + "` needs a scope here", "one of: cta gpu sys");
    if (!scoped && !rmw && !scope.empty()) {
        in.fail(span, "a weak or volatile `" + mnemonic + "` has no scope", "name the semantics, as in `ld.relaxed.gpu`");
    }
    std::vector<std::string> qualifiers;
    for (std::string& part : std::array{std::move(sem), std::move(scope), std::move(operation)}) {
        if (!part.empty()) qualifiers.push_back(part);
    }
    return qualifiers;
}

Operand parse_register(Cursor& in, std::string_view what) {
    Operand operand;
    operand.span = in.peek().span;
    operand.name = in.take_name(what);
    return operand;
}

Operand parse_immediate(Cursor& in) {
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    operand.span = in.peek().span;
    operand.value = in.take_value("a number");
    return operand;
}

Operand parse_address(Cursor& in, Dialect dialect) {
    Operand operand;
    operand.kind = Operand::Kind::address;
    operand.span = in.peek().span;
    const bool bracket = in.accept("[");
    if (!bracket && dialect == Dialect::braces) in.fail(operand.span, "expected an address", "addresses are written `[x]`");
    operand.name = in.take_name("a location");
    if (bracket) {
        if (!in.at("]")) in.fail(in.peek().span, "expected `]`", "addresses have no offset in this format");
        operand.span.end = in.take().span.end;
    }
    return operand;
}

Operand parse_operand(Cursor& in, Role role, Dialect dialect) {
    if (role == Role::address) return parse_address(in, dialect);
    if (role == Role::result) return parse_register(in, "a register");
    if (role != Role::label) return in.at_number() ? parse_immediate(in) : parse_register(in, "a register or a number");
    Operand label = parse_register(in, "a label");
    label.kind = Operand::Kind::label;
    return label;
}

std::vector<Operand> parse_operands(Cursor& in, const std::vector<Role>& roles, Dialect dialect) {
    std::vector<Operand> operands;
    for (const Role role : roles) {
        if (operands.size() >= required_operands(roles) && !in.at(",")) break;
        if (!operands.empty()) in.expect(",", "`,` and another operand");
        operands.push_back(parse_operand(in, role, dialect));
        operands.back().role = role;
    }
    return operands;
}

std::optional<Expectation> parse_expectation(Cursor& in) {
    if (!in.at("==")) return std::nullopt;
    in.take();
    return Expectation{Operator::eq, parse_immediate(in)};
}

}  // namespace

Instruction parse_instruction(Cursor& in, Dialect dialect) {
    Instruction result;
    result.span = in.peek().span;
    if (in.at("@")) in.fail(result.span, "guards are not part of " + format_name(dialect), "branch with beq, bne and goto");
    std::vector<Word> words = parse_dotted(in);
    const Span spelled{result.span.begin, words.back().span.end};
    result.spelled = spelled;
    const Form& form = take_form(in, words, dialect);
    result.op = form.op;
    result.mnemonic = form.mnemonic;
    result.qualifiers = parse_qualifiers(in, form, words, spelled, dialect);
    std::vector<Role> roles = operands_of(form, result.has("cas"));
    const bool plain = result.qualifiers.empty() || result.has("weak");
    if (form.op == Op::ld && dialect == Dialect::column && plain && in.at(Lexeme::Kind::word) && in.at(",", 1) &&
        (in.at(Lexeme::Kind::number, 2) || in.at("-", 2))) {
        // `ld r0, 1` has no address: it sets a register.
        result.op = Op::mov;
        result.mnemonic = "mov";
        result.qualifiers.clear();
        roles = find_form("mov")->operands;
    }
    result.operands = parse_operands(in, roles, dialect);
    if (dialect == Dialect::braces && (is_load(form.op) || form.op == Op::atom)) result.expect = parse_expectation(in);
    result.span.end = result.operands.empty() ? spelled.end : result.operands.back().span.end;
    if (result.expect) result.span.end = result.expect->value.span.end;
    return result;
}

namespace {

std::string print_operand(const Operand& operand, Dialect dialect) {
    switch (operand.kind) {
        case Operand::Kind::immediate:
            return signed_decimal(operand.value);
        case Operand::Kind::address:
            return dialect == Dialect::braces ? "[" + operand.name + "]" : operand.name;
        default:
            return operand.name;
    }
}

bool fits(const Operand& operand, Role role) {
    switch (operand.kind) {
        case Operand::Kind::address:
            return role == Role::address && !operand.indirect && operand.offset == 0 && operand.cta < 0;
        case Operand::Kind::label:
            return role == Role::label;
        case Operand::Kind::reg:
            return role != Role::address && role != Role::label;
        case Operand::Kind::immediate:
            return role != Role::address && role != Role::label && role != Role::result && !operand.is_float;
        default:
            return false;
    }
}

bool fits(const std::vector<Operand>& operands, const std::vector<Role>& roles) {
    return operands.size() >= required_operands(roles) && operands.size() <= roles.size() &&
           std::equal(operands.begin(), operands.end(), roles.begin(), [](const Operand& o, Role role) { return fits(o, role); });
}

}  // namespace

std::string print_instruction(const Instruction& instruction, const Test& test, Dialect dialect) {
    const auto refuse = [&](const std::string& what) -> Failure {
        return Failure(test.source, instruction.span, format_name(dialect) + " cannot express " + what);
    };
    const Form* form = find_form(instruction.mnemonic);
    if (!has_form(form, dialect)) throw refuse("`" + instruction.mnemonic + "`");
    if (instruction.guard) throw refuse("a guard");
    if (instruction.await) throw refuse("`await`");
    if (instruction.expect &&
        (dialect == Dialect::column || instruction.expect->comparison != Operator::eq || !fits(instruction.expect->value, Role::none))) {
        throw refuse("this expectation");
    }
    if (!fits(instruction.operands, operands_of(*form, instruction.has("cas"))))
        throw refuse("these operands of `" + instruction.mnemonic + "`");

    std::string text(form->mnemonic);
    if (form->op == Op::ldc && dialect == Dialect::column) text = "cold";
    if (form->op == Op::mov && instruction.at(Role::source).kind == Operand::Kind::immediate) text = "ld";
    std::vector<std::string> qualifiers = instruction.qualifiers;
    if (dialect == Dialect::braces && kind(form->op) == Traits::Kind::atomic) {
        std::stable_partition(qualifiers.begin(), qualifiers.end(), [&](const std::string& q) { return among(q, form->operations); });
    }
    for (const std::string& qualifier : qualifiers) {
        if (!among(qualifier, form->sems) && !among(qualifier, form->operations) && (form->sems.empty() || !among(qualifier, scopes))) {
            throw refuse("`." + qualifier + "`");
        }
        text += "." + qualifier;
    }
    std::string separator = " ";
    for (const Operand& operand : instruction.operands) text += std::exchange(separator, ", ") + print_operand(operand, dialect);
    if (instruction.expect) text += " == " + print_operand(instruction.expect->value, dialect);
    return text;
}

std::string written_register(const Instruction& instruction) {
    const Operand* result = instruction.find(Role::result);
    return result && result->kind == Operand::Kind::reg ? result->name : "";
}

std::vector<std::string> read_registers(const Instruction& instruction) {
    std::vector<std::string> names;
    if (instruction.guard) names.push_back(instruction.guard->reg);
    for (const Operand& operand : instruction.operands) {
        if (operand.role == Role::result) continue;
        if (operand.kind == Operand::Kind::reg || operand.indirect) names.push_back(operand.name);
        for (const Operand& element : operand.elements) {
            if (element.kind == Operand::Kind::reg) names.push_back(element.name);
        }
    }
    if (instruction.expect && instruction.expect->value.kind == Operand::Kind::reg) names.push_back(instruction.expect->value.name);
    return names;
}

}  // namespace litmus::foreign
