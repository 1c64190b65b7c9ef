// The clock, and what one test may take: time and memory.
//
// A budget is made once for a test and handed down; every step that can be long asks it now and then. Running out of it is
// no error of the input and no fault of the tool: the answer is unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

namespace litmus {

// Seconds on a clock that never goes back; all times of the program are differences of it.
double now();

// Seconds that this thread has had of a processor.
double worked();

// Thrown where a budget is found spent.
class OverBudget : public std::exception {
public:
    enum class What : uint8_t { time, memory };
    explicit OverBudget(What what) : what_(what) {}
    bool is_time() const { return what_ == What::time; }
    const char* what() const noexcept override;

private:
    What what_;
};

class Budget {
public:
    Budget() = default;  // without bounds
    // From now on, in this thread: `seconds` on the clock and `megabytes` (2^20 bytes) allocated with `new` and not given
    // back, where the program counts them (counting_new.cpp); 0 is no bound. What the solver's library allocates is not among them
    // (solve/sat/backend.h).
    explicit Budget(double seconds, size_t megabytes = 0);

    // The same with seconds of work by this thread, so that what comes out depends less on what else the machine does.
    static Budget of_work(double seconds, size_t megabytes = 0);

    // The same, with so many seconds from now on where it has more left.
    Budget within(double seconds) const;

    // How long something that takes a limit may still run, where `reserved` seconds are kept for clearing up: at least 1; -1 without
    // a deadline.
    int milliseconds_left(double reserved = 0) const;
    bool bounds_memory() const { return bytes_ > 0; }
    uint64_t bytes() const { return bytes_; }  // that the test may take; 0: no bound
    // Throws OverBudget when memory is spent, or when no more than `reserved` seconds are left. `reserved` is what clearing up
    // will take.
    void check(double reserved = 0) const;

private:
    Budget(double (*clock)(), double seconds, size_t megabytes);

    bool is_spent_in(double reserved) const;

    double (*clock_)() = now;
    std::optional<double> deadline_;       // by clock_
    mutable std::optional<double> early_;  // of a budget of work: until then, by now(), a thread that never pauses has time left
    uint64_t bytes_ = 0;
    int64_t allocated_before_ = 0;  // allocated_here() when the test began
};

// Bytes that this thread has allocated with `new` less those that it has given back, whoever allocated them; 0 in a program that is not
// linked with counting_new.cpp, which counts them here.
int64_t allocated_here();
void count_allocated(int64_t bytes);

}  // namespace litmus
