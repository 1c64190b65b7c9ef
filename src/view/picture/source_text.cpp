// What an instruction is called in a box that is narrow.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/visible.h"
#include "language/syntax/native/print.h"
#include "print/columns.h"
#include "view/picture/sketch.h"

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

// What goes first where there is little room: state spaces and types, which the operands tell; then what the words of the event
// repeat, semantics and scope. What an instruction does goes last.
int importance(std::string_view qualifier) {
    constexpr std::array<std::string_view, 10> of_event{"weak", "relaxed", "acquire", "release", "acq_rel",
                                                        "sc",   "cta",     "cluster", "gpu",     "sys"};
    constexpr std::array<std::string_view, 4> of_place{"global", "shared", "parity", "async"};
    const auto among = [&](const auto& words) { return std::find(words.begin(), words.end(), qualifier) != words.end(); };
    const bool is_type = qualifier.size() > 1 && std::isdigit(static_cast<unsigned char>(qualifier[1])) != 0;
    if (is_type || qualifier.find("::") != std::string_view::npos || among(of_place)) return 0;
    return among(of_event) ? 1 : 2;
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

// The name up to its stem, and its qualifiers that are at least so important; an ellipsis stands for the others.
std::string kept_name(const std::vector<std::string>& parts, size_t stem, int least) {
    std::string name;
    bool left_out = false;
    for (size_t i = 0; i < parts.size(); ++i) {
        if (i < stem || importance(parts[i]) >= least) {
            name += (i > 0 ? "." : "") + parts[i];
        } else {
            left_out = true;
        }
    }
    return name + (left_out ? "…" : "");
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
    if (!instruction.wording.own) return cut(visible(print(instruction)), most);
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
    int least = 0;
    const auto whole = [&] { return visible(head + kept_name(parts, stem, least) + tail); };
    while (least < 3 && display_width(whole()) > most) ++least;
    return cut(whole(), most);
}

}  // namespace litmus::picture
