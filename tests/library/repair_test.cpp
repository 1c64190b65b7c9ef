// Repair and weaken over a part of the library in turn (the target `measure_repair` has all of it): patches stand up to
// the naive front end, whose executions no solver chooses; a fence that is planted is found; what a mended test adds is needed.
#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/verdict/verdict.h"
#include "analysis/weaken/weaken.h"
#include "language/syntax/read.h"
#include "pairs.h"
#include "pipeline.h"
#include "ptx/traits.h"
#include "solve/solve.h"
#include "turn.h"

using namespace repair_pairs;

namespace {

const std::string library = std::string(LITMUS_SOURCE_DIR) + "/litmus/";

ModelFamily& family() {
    static ModelFamily models("ptx", {});
    return models;
}
const std::vector<std::string>& by_default() {
    static const std::vector<std::string> on = readings_of(family().by_default(), Reading::Base::default_);
    return on;
}

Test read(const std::string& text) {
    return parse_tests(make_source("patched.litmus", text)).front();
}

bool is_fence(const Instruction& instruction) {
    return instruction.op == Op::fence || instruction.op == Op::fence_proxy;
}

// A test with one of its fences a second time, behind the first; nothing where it has none.
struct Planted {
    Test test;
    ProgramPoint fence;
};
std::optional<Planted> plant(const Test& test) {
    for (int t = 0; t < static_cast<int>(test.threads.size()); ++t) {
        const std::vector<Instruction>& body = test.threads[static_cast<size_t>(t)].body;
        for (int i = 0; i < static_cast<int>(body.size()); ++i) {
            if (!is_fence(body[static_cast<size_t>(i)]) || body[static_cast<size_t>(i)].guard) continue;
            const std::string text = applied(test.source->text, {insertion(test, {t, i + 1}, written(test, {t, i}))});
            return Planted{read(text), {t, i}};
        }
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE("every cheapest repair of these pairs is repaired for the naive front end, too") {
    const std::map<std::string, std::string> reasons = known_reasons();
    const Turn turn;
    size_t compared = 0, known = 0, pairs = 0, number = 0;
    for (const char* folder :
         {"async/arrivals", "async/proxy-raw", "async/proxy-waw", "async/wait-group", "async/red-atom", "async/release-forms"}) {
        const std::map<std::string, Test> tests = tests_below(library + folder);
        for (const auto& [name, mended] : tests) {
            const auto bug = tests.find(mended.repairs);
            if (bug == tests.end() || !turn.has(number++)) continue;
            CAPTURE(name);
            Solver solver(Solver::usually, faster);
            const Repairs found = repair(bug->second, family(), by_default(), solver, {});
            CHECK(found.status == Repairs::Status::searched);
            ++pairs;
            const std::optional<Needed> steps =
                found.goal ? needed(bug->second, mended, *found.goal, family().under(by_default()), solver) : std::nullopt;
            bool first = false;
            for (size_t i = 0; i < found.repairs.size(); ++i) {
                const Test repaired = read(found.repairs[i].text);
                first = first || (steps && takes(bug->second, repaired, mended, *steps));
                if (i > 1) continue;
                try {
                    Solver other;
                    const auto read_naively = litmus::naive::compare(other, repaired, {&family().under(by_default())}, {});
                    CHECK(read_naively.difference.value_or("") == "");
                    ++compared;
                } catch (const litmus::naive::Unsupported&) {
                }
            }
            CHECK(first != (reasons.count(name) > 0));
            known += first ? 1 : 0;
        }
    }
    CHECK(pairs >= turn.share(30));
    CHECK(compared >= turn.share(30));
    if (turn.whole()) CHECK(known * 10 >= pairs * 8);
    MESSAGE(pairs, " pairs, the known repair first or tied in ", known, "; ", compared, " patches compared");
}

TEST_CASE("at least nine of ten mended tests are found: no more have a reason why not, and each of these is one") {
    const std::map<std::string, Test> tests = tests_below(library);
    const std::map<std::string, std::string> reasons = known_reasons();
    size_t pairs = 0;
    for (const auto& [name, test] : tests) {
        pairs += test.repairs.empty() ? 0 : 1;
        if (!test.repairs.empty()) CHECK_MESSAGE(tests.count(test.repairs) == 1, name, " repairs no test of the library");
    }
    for (const auto& [name, reason] : reasons) {
        CHECK_MESSAGE((tests.count(name) == 1 && !tests.at(name).repairs.empty()), name);
        CHECK_FALSE(reason.empty());
    }
    CHECK(reasons.size() * 10 <= pairs);
}

TEST_CASE("a planted fence is found in 50 tests of the library") {
    const Turn turn;
    size_t variants = 0;
    for (const char* folder : {"classic", "async/proxy-raw", "async/proxy-war", "async/proxy-waw"}) {
        for (const auto& [name, test] : tests_below(library + folder)) {
            if (variants == 50) break;
            if (test.source->text.size() > 1200) continue;
            const std::optional<Planted> planted = plant(test);
            if (!planted) continue;
            if (!turn.has(variants++)) continue;
            CAPTURE(name);
            Solver solver(Solver::usually, faster);
            const Weakening found = weaken(planted->test, family(), by_default(), solver, {});
            int needless = 0;
            for (const Part& part : found.parts)
                for (const int i : {planted->fence.instruction, planted->fence.instruction + 1})
                    if (part.place == ProgramPoint{planted->fence.thread, i} && part.fate == Part::Fate::needless) ++needless;
            CHECK(needless == 2);  // either of the two
        }
    }
    CHECK(variants == 50);
}

TEST_CASE("what a mended test adds is not left out") {
    const Turn turn;
    size_t refused = 0, number = 0;
    for (const char* folder : {"async/proxy-raw", "async/proxy-war", "async/proxy-waw", "async/wait-group", "async/sync-restrict"}) {
        const std::map<std::string, Test> tests = tests_below(library + folder);
        for (const auto& [name, mended] : tests) {
            const auto bug = tests.find(mended.repairs);
            if (bug == tests.end() || !turn.has(number++)) continue;
            CAPTURE(name);
            Solver solver(Solver::usually, faster);
            const Weakening found = weaken(mended, family(), by_default(), solver, {});
            for (const std::string& text : found.texts) {
                const Test weaker = read(text);
                CHECK_FALSE(weaker.threads == bug->second.threads);
                Program program = build_program(weaker, {.unroll = 2, .blocked = true});
                CHECK(judge(weaker, solver.solve(program, family().under(by_default()), {})).verdict == Verdict::ok);
            }
            refused += std::any_of(found.parts.begin(), found.parts.end(), [](const Part& part) { return part.fate == Part::Fate::needed; })
                           ? 1
                           : 0;
        }
    }
    CHECK(refused >= turn.share(25));
}
