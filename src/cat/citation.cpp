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

// At the head of a text, or after a parenthesis.
std::string_view section_in(std::string_view text) {
    std::string_view section = section_at(text);
    for (size_t open = text.find('('); section.empty() && open != std::string_view::npos; open = text.find('(', open + 1))
        section = section_at(text.substr(open + 1));
    return section;
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
    std::string heading, comment;
    bool in_comment = false;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = without_leading(text.substr(begin, end - begin), " \t\r");
        const bool is_heading = starts(line, heading_mark), is_comment = !is_heading && starts(line, comment_mark);
        if (is_comment) {
            if (!in_comment) comment.clear();
            comment += (comment.empty() ? "" : " ") + std::string(without_leading(line.substr(comment_mark.size()), " "));
        } else if (in_comment && !line.empty()) {
            const std::string_view cited = section_in(comment);
            marks_.push_back({begin, {cited.empty() ? heading : std::string(cited), std::string(first_sentence(comment))}});
        }
        if (is_heading) heading = section_in(without_leading(line.substr(heading_mark.size()), " -"));
        if (is_heading || line.empty()) marks_.push_back({begin, {heading, {}}});
        in_comment = is_comment;
        begin = end + 1;
    }
}

Citation Citations::at(uint32_t offset) const {
    const auto after = std::upper_bound(marks_.begin(), marks_.end(), offset, [](size_t o, const Mark& mark) { return o < mark.from; });
    return after == marks_.begin() ? Citation{} : std::prev(after)->citation;
}

}  // namespace litmus
