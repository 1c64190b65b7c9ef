// Reader and printer of the braces format.
//
// A file is a template and, after `$$`, a table with a test on each line: `$n` stands for the tokens
// of the line's n-th cell. The substitution works on tokens, so every span still points at what was
// written. A file with several commands gives a test for each.
#include "language/syntax/foreign/braces.h"

#include <algorithm>
#include <set>
#include <utility>

#include "language/syntax/foreign/conditions.h"
#include "language/syntax/foreign/foreign.h"
#include "language/syntax/foreign/instructions.h"
#include "language/syntax/foreign/tokens.h"

namespace litmus {

namespace {

using foreign::Cursor;
using foreign::Lexeme;
using foreign::trimmed;

constexpr size_t max_rows = 4096;
constexpr size_t max_tokens = size_t{1} << 18;  // of all rows together
constexpr size_t max_copies = size_t{1} << 16;  // instructions of all tests that a file's commands make

// ---- leading comments ------------------------------------------------------------------------

// The file's name without its folders; what a test is called that does not say.
std::string base_name(const std::string& path) {
    const size_t slash = path.find_last_of('/');
    const std::string base = trimmed(slash == std::string::npos ? path : path.substr(slash + 1));
    return base.empty() ? "test" : base;
}

struct Heading {
    std::string name;
    std::vector<std::string> doc;
    std::vector<std::string> refs;
    std::string repairs;
    std::optional<int> target;
};

// `// name: ...`, `// doc: ...`, `// ref: ...`, `// repairs: ...`, `// target: sm_NN` before anything else.
Heading heading(const SourcePtr& source) {
    const std::string& text = source->text;
    Heading result;
    size_t at = foreign::text_begin(*source);
    while ((at = text.find_first_not_of(" \t\r\n\f\v", at)) != std::string::npos && text.compare(at, 2, "//") == 0) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = trimmed(std::string_view(text).substr(at + 2, end - at - 2));
        const auto value = [&](std::string_view key) { return trimmed(std::string_view(line).substr(key.size())); };
        if (line.rfind("name:", 0) == 0) result.name = value("name:");
        if (line.rfind("doc:", 0) == 0) result.doc.push_back(value("doc:"));
        if (line.rfind("ref:", 0) == 0) result.refs.push_back(value("ref:"));
        if (line.rfind("repairs:", 0) == 0) result.repairs = value("repairs:");
        if (line.rfind("target:", 0) == 0) {
            result.target = foreign::target_number(value("target:"));
            const Span span{static_cast<uint32_t>(at), static_cast<uint32_t>(end)};
            if (!result.target) throw Failure(source, span, "malformed target", "write it as in `// target: sm_90`");
        }
        at = end;
    }
    return result;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : "\n") + lines[i];
    return text;
}

// ---- tables ----------------------------------------------------------------------------------

using Lexemes = std::vector<Lexeme>;

// One line of the table: the tokens of each cell.
struct Row {
    std::vector<Lexemes> cells;
    Span span;
};

// Lines after `$$`, split at `|`; blank lines and comments are no rows.
std::vector<Row> table_rows(const SourcePtr& source, uint32_t begin) {
    const std::string& text = source->text;
    std::vector<Row> rows;
    while (begin < text.size()) {
        const auto end = static_cast<uint32_t>(std::min(text.find('\n', begin), text.size()));
        Lexemes tokens = foreign::scan(source, {begin, end});
        begin = end + 1;
        tokens.pop_back();
        if (tokens.empty()) continue;
        Row row;
        row.span = {tokens.front().span.begin, tokens.back().span.end};
        row.cells.emplace_back();
        for (const Lexeme& token : tokens) {
            if (token.kind == Lexeme::Kind::hole) throw Failure(source, token.span, "`$n` stands in the template, not in the table");
            if (token.kind == Lexeme::Kind::mark && token.text == "|") {
                row.cells.emplace_back();
            } else {
                row.cells.back().push_back(token);
            }
        }
        if (rows.size() >= max_rows) throw Failure(source, row.span, "too many rows", "at most 4096");
        rows.push_back(std::move(row));
    }
    return rows;
}

Lexemes instantiate(const SourcePtr& source, const Lexemes& tokens, const Row& row) {
    Lexemes result;
    std::set<uint64_t> used;
    for (const Lexeme& token : tokens) {
        if (token.kind != Lexeme::Kind::hole) {
            result.push_back(token);
            continue;
        }
        if (token.value >= row.cells.size()) {
            throw Failure(source, row.span, "this row has no cell for `" + std::string(token.text) + "`",
                          "cells are separated by `|` and counted from $0; this row has " + std::to_string(row.cells.size()));
        }
        used.insert(token.value);
        const Lexemes& cell = row.cells[static_cast<size_t>(token.value)];
        if (result.size() + cell.size() > max_tokens) throw Failure(source, row.span, "the table is too large");
        result.insert(result.end(), cell.begin(), cell.end());
    }
    if (used.size() != row.cells.size()) {
        throw Failure(source, row.span,
                      "this row has " + std::to_string(row.cells.size()) + " cells, but the template uses " + std::to_string(used.size()));
    }
    return result;
}

// ---- one test --------------------------------------------------------------------------------

class BracesParser {
public:
    BracesParser(const SourcePtr& source, Lexemes tokens) : in_(source, std::move(tokens)) {
        test_.source = source;
        test_.dialect = Dialect::braces;
    }

    // The test once for each command; once without a claim when there is none.
    std::vector<Test> parse() {
        while (in_.at(".")) declaration();
        while (in_.at(Lexeme::Kind::word) && in_.at(".", 1)) thread();
        if (test_.threads.empty()) in_.fail(in_.peek().span, "expected a thread such as `d0.b0.t0 { ... }`");
        foreign::assign_warps(test_);
        check_registers();
        std::vector<Test> tests;
        while (!in_.at_end()) {
            if ((tests.size() + 1) * (instructions_ + 1) > max_copies) in_.fail(in_.peek().span, "too many commands");
            tests.push_back(command());
        }
        if (tests.empty()) tests.push_back(test_);
        return tests;
    }

private:
    // .global x; .global y physically aliases x; .surfref s virtually aliases x;
    void declaration() {
        in_.take();
        const Lexeme kind = in_.expect(Lexeme::Kind::word, "global, texref, surfref or conref");
        Location location;
        location.init = {0};
        if (kind.text == "texref") {
            location.proxy = Proxy::texture;
        } else if (kind.text == "surfref") {
            location.proxy = Proxy::surface;
        } else if (kind.text == "conref") {
            location.proxy = Proxy::constant;
        } else if (kind.text == "shared") {
            in_.fail(kind.span, "shared memory without a CTA has no meaning here",
                     "the native format says whose it is: .shared.cta0 .u32 x = 0;");
        } else if (kind.text != "global") {
            in_.fail(kind.span, "unknown kind of location `" + std::string(kind.text) + "`", "one of: global texref surfref conref");
        }
        location.span = in_.peek().span;
        location.name = in_.take_name("a location");
        const bool plain = location.proxy == Proxy::generic;
        if (!plain || in_.at("physically")) {
            const std::string_view how = plain ? "physically" : "virtually";
            in_.expect(how, "`" + std::string(how) + " aliases` and a location");
            in_.expect("aliases", "`aliases` and a location");
            const Span span = in_.peek().span;
            location.alias_of = in_.take_name("a location");
            if (find_location(test_, location.alias_of) == nullptr) {
                in_.fail(span, "no location `" + location.alias_of + "`", "declare it before its alias");
            }
        }
        if (find_location(test_, location.name) != nullptr) in_.fail(location.span, "location `" + location.name + "` is declared twice");
        if (test_.locations.size() >= foreign::max_locations) in_.fail(location.span, "too many locations");
        in_.expect(";", plain ? "`physically aliases`, or `;`" : "`;`");
        test_.locations.push_back(std::move(location));
    }

    // The number in a part of d0.b1.t0.
    int take_part(char letter) {
        const Lexeme token = in_.expect(Lexeme::Kind::word, "a thread such as d0.b0.t0");
        const std::string digits(token.text.substr(1));
        const bool good = token.text[0] == letter && !digits.empty() && digits.size() <= 5 &&
                          digits.find_first_not_of("0123456789") == std::string::npos && (digits == "0" || digits[0] != '0');
        if (!good)
            in_.fail(token.span, "expected `" + std::string(1, letter) + "` and a number", "threads are named d<gpu>.b<cta>.t<thread>");
        return std::stoi(digits);
    }

    void thread() {
        Thread thread;
        const Span first = in_.peek().span;
        thread.at.gpu = take_part('d');
        in_.expect(".", "`.b` and the CTA's number");
        thread.at.cta = take_part('b');
        in_.expect(".", "`.t` and the thread's number");
        thread.span = {first.begin, in_.peek().span.end};
        const int number = take_part('t');
        thread.name = "d" + std::to_string(thread.at.gpu) + ".b" + std::to_string(thread.at.cta) + ".t" + std::to_string(number);
        if (find_thread(test_, thread.name) >= 0) in_.fail(thread.span, "thread `" + thread.name + "` stands twice");
        if (test_.threads.size() >= foreign::max_threads) in_.fail(thread.span, "too many threads", "at most 256");
        in_.expect("{", "`{` and the thread's instructions");
        while (!in_.accept("}")) {
            if (++instructions_ > foreign::max_instructions) in_.fail(in_.peek().span, "too many instructions", "at most 4096");
            thread.body.push_back(foreign::parse_instruction(in_, Dialect::braces));
            in_.expect(";", "`;` after an instruction");
        }
        test_.threads.push_back(std::move(thread));
    }

    // A register names one value of the whole test: written once, and read by the thread that wrote it.
    void check_registers() const {
        std::set<std::string> everywhere;
        for (const Thread& thread : test_.threads) {
            std::set<std::string> own;
            for (const Instruction& instruction : thread.body) {
                for (const Operand& operand : instruction.operands) {
                    if (operand.kind == Operand::Kind::address && find_location(test_, operand.name) == nullptr) {
                        in_.fail(operand.span, "no location `" + operand.name + "`", "declare it: .global " + operand.name + ";");
                    }
                }
                check_reads(instruction, own);
                const std::string written = foreign::written_register(instruction);
                if (written.empty()) continue;
                own.insert(written);
                if (!everywhere.insert(written).second) {
                    in_.fail(instruction.at(Role::result).span, "register `" + written + "` is written twice",
                             "in this format a register names one value of the whole test");
                }
            }
        }
    }

    void check_reads(const Instruction& instruction, const std::set<std::string>& own) const {
        for (const Operand& operand : instruction.operands) {
            if (operand.kind != Operand::Kind::reg) continue;
            if (find_location(test_, operand.name) != nullptr)
                in_.fail(operand.span, "`" + operand.name + "` is a location, not a register");
            if (operand.role != Role::result && own.count(operand.name) == 0)
                in_.fail(operand.span, "register `" + operand.name + "` has no value here");
        }
    }

    // assert (c) as name;
    Test command() {
        Test test = test_;
        const Lexeme word = in_.expect(Lexeme::Kind::word, "assert, permit or check");
        test.claim.kind = word.text == "assert" ? Claim::Kind::forall : Claim::Kind::exists;
        test.report_only = word.text == "check";
        if (word.text != "assert" && word.text != "permit" && word.text != "check") {
            in_.fail(word.span, "expected assert, permit or check", in_.at(".") ? "all threads stand before the first command" : "");
        }
        in_.expect("(", "`(` and a condition");
        test.claim.condition = foreign::parse_condition(in_, test);
        test.claim.span = {word.span.begin, in_.expect(")", "`)` or a connective").span.end};
        if (in_.accept("as")) test.claim.name = in_.take_name("a name");
        in_.expect(";", "`as` and a name, or `;`");
        return test;
    }

    Cursor in_;
    Test test_;
    size_t instructions_ = 0;
};

// ---- printing --------------------------------------------------------------------------------

Failure not_in_braces(const Test& test, Span span, const std::string& what) {
    return Failure(test.source, span, "the braces format cannot express " + what);
}

void check_location(const Test& test, const Location& location) {
    const bool word =
        location.space == Space::global && location.type == Type::u32 && location.count == 1 && !location.array && !location.is_mbarrier;
    if (!word || !foreign::is_name(location.name)) throw not_in_braces(test, location.span, "location `" + location.name + "`");
    if (location.init != std::vector<uint64_t>{0}) throw not_in_braces(test, location.span, "an initial value other than 0");
}

void require_expressible_in_braces(const Test& test) {
    if (test.dialect != Dialect::braces) throw not_in_braces(test, {}, "a test of another format as it is");
    if (test.name.empty() || trimmed(test.name) != test.name || test.name.find('\n') != std::string::npos)
        throw not_in_braces(test, {}, "the test's name");
    if (test.threads.empty()) throw not_in_braces(test, {}, "a test without threads");
    if (test.claims_racefree || test.claims_undefined || test.claims_deadlock || test.claims_may_deadlock || test.claims_terminates ||
        test.claim.kind == Claim::Kind::not_exists) {
        throw not_in_braces(test, test.claim.span, "claims other than assert, permit and check");
    }
    if (test.filter) throw not_in_braces(test, test.filter->span, "`filter`");
    if (!test.observed.empty()) throw not_in_braces(test, test.observed[0].span, "`locations`");
    for (const Location& location : test.locations) check_location(test, location);
    for (const Thread& thread : test.threads) {
        if (thread.at.cluster != 0) throw not_in_braces(test, thread.span, "clusters");
        if (thread.at.warp_named) throw not_in_braces(test, thread.span, "warps and lanes");
        if (!thread.registers.empty()) throw not_in_braces(test, thread.span, "initial values of registers");
        if (!thread.end_labels.empty()) throw not_in_braces(test, thread.span, "labels");
        for (const Instruction& instruction : thread.body) {
            if (!instruction.labels.empty()) throw not_in_braces(test, instruction.span, "labels");
        }
    }
}

std::string comment_lines(std::string_view key, const std::string& text) {
    std::string result;
    size_t at = 0;
    while (true) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        result += "// " + std::string(key) + (line.empty() ? "" : " " + line) + "\n";
        if (end == text.size()) return result;
        at = end + 1;
    }
}

std::string declaration_line(const Location& location) {
    if (location.alias_of.empty()) return ".global " + location.name + ";\n";
    switch (location.proxy) {
        case Proxy::texture:
            return ".texref " + location.name + " virtually aliases " + location.alias_of + ";\n";
        case Proxy::surface:
            return ".surfref " + location.name + " virtually aliases " + location.alias_of + ";\n";
        case Proxy::constant:
            return ".conref " + location.name + " virtually aliases " + location.alias_of + ";\n";
        default:
            return ".global " + location.name + " physically aliases " + location.alias_of + ";\n";
    }
}

std::string command_line(const Test& test) {
    if (test.claim.kind == Claim::Kind::none) return {};
    const std::string word = test.report_only ? "check" : test.claim.kind == Claim::Kind::forall ? "assert" : "permit";
    const std::string name = test.claim.name.empty() ? "" : " as " + test.claim.name;
    return "\n" + word + " (" + foreign::print_condition(test.claim.condition, test) + ")" + name + ";\n";
}

}  // namespace

std::vector<Test> parse_braces(const SourcePtr& source) {
    if (source->text.size() > foreign::max_text) throw Failure(source, {0, 0}, "the test is longer than 1 MiB");
    const Heading head = heading(source);
    Lexemes tokens = foreign::scan(source, {foreign::text_begin(*source), static_cast<uint32_t>(source->text.size())});
    const auto separator = std::find_if(tokens.begin(), tokens.end(), [](const Lexeme& token) { return token.text == "$$"; });
    std::vector<Lexemes> variants;
    const bool has_table = separator != tokens.end();
    if (has_table) {
        const uint32_t begin = separator->span.end;
        const Span place = separator->span;
        tokens.erase(separator + 1, tokens.end());
        tokens.back() = Lexeme{Lexeme::Kind::end, {}, 0, place};
        size_t total = 0;
        for (const Row& row : table_rows(source, begin)) {
            variants.push_back(instantiate(source, tokens, row));
            total += variants.back().size();
            if (total > max_tokens) throw Failure(source, row.span, "the table is too large");
        }
        if (variants.empty()) throw Failure(source, place, "the table has no rows");
    } else {
        variants.push_back(std::move(tokens));
    }
    std::vector<Test> result;
    for (size_t i = 0; i < variants.size(); ++i) {
        std::vector<Test> tests = BracesParser(source, std::move(variants[i])).parse();
        for (Test& test : tests) {
            test.name = head.name.empty() ? base_name(source->name) : head.name;
            if (has_table) test.name += "#" + std::to_string(i + 1);
            if (tests.size() > 1 && !test.claim.name.empty()) test.name += ":" + test.claim.name;
            test.doc = joined(head.doc);
            test.refs = head.refs;
            test.repairs = head.repairs;
            test.target = head.target;
            result.push_back(std::move(test));
        }
    }
    return result;
}

std::string print_braces(const Test& test) {
    require_expressible_in_braces(test);
    std::string text = comment_lines("name:", test.name);
    if (!test.doc.empty()) text += comment_lines("doc:", test.doc);
    for (const std::string& ref : test.refs) text += comment_lines("ref:", ref);
    if (!test.repairs.empty()) text += comment_lines("repairs:", test.repairs);
    if (test.target) text += comment_lines("target:", "sm_" + std::to_string(*test.target));
    text += "\n";
    for (const Location& location : test.locations) text += declaration_line(location);
    for (const Thread& thread : test.threads) {
        text += "\n" + thread.name + " {\n";
        for (const Instruction& instruction : thread.body) {
            text += "  " + foreign::print_instruction(instruction, test, Dialect::braces) + ";\n";
        }
        text += "}\n";
    }
    return text + command_line(test);
}

}  // namespace litmus
