// What a shell takes as it is is listed; all else is quoted.
#include "base/shell_word.h"

#include "base/visible.h"

namespace litmus {

namespace {

// With a backslash before each of these characters.
std::string escaped(std::string_view text, std::string_view which) {
    std::string out;
    for (const char c : text) {
        if (which.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string in_quotes(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + "'";
}

}  // namespace

std::string shell_word(std::string_view word) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^";
    const std::string text = (word.size() > 1 && word[0] == '-' ? "./" : "") + std::string(word);
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
    if (visible(text) == text) return in_quotes(text);
    return "$'" + visible(escaped(text, "\\'")) + "'";
}

}  // namespace litmus
