// What every solver behind Backend must do.
#include "solve/backend.h"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace litmus;

namespace {

std::vector<std::unique_ptr<Backend>> backends() {
    std::vector<std::unique_ptr<Backend>> all;
    all.push_back(make_z3_backend());
    all.push_back(make_backend_by_size());
    if (has_cadical) all.push_back(make_cadical_backend());
    if (has_cadical) all.push_back(make_backend_by_size(1));
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
    const auto backend = make_backend_by_size(10);
    backend->reset({});
    pigeons(*backend, 2);
    CHECK(backend->check({}) == Backend::Result::unsat);
    CHECK(backend->engine() == "z3");
    backend->reset({});
    pigeons(*backend, 4);
    CHECK(backend->check({}) == Backend::Result::unsat);
    CHECK(backend->engine() == (has_cadical ? "cadical" : "z3"));
}

TEST_CASE("solvers have names") {
    CHECK(name(Engine::z3) == "z3");
    CHECK(name(Engine::cadical) == "cadical");
    CHECK(name(Engine::by_size) == "auto");
    CHECK((make_cadical_backend() != nullptr) == has_cadical);
}
