// The questions that a library of tests answers: a page of Markdown beside the tests (litmus/questions.md), of which the rows of its
// tables are read here.
//
//     | *Clusters* | | |                                                          a heading
//     | Is this fence needed? | `classic/mp/mp-relaxed`, `classic/mp/` | one each |   a question, the tests that answer it, the answer
//
// A test is named by its path from the page's folder, without `.litmus`; a name that ends in `/` stands for all tests of that folder.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"

namespace litmus {

struct LibraryQuestion {
    std::string heading;             // that it stands under
    std::string text;                // Markdown: code in backticks
    std::vector<std::string> tests;  // "classic/mp/mp-relaxed", "classic/mp/"
    std::string answer;              // Markdown; empty: none
    Span span;                       // of its row
};

// In the order of the page. Throws Failure for a row that has not three cells or names no test.
std::vector<LibraryQuestion> parse_questions(const SourcePtr& page);

// The question about a whole folder ("classic/mp"), by the first that names it alone; null: none.
const LibraryQuestion* about_folder(const std::vector<LibraryQuestion>& questions, const std::string& folder);

}  // namespace litmus
