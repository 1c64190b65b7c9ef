// Which of the three formats a text is in (see read.h).
#include "language/syntax/read.h"

#include <optional>
#include <string_view>

#include "language/syntax/foreign/braces.h"
#include "language/syntax/foreign/column.h"
#include "language/syntax/native/dsl.h"

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

constexpr std::string_view blanks = " \t\r\n";

// What follows the word and blanks; nothing when the text does not begin so.
std::optional<std::string_view> after_word(std::string_view text, std::string_view word) {
    if (text.substr(0, word.size()) != word) return std::nullopt;
    text.remove_prefix(word.size());
    const size_t next = text.find_first_not_of(blanks);
    if (next == std::string_view::npos) return std::string_view{};
    if (next == 0 && text[0] != '"') return std::nullopt;
    return text.substr(next);
}

// `.global` and its like: a declaration.
std::optional<std::string_view> after_state_space(std::string_view text) {
    for (const std::string_view space : {".global", ".shared", ".const", ".texref", ".surfref", ".conref"})
        if (const auto rest = after_word(text, space)) return rest;
    return std::nullopt;
}

// `d0.b0.t0`: a thread of the braces format.
bool begins_with_thread(std::string_view text) {
    for (const char letter : {'d', 'b', 't'}) {
        if (letter != 'd' && (text.empty() || text[0] != '.')) return false;
        if (letter != 'd') text.remove_prefix(1);
        const size_t end = text.find_first_not_of("0123456789", 1);
        if (text.empty() || text[0] != letter || end == 1 || end == std::string_view::npos) return false;
        text.remove_prefix(end);
    }
    return true;
}

}  // namespace

std::vector<Test> parse_tests(const SourcePtr& source) {
    std::string_view text = source->text;
    if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
    text = skip_blank(text);
    if (text.empty()) return {parse_dsl(source)};  // which says that it is
    if (after_word(text, "PTX")) return {parse_column(source)};
    if (const auto name = after_word(text, "test"); name && name->substr(0, 1) == "\"") return {parse_dsl(source)};
    // a declaration with a type is one of the DSL, whose reader says what is missing before it
    const auto declared = after_state_space(text);
    if (begins_with_thread(text) || (declared && declared->substr(0, 1) != ".")) return parse_braces(source);
    if (declared) return {parse_dsl(source)};
    const auto at = static_cast<uint32_t>(source->text.size() - text.size());
    const auto refuse = [&](const char* what, const char* hint) {
        throw Failure(make_source(source->name, source->text, false), {at, at}, what, hint);
    };
    if (after_word(text, ".version")) refuse("this is PTX, and no litmus test", "`litmus kernel` judges it");
    if (text.substr(0, 8) == "#include" || source->text.find("__global__") != std::string::npos)
        refuse("this is CUDA C++, and no litmus test", "`litmus kernel` has nvcc compile it, and judges the kernel");
    refuse("this is no litmus test",
           "a test begins with `test \"name\"`, with `PTX name`, or with the declarations and threads of the braces format");
    return {};
}

}  // namespace litmus
