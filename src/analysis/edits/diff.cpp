// Lines that both texts have, by a longest common subsequence: tests are short.
#include "analysis/edits/diff.h"

#include <algorithm>
#include <vector>

namespace litmus {

namespace {

constexpr size_t context = 3;

// Each with its line break, which the last may lack.
std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        lines.push_back(text.substr(at, end - at));
        at = end;
    }
    return lines;
}

struct Line {
    char mark = ' ';  // ' ' in both, '-' before, '+' after
    std::string text;
};

std::vector<Line> script(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    std::vector<std::vector<size_t>> common(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = a.size(); i-- > 0;)
        for (size_t j = b.size(); j-- > 0;)
            common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    std::vector<Line> result;
    for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        if (i < a.size() && j < b.size() && a[i] == b[j])
            result.push_back({' ', a[i]}), ++i, ++j;
        else if (i < a.size() && (j == b.size() || common[i + 1][j] >= common[i][j + 1]))
            result.push_back({'-', a[i++]});
        else
            result.push_back({'+', b[j++]});
    }
    return result;
}

std::string range(size_t first, size_t count) {
    return std::to_string(count == 0 ? first : first + 1) + (count == 1 ? "" : "," + std::to_string(count));
}

}  // namespace

std::string unified_diff(const std::string& name, const std::string& before, const std::string& after) {
    if (before == after) return "";
    const std::vector<Line> lines = script(split_lines(before), split_lines(after));
    std::string path = name.substr(std::min(name.find_first_not_of('/'), name.size()));
    if (path.find(' ') != std::string::npos) path += '\t';  // a name with blanks ends with a tab, as `diff -u` writes it
    std::string result = "--- a/" + path + "\n+++ b/" + path + "\n";
    size_t old_line = 0, new_line = 0;
    for (size_t i = 0; i < lines.size();) {
        // The next hunk: changes no more than two contexts apart.
        size_t first = i;
        while (first < lines.size() && lines[first].mark == ' ') ++first;
        if (first == lines.size()) break;
        const size_t begin = first - std::min(first - i, context);
        size_t last = first;
        for (size_t k = first; k < lines.size() && k <= last + 2 * context + 1; ++k)
            if (lines[k].mark != ' ') last = k;
        const size_t end = std::min(lines.size(), last + 1 + context);
        old_line += begin - i, new_line += begin - i;
        std::string body;
        size_t olds = 0, news = 0;
        for (size_t k = begin; k < end; ++k) {
            olds += lines[k].mark != '+', news += lines[k].mark != '-';
            body += lines[k].mark + lines[k].text;
            if (body.back() != '\n') body += "\n\\ No newline at end of file\n";
        }
        result += "@@ -" + range(old_line, olds) + " +" + range(new_line, news) + " @@\n" + body;
        old_line += olds, new_line += news;
        i = end;
    }
    return result;
}

}  // namespace litmus
