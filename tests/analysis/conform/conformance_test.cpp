// Predictions under several readings against plain enumeration; comparisons with observations made up here.
#include "analysis/conform/conformance.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "analysis/small_tests.h"

namespace litmus {
namespace {

using Names = std::vector<std::string>;

ModelFamily& family() {
    static ModelFamily ptx("ptx", {});
    return ptx;
}

Names weakest() {
    return readings_of(family().by_default(), Reading::Base::weakest);
}

Prediction predicted(const Test& test, const Names& on, double timeout = 0, int unroll = 2) {
    Solver solver(Solver::usually, faster);
    return predict(test, family(), on, {unroll, false, Budget(timeout)}, solver);
}

Prediction predicted(const std::string& text) {
    return predicted(parsed(text), weakest());
}

// All outcomes under these readings, by the solver alone.
std::vector<OutcomeValues> enumerated(const Test& test, const Names& on) {
    SolveOptions options;
    options.filtered = false;
    options.want_hazards = false;
    Solver solver(Solver::usually, faster);
    Program program = build_program(test, {});
    const Answer answer = solver.solve(program, family().under(on), options);
    REQUIRE(answer.complete);
    std::vector<OutcomeValues> values;
    for (const Outcome& outcome : answer.outcomes) values.push_back(outcome.values);
    return values;
}

bool is_undefined(const Test& test, const Names& on) {
    Solver solver(Solver::usually, faster);
    Program program = build_program(test, {2, true});
    return solver.hazards(program, family().under(on)).undefined == Truth::yes;
}

const ReadingEffect* effect_of(const Prediction& prediction, const std::string& reading) {
    for (const ReadingEffect& effect : prediction.effects)
        if (effect.reading == reading) return &effect;
    return nullptr;
}

gpu::Observation observed(const Prediction& prediction, const std::vector<std::pair<OutcomeValues, uint64_t>>& counts) {
    gpu::Observation o;
    o.test = "made up";
    o.observables = prediction.observables;
    for (const auto& [values, count] : counts) {
        gpu::Outcome outcome;
        outcome.values = values;
        outcome.count = count;
        o.outcomes.push_back(outcome);
        o.instances += count;
    }
    return o;
}

// ---- predictions --------------------------------------------------------------------------------

TEST_CASE("a prediction is every outcome there is, sorted") {
    const Prediction sb = predicted(store_buffering);
    CHECK(sb.allowed == std::vector<OutcomeValues>{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
    CHECK(sb.complete);
    CHECK(sb.undefined == Truth::no);
    CHECK(sb.effects.empty());
    REQUIRE(sb.observables.size() == 2);
    CHECK(sb.observables[0].name == "P0:r0");
    CHECK(predicted(message).allowed == std::vector<OutcomeValues>{{0, 0}, {0, 1}, {1, 1}});
}

TEST_CASE("the filter of a test leaves no outcome out") {
    std::string filtered = message;
    filtered.insert(filtered.find("exists"), "filter (P1:r0 == 1)\n");
    CHECK(predicted(filtered).allowed == std::vector<OutcomeValues>{{0, 0}, {0, 1}, {1, 1}});
}

// 2,048 outcomes.
std::string wide_text() {
    std::string text = "test \"wide\"\n.global .u32 x = 0;\nthread W @ cta0 { st.relaxed.gpu.global.u32 [x], 1; }\n";
    std::string condition;
    for (int i = 1; i <= 11; ++i) {
        const std::string thread = "R" + std::to_string(i);
        text += "thread " + thread + " @ cta" + std::to_string(i) + " { ld.relaxed.gpu.global.u32 r0, [x]; }\n";
        condition += (i > 1 ? " /\\ " : "") + thread + ":r0 == 1";
    }
    return text + "exists (" + condition + ")\n";
}

TEST_CASE("more outcomes than `litmus check` lists are all predicted") {
    const Prediction wide = predicted(wide_text());
    CHECK(wide.complete);
    CHECK(wide.allowed.size() == 2048);
}

TEST_CASE("what an unrolled loop or a time limit leaves open is not complete") {
    const Test loop = parsed(R"(test "loop"
.global .u32 x = 0;
thread P0 @ cta0 {
again:
  atom.add.relaxed.gpu.global.u32 r0, [x], 1;
  setp.ne.u32 p, r0, 5;
  @p bra again;
}
exists (P0:r0 == 5)
)");
    const Prediction cut = predicted(loop, weakest());
    CHECK_FALSE(cut.complete);
    CHECK(compare(cut, observed(cut, {{{5}, 1}})).standing == Standing::undecided);
    CHECK(predicted(loop, weakest(), 0, 8).complete);
    const Test pipeline = library_test("async/pipelines/p1-one-stage.litmus");
    CHECK_THROWS_AS(predicted(pipeline, weakest(), 1e-6), OverBudget);           // no time even to build it
    const Prediction hurried = predicted(parsed(wide_text()), weakest(), 0.05);  // far too little for 2,048 outcomes
    CHECK_FALSE(hurried.complete);
    CHECK(compare(hurried, observed(hurried, {{OutcomeValues(hurried.observables.size(), 77), 1}})).standing == Standing::undecided);
}

TEST_CASE("a test with undefined behaviour is said to be so") {
    const Prediction bug = predicted(library_test("async/multicast/mc-peer-trusts-leader.litmus"), weakest());
    CHECK(bug.undefined == Truth::yes);
    CHECK(bug.undefined_by == Names{"read of copy destination"});
    const Comparison comparison = compare(bug, observed(bug, {{{1}, 10}, {{123}, 1}}));
    CHECK(comparison.standing == Standing::undefined);
    CHECK(comparison.seen.at(1).standing == Standing::undefined);
    CHECK(comparison.not_seen.empty());
}

TEST_CASE("a data race leaves outcomes defined") {
    const Prediction racy = predicted(R"(test "racy"
.global .u32 x = 0;
thread P0 @ cta0 { st.weak.global.u32 [x], 1; }
thread P1 @ cta1 { ld.weak.global.u32 r0, [x]; }
exists (P1:r0 == 1)
)");
    CHECK(racy.undefined == Truth::no);
    CHECK(compare(racy, observed(racy, {{{7}, 1}})).standing == Standing::forbidden);
}

// ---- readings -----------------------------------------------------------------------------------

// What the shortcuts of predict() find is what enumeration under each reading gives.
void check_effects(const Test& test) {
    INFO(test.name);
    std::map<Names, std::vector<OutcomeValues>> known;
    const auto outcomes = [&](const Names& on) {
        if (known.count(on) == 0) known[on] = enumerated(test, on);
        return known[on];
    };
    const Prediction prediction = predicted(test, weakest());
    const bool undefined = is_undefined(test, weakest());
    for (const Reading& reading : family().by_default().readings) {
        INFO(reading.name);
        Names with = weakest(), without;
        if (reading.base != Reading::Base::weakest) with.push_back(reading.name);
        std::copy_if(with.begin(), with.end(), std::back_inserter(without), [&](const std::string& n) { return n != reading.name; });
        const ReadingEffect* effect = effect_of(prediction, reading.name);
        if (undefined) {
            const bool makes_defined = !is_undefined(test, with);
            REQUIRE((effect != nullptr) == makes_defined);
            if (makes_defined) CHECK(effect->leaves == outcomes(with));
            continue;
        }
        const std::vector<OutcomeValues> before = outcomes(without), after = outcomes(with);
        std::vector<OutcomeValues> excludes;
        std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(excludes));
        CHECK((effect == nullptr ? std::vector<OutcomeValues>() : effect->excludes) == excludes);
        CHECK((effect == nullptr || effect->decided));
    }
}

TEST_CASE("what each reading forbids is what enumeration under it lacks") {
    for (const auto& entry : std::filesystem::directory_iterator(LITMUS_SOURCE_DIR "/litmus/async/multicast"))
        check_effects(parse_tests(read_source(entry.path().string())).at(0));
    for (const char* path :
         {"proxy-raw/raw-bar-issuer-fences", "proxy-raw/raw-flag-both-fence", "proxy-raw/raw-st-async-then-bulk",
          "proxy-war/war-flag-issuer-fences", "arrivals/local-arrival-under-completion", "kernel-bugs/kb-accumulator-owner-fences"})
        check_effects(library_test("async/" + std::string(path) + ".litmus"));
    check_effects(library_test("classic/lb/lb-data.litmus"));
}

TEST_CASE("a reading that takes undefined behaviour away forbids all but what it allows") {
    const Prediction bug = predicted(library_test("async/multicast/mc-peer-trusts-leader.litmus"), weakest());
    const ReadingEffect* effect = effect_of(bug, "multicast-all");
    REQUIRE(effect != nullptr);
    CHECK(effect->makes_defined);
    CHECK(effect->leaves == std::vector<OutcomeValues>{{1}});
    CHECK(forbids(*effect, {0}));
    CHECK(forbids(*effect, {99}));
    CHECK_FALSE(forbids(*effect, {1}));
    CHECK(bug.effects.size() == 1);
}

TEST_CASE("other readings than the weakest change what is allowed, not what readings do") {
    const Test test = library_test("async/proxy-raw/raw-bar-issuer-fences.litmus");
    const Prediction weak = predicted(test, weakest()),
                     strong = predicted(test, readings_of(family().by_default(), Reading::Base::strongest));
    CHECK(weak.allowed == std::vector<OutcomeValues>{{0}, {1}});
    CHECK(strong.allowed == std::vector<OutcomeValues>{{1}});
    REQUIRE(effect_of(weak, "fence-cta") != nullptr);
    REQUIRE(effect_of(strong, "fence-cta") != nullptr);
    CHECK(effect_of(strong, "fence-cta")->excludes == std::vector<OutcomeValues>{{0}});
    CHECK(compare(strong, observed(strong, {{{0}, 3}})).standing == Standing::forbidden);
}

// ---- comparisons --------------------------------------------------------------------------------

TEST_CASE("seen and allowed, seen and forbidden, allowed and not seen") {
    const Prediction mp = predicted(message);
    gpu::Observation run = observed(mp, {{{0, 0}, 3}, {{1, 0}, 1}, {{1, 1}, 5}, {{0, 1}, 0}});
    run.timeouts = 4;
    run.instances += 4;
    const Comparison c = compare(mp, run);
    CHECK(c.standing == Standing::forbidden);
    CHECK(c.instances == 13);
    CHECK(c.ended == 9);
    CHECK(c.timeouts == 4);
    REQUIRE(c.seen.size() == 3);
    CHECK(c.seen[0].values == OutcomeValues{1, 1});
    CHECK(c.seen[0].count == 5);
    CHECK(c.seen[0].standing == Standing::allowed);
    CHECK(c.seen[2].values == OutcomeValues{1, 0});
    CHECK(c.seen[2].standing == Standing::forbidden);
    CHECK(c.not_seen == std::vector<OutcomeValues>{{0, 1}});
    CHECK(compare(mp, observed(mp, {{{0, 0}, 3}})).standing == Standing::allowed);
}

TEST_CASE("outcomes that were not listed leave a test undecided") {
    const Prediction mp = predicted(message);
    gpu::Observation run = observed(mp, {{{0, 0}, 3}});
    run.unlisted = 1;
    CHECK(compare(mp, run).standing == Standing::undecided);
    run.outcomes.push_back(observed(mp, {{{1, 0}, 1}}).outcomes[0]);
    CHECK(compare(mp, run).standing == Standing::forbidden);
}

TEST_CASE("observables are found by name, in whatever order") {
    const Prediction mp = predicted(message);
    gpu::Observation run = observed(mp, {{{0, 1}, 3}});
    std::swap(run.observables[0], run.observables[1]);
    CHECK(compare(mp, run).seen.at(0).values == OutcomeValues{1, 0});
    CHECK(compare(mp, run).standing == Standing::forbidden);
    run.observables[0].name = "P1:r9";
    CHECK_THROWS_WITH_AS(compare(mp, run), doctest::Contains("the file has P1:r9 (.u32), P1:r0 (.u32), where the test has P1:r0"), Failure);
    run.observables[0] = {"P1:r1", Type::s32};
    CHECK_THROWS_AS(compare(mp, run), Failure);
    run.observables.pop_back();
    CHECK_THROWS_AS(compare(mp, run), Failure);
}

TEST_CASE("a test without a condition observes more than the model tells apart") {
    std::string all = message;
    all.resize(all.find("exists"));
    const Prediction mp = predicted(all);
    REQUIRE(mp.observes_more);
    REQUIRE(mp.observables.size() == 4);
    gpu::Observation run = observed(mp, {{{1, 1, 1, 1}, 3}, {{0, 1, 1, 1}, 2}});
    run.observables.push_back({"token", Type::b64});
    run.outcomes[0].values.push_back(7);
    run.outcomes[1].values.push_back(8);
    run.outcomes.push_back(run.outcomes[0]);
    run.outcomes[2].values.back() = 9;
    const Comparison c = compare(mp, run);
    CHECK(c.standing == Standing::allowed);
    REQUIRE(c.seen.size() == 2);
    CHECK(c.seen[0].count == 6);
    const Prediction conditional = predicted(message);
    gpu::Observation more = observed(conditional, {});
    more.observables.push_back({"token", Type::b64});
    CHECK_THROWS_AS(compare(conditional, more), Failure);
}

// What the copy writes comes after the store, unless it is still on its way when the machine is looked at.
std::string copied(const std::string& wait) {
    return R"(test "copied"
.global .u32 g[4] = 1;
.shared .u32 s[4] = 3;
.shared .mbarrier bar = 1;
thread P0 @ cta0 {
  ld.weak.global.u32 r0, [g];
  st.weak.shared::cta.u32 [s], 5;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [bar];
)" + wait + R"(}
exists (P0:r0 == 1 /\ s@cta0[0] == 5)
)";
}

TEST_CASE("what may be in flight when locations are read says nothing of their values") {
    const Prediction waited = predicted(copied("  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;\n"));
    CHECK_FALSE(waited.in_flight);
    CHECK(compare(waited, observed(waited, {{{1, 5}, 1}})).standing == Standing::forbidden);
    const Prediction prediction = predicted(copied(""));
    REQUIRE(prediction.in_flight);
    REQUIRE(prediction.allowed == std::vector<OutcomeValues>{{1, 1}});
    const Comparison c = compare(prediction, observed(prediction, {{{1, 1}, 8}, {{1, 5}, 1}}));
    CHECK(c.standing == Standing::late);
    CHECK(c.seen.at(0).standing == Standing::allowed);
    CHECK(c.seen.at(1).standing == Standing::late);
    CHECK(compare(prediction, observed(prediction, {{{7, 5}, 1}})).standing == Standing::forbidden);  // no register holds 7
    // and refutes no reading
    const Prediction cta = predicted(library_test("readings/fence-cta.litmus"), weakest());
    REQUIRE(effect_of(cta, "fence-cta") != nullptr);
    const OutcomeValues seen{6, 5};
    CHECK(forbids(*effect_of(cta, "fence-cta"), seen));
    const Comparison late = compare(cta, observed(cta, {{seen, 3}}));
    CHECK(late.seen.at(0).refutes.empty());
    for (const Evidence& evidence : weigh(family().under(weakest()), {{&cta, &late}}))
        CHECK(evidence.verdict == Evidence::Verdict::untested);
}

TEST_CASE("the bound of what was not seen") {
    CHECK(rate_bound(0) == 1.0);
    CHECK(rate_bound(2) == 1.0);
    CHECK(rate_bound(300) == doctest::Approx(0.01));
    CHECK(rate_bound(3000000000) == doctest::Approx(1e-9));
}

TEST_CASE("runs of one test add up") {
    const Prediction mp = predicted(message);
    Tally tally(observed(mp, {{{0, 0}, 3}, {{1, 1}, 1}}));
    gpu::Observation more = observed(mp, {{{1, 1}, 4}, {{1, 0}, 2}});
    more.timeouts = 1;
    more.unlisted = 2;
    more.hung = true;
    more.instances += 3;
    tally.add(more);
    const gpu::Observation sum = tally.sum();
    CHECK(sum.instances == 13);
    CHECK(sum.timeouts == 1);
    CHECK(sum.unlisted == 2);
    CHECK(sum.hung);
    REQUIRE(sum.outcomes.size() == 3);
    CHECK(sum.outcomes[1].values == OutcomeValues{1, 1});
    CHECK(sum.outcomes[1].count == 5);
    gpu::Observation other = more;
    other.observables[0].type = Type::s32;
    CHECK_THROWS_WITH_AS(tally.add(other), doctest::Contains("one file has"), Failure);
    more.outcomes[0].count = ~0ULL;
    CHECK_THROWS_WITH_AS(tally.add(more), doctest::Contains("64 bits"), Failure);
}

TEST_CASE("readings are refuted, consistent, or untested") {
    const Prediction raw = predicted(library_test("async/proxy-raw/raw-bar-issuer-fences.litmus"), weakest());
    const Prediction mp = predicted(message);
    const auto weighed = [&](const std::vector<std::pair<OutcomeValues, uint64_t>>& counts) {
        const Comparison first = compare(mp, observed(mp, {{{0, 0}, 100}})), second = compare(raw, observed(raw, counts));
        std::vector<Evidence> all = weigh(family().by_default(), {{&mp, &first}, {&raw, &second}});
        CHECK(all.size() == family().by_default().readings.size());
        return *std::find_if(all.begin(), all.end(), [](const Evidence& e) { return e.reading == "fence-cta"; });
    };
    const Evidence refuted = weighed({{{1}, 7}, {{0}, 2}});
    CHECK(refuted.verdict == Evidence::Verdict::refuted);
    CHECK(refuted.tests == std::vector<size_t>{1});
    CHECK(refuted.instances == 9);
    REQUIRE(refuted.refutations.size() == 1);
    CHECK(refuted.refutations[0].test == 1);
    CHECK(refuted.refutations[0].outcome == OutcomeValues{0});
    CHECK(refuted.refutations[0].count == 2);
    const Evidence consistent = weighed({{{1}, 7}});
    CHECK(consistent.verdict == Evidence::Verdict::consistent);
    CHECK(consistent.instances == 7);
    CHECK(consistent.refutations.empty());
    CHECK(weighed({}).verdict == Evidence::Verdict::untested);
    // An outcome that no reading allows refutes the model, and none of its readings.
    CHECK(weighed({{{5}, 1}}).verdict == Evidence::Verdict::consistent);
}

}  // namespace
}  // namespace litmus
