// A lesson for the terminal, with all that the tool puts in.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cat/readings.h"
#include "tool/inputs.h"
#include "tool/observations.h"
#include "tool/options.h"
#include "view/page/lesson.h"
#include "view/page/test_page.h"

namespace litmus {

// Filled to the width, behind two blanks; what begins with a mark, "- ", hangs behind it.
std::string filled(const std::string& text, size_t width, const std::string& mark = {});

// What the test does, a line for each of its lines, with their numbers.
std::string listing(const Test& test);

// Lines, each behind two blanks; those that are wider than `width` are filled, with the blanks that they begin with.
std::string indented(const std::vector<std::string>& lines, size_t width);

class LessonText {
public:
    // `library`: the folder that the tests of lessons are named from, which has the folder `observed`. All outlive it.
    LessonText(std::filesystem::path library, ModelFamily& family, const TestOptions& options, size_t width);

    // A test of the library. Throws Failure where it cannot be read.
    const Input& input(const std::string& file);

    // Paragraphs, lists and tables. Of the question (`predict`) there is nothing, of an exercise what is to be done to which file.
    std::string text(const Blocks& blocks);

private:
    struct Studied {
        TestPage page;
        bool observed = false;  // with what GPUs did
    };
    const Studied& studied(const std::string& file, bool observed);
    std::string in_words(const Placeholder& wanted);
    std::vector<std::string> in_lines(const Placeholder& wanted);
    std::vector<std::string> outcomes(const Placeholder& wanted);
    std::vector<std::string> shown(const Placeholder& wanted);
    std::vector<std::string> verdict(const Placeholder& wanted);
    std::vector<std::string> observed(const Placeholder& wanted);
    std::vector<std::string> repair(const Placeholder& wanted);
    std::string line(const Pieces& pieces);
    std::string table(const Block& block);

    const std::filesystem::path library_;
    ModelFamily& family_;
    const TestOptions& options_;
    const size_t width_;
    std::map<std::string, Input> inputs_;
    std::map<std::string, Studied> studied_;
    std::unique_ptr<Observations> observations_;  // read when they are first asked for
};

}  // namespace litmus
