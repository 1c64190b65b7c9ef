// litmus/language.md is true: its examples are tests with the verdicts that stand beside them, and it has an example
// of every instruction that is modelled.
//
// An example is a fenced block whose first line is its format and its verdict: ```litmus ok. LITMUS_EXE is the executable.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "documents/repository.h"
#include "language/syntax/read.h"
#include "ptx/table.h"

namespace fs = std::filesystem;
using namespace litmus;

namespace {

struct Example {
    std::string format, verdict, text;
    int line = 0;  // of its first line in the page
};

std::vector<Example> examples() {
    std::vector<Example> found;
    std::istringstream page(documents::contents("litmus/language.md"));
    std::string line;
    bool open = false;
    for (int number = 1; std::getline(page, line); ++number) {
        if (line.rfind("```", 0) != 0) {
            if (open) found.back().text += line + "\n";
        } else if (open) {
            open = false;
            if (found.back().format == "cuda") found.pop_back();  // what the table of CUDA stands on
        } else {
            std::istringstream head(line.substr(3));
            Example example;
            head >> example.format >> example.verdict;
            example.line = number + 1;
            found.push_back(example);
            open = true;
        }
    }
    REQUIRE_FALSE(open);
    return found;
}

// The example as a file of its own, under the name that its format goes by.
std::string file_name(const Example& example) {
    return std::to_string(example.line) + (example.format == "braces" ? ".test" : ".litmus");
}

std::vector<Test> parsed(const Example& example) {
    return parse_tests(make_source("language.md:" + std::to_string(example.line), example.text));
}

// What `litmus check` says of each file in the folder.
std::map<std::string, std::string> verdicts(const fs::path& folder) {
    const std::string out = (folder / "out").string();
    const std::string command = "'" LITMUS_EXE "' check --format json '" + folder.string() + "' >'" + out + "' 2>&1 </dev/null";
    if (std::system(command.c_str()) == -1) throw std::runtime_error("cannot run litmus");
    std::map<std::string, std::string> found;
    std::ifstream lines(out);
    for (std::string line; std::getline(lines, line);) {
        const auto result = nlohmann::json::parse(line, nullptr, false);
        if (result.is_object() && result.contains("file"))
            found[fs::path(result["file"].get<std::string>()).filename().string()] = result["verdict"].get<std::string>();
    }
    return found;
}

// The names of the instructions of all examples in the native format.
std::set<std::string> shown(const std::vector<Example>& all) {
    std::set<std::string> names;
    for (const Example& example : all) {
        if (example.format != "litmus") continue;
        for (const Test& test : parsed(example))
            for (const Thread& thread : test.threads)
                for (const Instruction& instruction : thread.body) names.insert(instruction.mnemonic);
    }
    return names;
}

}  // namespace

TEST_CASE("every example has the verdict that stands beside it") {
    std::string pattern = (fs::temp_directory_path() / "litmus-language-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    const fs::path folder = pattern;
    const std::vector<Example> all = examples();
    CHECK(all.size() >= 25);
    std::set<std::string> seen;
    for (const Example& example : all) {
        INFO("litmus/language.md:", example.line);
        CHECK((example.format == "litmus" || example.format == "column" || example.format == "braces"));
        const std::vector<Test> tests = parsed(example);
        REQUIRE(tests.size() == 1);
        const Dialect dialect = example.format == "column"   ? Dialect::column
                                : example.format == "braces" ? Dialect::braces
                                                             : Dialect::native;
        CHECK(tests[0].dialect == dialect);
        CHECK_MESSAGE(seen.insert(tests[0].name).second, "two examples are named ", tests[0].name);
        std::ofstream(folder / file_name(example)) << example.text;
    }
    const auto found = verdicts(folder);
    fs::remove_all(folder);
    for (const Example& example : all) {
        INFO("litmus/language.md:", example.line);
        REQUIRE(found.count(file_name(example)) == 1);
        CHECK(found.at(file_name(example)) == example.verdict);
    }
}

TEST_CASE("every instruction that is modelled has an example") {
    const std::set<std::string> names = shown(examples());
    std::set<std::string> mnemonics;
    for (const Form& form : forms())
        if (form.op) mnemonics.insert(form.mnemonic);
    // `barrier` is the other spelling of `bar` (ISA 9.7.13.1): one of the two is enough
    for (const std::string& mnemonic : mnemonics) {
        const bool other = mnemonic.rfind("barrier.", 0) == 0 && names.count("bar." + mnemonic.substr(8)) > 0;
        CHECK_MESSAGE((names.count(mnemonic) > 0 || other), "no example of ", mnemonic);
    }
}
