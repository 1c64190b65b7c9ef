// What every solver behind Backend must do.
#include "solve/sat/backend.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>

#include "solve/sat/cdcl.h"

using namespace litmus;

namespace {

std::vector<std::unique_ptr<Backend>> backends() {
    std::vector<std::unique_ptr<Backend>> all;
    for (const SolverRow& each : solvers)
        if (each.is_there()) all.push_back(each.make());
    if (row(Engine::cadical).is_there()) all.push_back(up_to(1, make_z3));
    return all;
}

// n + 1 pigeons in n holes: no solution, and a long way to find that out.
void pigeons(Backend& backend, int n) {
    std::vector<std::vector<Lit>> in(static_cast<size_t>(n + 1));
    for (auto& pigeon : in) {
        for (int hole = 0; hole < n; ++hole) pigeon.push_back(backend.fresh());
        backend.clause(pigeon);
    }
    for (size_t hole = 0; hole < static_cast<size_t>(n); ++hole)
        for (size_t a = 0; a < in.size(); ++a)
            for (size_t b = 0; b < a; ++b) backend.clause({-in[a][hole], -in[b][hole]});
}

}  // namespace

TEST_CASE("clauses and assumptions, asked one after the other") {
    for (const auto& backend : backends()) {
        const Lit a = backend->fresh(), b = backend->fresh();
        CHECK(backend->value(always_true));
        CHECK_FALSE(backend->value(always_false));
        backend->clause({a, b});
        REQUIRE(backend->check({-a}) == Backend::Result::sat);
        CHECK_FALSE(backend->value(a));
        CHECK(backend->value(-a));
        CHECK(backend->value(b));
        CHECK(backend->check({-a, -b}) == Backend::Result::unsat);
        REQUIRE(backend->check({-b, always_true}) == Backend::Result::sat);
        CHECK(backend->value(a));
        CHECK(backend->check({always_false}) == Backend::Result::unsat);
        const Lit c = backend->fresh();  // after the first checks
        backend->clause({-a, c, always_false});
        backend->clause({-c, always_true});
        REQUIRE(backend->check({a}) == Backend::Result::sat);
        CHECK(backend->value(c));
        backend->clause({-a});
        backend->clause({-b, always_false});
        CHECK(backend->check({}) == Backend::Result::unsat);
        backend->reset({});
        const Lit again = backend->fresh();
        REQUIRE(backend->check({-again}) == Backend::Result::sat);
        CHECK_FALSE(backend->value(again));
        backend->clause({});
        CHECK(backend->check({}) == Backend::Result::unsat);
    }
}

TEST_CASE("all solvers agree on random clauses, which come between the questions") {
    std::mt19937 random(7);
    const auto below = [&](size_t n) { return random() % n; };
    for (int round = 0; round < 40; ++round) {
        const size_t size = 20 + below(80);
        const auto reference = make_z3();
        const auto others = backends();
        std::vector<std::vector<Lit>> clauses;
        const auto literal = [&] { return (below(2) == 0 ? 1 : -1) * static_cast<Lit>(always_true + 1 + below(size)); };
        for (size_t i = 0; i < size; ++i) {
            reference->fresh();
            for (const auto& backend : others) backend->fresh();
        }
        for (int question = 0; question < 12; ++question) {
            for (size_t i = 0; i < size / 2; ++i) {  // nine questions in, most instances are about to become contradictory
                clauses.push_back({literal(), literal(), literal()});
                reference->clause(clauses.back());
                for (const auto& backend : others) backend->clause(clauses.back());
            }
            const std::vector<Lit> assumptions{literal(), literal(), literal()};
            const Backend::Result expected = reference->check(assumptions);
            for (const auto& backend : others) {
                REQUIRE(backend->check(assumptions) == expected);
                if (expected != Backend::Result::sat) continue;
                const auto holds = [&](Lit l) { return backend->value(l); };
                CHECK(std::all_of(assumptions.begin(), assumptions.end(), holds));
                for (const auto& clause : clauses) CHECK(std::any_of(clause.begin(), clause.end(), holds));
            }
        }
    }
}

TEST_CASE("a search that takes too long ends within its time") {
    for (const auto& backend : backends()) {
        const double start = now();
        backend->reset(Budget(0.5));
        pigeons(*backend, 14);
        CHECK_THROWS_AS(backend->check({}), OverBudget);
        CHECK(now() - start < 3);
        backend->reset({});
        pigeons(*backend, 3);
        CHECK(backend->check({}) == Backend::Result::unsat);
    }
}

TEST_CASE("a proof that takes more clauses than are kept") {
    const auto backend = make_cdcl();
    pigeons(*backend, 8);
    CHECK(backend->check({}) == Backend::Result::unsat);
}

TEST_CASE("a literal that was not made yet is an internal error") {
    for (const auto& backend : backends()) {
        const Lit a = backend->fresh();
        CHECK_THROWS_AS(backend->clause({a, 0}), std::logic_error);
    }
}

TEST_CASE("too many clauses are given up") {
    for (const auto& backend : backends()) {
        backend->reset(Budget(0, 20));
        const auto flood = [&] {
            const Lit first = backend->fresh();
            for (int i = 0; i < 9'000'000; ++i) backend->clause({first, backend->fresh()});
        };
        CHECK_THROWS_AS(flood(), OverBudget);
    }
}

TEST_CASE("the number of clauses chooses the solver, anew after each reset") {
    const auto backend = up_to(10, make_z3);
    backend->reset({});
    pigeons(*backend, 2);
    CHECK(backend->check({}) == Backend::Result::unsat);
    CHECK(backend->engine() == "z3");
    backend->reset({});
    pigeons(*backend, 4);
    CHECK(backend->check({}) == Backend::Result::unsat);
    CHECK(backend->engine() == (row(Engine::cadical).is_there() ? "cadical" : "z3"));
}

TEST_CASE("solvers have names, and say which of them decided") {
    CHECK(name(Engine::z3) == "z3");
    CHECK(name(Engine::z3_alone) == "z3-alone");
    CHECK(name(Engine::cadical) == "cadical");
    CHECK(name(Engine::cadical_alone) == "cadical-alone");
    CHECK(name(Engine::by_size) == "auto");
    CHECK(name(Engine::cdcl) == "cdcl");
    CHECK(row(Engine::z3_alone).make()->engine() == "z3");
    if (row(Engine::cadical_alone).is_there()) CHECK(row(Engine::cadical_alone).make()->engine() == "cadical");
    for (const Engine searches : {Engine::by_size, Engine::z3, Engine::cadical, Engine::cdcl})
        if (row(searches).is_there()) CHECK(row(searches).make()->engine() == "cdcl");
}

TEST_CASE("Z3 is asked about refutations that took a search, and about nothing else") {
    const auto backend = row(Engine::z3).make();
    const Lit a = backend->fresh(), b = backend->fresh();
    backend->clause({-a, b});
    CHECK(backend->check({a}) == Backend::Result::sat);
    CHECK(backend->check({a, -b}) == Backend::Result::unsat);  // b follows
    CHECK(backend->check({a, -a}) == Backend::Result::unsat);
    CHECK(backend->engine() == "cdcl");
    pigeons(*backend, 3);
    CHECK(backend->check({a}) == Backend::Result::unsat);
    CHECK(backend->engine() == "z3");
}

// Seven pigeons are told apart by no thousand conflicts: Z3 gets all clauses, and those that come later.
TEST_CASE("Z3 goes on alone where a search of our own takes long") {
    const auto backend = row(Engine::z3).make();
    const Lit a = backend->fresh();
    pigeons(*backend, 7);
    CHECK(backend->check({a}) == Backend::Result::unsat);
    CHECK(backend->engine() == "z3");
    backend->reset({});
    const Lit b = backend->fresh(), c = backend->fresh();
    backend->clause({b, c});
    REQUIRE(backend->check({-b}) == Backend::Result::sat);
    CHECK(backend->value(c));
}

namespace {

// Random clauses over so many variables, a number for each.
std::vector<std::vector<Lit>> random_clauses(std::mt19937& random, size_t variables, size_t clauses) {
    std::vector<std::vector<Lit>> result(clauses);
    for (auto& clause : result)
        for (int i = 0; i < 3; ++i)
            clause.push_back((random() % 2 == 0 ? 1 : -1) * static_cast<Lit>(always_true + 1 + static_cast<Lit>(random() % variables)));
    return result;
}

bool holds(const std::vector<std::vector<Lit>>& clauses, const std::function<bool(Lit)>& value) {
    return std::all_of(clauses.begin(), clauses.end(),
                       [&](const auto& clause) { return std::any_of(clause.begin(), clause.end(), value); });
}

}  // namespace

TEST_CASE("of several solutions every solver gives the first") {
    constexpr size_t variables = 10;
    std::mt19937 random(11);
    size_t found = 0;
    for (int round = 0; round < 60; ++round) {
        const auto clauses = random_clauses(random, variables, 20 + random() % 25);
        const Lit assumed = (random() % 2 == 0 ? 1 : -1) * static_cast<Lit>(always_true + 1 + static_cast<Lit>(random() % variables));
        std::optional<size_t> first;  // the first variable is its highest bit
        const auto value = [&](size_t solution, Lit l) {
            const bool is_true = (solution >> (variables - 1 - static_cast<size_t>(std::abs(l) - always_true - 1)) & 1U) != 0;
            return l > 0 ? is_true : !is_true;
        };
        for (size_t solution = 0; solution < size_t{1} << variables && !first; ++solution)
            if (value(solution, assumed) && holds(clauses, [&](Lit l) { return value(solution, l); })) first = solution;
        for (const auto& backend : backends()) {
            for (size_t i = 0; i < variables; ++i) backend->fresh();
            for (const auto& clause : clauses) backend->clause(clause);
            for (const Lit asked : {assumed, -assumed, assumed}) {  // what was asked before does not matter
                const Backend::Result result = backend->check({asked});
                if (asked != assumed) continue;
                REQUIRE((result == Backend::Result::sat) == first.has_value());
                for (size_t i = 0; first && i < variables; ++i) {
                    const auto l = static_cast<Lit>(always_true + 1 + static_cast<Lit>(i));
                    CHECK(backend->value(l) == value(*first, l));
                }
            }
        }
        if (first) ++found;
    }
    CHECK(found > 20);
}

// With 4.2 clauses for each of 90 variables, a solution is no more likely than none, and both take many conflicts.
TEST_CASE("the first solution is found where the search is long, and what was tried in vain is forgotten") {
    constexpr size_t variables = 90;
    std::mt19937 random(5);
    size_t found = 0, refuted = 0;
    for (int round = 0; round < 12; ++round) {
        const auto clauses = random_clauses(random, variables, 378);
        const auto all = backends();
        for (const auto& backend : all) {
            for (size_t i = 0; i < variables; ++i) backend->fresh();
            for (const auto& clause : clauses) backend->clause(clause);
        }
        for (const Lit asked : {2, -2, 3, -3}) {
            const auto reference = all.begin()->get();
            const Backend::Result expected = reference->check({asked});
            ++(expected == Backend::Result::sat ? found : refuted);
            for (const auto& backend : all) {
                if (backend.get() != reference) REQUIRE(backend->check({asked}) == expected);
                if (expected != Backend::Result::sat) continue;
                CHECK(holds(clauses, [&](Lit l) { return backend->value(l); }));
                for (Lit l = 2; l < static_cast<Lit>(variables) + 2; ++l) CHECK(backend->value(l) == reference->value(l));
            }
        }
    }
    CHECK(found > 5);
    CHECK(refuted > 5);
}

// Clauses of four literals, so that learnt ones come of several others, with some of one literal among them.
TEST_CASE("a refutation names clauses that contradict by themselves") {
    std::mt19937 random(3);
    const auto below = [&](size_t n) { return random() % n; };
    size_t searched = 0, followed = 0;
    for (int round = 0; round < 200; ++round) {
        const size_t size = 6 + below(20);
        const auto literal = [&] { return (below(2) == 0 ? 1 : -1) * static_cast<Lit>(always_true + 1 + below(size)); };
        Cdcl solver([] { return false; });
        solver.keep_sources();
        std::set<std::set<Lit>> given;
        for (int question = 0; question < 8; ++question) {
            for (size_t i = 0; i < 2 * size; ++i) {
                std::vector<Lit> clause;
                for (size_t n = below(12) == 0 ? 1 : 3 + below(2); n > 0; --n) clause.push_back(literal());
                solver.add_clause(clause);
                given.emplace(clause.begin(), clause.end());
            }
            const std::vector<Lit> assumptions{literal(), literal()};
            if (solver.solve(assumptions) != false) continue;
            ++(solver.refutation().searched ? searched : followed);
            const auto judge = make_z3();
            for (size_t i = 0; i < size; ++i) judge->fresh();
            for (const uint32_t clause : solver.refutation().clauses) {
                CHECK(given.count({solver.given(clause).begin(), solver.given(clause).end()}) == 1);
                judge->clause(solver.given(clause));
            }
            CHECK(judge->check(assumptions) == Backend::Result::unsat);
        }
    }
    CHECK(searched > 50);
    CHECK(followed > 50);
}
