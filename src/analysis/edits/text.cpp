// Changes are made on the source by the spans that the readers left in the test; nothing is printed anew.
#include "analysis/edits/text.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "analysis/edits/edits.h"
#include "language/origin.h"

namespace litmus {

namespace {

Span empty_at(size_t offset) {
    return {static_cast<uint32_t>(offset), static_cast<uint32_t>(offset)};
}

// The end of a comment that begins here; `at` where none does.
size_t after_comment(std::string_view text, size_t at, bool parens) {
    const std::string_view two = text.substr(at, 2);
    size_t end = at;
    if (two == "//") end = text.find('\n', at);
    if (two == "/*") end = text.find("*/", at + 2) + 2;
    if (parens && two == "(*") end = text.find("*)", at + 2) + 2;
    return std::min(end, text.size());
}

// Where the mark stands next, comments apart.
size_t find_mark(const Test& test, size_t from, char mark) {
    const std::string& text = test.source->text;
    for (size_t at = from; at < text.size(); ++at) {
        const size_t end = after_comment(text, at, test.dialect != Dialect::native);
        if (end > at)
            at = end - 1;
        else if (text[at] == mark)
            return at;
    }
    throw std::logic_error("repair: a test ends before its `" + std::string(1, mark) + "`");
}

size_t line_start(const std::string& text, size_t at) {
    return at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
}

bool blank(std::string_view text) {
    return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

// What the lines of the file end with.
std::string newline(const std::string& text) {
    const size_t end = text.find('\n');
    return end != std::string::npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

// ---- statements --------------------------------------------------------------------------------

// A statement before `at`: on a line of its own where `at` is the first of its line, indented as `like`, with a comment behind it.
Change statement_before(const std::string& text, size_t at, const std::string& statement, const std::string& like,
                        const std::string& comment) {
    const size_t start = line_start(text, at);
    if (!blank(std::string_view(text).substr(start, at - start))) return {empty_at(at), statement + "; "};
    return {empty_at(start), like + statement + ";" + comment + newline(text)};
}

// The white space that the line of `at` begins with; of a line that begins with something else before it, two spaces.
std::string indentation(const std::string& text, size_t at) {
    const size_t start = line_start(text, at);
    const std::string before = text.substr(start, at - start);
    return blank(before) ? before : "  ";
}

// Whether a later branch leads here.
bool begins_loop(const Thread& thread, int at) {
    const std::vector<std::string>& labels = thread.body[static_cast<size_t>(at)].labels;
    return std::any_of(thread.body.begin() + at, thread.body.end(), [&](const Instruction& instruction) {
        const Operand* target = instruction.find(Role::label);
        return target != nullptr && std::count(labels.begin(), labels.end(), target->name) > 0;
    });
}

// Where what stands between an instruction and the one before it begins, comments and white space apart: its first label.
size_t label_before(const Test& test, const Thread& thread, int at) {
    const std::string& text = test.source->text;
    size_t from =
        at == 0 ? find_mark(test, thread.span.end, '{') + 1 : find_mark(test, thread.body[static_cast<size_t>(at) - 1].span.end, ';') + 1;
    for (;;) {
        from = text.find_first_not_of(" \t\r\n", from);
        const size_t end = after_comment(text, from, test.dialect != Dialect::native);
        if (end == from) return from;
        from = end;
    }
}

Change statement_insertion(const Test& test, ProgramPoint place, const std::string& statement, const std::string& comment) {
    const std::string& text = test.source->text;
    const Thread& thread = test.threads.at(static_cast<size_t>(place.thread));
    if (place.instruction < static_cast<int>(thread.body.size())) {
        const size_t instruction = instruction_at(test, place).span.begin;
        const size_t at = begins_loop(thread, place.instruction) ? label_before(test, thread, place.instruction) : instruction;
        return statement_before(text, at, statement, indentation(text, instruction), comment);
    }
    const bool empty = thread.body.empty();
    const size_t last = empty ? find_mark(test, thread.span.end, '{') + 1 : find_mark(test, thread.body.back().span.end, ';') + 1;
    const size_t close = find_mark(test, last, '}');
    return statement_before(text, close, statement, empty ? "  " : indentation(text, thread.body.back().span.begin), comment);
}

// ---- columns -----------------------------------------------------------------------------------

// The row that holds `at`: from behind the `;` before it to behind its own.
Span row_around(const Test& test, size_t at) {
    const std::string& text = test.source->text;
    const size_t begin = text.rfind(';', at) + 1;
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(find_mark(test, at, ';') + 1)};
}

// A row with one cell filled, its marks below those of the row above.
std::string row_like(const Test& test, Span model, int thread, const std::string& cell) {
    const std::string row = test.source->text.substr(model.begin, model.end - model.begin);
    const size_t begin = row.find_first_not_of("\r\n");
    std::string result;
    size_t from = begin;
    for (int column = 0; column < static_cast<int>(test.threads.size()); ++column) {
        const size_t mark = std::min(row.find('|', from), row.find(';', from));
        const size_t width = mark - from;
        std::string text = column == thread ? " " + cell + " " : std::string();
        if (text.size() < width) text.resize(width, ' ');
        const bool last = column + 1 == static_cast<int>(test.threads.size());
        result += text + (last ? ";" : "|");
        from = mark + 1;
    }
    return result;
}

Change row_insertion(const Test& test, ProgramPoint place, const std::string& cell) {
    const std::string& text = test.source->text;
    const Thread& thread = test.threads.at(static_cast<size_t>(place.thread));
    size_t last = thread.span.begin;
    for (const Thread& other : test.threads)
        if (!other.body.empty()) last = std::max<size_t>(last, other.body.back().span.begin);
    const bool at_end = place.instruction == static_cast<int>(thread.body.size());
    const Span row = row_around(test, at_end ? last : instruction_at(test, place).span.begin);
    const size_t end = at_end ? row.end : row.begin;
    const std::string line = row_like(test, row, place.thread, cell);
    if (end < text.size() && text[end] == '\n') return {empty_at(end + 1), line + newline(text)};
    return {empty_at(end), newline(text) + line};
}

// A statement that ends its line, and how it stands there.
struct OwnLine {
    Span span;            // the whole line, when nothing stands before it
    std::string comment;  // behind it, with the blanks before it
};

// None where something else stands on the line, too.
std::optional<OwnLine> own_line(const Test& test, ProgramPoint place) {
    const std::string& text = test.source->text;
    const Span span = instruction_at(test, place).span;
    const size_t behind = find_mark(test, span.end, ';') + 1;
    const size_t start = line_start(text, span.begin);
    const size_t end = std::min(text.find('\n', behind), text.size());
    std::string rest = text.substr(behind, end - behind);
    if (!rest.empty() && rest.back() == '\r') rest.pop_back();
    const size_t first = rest.find_first_not_of(" \t");
    const bool comment = first != std::string::npos && after_comment(text, behind + first, false) >= behind + rest.size();
    if (!blank(std::string_view(text).substr(start, span.begin - start)) || !(blank(rest) || comment)) return std::nullopt;
    return OwnLine{{static_cast<uint32_t>(start), static_cast<uint32_t>(std::min(end + 1, text.size()))}, comment ? rest : ""};
}

}  // namespace

void require_own_text(const Test& test) {
    if (const Instruction* one = first_reworded(test))
        throw Failure(test.source, one->span,
                      "the text of this instruction stands for several threads, or in quotes: no patch changes it alone",
                      "`litmus fmt` prints a test that has a body for each thread, and no quotes");
}

Change insertion(const Test& test, ProgramPoint place, const std::string& text) {
    return test.dialect == Dialect::column ? row_insertion(test, place, text) : statement_insertion(test, place, text, {});
}

Change respelling(const Test& test, ProgramPoint place, const std::string& dotted) {
    return {instruction_at(test, place).spelled, dotted};
}

namespace {

// From the name, or the `await` before it, to the end.
Span without_guard(const Test& test, ProgramPoint place) {
    const Instruction& instruction = instruction_at(test, place);
    Span span = instruction.span;
    if (instruction.guard)
        while (span.begin < instruction.spelled.begin && !blank(test.source->text.substr(span.begin, 1))) ++span.begin;
    while (blank(test.source->text.substr(span.begin, 1))) ++span.begin;
    return span;
}

}  // namespace

Change replacement(const Test& test, ProgramPoint place, const std::string& text) {
    return {without_guard(test, place), text};
}

std::string written(const Test& test, ProgramPoint place) {
    const Span span = without_guard(test, place);
    return test.source->text.substr(span.begin, span.end - span.begin);
}

std::string text_beside(const Test& test, ProgramPoint place) {
    const std::string text = written(test, place);
    const std::vector<Instruction>& body = test.threads[static_cast<size_t>(place.thread)].body;
    size_t like_it = 0;
    for (int i = 0; i < static_cast<int>(body.size()); ++i) like_it += written(test, {place.thread, i}) == text ? 1 : 0;
    if (like_it < 2) return as_code(text);
    const Instruction& instruction = instruction_at(test, place);
    const CudaPlace origin = origin_of(test, instruction);
    return as_code(text) + " in line " + std::to_string(position(*test.source, instruction.spelled.begin).line) +
           (origin ? " (" + short_text(origin) + ")" : "");
}

Change deletion(const Test& test, ProgramPoint place) {
    Span span = instruction_at(test, place).span;
    if (test.dialect == Dialect::column) return {span, std::string(span.end - span.begin, ' ')};
    if (const std::optional<OwnLine> line = own_line(test, place)) return {line->span, ""};
    span.end = static_cast<uint32_t>(find_mark(test, span.end, ';') + 1);
    return {span, ""};
}

std::vector<Change> move(const Test& test, ProgramPoint from, ProgramPoint to) {
    const Span span = instruction_at(test, from).span;
    const std::string text = test.source->text.substr(span.begin, span.end - span.begin);
    const std::optional<OwnLine> line = test.dialect == Dialect::column ? std::nullopt : own_line(test, from);
    return {deletion(test, from), line ? statement_insertion(test, to, text, line->comment) : insertion(test, to, text)};
}

Change declaration(const Test& test, const std::string& line) {
    const std::string& text = test.source->text;
    size_t last = 0;
    for (const Location& location : test.locations) last = std::max<size_t>(last, location.span.end);
    const size_t end = text.find('\n', find_mark(test, last, ';'));
    return {empty_at(std::min(end, text.size() - 1) + 1), line + newline(text)};
}

Change arrivals(const Test& test, const Location& object, uint32_t count) {
    const std::string& text = test.source->text;
    const size_t begin = text.find_first_not_of(" \t", find_mark(test, object.span.end, '=') + 1);
    const size_t end = text.find_first_of(" \t;", begin);
    return {{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, std::to_string(count)};
}

std::string applied(const std::string& text, std::vector<Change> changes) {
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.span.begin < b.span.begin; });
    std::string result;
    size_t from = 0;
    for (const Change& change : changes) {
        if (change.span.begin > from) result += text.substr(from, change.span.begin - from);
        result += change.text;
        from = std::max<size_t>(from, change.span.end);
    }
    return result + text.substr(from);
}

}  // namespace litmus
