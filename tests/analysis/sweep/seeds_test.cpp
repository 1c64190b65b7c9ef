// Advice is a promise: kernels with one fault each (seeds.txt), and what the first finding of a sweep says of it. The test applies that
// advice as it stands. The kernel then has to be clean, to end, and to leave in memory what the right kernel leaves.
//
// LITMUS_SEEDS=NAME prints what the sweep says of the rows whose kernel or name has this in it, `all` of all rows.
#include "analysis/sweep/seeds.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "analysis/sweep/report.h"
#include "analysis/sweep/trial.h"
#include "kernel/arguments.h"
#include "kernel/kernel_table.h"
#include "kernel/program.h"
#include "kernel/read.h"

using namespace litmus;

namespace {

const std::filesystem::path folder_of_tests = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests";

kernel::Launch seeded_launch(const kernel::Module& module, const std::string& options) {
    return kernel::launch_of(module, launch_texts(options), [](const std::string&) { return std::string(); });
}

// "race @put @get": the kind of a finding, and the marks of the CUDA lines of its places; a line without a mark is a number.
std::string cause_of(const kernel::Module& module, const std::map<std::string, int>& marks, const sweep::Finding& finding) {
    std::string text = sweep_rules().at(static_cast<size_t>(finding.kind)).id;
    for (const sweep::Place& place : finding.places) {
        const int line = place.statement != nullptr ? kernel::shown_line(module, place.statement->origin).line : 0;
        const auto mark = std::find_if(marks.begin(), marks.end(), [&](const auto& one) { return one.second == line; });
        text += " " + (mark != marks.end() ? "@" + mark->first : std::to_string(line));
    }
    return text;
}

// The run of a kernel: the first thing that is wrong, and what it has left in memory.
struct RunOfSeed {
    std::string wrong;
    std::shared_ptr<const sweep::Left> left;
};

RunOfSeed run_of_seed(const kernel::Module& module, const std::string& launch) {
    try {
        sweep::Options how;
        how.leaves = true;
        sweep::Swept once = sweep::sweep(module, seeded_launch(module, launch), how);
        const sweep::Swept all = sweep::sweep_in_orders(module, seeded_launch(module, launch));
        if (!all.findings.empty()) return {all.findings.front().text, nullptr};
        if (!once.ended) return {"it does not end", nullptr};
        return {"", std::move(once.left)};
    } catch (const Failure& failure) {
        return {failure.what(), nullptr};
    }
}

// Whether all that the right kernel leaves is there: each byte that is computed and does not depend on the order.
bool does_its_work(const sweep::Left& right, const sweep::Left& now) {
    for (size_t a = 0; a < right.arrays.size(); ++a)
        for (size_t i = 0; i < right.arrays[a].bytes.size(); ++i)
            if (right.arrays[a].known[i] && !right.arrays[a].doubts.contains(i) &&
                (!now.arrays[a].known[i] || now.arrays[a].bytes[i] != right.arrays[a].bytes[i]))
                return false;
    return std::equal(
        right.written.begin(), right.written.end(), now.written.begin(), now.written.end(),
        [](const sweep::Part& a, const sweep::Part& b) { return a.object == b.object && a.begin == b.begin && a.end == b.end; });
}

enum class Applied : uint8_t { mends, harms, nothing_said };

const char* applied_text(Applied applied) {
    constexpr const char* names[] = {"mends", "harms", "none"};
    return names[static_cast<size_t>(applied)];
}

}  // namespace

TEST_CASE("what the first finding of a seeded fault says, applied") {
    const bool verbose = std::getenv("LITMUS_SEEDS") != nullptr;
    size_t rows = 0, causes = 0, mended = 0, harmed = 0;
    for (const SeededKernel& kernel : seeded_kernels()) {
        const std::string ptx = read_source((folder_of_tests / (kernel.path + ".ptx")).string())->text;
        const kernel::Module right = kernel::read_module(make_source("right.ptx", ptx));
        const RunOfSeed before = run_of_seed(right, kernel.launch);
        CAPTURE(kernel.path);
        REQUIRE(before.wrong == "");
        for (const Seed& seed : kernel.seeds) {
            if (verbose && std::string(std::getenv("LITMUS_SEEDS")) != "all" &&
                (kernel.path + " " + seed.name).find(std::getenv("LITMUS_SEEDS")) == std::string::npos)
                continue;
            CAPTURE(seed.name);
            ++rows;
            const std::string text = seed.edits.empty()
                                         ? read_source((folder_of_tests / (kernel.path + "." + seed.name + ".ptx")).string())->text
                                         : edited(ptx, seed.edits);
            const kernel::Module module = kernel::read_module(make_source("seed.ptx", text));
            ModelFamily family("ptx", {});
            Solver solver(Solver::usually, faster);
            const SweptKernel found = judge_sweep(module, seeded_launch(module, kernel.launch), {}, family, {}, solver);
            const std::string said = sweep_text(module, found);
            CAPTURE(said);
            std::string cause = "none", advice, mended_text, why;
            if (!found.findings.empty()) {
                const SweptFinding& first = found.findings.front();
                cause = cause_of(module, kernel.marks, first.finding);
                advice = first.advised.change;
                if (!first.advised.edits.empty()) mended_text = changed(module, first.advised.edits)->text;
            } else if (found.out_of_scope > 0) {
                cause = "narrow-wait";
                advice = found.narrow.change;
                if (!found.narrow.edits.empty()) mended_text = changed(module, found.narrow.edits)->text;
            }
            if (mended_text.empty() && !seed.apply.empty()) mended_text = edited(text, seed.apply);
            Applied applied = Applied::nothing_said;
            if (!mended_text.empty()) {
                const RunOfSeed after = run_of_seed(kernel::read_module(make_source("mended.ptx", mended_text)), kernel.launch);
                why = after.wrong;
                const bool mends = why.empty() && (seed.other_work || does_its_work(*before.left, *after.left));
                applied = mends ? Applied::mends : Applied::harms;
            }
            if (verbose)
                std::cout << "==== " << kernel.path << " " << seed.name << "\n"
                          << said << "-- cause " << cause << "; " << applied_text(applied) << " " << why << "\n";
            CHECK(cause == seed.cause);
            CHECK(advice.substr(0, seed.advice.size()) == seed.advice);
            CHECK(std::string(applied_text(applied)) == seed.applied);
            causes += seed.missed ? 0 : 1;
            mended += applied == Applied::mends ? 1 : 0;
            harmed += applied == Applied::harms ? 1 : 0;
        }
    }
    std::cout << rows << " seeds; the first finding is the cause of " << causes << ", its advice mends " << mended << " and harms "
              << harmed << "\n";
    if (verbose) return;
    CHECK(rows >= 80);
    CHECK(causes * 10 >= rows * 9);
    CHECK(mended * 100 >= rows * 94);
    CHECK(harmed == 0);
}
