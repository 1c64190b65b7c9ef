// Every test of the library that `repairs` another: is what it adds among the repairs of the other?
//
// `repair_pairs DIR [NAME...]` prints a line for each pair and the sums. Of what the mended test adds, only a smallest part that
// repairs counts: the rest lets it observe more. It is found when one of the cheapest repairs takes the same steps in the same
// threads, or weaker ones: `first`; or one of all repairs: `later`.
#include <algorithm>
#include <cstdio>
#include <set>

#include "pairs.h"
#include "repair/missing.h"
#include "syntax/read.h"

using namespace repair_pairs;

namespace {

bool among(const Repairs& r, const Test& bug, const Test& mended, const std::optional<Needed>& steps) {
    return std::any_of(r.repairs.begin(), r.repairs.end(), [&](const Repair& repair) {
        const Test repaired = parse_tests(make_source("r", repair.text)).front();
        return (repaired.threads == mended.threads && repaired.locations == mended.locations) || (steps && takes(bug, repaired, *steps));
    });
}

std::string shown(const Test& test, const Repairs& r, const Repair& repair) {
    std::string text = std::to_string(repair.price) + (repair.under_weakest.value_or(false) ? " " : " (not under weakest) ");
    for (const size_t e : repair.edits)
        text += " | " + std::string(row(r.edits[e].fault).name) + ": " + missing_of(test, r.edits[e]).sentence;
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    const std::map<std::string, Test> tests = tests_below(argv[1]);
    const std::set<std::string> only(argv + 2, argv + argc);
    ModelFamily family("ptx", {});
    const auto on = readings_of(family.by_default(), Reading::Base::default_);
    std::map<std::string, int> sums;
    std::vector<double> times;
    for (const auto& [name, mended] : tests) {
        if (mended.repairs.empty()) continue;
        const Test& bug = tests.at(mended.repairs);
        if (!only.empty() && only.count(name) == 0 && only.count(bug.name) == 0) continue;
        Solver solver(Solver::usually, has_cadical ? Engine::cadical : Engine::z3);
        const double start = now();
        const Repairs r = repair(bug, family, on, solver, {.max_edits = 2, .budget = Budget(25)});
        times.push_back(now() - start);
        std::optional<Needed> steps;
        std::string verdict = "nothing";
        if (r.goal) {
            steps = needed(bug, mended, *r.goal, family.under(on), solver);
            verdict = among(r, bug, mended, steps) ? "first" : "";
            if (verdict.empty()) {
                const Repairs all = repair(bug, family, on, solver, {.max_edits = 2, .all = true, .budget = Budget(10)});
                verdict = among(all, bug, mended, steps) ? "later" : !steps ? "no-part" : r.repairs.empty() ? "none" : "other";
            }
        }
        ++sums[verdict];
        std::printf("%-8s %-40s %-40s %5.2f s, %zu edits, asked %zu, carried %zu, %zu repairs%s\n", verdict.c_str(), bug.name.c_str(),
                    name.c_str(), times.back(), r.edits.size(), r.asked, r.carried, r.repairs.size(),
                    r.status == Repairs::Status::partial ? " PARTIAL" : "");
        if (verdict != "first") {
            std::printf("      known:%s\n", steps ? steps->text.c_str() : "");
            for (size_t i = 0; i < std::min<size_t>(r.repairs.size(), 3); ++i)
                std::printf("      %s\n", shown(bug, r, r.repairs[i]).c_str());
        }
        std::fflush(stdout);
    }
    std::sort(times.begin(), times.end());
    for (const auto& [verdict, count] : sums) std::printf("%s %d\n", verdict.c_str(), count);
    std::printf("%zu pairs; median %.3f s, worst %.3f s\n", times.size(), times[times.size() / 2], times.back());
    return 0;
}
