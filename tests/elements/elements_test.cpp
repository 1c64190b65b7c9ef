// To name an element changes nothing. Elements of bulk operations that nothing names stand for others (event/bulk_elements.cpp); a filter
// that is always true makes of any element one that is named. The verdict, the outcomes, races, hazards and hangs stay what they are: over
// the library (10 s), and on random programs (3 s). LITMUS_NAMED_PROGRAMS says how many of these; a long run has 5,000 (3 minutes).
//
// What this does not see is a fate that all elements share wrongly, as factors of products that never vary:
// tests/event/bulk_elements_test.cpp and the library have these.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

#include "analysis/verdict/hazards.h"
#include "cat/readings.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "ptx/traits.h"
#include "random_boxes.h"
#include "random_program.h"
#include "solve/solve.h"
#include "two_threads.h"

using namespace litmus;
namespace fs = std::filesystem;

namespace {

constexpr size_t usual_programs = 150;

size_t programs() {
    const char* wanted = std::getenv("LITMUS_NAMED_PROGRAMS");
    return wanted == nullptr ? usual_programs : std::stoul(wanted);
}

// What is said of a test: all but which execution shows it.
struct Said {
    Truth satisfiable, violable, ends;
    std::set<std::map<std::string, uint64_t>> outcomes;  // at the coordinates of the test as it stands
    std::map<std::string, std::set<Hazard::StaticInstruction>> flags;
    std::set<std::pair<Hazard::StaticInstruction, Hazard::StaticInstruction>> races;
    bool blocked = false, complete = true;
    friend bool operator==(const Said&, const Said&) = default;
};

Said said_of(const Test& test, const Model& model, Solver& solver, const std::set<std::string>* coordinates) {
    BuildOptions build;
    build.blocked = true;
    Program program = build_program(test, build);
    SolveOptions options;
    options.max_outcomes = 64;
    const Answer answer = solver.solve(program, model, options);
    Said said{answer.satisfiable, answer.violable, answer.nonempty, {}, {}, {}};
    // without a claim the coordinates of outcomes are those elements that have events
    said.complete = answer.complete && answer.hazards->races_complete && !answer.timed_out;
    for (const Outcome& outcome : test.claim.kind == Claim::Kind::none ? std::vector<Outcome>{} : answer.outcomes) {
        std::map<std::string, uint64_t> values;
        for (size_t k = 0; k < answer.observables.size(); ++k)
            if (coordinates == nullptr || coordinates->count(answer.observables[k].name) > 0)
                values[answer.observables[k].name] = outcome.values[k];
        said.outcomes.insert(values);
    }
    const auto place = [&](size_t event) {
        return Hazard::StaticInstruction{program.events[event].thread, program.events[event].instruction};
    };
    for (const Hazard& hazard : answer.hazards->found) {
        if (hazard.kind == Hazard::Kind::blocked) said.blocked = true;
        if (hazard.kind == Hazard::Kind::undefined || hazard.kind == Hazard::Kind::flag) {
            // of a set they are those of one execution
            const bool of_pairs = std::any_of(hazard.pairs.begin(), hazard.pairs.end(), [](const auto& p) { return p.first != p.second; });
            said.flags[hazard.flag] = of_pairs ? hazard.places : std::set<Hazard::StaticInstruction>{};
        }
        if (hazard.kind != Hazard::Kind::race) continue;
        const auto [a, b] = hazard.pairs.at(0);
        said.races.insert(std::minmax(place(a), place(b)));
    }
    return said;
}

// The elements that can be named. Those of an array that some instruction discards are left out: to speak of them is to read them.
std::vector<Term> elements_of(const Test& test) {
    std::set<int> discarded;
    for (const Thread& thread : test.threads)
        for (const Instruction& i : thread.body)
            if (i.op == Op::discard) {
                const Operand& line = i.at(Role::copy_to);
                if (line.indirect) return {};
                discarded.insert(physical_location(test, location_index(test, line.name)));
            }
    std::vector<Term> result;
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const Location& location = test.locations[l];
        if (is_opaque(location) || !location.points_to.empty() || !location.alias_of.empty() || discarded.count(static_cast<int>(l)) > 0)
            continue;
        for (const auto& [number, cta] : ctas_of(test)) {
            const bool everywhere = location.space == Space::shared && !location.cta;
            if (!everywhere && number != ctas_of(test).begin()->first) continue;
            for (int element = 0; element < location.count; ++element) {
                Term term;
                term.kind = Term::Kind::location;
                term.name = location.name;
                term.cta = everywhere ? number : -1;
                term.element = element;
                result.push_back(term);
            }
        }
    }
    return result;
}

// The test with a filter that is true of everything and names an element.
Test naming(Test test, const Term& element) {
    Term zero;
    Condition equal, unequal, either, both;
    equal.kind = unequal.kind = Condition::Kind::atom;
    equal.comparison = Operator::eq;
    unequal.comparison = Operator::ne;
    equal.left = unequal.left = element;
    equal.right = unequal.right = zero;
    either.kind = Condition::Kind::disjunction;
    either.operands = {equal, unequal};
    both.kind = Condition::Kind::conjunction;
    both.operands = {either};
    if (test.filter) both.operands.push_back(*test.filter);
    test.filter = both;
    return test;
}

bool is_bulk(const Instruction& i) {
    using Kind = Traits::Kind;
    const Kind k = kind(i.op);
    return is_copy(i.op) || k == Kind::fill || k == Kind::mma || k == Kind::tcgen || k == Kind::cancellation;
}

bool has_bulk(const Test& test) {
    return std::any_of(test.threads.begin(), test.threads.end(),
                       [](const Thread& thread) { return std::any_of(thread.body.begin(), thread.body.end(), is_bulk); });
}

// What is said otherwise when some elements are named, one at a time; empty: nothing.
std::string change(const Test& test, const Model& model, Solver& solver, Random random, int names) {
    const std::vector<Term> elements = elements_of(test);
    if (elements.empty()) return {};
    const Said before = said_of(test, model, solver, nullptr);
    std::set<std::string> coordinates;
    if (!before.outcomes.empty())
        for (const auto& [name, value] : *before.outcomes.begin()) coordinates.insert(name);
    for (int k = 0; k < names && before.complete; ++k) {
        const Test named = naming(test, random.pick(elements));
        const Said after = said_of(named, model, solver, &coordinates);
        if (after.complete && !(after == before)) return print(named);
    }
    return {};
}

}  // namespace

TEST_CASE("to name an element changes nothing: random programs") {
    ModelFamily family("ptx", {});
    const std::vector<const Model*> models{&family.by_default(), &family.under(family.readings("weakest"))};
    const size_t count = programs();
    std::atomic<size_t> compared = 0;
    std::mutex mutex;
    each_on_two_threads(count, [&](size_t i, Solver& solver) {
        const std::string text = random_boxes(program_seed(29, i));
        std::string found;
        try {
            const Test test = parse_tests(make_source("t.litmus", text)).at(0);
            found = change(test, *models[i % 2], solver, Random(program_seed(30, i)), 2);
            ++compared;
        } catch (const Failure&) {  // it is no test
        }
        const std::lock_guard lock(mutex);
        CHECK_MESSAGE(found.empty(), "program ", i, ":\n", found);
    });
    CHECK(compared * 10 > count * 8);
}

TEST_CASE("to name an element changes nothing: the library") {
    ModelFamily family("ptx", {});
    const Model& model = family.by_default();
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(LITMUS_SOURCE_DIR) / "litmus"))
        if (entry.path().extension() == ".litmus") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::atomic<size_t> compared = 0;
    std::mutex mutex;
    each_on_two_threads(files.size(), [&](size_t i, Solver& solver) {
        std::ifstream in(files[i]);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        for (const Test& test : parse_tests(make_source(files[i].string(), text))) {
            if (!has_bulk(test)) continue;
            const std::string found = change(test, model, solver, Random(program_seed(31, i)), 1);
            ++compared;
            const std::lock_guard lock(mutex);
            CHECK_MESSAGE(found.empty(), files[i].string(), ":\n", found);
        }
    });
    CHECK(compared > 300);
}
