// The reader of questions, and the questions of the library.
#include "view/page/questions.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

namespace litmus {

namespace fs = std::filesystem;

TEST_CASE("there are at least thirty questions, they name tests that exist, and no test is without one") {
    const std::string root = LITMUS_SOURCE_DIR "/litmus";
    const fs::path library = root;
    const std::vector<LibraryQuestion> questions = parse_questions(read_source(root + "/questions.md"));
    CHECK(questions.size() >= 30);
    std::set<std::string> folders;
    for (const LibraryQuestion& question : questions)
        for (const std::string& name : question.tests) {
            INFO("litmus/questions.md: ", question.text);
            const bool alone = question.tests.size() == 1 && name.back() == '/';
            if (alone) CHECK_MESSAGE(folders.insert(name).second, name, " has two questions");
            const bool there = name.back() == '/' ? fs::is_directory(library / name) : fs::is_regular_file(library / (name + ".litmus"));
            CHECK_MESSAGE(there, "there is no ", name);
        }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(library)) {
        if (entry.path().extension() != ".litmus") continue;
        const std::string folder = entry.path().parent_path().lexically_relative(library).generic_string() + "/";
        CHECK_MESSAGE(folders.count(folder) == 1, entry.path().filename().string(), ": no question about ", folder);
    }
}

TEST_CASE("a question has its heading, its tests and its answer") {
    const auto questions = parse_questions(make_source("litmus/questions.md",
                                                       "# Title\n\n| no row | `x` |\n\n| question | tests | |\n|---|---|---|\n"
                                                       "| *Clusters* | | |\n| Is `a | b` so? | `m/one`, `m/` | `no` |\n"
                                                       "\n| question | tests | |\n|---|---|---|\n| What of m? | `m/` | |\n"));
    REQUIRE(questions.size() == 2);
    CHECK(questions[0].heading == "Clusters");
    CHECK(questions[0].text == "Is `a | b` so?");
    CHECK(questions[0].tests == std::vector<std::string>{"m/one", "m/"});
    CHECK(questions[0].answer == "`no`");
    REQUIRE(about_folder(questions, "m") != nullptr);
    CHECK(about_folder(questions, "m")->text == "What of m?");
    CHECK(about_folder(questions, "n") == nullptr);
}

TEST_CASE("a row without a test, or with too few cells, is a mistake") {
    const auto read = [](const std::string& row) {
        return parse_questions(make_source("litmus/questions.md", "| a | b | |\n|---|---|---|\n" + row));
    };
    CHECK_THROWS_AS(read("| Why? | none | |\n"), Failure);
    CHECK_THROWS_AS(read("| Why? | `x` |\n"), Failure);
}

}  // namespace litmus
