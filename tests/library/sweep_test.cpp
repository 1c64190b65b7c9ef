// The sweep and the model on the library: where no other schedule can differ, they agree about races, undefined behaviour and waiting.
#include "sweep/sweep.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <set>

#include "analysis/verdict/check.h"
#include "analysis/verdict/hazards.h"
#include "language/syntax/read.h"
#include "ptx/operators.h"
#include "ptx/value.h"
#include "random_async.h"
#include "random_program.h"
#include "sweep/against_model.h"
#include "sweep/as_kernel.h"
#include "sweep/deviations.h"
#include "sweep/orders.h"
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
    {"async-4843881855226626045", "the source of a multicast counts as read once the copies to all blocks are complete"},
    {"async-257870850253376063", "likewise"},
    {"async-15811472614104648339", "likewise"},
};

struct Compared {
    size_t agreed = 0, by_schedule = 0;
    std::map<std::string, size_t> refused;
    std::set<std::string> differ;  // known ones, too
};

void compare_answers(const std::string& file, const Test& test, const sweep::Swept& swept, ModelFamily& family, Solver& solver,
                     Compared& tally) {
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

// All that is said of the launches is said of the test.
void compare_stream(const std::string& file, const Test& test, ModelFamily& family, Solver& solver, Compared& tally) {
    const std::vector<TestAsKernel> kernels = as_stream(test);
    std::vector<sweep::Started> started;
    for (const TestAsKernel& kernel : kernels) started.push_back({&kernel.module, &kernel.launch});
    sweep::Options how;
    how.gpus = kernels.front().gpus;
    sweep::Swept all;
    for (sweep::Streamed& one : sweep::sweep_stream(started, how)) {
        all.findings.insert(all.findings.end(), one.swept.findings.begin(), one.swept.findings.end());
        all.conditions.insert(all.conditions.end(), one.swept.conditions.begin(), one.swept.conditions.end());
    }
    compare_answers(file, test, all, family, solver, tally);
}

void compare(const std::string& file, const Test& test, ModelFamily& family, Solver& solver, Compared& tally) {
    sweep::Swept swept;
    try {
        if (grids_of(test).size() > 1) return compare_stream(file, test, family, solver, tally);
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
    compare_answers(file, test, swept, family, solver, tally);
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

TEST_CASE("what a run of sweep_differential has found differs no more") {
    const std::string stored_later =
        "test \"stored-later\"\n.global .u32 x = 1;\n.global .u32 o = 77;\n"
        "thread P0 @ cta0 {\n  atom.relaxed.cluster.global.xor.b32 _, [x], 4;\n}\n"
        "thread P1 @ cta1 {\n  atom.relaxed.cluster.global.xor.b32 r0, [x], 3;\n  setp.eq.u32 p, r0, 1;\n"
        "  @p st.weak.global.u32 [o], 1;\n  st.release.cluster.global.b32 [x], 1;\n}\n";
    const std::string read_and_gone =
        "test \"read-and-gone\"\n.shared.cta0 .u32 x = 1;\n"
        "thread P0 @ cta0 {\n  ld.relaxed.gpu.shared::cta.b32 r0, [x];\n}\n"
        "thread P1 @ cta1 {\n  red.relaxed.cluster.shared::cluster.min.u32 [x], 2;\n}\n";
    // A vector that is one access is in an order with scalars at each element, and these are in none with each other.
    const std::string vector_beside_scalars =
        "test \"vector-beside-scalars\"\n.global .u32 x[2] = 0;\n.global .u32 data = 0;\n"
        "thread P0 @ cta0 {\n  atom.relaxed.gpu.global.add.u32 r, [x], 1;\n  atom.relaxed.gpu.global.add.u32 s, [x+4], 1;\n}\n"
        "thread P1 @ cta1 {\n  ld.relaxed.gpu.global.v2.u32 {a, b}, [x];\n  setp.eq.u32 p, a, 0;\n  setp.eq.and.u32 p, b, 1, p;\n"
        "  @p st.weak.global.u32 [data], 1;\n}\n"
        "thread P2 @ cta2 {\n  st.weak.global.u32 [data], 3;\n}\n";
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    for (const auto& [text, kind] : {std::pair(stored_later, Comparison::Kind::clean), std::pair(read_and_gone, Comparison::Kind::found),
                                     std::pair(vector_beside_scalars, Comparison::Kind::conditional)}) {
        CAPTURE(text);
        const Comparison result = compare_with_model(parse_tests(make_source("found.litmus", text)).front(), family, solver);
        CHECK_MESSAGE(result.kind == kind, result.why);
    }
}

// An update of a word, as PTX on [x] and as what it makes of a value.
struct TestedUpdate {
    std::string text;
    std::function<uint64_t(uint64_t)> does;
};

// Two threads that update x, and a third one that waits for both and stores where a fourth thread stores if it finds this value.
std::string two_updates(const std::string& one, const std::string& other, uint64_t found) {
    const auto thread = [](const std::string& number, const std::string& body) {
        return "thread P" + number + " @ cluster" + number + ".cta" + number + " {\n" + body + "}\n";
    };
    const std::string done = ";\nred.release.gpu.global.add.u32 [f], 1;\n";
    return "test \"two-updates\"\n.global .u32 x = 6;\n.global .u32 f = 0;\n.global .u32 o = 0;\n" + thread("0", one + done) +
           thread("1", other + done) +
           thread("2", "await ld.acquire.gpu.global.u32 r0, [f] == 2;\nld.weak.global.u32 r1, [x];\nsetp.ne.u32 p, r1, " +
                           std::to_string(found) + ";\n@p bra END;\nst.weak.global.u32 [o], 1;\nEND:\n") +
           thread("3", "st.weak.global.u32 [o], 2;\n") + "racefree\n";
}

// All operations of the table that `atom` has on a word, stores and compare-and-swaps.
std::vector<TestedUpdate> tested_updates() {
    std::vector<TestedUpdate> updates = {{"st.relaxed.gpu.global.u32 [x], 9", [](uint64_t) { return 9; }},
                                         {"atom.relaxed.gpu.global.cas.b32 r9, [x], 6, 13", [](uint64_t x) { return x == 6 ? 13 : x; }},
                                         {"atom.relaxed.gpu.global.cas.b32 r9, [x], 5, 13", [](uint64_t x) { return x == 5 ? 13 : x; }}};
    for (const OperatorRow& row : operator_rows::all)
        for (const Type type : {Type::u32, Type::s32, Type::b32})
            for (const uint64_t operand : {uint64_t{5}, uint64_t{0xfffffffe}}) {
                const std::string text = "atom.relaxed.gpu.global." + std::string(row.name) + "." + std::string(name(type)) + " r9, [x], " +
                                         std::to_string(operand);
                try {
                    parse_tests(make_source("form.litmus", two_updates(text, text, 0)));
                } catch (const Failure&) {
                    continue;  // there is no such form
                }
                updates.push_back({text, [op = row.op, type, operand](uint64_t x) { return apply(op, type, x, operand).value(); }});
            }
    return updates;
}

TEST_CASE("the sweep and the model agree on two updates that are not ordered") {
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    const std::vector<TestedUpdate> updates = tested_updates();
    CHECK(updates.size() >= 25);
    const Turn turn(6);
    Compared tally;
    for (size_t pair = 0; pair < updates.size() * updates.size(); ++pair) {
        if (!turn.has(pair)) continue;
        const TestedUpdate &one = updates[pair / updates.size()], &other = updates[pair % updates.size()];
        // where the order decides, one of the two values is not that of the sweep's order
        for (const uint64_t found : std::set<uint64_t>{one.does(other.does(6)), other.does(one.does(6))}) {
            const std::string text = two_updates(one.text, other.text, found);
            CAPTURE(text);
            compare("two.litmus", parse_tests(make_source("two.litmus", text)).front(), family, solver, tally);
        }
    }
    print(tally);
    CHECK(tally.refused.empty());
    CHECK(tally.agreed > 50);
    CHECK(tally.by_schedule > 40);
}

// A stores to d and raises a flag, B updates the flag, and C waits for that and reads d. B and C stand in the block of A, in another one of
// its cluster, or in another cluster. Each of the three names a scope.
std::vector<std::string> chains() {
    const std::vector<std::string> raised = {
        "st.release.cta.global.u32 [f], 1;\n", "st.release.cluster.global.u32 [f], 1;\n", "st.release.gpu.global.u32 [f], 1;\n",
        "fence.acq_rel.cta;\nst.relaxed.gpu.global.u32 [f], 1;\n", "fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [f], 1;\n"};
    const std::vector<std::string> between = {
        "atom.relaxed.cta.global.add.u32 r1, [f], 1;\n",    "red.relaxed.cluster.global.add.u32 [f], 1;\n",
        "red.relaxed.gpu.global.add.u32 [f], 1;\n",         "atom.release.gpu.global.add.u32 r1, [f], 1;\n",
        "atom.relaxed.cta.global.cas.b32 r1, [f], 7, 8;\n", "fence.acq_rel.cta;\nst.relaxed.gpu.global.u32 [f], 2;\n"};
    const std::vector<std::string> awaited = {"ld.acquire.cta", "ld.acquire.cluster", "ld.acquire.gpu"};
    const std::vector<std::string> fences = {"fence.acq_rel.cta;\n", "fence.acq_rel.cluster;\n", "fence.acq_rel.gpu;\n"};
    const std::vector<std::string> places = {"cluster0.cta0.warp", "cluster0.cta1.warp", "cluster1.cta2.warp"};
    std::vector<std::string> tests;
    for (const std::string& raise : raised)
        for (const std::string& update : between)
            for (size_t middle = 0; middle < places.size(); ++middle)
                for (size_t last = 0; last < places.size(); ++last)
                    for (size_t wait = 0; wait < awaited.size() + fences.size(); ++wait) {
                        const bool fails = update.find("cas") != std::string::npos;  // then who waits cannot tell that it came
                        const std::string load = wait < awaited.size() ? awaited[wait] : "ld.relaxed.gpu";
                        tests.push_back(
                            "test \"chain\"\n.global .u32 d = 0;\n.global .u32 f = 0;\n.global .u32 g = 0;\nthread A @ " + places[0] +
                            "0 {\nst.weak.global.u32 [d], 1;\n" + raise + "}\nthread B @ " + places[middle] +
                            "1 {\nawait ld.acquire.gpu.global.u32 r0, [f] == 1;\n" + update + "}\nthread C @ " + places[last] +
                            "2 {\nawait " + load + ".global.u32 r0, [f] == " + (fails ? "1" : "2") + ";\n" +
                            (wait < awaited.size() ? "" : fences[wait - awaited.size()]) +
                            "ld.weak.global.u32 r1, [d];\n}\nthread D @ cluster1.cta3.warp0 {\nld.weak.global.u32 r0, [g];\n}\n" +
                            "racefree\n");
                    }
    return tests;
}

TEST_CASE("the sweep and the model agree on chains of releases") {
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    const std::vector<std::string> tests = chains();
    const Turn turn(6);
    Compared tally;
    for (size_t t = 0; t < tests.size(); ++t) {
        if (!turn.has(t)) continue;
        const std::string& text = tests[t];
        CAPTURE(text);
        compare("chain.litmus", parse_tests(make_source("chain.litmus", text)).front(), family, solver, tally);
    }
    print(tally);
    CHECK(tally.refused.empty());
    CHECK(tally.by_schedule == 0);
}

TEST_CASE("one" * doctest::skip()) {
    for (const Test& test : parse_tests(read_source(std::getenv("LITMUS_ONE")))) {
        const std::vector<TestAsKernel> kernels = as_stream(test);
        std::vector<sweep::Started> started;
        for (const TestAsKernel& kernel : kernels) {
            std::cout << kernel.ptx;
            started.push_back({&kernel.module, &kernel.launch});
        }
        sweep::Options how;
        how.gpus = kernels.front().gpus;
        for (const sweep::Streamed& one : sweep::sweep_stream(started, how)) {
            for (const auto& f : one.swept.findings) std::cout << f.text << "\n";
            for (const auto& f : one.swept.conditions) std::cout << f << "\n";
        }
    }
}
