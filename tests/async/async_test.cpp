// The asynchronous model on whole tests: the library, its monotonicity in readings, and the worked examples.
//
// The examples stay outside the project, in ../shared/examples; the head of each says what it ends in under three bases
// of readings and which readings that depends on. Without them the case reports itself as skipped, or fails when
// LITMUS_REQUIRE names "examples".
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/verdict/hazards.h"
#include "analysis/verdict/reliance.h"
#include "analysis/verdict/verdict.h"
#include "cat/readings.h"
#include "language/syntax/read.h"
#include "solve/solve.h"
#include "turn.h"
#include "two_threads.h"

using namespace litmus;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_below(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".litmus") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

// ---- monotonicity --------------------------------------------------------------------------------

struct Found {
    bool decided = false;
    std::set<std::vector<uint64_t>> outcomes;
};

Found found_under(const Test& test, const Model& model, Solver& solver) {
    Program program = build_program(test, {});
    SolveOptions options;
    options.want_hazards = false;
    const Answer answer = solver.solve(program, model, options);
    Found found;
    found.decided = answer.complete;
    for (const Outcome& outcome : answer.outcomes) found.outcomes.insert(outcome.values);
    return found;
}

bool within(const Found& less, const Found& more) {
    return less.decided && more.decided &&
           std::includes(more.outcomes.begin(), more.outcomes.end(), less.outcomes.begin(), less.outcomes.end());
}

// What goes wrong with this test, in words; nothing when every reading only takes outcomes away.
std::string not_monotone(const Test& test, ModelFamily& family, Solver& solver) {
    const Model& model = family.by_default();
    const std::vector<std::string> weakest = readings_of(model, Reading::Base::weakest);
    const std::vector<std::string> strongest = readings_of(model, Reading::Base::strongest);
    const Found at_weakest = found_under(test, family.under(weakest), solver);
    const Found at_default = found_under(test, model, solver);
    const Found at_strongest = found_under(test, family.under(strongest), solver);
    if (!within(at_default, at_weakest)) return "default after weakest";
    if (!within(at_strongest, at_default)) return "strongest after default";
    if (at_strongest.outcomes == at_weakest.outcomes) return {};  // so is everything between
    for (const Reading& reading : model.readings) {
        std::vector<std::string> more = weakest, less = strongest;
        if (reading.base != Reading::Base::weakest) {
            more.push_back(reading.name);
            if (!within(found_under(test, family.under(more), solver), at_weakest)) return reading.name + " after weakest";
        }
        less.erase(std::remove(less.begin(), less.end(), reading.name), less.end());
        if (!within(at_strongest, found_under(test, family.under(less), solver))) return reading.name + " after all others";
    }
    return {};
}

// ---- worked examples -----------------------------------------------------------------------------

// "weakest=allowed default=forbidden strongest=forbidden" and "fence-cta | fence-path" from an example's head.
struct Pinned {
    std::string verdicts, depends;
};

Pinned pinned_of(const fs::path& file) {
    Pinned expected;
    std::ifstream in(file);
    std::string line;
    while (std::getline(in, line) && line.rfind("//", 0) == 0) {
        if (line.rfind("// expect: ", 0) == 0) expected.verdicts = line.substr(11);
        if (line.rfind("// depends: ", 0) == 0) expected.depends = line.substr(12);
    }
    return expected;
}

std::string verdict_in_words(const Test& test, const Model& model, Solver& solver) {
    Program program = build_program(test, {2, true});
    const Answer answer = solver.solve(program, model, {});
    const Verdict verdict = judge(test, answer).verdict;
    if (verdict == Verdict::undefined || verdict == Verdict::deadlock) return std::string(name(verdict));
    if (answer.satisfiable == Truth::unknown) return "unknown";
    return answer.satisfiable == Truth::yes ? "allowed" : "forbidden";
}

// The readings on which the verdict by default depends.
Dependence depends(const Test& test, ModelFamily& family, Solver& solver) {
    Program program = build_program(test, {2, true});
    const Answer answer = solver.solve(program, family.by_default(), {});
    const std::vector<std::string> on = readings_of(family.by_default(), Reading::Base::default_);
    const auto found = reliance({test, program}, family, on, "", answer, solver);
    return found ? found->depends : Dependence{};
}

std::string joined(const Dependence& depends) {
    if (depends.flips.empty()) return "none";
    std::string text;
    for (const std::vector<std::string>& set : depends.flips) {
        text += text.empty() ? "" : " | ";
        for (size_t i = 0; i < set.size(); ++i) text += (i == 0 ? "" : " + ") + set[i];
    }
    return text;
}

bool required() {
    const char* list = std::getenv("LITMUS_REQUIRE");
    return list != nullptr && ("," + std::string(list) + ",").find(",examples,") != std::string::npos;
}

}  // namespace

TEST_CASE("the library: switching a reading on never adds an outcome") {
    const std::vector<fs::path> files = files_below(fs::path(LITMUS_SOURCE_DIR) / "litmus" / "async");
    CHECK(files.size() >= 200);
    const Turn turn;
    ModelFamily family("ptx", {});
    std::mutex mutex;
    size_t tests = 0;
    each_on_two_threads(files.size(), [&](size_t i, Solver& solver) {
        if (!turn.has(i)) return;
        std::string wrong;
        try {
            for (const Test& test : parse_tests(read_source(files[i].string()))) wrong += not_monotone(test, family, solver);
        } catch (const std::exception& error) {
            wrong = error.what();
        }
        const std::lock_guard lock(mutex);
        ++tests;
        CHECK_MESSAGE(wrong.empty(), files[i].string(), ": ", wrong);
    });
    CHECK(tests >= turn.share(files.size()));
}

// The worst that the test claims of its executions, as a verdict.
Verdict claimed(const Test& test) {
    if (test.claims_undefined) return Verdict::undefined;
    if (test.claims_deadlock) return Verdict::deadlock;
    return test.claims_may_deadlock ? Verdict::may_deadlock : Verdict::ok;
}

TEST_CASE("the library: what a test claims to go wrong is found where nobody claims it") {
    const std::vector<fs::path> files = files_below(fs::path(LITMUS_SOURCE_DIR) / "litmus");
    const Model model = load_model("ptx", {}, Reading::Base::default_);
    std::mutex mutex;
    size_t tests = 0;
    each_on_two_threads(files.size(), [&](size_t i, Solver& solver) {
        for (Test& test : parse_tests(read_source(files[i].string()))) {
            const Verdict expected = claimed(test);
            if (expected == Verdict::ok) continue;
            test.claims_undefined = test.claims_deadlock = test.claims_may_deadlock = test.claims_racefree = false;
            Program program = build_program(test, {2, true});
            const Verdict verdict = judge(test, solver.solve(program, model, {})).verdict;
            const std::lock_guard lock(mutex);
            ++tests;
            CHECK_MESSAGE(verdict == expected, files[i].string(), ": ", name(verdict));
        }
    });
    CHECK(tests >= 170);
}

// Rules that small random programs hardly reach (tests/differential/async_mutations.cpp has the others): each is changed
// in the text of the model, and the test of the library that pins it must then fail.
TEST_CASE("the library tells a change of the rules that random programs do not reach") {
    struct Change {
        const char *test, *reading, *from, *to;
    };
    const std::string last = "then cause-base; proxy-fence; (leads-to & covered) else 0)\n\n// ---- 9.7.13.4";
    const std::string by_cta =
        "    | (if \"fence-cta\" then cause-base; proxy-fence; (leads-to & scta & covered) else 0)\n    | (if \"fence-path\" " + last;
    const std::string by_path = "    | (if \"fence-path\" " + last;
    const std::vector<Change> changes = {
        {"../classic/barriers/bar-arrive-producer", "weakest,-barrier-by-warp", "then 0 else syncbar & other-barrier", "then 0 else 0"},
        {"../classic/barriers/bar-arrive-producer", "weakest", "then 0 else syncbar & other-barrier",
         "then syncbar & other-barrier else 0"},
        {"phases/second-arrival-beats-the-wait", "default", "range((confirms & fr) \\ (fr; next-life))",
         "range(confirms \\ (fr; next-life))"},
        {"proxy-waw/waw-fence-pair-relaxed-mbarrier", "default", "    | po; [MB]; passes-on; returned; po\n", ""},
        {"pipelines/p5-pair-relayed", "weakest", "(cause-base?; relaxed-communication; cause-base?)",
         "(cause-base?; (po | observation)+; cause-base?)"},
        {"proxy-raw/raw-pair-through-third-thread", "weakest", "(cause-base?; relaxed-communication; cause-base?)",
         "relaxed-communication"},
        {"pipelines/p5-pair", "weakest", "let pair-released = po | ([ASYNC]; cause-base)", "let pair-released = po"},
        {"pipelines/p5-pair-peer", "weakest", "let pair-released = po | ([ASYNC]; cause-base)", "let pair-released = po"},
        {"official-examples/ex-try-cancel-loop", "weakest", "let pair-released = po | ([ASYNC]; cause-base)", "let pair-released = po"},
        {"helpers/try-cancel-other-cta", "default", "(range(failed) * CANCEL) & leads & scta", "(range(failed) * CANCEL) & leads"},
        {"helpers/try-cancel-multicast-unseen", "default", "(range(failed) * CANCEL) & leads & scta", "(range(failed) * CANCEL) & leads"},
        {"helpers/try-cancel-again-by-peer", "default", "(range(failed) * CANCEL) & leads & scta", "(range(failed) * CANCEL) & po"},
        {"helpers/try-cancel-pipelined", "default", "(range(failed) * CANCEL) & leads & scta", "(range(failed) * CANCEL) & scta"},
        {"helpers/try-cancel-again-if-cancelled", "default", "(range(failed) * CANCEL) & leads",
         "(range([C]; reaches; returned) * CANCEL) & leads"},
        {"helpers/try-cancel-earlier-phase", "default", "(range(failed) * CANCEL) & leads",
         "(range([C]; reaches; returned) * CANCEL) & leads"},
        {"helpers/query-cancel-mixed", "default", "queried \\ (rf^-1", "(queried & id) \\ (rf^-1"},
        {"helpers/query-cancel-early", "default", "(rf^-1; iss^-1; iss; rf)", "(rf^-1; ((iss^-1; iss) | (IW * IW)); rf)"},
        {"proxy-war/war-async-read-to-peer", "weakest", "[R & (GEN | ASYNC)]; after-read", "[R & GEN]; after-read"},
        {"multicast/mc-multiplied-then-refilled", "weakest", "[R & (GEN | ASYNC)]; after-read", "[R & GEN]; after-read"},
        {"multicast/mc-received-then-multiplied", "default", "then [PEER]; cause-base | cause-base; [PEER] else 0", "then 0 else 0"},
        {"tcgen05/tc-pair-loads", "default", "then [PEER]; cause-base | cause-base; [PEER] else 0", "then 0 else 0"},
        {"tensormap/map-relaxed-twice", "default", "(map-released | (map-published; core*))", "map-released"},
        {"tcgen05/tc-commit-waited-then-barrier", "weakest", "(reaches; returned; leads; [AFTER_SYNC])",
         "(reaches; returned; po; [AFTER_SYNC])"},
        {"proxy-waw/waw-async-async-second-fences", "weakest", "    | cause-base; proxy-fence; (leads-to & int & covered)\n", ""},
        {"proxy-waw/waw-async-async-other-thread-fences", "weakest,fence-cta", by_cta.c_str(), by_path.c_str()},
        {"proxy-waw/waw-async-async-first-fences", "weakest,fence-path", last.c_str(), "then 0 else 0)\n\n// ---- 9.7.13.4"},
        {"../classic/lb/lb-data", "strongest", "(if \"syntactic-dependencies\" then dependency else 0)",
         "(if \"syntactic-dependencies\" then 0 else 0)"},
        {"../classic/lb/lb-await-folded", "strongest", "(if \"syntactic-dependencies\" then dependency else 0)",
         "(if \"syntactic-dependencies\" then 0 else 0)"},
        {"not-published/loaded-address", "weakest,syntactic-dependencies", "(if \"syntactic-dependencies\" then dependency else 0)",
         "(if \"syntactic-dependencies\" then 0 else 0)"},
        {"bulk-copy/copy-loaded-address", "strongest", "(if \"syntactic-dependencies\" then dependency else 0)",
         "(if \"syntactic-dependencies\" then 0 else 0)"},
        {"cp-async/ca-loaded-address", "strongest", "(if \"syntactic-dependencies\" then dependency else 0)",
         "(if \"syntactic-dependencies\" then 0 else 0)"},
        {"cp-async/ca-arrive-loaded-address", "strongest", "(if \"syntactic-dependencies\" then dependency else 0)",
         "(if \"syntactic-dependencies\" then 0 else 0)"},
        {"proxy-war/war-mbarrier-stored", "default", "then (performed | (po; [ACQ_REL]) |", "then ((po; [ACQ_REL]) |"},
        {"proxy-war/war-mbarrier-fence-acq-rel", "default", "| (po; [ACQ_REL]) |", "|"},
        {"proxy-war/war-cp-async-completes", "weakest", " | (within; [C])); core*", "); core*"},
        {"proxy-war/war-mbarrier-unfenced", "default", "then (performed | (po; [ACQ_REL]) | (within; [C])); core*", "then within?; core*"},
        {"sync-restrict/proxy-fence-before-release", "default", "= issues | (core+; onward)", "= issues"},
        {"sync-restrict/proxy-fence-other-space", "default", "let admits = (free * _) | covers", "let admits = _ * _"},
        {"proxy-raw/raw-alias-both-fences", "default", "vloc | multimem-alias | (loc & (cause-base; [ALIAS]; cause-base))", "vloc"},
        {"proxy-raw/raw-alias-async-fence-only", "default", "vloc | multimem-alias | (loc & (cause-base; [ALIAS]; cause-base))", "loc"},
        {"init/declared-then-replaced", "default", "let initialised = (begins & cause-base) |", "let initialised = begins |"},
        {"init/init-of-an-earlier-life", "default", "let next-life = [INIT]; co?", "let next-life = 0"},
        {"init/earlier-life-confirms-nothing", "default", "let next-life = [INIT]; co?", "let next-life = 0"},
        {"init/second-init-not-ordered", "default", "let next-life = [INIT]; co?", "let next-life = [INIT]; co"},
        {"multimem/mm-signal-polled-by-address", "default", " | multimem-signal) & same-size", ") & same-size"},
        {"multimem/mm-red-beside-red", "default", " | multimem-signal) & same-size", ") & same-size"},
        {"multimem/mm-bulk-reduce-beside-bulk-reduce", "default", " | multimem-signal) & same-size", ") & same-size"},
        {"multimem/mm-broadcast", "default", "    | multimem-alias & (cause-base; [GEN])\n",
         "    | through-multimem & (cause-base; [GEN])\n"},
        {"multimem/mm-reduce-after-relaxed-spin", "default,multimem-uncached", "by-synchronization | (by-synchronization; uncached)",
         "by-synchronization"},
        {"multimem/mm-reduce-after-relaxed-spin-gpu-scope", "default,multimem-uncached", "(morally-strong & (release; observation))",
         "release; observation"},
        {"multimem/mm-reduce-after-relaxed-spin-relaxed-flag", "default,multimem-uncached", "(morally-strong & (release; observation))",
         "observation"},
        {"multimem/mm-reduce-after-relaxed-spin-restricted", "default,multimem-uncached", "then [free]; (morally-strong",
         "then (morally-strong"},
        {"multimem/mm-reduce-after-red", "default,multimem-uncached", "; [_ \\ RED]; po; [R & MULTIMEM]", "; po; [R & MULTIMEM]"},
        {"multimem/mm-store-after-relaxed-spin", "default,multimem-uncached", "po; [R & MULTIMEM] else 0", "po; [MULTIMEM] else 0"},
        {"multimem/mm-reduce-after-relaxed-spin-then-ld", "default,multimem-uncached", "po; [R & MULTIMEM] else 0", "po else 0"},
        {"tcgen05/tc-copy-then-copy-fence-before", "default,tensor-fence-orders", "[BEFORE_SYNC | AFTER_SYNC]", "[AFTER_SYNC]"},
        {"tcgen05/tc-copy-then-copy-commit", "default,tensor-fence-orders", "[BEFORE_SYNC | AFTER_SYNC]", "[AFTER_SYNC]"},
        {"tcgen05/tc-copy-then-copy-fence-after", "default,tensor-fence-orders", "[BEFORE_SYNC | AFTER_SYNC]", "[BEFORE_SYNC]"},
        {"tcgen05/tc-copy-then-copy-other-thread", "default,tensor-fence-orders", " | (executed \\ po)\n", "\n"},
        {"tcgen05/tc-copy-store-copy", "default,tensor-fence-orders", "(po; [BEFORE_SYNC | AFTER_SYNC]; po)", "(po; po)"},
        {"tcgen05/tc-copy-then-copy", "default,tensor-fence-orders", "[in-tensor-core]; fenced;", "[in-tensor-core]; executed;"},
        {"tcgen05/tc-other-thread-not-pipelined", "default,tensor-fence-orders", "fenced; [in-tensor-core]; iss", "fenced; iss"},
        {"tcgen05/tc-load-fence-multiply", "default,tensor-fence-orders", "iss^-1; [in-tensor-core]; fenced;", "iss^-1; fenced;"},
        {"tcgen05/tc-commit-publishes-no-store", "default,commit-carries", "then [BEFORE_SYNC]; iss else 0", "then 0 else 0"},
        {"tcgen05/tc-commit-publishes-nothing-acquired", "default,commit-carries", "then [BEFORE_SYNC]; iss else 0", "then 0 else 0"},
        {"helpers/try-cancel-relaxed-then-barrier", "default,completion-observed", "then morally-strong & ([C]; reaches; returned) else 0",
         "then 0 else 0"},
        {"completion/red-async-wait-relaxed", "weakest,completion-observed", "then morally-strong & ([C]; reaches; returned) else 0",
         "then 0 else 0"},
        {"../classic/lb/lb-await", "default", "let depends = decides | blocks", "let depends = decides"},
        {"../classic/coherence/reads-step-back-across-scopes", "default",
         "acyclic (morally-strong & (rf | co | fr)) | (po & vloc) | rmw as", "acyclic (morally-strong & co) | (po & vloc) | rmw as"},
        {"../classic/coherence/reads-step-back-past-two-writes", "default", "acyclic (morally-strong & (rf | co | fr))",
         "acyclic (morally-strong & (rf | fr))"},
        {"red-atom/async-addition-overwritten", "default", "(po & vloc) | rmw as sc-per-location", "(po & vloc) as sc-per-location"},
    };
    const std::string text = read_source(LITMUS_SOURCE_DIR "/model/ptx.cat")->text;
    Solver solver(Solver::usually, faster);
    for (const Change& change : changes) {
        INFO(std::string(change.test), ": ", std::string(change.from));
        const size_t at = text.find(change.from);
        REQUIRE(at != std::string::npos);
        std::string changed = text;
        changed.replace(at, std::string(change.from).size(), change.to);
        const std::vector<Test> tests = parse_tests(read_source(LITMUS_SOURCE_DIR "/litmus/async/" + std::string(change.test) + ".litmus"));
        const auto verdict = [&](const Model& model) {  // and the flags that are raised
            Program program = build_program(tests.at(0), {2, true});
            const Answer answer = solver.solve(program, model, {});
            std::set<std::string> told{std::string(name(judge(tests[0], answer).verdict))};
            for (const Hazard& hazard : answer.hazards->found) told.insert(hazard.flag);
            return told;
        };
        const Model before = load_model("ptx", resolve_readings(load_model("ptx", {}), change.reading));
        const Model after = parse_model(make_source("<changed.cat>", changed), before.active_variants);
        CHECK(verdict(before).count("unknown") == 0);
        CHECK(verdict(after).count("unknown") == 0);
        CHECK(verdict(before) != verdict(after));
    }
}

TEST_CASE("the worked examples: verdicts under three bases, and the readings that these depend on") {
    const fs::path folder = fs::path(LITMUS_SOURCE_DIR) / "../shared/examples";
    if (!fs::is_directory(folder)) {
        const std::string message = "skipped: no examples at " + folder.string();
        if (required()) FAIL(message);
        MESSAGE(message);
        return;
    }
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    size_t judged = 0;
    for (const fs::path& file : files_below(folder)) {
        const Pinned expected = pinned_of(file);
        if (expected.verdicts == "reject") continue;  // in test_syntax
        INFO(file.string());
        const std::vector<Test> tests = parse_tests(read_source(file.string()));
        REQUIRE(tests.size() == 1);
        std::string verdicts;
        for (const char* base : {"weakest", "default", "strongest"}) {
            const Model& model = family.under(resolve_readings(family.by_default(), base));
            verdicts += (verdicts.empty() ? "" : " ") + std::string(base) + "=" + verdict_in_words(tests[0], model, solver);
        }
        CHECK(verdicts == expected.verdicts);
        CHECK(joined(depends(tests[0], family, solver)) == expected.depends);
        ++judged;
    }
    CHECK(judged >= 20);
}
