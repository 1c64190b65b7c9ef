// The bit-matrix algebra against definitions written out pair by pair, on random relations that span
// one, two and three words a row.
#include "base/relation.h"

#include <doctest/doctest.h>

#include <functional>
#include <random>

using namespace litmus;

namespace {

using Holds = std::function<bool(size_t, size_t)>;

Relation where(size_t size, const Holds& holds) {
    Relation r(size);
    for (size_t a = 0; a < size; ++a) {
        for (size_t b = 0; b < size; ++b) {
            if (holds(a, b)) r.add(a, b);
        }
    }
    return r;
}

Relation random_relation(size_t size, double density, std::mt19937& random) {
    std::bernoulli_distribution chosen(density);
    return where(size, [&](size_t, size_t) { return chosen(random); });
}

EventSet random_set(size_t size, std::mt19937& random) {
    EventSet s(size);
    for (size_t e = 0; e < size; ++e) {
        if (random() % 2) s.add(e);
    }
    return s;
}

// What paths lead to, by a plain depth-first search.
std::vector<bool> reached(const Relation& r, size_t from) {
    std::vector<bool> seen(r.size());
    std::vector<size_t> left = r.successors(from);
    while (!left.empty()) {
        const size_t at = left.back();
        left.pop_back();
        if (seen[at]) continue;
        seen[at] = true;
        for (const size_t next : r.successors(at)) left.push_back(next);
    }
    return seen;
}

constexpr size_t sizes[] = {0, 1, 5, 63, 64, 65, 130};

}  // namespace

TEST_CASE("the operations on relations are those of their definitions") {
    std::mt19937 random(1);
    for (const size_t n : sizes) {
        CAPTURE(n);
        const Relation a = random_relation(n, 0.1, random), b = random_relation(n, 0.1, random);
        CHECK((a | b) == where(n, [&](size_t x, size_t y) { return a.contains(x, y) || b.contains(x, y); }));
        CHECK((a & b) == where(n, [&](size_t x, size_t y) { return a.contains(x, y) && b.contains(x, y); }));
        CHECK((a - b) == where(n, [&](size_t x, size_t y) { return a.contains(x, y) && !b.contains(x, y); }));
        CHECK(a.inverse() == where(n, [&](size_t x, size_t y) { return a.contains(y, x); }));
        CHECK(Relation::all(n) == where(n, [](size_t, size_t) { return true; }));
        CHECK(Relation::identity(n) == where(n, [](size_t x, size_t y) { return x == y; }));
        CHECK(sequence(a, b) == where(n, [&](size_t x, size_t y) {
                  for (const size_t via : a.successors(x)) {
                      if (b.contains(via, y)) return true;
                  }
                  return false;
              }));
        std::vector<std::vector<bool>> paths;
        for (size_t x = 0; x < n; ++x) paths.push_back(reached(a, x));
        CHECK(transitive_closure(a) == where(n, [&](size_t x, size_t y) { return paths[x][y]; }));
    }
}

TEST_CASE("sets meet relations") {
    std::mt19937 random(2);
    for (const size_t n : sizes) {
        CAPTURE(n);
        const EventSet s = random_set(n, random), t = random_set(n, random);
        const Relation r = random_relation(n, 0.02, random);
        CHECK(Relation::product(s, t) == where(n, [&](size_t x, size_t y) { return s.contains(x) && t.contains(y); }));
        CHECK(Relation::identity(s) == where(n, [&](size_t x, size_t y) { return x == y && s.contains(x); }));
        EventSet domain(n), range(n);
        for (const auto& [x, y] : r.pairs()) {
            domain.add(x);
            range.add(y);
        }
        CHECK(r.domain() == domain);
        CHECK(r.range() == range);
        CHECK(r.pairs().size() == r.count());
        CHECK(((s | t) - t) == (s - t));
        CHECK((s & t) == (s - (s - t)));
        CHECK(s.elements().size() == s.count());
        CHECK((EventSet::all(n) - s).count() == n - s.count());
        CHECK((s - s).empty());
    }
}

TEST_CASE("elements leave as they came") {
    EventSet s(70);
    s.add(69);
    s.add(3);
    CHECK(s.elements() == std::vector<size_t>{3, 69});
    s.remove(69);
    CHECK_FALSE(s.contains(69));
    Relation r(70);
    r.add(69, 3);
    r.add(2, 69);
    CHECK(r.pairs() == std::vector<Relation::Pair>{{2, 69}, {69, 3}});
    r.remove(2, 69);
    CHECK(r.successors(2).empty());
    CHECK(r.count() == 1);
}

TEST_CASE("a relation has a cycle exactly when a walk comes back") {
    std::mt19937 random(3);
    size_t cyclic = 0;
    for (int round = 0; round < 300; ++round) {
        const size_t n = 1 + random() % 12;
        const Relation r = random_relation(n, 0.5 / static_cast<double>(n), random);
        CHECK(r.irreflexive() == (r & Relation::identity(n)).empty());
        bool comes_back = false;
        Relation power = Relation::identity(n);  // r^k: the ends of walks of k steps
        for (size_t k = 1; k <= n; ++k) {
            power = sequence(power, r);
            comes_back = comes_back || !power.irreflexive();
        }
        CHECK(r.acyclic() == !comes_back);
        cyclic += comes_back ? 1 : 0;
    }
    CHECK(cyclic > 50);
    CHECK(cyclic < 250);
}
