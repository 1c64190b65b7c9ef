// The answer is closed until the reader opens it, or has guessed. What a placeholder stands for is taken from the page of its test.
#include "view/page/lesson_page.h"

#include <algorithm>
#include <sstream>

#include "analysis/repair/missing_text.h"
#include "analysis/verdict/text.h"
#include "print/columns.h"
#include "view/page/pieces.h"

namespace litmus {

namespace {

// "P1:r0=1; P1:r1=0" as the values of an outcome, sorted.
std::vector<std::string> values_in(const std::string& outcome) {
    std::vector<std::string> values;
    std::istringstream parts(outcome);
    for (std::string part; std::getline(parts, part, ';');) {
        part.erase(std::remove(part.begin(), part.end(), ' '), part.end());
        if (!part.empty()) values.push_back(part);
    }
    std::sort(values.begin(), values.end());
    return values;
}

// The outcome that a placeholder means: the one that it names, else the first that the claim is about, else the first of all.
const PageOutcome* outcome_of(const TestPage& test, const std::string& named) {
    const std::vector<std::string> wanted = values_in(named);
    for (const PageOutcome& outcome : test.outcomes) {
        std::vector<std::string> values = outcome.values;
        std::sort(values.begin(), values.end());
        if (wanted.empty() ? outcome.asked : values == wanted) return &outcome;
    }
    return wanted.empty() && !test.outcomes.empty() ? &test.outcomes.front() : nullptr;
}

// Whether what the claim is about can be; of a test without a condition, whether it goes wrong.
bool can_be(const TestPage& test) {
    if (test.result.condition.empty()) return !test.hazards.empty();
    return std::any_of(test.outcomes.begin(), test.outcomes.end(),
                       [](const PageOutcome& outcome) { return outcome.asked && outcome.standing != Standing::forbidden; });
}

bool goes_wrong(const TestPage& test) {
    const bool undefined = std::any_of(test.hazards.begin(), test.hazards.end(),
                                       [](const PageHazard& hazard) { return hazard.text.kind == Hazard::Kind::undefined; });
    const bool ends = std::any_of(test.outcomes.begin(), test.outcomes.end(),
                                  [](const PageOutcome& outcome) { return outcome.standing != Standing::forbidden; });
    return test.result.condition.empty() || undefined || !ends;
}

class LessonWriter {
public:
    LessonWriter(const Site& site, const LessonPage& page, const Highlighter& highlighter)
        : site_(site), page_(page), highlighter_(highlighter) {}

    std::string run() {
        const Lesson& lesson = *page_.lesson;
        html_.open("nav", {{"class", "crumbs"}, {"aria-label", "Where this lesson stands"}});
        html_.link(relative_to(page_.path, "lessons.html"), "Lessons").text(" / " + std::to_string(lesson.number)).close().line_end();
        html_.open("article", {{"class", "lesson"}, {"data-lesson", lesson.name}}).element("h1", lesson.title).line_end();
        html_.open("p", {{"class", "doc"}});
        put_inline(html_, lesson.about);
        html_.close().line_end();
        put_print();
        put_blocks(lesson.text);
        html_.element("h2", "Question").line_end();
        put_blocks(lesson.question);
        html_.open("details", {{"class", "answer"}}).element("summary", "The answer").line_end();
        put_blocks(lesson.answer);
        html_.element("h2", "Why").line_end();
        put_blocks(lesson.why);
        html_.close().line_end();
        html_.element("h2", "Exercise").line_end();
        put_blocks(lesson.exercise);
        html_.close().line_end();
        put_neighbours();
        return html_.take();
    }

    std::string run(const Article& article) {
        html_.open("article", {{"class", "lesson"}}).element("h1", article.title).line_end();
        for (const Article::Part& part : article.parts) {
            if (!part.heading.empty()) html_.element("h2", part.heading).line_end();
            put_blocks(part.blocks);
        }
        html_.close().line_end();
        return html_.take();
    }

private:
    // Shown by the script, without which it does nothing.
    void put_print() {
        html_.open("p", {{"class", "print"}, {"hidden", "hidden"}}).element("button", {{"type", "button"}, {"id", "print"}}, "Print");
        html_.text(" ").open("label", {{"for", "copy"}}).text("as").close().text(" ").open("select", {{"id", "copy"}});
        html_.element("option", {{"value", ""}}, "a handout, without answers");
        html_.element("option", {{"value", "teacher"}}, "a teacher's copy, with answers");
        html_.close().close().line_end();
    }

    // ---- Markdown -----------------------------------------------------------------------------------

    void put_pieces(const Pieces& pieces) {
        for (const Piece& piece : pieces) switch (piece.kind) {
                case Piece::Kind::text:
                    html_.text(piece.text);
                    break;
                case Piece::Kind::code:
                    html_.element("code", piece.text);
                    break;
                case Piece::Kind::strong:
                    html_.element("strong", piece.text);
                    break;
                case Piece::Kind::emphasis:
                    html_.element("em", piece.text);
                    break;
                case Piece::Kind::link: {
                    const std::string target = page_.lesson_page(piece.target);
                    if (target.empty())
                        html_.text(piece.text);  // a document of the repository: no page of this site
                    else
                        html_.link(relative_to(page_.path, target), piece.text);
                    break;
                }
                case Piece::Kind::computed:
                    put_words(*piece.placeholder);
                    break;
            }
    }

    void put_rows(const Block& block, std::string_view list) {
        html_.open(list);
        for (const std::vector<Pieces>& row : block.rows) {
            html_.open("li");
            put_pieces(row.front());
            html_.close();
        }
        html_.close().line_end();
    }

    void put_table(const Block& block) {
        html_.open("div", {{"class", "table"}, {"tabindex", "0"}, {"role", "group"}, {"aria-label", "Table"}}).open("table");
        for (const std::vector<Pieces>& row : block.rows) {
            html_.open("tr");
            for (const Pieces& cell : row) {
                const bool head = &row == &block.rows.front();
                if (head)
                    html_.open("th", {{"scope", "col"}});
                else
                    html_.open("td");
                put_pieces(cell);
                html_.close();
            }
            html_.close();
        }
        html_.close().close().line_end();
    }

    void put_blocks(const Blocks& blocks) {
        for (const Block& block : blocks) switch (block.kind) {
                case Block::Kind::paragraph:
                    html_.open("p");
                    put_pieces(block.rows.front().front());
                    html_.close().line_end();
                    break;
                case Block::Kind::list:
                    put_rows(block, "ul");
                    break;
                case Block::Kind::numbered:
                    put_rows(block, "ol");
                    break;
                case Block::Kind::table:
                    put_table(block);
                    break;
                case Block::Kind::code:
                    html_.element("pre", {{"tabindex", "0"}}, block.text).line_end();
                    break;
                case Block::Kind::computed:
                    put_block(*block.placeholder);
                    break;
            }
    }

    // ---- what is computed ---------------------------------------------------------------------------

    // In a line.
    void put_words(const Placeholder& what) {
        const TestPage* test = page_.about(what.test);
        if (test == nullptr) return put_unknown(what);
        if (what.kind == Placeholder::Kind::can) {
            const bool can = can_be(*test);
            html_.open("strong", {{"class", can ? "yes" : "no"}}).text(can ? "yes" : "no").close();
        } else if (what.kind == Placeholder::Kind::verdict) {
            html_.element("strong", verdict_line(test->result));
        } else {
            html_.element("code", test->result.test);
        }
    }

    void put_unknown(const Placeholder& what) { html_.element("em", "(" + what.test + " could not be read)"); }

    void put_block(const Placeholder& what) {
        const TestPage* test = page_.about(what.test);
        if (test == nullptr) {
            html_.open("p");
            put_unknown(what);
            html_.close().line_end();
            return;
        }
        switch (what.kind) {
            case Placeholder::Kind::test:
                return put_test(*test);
            case Placeholder::Kind::predict:
                return put_prediction(*test);
            case Placeholder::Kind::outcomes:
                return put_outcomes(*test);
            case Placeholder::Kind::explain:
                return put_explanation(*test, what.outcome, true);
            case Placeholder::Kind::picture:
                return put_explanation(*test, what.outcome, false);
            case Placeholder::Kind::repair:
                return put_repair(*test);
            case Placeholder::Kind::observed:
                return put_observed(*test);
            case Placeholder::Kind::readings:
                for (const std::string& line : test->readings) html_.element("p", line).line_end();
                return;
            case Placeholder::Kind::exercise:
                return put_exercise(what, *test, page_.about(what.solution));
            case Placeholder::Kind::verdict:
                return put_verdict(*test);
            case Placeholder::Kind::can:
                html_.open("p");
                put_words(what);
                html_.close().line_end();
        }
    }

    void put_test(const TestPage& test) { put_test(test, "Try it in the laboratory"); }

    void put_test(const TestPage& test, std::string_view to_laboratory) {
        if (!test.source) return;
        html_.open("div", {{"class", "source"}});
        put_source(html_, test, highlighter_, true);
        if (!test.path.empty())
            html_.open("p", {{"class", "file"}}).link(relative_to(page_.path, test.path), "more about this test").close();
        const std::string laboratory = laboratory_link(site_, page_.path, test.source->text);
        if (!laboratory.empty()) html_.open("p", {{"class", "links"}}).link(laboratory, to_laboratory).close();
        html_.close().line_end();
    }

    // A list to read; the script makes a question of each line.
    void put_prediction(const TestPage& test) {
        html_.open("ul", {{"class", "predict"}});
        const auto put = [&](const std::string& what, bool can) {
            html_.open("li", {{"data-can", can ? "yes" : "no"}}).element("code", what).close();
        };
        if (goes_wrong(test)) {
            html_.open("li", {{"data-can", test.hazards.empty() ? "no" : "yes"}});
            html_.text("It goes wrong: a thread waits for ever, or something happens that is undefined.").close();
        } else {
            std::vector<const PageOutcome*> sorted;
            for (const PageOutcome& outcome : test.outcomes) sorted.push_back(&outcome);
            std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->values < b->values; });
            for (const PageOutcome* outcome : sorted) put(joined(outcome->values, "  "), outcome->standing != Standing::forbidden);
        }
        html_.close().line_end();
    }

    void put_outcomes(const TestPage& test) {
        if (test.outcomes.empty()) return put_verdict(test);
        html_.open("div", {{"class", "list"}});
        for (const PageOutcome& outcome : test.outcomes) put_outcome(html_, test, outcome, {page_.path, {}, false});
        html_.close().line_end();
        html_.element("p", {{"class", "hint"}},
                      "Each line opens: to an execution that ends so, or to the reason why none does, in the words of NVIDIA's manual.");
        html_.line_end();
    }

    void put_verdict(const TestPage& test) {
        put_conduct(html_, test.result);
        if (test.hazards.empty()) return;
        html_.open("ul");
        for (const PageHazard& hazard : test.hazards)
            html_.element("li", hazard_title(hazard.text) + ": " + joined(hazard.text.lines, "; "));
        html_.close().line_end();
    }

    // `reason`: the words, too.
    void put_explanation(const TestPage& test, const std::string& named, bool reason) {
        const bool by_hazard = named.empty() && goes_wrong(test) && !test.hazards.empty();
        const PageOutcome* outcome = by_hazard ? nullptr : outcome_of(test, named);
        if (by_hazard && test.hazards.front().figure) put_figure(html_, *test.hazards.front().figure);
        if (outcome != nullptr && outcome->figure) put_figure(html_, *outcome->figure);
        if (outcome != nullptr && outcome->why && reason) put_why(html_, *outcome->why);
        for (const std::string& line : reason&& outcome == nullptr ? test.impossible : std::vector<std::string>{})
            html_.element("p", line).line_end();
    }

    void put_repair(const TestPage& test) {
        if (!test.missing) return;
        html_.open("ul");
        std::istringstream lines(missing_text(*test.missing, {}));
        for (std::string line; std::getline(lines, line);) html_.element("li", line);
        html_.close().line_end();
    }

    void put_observed(const TestPage& test) {
        const auto ran = [](const RanOn& device) { return device.instances > 0; };
        if (std::none_of(test.devices.begin(), test.devices.end(), ran)) {
            html_.element("p", {{"class", "ran"}}, "No run on a GPU stands beside this report (--observed).").line_end();
            return;
        }
        html_.open("ul");
        for (size_t d = 0; d < test.devices.size(); ++d) {
            if (!ran(test.devices[d])) continue;
            html_.open("li").element("b", short_device(test.devices[d].device)).text(": ");
            for (const PageOutcome& outcome : test.outcomes) {
                if (d >= outcome.counts.size()) continue;
                html_.text(&outcome == &test.outcomes.front() ? "" : "; ").element("code", joined(outcome.values, " "));
                html_.text(" " + rate_text(outcome.counts[d], test.devices[d].instances));
            }
            html_.close();
        }
        html_.close().line_end();
    }

    void put_exercise(const Placeholder& what, const TestPage& broken, const TestPage* solved) {
        html_.element("p", "It can be done by " + in_words(what.edits) + ".").line_end();
        put_test(broken, "Repair it in the laboratory");
        html_.open("p", {{"class", "base"}}).text("The file: ").element("code", what.test).text(", in the folder of the library.");
        html_.close().line_end();
        html_.open("details", {{"class", "solution"}}).element("summary", "One way to repair it").line_end();
        if (solved != nullptr) put_test(*solved);
        html_.close().line_end();
    }

    void put_neighbours() {
        html_.open("nav", {{"class", "neighbours"}, {"aria-label", "Lessons before and after"}});
        if (page_.previous)
            html_.element("a", {{"rel", "prev"}, {"href", relative_to(page_.path, page_.previous->target)}}, page_.previous->text);
        if (page_.next) html_.element("a", {{"rel", "next"}, {"href", relative_to(page_.path, page_.next->target)}}, page_.next->text);
        html_.close().line_end();
    }

    const Site& site_;
    const LessonPage& page_;
    const Highlighter& highlighter_;
    Html html_;
};

}  // namespace

std::string lesson_page(const Site& site, const LessonPage& page, const Highlighter& highlighter) {
    const PageHead head{page.path, page.lesson->title + " - litmus", "Lessons", "lesson-page", page.lesson->about};
    return framed(site, head, LessonWriter(site, page, highlighter).run());
}

std::string article_page(const Site& site, const Link& part, const Article& article, const Highlighter& highlighter,
                         const std::function<std::string(const std::string& file)>& page_of) {
    const auto nothing = [](const std::string&) -> const TestPage* { return nullptr; };
    const LessonPage page{part.target, nullptr, {}, {}, nothing, page_of};
    const PageHead head{page.path, article.title + " - litmus", part.text, "lesson-page"};
    return framed(site, head, LessonWriter(site, page, highlighter).run(article));
}

std::string lessons_page(const Site& site, const std::vector<Lesson>& lessons, const std::vector<Link>& pages) {
    Html html;
    html.element("h1", "Lessons").line_end();
    html.element("p", {{"class", "doc"}},
                 "A course that starts from nothing: a test, a question, your guess, and the answer as the tool computes it.");
    html.element("p", {{"class", "start"}}, "New here? Start with the first; each builds on those before it.").line_end();
    html.line_end().open("ol", {{"class", "lessons"}});
    for (size_t i = 0; i < lessons.size(); ++i) {
        html.open("li", {{"data-lesson", lessons[i].name}}).link(pages[i].target, lessons[i].title);
        html.open("span", {{"class", "about"}});
        put_inline(html, lessons[i].about);
        html.close().close().line_end();
    }
    html.close().line_end();
    return framed(site, {"lessons.html", "Lessons - litmus", "Lessons", "lessons-page"}, html.take());
}

}  // namespace litmus
