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

#include "analysis/explain/derivation_check.h"
#include "analysis/explain/explanation.h"
#include "analysis/explain/forbidden.h"
#include "base/budget.h"
#include "cat/readings.h"
#include "language/syntax/read.h"
#include "turn.h"

namespace litmus {
namespace {

constexpr size_t most_of_forall = 2, most_of_not_exists = 1000;  // outcomes explained of a claim

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

// The words of a phrase that stand between the events, or after both: "share a proxy", "covers the memory of".
std::string words_of(std::string_view phrase) {
    for (const std::string_view subject : {"A and B ", "A "})
        if (phrase.rfind(subject, 0) == 0) phrase.remove_prefix(subject.size());
    return std::string(phrase.substr(0, phrase.find(" B")));
}

// The leaves that are no attributes of one event, of terms that are told: a term about two events alone is told by its phrase.
void each_leaf(const Model& model, const std::vector<bool>& about, const Derivation& d,
               const std::function<void(const Derivation&)>& visit) {
    const Node& node = model.nodes[d.node];
    if (d.absent || node.is_set || node.name == "id") return;
    if (node.op == Node::Op::base || (about[d.node] && !node.phrase.empty())) {
        visit(d);
        return;
    }
    for (const Derivation& part : d.parts) each_leaf(model, about, part, visit);
}

std::string_view phrase_of(const Node& node) {
    if (!node.phrase.empty()) return node.phrase;
    return std::find_if(base_names().begin(), base_names().end(), [&](const BaseName& b) { return b.name == node.name; })->phrase;
}

// What is wrong with one explanation; empty: nothing.
std::vector<std::string> faults(const Forbidden::Case& one, const Model& model) {
    std::vector<std::string> found;
    if (!one.why.known) found.emplace_back("not decided");
    if (one.why.refuted.empty()) found.emplace_back("no execution");
    for (const Refuted& refuted : one.why.refuted) {
        const BrokenAxiom& breach = refuted.breaches.at(0);
        if (breach.axiom != refuted.axiom) found.emplace_back("the axiom is not the one that is broken");
        if (!is_valid(breach, model, refuted.execution)) found.push_back("the derivation of " + breach.axiom + " is not valid");
        if (model.constraints[breach.constraint].section.empty()) found.push_back(breach.axiom + " cites no section");
        const std::vector<Sentence> story = Storyteller(model, refuted.execution).tell(breach.derivations);
        std::set<std::tuple<std::string, std::string, std::string>> edges;
        std::string said;
        each_sentence(story, [&](const Sentence& sentence) {
            said += sentence.text + "\n";
            edges.emplace(sentence.relation, sentence.from, sentence.to);
            const bool is_base =
                std::any_of(base_names().begin(), base_names().end(), [&](const BaseName& base) { return base.name == sentence.relation; });
            const bool derived = sentence.relation.empty() || is_base || sentence.relation == "fr";
            if (!derived && sentence.section.empty()) found.push_back(sentence.relation + " cites no section");
        });
        const EventNames names(refuted.execution);
        const std::vector<bool> about = about_events(model);
        for (const Derivation& d : breach.derivations)
            each_leaf(model, about, d, [&](const Derivation& leaf) {
                const Node& node = model.nodes[leaf.node];
                const bool told = about[leaf.node] ? leaf.from == leaf.to || said.find(words_of(phrase_of(node))) != std::string::npos
                                                   : edges.count({std::string(node.name), names.full(leaf.from), names.full(leaf.to)}) > 0;
                if (!told)
                    found.push_back("not told: " + std::string(node.name) + " from " + names.full(leaf.from) + " to " +
                                    names.full(leaf.to));
            });
    }
    return found;
}

struct Told {
    size_t claims = 0, outcomes = 0, impossible = 0;
    size_t not_in_all_ways = 0;  // outcomes that could come about in more ways than are told
    std::vector<size_t> lines;   // of the explanation of each outcome of a ~exists claim
    std::vector<std::string> faults;
    double longest = 0;
    std::string slowest;
};

void explain_claim(const Test& test, const Model& model, Told& tally, std::mutex& mutex) {
    const bool is_forall = test.claim.kind == Claim::Kind::forall;
    Condition wanted = test.claim.condition;
    if (is_forall) {
        wanted = {};
        wanted.kind = Condition::Kind::negation;
        wanted.operands = {test.claim.condition};
    }
    const double start = now();
    Solver solver(Solver::usually, faster);
    const Forbidden forbidden = why_none(test, wanted, model, {.most_cases = is_forall ? most_of_forall : most_of_not_exists}, solver);
    std::vector<std::string> wrong;
    std::vector<size_t> lengths;
    for (const Forbidden::Case& one : forbidden.cases) {
        for (const std::string& fault : faults(one, model)) wrong.push_back(test.name + ": " + fault);
        if (!is_forall && !one.why.all_ways) wrong.push_back(test.name + ": there are other ways to it");
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
    tally.not_in_all_ways += static_cast<size_t>(
        std::count_if(forbidden.cases.begin(), forbidden.cases.end(), [](const auto& one) { return !one.why.all_ways; }));
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
    const Turn turn(12);
    Told tally;
    std::mutex mutex;
    std::atomic<size_t> next{0};
    const auto work = [&] {
        for (size_t i = next++; i < tests.size(); i = next++)
            if (turn.has(i) && (tests[i].claim.kind == Claim::Kind::not_exists || tests[i].claim.kind == Claim::Kind::forall))
                explain_claim(tests[i], models.by_default(), tally, mutex);
    };
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) workers.emplace_back(work);
    for (std::thread& worker : workers) worker.join();
    for (const std::string& fault : tally.faults) FAIL_CHECK(fault);
    CHECK(tally.claims > turn.share(580));
    CHECK(tally.lines.size() > turn.share(290));
    CHECK(tally.not_in_all_ways <= 3);
    std::sort(tally.lines.begin(), tally.lines.end());
    CHECK(tally.lines[tally.lines.size() / 2] <= 15);
    MESSAGE(tally.claims, " claims; ", tally.outcomes, " outcomes explained, all but ", tally.not_in_all_ways, " in every way, ",
            tally.lines.size(), " of them of ~exists claims; ", tally.impossible,
            " claims ruled out by values alone; lines of those of ~exists: median ", tally.lines[tally.lines.size() / 2], ", most ",
            tally.lines.back(), "; the slowest claim, ", tally.slowest, ": ", tally.longest, " s");
}

// ---- no execution escapes -------------------------------------------------------------------------

// Calls `visit` with every execution of a small program whose co and sc are total orders: with every choice of rf, by hand.
class Executions {
public:
    Executions(const Program& program, std::function<void(const Execution&)> visit)
        : program_(program), visit_(std::move(visit)), rf_(base_bounds(program, "rf").may), rf_of_(program.size(), -1) {}

    void run() { choose_rf(0); }

private:
    void choose_rf(size_t read) {
        while (read < program_.size() && program_.events[read].kind != Event::Kind::read) ++read;
        if (read == program_.size()) {
            if (const auto x = complete(program_, rf_of_, std::vector<bool>(program_.choices, false))) choose_co(*x, 0);
            return;
        }
        for (size_t write = 0; write < program_.size(); ++write)
            if (rf_.contains(write, read)) {
                rf_of_[read] = static_cast<int>(write);
                choose_rf(read + 1);
            }
        rf_of_[read] = -1;
    }

    void choose_co(Execution x, size_t cell) {
        if (cell == program_.cells.size()) return choose_sc(std::move(x));
        each_order([&](const Event& e) { return e.is_write() && e.cell == static_cast<int>(cell); }, x,
                   [&](const std::vector<size_t>& order) {
                       Execution next = x;
                       if (!order.empty() && program_.events[order.front()].kind != Event::Kind::init) return;
                       for (size_t i = 0; i < order.size(); ++i)
                           for (size_t j = i + 1; j < order.size(); ++j) next.co.add(order[i], order[j]);
                       choose_co(std::move(next), cell + 1);
                   });
    }

    void choose_sc(const Execution& x) {
        const Relation may = base_bounds(program_, "sc").may;
        each_order([](const Event& e) { return e.kind == Event::Kind::fence && e.sem == Sem::sc; }, x,
                   [&](const std::vector<size_t>& order) {
                       Execution last = x;
                       for (size_t i = 0; i < order.size(); ++i)
                           for (size_t j = i + 1; j < order.size(); ++j)
                               if (may.contains(order[i], order[j])) last.sc.add(order[i], order[j]);
                       visit_(last);
                   });
    }

    void each_order(const std::function<bool(const Event&)>& is_one, const Execution& x,
                    const std::function<void(const std::vector<size_t>&)>& visit) {
        std::vector<size_t> order;
        for (const size_t e : x.executed.elements())
            if (is_one(program_.events[e])) order.push_back(e);
        do visit(order);
        while (std::next_permutation(order.begin(), order.end()));
    }

    const Program& program_;
    std::function<void(const Execution&)> visit_;
    const Relation rf_;
    std::vector<int> rf_of_;
};

std::vector<uint64_t> outcome_of(const Forbidden& forbidden, const Execution& x) {
    std::vector<uint64_t> finals;  // by cell
    for (size_t cell = 0; cell < forbidden.program->cells.size(); ++cell)
        finals.push_back(x.values[final_writes(x, static_cast<int>(cell)).at(0)]);
    std::vector<uint64_t> values;
    for (const Observable& observable : forbidden.observables) values.push_back(evaluate(x, observable.value, finals));
    return values;
}

// Whether an execution breaks an axiom that is not set aside.
bool breaks_another(const WhyNot& why, const Model& model, const Execution& x) {
    const std::vector<size_t> broken = Evaluation(model, x).failed();
    return std::any_of(broken.begin(), broken.end(),
                       [&](size_t i) { return std::count(why.set_aside.begin(), why.set_aside.end(), model.constraints[i].name) == 0; });
}

TEST_CASE("every execution that has an outcome, and keeps the other axioms, breaks one in a way that is told") {
    ModelFamily models("ptx", {});
    size_t tests = 0, executions = 0, escaped = 0;
    for (const Test& test : library()) {
        if (test.claim.kind != Claim::Kind::not_exists || test.filter) continue;
        if (const Program program = build_program(test, {}); program.size() > 14 || program.choices > 0) continue;
        Solver solver(Solver::usually, faster);
        const Forbidden forbidden = why_none(test, test.claim.condition, models.by_default(), {.most_cases = most_of_not_exists}, solver);
        ++tests;
        Executions(*forbidden.program, [&](const Execution& x) {
            const std::vector<uint64_t> outcome = outcome_of(forbidden, x);
            for (const Forbidden::Case& one : forbidden.cases) {
                if (one.values != outcome || breaks_another(one.why, models.by_default(), x)) continue;
                ++executions;
                const auto shows = [&](const Refuted& way) { return is_valid(way.breaches.front(), models.by_default(), x); };
                if (std::any_of(one.why.refuted.begin(), one.why.refuted.end(), shows)) continue;
                ++escaped;
                FAIL_CHECK(test.name);
            }
        }).run();
    }
    CHECK(escaped == 0);
    CHECK(tests > 60);
    MESSAGE(tests, " tests, ", executions, " executions with a forbidden outcome");
}

}  // namespace
}  // namespace litmus
