// How long blocks are there: which threads have exited, and which accesses from elsewhere their shared memory had.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "sweep/clock.h"
#include "sweep/shadow.h"

namespace litmus::sweep {

class Presence {
public:
    void exit(uint32_t block, const Time& known) {
        Block& left = blocks_[block];
        ++left.exited;
        left.known.join(known);
    }
    uint32_t exited(uint32_t block) const {
        const auto found = blocks_.find(block);
        return found == blocks_.end() ? 0 : found->second.exited;
    }
    const Time& known_at_exits(uint32_t block) const {  // in time
        static const Time nothing;
        const auto found = blocks_.find(block);
        return found == blocks_.end() ? nothing : found->second.known;
    }

    // Accesses to the memory of other blocks' threads, and copies, which may go on when their threads have exited. The last one is enough
    // of each thread, and of each mbarrier object that completes copies.
    void note_guest(uint32_t block, const Access& access) {
        std::vector<Access>& guests = blocks_[block].guests;
        const auto same =
            std::find_if(guests.begin(), guests.end(), [&](const Access& guest) { return guest.component == access.component; });
        if (same == guests.end())
            guests.push_back(access);
        else
            *same = access;
    }
    const std::vector<Access>& guests(uint32_t block) { return blocks_[block].guests; }

private:
    struct Block {
        uint32_t exited = 0;
        Time known;
        std::vector<Access> guests;
    };
    std::map<uint32_t, Block> blocks_;
};

}  // namespace litmus::sweep
