// The printers keep everything that is part of a test. Comments are not, so: those at the head of a native file are carried over as they
// stand, and others are what a rewrite would lose.
#include "language/syntax/canonical.h"

#include <string_view>

#include "language/syntax/foreign/braces.h"
#include "language/syntax/foreign/column.h"
#include "language/syntax/foreign/convert.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"

namespace litmus {

namespace {

std::string converted(const Test& test, Dialect to) {
    switch (to) {
        case Dialect::native:
            return print(to_native(test));
        case Dialect::column:
            return print_column(to_column(test));
        case Dialect::braces:
            return print_braces(to_braces(test));
    }
    return {};
}

size_t end_of_line(std::string_view text, size_t at) {
    const size_t end = text.find('\n', at);
    return end == std::string_view::npos ? text.size() : end;
}

// The end of a comment that starts at `at`; nothing when none does. `parens` allows (* *).
std::optional<size_t> comment_end(std::string_view text, size_t at, bool parens) {
    const std::string_view rest = text.substr(at);
    if (rest.rfind("//", 0) == 0) return end_of_line(text, at);
    const bool stars = rest.rfind("/*", 0) == 0;
    if (!stars && !(parens && rest.rfind("(*", 0) == 0)) return std::nullopt;
    const size_t end = text.find(stars ? "*/" : "*)", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
}

// Where the comments and blank lines at the head of a text end.
size_t head_end(std::string_view text) {
    size_t at = 0;
    while (at < text.size()) {
        if (text.substr(at, 1).find_first_of(" \t\r\n") == 0)
            ++at;
        else if (const auto end = comment_end(text, at, false))
            at = *end;
        else
            break;
    }
    return at;
}

// The first comment at or after `from`, quoted strings apart.
std::optional<Span> find_comment(std::string_view text, size_t from, bool parens) {
    bool quoted = false;
    for (size_t at = from; at < text.size(); ++at) {
        if (text[at] == '"') quoted = !quoted;
        if (quoted) continue;
        if (const auto end = comment_end(text, at, parens)) return Span{static_cast<uint32_t>(at), static_cast<uint32_t>(*end)};
    }
    return std::nullopt;
}

// The comments at the head, ended by exactly one line break; empty without comments.
std::string head_comments(std::string_view text) {
    std::string_view head = text.substr(0, head_end(text));
    const size_t last = head.find_last_not_of(" \t\r\n");
    const size_t first = head.find_first_not_of(" \t\r\n");
    return last == std::string_view::npos ? std::string() : std::string(head.substr(first, last + 1 - first)) + "\n";
}

}  // namespace

std::string canonical(const SourcePtr& source, std::optional<Dialect> to, bool single) {
    const std::vector<Test> tests = parse_tests(source);
    if (single && tests.size() != 1)
        throw Failure(nullptr, {},
                      "'" + source->name + "' is a table of " + std::to_string(tests.size()) + " tests, which has no canonical form",
                      "print its tests one by one with `litmus fmt`");
    std::string text;
    for (const Test& test : tests) {
        const Dialect target = to.value_or(test.dialect);
        if (!text.empty()) text += "\n";
        if (test.dialect == Dialect::native && target == Dialect::native) text += head_comments(source->text);
        text += converted(test, target);
    }
    return text;
}

void require_no_lost_comments(const SourcePtr& source, const std::string& text, std::optional<Dialect> wanted) {
    const Dialect from = parse_tests(source).front().dialect, to = wanted.value_or(from);
    const bool keeps_head = from == to && from != Dialect::column;
    const size_t start = keeps_head ? head_end(source->text) : 0;
    const auto comment = find_comment(source->text, start, from != Dialect::native);
    if (comment && text != source->text)
        throw Failure(source, *comment, "rewriting the file would drop this comment",
                      "move it to the head of a native file, or into `doc`");
}

}  // namespace litmus
