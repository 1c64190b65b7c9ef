// The colours of Vim and VS Code: Vim's own, character by character, are those of the grammar; VS Code's extension names files that are
// there. Without vim the first reports itself as skipped.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "documents/repository.h"
#include "view/page/grammar.h"

namespace fs = std::filesystem;

namespace {

// By the group of Vim how the scope begins.
const std::map<std::string, std::string> scope_of = {
    {"litmusOperator", "keyword.operator"},
    {"litmusName", "variable.other"},
    {"litmusThread", "entity.name.thread"},
    {"litmusLabel", "entity.name.label"},
    {"litmusQualifier", "storage.modifier"},
    {"litmusType", "storage.type"},
    {"litmusInstruction", "support.function"},
    {"litmusNumber", "constant.numeric"},
    {"litmusPlace", "constant.other.place"},
    {"litmusTarget", "constant.other.target"},
    {"litmusConstant", "constant.language"},
    {"litmusKeyword", "keyword."},
    {"litmusString", "string"},
    {"litmusComment", "comment"},
};

// For each file, a line for each of its lines with the group of each character, `-` for none.
const char* const script = R"(
set nocompatible
filetype on
syntax on
for file in readfile('files')
  execute 'edit' fnameescape(file)
  let out = []
  for l in range(1, line('$'))
    let groups = map(range(1, strlen(getline(g:l))), {i, c -> synIDattr(synID(g:l, c, 1), 'name')})
    call add(out, join(map(groups, {i, g -> g ==# '' ? '-' : g}), ' '))
  endfor
  call writefile(out, 'out', 'a')
endfor
qall!
)";

}  // namespace

TEST_CASE("Vim gives every character the colour that the grammar gives it") {
    if (std::system("vim --version 2>/dev/null | grep -q +syntax") != 0) {
        MESSAGE("skipped: no vim to read its syntax file");
        return;
    }
    std::string folder = (fs::temp_directory_path() / "litmus-vim-XXXXXX").string();
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    const std::vector<documents::File> library = documents::files_below({"litmus"}, {".litmus"});
    std::vector<const documents::File*> chosen;
    for (size_t i = 0; i < library.size(); i += 10) chosen.push_back(&library[i]);
    std::ofstream files(fs::path(folder) / "files");
    for (const documents::File* file : chosen) files << LITMUS_SOURCE_DIR "/" << file->path << "\n";
    files.close();
    std::ofstream(fs::path(folder) / "script.vim") << "set runtimepath^=" LITMUS_SOURCE_DIR "/src/editors/vim\n" << script;
    REQUIRE(std::system(("cd '" + folder + "' && vim -es -u NONE -i NONE -n -S script.vim </dev/null >log 2>&1").c_str()) == 0);

    const std::vector<grammar::Rule> rules = grammar::rules();
    std::ifstream out(fs::path(folder) / "out");
    for (const documents::File* file : chosen) {
        const std::vector<std::string> scopes = grammar::scopes(rules, file->text);
        std::istringstream text(file->text);
        size_t at = 0;
        int number = 0;
        for (std::string line, groups; std::getline(text, line); at += line.size() + 1) {
            REQUIRE(std::getline(out, groups));
            std::istringstream words(groups);
            std::string group;
            INFO(file->path, ":", ++number, ": ", line);
            for (size_t i = 0; i < line.size() && words >> group; ++i) {
                const std::string wanted = group == "-" ? "" : scope_of.at(group);
                const bool same = line[i] == ' ' || (wanted.empty() ? scopes[at + i].empty() : scopes[at + i].rfind(wanted, 0) == 0);
                if (!same) FAIL_CHECK("column ", i + 1, ": ", group, " in Vim, ", scopes[at + i], " in the grammar");
                if (!same) break;
            }
        }
    }
    CHECK(chosen.size() > 100);
    fs::remove_all(folder);
}

TEST_CASE("the extension of VS Code names files that are installed with it") {
    const auto package = nlohmann::json::parse(documents::contents("src/editors/vscode/package.json"));
    const auto& contributes = package.at("contributes");
    CHECK(contributes.at("grammars")[0].at("path") == "./litmus.tmLanguage.json");
    const auto grammar = nlohmann::json::parse(documents::contents("src/view/page/litmus.tmLanguage.json"));
    CHECK(contributes.at("grammars")[0].at("scopeName") == grammar.at("scopeName"));
    CHECK(contributes.at("languages")[0].at("configuration") == "./language-configuration.json");
    CHECK_FALSE(nlohmann::json::parse(documents::contents("src/editors/vscode/language-configuration.json")).empty());
}
