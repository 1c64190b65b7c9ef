// The explanations of what the library says cannot happen: of every outcome that satisfies the condition of a `~exists` claim,
// and of some that break a `forall`.
//
// It is told in every way in which it could come about. Each is checked by rules that know nothing of how it was found, each fact of it
// must stand in the text that is printed, and what the model has a phrase for must cite a section of the ISA.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "base/budget.h"
#include "cat/readings.h"
#include "explain/forbidden.h"
#include "report/explanation.h"
#include "syntax/read.h"

namespace litmus {
namespace {

constexpr size_t most_of_forall = 3, most_of_not_exists = 1000;  // outcomes explained of a claim

std::vector<Test> library() {
    std::set<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(LITMUS_SOURCE_DIR "/litmus"))
        if (entry.path().extension() == ".litmus" || entry.path().extension() == ".test") paths.insert(entry.path().string());
    std::vector<Test> tests;
    for (const std::string& path : paths)
        for (Test& test : parse_tests(read_source(path))) tests.push_back(std::move(test));
    return tests;
}

void each_sentence(const std::vector<Sentence>& story, const std::function<void(const Sentence&)>& visit) {
    for (const Sentence& sentence : story) {
        visit(sentence);
        each_sentence(sentence.because, visit);
    }
}

void each_part(const Derivation& d, const std::function<void(const Derivation&)>& visit) {
    visit(d);
    for (const Derivation& part : d.parts) each_part(part, visit);
}

// What is wrong with one explanation; empty: nothing.
std::vector<std::string> faults(const Forbidden::Case& one, const Model& model) {
    std::vector<std::string> found;
    if (!one.why.known) found.emplace_back("not decided");
    if (!one.why.all_ways) found.emplace_back("there are other ways to it");
    if (one.why.refuted.empty()) found.emplace_back("no execution");
    for (const Refuted& refuted : one.why.refuted) {
        const Breach& breach = refuted.breaches.at(0);
        if (breach.axiom != refuted.axiom) found.emplace_back("the axiom is not the one that is broken");
        if (!is_valid(breach, model, refuted.execution)) found.push_back("the derivation of " + breach.axiom + " is not valid");
        if (model.constraints[breach.constraint].section.empty()) found.push_back(breach.axiom + " cites no section");
        const std::vector<Sentence> story = Storyteller(model, refuted.execution).tell(breach.derivations);
        std::set<std::tuple<std::string, std::string, std::string>> edges;
        each_sentence(story, [&](const Sentence& sentence) {
            edges.emplace(sentence.relation, sentence.from, sentence.to);
            const bool is_base =
                std::any_of(base_names().begin(), base_names().end(), [&](const BaseName& base) { return base.name == sentence.relation; });
            const bool derived = sentence.relation.empty() || is_base || sentence.relation == "fr";
            if (!derived && sentence.section.empty()) found.push_back(sentence.relation + " cites no section");
        });
        const EventNames names(refuted.execution);
        for (const Derivation& d : breach.derivations)
            each_part(d, [&](const Derivation& part) {
                const Node& node = model.nodes[part.node];
                const bool is_edge = node.op == Node::Op::base && !node.is_set && !is_about_events(node.name) && !part.absent;
                if (is_edge && edges.count({node.name, names.full(part.from), names.full(part.to)}) == 0)
                    found.push_back("not told: " + node.name + " from " + names.full(part.from) + " to " + names.full(part.to));
            });
    }
    return found;
}

struct Tally {
    size_t claims = 0, outcomes = 0, impossible = 0;
    std::vector<size_t> lines;  // of the explanation of each outcome of a ~exists claim
    std::vector<std::string> faults;
    double longest = 0;
    std::string slowest;
};

void explain_claim(const Test& test, const Model& model, Tally& tally, std::mutex& mutex) {
    const bool is_forall = test.claim.kind == Claim::Kind::forall;
    Condition wanted = test.claim.condition;
    if (is_forall) {
        wanted = {};
        wanted.kind = Condition::Kind::negation;
        wanted.operands = {test.claim.condition};
    }
    const double start = now();
    Solver solver;
    const Forbidden forbidden = why_none(test, wanted, model, {.most_cases = is_forall ? most_of_forall : most_of_not_exists}, solver);
    std::vector<std::string> wrong;
    std::vector<size_t> lengths;
    for (const Forbidden::Case& one : forbidden.cases) {
        for (const std::string& fault : faults(one, model)) wrong.push_back(test.name + ": " + fault);
        Explanation explanation;
        Forbidden alone;
        alone.observables = forbidden.observables;
        alone.complete = true;
        alone.cases = {one};
        add_forbidden(explanation, alone, model);
        const std::string text = explanation_text(explanation);
        lengths.push_back(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')));
    }
    if (!is_forall && !forbidden.complete) wrong.push_back(test.name + ": not all outcomes are explained");
    const std::lock_guard<std::mutex> lock(mutex);
    ++tally.claims;
    tally.outcomes += forbidden.cases.size();
    tally.impossible += forbidden.cases.empty() ? 1 : 0;
    if (!is_forall) tally.lines.insert(tally.lines.end(), lengths.begin(), lengths.end());
    tally.faults.insert(tally.faults.end(), wrong.begin(), wrong.end());
    if (now() - start > tally.longest) {
        tally.longest = now() - start;
        tally.slowest = test.name;
    }
}

TEST_CASE("why what the library forbids cannot happen") {
    const std::vector<Test> tests = library();
    ModelFamily models("ptx", {});
    Tally tally;
    std::mutex mutex;
    std::atomic<size_t> next{0};
    const auto work = [&] {
        for (size_t i = next++; i < tests.size(); i = next++)
            if (tests[i].claim.kind == Claim::Kind::not_exists || tests[i].claim.kind == Claim::Kind::forall)
                explain_claim(tests[i], models.by_default(), tally, mutex);
    };
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) workers.emplace_back(work);
    for (std::thread& worker : workers) worker.join();
    for (const std::string& fault : tally.faults) FAIL_CHECK(fault);
    CHECK(tally.claims > 580);
    CHECK(tally.lines.size() > 290);
    std::sort(tally.lines.begin(), tally.lines.end());
    CHECK(tally.lines[tally.lines.size() / 2] <= 15);
    MESSAGE(tally.claims, " claims; ", tally.outcomes, " outcomes explained, ", tally.lines.size(), " of them of ~exists claims; ",
            tally.impossible, " claims ruled out by values alone; lines of those of ~exists: median ", tally.lines[tally.lines.size() / 2],
            ", most ", tally.lines.back(), "; the slowest claim, ", tally.slowest, ": ", tally.longest, " s");
}

}  // namespace
}  // namespace litmus
