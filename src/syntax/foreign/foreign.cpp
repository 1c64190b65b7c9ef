// Tokens, instructions and conditions of the two foreign formats.
#include "syntax/foreign/foreign.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "ptx/table.h"
#include "ptx/traits.h"
#include "syntax/condition.h"

namespace litmus::foreign {

namespace {

constexpr int max_depth = 200;           // of a condition
constexpr int max_text_depth = 500;      // of its text: parentheses may be redundant, but are bounded, too
constexpr size_t max_conditions = 4096;  // parentheses and negations included

bool starts_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool in_word(char c) {
    return starts_word(c) || is_digit(c);
}

// Words that would change the meaning of a condition or of a file's end when used as a name.
bool is_reserved(std::string_view word) {
    constexpr std::array<std::string_view, 7> words{"not", "true", "false", "exists", "forall", "filter", "locations"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

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

// ---- tokens ----------------------------------------------------------------------------------

uint32_t skip_comment(const SourcePtr& source, uint32_t at, uint32_t end) {
    const std::string_view text = source->text;
    const std::string_view opening = text.substr(at, 2);
    if (opening == "//") return static_cast<uint32_t>(std::min<size_t>(text.find('\n', at), end));
    const std::string_view closing = opening == "(*" ? "*)" : "*/";
    uint32_t depth = 0;
    for (uint32_t i = at; i + 1 < end; ++i) {
        const std::string_view two = text.substr(i, 2);
        if (two == closing) {
            if (--depth == 0) return i + 2;
            ++i;
        } else if (two == opening && (depth == 0 || opening == "(*")) {
            ++depth;
            ++i;
        }
    }
    throw Failure(source, {at, at + 2}, "comment is not closed", "close it with `" + std::string(closing) + "`");
}

bool starts_comment(std::string_view two) {
    return two == "//" || two == "/*" || two == "(*";
}
bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

// Digits from `at`, decimal or 0x; moves `at` behind them.
uint64_t scan_number(const SourcePtr& source, uint32_t& at, uint32_t end) {
    const std::string& text = source->text;
    const uint32_t begin = at;
    const bool hex = at + 1 < end && text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X');
    const uint64_t base = hex ? 16 : 10;
    if (hex) at += 2;
    uint64_t value = 0;
    bool overflow = false;
    for (; at < end && in_word(text[at]); ++at) {
        const char c = text[at];
        const uint64_t digit = is_digit(c) ? static_cast<uint64_t>(c - '0') : static_cast<uint64_t>((c | 0x20) - 'a') + 10;
        if (c == '_' || digit >= base) {
            throw Failure(source, {begin, at + 1}, "malformed number", "names start with a letter or `_`");
        }
        overflow = overflow || value > (UINT64_MAX - digit) / base;
        value = value * base + digit;
    }
    if (hex && at == begin + 2) throw Failure(source, {begin, at}, "malformed number", "hexadecimal digits must follow `0x`");
    if (overflow) throw Failure(source, {begin, at}, "number does not fit 64 bits");
    return value;
}

Token scan_token(const SourcePtr& source, uint32_t at, uint32_t end) {
    const std::string_view text = source->text;
    const char c = text[at];
    uint32_t stop = at + 1;
    Token token;
    if (starts_word(c)) {
        while (stop < end && in_word(text[stop])) ++stop;
        token.kind = Token::Kind::word;
    } else if (is_digit(c)) {
        stop = at;
        token.kind = Token::Kind::number;
        token.value = scan_number(source, stop, end);
    } else if (c == '$' && stop < end && is_digit(text[stop])) {
        token.kind = Token::Kind::hole;
        token.value = scan_number(source, stop, end);
    } else {
        constexpr std::array<std::string_view, 8> pairs{"==", "!=", "<=", ">=", "<>", "/\\", "\\/", "$$"};
        const std::string_view two = text.substr(at, std::min<size_t>(2, end - at));
        if (std::find(pairs.begin(), pairs.end(), two) != pairs.end()) {
            stop = at + 2;
        } else if (std::string_view("{}()[]<>=!~&|,;:.@-").find(c) == std::string_view::npos) {
            throw Failure(source, {at, stop}, "unexpected character");
        }
        token.kind = Token::Kind::mark;
    }
    token.text = text.substr(at, stop - at);
    token.span = {at, stop};
    return token;
}

}  // namespace

uint32_t text_begin(const Source& source) {
    return source.text.rfind("\xef\xbb\xbf", 0) == 0 ? 3 : 0;
}

uint32_t skip_blank(const SourcePtr& source, uint32_t at, uint32_t end) {
    const std::string_view text = source->text;
    while (at < end) {
        if (is_space(text[at])) {
            ++at;
        } else if (at + 1 < end && starts_comment(text.substr(at, 2))) {
            at = skip_comment(source, at, end);
        } else {
            break;
        }
    }
    return at;
}

std::vector<Token> scan(const SourcePtr& source, Span range) {
    std::vector<Token> tokens;
    uint32_t at = skip_blank(source, range.begin, range.end);
    while (at < range.end) {
        tokens.push_back(scan_token(source, at, range.end));
        at = skip_blank(source, tokens.back().span.end, range.end);
    }
    Token end;
    end.span = {range.end, range.end};
    tokens.push_back(end);
    return tokens;
}

// ---- cursor ----------------------------------------------------------------------------------

Cursor::Cursor(SourcePtr source, std::vector<Token> tokens) : source_(std::move(source)), tokens_(std::move(tokens)) {}

const Token& Cursor::peek(size_t ahead) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

Token Cursor::take() {
    const Token token = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    last_end_ = token.span.end;
    return token;
}

bool Cursor::at(std::string_view text, size_t ahead) const {
    const Token& token = peek(ahead);
    return (token.kind == Token::Kind::mark || token.kind == Token::Kind::word) && token.text == text;
}

bool Cursor::accept(std::string_view text) {
    if (!at(text)) return false;
    take();
    return true;
}

Token Cursor::expect(std::string_view text, std::string_view what) {
    if (!at(text)) fail(peek().span, "expected " + std::string(what));
    return take();
}

Token Cursor::expect(Token::Kind kind, std::string_view what) {
    if (!at(kind)) fail(peek().span, "expected " + std::string(what));
    return take();
}

std::string Cursor::take_name(std::string_view what) {
    const Token token = expect(Token::Kind::word, what);
    if (is_reserved(token.text)) fail(token.span, "`" + std::string(token.text) + "` cannot be a name", "it is a word of the format");
    return std::string(token.text);
}

uint64_t Cursor::take_value(std::string_view what) {
    const Token sign = peek();
    const bool negative = accept("-");
    const Token token = expect(Token::Kind::number, what);
    const uint64_t limit = negative ? uint64_t{1} << 31 : UINT32_MAX;
    if (token.value > limit) {
        fail({sign.span.begin, token.span.end}, "number does not fit 32 bits", "every location and register has 32 bits in this format");
    }
    return negative ? ~token.value + 1 : token.value;
}

int Cursor::take_index(std::string_view what) {
    const Token token = expect(Token::Kind::number, what);
    if (token.value > 65535) fail(token.span, "number is too large", "at most 65535");
    return static_cast<int>(token.value);
}

void Cursor::fail(Span span, std::string message, std::string hint) const {
    throw Failure(source_, span, std::move(message), std::move(hint));
}

std::string signed_decimal(uint64_t value) {
    return (value >> 63) != 0 ? "-" + std::to_string(~value + 1) : std::to_string(value);
}

std::string trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n\f\v";
    const size_t begin = text.find_first_not_of(blank);
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin, text.find_last_not_of(blank) - begin + 1));
}

std::optional<int> target_number(std::string_view text) {
    const bool good =
        text.size() > 3 && text.size() < 9 && text.substr(0, 3) == "sm_" && std::all_of(text.begin() + 3, text.end(), is_digit);
    if (!good) return std::nullopt;
    return std::stoi(std::string(text.substr(3)));
}

bool is_name(std::string_view text) {
    return !text.empty() && starts_word(text[0]) && std::all_of(text.begin(), text.end(), in_word) && !is_reserved(text);
}

// ---- instructions ----------------------------------------------------------------------------

namespace {

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
        {"add", Op::add, {Role::result, Role::source, Role::source}, "", ""},
        {"sub", Op::sub, {Role::result, Role::source, Role::source}, "", ""},
        {"mul", Op::mul, {Role::result, Role::source, Role::source}, "", ""},
        {"and", Op::and_, {Role::result, Role::source, Role::source}, "", ""},
        {"or", Op::or_, {Role::result, Role::source, Role::source}, "", ""},
        {"xor", Op::xor_, {Role::result, Role::source, Role::source}, "", ""},
        {"not", Op::not_, {Role::result, Role::source}, "", ""},
        {"shl", Op::shl, {Role::result, Role::source, Role::source}, "", ""},
        {"shr", Op::shr, {Role::result, Role::source, Role::source}, "", ""},
        {"min", Op::min, {Role::result, Role::source, Role::source}, "", ""},
        {"max", Op::max, {Role::result, Role::source, Role::source}, "", ""},
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
        const Token token = in.expect(Token::Kind::word, words.empty() ? "an instruction" : "a qualifier after `.`");
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

bool at_number(const Cursor& in) {
    return in.at(Token::Kind::number) || in.at("-");
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
    if (role != Role::label) return at_number(in) ? parse_immediate(in) : parse_register(in, "a register or a number");
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
    return Expectation{"==", parse_immediate(in)};
}

}  // namespace

Instruction parse_instruction(Cursor& in, Dialect dialect) {
    Instruction result;
    result.span = in.peek().span;
    if (in.at("@")) in.fail(result.span, "guards are not part of " + format_name(dialect), "branch with beq, bne and goto");
    std::vector<Word> words = parse_dotted(in);
    const Span spelled{result.span.begin, words.back().span.end};
    const Form& form = take_form(in, words, dialect);
    result.op = form.op;
    result.mnemonic = form.mnemonic;
    result.qualifiers = parse_qualifiers(in, form, words, spelled, dialect);
    std::vector<Role> roles = operands_of(form, result.has("cas"));
    const bool plain = result.qualifiers.empty() || result.has("weak");
    if (form.op == Op::ld && dialect == Dialect::column && plain && in.at(Token::Kind::word) && in.at(",", 1) &&
        (in.at(Token::Kind::number, 2) || in.at("-", 2))) {
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
        (dialect == Dialect::column || instruction.expect->comparison != "==" || !fits(instruction.expect->value, Role::none))) {
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

// ---- conditions ------------------------------------------------------------------------------

namespace {

Term register_term(const Cursor& in, const Test& test, const std::string& thread, const std::string& name, Span span) {
    Term term;
    term.kind = Term::Kind::reg;
    term.thread = find_thread(test, thread);
    term.name = name;
    term.span = span;
    if (term.thread < 0) in.fail(span, "no thread `" + thread + "`");
    if (find_location(test, name) != nullptr) in.fail(span, "`" + name + "` is a location, not a register of " + thread);
    return term;
}

Term location_term(const Cursor& in, const Test& test, const std::string& name, Span span) {
    Term term;
    term.kind = Term::Kind::location;
    term.name = name;
    term.span = span;
    if (find_location(test, name) == nullptr) in.fail(span, "no location `" + name + "`", "registers are written `P0:" + name + "`");
    return term;
}

bool writes(const Thread& thread, const std::string& name) {
    return std::any_of(thread.body.begin(), thread.body.end(), [&](const Instruction& i) { return written_register(i) == name; });
}

// In the braces format a bare name is the register of the one thread that writes it.
Term bare_register(const Cursor& in, const Test& test, const std::string& name, Span span) {
    for (const Thread& thread : test.threads) {
        if (writes(thread, name)) return register_term(in, test, thread.name, name, span);
    }
    in.fail(span, "no thread writes a register `" + name + "`",
            find_location(test, name) != nullptr ? "final memory is not part of the braces format; load it into a register" : "");
}

// d0.b1.t0
std::string take_thread_name(Cursor& in) {
    std::string name = in.take_name("a thread");
    while (in.accept(".")) name += "." + in.take_name("a thread such as d0.b0.t0");
    return name;
}

std::string take_comparison(Cursor& in) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> spellings{
        {{"==", "=="}, {"=", "=="}, {"!=", "!="}, {"<>", "!="}, {"<=", "<="}, {">=", ">="}, {"<", "<"}, {">", ">"}}};
    for (const auto& [spelling, comparison] : spellings) {
        if (in.accept(spelling)) return std::string(comparison);
    }
    in.fail(in.peek().span, "expected a comparison", "one of == != < <= > >=");
}

bool accept_twice(Cursor& in, std::string_view mark) {
    if (!in.at(mark) || !in.at(mark, 1) || in.peek().span.end != in.peek(1).span.begin) return false;
    in.take();
    in.take();
    return true;
}

std::string depth_hint() {
    return "at most " + std::to_string(max_depth) + " levels";
}

int depth_of(const Condition& condition) {
    int depth = 0;
    for (const Condition& operand : condition.operands) depth = std::max(depth, depth_of(operand) + 1);
    return depth;
}

// How conditions are written in both formats.
class Conditions : public ConditionParser {
public:
    Conditions(Cursor& in, const Test& test) : in_(in), test_(test) {}

private:
    bool accept(Mark mark) override {
        switch (mark) {
            case Mark::either:
                return in_.accept("\\/") || accept_twice(in_, "|");
            case Mark::both:
                return in_.accept("/\\") || accept_twice(in_, "&");
            case Mark::negation:
                return in_.accept("~") || in_.accept("!") || in_.accept("not");
            case Mark::open:
                return in_.accept("(");
            case Mark::yes:
                return in_.accept("true");
            case Mark::no:
                return in_.accept("false");
        }
        return false;
    }

    void close() override { in_.expect(")", "`)` or a connective"); }

    void comparison(Condition& atom) override {
        atom.left = parse_term(in_, test_);
        atom.comparison = take_comparison(in_);
        atom.right = parse_term(in_, test_);
    }

    void check_depth(int depth) override {
        if (depth > max_text_depth) in_.fail(next(), "the condition is nested too deeply", depth_hint());
        if (++count_ > max_conditions) in_.fail(next(), "the condition is too long");
    }

    Span next() override { return in_.peek().span; }
    uint32_t last_end() const override { return in_.last_end(); }

    Cursor& in_;
    const Test& test_;
    size_t count_ = 0;
};

std::string print_operands(const Condition& condition, const Test& test, std::string_view connective) {
    std::string text;
    for (const Condition& operand : condition.operands) {
        const bool composite = operand.kind == Condition::Kind::disjunction ||
                               (operand.kind == Condition::Kind::conjunction && condition.kind == Condition::Kind::conjunction);
        if (!text.empty()) text += connective;
        text += composite ? "(" + print_condition(operand, test) + ")" : print_condition(operand, test);
    }
    return text;
}

}  // namespace

Condition parse_condition(Cursor& in, const Test& test) {
    Condition condition = Conditions(in, test).parse();
    if (depth_of(condition) > max_depth) in.fail(condition.span, "the condition is nested too deeply", depth_hint());
    return condition;
}

Term parse_term(Cursor& in, const Test& test) {
    const Token first = in.peek();
    const bool braces = test.dialect == Dialect::braces;
    if (first.kind == Token::Kind::number && in.at(":", 1) && !braces) {
        const std::string thread = "P" + std::to_string(first.value);
        in.take();
        in.take();
        const Span name = in.peek().span;
        return register_term(in, test, thread, in.take_name("a register"), {first.span.begin, name.end});
    }
    if (at_number(in)) {
        Term term;
        term.value = in.take_value("a number");
        term.span = first.span;
        return term;
    }
    if (in.at("[") && !braces) {
        in.take();
        const std::string name = in.take_name("a location");
        const Token close = in.expect("]", "`]`");
        return location_term(in, test, name, {first.span.begin, close.span.end});
    }
    if (in.at(Token::Kind::word) && (in.at(":", 1) || in.at(".", 1))) {
        const std::string thread = take_thread_name(in);
        in.expect(":", "`:` and a register");
        const Span name = in.peek().span;
        return register_term(in, test, thread, in.take_name("a register"), {first.span.begin, name.end});
    }
    const std::string name = in.take_name(braces ? "a register or a number" : "a register, a location or a number");
    return braces ? bare_register(in, test, name, first.span) : location_term(in, test, name, first.span);
}

std::string print_term(const Term& term, const Test& test) {
    switch (term.kind) {
        case Term::Kind::constant:
            return signed_decimal(term.value);
        case Term::Kind::location:
            return term.name;
        case Term::Kind::reg:
            break;
    }
    const Thread& thread = test.threads.at(static_cast<size_t>(term.thread));
    const bool bare = test.dialect == Dialect::braces && writes(thread, term.name);
    return bare ? term.name : thread.name + ":" + term.name;
}

std::string print_condition(const Condition& condition, const Test& test) {
    const bool braces = test.dialect == Dialect::braces;
    switch (condition.kind) {
        case Condition::Kind::constant:
            return condition.value ? "true" : "false";
        case Condition::Kind::atom:
            return print_term(condition.left, test) + " " + condition.comparison + " " + print_term(condition.right, test);
        case Condition::Kind::conjunction:
            return print_operands(condition, test, braces ? " && " : " /\\ ");
        case Condition::Kind::disjunction:
            return print_operands(condition, test, braces ? " || " : " \\/ ");
        case Condition::Kind::negation:
            break;
    }
    return (braces ? "not (" : "~(") + print_condition(condition.operands.at(0), test) + ")";
}

void assign_warps(Test& test) {
    std::map<std::pair<int, int>, int> next;
    for (Thread& thread : test.threads) thread.at.warp = next[{thread.at.gpu, thread.at.cta}]++;
}

}  // namespace litmus::foreign
