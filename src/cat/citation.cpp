// One pass over the lines: a heading holds up to the next one, a comment up to the end of its paragraph.
#include "cat/citation.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace litmus {

namespace {

constexpr std::string_view comment_mark = "//", heading_mark = "// ----";

bool starts(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

std::string_view without_leading(std::string_view text, std::string_view characters) {
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
    return text;
}

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// The section number that begins here, "8.9.4": two numbers or more, with points between.
std::string_view section_at(std::string_view text) {
    size_t end = 0, points = 0;
    const auto is_point = [&](size_t i) { return text[i] == '.' && i > 0 && i + 1 < text.size() && is_digit(text[i + 1]); };
    for (; end < text.size() && (is_digit(text[end]) || is_point(end)); ++end) points += text[end] == '.' ? 1 : 0;
    return points == 0 ? std::string_view() : text.substr(0, end);
}

std::string_view section_in_parentheses(std::string_view text) {
    std::string_view section;
    for (size_t open = text.find('('); section.empty() && open != std::string_view::npos; open = text.find('(', open + 1))
        section = section_at(text.substr(open + 1));
    return section;
}

// At the head of a text, or after a parenthesis.
std::string_view section_in(std::string_view text) {
    const std::string_view section = section_at(text);
    return section.empty() ? section_in_parentheses(text) : section;
}

std::string_view first_sentence(std::string_view text) {
    text = without_leading(text.substr(section_at(text).size()), ": ");
    text = text.substr(0, text.find(". "));
    if (!text.empty() && text.back() == '.') text.remove_suffix(1);
    return text;
}

}  // namespace

Citations::Citations(const Source& source) {
    const std::string_view text = source.text;
    std::string_view heading, cited;  // the sections of the last heading and of the last comment
    std::string comment;
    bool in_comment = false;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = without_leading(text.substr(begin, end - begin), " \t\r");
        const bool is_heading = starts(line, heading_mark), is_comment = !is_heading && starts(line, comment_mark);
        if (is_comment) {
            const std::string_view words = without_leading(line.substr(comment_mark.size()), " ");
            if (!in_comment) comment.clear(), cited = {};
            if (cited.empty()) cited = comment.empty() ? section_in(words) : section_in_parentheses(words);
            if (!comment.empty()) comment += ' ';
            comment += words;
        } else if (in_comment && !line.empty()) {
            marks_.push_back({begin, {cited.empty() ? heading : cited, std::string(first_sentence(comment))}});
        }
        if (is_heading) heading = section_in(without_leading(line.substr(heading_mark.size()), " -"));
        if (is_heading || line.empty()) marks_.push_back({begin, {heading, {}}});
        in_comment = is_comment;
        begin = end + 1;
    }
}

const Citation& Citations::at(uint32_t offset) const {
    static const Citation none;
    const auto after = std::upper_bound(marks_.begin(), marks_.end(), offset, [](size_t o, const Mark& mark) { return o < mark.from; });
    return after == marks_.begin() ? none : std::prev(after)->citation;
}

}  // namespace litmus
