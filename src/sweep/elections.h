// Elections of lanes (ISA 9.7.13.14).
//
// elect.sync elects a lane for each mask, always the same, and does not say which. This is the lowest lane in the first order of the
// threads. In the contrary order it is a higher one, which differs from one mask to the next. A lane does some things as the elected one
// and others by itself. Its own program orders these in one of the two runs at most, so that no verdict rests on that.
#pragma once

#include <bit>
#include <cstdint>
#include <map>

#include "sweep/lanes.h"

namespace litmus::sweep {

class Elections {
public:
    explicit Elections(bool is_contrary) : is_contrary_(is_contrary) {}

    // Of these lanes.
    uint32_t elected(Lanes lanes) {
        const auto lowest = static_cast<uint32_t>(std::countr_zero(lanes));
        if (std::has_single_bit(lanes) || !is_contrary_) return lowest;
        const auto [at, fresh] = numbers_.try_emplace(lanes, static_cast<uint32_t>(numbers_.size()));
        Lanes left = lanes;
        for (uint32_t n = at->second % static_cast<uint32_t>(std::popcount(lanes) - 1); n > 0; --n)
            left &= ~(Lanes{1} << (std::bit_width(left) - 1));
        return static_cast<uint32_t>(std::bit_width(left) - 1);
    }

private:
    bool is_contrary_;
    std::map<Lanes, uint32_t> numbers_;  // by mask, in the order in which they come
};

}  // namespace litmus::sweep
