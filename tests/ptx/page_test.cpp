// model/instructions.md is what the table says. LITMUS_PROMOTE=1 rewrites it.
#include "ptx/page.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "contents.h"
#include "ptx/table.h"
#include "ptx/traits.h"

using namespace litmus;

namespace {

// "" where there is no such file.
// The tables of model/sentences, each of a page or more: what each sentence says, and the tests that pin it.
std::string sentences() {
    std::string text = "# Sentences and the tests that pin them\n";
    std::set<std::filesystem::path> pages;
    for (const auto& entry : std::filesystem::directory_iterator(LITMUS_SOURCE_DIR "/model/sentences")) pages.insert(entry.path());
    for (const std::filesystem::path& page : pages) text += "\n" + contents(page.string());
    return text;
}

}  // namespace

TEST_CASE("the committed page is the generated one") {
    const std::string folder = LITMUS_SOURCE_DIR "/model/";
    const std::string page = instruction_page(sentences());
    if (std::getenv("LITMUS_PROMOTE")) std::ofstream(folder + "instructions.md") << page;
    CHECK_MESSAGE(contents(folder + "instructions.md") == page, "run test_ptx with LITMUS_PROMOTE=1 and look at the difference");
}

TEST_CASE("every modelled form stands on the page, and every operation with events says which") {
    const std::string page = instruction_page("the end");
    CHECK(page.substr(page.size() - 7) == "the end");
    for (const Form& form : forms()) {
        if (!form.op) continue;
        const std::string start = "```\n" + form.mnemonic_words[0];
        CHECK_MESSAGE(page.find(start) != std::string::npos, form.mnemonic);
        CHECK_MESSAGE(page.find("ISA " + form.section) != std::string::npos, form.section);
        const bool computes = form.section.rfind("9.7.1.", 0) == 0 || form.section.rfind("9.7.6.", 0) == 0 ||
                              form.section.rfind("9.7.8.", 0) == 0 || form.op == Op::cvt;
        CHECK_MESSAGE((computes || !traits(*form.op).events.empty()), form.mnemonic);
    }
    CHECK(page.find("; left out: `.relaxed`") != std::string::npos);
    CHECK(page.find("; left out: `.gpu`") != std::string::npos);
    CHECK(page.find("redux.sync.op{.abs}{.NaN}.f32 d, a, membermask\n```\nPTX 8.6, sm_100a") != std::string::npos);
}

TEST_CASE("the tests that the sentences name exist") {
    // the last column of each row: "completion/red-async-inc-wraps, bad/red-async-type, ptxas (differs); more"
    std::istringstream lines(sentences());
    const std::regex name("[a-z][a-z0-9-]*(/[A-Za-z0-9_.+-]+)+");
    size_t named = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("| ", 0) != 0) continue;
        line = line.substr(0, line.find_last_of('|'));
        const std::string last = line.substr(line.find_last_of('|') + 1);
        for (auto it = std::sregex_iterator(last.begin(), last.end(), name); it != std::sregex_iterator(); ++it) {
            const std::string path = it->str();
            const std::string top = path.substr(0, path.find('/'));
            if (top == "tests") continue;  // a folder of unit tests
            const std::string under = top == "bad" ? "tests/" : top == "values" || top == "classic" ? "litmus/" : "litmus/async/";
            CHECK_MESSAGE(std::filesystem::exists(LITMUS_SOURCE_DIR "/" + under + path + ".litmus"), path);
            ++named;
        }
    }
    CHECK(named >= 200);
}
