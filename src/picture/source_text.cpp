// What an instruction is called in a box that is narrow.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/visible.h"
#include "picture/sketch.h"
#include "report/columns.h"

namespace litmus::picture {

namespace {

// On one line, without comments and the semicolon; spaces are single.
std::string one_line(std::string_view text) {
    std::string line;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i, 2) == "//") {
            while (i < text.size() && text[i] != '\n') ++i;
        } else if (text.substr(i, 2) == "/*") {
            i = std::min(text.find("*/", i + 2), text.size()) + 1;
        } else if (std::isspace(static_cast<unsigned char>(text[i])) == 0) {
            line += text[i];
            continue;
        }
        if (!line.empty() && line.back() != ' ') line += ' ';
    }
    while (!line.empty() && (line.back() == ' ' || line.back() == ';')) line.pop_back();
    return line;
}

// ".acquire", ".cluster": what an ordering is made of, told longest.
bool says_order(std::string_view qualifier) {
    constexpr std::array<std::string_view, 12> words{"weak", "relaxed", "acquire", "release", "acq_rel",  "sc",
                                                     "cta",  "cluster", "gpu",     "sys",     "volatile", "async"};
    return std::count(words.begin(), words.end(), qualifier) > 0;
}

std::vector<std::string> dotted_parts(const std::string& name) {
    std::vector<std::string> parts(1);
    for (const char c : name) {
        if (c == '.' && !parts.back().empty()) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

// The name without the parts that are not kept; an ellipsis stands for those after each other.
std::string kept_name(const std::vector<std::string>& parts, const std::vector<bool>& keep) {
    std::string name;
    bool left_out = false;
    for (size_t i = 0; i < parts.size(); ++i) {
        if (keep[i]) {
            if (i > 0 && !left_out) name += ".";
            if (left_out) name += ".";
            name += parts[i];
        } else if (!left_out) {
            name += "…";
        }
        left_out = !keep[i];
    }
    return name;
}

std::string cut(const std::string& text, size_t most) {
    if (display_width(text) <= most) return text;
    std::string result;
    size_t width = 0;
    for (size_t i = 0; i < text.size() && width + 1 < most; ++width) {
        do result += text[i++];
        while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U);
    }
    return result + "…";
}

}  // namespace

std::string short_source(const Test& test, const Instruction& instruction, size_t most) {
    if (!test.source) return instruction.mnemonic;
    const std::string& text = test.source->text;
    const Span all = instruction.span, name = instruction.spelled;
    if (name.end <= name.begin || name.begin < all.begin || name.end > all.end)
        return cut(visible(one_line(std::string_view(text).substr(all.begin, all.end - all.begin))), most);
    const std::string before = one_line(std::string_view(text).substr(all.begin, name.begin - all.begin));
    const std::string after = one_line(std::string_view(text).substr(name.end, all.end - name.end));
    const std::string head = before.empty() || before.back() == ' ' ? before : before + " ";
    const std::string tail = after.empty() ? "" : (after.front() == ' ' ? "" : " ") + after;
    const std::vector<std::string> parts = dotted_parts(one_line(std::string_view(text).substr(name.begin, name.end - name.begin)));
    const size_t stem = dotted_parts(instruction.mnemonic).size();
    std::vector<bool> keep(parts.size(), true);
    const auto whole = [&] { return visible(head + kept_name(parts, keep) + tail); };
    for (const bool order_too : {false, true})
        for (size_t i = parts.size(); i-- > stem && display_width(whole()) > most;)
            if (order_too || !says_order(parts[i])) keep[i] = false;
    return cut(whole(), most);
}

}  // namespace litmus::picture
