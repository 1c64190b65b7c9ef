// Every test of the library that `repairs` another: is what it adds among the repairs of the other?
//
// `repair_pairs DIR [NAME...]` prints a line for each pair and the sums. A repair is the known one when the repaired text has the
// same threads and declarations as the mended test (exact), or when in every thread the same synchronization comes in and goes out,
// wherever in it (alike); loads and stores that a mended test adds to observe more are left aside.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "ptx/traits.h"
#include "repair/repair.h"
#include "syntax/read.h"

using namespace litmus;

namespace {

std::map<std::string, Test> tests_below(const std::string& folder) {
    std::map<std::string, Test> result;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".litmus") continue;
        Test test = parse_tests(read_source(entry.path().string())).front();
        result.emplace(test.name, std::move(test));
    }
    return result;
}

std::string meaning(const Instruction& i) {
    const Op op = i.op == Op::mbarrier_test_wait && i.await ? Op::mbarrier_try_wait : i.op;
    std::string text = std::to_string(static_cast<int>(op)) + " " + std::string(name(semantics(i))) + " " + std::string(name(scope(i)));
    if (i.op != Op::fence || i.has("mbarrier_init"))
        for (const std::string& q : i.qualifiers) text += "." + q;
    for (const Operand& operand : i.operands)
        text += " " + operand.name + "+" + std::to_string(operand.offset) + "@" + std::to_string(operand.cta) + "#" +
                std::to_string(operand.value);
    return text;
}

bool observes(const Instruction& i) {
    const Traits::Kind k = kind(i.op);
    const bool plain = (k == Traits::Kind::load || k == Traits::Kind::store) && semantics(i) == Sem::weak;
    return plain || k == Traits::Kind::arithmetic;
}

using Bag = std::multiset<std::string>;

// What comes in and what goes out, by thread.
std::pair<Bag, Bag> difference(const Test& before, const Test& after) {
    Bag in, out;
    for (size_t t = 0; t < std::max(before.threads.size(), after.threads.size()); ++t) {
        Bag a, b;
        if (t < before.threads.size())
            for (const Instruction& i : before.threads[t].body)
                if (!observes(i)) a.insert(std::to_string(t) + ":" + meaning(i));
        if (t < after.threads.size())
            for (const Instruction& i : after.threads[t].body)
                if (!observes(i)) b.insert(std::to_string(t) + ":" + meaning(i));
        std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::inserter(in, in.end()));
        std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
    }
    for (const Location& l : before.locations)
        if (l.is_mbarrier) out.insert(l.name + std::to_string(l.arrivals.value_or(0)));
    for (const Location& l : after.locations)
        if (l.is_mbarrier) in.insert(l.name + std::to_string(l.arrivals.value_or(0)));
    return {in, out};
}

std::string show(const Repairs& r, const Repair& repair, const Test& test) {
    std::string text;
    for (const size_t e : repair.edits) {
        const Place place = r.edits[e].place;
        text += (text.empty() ? "" : "; ") + std::string(row(r.edits[e].fault).name) + " " +
                (place.thread < 0 ? "" : test.threads[static_cast<size_t>(place.thread)].name) + ":" + std::to_string(place.instruction) +
                " " + r.edits[e].what;
    }
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    const std::map<std::string, Test> tests = tests_below(argv[1]);
    const std::set<std::string> only(argv + 2, argv + argc);
    ModelFamily family("ptx", {});
    const auto on = readings_of(family.by_default(), Reading::Base::default_);
    int pairs = 0, exact = 0, alike = 0, found = 0;
    std::vector<double> times;
    for (const auto& [name, mended] : tests) {
        if (mended.repairs.empty()) continue;
        const Test& bug = tests.at(mended.repairs);
        if (!only.empty() && only.count(name) == 0 && only.count(bug.name) == 0) continue;
        ++pairs;
        Solver solver;
        const double start = now();
        const Repairs r = repair(bug, family, on, solver, {.max_edits = 2, .budget = Budget(60)});
        const double seconds = now() - start;
        times.push_back(seconds);
        std::string verdict = r.status == Repairs::Status::nothing_to_repair ? "NOTHING" : r.repairs.empty() ? "NONE" : "other";
        if (r.status == Repairs::Status::partial) verdict += " PARTIAL";
        for (const Repair& repair : r.repairs) {
            const Test repaired = parse_tests(make_source("r", repair.text)).front();
            const bool same = repaired.threads == mended.threads && repaired.locations == mended.locations;
            if (same) verdict = "exact";
            const auto ours = difference(bug, repaired), known = difference(bug, mended);
            // What the mended test leaves out besides, our repair may keep.
            const bool less = std::includes(known.second.begin(), known.second.end(), ours.second.begin(), ours.second.end());
            if (!same && verdict != "exact" && ours.first == known.first && less) verdict = "alike";
        }
        exact += verdict == "exact", alike += verdict == "alike", found += !r.repairs.empty();
        std::printf("%-12s %-40s %-40s %5.2f s, %zu edits, asked %zu, carried %zu, %zu repairs\n", verdict.c_str(), bug.name.c_str(),
                    name.c_str(), seconds, r.edits.size(), r.asked, r.carried, r.repairs.size());
        if (verdict != "exact" && verdict != "alike")
            for (size_t i = 0; i < std::min<size_t>(r.repairs.size(), 4); ++i)
                std::printf("        %d: %s\n", r.repairs[i].price, show(r, r.repairs[i], bug).c_str());
        std::fflush(stdout);
    }
    std::sort(times.begin(), times.end());
    std::printf("%d pairs: %d exact, %d alike, %d repaired; median %.3f s, worst %.3f s\n", pairs, exact, alike, found,
                times[times.size() / 2], times.back());
    return 0;
}
