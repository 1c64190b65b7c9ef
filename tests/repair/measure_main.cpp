// Repair and weaken over a whole library.
//
//     repair_measure pairs DIR [NAME...]    every test that `repairs` another: is what it adds among the repairs of the other? A line for
//     each
//                                           pair and the sums. Of what the mended test adds, only a smallest part that repairs counts: the
//                                           rest lets it observe more. `first`: one of the cheapest repairs takes the same steps in the
//                                           same threads, or weaker ones; `later`: one of all repairs does; `kind`: the best one is of the
//                                           same kind at least
//     repair_measure patches DIR            the cheapest repairs of every test that has something to repair, through the naive front end
//     repair_measure weaken DIR             what weaken leaves out of every test, through the naive front end
//
// Exit status 1 where the naive front end, which chooses executions without a solver, refutes an edit.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>

#include "explain/verdict.h"
#include "pairs.h"
#include "pipeline.h"
#include "repair/missing.h"
#include "repair/weaken.h"
#include "syntax/read.h"

using namespace repair_pairs;

namespace {

// The first repair that is the known one, or as little of it.
const Repair* known_among(const Repairs& r, const Test& bug, const Test& mended, const std::optional<Needed>& known) {
    for (const Repair& repair : r.repairs) {
        const Test repaired = parse_tests(make_source("r", repair.text)).front();
        if ((repaired.threads == mended.threads && repaired.locations == mended.locations) || (known && takes(bug, repaired, *known)))
            return &repair;
    }
    return nullptr;
}

std::multiset<Fault> kinds(const Repairs& r, const Repair& repair) {
    std::multiset<Fault> result;
    for (const size_t e : repair.edits) result.insert(r.edits[e].fault);
    return result;
}

std::string shown(const Test& test, const Repairs& r, const Repair& repair) {
    std::string text = std::to_string(repair.price) + (repair.under_weakest.value_or(false) ? " " : " (not under weakest) ");
    for (const size_t e : repair.edits)
        text += " | " + std::string(row(r.edits[e].fault).name) + ": " + missing_of(test, r.edits[e]).sentence;
    return text;
}

Solver fresh_solver() {
    return Solver(Solver::usually, faster);
}

// What the naive front end makes of a text.
struct Naive {
    int compared = 0, not_known = 0, refuted = 0;

    void compare(const std::string& name, const std::string& text, const Model& model) {
        try {
            Solver solver;
            const Test test = parse_tests(make_source(name, text)).front();
            const auto difference = litmus::naive::compare(solver, test, {&model}, {}).difference;
            ++compared;
            if (!difference) return;
            ++refuted;
            std::printf("%s: %s\n%s\n", name.c_str(), difference->c_str(), text.c_str());
        } catch (const litmus::naive::Unsupported&) {
            ++not_known;
        }
    }
    int finish() const {
        std::printf("%d compared, %d too large or not known to the naive front end, %d refuted\n", compared, not_known, refuted);
        return refuted > 0 ? 1 : 0;
    }
};

int measure_patches(const std::map<std::string, Test>& tests) {
    ModelFamily family("ptx", {});
    const auto on = readings_of(family.by_default(), Reading::Base::default_);
    Naive naive;
    int repaired = 0, none = 0, partial = 0;
    std::vector<double> times;
    for (const auto& [name, test] : tests) {
        Solver solver = fresh_solver();
        const double start = now();
        const Repairs found = repair(test, family, on, solver, {.budget = Budget(30)});
        if (!found.goal) continue;
        times.push_back(now() - start);
        (found.repairs.empty() ? none : repaired) += 1;
        partial += found.status == Repairs::Status::partial ? 1 : 0;
        for (const Repair& repair : found.repairs) naive.compare(name, repair.text, family.under(on));
    }
    std::sort(times.begin(), times.end());
    std::printf("%d repaired, %d not, %d partial; median %.3f s, worst %.3f s\n", repaired, none, partial, times[times.size() / 2],
                times.back());
    return naive.finish();
}

int measure_weaken(const std::map<std::string, Test>& tests) {
    ModelFamily family("ptx", {});
    const auto on = readings_of(family.by_default(), Reading::Base::default_);
    Naive naive;
    size_t parts = 0, free = 0, needed_parts = 0, partial = 0, broken = 0;
    std::vector<double> times;
    for (const auto& [name, test] : tests) {
        Solver solver = fresh_solver();
        const double start = now();
        const Weakening found = weaken(test, family, on, solver, {.budget = Budget(30)});
        times.push_back(now() - start);
        partial += found.partial ? 1 : 0;
        for (const Part& part : found.parts) {
            ++parts;
            free += part.way ? 1 : 0;
            needed_parts += part.fate == Part::Fate::needed ? 1 : 0;
        }
        for (const std::string& text : found.texts) {
            naive.compare(name, text, family.under(on));
            // What the test claims holds as it did.
            const auto verdict = [&](const Test& t) {
                Program program = build_program(t, {.unroll = 2, .blocked = true, .budget = Budget(30)});
                SolveOptions wanted;
                wanted.want_outcomes = false;
                return judge(t, solver.solve(program, family.under(on), wanted)).verdict;
            };
            if (verdict(test) != verdict(parse_tests(make_source(name, text)).front()))
                ++broken, std::printf("%s has another verdict:\n%s\n", name.c_str(), text.c_str());
        }
    }
    std::sort(times.begin(), times.end());
    std::printf(
        "%zu tests, %zu parts: %zu can go or be weaker, %zu needed; %zu tests partial; median %.3f s, worst %.3f s; %zu verdicts changed\n",
        tests.size(), parts, free, needed_parts, partial, times[times.size() / 2], times.back(), broken);
    return std::max(naive.finish(), broken > 0 ? 1 : 0);
}

// Why the known repair is not among the cheapest: lines MENDED TEST | REASON of tests/repair/known.txt.
std::map<std::string, std::string> known_reasons() {
    std::map<std::string, std::string> result;
    std::ifstream file(std::string(LITMUS_SOURCE_DIR) + "/tests/repair/known.txt");
    for (std::string line; std::getline(file, line);)
        if (const size_t bar = line.find(" | "); bar != std::string::npos && line[0] != '#')
            result[line.substr(0, bar)] = line.substr(bar + 3);
    return result;
}

int measure_pairs(const std::map<std::string, Test>& tests, const std::set<std::string>& only) {
    const std::map<std::string, std::string> reasons = known_reasons();
    ModelFamily family("ptx", {});
    const auto on = readings_of(family.by_default(), Reading::Base::default_);
    std::map<std::string, int> sums;
    std::vector<double> times;
    for (const auto& [name, mended] : tests) {
        if (mended.repairs.empty()) continue;
        const Test& bug = tests.at(mended.repairs);
        if (!only.empty() && only.count(name) == 0 && only.count(bug.name) == 0) continue;
        Solver solver = fresh_solver();
        const double start = now();
        const Repairs r = repair(bug, family, on, solver, {.max_edits = 2, .budget = Budget(25)});
        times.push_back(now() - start);
        std::optional<Needed> steps;
        std::string verdict = "nothing";
        if (r.goal) {
            steps = needed(bug, mended, *r.goal, family.under(on), solver);
            const Repair* known = known_among(r, bug, mended, steps);
            verdict = known != nullptr ? "first" : "";
            if (known != nullptr && known == &r.repairs.front()) ++sums["(the best is the known one)"];
            if (known != nullptr && kinds(r, *known) == kinds(r, r.repairs.front())) ++sums["(the best is of its kind)"];
            if (verdict.empty()) {
                const Repairs all = repair(bug, family, on, solver, {.max_edits = 2, .all = true, .budget = Budget(10)});
                const std::vector<std::string> weakest = readings_of(family.by_default(), Reading::Base::weakest);
                const Repairs without = repair(bug, family, weakest, solver, {.max_edits = 2, .budget = Budget(25)});
                const std::optional<Needed> more =
                    without.goal ? needed(bug, mended, *without.goal, family.under(weakest), solver) : std::nullopt;
                verdict = known_among(without, bug, mended, more) != nullptr ? "first under weakest"
                          : known_among(all, bug, mended, steps) != nullptr  ? "later"
                          : !steps                                           ? "no-part"
                          : r.repairs.empty()                                ? "none"
                                                                             : "other";
            }
        }
        ++sums[verdict];
        std::printf("%-8s %-40s %-40s %5.2f s, %zu edits, asked %zu, carried %zu, %zu repairs%s\n", verdict.c_str(), bug.name.c_str(),
                    name.c_str(), times.back(), r.edits.size(), r.asked, r.carried, r.repairs.size(),
                    r.status == Repairs::Status::partial ? " PARTIAL" : "");
        const auto reason = reasons.find(name);
        if (verdict != "first" && reason == reasons.end()) ++sums["(without a reason)"];
        if (verdict == "first" && reason != reasons.end()) ++sums["(found, with a reason why not)"];
        if (verdict != "first") {
            if (reason != reasons.end()) std::printf("      %s\n", reason->second.c_str());
            std::printf("      known:%s\n", steps ? steps->text.c_str() : "");
            for (size_t i = 0; i < std::min<size_t>(r.repairs.size(), 3); ++i)
                std::printf("      %s\n", shown(bug, r, r.repairs[i]).c_str());
        }
        std::fflush(stdout);
    }
    std::sort(times.begin(), times.end());
    for (const auto& [verdict, count] : sums) std::printf("%s %d\n", verdict.c_str(), count);
    std::printf("%zu pairs; median %.3f s, worst %.3f s\n", times.size(), times[times.size() / 2], times.back());
    return sums.count("(without a reason)") > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 2 ? argv[1] : "";
    if (what != "pairs" && what != "patches" && what != "weaken") {
        std::fputs("repair_measure pairs|patches|weaken DIR [NAME...]\n", stderr);
        return 2;
    }
    const std::map<std::string, Test> tests = tests_below(argv[2]);
    if (what == "pairs") return measure_pairs(tests, {argv + 3, argv + argc});
    return what == "patches" ? measure_patches(tests) : measure_weaken(tests);
}
