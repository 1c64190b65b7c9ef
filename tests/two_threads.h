// Work over the library on two threads, each with a solver of its own.
#pragma once

#include <atomic>
#include <thread>

#include "analysis/verdict/support.h"
#include "solve/solve.h"

namespace litmus {

// Calls work(i, solver) once for every index below `count`.
template <typename Work>
void each_on_two_threads(size_t count, Work work) {
    std::atomic<size_t> next = 0;
    const auto worker = [&] {
        Solver solver(Solver::usually, faster);
        for (size_t i = next++; i < count; i = next++) work(i, solver);
    };
    std::thread other(worker);
    worker();
    other.join();
}

}  // namespace litmus
