// Reader and printer of herd's column format.
//
// The header (name, quoted description, Key=value lines) is read by characters, the rest by tokens:
// `{ initial state }`, a row of threads, rows of instructions, and the claim. Cells are separated by
// `|`, a row ends with `;`, every row has a cell for each thread.
#include "language/syntax/foreign/column.h"

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

// ---- header ----------------------------------------------------------------------------------

bool is_url(std::string_view text) {
    const bool web = text.substr(0, 7) == "http://" || text.substr(0, 8) == "https://";
    return web && text.find_first_of(" \t\r\n\f\v") == std::string_view::npos;
}

// Length of the key when the line is `Key=...`, else 0.
size_t key_length(std::string_view line) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (line.empty() || !letter(line[0])) return 0;
    size_t i = 1;
    while (i < line.size() && (letter(line[i]) || (line[i] >= '0' && line[i] <= '9') || line[i] == '_' || line[i] == '-')) ++i;
    return i < line.size() && line[i] == '=' ? i : 0;
}

std::string quote(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

// Reads up to the `{` of the initial state.
class HeaderParser {
public:
    HeaderParser(const SourcePtr& source, Test& test)
        : source_(source), text_(source->text), end_(static_cast<uint32_t>(text_.size())), test_(test) {}

    // Gives the offset of the `{`.
    uint32_t parse() {
        name();
        std::vector<std::string> lines;
        for (at_ = foreign::skip_blank(source_, at_, end_); at_ < end_ && text_[at_] != '{';
             at_ = foreign::skip_blank(source_, at_, end_)) {
            if (text_[at_] == '"') {
                std::string line = quoted();
                (is_url(line) ? test_.refs : lines).push_back(line);
            } else {
                key_and_value();
            }
        }
        if (at_ == end_) throw Failure(source_, {at_, at_}, "expected `{` and the initial state");
        for (size_t i = 0; i < lines.size(); ++i) test_.doc += (i == 0 ? "" : "\n") + lines[i];
        return at_;
    }

private:
    void name() {
        at_ = foreign::skip_blank(source_, foreign::text_begin(*source_), end_);
        const std::string_view word = text_.substr(at_, 3);
        const bool ends = at_ + 3 >= end_ || std::string_view(" \t\r\n").find(text_[at_ + 3]) != std::string_view::npos;
        if ((word != "PTX" && word != "ptx") || !ends) {
            throw Failure(source_, {at_, std::min(at_ + 3, end_)}, "expected `PTX` and the test's name");
        }
        const uint32_t begin = at_;
        const Span line = rest_of_line(begin + 3);
        test_.name = trimmed(text_.substr(line.begin, line.end - line.begin));
        if (test_.name.empty()) throw Failure(source_, {begin, begin + 3}, "expected the test's name after `PTX`");
    }

    Span rest_of_line(uint32_t from) {
        const auto stop = static_cast<uint32_t>(std::min<size_t>(text_.find('\n', from), end_));
        at_ = stop;
        return {from, stop};
    }

    // "..." with \" and \\ for the two characters; other backslashes stand for themselves.
    std::string quoted() {
        const uint32_t begin = at_++;
        std::string result;
        for (; at_ < end_ && text_[at_] != '"'; ++at_) {
            const bool escape = text_[at_] == '\\' && at_ + 1 < end_ && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
            if (escape) ++at_;
            result += text_[at_];
        }
        if (at_ == end_) throw Failure(source_, {begin, begin + 1}, "string is not closed");
        ++at_;
        return result;
    }

    void key_and_value() {
        const uint32_t begin = at_;
        const Span span = rest_of_line(begin);
        const std::string line = trimmed(text_.substr(span.begin, span.end - span.begin));
        const size_t length = key_length(line);
        if (length == 0) {
            throw Failure(source_, {begin, begin + static_cast<uint32_t>(line.size())},
                          "expected a quoted description, a line `Key=value`, or `{`");
        }
        const std::string key = line.substr(0, length);
        const std::string value = trimmed(std::string_view(line).substr(length + 1));
        if (key == "Repairs") {
            test_.repairs = value;
        } else if (key == "Target") {
            test_.target = foreign::target_number(value);
            if (!test_.target) {
                throw Failure(source_, {begin, begin + static_cast<uint32_t>(line.size())}, "malformed target",
                              "write it as in `Target=sm_90`");
            }
        } else {
            test_.refs.push_back(key == "Ref" ? value : line);
        }
    }

    const SourcePtr& source_;
    std::string_view text_;
    uint32_t end_;
    Test& test_;
    uint32_t at_ = 0;
};

// ---- initial state, threads, claim -----------------------------------------------------------

class ColumnParser {
public:
    explicit ColumnParser(const SourcePtr& source) : test_(), in_(source, tokens(source)) {}

    Test parse() {
        initial_state();
        header_row();
        while (!in_.at_end() && !at_tail()) row();
        finish_threads();
        tail();
        return std::move(test_);
    }

private:
    struct InitialRegister {
        std::string thread;
        std::string name;
        uint64_t value = 0;
        Span thread_span;
        Span span;
    };

    std::vector<Lexeme> tokens(const SourcePtr& source) {
        if (source->text.size() > foreign::max_text) throw Failure(source, {0, 0}, "the test is longer than 1 MiB");
        test_.source = source;
        test_.dialect = Dialect::column;
        const uint32_t begin = HeaderParser(source, test_).parse();
        return foreign::scan(source, {begin, static_cast<uint32_t>(source->text.size())});
    }

    void initial_state() {
        in_.expect("{", "`{` and the initial state");
        while (!in_.at("}")) {
            if (in_.accept(";")) continue;
            entry();
            if (!in_.at("}")) in_.expect(";", "`;` or `}` after an initial value");
        }
        in_.take();
        in_.accept(";");
    }

    // x=0 | [x]=0 | y @ surface aliases x | P0:r1=2 | 0:r1=2
    void entry() {
        const Lexeme first = in_.peek();
        if (first.kind == Lexeme::Kind::number || in_.at(":", 1)) return initial_register();
        Location location;
        const bool bracket = in_.accept("[");
        location.span = in_.peek().span;
        location.name = in_.take_name("a location or a register such as `P0:r0`");
        if (in_.at(Lexeme::Kind::word)) {
            in_.fail({first.span.begin, in_.peek().span.end}, "types are not part of this format", "every location is a 32-bit word: x=0;");
        }
        if (in_.at("[")) in_.fail(in_.peek().span, "arrays are not part of this format", "declare one location for each element");
        if (bracket) in_.expect("]", "`]`");
        if (!bracket && in_.accept("@")) {
            alias(location);
        } else {
            in_.expect("=", "`=` and the initial value, or `@ surface aliases x`");
            location.init = {initial_value() & UINT32_MAX};
        }
        declare(std::move(location));
    }

    uint64_t initial_value() {
        if (in_.at(Lexeme::Kind::word) || in_.at("&")) {
            in_.fail(in_.peek().span, "addresses as values are not part of this format", "name the location in the instruction");
        }
        return in_.take_value("a number");
    }

    void alias(Location& location) {
        const Lexeme kind = in_.expect(Lexeme::Kind::word, "a proxy");
        const auto proxy = [&] {
            if (kind.text == "generic") return Proxy::generic;
            if (kind.text == "surface") return Proxy::surface;
            if (kind.text == "texture") return Proxy::texture;
            if (kind.text == "constant") return Proxy::constant;
            in_.fail(kind.span, "no proxy `" + std::string(kind.text) + "` in this format", "one of: generic surface texture constant");
        };
        location.proxy = proxy();
        in_.expect("aliases", "`aliases` and a location");
        const Span span = in_.peek().span;
        location.alias_of = in_.take_name("a location");
        location.init = {0};
        if (find_location(test_, location.alias_of) == nullptr) {
            in_.fail(span, "no location `" + location.alias_of + "`", "declare it before its alias");
        }
    }

    void declare(Location location) {
        if (find_location(test_, location.name) != nullptr) in_.fail(location.span, "location `" + location.name + "` is declared twice");
        if (test_.locations.size() >= foreign::max_locations) in_.fail(location.span, "too many locations");
        test_.locations.push_back(std::move(location));
    }

    void initial_register() {
        InitialRegister entry;
        entry.thread_span = in_.peek().span;
        entry.thread = take_thread();
        in_.expect(":", "`:` and a register");
        entry.span = in_.peek().span;
        entry.name = in_.take_name("a register");
        in_.expect("=", "`=` and the initial value");
        entry.value = initial_value() & UINT32_MAX;
        registers_.push_back(std::move(entry));
    }

    // P0, or 0 for the same
    std::string take_thread() {
        if (in_.at(Lexeme::Kind::number)) return "P" + std::to_string(in_.take().value);
        return in_.take_name("a thread such as P0");
    }

    // P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
    void header_row() {
        if (in_.at_end()) in_.fail(in_.peek().span, "expected the threads", "a row such as ` P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;`");
        do {
            Thread thread;
            const Lexeme name = in_.peek();
            thread.name = in_.take_name("a thread such as `P0@cta 0,gpu 0`");
            thread.span = name.span;
            if (thread.name[0] != 'P' || thread.name.size() < 2 || thread.name.find_first_not_of("0123456789", 1) != std::string::npos) {
                in_.fail(name.span, "threads are named P0, P1, ...");
            }
            if (find_thread(test_, thread.name) >= 0) in_.fail(name.span, "thread `" + thread.name + "` stands twice");
            if (test_.threads.size() >= foreign::max_threads) in_.fail(name.span, "too many threads", "at most 256");
            constexpr std::string_view shape = "a placement such as `@cta 0,gpu 0`";
            in_.expect("@", shape);
            in_.expect("cta", shape);
            thread.at.cta = in_.take_index("the CTA's number");
            in_.expect(",", shape);
            in_.expect("gpu", shape);
            thread.at.gpu = in_.take_index("the GPU's number");
            test_.threads.push_back(std::move(thread));
        } while (in_.accept("|"));
        in_.expect(";", "`|` and another thread, or `;`");
        foreign::assign_warps(test_);
        labels_.resize(test_.threads.size());
    }

    bool at_tail() const { return in_.at("exists") || in_.at("~") || in_.at("forall") || in_.at("filter") || in_.at("locations"); }

    void row() {
        size_t column = 0;
        do {
            if (column == test_.threads.size()) in_.fail(in_.peek().span, "this row has more cells than there are threads");
            cell(column++);
        } while (in_.accept("|"));
        const Lexeme end = in_.expect(";", "`|` or `;`");
        if (column < test_.threads.size()) {
            in_.fail(end.span, "this row has " + std::to_string(column) + " cells, but there are " + std::to_string(test_.threads.size()) +
                                   " threads");
        }
    }

    bool at_cell_end() const { return in_.at("|") || in_.at(";"); }

    // Labels, then at most one instruction.
    void cell(size_t column) {
        while (in_.at(Lexeme::Kind::word) && in_.at(":", 1)) {
            const Span span = in_.peek().span;
            const std::string label = in_.take_name("a label");
            in_.take();
            if (!known_labels_.insert({column, label}).second) in_.fail(span, "label `" + label + "` stands twice in this thread");
            labels_[column].push_back(label);
        }
        if (at_cell_end()) return;
        if (++instructions_ > foreign::max_instructions) in_.fail(in_.peek().span, "too many instructions", "at most 4096");
        Instruction instruction = foreign::parse_instruction(in_, Dialect::column);
        instruction.labels = std::move(labels_[column]);
        labels_[column].clear();
        test_.threads[column].body.push_back(std::move(instruction));
    }

    void finish_threads() {
        for (size_t i = 0; i < test_.threads.size(); ++i) test_.threads[i].end_labels = std::move(labels_[i]);
        declare_used_locations();
        for (const InitialRegister& entry : registers_) {
            const int thread = find_thread(test_, entry.thread);
            if (thread < 0) in_.fail(entry.thread_span, "no thread `" + entry.thread + "`");
            check_register(entry.name, entry.span);
            if (!test_.threads[static_cast<size_t>(thread)].registers.emplace(entry.name, entry.value).second) {
                in_.fail(entry.span, "register `" + entry.name + "` has a second initial value");
            }
        }
        for (size_t i = 0; i < test_.threads.size(); ++i) {
            for (const Instruction& instruction : test_.threads[i].body) check_operands(i, instruction);
        }
    }

    // A name in an address is a location; one that is not declared starts at 0, as in herd.
    void declare_used_locations() {
        for (const Thread& thread : test_.threads) {
            std::set<std::string> own;
            for (const Instruction& instruction : thread.body) own.insert(foreign::written_register(instruction));
            for (const InitialRegister& entry : registers_) {
                if (entry.thread == thread.name) own.insert(entry.name);
            }
            for (const Instruction& instruction : thread.body) {
                for (const Operand& operand : instruction.operands) {
                    if (operand.kind != Operand::Kind::address || find_location(test_, operand.name) != nullptr) continue;
                    if (own.count(operand.name) > 0) {
                        in_.fail(operand.span, "a register as address is not part of this format",
                                 "`" + operand.name + "` is a register of " + thread.name);
                    }
                    Location location;
                    location.name = operand.name;
                    location.init = {0};
                    location.span = operand.span;
                    declare(std::move(location));
                }
            }
        }
    }

    void check_register(const std::string& name, Span span) const {
        if (find_location(test_, name) != nullptr)
            in_.fail(span, "`" + name + "` is a location, not a register", "load it first: ld.weak r0, " + name);
    }

    void check_operands(size_t thread, const Instruction& instruction) const {
        for (const Operand& operand : instruction.operands) {
            if (operand.kind == Operand::Kind::reg) check_register(operand.name, operand.span);
            if (operand.kind == Operand::Kind::label && known_labels_.count({thread, operand.name}) == 0) {
                in_.fail(operand.span, "no label `" + operand.name + "` in " + test_.threads[thread].name);
            }
        }
    }

    void tail() {
        if (in_.accept("locations")) observed();
        if (in_.accept("filter")) test_.filter = foreign::parse_condition(in_, test_);
        const Lexeme first = in_.peek();
        test_.claim.kind = claim_kind();
        if (test_.claim.kind != Claim::Kind::none) {
            test_.claim.condition = foreign::parse_condition(in_, test_);
            test_.claim.span = {first.span.begin, test_.claim.condition.span.end};
            in_.accept(";");
        }
        if (!in_.at_end()) {
            in_.fail(in_.peek().span, "expected the end of the test",
                     "the order is: locations [x; P0:r0], filter (c), and one of exists (c), ~exists (c), forall (c)");
        }
    }

    Claim::Kind claim_kind() {
        if (in_.accept("exists")) return Claim::Kind::exists;
        if (in_.accept("forall")) return Claim::Kind::forall;
        if (!in_.accept("~")) return Claim::Kind::none;
        in_.expect("exists", "`exists` after `~`");
        return Claim::Kind::not_exists;
    }

    // locations [x; P0:r0;]
    void observed() {
        in_.expect("[", "`[`");
        while (!in_.at("]")) {
            const Term term = foreign::parse_term(in_, test_);
            if (term.kind == Term::Kind::constant) in_.fail(term.span, "expected a location or a register");
            if (test_.observed.size() >= foreign::max_locations) in_.fail(term.span, "too many locations");
            test_.observed.push_back(term);
            if (!in_.at("]")) in_.expect(";", "`;` or `]`");
        }
        in_.take();
    }

    Test test_;
    Cursor in_;
    std::vector<InitialRegister> registers_;
    std::vector<std::vector<std::string>> labels_;  // of each thread, waiting for their instruction
    std::set<std::pair<size_t, std::string>> known_labels_;
    size_t instructions_ = 0;
};

// ---- printing --------------------------------------------------------------------------------

Failure not_in_columns(const Test& test, Span span, const std::string& what) {
    return Failure(test.source, span, "the column format cannot express " + what);
}

void require_expressible_in_columns(const Test& test) {
    if (test.dialect != Dialect::column) throw not_in_columns(test, {}, "a test of another format as it is");
    if (test.name.empty() || trimmed(test.name) != test.name || test.name.find('\n') != std::string::npos)
        throw not_in_columns(test, {}, "the test's name");
    if (test.threads.empty()) throw not_in_columns(test, {}, "a test without threads");
    if (test.claims_racefree || test.claims_undefined || test.claims_deadlock || test.claims_may_deadlock || test.claims_terminates) {
        throw not_in_columns(test, test.claim.span, "claims other than exists, ~exists and forall");
    }
    if (test.report_only || !test.claim.name.empty()) throw not_in_columns(test, test.claim.span, "`check`, and a claim's name");
    for (const Location& location : test.locations) {
        const bool word = location.space == Space::global && location.type == Type::u32 && location.count == 1 && !location.array &&
                          !location.is_mbarrier;
        if (!word || location.init.size() != 1 || !foreign::is_name(location.name))
            throw not_in_columns(test, location.span, "location `" + location.name + "`");
    }
    for (const Thread& thread : test.threads) {
        if (thread.at.cluster != 0) throw not_in_columns(test, thread.span, "clusters");
        if (thread.at.warp_named) throw not_in_columns(test, thread.span, "warps and lanes");
    }
}

std::string initial_lines(const Test& test) {
    std::string text;
    for (const Location& location : test.locations) {
        text += location.name;
        text += location.alias_of.empty() ? "=" + std::to_string(location.init[0])
                                          : " @ " + std::string(name(location.proxy)) + " aliases " + location.alias_of;
        text += ";\n";
    }
    for (const Thread& thread : test.threads) {
        for (const auto& [reg, value] : thread.registers) text += thread.name + ":" + reg + "=" + std::to_string(value) + ";\n";
    }
    return text;
}

// The cells of one column, top to bottom.
std::vector<std::string> cells(const Thread& thread, const Test& test) {
    std::vector<std::string> column{thread.name + "@cta " + std::to_string(thread.at.cta) + ",gpu " + std::to_string(thread.at.gpu)};
    for (const Instruction& instruction : thread.body) {
        for (const std::string& label : instruction.labels) column.push_back(label + ":");
        column.push_back(foreign::print_instruction(instruction, test, Dialect::column));
    }
    for (const std::string& label : thread.end_labels) column.push_back(label + ":");
    return column;
}

std::string table(const Test& test) {
    constexpr size_t widest = 60;
    constexpr size_t most_cells = 20000;  // beyond it, cells are not aligned
    std::vector<std::vector<std::string>> columns;
    std::vector<size_t> widths;
    size_t rows = 0;
    for (const Thread& thread : test.threads) {
        columns.push_back(cells(thread, test));
        rows = std::max(rows, columns.back().size());
        size_t width = 0;
        for (const std::string& cell : columns.back()) width = std::max(width, cell.size());
        widths.push_back(std::min(width, widest));
    }
    const bool align = rows * columns.size() <= most_cells;
    std::string text;
    for (size_t row = 0; row < rows; ++row) {
        for (size_t i = 0; i < columns.size(); ++i) {
            const std::string cell = row < columns[i].size() ? columns[i][row] : "";
            text += (i == 0 ? " " : " | ") + cell;
            if (align && cell.size() < widths[i]) text.append(widths[i] - cell.size(), ' ');
        }
        text += " ;\n";
    }
    return text;
}

std::string ref_line(const std::string& ref) {
    if (is_url(ref)) return quote(ref) + "\n";
    const std::string key = ref.substr(0, key_length(ref));
    const bool as_is = !key.empty() && key != "Ref" && key != "Repairs" && key != "Target";
    return (as_is ? ref : "Ref=" + ref) + "\n";
}

std::string tail_lines(const Test& test) {
    std::string text;
    if (!test.observed.empty()) {
        text += "locations [";
        for (const Term& term : test.observed) text += foreign::print_term(term, test) + ";";
        text += "]\n";
    }
    if (test.filter) text += "filter (" + foreign::print_condition(*test.filter, test) + ")\n";
    if (test.claim.kind == Claim::Kind::none) return text;
    const std::string word = test.claim.kind == Claim::Kind::exists   ? "exists"
                             : test.claim.kind == Claim::Kind::forall ? "forall"
                                                                      : "~exists";
    return text + word + " (" + foreign::print_condition(test.claim.condition, test) + ")\n";
}

}  // namespace

Test parse_column(const SourcePtr& source) {
    return ColumnParser(source).parse();
}

std::string print_column(const Test& test) {
    require_expressible_in_columns(test);
    std::string text = "PTX " + test.name + "\n";
    if (!test.doc.empty()) text += quote(test.doc) + "\n";
    for (const std::string& ref : test.refs) text += ref_line(ref);
    if (!test.repairs.empty()) text += "Repairs=" + test.repairs + "\n";
    if (test.target) text += "Target=sm_" + std::to_string(*test.target) + "\n";
    return text + "{\n" + initial_lines(test) + "}\n" + table(test) + tail_lines(test);
}

}  // namespace litmus
