// `litmus fmt`: canonical text of whole files, and conversion between the three formats.
//
// The printers keep everything that is part of a test. Comments are not, so: those at the head of a
// native file are carried over as they stand, and a file with others is not rewritten.
#include <optional>
#include <string>
#include <string_view>

#include "analysis/verdict/verdict.h"
#include "base/visible.h"
#include "language/syntax/foreign/braces.h"
#include "language/syntax/foreign/column.h"
#include "language/syntax/foreign/convert.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "tool/command.h"
#include "tool/inputs.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/rewrite.h"

namespace litmus::fmt_command {

namespace {

constexpr const char* footer = R"(
Without options, prints the canonical form of each test in its own format.

Examples:
  litmus fmt mp.litmus
  litmus fmt --to column mp.litmus
  litmus fmt --check litmus
  litmus fmt -i mp.litmus

Exit status: 0 done; 1 --check found a file that is not canonical; 2 bad input, or a test that the
target format cannot express.
)";

struct Options {
    std::vector<std::string> inputs;
    std::optional<Dialect> to;
    bool check_only = false;
    bool in_place = false;
};

void define(CLI::App& app, Options& options) {
    add_inputs(app, options.inputs);
    add_choice<std::optional<Dialect>, Dialect>(app, "--to", options.to,
                                                {{"native", Dialect::native}, {"column", Dialect::column}, {"braces", Dialect::braces}},
                                                "Convert to this format");
    CLI::Option* const check_only = add_flag(app, "--check", options.check_only, "Print the names of files that are not canonical");
    exclude(add_flag(app, "-i,--in-place", options.in_place, "Rewrite the files"), {check_only});
}

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

// All tests of a file in the wanted format; `single` demands that there is one.
std::string canonical(const SourcePtr& source, const std::optional<Dialect>& to, bool single) {
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

// What a rewrite would lose stops it.
void require_no_lost_comments(const SourcePtr& source, const std::string& text, Dialect from, Dialect to) {
    const bool keeps_head = from == to && from != Dialect::column;
    const size_t start = keeps_head ? head_end(source->text) : 0;
    const auto comment = find_comment(source->text, start, from != Dialect::native);
    if (comment && text != source->text)
        throw Failure(source, *comment, "rewriting the file would drop this comment",
                      "move it to the head of a native file, or into `doc`");
}

void rewrite(const InputFile& file, const std::string& text, const Options& options) {
    if (file.file == "<stdin>") throw Failure(nullptr, {}, "standard input cannot be rewritten", "leave out -i");
    require_rewritable(file.file);
    const Dialect from = parse_tests(file.source).front().dialect;
    require_no_lost_comments(file.source, text, from, options.to.value_or(from));
    if (text != file.source->text) write_file(file.file, text);
}

int format_file(const InputFile& file, const Options& options, Output& out) {
    if (file.failure) throw Failure(*file.failure);
    const std::string text = canonical(file.source, options.to, options.in_place || options.check_only);
    if (options.in_place) {
        rewrite(file, text, options);
    } else if (options.check_only) {
        if (text == file.source->text) return 0;
        out.put(visible(file.file) + "\n");
        return 1;
    } else {
        out.put(text);
    }
    return 0;
}

int run(const Options& options, Output& out) {
    int status = 0;
    if (options.in_place) require_all_rewritable(options.inputs);
    const FilesRead read = read_inputs(options.inputs);
    complain(read.warnings);
    for (const InputFile& file : read.files) {
        try {
            status = combine_status(status, format_file(file, options, out));
        } catch (const Failure& failure) {
            complain(failure.diagnostics());
            status = combine_status(status, 2);
        }
    }
    return status;
}

}  // namespace

Command command() {
    return make_command("fmt", "Print tests canonically, or convert them between formats", footer, define, run);
}

}  // namespace litmus::fmt_command
