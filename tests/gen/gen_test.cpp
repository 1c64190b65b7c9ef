// Generated tests: names, canonical forms, what each is made of, and that no two are alike.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>

#include "gen/generate.h"
#include "gen/write.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "ptx/table.h"

using namespace litmus;
using gen::Cycle;
using gen::Wanted;

namespace {

std::vector<Cycle> cycles(const Wanted& wanted, size_t count) {
    std::vector<Cycle> result;
    gen::each_cycle(wanted, [&](const Cycle& cycle) {
        result.push_back(cycle);
        return result.size() < count;
    });
    return result;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, at);) words.push_back(word);
    return words;
}

std::string text_of(const std::string& words) {
    const std::optional<Test> test = gen::test_of(gen::parse_cycle(split(words, ' ')));
    return test ? print(*test) : std::string();
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// The text with every name and number but 0 replaced by one that says when it first came, its declarations and the parts of its condition
// in order.
std::string renamed(const std::vector<std::string>& threads, const std::vector<std::string>& declarations,
                    const std::vector<std::string>& atoms) {
    std::map<std::string, std::string> names;
    const auto rename = [&](const std::string& text) {
        static const std::regex token("(cta|cluster|gpu|P|r|p|t|L|b|m|d)?([0-9]+)|\\b([xyzwuvsq])(_alias)?\\b");
        std::string result;
        auto last = text.begin();
        for (std::sregex_iterator at(text.begin(), text.end(), token), end; at != end; ++at) {
            result.append(last, text.begin() + at->position());
            last = text.begin() + at->position() + at->length();
            const std::string word = at->str();
            const bool kept = word == "0" || word == "32" || word == "64" || word == "b32" || word == "b64";
            result += kept ? word : "<" + names.emplace(word, std::to_string(names.size())).first->second + ">";
        }
        return result.append(last, text.end());
    };
    std::string result;
    for (const std::string& thread : threads) result += rename(thread);
    std::vector<std::string> rest;
    for (const std::string& line : declarations) rest.push_back(rename(line));
    for (const std::string& atom : atoms) rest.push_back(rename(atom));
    std::sort(rest.begin(), rest.end());
    for (const std::string& line : rest) result += line + "\n";
    return result;
}

// The least text of all orders of threads and all names; empty for more threads than three, which have too many orders.
std::string canonical_text(const Test& test) {
    std::vector<std::string> threads, declarations;
    std::string condition;
    for (const std::string& line : split(print(test), '\n')) {
        if (line.rfind("thread ", 0) == 0) threads.emplace_back();
        if (line.rfind("exists", 0) == 0)
            condition = line.substr(8, line.size() - 9);
        else if (!threads.empty())
            threads.back() += line + "\n";
        else if (line.rfind('.', 0) == 0)
            declarations.push_back(line);
    }
    if (threads.size() > 3) return {};
    std::vector<std::string> atoms;
    for (const std::string& atom : split(condition, '/')) atoms.push_back(std::regex_replace(atom, std::regex("^\\\\ | $"), ""));
    std::vector<size_t> order(threads.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::string best;
    do {
        std::vector<std::string> permuted;
        for (const size_t t : order) permuted.push_back(threads[t]);
        const std::string text = renamed(permuted, declarations, atoms);
        if (best.empty() || text < best) best = text;
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

}  // namespace

TEST_CASE("message passing") {
    CHECK(text_of("release.gpu Rfe@gpu acquire.gpu PodRR Fre@gpu Fence.sc.gpudWW") ==
          R"(test "acquire.gpu+PodRR+Fre@gpu+Fence.sc.gpudWW+release.gpu+Rfe@gpu"
doc  "MP"

.global .u32 x = 0;
.global .u32 y = 0;

thread P0 @ cta0 {
  ld.acquire.gpu.global.u32 r0, [x];
  ld.weak.global.u32 r1, [y];
}
thread P1 @ cluster1.cta1 {
  st.weak.global.u32 [y], 4;
  fence.sc.gpu;
  st.release.gpu.global.u32 [x], 8;
}

exists (P0:r0 == 8 /\ P0:r1 == 0)
)");
}

TEST_CASE("threads stand as the edges say") {
    CHECK(has(text_of("PodWW Rfe@cta PodRR Fre@cta"), "thread P1 @ cta0 {"));
    CHECK(has(text_of("PodWW Rfe@cluster PodRR Fre@cluster"), "thread P1 @ cta1 {"));
    CHECK(has(text_of("PodWW Rfe@gpu PodRR Fre@gpu"), "thread P1 @ cluster1.cta1 {"));
    CHECK(has(text_of("PodWW Rfe@sys PodRR Fre@sys"), "thread P1 @ gpu1.cluster1.cta1 {"));
    CHECK(text_of("PodWW Rfe@cta PodRR Fre@gpu") == "");  // two threads, near and far
    const std::string three = text_of("Rfe@cta PodRW Rfe@gpu PodRR Fre@gpu");
    CHECK(has(three, "thread P0 @ cta0 {"));
    CHECK(has(three, "thread P1 @ cluster1.cta1 {"));
    CHECK(has(three, "thread P2 @ cluster1.cta1 {"));
}

TEST_CASE("what no test can have, or no state shows") {
    CHECK(text_of("PosWR Fre@gpu") == "");                                                    // a thread that is left, and never entered
    CHECK(text_of("PodWR Fre@gpu Coe@gpu") == "");                                            // one edge alone to another location
    CHECK(text_of("Rfe@gpu PosRW Coe@gpu Coi") == "");                                        // two coherence edges, of which one says all
    CHECK(text_of("red.relaxed.gpu Coe@gpu red.relaxed.gpu Mbar.release.ctasWW@cta") == "");  // two additions commute, and places differ
    CHECK(text_of("red.relaxed.gpu Coe@cta red.relaxed.gpu Mbar.release.ctasWW@cta") == "");
    CHECK(text_of("red.relaxed.gpu Coe@cta Mbar.release.ctasWW@cta") != "");
    CHECK(text_of("PosWW Coe@gpu PosWW Coe@gpu") == "");                  // two pairs of writes whose order is not said
    CHECK(text_of("Fre@gpu PodWR Rmw.relaxed.gpu Coe@gpu PodWR") == "");  // what an atomic reads is not said
    CHECK(text_of("PodRW PodWR") == "");                                  // no communication
}

TEST_CASE("one thread: the last edge is against program order") {
    CHECK(has(text_of("PosWR Fri"), "  st.weak.global.u32 [x], 1;\n  ld.weak.global.u32 r1, [x];\n"));
    CHECK(has(text_of("PosRW Rfi"), "  ld.weak.global.u32 r0, [x];\n  st.weak.global.u32 [x], 2;\n"));
}

TEST_CASE("a dependency decides what is written, or whether it is") {
    CHECK(has(text_of("Rfe@gpu DpDatadRW Rfe@gpu PodRW"),
              "  ld.weak.global.u32 r2, [y];\n  setp.eq.u32 p2, r2, 2;\n  selp.u32 t2, 8, 0, p2;\n  st.weak.global.u32 [x], t2;\n"));
    CHECK(has(text_of("Rfe@gpu DpCtrldRW Rfe@gpu PodRW"), "  setp.ne.u32 p2, r2, 2;\n  @p2 bra L2;\n  st.weak.global.u32 [x], 8;\nL2:\n"));
    CHECK_THROWS_AS(text_of("Rfe@gpu bulk.out DpCtrldRW Rfe@gpu PodRW"), Failure);  // what it reads is in no register
}

TEST_CASE("asynchronous operations report to an object where they write, and who waits for them announces their bytes") {
    const std::string text = text_of("st.async Done.acquire.clusterdWW@cluster release.gpu Rfe@cluster acquire.gpu PodRR Fre@cluster");
    CHECK(has(text, ".mbarrier b"));
    CHECK(has(text, "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [b"));
    CHECK(has(text, "], 4;\n  await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [b"));
    CHECK(has(text, "  barrier.cluster.arrive.relaxed;\n  barrier.cluster.wait.acquire;\n}\n"));  // no CTA exits too early
    CHECK(text_of("st.async Done.acquire.clusterdWW release.gpu Rfe@gpu acquire.gpu PodRR Fre@gpu") ==
          "");  // the object is not the waiter's
    const std::string reduced = text_of("bulk.out Group.readsRW Rfi");
    CHECK(has(reduced,
              "  cp.async.bulk.global.shared::cta.bulk_group [d0], [x], 16;\n  cp.async.bulk.commit_group;\n"
              "  cp.async.bulk.wait_group.read 0;\n"));
}

TEST_CASE("a copy is one instruction, and brings on what it has read") {
    const std::string text = text_of("Rfe@cta Copy.bulk.in Rfe@cta PodRW Coe@cta");
    CHECK(has(text, ".shared.cta0 .u32 x[4] = 0;\n.global .u32 y[4] = 0;\n"));
    CHECK(has(text, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes ["));
    CHECK(text_of("Rfe@cta Copy.bulk.in Rfe@cta Copy.bulk.out") == "");  // out of thin air: nobody writes a value
}

TEST_CASE("names make their cycles again") {
    for (const Cycle& cycle : cycles({.most_events = 6, .seed = 3}, 2000)) {
        CHECK(gen::parse_cycle(split(gen::name(cycle), '+')) == cycle);
        CHECK(gen::canonical(cycle) == cycle);
        CHECK(gen::name(cycle).size() <= gen::longest_name);
    }
}

TEST_CASE("a wrong word is pointed at") {
    const auto message = [](const std::string& words) {
        try {
            text_of(words);
        } catch (const Failure& failure) {
            return failure.diagnostics().at(0).message + "; " + failure.diagnostics().at(0).hint;
        }
        return std::string();
    };
    CHECK(message("PodWW Rfe@gp PodRR Fre@gpu") == "`Rfe@gp` is no edge; did you mean `Rfe@gpu`?");
    CHECK(has(message("acquire.gpu PodWW Rfe@gpu PodRR Fre@gpu"), "`acquire.gpu` has no place here, before the edge `PodWW`"));
    CHECK(has(message("PodWW"), "a cycle has two edges at least"));
    CHECK(has(message("PodWW Rfe@gpu relaxed.gpu"), "`relaxed.gpu` stands before no edge"));
}

TEST_CASE("in order, all small cycles come, each once; by chance the same are found") {
    const Wanted three{.most_events = 3, .families = {"po"}};
    const std::vector<Cycle> all = cycles(three, 1000000);
    const std::set<Cycle> distinct(all.begin(), all.end());
    CHECK(distinct.size() == all.size());
    CHECK(all.size() > 1000);
    for (size_t i = 1; i < all.size(); ++i) CHECK(all[i - 1].size() <= all[i].size());
    std::set<Cycle> forms;
    for (const Cycle& cycle : all) forms.insert(gen::canonical(cycle));
    CHECK(forms == distinct);
    const std::vector<Cycle> two = cycles({.most_events = 2, .families = {"po"}}, 1000000);
    const std::vector<Cycle> found = cycles({.most_events = 2, .families = {"po"}, .seed = 1}, 1000000);
    CHECK(std::set<Cycle>(found.begin(), found.end()) == std::set<Cycle>(two.begin(), two.end()));
}

TEST_CASE("of communications that compose to one, there is that one") {
    using Kind = gen::Edge::Kind;
    for (const Cycle& cycle : cycles({.most_events = 5, .families = {"po"}, .seed = 8}, 1000))
        for (size_t i = 0; i < cycle.size(); ++i) {
            const Kind first = gen::edge_of(cycle[i]).kind, second = gen::edge_of(cycle[(i + 1) % cycle.size()]).kind;
            CHECK_FALSE((first == Kind::coherence && second == Kind::coherence));
            CHECK_FALSE((first == Kind::from_reads && second == Kind::coherence));
            CHECK_FALSE((first == Kind::reads_from && second == Kind::from_reads));
        }
}

TEST_CASE("shapes and families choose") {
    for (const gen::Shape& shape : gen::shapes()) {
        const std::vector<Cycle> some = cycles({.most_events = 6, .shapes = {shape.name}, .seed = 1}, 20);
        CHECK_MESSAGE(some.size() == 20, shape.name);
        for (const Cycle& cycle : some) CHECK(gen::shape_name(cycle) == shape.name);
    }
    for (const std::string& family : gen::families()) {
        const std::vector<Cycle> some = cycles({.most_events = 4, .families = {family}, .seed = 1}, 20);
        CHECK_MESSAGE(some.size() == 20, family);
        for (const Cycle& cycle : some)
            CHECK(std::any_of(cycle.begin(), cycle.end(), [&](const gen::Step& step) {
                return gen::edge_of(step).family == family || gen::access_of(step).family == family;
            }));
    }
    CHECK_THROWS_AS(cycles({.families = {"fences"}}, 1), Failure);
    CHECK_THROWS_AS(cycles({.shapes = {"PM"}}, 1), Failure);
}

TEST_CASE("a sample is the same for the same seed, and another for another") {
    CHECK(cycles({.seed = 5}, 50) == cycles({.seed = 5}, 50));
    CHECK(cycles({.seed = 5}, 50) != cycles({.seed = 6}, 50));
}

TEST_CASE("every word of the vocabulary comes up in some test") {
    const gen::Vocabulary& all = gen::vocabulary();
    for (const std::string& family : gen::families()) {
        std::set<std::string> missing;  // accesses by their lines, edges by their stems
        for (const gen::Access& access : all.accesses)
            if (access.family == family) missing.insert(access.text);
        for (const gen::Edge& edge : all.edges)
            if (edge.family == family) missing.insert(edge.stem);
        size_t left = 20000;
        gen::each_cycle({.most_events = 5, .families = {family}, .seed = 2}, [&](const Cycle& cycle) {
            for (const gen::Step& step : cycle) {
                missing.erase(gen::access_of(step).text);
                missing.erase(gen::edge_of(step).stem);
            }
            return !missing.empty() && --left > 0;
        });
        for (const std::string& word : missing) CHECK_MESSAGE(false, word, " of the family ", family);
    }
}

TEST_CASE("no two of a sample are alike but for the order of threads and for names, and all are read") {
    std::map<std::string, std::string> seen;
    size_t compared = 0;
    for (const Cycle& cycle : cycles({.most_events = 4, .seed = 7}, 5000)) {
        const std::optional<Test> test = gen::test_of(cycle);
        REQUIRE(test);
        CHECK(test->name == gen::name(cycle));
        const std::string text = canonical_text(*test);
        if (text.empty()) continue;
        ++compared;
        const auto [at, fresh] = seen.emplace(text, test->name);
        CHECK_MESSAGE(fresh, at->second, " and ", test->name, " are one test: ", print(*test));
    }
    CHECK(compared > 4000);
}
