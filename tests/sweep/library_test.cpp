// The sweep and the model on the library: where no other schedule can differ, they agree about races, undefined behaviour and waiting.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

#include "analysis/verdict/check.h"
#include "language/syntax/read.h"
#include "sweep/as_kernel.h"
#include "sweep/sweep.h"

using namespace litmus;

namespace {

// What goes wrong. Of an asynchronous access the model says that it races, or that it is undefined, or both.
struct Said {
    bool wrong = false, stuck = false;
    friend bool operator==(const Said&, const Said&) = default;
};

std::string text_of(const Said& said) {
    return said.wrong ? said.stuck ? "wrong, and stuck" : "wrong" : said.stuck ? "stuck" : "nothing";
}

Said said_of(const sweep::Swept& swept) {
    Said said;
    for (const sweep::Finding& finding : swept.findings) (finding.kind == sweep::Kind::stuck ? said.stuck : said.wrong) = true;
    return said;
}

Said said_of(const Hazards& hazards) {
    const bool races =
        std::any_of(hazards.found.begin(), hazards.found.end(), [](const Hazard& h) { return h.kind == Hazard::Kind::race; });
    return {races || hazards.undefined != Truth::no, hazards.blocked != Truth::no};
}

}  // namespace

TEST_CASE("the sweep and the model agree on the library") {
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(LITMUS_SOURCE_DIR "/litmus"))
        if (entry.path().extension() == ".litmus") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::map<std::string, size_t> refused;
    size_t agreed = 0, depends = 0, differ = 0;
    for (const auto& file : files)
        for (const Test& test : parse_tests(read_source(file.string()))) {
            sweep::Swept swept;
            try {
                const TestAsKernel kernel = as_kernel(test);
                swept = sweep::sweep(kernel.module, kernel.launch);
            } catch (const Failure& failure) {
                std::string why = failure.what();
                why = why.substr(0, why.find('\n'));
                for (const std::string mark : {" of block ", "error: "})
                    if (const size_t at = why.find(mark); at != std::string::npos) why = why.substr(at + mark.size());
                std::erase_if(why, [](char c) { return c >= '0' && c <= '9'; });
                ++refused[why.substr(0, 100)];
                continue;
            }
            const CheckedTest checked = check_test(file.string(), test, family, {}, solver);
            REQUIRE(checked.answer.hazards);
            const Said model = said_of(*checked.answer.hazards), sweep = said_of(swept);
            const bool by_schedule = !swept.conditions.empty() || std::any_of(swept.findings.begin(), swept.findings.end(),
                                                                              [](const auto& f) { return f.kind == sweep::Kind::phase; });
            if (model == sweep || (model.wrong && sweep.wrong) ||
                (model.stuck && sweep.stuck)) {  // after undefined behaviour nothing is said of who waits
                ++agreed;
            } else if (by_schedule) {
                ++depends;
            } else {
                ++differ;
                std::cout << file.string().substr(sizeof(LITMUS_SOURCE_DIR)) << ": model " << text_of(model) << "; sweep "
                          << text_of(sweep);
                for (const auto& finding : swept.findings) std::cout << " | " << finding.text;
                std::cout << "\n";
            }
        }
    std::cout << agreed << " agree, " << depends << " depend on the schedule, " << differ << " differ\n";
    for (const auto& [why, n] : refused) std::cout << n << " refused: " << why << "\n";
    CHECK(differ == 0);
}
