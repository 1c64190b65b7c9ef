// The lessons of a report.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tool/shelf.h"
#include "view/page/lesson.h"

namespace litmus {

// The lessons whose own test is on the shelf, in their order: the files NN-name.md of the folder `lessons` below its root. Throws Failure
// for a mistake in one.
std::vector<Lesson> read_course(const Shelf& shelf);

// What ptxas does to the ordering of programs: compiled.md in the library; nothing where it, or the test that
// it begins with, is not here. Throws as parse_article() does.
std::optional<Article> read_page_on_compiling(const Shelf& shelf);

// The tests that they speak of, by their files from the shelf's root; true: a repair is told.
std::map<std::string, bool> tests_of(const std::vector<Lesson>& lessons);

}  // namespace litmus
