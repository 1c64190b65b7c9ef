// States of mbarrier objects and steps over them (ISA 9.7.13.15.2-5).
#include "ptx/mbarrier.h"

#include <doctest/doctest.h>

#include "ptx/value.h"

using namespace litmus;

namespace {

MbarrierState after(MbarrierState state, MbarrierStep step) {
    return unpack(after_step(pack(state), pack(step)));
}

MbarrierState fresh(uint32_t count) {
    return {true, 0, count, count, 0};
}

constexpr MbarrierStep arrive{0, 1, 0};

}  // namespace

TEST_CASE("packing keeps every field, negative transaction counts too") {
    for (const MbarrierState& s : {MbarrierState{}, MbarrierState{7, most_phases, most_count, most_count, most_tx},
                                   MbarrierState{1, 1, 2, 3, -most_tx}, MbarrierState{0, 7, 0, 1, -1}})
        CHECK(unpack(pack(s)) == s);
    const MbarrierStep step = unpack_step(pack(MbarrierStep{-most_tx, -1, 3}));
    CHECK(step.tx == -most_tx);
    CHECK(step.arrivals == -1);
    CHECK(step.drops == 3);
}

TEST_CASE("the last arrival completes the phase and the count starts again") {
    const MbarrierState once = after(fresh(2), arrive);
    CHECK(once == MbarrierState{1, 0, 1, 2, 0});
    CHECK(after(once, arrive) == MbarrierState{1, 1, 2, 2, 0});
}

TEST_CASE("a phase waits for its bytes, whichever comes first") {
    const MbarrierState expecting = after(fresh(1), {16, 1, 0});  // arrive.expect_tx
    CHECK(expecting == MbarrierState{1, 0, 0, 1, 16});
    CHECK(after(expecting, {-16, 0, 0}) == MbarrierState{1, 1, 1, 1, 0});
    const MbarrierState early = after(fresh(1), {-16, 0, 0});  // bytes before anyone expects them
    CHECK(early == MbarrierState{1, 0, 1, 1, -16});
    CHECK(after(early, {16, 1, 0}) == MbarrierState{1, 1, 1, 1, 0});
}

TEST_CASE("an arrival that beats its expect_tx completes the phase too early") {
    const MbarrierState arrived = after(fresh(1), arrive);
    CHECK(arrived.phase == 1);
    CHECK(after(arrived, {16, 0, 0}) == MbarrierState{1, 1, 1, 1, 16});
}

TEST_CASE("expect_tx itself may complete a phase: pending zero and the count back at zero") {
    MbarrierState s = after(fresh(1), {-4, 0, 0});
    s = after(s, arrive);
    CHECK(s.phase == 0);
    CHECK(after(s, {4, 0, 0}).phase == 1);
}

TEST_CASE("a drop lowers the count of later phases") {
    MbarrierState s = after(fresh(2), {0, 1, 1});
    CHECK(s == MbarrierState{1, 0, 1, 1, 0});
    s = after(s, arrive);
    CHECK(s == MbarrierState{1, 1, 1, 1, 0});
    CHECK(after(s, arrive).phase == 2);
}

TEST_CASE("a step is an operation on values like any other") {
    CHECK(apply(Operator::mbarrier_step, Type::b64, pack(fresh(1)), pack(arrive)) == after_step(pack(fresh(1)), pack(arrive)));
}
