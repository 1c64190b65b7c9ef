// Line by line: a line that is empty ends a block, and what a block is stands at the beginning of its first line.
#include "view/page/lesson.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/nearest.h"
#include "print/columns.h"

namespace litmus {

namespace {

using Kind = Placeholder::Kind;

struct Word {
    std::string_view name;
    Kind kind;
};
constexpr std::array words = {
    Word{"test", Kind::test},         Word{"predict", Kind::predict},   Word{"outcomes", Kind::outcomes}, Word{"verdict", Kind::verdict},
    Word{"can", Kind::can},           Word{"explain", Kind::explain},   Word{"picture", Kind::picture},   Word{"repair", Kind::repair},
    Word{"observed", Kind::observed}, Word{"readings", Kind::readings}, Word{"exercise", Kind::exercise},
};

struct Line {
    std::string_view text;  // without the end of the line and blanks before it
    uint32_t begin = 0;     // in the source
};

std::string_view trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool starts(std::string_view text, std::string_view beginning) {
    return text.substr(0, beginning.size()) == beginning;
}

// "- item" has its text at 2, "12. item" at 4; anything else at 0.
size_t item_text(std::string_view line) {
    if (starts(line, "- ")) return 2;
    size_t digits = 0;
    while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9') ++digits;
    return digits > 0 && line.substr(digits, 2) == ". " ? digits + 2 : 0;
}

// What ends a paragraph besides an empty line.
bool begins_block(std::string_view line) {
    return line.empty() || line[0] == '#' || line[0] == '|' || starts(line, "```") || item_text(line) > 0;
}

class Reader {
public:
    explicit Reader(const SourcePtr& source) : source_(source), text_(source->text) {
        for (size_t begin = 0; begin < text_.size();) {
            const size_t end = std::min(text_.find('\n', begin), text_.size());
            const size_t length = text_.substr(begin, end - begin).find_last_not_of(" \t\r") + 1;  // npos + 1 is 0
            lines_.push_back({text_.substr(begin, length), static_cast<uint32_t>(begin)});
            begin = end + 1;
        }
    }

    Lesson read() {
        name();
        title();
        about();
        part(lesson_.text, "");
        for (const auto& [title, blocks] : {std::pair{"## Question", &lesson_.question},
                                            {"## Answer", &lesson_.answer},
                                            {"## Why", &lesson_.why},
                                            {"## Exercise", &lesson_.exercise}})
            part(*blocks, title);
        if (at_ < lines_.size())
            error(span(lines_[at_]), "expected the end of the lesson", "its parts are Question, Answer, Why, Exercise");
        if (errors_.empty()) rules();
        if (!errors_.empty()) throw Failure(std::move(errors_));
        return std::move(lesson_);
    }

    Article read_article() {
        title();
        Article article{lesson_.title, {{}}};
        body(article.parts.back().blocks);
        while (at_ < lines_.size()) {
            const std::string_view heading = lines_[at_++].text.substr(3);
            article.parts.push_back({std::string(trimmed(heading)), {}});
            body(article.parts.back().blocks);
        }
        if (!errors_.empty()) throw Failure(std::move(errors_));
        return article;
    }

private:
    // ---- errors ----

    Span span(std::string_view part) const {
        const auto begin = static_cast<uint32_t>(part.data() - text_.data());
        return {begin, begin + static_cast<uint32_t>(part.size())};
    }
    static Span span(const Line& line) { return {line.begin, line.begin + static_cast<uint32_t>(line.text.size())}; }
    void error(Span at, std::string message, std::string hint = {}) {
        errors_.push_back({Diagnostic::Level::error, source_, at, std::move(message), std::move(hint)});
    }

    // ---- parts ----

    // The lesson's number and name are those of its file.
    void name() {
        lesson_.name = std::filesystem::path(source_->name).stem().string();
        const std::string_view name = lesson_.name;
        const auto digit = [&](size_t i) { return i < name.size() && name[i] >= '0' && name[i] <= '9'; };
        if (!digit(0) || !digit(1) || name.substr(2, 1) != "-")
            error({}, "a lesson's file is named `NN-name.md`, not `" + lesson_.name + ".md`");
        lesson_.number = digit(0) && digit(1) ? (name[0] - '0') * 10 + (name[1] - '0') : 0;
        lesson_.test = file(name);
    }

    void title() {
        if (!lines_.empty() && starts(lines_[0].text, "# ")) {
            lesson_.title = trimmed(lines_[0].text.substr(2));
            at_ = 1;
        } else {
            error({}, "expected `# title` on the first line");
        }
    }

    // "> In a line, what one learns."
    void about() {
        while (at_ < lines_.size() && lines_[at_].text.empty()) ++at_;
        if (at_ < lines_.size() && starts(lines_[at_].text, "> "))
            lesson_.about = trimmed(lines_[at_++].text.substr(2));
        else
            error(at_ < lines_.size() ? span(lines_[at_]) : Span{}, "expected `> ` and in a line what one learns");
    }

    // From its heading to the next one; the first part has none.
    void part(Blocks& blocks, std::string_view heading) {
        if (!heading.empty()) {
            const bool here = at_ < lines_.size() && lines_[at_].text == heading;
            const auto end = static_cast<uint32_t>(text_.size());
            if (!here && !lost_) error(at_ < lines_.size() ? span(lines_[at_]) : Span{end, end}, "expected `" + std::string(heading) + "`");
            lost_ |= !here;
            if (lost_) return;
            ++at_;
        }
        body(blocks);
        if (blocks.empty() && errors_.empty()) error(at_ > 0 ? span(lines_[at_ - 1]) : Span{}, "this part of the lesson is empty");
    }

    // Up to the next heading.
    void body(Blocks& blocks) {
        while (at_ < lines_.size() && !starts(lines_[at_].text, "## ")) {
            if (lines_[at_].text.empty())
                ++at_;
            else
                blocks.push_back(block());
        }
    }

    Block block() {
        const std::string_view first = lines_[at_].text;
        if (starts(first, "```")) return code();
        if (starts(first, "#")) error(span(lines_[at_]), "expected a heading of the second level", "`## Question`");
        if (starts(first, "|")) return table();
        if (item_text(first) > 0) return list(first[0] == '-' ? Block::Kind::list : Block::Kind::numbered);
        const auto text = joined(0);
        Block block{.rows = {{pieces(text)}}};
        const Pieces& only = block.rows[0][0];
        if (only.size() != 1 || only[0].kind != Piece::Kind::computed) return block;
        return {.kind = Block::Kind::computed, .placeholder = only[0].placeholder};
    }

    Block code() {
        const Line& open = lines_[at_++];
        Block block{.kind = Block::Kind::code, .language = std::string(trimmed(open.text.substr(3)))};
        while (at_ < lines_.size() && lines_[at_].text != "```") block.text += std::string(lines_[at_++].text) + "\n";
        if (at_ == lines_.size()) error(span(open), "this block of code is not closed", "add a line of ```");
        at_ = std::min(at_ + 1, lines_.size());
        return block;
    }

    Block table() {
        Block block{.kind = Block::Kind::table};
        for (size_t row = 0; at_ < lines_.size() && starts(lines_[at_].text, "|"); ++row, ++at_) {
            std::string_view rest = lines_[at_].text.substr(1);
            std::vector<std::string_view> cells;
            for (size_t bar = rest.find('|'); bar != std::string_view::npos; bar = rest.find('|')) {
                cells.push_back(trimmed(rest.substr(0, bar)));
                rest = rest.substr(bar + 1);
            }
            if (!rest.empty()) error(span(lines_[at_]), "a row of a table ends with `|`");
            if (row == 1) {
                const bool rule = std::all_of(cells.begin(), cells.end(), [](auto cell) { return cell == "---"; });
                if (!rule) error(span(lines_[at_]), "the second row of a table is `|---|---|`");
                continue;
            }
            if (!block.rows.empty() && cells.size() != block.rows[0].size())
                error(span(lines_[at_]), "the head of the table has " + std::to_string(block.rows[0].size()) + " cells, this row has " +
                                             std::to_string(cells.size()));
            block.rows.emplace_back();
            for (const std::string_view cell : cells) block.rows.back().push_back(pieces({{cell, span(cell).begin}}));
        }
        return block;
    }

    Block list(Block::Kind kind) {
        Block block{.kind = kind};
        while (at_ < lines_.size() && item_text(lines_[at_].text) > 0) block.rows.push_back({pieces(joined(item_text(lines_[at_].text)))});
        return block;
    }

    // The lines of a paragraph or of an item, from this one on, of which `skip` characters are left out; each without its indentation.
    std::vector<Line> joined(size_t skip) {
        std::vector<Line> found;
        do {
            const std::string_view text = trimmed(lines_[at_].text.substr(found.empty() ? skip : 0));
            found.push_back({text, span(text).begin});
            ++at_;
        } while (at_ < lines_.size() && !begins_block(lines_[at_].text));
        return found;
    }

    // ---- within a line ----

    // A mark that begins a piece does not go over the end of a line: paragraphs are filled by hand, and a mark that is not closed is found
    // at once.
    Pieces pieces(const std::vector<Line>& lines) {
        Pieces found;
        for (const Line& line : lines) {
            if (&line != &lines.front()) append(found, " ");
            std::string_view rest = line.text;
            while (!rest.empty()) rest = rest.substr(one_piece(found, rest));
        }
        return found;
    }

    static void append(Pieces& pieces, std::string_view text) {
        if (pieces.empty() || pieces.back().kind != Piece::Kind::text) pieces.emplace_back();
        pieces.back().text += text;
    }

    // Reads a piece, or text up to where the next may begin; gives its length.
    size_t one_piece(Pieces& found, std::string_view rest) {
        struct Mark {
            std::string_view open, close;
            Piece::Kind kind;
        };
        constexpr std::array marks = {Mark{"`", "`", Piece::Kind::code}, Mark{"**", "**", Piece::Kind::strong},
                                      Mark{"*", "*", Piece::Kind::emphasis}, Mark{"{{", "}}", Piece::Kind::computed},
                                      Mark{"[", ")", Piece::Kind::link}};
        for (const Mark& mark : marks) {
            if (!starts(rest, mark.open)) continue;
            const size_t from = mark.open.size();
            const size_t end = rest.find(mark.close, from);
            if (mark.kind == Piece::Kind::link && rest.substr(0, std::min(end, rest.size())).find("](") == std::string_view::npos) break;
            if (end == std::string_view::npos) {
                error(span(rest.substr(0, from)), "`" + std::string(mark.open) + "` is not closed on its line",
                      "add `" + std::string(mark.close) + "`");
                break;
            }
            const std::string_view inner = rest.substr(from, end - from);
            Piece piece{.kind = mark.kind, .text = std::string(inner)};
            if (mark.kind == Piece::Kind::link) {
                const size_t joint = inner.find("](");
                piece.text = inner.substr(0, joint);
                piece.target = inner.substr(joint + 2);
            }
            if (mark.kind == Piece::Kind::computed) piece.placeholder = placeholder(inner);
            found.push_back(piece);
            return end + mark.close.size();
        }
        const size_t length = std::min(rest.find_first_of("`*{[", 1), rest.size());
        append(found, rest.substr(0, length));
        return length;
    }

    // "change 1, add 2" as what an exercise asks for.
    LineEdits edits(std::string_view text) {
        LineEdits result;
        const std::array kinds = {
            std::pair{std::string_view("change "), &LineEdits::changed}, std::pair{std::string_view("add "), &LineEdits::added},
            std::pair{std::string_view("remove "), &LineEdits::removed}, std::pair{std::string_view("move "), &LineEdits::moved}};
        for (std::string_view rest = text; !rest.empty();) {
            const size_t comma = std::min(rest.find(','), rest.size());
            const std::string_view part = trimmed(rest.substr(0, comma));
            rest.remove_prefix(std::min(comma + 1, rest.size()));
            const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return starts(part, one.first); });
            const std::string_view number = kind == kinds.end() ? std::string_view() : part.substr(kind->first.size());
            if (number.size() == 1 && number[0] >= '1' && number[0] <= '9')
                result.*kind->second = static_cast<size_t>(number[0] - '0');
            else
                error(span(part), "expected a number of lines to `change`, `add`, `remove` or `move`", "`change 1, add 2`");
        }
        return result;
    }

    // "word", "word NAME", "exercise NAME NAME: change 1", "explain NAME: outcome"
    Placeholder placeholder(std::string_view inner) {
        Placeholder result{.test = lesson_.test, .span = span(inner)};
        const size_t colon = inner.find(": ");
        if (colon != std::string_view::npos) result.outcome = trimmed(inner.substr(colon + 2));
        std::vector<std::string_view> parts;
        for (std::string_view rest = trimmed(inner.substr(0, colon)); !rest.empty();) {
            const size_t end = std::min(rest.find(' '), rest.size());
            parts.push_back(rest.substr(0, end));
            rest = trimmed(rest.substr(end));
        }
        const std::string_view word = parts.empty() ? std::string_view() : parts[0];
        const auto known = std::find_if(words.begin(), words.end(), [&](const Word& w) { return w.name == word; });
        if (known == words.end()) {
            std::vector<std::string_view> names;
            for (const Word& w : words) names.push_back(w.name);
            const std::string near = nearest(word, {names.begin(), names.end()});
            error(span(inner), "no placeholder is called `" + std::string(word) + "`", near.empty() ? "" : "the nearest is `" + near + "`");
            return result;
        }
        result.kind = known->kind;
        const bool exercise = result.kind == Kind::exercise;
        if (parts.size() > 1) result.test = file(parts[1]);
        if (parts.size() > 2) result.solution = file(parts[2]);
        if (exercise ? parts.size() != 3 : parts.size() > 2)
            error(span(inner), exercise ? "an exercise names a broken test and a solution" : "`" + std::string(word) + "` takes one test");
        if (exercise) {
            result.edits = edits(std::exchange(result.outcome, {}));
            if (result.edits == LineEdits{}) error(span(inner), "an exercise says what is to be edited", "`: change 1, add 2`, in lines");
        }
        const bool asks = result.kind == Kind::explain || result.kind == Kind::picture;
        if (!result.outcome.empty() && !asks) error(span(inner), "`" + std::string(word) + "` takes no outcome");
        return result;
    }

    // A test beside the lessons, or with a folder one of the library.
    static std::string file(std::string_view name) {
        return (name.find('/') == std::string_view::npos ? "lessons/" : "") + std::string(name) + ".litmus";
    }

    // ---- what a lesson has ----

    void rules() {
        const auto wants = [&](const Blocks& blocks, Kind kind, const std::string& what) {
            if (find_placeholder(blocks, kind) == nullptr) error({}, what);
        };
        wants(lesson_.text, Kind::test, "the text before the question shows a test: `{{test}}`");
        wants(lesson_.question, Kind::predict, "the question asks: `{{predict}}`");
        wants(lesson_.exercise, Kind::exercise, "the exercise names its tests: `{{exercise BROKEN SOLUTION: change 1}}`");
        bool computed = false;
        for (const Kind kind : {Kind::outcomes, Kind::verdict, Kind::can}) computed |= find_placeholder(lesson_.answer, kind) != nullptr;
        if (!computed) error({}, "the answer is computed: `{{outcomes}}`, `{{verdict}}` or `{{can NAME}}`");
        for (const Block& block : lesson_.answer) {
            bool written = block.kind == Block::Kind::code;
            for (const auto& row : block.rows)
                for (const Pieces& cell : row)
                    for (const Piece& piece : cell)
                        written |= piece.kind != Piece::Kind::computed && piece.text.find('=') != std::string::npos;
            if (written) error({}, "the answer writes out an outcome, which is to be computed", "use `{{outcomes}}`");
        }
    }

    SourcePtr source_;
    std::string_view text_;
    std::vector<Line> lines_;
    size_t at_ = 0;
    bool lost_ = false;  // a heading was not found: where the parts begin is not known
    Lesson lesson_;
    std::vector<Diagnostic> errors_;
};

void each(const Blocks& blocks, const std::function<void(const Placeholder&)>& visit) {
    for (const Block& block : blocks) {
        if (block.placeholder) visit(*block.placeholder);
        for (const auto& row : block.rows)
            for (const Pieces& cell : row)
                for (const Piece& piece : cell)
                    if (piece.placeholder) visit(*piece.placeholder);
    }
}

}  // namespace

std::string in_words(const LineEdits& edits) {
    constexpr std::array<std::string_view, 10> numbers{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
    std::vector<std::string> parts;
    const auto add = [&](std::string_view what, size_t count) {
        if (count == 0) return;
        const std::string number = count < numbers.size() ? std::string(numbers[count]) : std::to_string(count);
        parts.push_back(std::string(what) + " " + number + (!parts.empty() ? "" : count == 1 ? " line" : " lines"));
    };
    add("changing", edits.changed);
    add("adding", edits.added);
    add("removing", edits.removed);
    add("moving", edits.moved);
    return joined(parts, " and ");
}

Lesson parse_lesson(const SourcePtr& source) {
    return Reader(source).read();
}

Article parse_article(const SourcePtr& source) {
    return Reader(source).read_article();
}

void each_placeholder(const Lesson& lesson, const std::function<void(const Placeholder&)>& visit) {
    for (const Blocks* blocks : {&lesson.text, &lesson.question, &lesson.answer, &lesson.why, &lesson.exercise}) each(*blocks, visit);
}

const Placeholder* find_placeholder(const Blocks& blocks, Placeholder::Kind kind) {
    const Placeholder* found = nullptr;
    each(blocks, [&](const Placeholder& one) {
        if (found == nullptr && one.kind == kind) found = &one;
    });
    return found;
}

}  // namespace litmus
