// What a placeholder stands for comes from the page of its test (tool/study.h), which is made once.
#include "tool/lesson_text.h"

#include <algorithm>
#include <sstream>

#include "analysis/verdict/text.h"
#include "base/own_files.h"
#include "base/visible.h"
#include "print/columns.h"
#include "tool/missing.h"
#include "tool/quiz_question.h"
#include "tool/study.h"
#include "view/page/bare_source.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;
using Kind = Placeholder::Kind;

bool is_known(const PageOutcome& outcome) {
    return outcome.standing == Standing::allowed || outcome.standing == Standing::forbidden || outcome.standing == Standing::undefined;
}

// "P1:r0=1;P1:r1=0"
std::string without_blanks(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    while (!text.empty() && text.back() == ';') text.pop_back();
    return text;
}

}  // namespace

std::string filled(const std::string& text, size_t width, const std::string& mark) {
    std::string result, line = mark;
    bool empty = true;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find(' ', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        if (!empty && display_width(line) + display_width(word) + 3 > width) {
            result += "  " + line + "\n";
            line = std::string(mark.size(), ' ');
            empty = true;
        }
        line += (empty ? "" : " ") + word;
        empty = false;
        begin = end + 1;
    }
    return result + (empty ? "" : "  " + line + "\n");
}

std::string listing(const Test& test) {
    std::string text;
    for (const SourceLine& line : bare_source(test))
        text += line.text.empty() ? "\n" : "  " + right(std::to_string(line.number), 4) + "  " + visible(line.text) + "\n";
    return text;
}

std::string indented(const std::vector<std::string>& lines, size_t width) {
    std::string text;
    for (const std::string& line : lines) {
        const std::string shown = visible(line);
        const size_t blanks = std::min(shown.find_first_not_of(' '), shown.size());
        if (display_width(shown) + 2 <= width)
            text += shown.empty() ? "\n" : "  " + shown + "\n";
        else
            text += filled(shown.substr(blanks), width, std::string(blanks, ' '));
    }
    return text;
}

LessonText::LessonText(fs::path library, ModelFamily& family, const TestOptions& options, size_t width)
    : library_(std::move(library)), family_(family), options_(options), width_(width) {}

const Input& LessonText::input(const std::string& file) {
    const auto known = inputs_.find(file);
    if (known != inputs_.end()) return known->second;
    const std::string path = (library_ / file).string();
    require_own(path, library_.string());
    std::vector<Input> inputs = parse_inputs(read_inputs({path}).files);
    if (inputs.empty()) throw Failure(nullptr, {}, "no test in '" + path + "'");
    if (inputs.front().failure) throw *inputs.front().failure;
    return inputs_.emplace(file, std::move(inputs.front())).first->second;
}

const LessonText::Studied& LessonText::studied(const std::string& file, bool observed) {
    const auto known = studied_.find(file);
    if (known != studied_.end() && (known->second.observed || !observed)) return known->second;
    if (observed && !observations_) {
        std::error_code ignored;
        const fs::path folder = library_ / "observed";
        const bool is_there = fs::is_directory(folder, ignored);
        observations_ = std::make_unique<Observations>(is_there ? read_observations({folder.string()}, 0) : Observations{});
    }
    Study found = study(input(file), family_, observed ? *observations_ : Observations{}, options_);
    return studied_[file] = {std::move(found.page), observed};
}

// ---- what is put in -------------------------------------------------------------------------------

std::vector<std::string> LessonText::outcomes(const Placeholder& wanted) {
    std::vector<std::string> lines;
    for (const PageOutcome& outcome : studied(wanted.test, false).page.outcomes)
        if (is_known(outcome))
            lines.push_back((outcome.standing == Standing::forbidden ? "cannot be  " : "can be     ") + joined(outcome.values, "; "));
    return lines;
}

// Of the outcome that is named, or else of that which the claim is about.
std::vector<std::string> LessonText::shown(const Placeholder& wanted) {
    const TestPage& page = studied(wanted.test, false).page;
    for (size_t row = 0; row < page.outcomes.size(); ++row) {
        const PageOutcome& outcome = page.outcomes[row];
        const bool meant =
            wanted.outcome.empty() ? outcome.asked : without_blanks(joined(outcome.values, ";")) == without_blanks(wanted.outcome);
        if (!meant || !is_known(outcome)) continue;
        if (outcome.standing != Standing::forbidden) return execution_lines(input(wanted.test), family_, options_, row + 1);
        if (outcome.why) return story_lines(*outcome.why);
    }
    return execution_lines(input(wanted.test), family_, options_, 0);
}

std::vector<std::string> LessonText::verdict(const Placeholder& wanted) {
    const TestPage& page = studied(wanted.test, false).page;
    std::vector<std::string> lines;
    for (const PageHazard& hazard : page.hazards) {
        const std::vector<std::string> told = hazard_lines(hazard.text);
        lines.insert(lines.end(), told.begin(), told.end());
    }
    if (lines.empty()) lines.emplace_back("Nothing goes wrong: every execution ends, nothing is undefined, and no two accesses race.");
    if (page.result.reliance && !page.result.reliance->rests_on.empty()) lines.push_back(verdict_line(page.result));
    return lines;
}

// How often each device ended as the claim asks.
std::vector<std::string> LessonText::observed(const Placeholder& wanted) {
    const TestPage& page = studied(wanted.test, true).page;
    std::vector<std::string> lines;
    for (size_t device = 0; device < page.devices.size(); ++device) {
        if (page.devices[device].instances == 0) continue;
        uint64_t count = 0;
        std::vector<std::string> names;
        for (const PageOutcome& outcome : page.outcomes) {
            if (!outcome.asked || outcome.counts.size() <= device) continue;
            count += outcome.counts[device];
            names.push_back(joined(outcome.values, "; "));
        }
        lines.push_back(left(short_device(page.devices[device].device), 10) + "  " + joined(names, " or ") + ": " +
                        rate_text(count, page.devices[device].instances));
    }
    if (lines.empty()) lines.emplace_back("no GPU has run it");
    return lines;
}

std::vector<std::string> LessonText::repair(const Placeholder& wanted) {
    Solver solver(Solver::usually, options_.engine.value());
    const auto missing = soon_missing(*input(wanted.test).test, family_, family_.readings(options_.reading), solver, options_);
    std::vector<std::string> lines;
    if (missing)
        for (const Missing& part : missing->best) lines.push_back(part.sentence);
    return lines;
}

std::vector<std::string> LessonText::in_lines(const Placeholder& wanted) {
    switch (wanted.kind) {
        case Kind::outcomes:
            return outcomes(wanted);
        case Kind::explain:
        case Kind::picture:
            return shown(wanted);
        case Kind::observed:
            return observed(wanted);
        case Kind::repair:
            return repair(wanted);
        case Kind::readings:
            return studied(wanted.test, false).page.readings;
        case Kind::verdict:
            return verdict(wanted);
        case Kind::can:
            return {in_words(wanted)};
        case Kind::exercise:
            return {"It can be done by " + litmus::in_words(wanted.edits) + ".",
                    "The file: " + (library_ / wanted.test).lexically_normal().string()};
        case Kind::test:
        case Kind::predict:
            break;
    }
    return {};
}

std::string LessonText::in_words(const Placeholder& wanted) {
    if (wanted.kind == Kind::can) return studied(wanted.test, false).page.result.satisfiable == Answer::Truth::yes ? "yes" : "no";
    return joined(in_lines(wanted), ", ");
}

// ---- blocks ---------------------------------------------------------------------------------------

std::string LessonText::line(const Pieces& pieces) {
    std::string text;
    for (const Piece& piece : pieces) text += piece.placeholder ? in_words(*piece.placeholder) : piece.text;
    return visible(text);
}

// Columns as wide as their widest cell.
std::string LessonText::table(const Block& block) {
    std::vector<std::vector<std::string>> cells;
    std::vector<size_t> widths(block.rows.front().size());
    for (const auto& row : block.rows) {
        cells.emplace_back();
        for (size_t column = 0; column < row.size(); ++column) {
            cells.back().push_back(line(row[column]));
            widths[column] = std::max(widths[column], display_width(cells.back().back()));
        }
    }
    std::string text;
    for (const auto& row : cells) {
        std::string one = "  ";
        for (size_t column = 0; column < row.size(); ++column) one += left(row[column], widths[column]) + "  ";
        one.resize(one.find_last_not_of(' ') + 1);
        text += one + "\n";
    }
    return text;
}

std::string LessonText::text(const Blocks& blocks) {
    std::string text;
    for (const Block& block : blocks) {
        std::string one;
        switch (block.kind) {
            case Block::Kind::paragraph:
            case Block::Kind::list:
                for (const auto& row : block.rows) one += filled(line(row.front()), width_, block.kind == Block::Kind::list ? "- " : "");
                break;
            case Block::Kind::numbered:
                for (size_t i = 0; i < block.rows.size(); ++i)
                    one += filled(line(block.rows[i].front()), width_, std::to_string(i + 1) + ". ");
                break;
            case Block::Kind::table:
                one = table(block);
                break;
            case Block::Kind::code: {
                std::istringstream lines(block.text);
                for (std::string line; std::getline(lines, line);) one += line.empty() ? "\n" : "  " + visible(line) + "\n";
                break;
            }
            case Block::Kind::computed:
                one = block.placeholder->kind == Kind::test ? listing(*input(block.placeholder->test).test)
                                                            : indented(in_lines(*block.placeholder), width_);
                break;
        }
        if (!one.empty()) text += "\n" + one;
    }
    return text;
}

}  // namespace litmus
