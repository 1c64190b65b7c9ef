// When a budget is found spent, and what is left of it.
#include "base/budget.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <thread>
#include <vector>

using namespace litmus;

TEST_CASE("time is spent when the clock says so") {
    const Budget budget(0.001);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK_THROWS_AS(budget.check(), OverBudget);
    CHECK(budget.milliseconds_left() == 1);
    CHECK_NOTHROW(Budget().check());
    CHECK_NOTHROW(Budget(1e300, SIZE_MAX).check());
}

TEST_CASE("work is what the thread has had of a processor") {
    const Budget budget = Budget::of_work(0.02);
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    CHECK_NOTHROW(budget.check());
    const double start = worked();
    while (worked() - start < 0.02) {
    }
    CHECK_THROWS_AS(budget.check(), OverBudget);
}

TEST_CASE("what clearing up takes is kept aside") {
    const Budget budget(100);
    CHECK_NOTHROW(budget.check(40));
    CHECK_THROWS_AS(budget.check(200), OverBudget);
    CHECK(budget.milliseconds_left(40) > 50'000);
    CHECK(budget.milliseconds_left(40) <= 60'001);
    CHECK(budget.milliseconds_left(200) == 1);
}

TEST_CASE("milliseconds are for those that take a number") {
    CHECK(Budget().milliseconds_left() == -1);
    CHECK(Budget().milliseconds_left(1e9) == -1);
    CHECK(Budget(1e300).milliseconds_left() > 0);  // longer than an int can say
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

TEST_CASE("blocks of all sizes are aligned, and the next one of a size is the last that was given back") {
    for (size_t size = 0; size < 5000; size += 7) {
        void* const block = ::operator new(size);
        CHECK(reinterpret_cast<uintptr_t>(block) % __STDCPP_DEFAULT_NEW_ALIGNMENT__ == 0);
        std::memset(block, 1, size);
        ::operator delete(block);
        if (size > 2000) continue;
        void* const again = ::operator new(size);
        CHECK(again == block);
        ::operator delete(again);
    }
    CHECK_THROWS_AS(::operator delete(::operator new(std::numeric_limits<size_t>::max() - 4)), std::bad_alloc);
}

// Of a size that nobody else wants.
TEST_CASE("what a thread leaves is there for those that go on") {
    constexpr size_t size = 1999;
    void* const block = ::operator new(size);
    void* of_thread = nullptr;
    std::thread([&] { ::operator delete(block); }).join();
    std::thread([&] { ::operator delete(of_thread = ::operator new(size)); }).join();
    CHECK(of_thread == block);
    void* const again = ::operator new(size);
    CHECK(again == block);
    ::operator delete(again);
}

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
