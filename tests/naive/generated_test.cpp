// Generated tests through both front ends: what the whole pipeline says is what the naive one says.
#include <doctest/doctest.h>

#include "cat/readings.h"
#include "gen/generate.h"
#include "gen/write.h"
#include "memory.h"
#include "pipeline.h"

using namespace litmus;

namespace {

// How many of a sample were compared under the default readings; some have what the naive front end does not know, or are too large for it.
size_t compared(const gen::Wanted& wanted, size_t count) {
    ModelFamily family("ptx", {});
    const std::vector<const Model*> models{&family.by_default()};
    size_t all = 0, known = 0;
    gen::each_cycle(wanted, [&](const gen::Cycle& cycle) {
        Solver solver(Solver::always, faster);
        try {
            const naive::Comparison found = naive::compare(solver, *gen::test_of(cycle), models, {});
            CHECK_MESSAGE(!found.difference, gen::name(cycle), ": ", found.difference.value_or(""));
            ++known;
        } catch (const naive::Unsupported&) {
        }
        return ++all < count;
    });
    return known;
}

}  // namespace

TEST_CASE("a sample of generated tests") {
    CHECK(compared({.most_events = 4, .seed = 11}, 150) > 100);
}

TEST_CASE("asynchronous operations among them") {
    CHECK(compared({.most_events = 3, .families = {"async", "bulk", "cp-async", "completion"}, .seed = 12}, 100) > 50);
}
