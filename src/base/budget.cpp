// The clock, and the count of what `new` gives out, which counting_new.cpp keeps.
#include "base/budget.h"

#include <algorithm>
#include <chrono>
#include <ctime>

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

Budget Budget::within(double seconds) const {
    Budget part = *this;
    const double end = clock_() + seconds;
    part.deadline_ = deadline_ ? std::min(*deadline_, end) : end;
    part.early_.reset();
    return part;
}

int Budget::milliseconds_left(double reserved) const {
    if (!deadline_) return -1;
    return static_cast<int>(std::max(*deadline_ - reserved - clock_(), 0.0) * 1000) + 1;
}

// A thread works no longer than time goes by. The clock on the wall can be read without calling the system, and how long a thread worked
// cannot: so the first is asked first.
bool Budget::is_spent_in(double reserved) const {
    if (clock_ == now) return now() + reserved > *deadline_;
    const double time = now();
    if (early_ && time + reserved < *early_) return false;
    const double left = *deadline_ - clock_();
    early_ = time + left;
    return left < reserved;
}

void Budget::check(double reserved) const {
    if (deadline_ && is_spent_in(reserved)) throw OverBudget(OverBudget::What::time);
    if (bytes_ > 0 && allocated - allocated_before_ > static_cast<int64_t>(bytes_)) throw OverBudget(OverBudget::What::memory);
}

int64_t allocated_here() {
    return allocated;
}

void count_allocated(int64_t bytes) {
    allocated += bytes;
}

}  // namespace litmus
