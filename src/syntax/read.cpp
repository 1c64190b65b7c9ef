// Which of the three formats a text is in (see read.h).
#include "syntax/read.h"

#include <string_view>

#include "syntax/braces.h"
#include "syntax/column.h"
#include "syntax/dsl.h"

namespace litmus {
namespace {

// What follows white space and `//`, `/* */` and `(* *)` comments.
std::string_view skip_blank(std::string_view text) {
    for (;;) {
        const size_t begin = text.find_first_not_of(" \t\r\n\f\v");
        if (begin == std::string_view::npos) return {};
        text.remove_prefix(begin);
        std::string_view close;
        if (text.substr(0, 2) == "//")
            close = "\n";
        else if (text.substr(0, 2) == "/*")
            close = "*/";
        else if (text.substr(0, 2) == "(*")
            close = "*)";
        else
            return text;
        const size_t end = text.find(close, 2);
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + close.size());
    }
}

bool begins_with_word(std::string_view text, std::string_view word) {
    if (text.substr(0, word.size()) != word) return false;
    const char next = text.size() > word.size() ? text[word.size()] : ' ';
    return next == ' ' || next == '\t' || next == '\r' || next == '\n' || next == '"';
}

// The braces format begins with a declaration without a type (`.global x;`) or with a thread (`d0.b0.t0 {`).
bool begins_as_braces(std::string_view text) {
    const auto digit = [&](size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    if (!text.empty() && text[0] == 'd' && digit(1)) return true;
    if (text.empty() || text[0] != '.') return false;
    const size_t after_word = text.find_first_of(" \t\r\n");
    if (after_word == std::string_view::npos) return false;
    const size_t next = text.find_first_not_of(" \t\r\n", after_word);
    return next != std::string_view::npos && text[next] != '.';
}

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

std::vector<Test> parse_tests(const SourcePtr& source) {
    std::string_view text = source->text;
    if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
    text = skip_blank(text);
    if (begins_with_word(text, "PTX")) return {parse_column(source)};
    if (begins_with_word(text, "test")) return {parse_dsl(source)};
    if (begins_as_braces(text) || ends_with(source->name, ".test")) return parse_braces(source);
    return {parse_dsl(source)};
}

}  // namespace litmus
