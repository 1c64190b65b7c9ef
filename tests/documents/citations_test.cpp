// What comments, documents and tests cite is there: documents and their sections, and sections of the ISA.
//
// model/sections.txt has the sections of PTX ISA 9.1, a number and its title on each line. Sections of other versions are
// not looked up: `PTX ISA 9.4, 8.8` names its version.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include "documents/repository.h"
#include "ptx/table.h"

namespace {

using documents::File;

std::vector<File> files() {
    std::vector<File> all = documents::files_below({"src", "tests", "model", "litmus"}, {".h", ".cpp", ".md", ".cat", ".litmus", ".cu"});
    for (const char* path : {"README.md", "CMakeLists.txt", "tests/CMakeLists.txt", "dev"})
        all.push_back({path, documents::contents(path)});
    return all;
}

// Those that have this text: a look for it is far quicker than for a regular expression.
std::vector<File> files_with(const std::string& text) {
    std::vector<File> all = files();
    std::erase_if(all, [&](const File& file) { return file.text.find(text) == std::string::npos; });
    return all;
}

// The text with the breaks between the lines of a comment or paragraph taken out.
std::string in_one_line(const std::string& text) {
    return std::regex_replace(text, std::regex("\n *(//|#|\\*)? *"), " ");
}

// The headings of a document: "2. Events", "Declarations".
std::set<std::string> headings(const std::string& path) {
    std::set<std::string> found;
    std::istringstream lines(documents::contents(path));
    for (std::string line; std::getline(lines, line);)
        if (line.rfind("## ", 0) == 0 || line.rfind("### ", 0) == 0) found.insert(line.substr(line.find(' ') + 1));
    return found;
}

std::vector<std::string> matches(const std::string& text, const std::regex& what, size_t group = 0) {
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), what), end; at != end; ++at) found.push_back((*at)[group]);
    return found;
}

std::map<std::string, std::string> isa_sections() {
    std::map<std::string, std::string> found;
    std::istringstream lines(documents::contents("model/sections.txt"));
    for (std::string line; std::getline(lines, line);) found[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
    return found;
}

}  // namespace

// From the root, from the folder of the file that names it, or from a folder that has documents.
TEST_CASE("a document that is named exists") {
    const std::regex name("([0-9]{2}-)?[A-Za-z_][A-Za-z_0-9./-]*\\.md\\b");
    size_t seen = 0;
    for (const File& file : files_with(".md")) {
        const std::string own = file.path.substr(0, file.path.rfind('/') + 1);
        for (const std::string& document : matches(file.text, name)) {
            if (document.rfind("NN-", 0) == 0) continue;  // how lessons are named
            ++seen;
            const std::vector<std::string> folders = {
                "", own, "model/", "model/sentences/", "litmus/", "litmus/lessons/", "src/editors/agents/litmus/"};
            const std::string installed = "share/litmus/agents/";  // from src/editors/agents
            const bool exists =
                std::any_of(folders.begin(), folders.end(), [&](const std::string& f) { return documents::exists(f + document); }) ||
                (document.rfind(installed, 0) == 0 && documents::exists("src/editors/agents/" + document.substr(installed.size())));
            CHECK_MESSAGE(exists, file.path, " names ", document);
        }
    }
    CHECK(seen > 40);
}

TEST_CASE("a section of model/semantics.md that is cited is one of its headings") {
    std::set<std::string> numbers;
    for (const std::string& heading : headings("model/semantics.md")) numbers.insert(heading.substr(0, heading.find('.')));
    CHECK(numbers.count("10") == 1);
    const std::regex citation("semantics\\.md,?`? sections? ([0-9]+(( to |, | and )[0-9]+)*)");
    size_t seen = 0;
    for (const File& file : files_with("semantics.md"))
        for (const std::string& list : matches(in_one_line(file.text), citation, 1))
            for (const std::string& number : matches(list, std::regex("[0-9]+"))) {
                ++seen;
                CHECK_MESSAGE(numbers.count(number) == 1, file.path, " cites section ", number);
            }
    CHECK(seen > 30);
}

TEST_CASE("a section of litmus/language.md that is cited is one of its headings") {
    const std::set<std::string> known = headings("litmus/language.md");
    size_t seen = 0;
    for (const File& file : files_with("language.md"))
        for (const std::string& title : matches(in_one_line(file.text), std::regex("language\\.md, \"([^\"]+)\""), 1)) {
            ++seen;
            CHECK_MESSAGE(known.count(title) == 1, file.path, " cites \"", title, "\"");
        }
    CHECK(seen > 2);
}

TEST_CASE("a section of the ISA that is cited is one of version 9.1") {
    const auto known = isa_sections();
    CHECK(known.size() > 500);
    const std::set<std::string> versions = {"6.0", "7.5", "9.1", "9.4"};
    // three numbers or more are a section wherever they stand, two after the word ISA
    const std::regex deep("(^|[^0-9.\\w])([0-9]+(\\.[0-9]+){2,})(?![0-9])");
    const std::regex shallow("ISA ([0-9]+\\.[0-9]+)(?![0-9.]*[0-9])");
    // a list that names an older or newer version first
    const std::regex other_version("PTX ISA (6\\.0|7\\.5|9\\.4),[^;\"\n]*");
    const std::regex other_standard("SARIF 2\\.1\\.0|sarif-2\\.1\\.0|\\\\?\"2\\.1\\.0\\\\?\"");
    const std::regex assembler("ptxas\\s+[0-9]+(\\.[0-9]+)+");
    size_t seen = 0;
    for (const File& file : files()) {
        if (file.path == "CMakeLists.txt" || file.path == "dev") continue;
        std::string text = file.text;
        for (const std::regex& other : {other_version, other_standard, assembler}) text = std::regex_replace(text, other, "");
        std::vector<std::string> cited = matches(text, deep, 2);
        for (const std::string& section : matches(text, shallow, 1))
            if (versions.count(section) == 0) cited.push_back(section);
        for (const std::string& section : cited) {
            ++seen;
            CHECK_MESSAGE(known.count(section) == 1, file.path, " cites ", section);
        }
    }
    CHECK(seen > 1500);
}

// Numbers move between versions; the title shows whether a row of the table has that of 9.1.
TEST_CASE("the section of a modelled form is about its instruction") {
    const auto known = isa_sections();
    for (const litmus::Form& form : litmus::forms()) {
        if (!form.op || form.section == "8.6") continue;  // surfaces, textures and constants have no page of their own
        REQUIRE_MESSAGE(known.count(form.section) == 1, form.box);
        const std::string name = form.mnemonic.substr(0, form.mnemonic.find('.'));
        CHECK_MESSAGE(known.at(form.section).find(name) != std::string::npos, form.mnemonic, " in \"", known.at(form.section), "\"");
    }
}
