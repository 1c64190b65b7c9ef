// Which instructions of which groups touch the same data, one of them writing it, when two threads execute them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "kernel/touch.h"

namespace litmus::kernel {

// Two threads that meet, each with the instruction of its body.
struct Meeting {
    struct Side {
        size_t thread = 0, instruction = 0;
    };
    Side first, second;
    bool alone = false;  // a group of theirs meets nobody among the chosen threads
};

class Meetings {
public:
    Meetings(const Traces& traces, const Memory& memory, const std::vector<size_t>& group_of);

    // An example of each meeting of the launch that no two of these threads have, chosen ones preferred. (An atomic operation that meets
    // itself in the same group is none: it is ordered with itself.)
    std::vector<Meeting> unmet(const std::vector<size_t>& chosen) const;
    // The thread that would add the most meetings to those of the chosen ones; of groups that meet nobody only, where asked so.
    std::optional<size_t> best_addition(const std::vector<size_t>& chosen, bool alone) const;

private:
    // A statement of the kernel, executed by a group.
    using Site = std::pair<size_t, size_t>;
    using SitePair = std::pair<Site, Site>;  // the lesser first
    struct Use {
        size_t thread = 0, instruction = 0;
        Site site;
        bool writes = false, atomic = false;
    };

    static bool is_meeting(const Use& a, const Use& b);
    void add_examples(const std::vector<Use>& uses);
    // What the chosen threads have: meetings, and groups in them.
    struct Met {
        std::set<SitePair> pairs;
        std::set<size_t> groups;
    };
    Met met(const std::vector<size_t>& chosen) const;

    std::vector<std::vector<Use>> places_;  // of each element that several threads touch: by whom
    std::set<SitePair> all_;
};

}  // namespace litmus::kernel
