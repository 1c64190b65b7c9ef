// A lesson of the course (litmus/lessons/), read from its text: what it says, and what the tool is to put in.
//
// The text is a small part of Markdown: a title, a line that says what it is about, four headed parts, paragraphs, lists, tables, fenced
// code; within a line `code`,
// **strong**, *emphasis*, [links](target) and placeholders {{word arguments}}. litmus/lessons/README.md says what each placeholder stands
// for. Nothing is computed here, and nothing is HTML.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace litmus {

// How many lines of a program are edited.
struct LineEdits {
    size_t changed = 0, added = 0, removed = 0, moved = 0;
    friend bool operator==(const LineEdits&, const LineEdits&) = default;
};
// "changing two lines and adding one".
std::string in_words(const LineEdits& edits);

// What the tool puts in. Alone in its paragraph it is a block, elsewhere some words.
struct Placeholder {
    enum class Kind : uint8_t {
        test,      // the source of the test
        predict,   // the reader is asked: of each final state, can it be? where the test claims none, does it go wrong?
        outcomes,  // the final states that can be
        verdict,   // what goes wrong, or that nothing does; and what that rests on
        can,       // yes or no: can the condition of the claim come true?
        explain,   // why the outcome cannot be, or the execution in which it comes about
        picture,   // that execution, or the one that breaks the claim, drawn
        repair,    // the cheapest repair
        observed,  // what GPUs did, out of litmus/observed
        readings,  // the readings of the ISA on which the verdict depends
        exercise,  // the test is broken: repair it; `solution` is one way, and differs by `edits`
    };
    Kind kind = Kind::test;
    std::string test = {};      // a file of the library, from its root: "lessons/01-message-passing.litmus"
    std::string solution = {};  // exercise: another
    std::string outcome = {};   // explain, picture: of which outcome, as --outcome takes it; empty: the claim decides
    LineEdits edits = {};       // exercise
    Span span = {};             // in the text of the lesson
};

// A piece of a line.
struct Piece {
    enum class Kind : uint8_t { text, code, strong, emphasis, link, computed };
    Kind kind = Kind::text;
    std::string text = {};                        // without its marks
    std::string target = {};                      // link
    std::optional<Placeholder> placeholder = {};  // computed
};
using Pieces = std::vector<Piece>;

struct Block {
    enum class Kind : uint8_t { paragraph, list, numbered, table, code, computed };
    Kind kind = Kind::paragraph;
    // A paragraph is one row of one cell, a list a row of one cell for each item, a table has its head first.
    std::vector<std::vector<Pieces>> rows = {};
    std::string text = {};                        // code: its lines
    std::string language = {};                    // code: what stands behind ```
    std::optional<Placeholder> placeholder = {};  // computed
};
using Blocks = std::vector<Block>;

struct Lesson {
    std::string name;  // of its file, without .md: "01-message-passing"
    int number = 0;    // 1
    std::string title;
    std::string about;  // in a line, with code in backticks: what one learns
    Blocks text;        // up to the question
    Blocks question, answer, why, exercise;
    std::string test;  // the lesson's own, as Placeholder::test
};

// Reads the file `NN-name.md`; a placeholder that names no test means `NN-name.litmus`. Throws Failure with every mistake, each at its
// line.
Lesson parse_lesson(const SourcePtr& source);

// A page of text that is no lesson: a title, and parts, each with its heading; that of the first is empty.
struct Article {
    struct Part {
        std::string heading;
        Blocks blocks;
    };
    std::string title;
    std::vector<Part> parts;
};

// Throws Failure as parse_lesson() does.
Article parse_article(const SourcePtr& source);

// Every placeholder of a lesson, in the order of its text.
void each_placeholder(const Lesson& lesson, const std::function<void(const Placeholder&)>& visit);

// The one of this kind that stands first; null where there is none.
const Placeholder* find_placeholder(const Blocks& blocks, Placeholder::Kind kind);

}  // namespace litmus
