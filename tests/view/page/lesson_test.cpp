// The reader of lessons: what it makes of the parts of a text, and what it says of mistakes.
#include "view/page/lesson.h"

#include <doctest/doctest.h>

#include "documents/repository.h"

using namespace litmus;

namespace {

// The text of a line without marks; placeholders in braces, as written.
std::string plain(const Pieces& pieces) {
    std::string text;
    for (const Piece& piece : pieces) text += piece.kind == Piece::Kind::computed ? "{{" + piece.text + "}}" : piece.text;
    return text;
}

const std::string good = R"(# A title

> What one `learns`.

Some `code`, **strong** and *soft* words, [a link](02-store-buffering.md)
on two lines, {{can classic/mp/mp-weak}} inside.

{{test}}

- first
- second
  goes on

| a | b |
|---|---|
| `x` | {{can 01-a-fenced}} |

```sh
litmus check
```

## Question

{{predict}}

## Answer

{{outcomes}}

## Why

{{explain 01-a-fenced: P1:r0=1; P1:r1=0}}

## Exercise

{{exercise 01-a-broken 01-a-solved: change 2, add 1}}
)";

Lesson lesson_of(const std::string& text, const std::string& name = "litmus/lessons/01-message-passing.md") {
    return parse_lesson(make_source(name, text));
}

std::string replaced(const std::string& from, const std::string& to) {
    std::string text = good;
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
}

// All that is wrong with a text, as it is shown.
std::string errors(const std::string& text, const std::string& name = "01-message-passing.md") {
    try {
        lesson_of(text, name);
    } catch (const Failure& failure) {
        std::string all;
        for (const Diagnostic& diagnostic : failure.diagnostics()) all += render(diagnostic, false);
        return all;
    }
    return "";
}

// Whether each of these is among the errors of a text.
void expect_errors(const std::string& text, const std::vector<std::string>& parts, const std::string& name = "01-message-passing.md") {
    const std::string all = errors(text, name);
    for (const std::string& part : parts) CHECK_MESSAGE(all.find(part) != std::string::npos, part, " is not in: ", all);
}

}  // namespace

TEST_CASE("a lesson has a title, a text, a question, an answer, reasons and an exercise") {
    const Lesson lesson = lesson_of(good);
    CHECK(lesson.name == "01-message-passing");
    CHECK(lesson.number == 1);
    CHECK(lesson.title == "A title");
    CHECK(lesson.about == "What one `learns`.");
    CHECK(lesson.test == "lessons/01-message-passing.litmus");
    REQUIRE(lesson.text.size() == 5);
    CHECK(lesson.text[0].kind == Block::Kind::paragraph);
    CHECK(lesson.text[1].kind == Block::Kind::computed);
    CHECK(lesson.text[2].kind == Block::Kind::list);
    CHECK(lesson.text[3].kind == Block::Kind::table);
    CHECK(lesson.text[4].kind == Block::Kind::code);
    CHECK(lesson.text[4].text == "litmus check\n");
    CHECK(lesson.text[4].language == "sh");
    CHECK(lesson.question.size() == 1);
    CHECK(lesson.exercise.size() == 1);
}

TEST_CASE("the pieces of a line") {
    const Lesson lesson = lesson_of(good);
    const Pieces& pieces = lesson.text[0].rows[0][0];
    std::vector<Piece::Kind> kinds;
    for (const Piece& piece : pieces) kinds.push_back(piece.kind);
    using enum Piece::Kind;
    CHECK(kinds == std::vector<Piece::Kind>{text, code, text, strong, text, emphasis, text, link, text, computed, text});
    CHECK(pieces[7].target == "02-store-buffering.md");
    CHECK(pieces[9].placeholder->test == "classic/mp/mp-weak.litmus");
    CHECK(plain(pieces) == "Some code, strong and soft words, a link on two lines, {{can classic/mp/mp-weak}} inside.");
}

TEST_CASE("items go on over lines, and tables have their head first") {
    const Lesson lesson = lesson_of(good);
    REQUIRE(lesson.text[2].rows.size() == 2);
    CHECK(plain(lesson.text[2].rows[1][0]) == "second goes on");
    REQUIRE(lesson.text[3].rows.size() == 2);
    CHECK(plain(lesson.text[3].rows[0][1]) == "b");
    CHECK(lesson.text[3].rows[1][1].front().placeholder->test == "lessons/01-a-fenced.litmus");
}

TEST_CASE("placeholders name tests and outcomes") {
    const Lesson lesson = lesson_of(good);
    const Placeholder* explain = find_placeholder(lesson.why, Placeholder::Kind::explain);
    REQUIRE(explain != nullptr);
    CHECK(explain->outcome == "P1:r0=1; P1:r1=0");
    CHECK(explain->test == "lessons/01-a-fenced.litmus");
    const Placeholder* exercise = find_placeholder(lesson.exercise, Placeholder::Kind::exercise);
    REQUIRE(exercise != nullptr);
    CHECK(exercise->test == "lessons/01-a-broken.litmus");
    CHECK(exercise->solution == "lessons/01-a-solved.litmus");
    CHECK(exercise->edits == LineEdits{.changed = 2, .added = 1});
    CHECK(in_words(exercise->edits) == "changing two lines and adding one");
    CHECK(in_words({.removed = 1, .moved = 2}) == "removing one line and moving two");
    size_t count = 0;
    each_placeholder(lesson, [&](const Placeholder&) { ++count; });
    CHECK(count == 7);
}

TEST_CASE("mistakes are told at their place") {
    expect_errors(replaced("# A title", "A title"), {"01-message-passing.md:1:1: error: expected `# title`"});
    expect_errors(good, {"`NN-name.md`"}, "introduction");
    expect_errors(replaced("`code`", "`code"), {"01-message-passing.md:5:6: error: ``` is not closed on its line"});
    expect_errors(replaced("{{can 01-a-fenced}}", "{{cann 01-a-fenced}}"),
                  {"01-message-passing.md:16:", "no placeholder is called `cann`", "`can`"});
    expect_errors(replaced("{{test}}", "{{test: x=1}}"), {"takes no outcome"});
    expect_errors(replaced("{{test}}", "{{test a b}}"), {"takes one test"});
    expect_errors(replaced("01-a-broken 01-a-solved", "01-a-broken"), {"names a broken test and a solution"});
    expect_errors(replaced("> What one `learns`.\n", ""),
                  {"01-message-passing.md:4:1: error: expected `> ` and in a line what one learns"});
    expect_errors(replaced(": change 2, add 1", ""), {"an exercise says what is to be edited"});
    expect_errors(replaced("add 1", "mend 1"), {"expected a number of lines to `change`, `add`, `remove` or `move`"});
    expect_errors(replaced("add 1", "add some"), {"expected a number of lines"});
    expect_errors(replaced("## Why", "## Because"), {"01-message-passing.md:30:1", "expected `## Why`"});
    expect_errors(replaced("{{outcomes}}", ""), {"empty"});
    expect_errors(replaced("|---|---|", "| x | y |"), {"01-message-passing.md:15:1", "second row"});
    expect_errors(replaced("| `x` |", "| `x` | y |"), {"2 cells", "3"});
    expect_errors(replaced("check\n```", "check\n"), {"01-message-passing.md:18:1", "not closed"});
    expect_errors(good + "\n## More\n", {"expected the end of the lesson"});
}

TEST_CASE("a question asks, and an answer is computed") {
    expect_errors(replaced("{{predict}}", "Can it be?"), {"{{predict}}"});
    expect_errors(replaced("{{test}}", "Some text."), {"{{test}}"});
    expect_errors(replaced("{{outcomes}}", "Yes."), {"the answer is computed"});
    expect_errors(replaced("{{outcomes}}", "{{outcomes}}\n\nIt is `P1:r0=1`."), {"writes out an outcome"});
}

TEST_CASE("a page of text has a title and parts, and its mistakes are told at their lines") {
    const Article article =
        parse_article(make_source("page", "# Title\n\nBefore.\n\n## One\n\n| a | b |\n|---|---|\n| `c` | d |\n\n## Two\n"));
    CHECK(article.title == "Title");
    REQUIRE(article.parts.size() == 3);
    CHECK(article.parts[0].heading.empty());
    CHECK(plain(article.parts[0].blocks.at(0).rows.at(0).at(0)) == "Before.");
    CHECK(article.parts[1].heading == "One");
    CHECK(article.parts[1].blocks.at(0).rows.size() == 2);
    CHECK(article.parts[2].blocks.empty());
    CHECK_THROWS_AS(parse_article(make_source("page", "no title\n")), Failure);
    CHECK_THROWS_AS(parse_article(make_source("page", "# Title\n\na `mark\n")), Failure);
}

TEST_CASE("the page on what ptxas does can be read, and answers questions") {
    const Article article = parse_article(read_source(LITMUS_SOURCE_DIR "/litmus/compiled.md"));
    CHECK(article.title == "What ptxas does to your ordering");
    const auto questions =
        std::find_if(article.parts.begin(), article.parts.end(), [](const auto& part) { return part.heading == "Questions"; });
    REQUIRE(questions != article.parts.end());
    CHECK(questions->blocks.size() >= 8);
}
