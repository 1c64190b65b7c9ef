// Line by line: a table begins behind the rule `|---|`, and ends with the first line that is no row.
#include "view/page/questions.h"

#include <algorithm>
#include <string_view>

namespace litmus {

namespace {

std::string_view without_blanks(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The cells of a row; a `|` within backticks divides nothing.
std::vector<std::string_view> cells_of(std::string_view row) {
    std::vector<std::string_view> cells;
    bool code = false;
    size_t begin = 1;
    for (size_t i = 1; i < row.size(); ++i) {
        if (row[i] == '`') code = !code;
        if (row[i] != '|' || code) continue;
        cells.push_back(without_blanks(row.substr(begin, i - begin)));
        begin = i + 1;
    }
    return cells;
}

// What stands in backticks.
std::vector<std::string> codes_of(std::string_view cell) {
    std::vector<std::string> codes;
    for (size_t begin = cell.find('`'); begin != std::string_view::npos; begin = cell.find('`', begin)) {
        const size_t end = cell.find('`', begin + 1);
        if (end == std::string_view::npos) break;
        codes.emplace_back(cell.substr(begin + 1, end - begin - 1));
        begin = end + 1;
    }
    return codes;
}

bool is_heading(std::string_view cell) {
    return cell.size() > 2 && cell.front() == '*' && cell.back() == '*';
}

// The line between the head of a table and its rows, `|---|---|---|`.
bool is_rule(std::string_view row) {
    return row.find_first_not_of("|-: ") == std::string_view::npos;
}

}  // namespace

std::vector<LibraryQuestion> parse_questions(const SourcePtr& page) {
    std::vector<LibraryQuestion> questions;
    std::string heading;
    const std::string_view text = page->text;
    bool in_rows = false;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view row = without_blanks(text.substr(begin, end - begin));
        const Span span{static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
        begin = end + 1;
        if (row.empty() || row.front() != '|') {
            in_rows = false;
        } else if (is_rule(row)) {
            in_rows = true;
        } else if (in_rows) {
            const std::vector<std::string_view> cells = cells_of(row);
            if (cells.size() != 3) throw Failure(page, span, "a question is a row of three cells", "| question | `tests` | answer |");
            if (is_heading(cells[0])) {
                heading = cells[0].substr(1, cells[0].size() - 2);
                continue;
            }
            LibraryQuestion question{heading, std::string(cells[0]), codes_of(cells[1]), std::string(cells[2]), span};
            if (question.tests.empty()) throw Failure(page, span, "the question names no test", "a path in backticks, or a folder, `mp/`");
            questions.push_back(std::move(question));
        }
    }
    return questions;
}

const LibraryQuestion* about_folder(const std::vector<LibraryQuestion>& questions, const std::string& folder) {
    const auto found = std::find_if(questions.begin(), questions.end(),
                                    [&](const LibraryQuestion& q) { return q.tests.size() == 1 && q.tests.front() == folder + "/"; });
    return found == questions.end() ? nullptr : &*found;
}

}  // namespace litmus
