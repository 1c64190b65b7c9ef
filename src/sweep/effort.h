// How much a run has done since it last looked at its budget.
#pragma once

#include <cstdint>

#include "base/budget.h"

namespace litmus::sweep {

// A unit is an instruction of a warp, or some memory that one touches.
class Effort {
public:
    explicit Effort(const Budget& budget) : budget_(budget) {}

    // Throws OverBudget.
    void add(uint64_t units) {
        constexpr uint64_t between = 32;  // two looks
        done_ += units;
        if (done_ < between) return;
        done_ = 0;
        budget_.check();
    }

private:
    const Budget& budget_;
    uint64_t done_ = 0;
};

}  // namespace litmus::sweep
