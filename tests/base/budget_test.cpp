// When a budget is found spent.
#include "base/budget.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <thread>
#include <vector>

using namespace litmus;

TEST_CASE("time is spent when the clock says so") {
    const Budget budget(0.001);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK_THROWS_AS(budget.check(), OverBudget);
    CHECK(budget.seconds_left() >= 1e-3);
    CHECK_NOTHROW(Budget().check());
    CHECK_NOTHROW(Budget(1e300, SIZE_MAX).check());
}

// AddressSanitizer has allocation functions of its own: with it nothing is counted.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LITMUS_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define LITMUS_ADDRESS_SANITIZER
#endif
#ifndef LITMUS_ADDRESS_SANITIZER

TEST_CASE("memory is spent by what is allocated since then and not given back") {
    const int64_t start = allocated_here();
    const std::vector<char> before(size_t{4} << 20);
    CHECK(allocated_here() - start >= int64_t{4} << 20);
    const Budget budget(0, 2);
    CHECK_NOTHROW(budget.check());
    for (int i = 0; i < 3; ++i) {
        const std::vector<char> some(size_t{1} << 20);
        CHECK_NOTHROW(budget.check());
    }
    const std::vector<char> much(size_t{3} << 20);
    CHECK_THROWS_AS(budget.check(), OverBudget);
}

#endif
