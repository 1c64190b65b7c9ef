// The page that a reader opens first: the questions, and all tests with what narrows them down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "view/page/frame.h"
#include "view/page/questions.h"
#include "view/page/test_page.h"

namespace litmus {

// What the index says of one test.
struct IndexRow {
    Link page;
    std::string topic;  // its folder, "async/proxy-raw"
    std::string doc;
    std::string program;  // what it does, as name(Conduct::Kind) has it, or "error"
    std::string verdict;  // "ok"
    bool rests = false;   // on a reading
    bool observed = false;
    std::vector<std::string> instructions;  // mnemonics, each once
};

// A question with the pages that answer it.
struct IndexQuestion {
    const LibraryQuestion* question = nullptr;
    std::vector<Link> tests;  // a folder is a link to its place in the index
};

struct IndexPage {
    std::optional<Link> first_lesson;  // by its title; none: there are no lessons
    std::vector<IndexRow> rows;        // those of one topic together
    std::vector<LibraryQuestion> questions;
    std::vector<IndexQuestion> asked;  // about single tests; of `questions`
};

// The place of a topic on the index, "topic-async-proxy-raw".
std::string topic_anchor(const std::string& topic);
// That of a question, by its number among the page's.
std::string question_anchor(size_t number);

std::string index_page(const Site& site, const IndexPage& index);

}  // namespace litmus
