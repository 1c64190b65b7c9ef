// A lesson as a page: its text, the reader's guess before the answer, and in the place of each placeholder what the tool found out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "view/page/lesson.h"
#include "view/page/test_page.h"

namespace litmus {

struct LessonPage {
    std::string path;  // from the site's root
    const Lesson* lesson = nullptr;
    std::optional<Link> previous, next;
    // What is known of a test, by its file from the library's root ("lessons/01-message-passing.litmus"); null: nothing.
    std::function<const TestPage*(const std::string& file)> about;
    // The page of another lesson, by the name of its file ("02-store-buffering.md"); empty: none.
    std::function<std::string(const std::string& file)> lesson_page;
};

std::string lesson_page(const Site& site, const LessonPage& page, const Highlighter& highlighter);

// A page of text, as `part` of the site. `page_of` is LessonPage::lesson_page.
std::string article_page(const Site& site, const Link& part, const Article& article, const Highlighter& highlighter,
                         const std::function<std::string(const std::string& file)>& page_of);

// The list of them, each with what one learns. Which of them a reader has done is remembered by his browser alone (page.js).
std::string lessons_page(const Site& site, const std::vector<Lesson>& lessons, const std::vector<Link>& pages);

}  // namespace litmus
