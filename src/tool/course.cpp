// Lessons stand in the folder `lessons` of the library, in the order of their numbers.
#include "tool/course.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/own_files.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

constexpr size_t most_page_bytes = size_t{16} << 20;

bool is_lesson(const fs::path& file) {
    const std::string name = file.filename().string();
    return file.extension() == ".md" && std::isdigit(static_cast<unsigned char>(name.front())) != 0;
}

}  // namespace

std::vector<Lesson> read_course(const Shelf& shelf) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(shelf.root()) / "lessons", ignored))
        if (is_lesson(entry.path())) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Lesson> lessons;
    for (const fs::path& file : files) {
        Lesson lesson = parse_lesson(read_own(file.string(), file.parent_path().string(), most_page_bytes));
        if (shelf.find(lesson.test)) lessons.push_back(std::move(lesson));
    }
    return lessons;
}

std::optional<Article> read_page_on_compiling(const Shelf& shelf) {
    const fs::path file = fs::path(shelf.root()) / "compiled.md";
    std::error_code ignored;
    if (!shelf.find("async/ptxas/reload.litmus") || !fs::exists(file, ignored)) return std::nullopt;
    return parse_article(read_own(file.string(), shelf.root(), most_page_bytes));
}

std::map<std::string, bool> tests_of(const std::vector<Lesson>& lessons) {
    std::map<std::string, bool> tests;
    for (const Lesson& lesson : lessons)
        each_placeholder(lesson, [&](const Placeholder& placeholder) {
            bool& repaired = tests[placeholder.test];
            repaired = repaired || placeholder.kind == Placeholder::Kind::repair;
            if (!placeholder.solution.empty()) tests[placeholder.solution];
        });
    return tests;
}

}  // namespace litmus
