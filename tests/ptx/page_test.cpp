// model/instructions.md is what the table says. LITMUS_PROMOTE=1 rewrites it.
#include "ptx/page.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "ptx/table.h"

using namespace litmus;

namespace {

// "" where there is no such file.
std::string contents(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("the committed page is the generated one") {
    const std::string folder = LITMUS_SOURCE_DIR "/model/";
    const std::string page = instruction_page(contents(folder + "sentences.md"));
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
        CHECK_MESSAGE((computes || !meaning(*form.op).empty()), form.mnemonic);
    }
    CHECK(page.find("; left out: `.relaxed`") != std::string::npos);
    CHECK(page.find("; left out: `.gpu`") != std::string::npos);
    CHECK(page.find("redux.sync.op{.abs}{.NaN}.f32 d, a, membermask\n```\nPTX 8.6, sm_100a") != std::string::npos);
}
