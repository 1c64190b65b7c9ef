// The sweep and the model on the library: where no other schedule can differ, they agree about races, undefined behaviour and waiting.
#include "sweep/sweep.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "analysis/verdict/check.h"
#include "analysis/verdict/hazards.h"
#include "language/syntax/read.h"
#include "random_async.h"
#include "random_program.h"
#include "sweep/against_model.h"
#include "sweep/as_kernel.h"
#include "sweep/deviations.h"
#include "turn.h"

using namespace litmus;

namespace {

// Where the sweep says something else than the model, and why.
const std::map<std::string, std::string> known = {
    {"war-mbarrier-branch-over-mov", "an operand counts as waited for, whatever the assembler makes of the branch"},
    {"war-mbarrier-branch-to-nothing", "likewise"},
    {"war-mbarrier-dead-store", "likewise"},
    {"war-mbarrier-stored-nothing-of-it", "likewise"},
    {"war-mbarrier-nc", "a load past the coherent caches is for the sweep what others are"},
};

// The same of random programs.
const std::map<std::string, std::string> known_random = {
    {"async-5031737203982234968",
     "a reduction that another one of the thread has read is taken to be on its way still when that is complete"},
    {"async-18215671633949894186", "copies that an mbarrier object has completed are in no group any more, for the sweep"},
    {"async-15607438096539839593", "a fence publishes for flags of its scope or less"},
    {"async-4843881855226626045", "the source of a multicast counts as read once the copies to all blocks are complete"},
    {"async-257870850253376063", "likewise"},
    {"async-15811472614104648339", "likewise"},
    {"words-7516441836579938336", "a compare-and-swap writes for the sweep, though its comparison never holds"},
};

struct Compared {
    size_t agreed = 0, by_schedule = 0;
    std::map<std::string, size_t> refused;
    std::set<std::string> differ;  // known ones, too
};

void compare(const std::string& file, const Test& test, ModelFamily& family, Solver& solver, Compared& tally) {
    if (grids_of(test).size() > 1) {
        ++tally.refused["several grids"];
        return;
    }
    sweep::Swept swept;
    try {
        const TestAsKernel kernel = as_kernel(test);
        sweep::Options how;
        how.gpus = kernel.gpus;
        how.compares_scopes = true;
        swept = sweep::sweep(kernel.module, kernel.launch, how);
        how.in_scope = false;
        if (swept.of_scopes_alone) CHECK_MESSAGE(sweep::sweep(kernel.module, kernel.launch, how).findings.empty(), test.name);
    } catch (const Failure& failure) {
        ++tally.refused[kind_of_refusal(failure.what())];
        return;
    }
    const CheckedTest checked = check_test(file, test, family, {}, solver);
    REQUIRE(checked.answer.hazards);
    const Judged model = judged(*checked.answer.hazards), all = judged(swept, false),
                 here = judged(swept, raises(*checked.answer.hazards, in_flight_at_exit));
    const Judged& sweep = model == here ? here : all;
    const bool by_schedule = !swept.conditions.empty() || std::any_of(swept.findings.begin(), swept.findings.end(),
                                                                      [](const auto& f) { return f.kind == sweep::Kind::phase; });
    if (agree(model, sweep)) {
        ++tally.agreed;
    } else if (by_schedule) {
        ++tally.by_schedule;
    } else {
        tally.differ.insert(test.name);
        std::string said;
        for (const auto& finding : swept.findings) said += " | " + finding.text;
        CAPTURE(said);
        CHECK_MESSAGE((known.contains(test.name) || known_random.contains(test.name)), file, " ", test.name, ": model ", text_of(model),
                      "; sweep ", text_of(sweep));
    }
}

void print(const Compared& tally) {
    size_t refused = 0;
    for (const auto& [why, n] : tally.refused) refused += n;
    std::cout << tally.agreed << " agree, " << tally.by_schedule << " depend on the schedule, " << tally.differ.size() << " differ, "
              << refused << " refused\n";
    if (std::getenv("LITMUS_VERBOSE") != nullptr)
        for (const auto& [why, n] : tally.refused) std::cout << n << " refused: " << why << "\n";
}

}  // namespace

TEST_CASE("the sweep and the model agree on the library") {
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(LITMUS_SOURCE_DIR "/litmus"))
        if (entry.path().extension() == ".litmus") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    const Turn turn;
    Compared tally;
    for (size_t f = 0; f < files.size(); ++f)
        if (turn.has(f))
            for (const Test& test : parse_tests(read_source(files[f].string()))) compare(files[f].string(), test, family, solver, tally);
    print(tally);
    CHECK(tally.agreed >= turn.share(1000));
    CHECK(tally.by_schedule <= 100);
    if (turn.whole())
        for (const auto& [name, why] : known) CHECK_MESSAGE(tally.differ.contains(name), name, " differs no more");
}

TEST_CASE("the sweep and the model agree on random asynchronous programs") {
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    const char* const asked = std::getenv("LITMUS_PROGRAMS");
    const uint64_t programs = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 300;
    Compared tally;
    for (uint64_t i = 0; i < programs; ++i) {
        const uint64_t seed = program_seed(32, i);
        const std::string text = random_async(seed, any_async_kind(seed));
        CAPTURE(text);
        for (const Test& test : parse_tests(make_source("random.litmus", text))) compare(std::to_string(i), test, family, solver, tally);
    }
    print(tally);
    CHECK(tally.agreed > programs / 4);
}

TEST_CASE("the deviations that a run of sweep_differential takes for known are stated") {
    const std::string page = read_source(LITMUS_SOURCE_DIR "/model/sweep.md")->text;
    for (const Deviation& one : deviations()) CHECK_MESSAGE(page.find("| " + one.name + " |") != std::string::npos, one.name);
}

TEST_CASE("one" * doctest::skip()) {
    for (const Test& test : parse_tests(read_source(std::getenv("LITMUS_ONE")))) {
        const TestAsKernel kernel = as_kernel(test);
        std::cout << kernel.ptx;
        sweep::Options how;
        how.gpus = kernel.gpus;
        const sweep::Swept swept = sweep::sweep(kernel.module, kernel.launch, how);
        for (const auto& f : swept.findings) std::cout << f.text << "\n";
        for (const auto& f : swept.conditions) std::cout << f << "\n";
    }
}
