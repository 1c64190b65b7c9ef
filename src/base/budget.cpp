// The clock, and the count of what `new` gives out.
//
// Every allocation of C++ goes through the two pairs of functions at the end, which the language lets a program replace; they add to a
// count of the thread. The sizes are those that malloc really sets aside.
#include "base/budget.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <new>

namespace litmus {

namespace {

thread_local int64_t allocated = 0;

}  // namespace

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const char* OverBudget::what() const noexcept {
    return is_time() ? "not decided within the time limit" : "not decided within the memory limit";
}

double worked() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Budget::Budget(double seconds, size_t megabytes) : Budget(now, seconds, megabytes) {}

Budget Budget::of_work(double seconds, size_t megabytes) {
    return {worked, seconds, megabytes};
}

Budget::Budget(double (*clock)(), double seconds, size_t megabytes) : clock_(clock) {
    constexpr double longest = 1e6;  // in milliseconds still an int
    constexpr uint64_t most = uint64_t{1} << 40;
    if (seconds > 0) deadline_ = clock_() + std::min(seconds, longest);
    bytes_ = std::min<uint64_t>(megabytes, most) << 20;
    allocated_before_ = allocated;
}

int Budget::milliseconds_left(double reserved) const {
    if (!deadline_) return -1;
    return static_cast<int>(std::max(*deadline_ - reserved - clock_(), 0.0) * 1000) + 1;
}

void Budget::check(double reserved) const {
    if (deadline_ && clock_() + reserved > *deadline_) throw OverBudget(OverBudget::What::time);
    if (bytes_ > 0 && allocated - allocated_before_ > static_cast<int64_t>(bytes_)) throw OverBudget(OverBudget::What::memory);
}

int64_t allocated_here() {
    return allocated;
}

}  // namespace litmus

// AddressSanitizer has functions of its own, which must not be mixed with others: with it nothing is counted.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LITMUS_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define LITMUS_ADDRESS_SANITIZER
#endif
#ifndef LITMUS_ADDRESS_SANITIZER

void* operator new(std::size_t size) {
    void* block = std::malloc(size > 0 ? size : 1);
    if (block == nullptr) throw std::bad_alloc();
    litmus::allocated += static_cast<int64_t>(malloc_usable_size(block));
    return block;
}

void operator delete(void* block) noexcept {
    litmus::allocated -= static_cast<int64_t>(malloc_usable_size(block));
    std::free(block);
}

void operator delete(void* block, std::size_t) noexcept {
    operator delete(block);
}

#endif
