// Which instructions of which groups touch the same data, one of them writing it, when two threads execute them.
//
// Two such pairs are told apart by the statement, the group and the round of a loop on each side, and by whether both threads are of
// one *convoy*: lanes of a warp with the same masks at its barriers. What `bar.warp.sync` orders for two lanes of a convoy it does not
// order for a lane of another warp, so that a pair within a convoy says nothing of one across.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "base/budget.h"
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
    // Each function throws OverBudget, too: statements that touch the same data meet in pairs.
    Meetings(const Traces& traces, const Memory& memory, const std::vector<size_t>& group_of, const Budget& budget = {});

    // An example of each meeting of the launch that no two of these threads have, chosen ones preferred. (An atomic operation that meets
    // itself in the same group is none: it is ordered with itself.)
    std::vector<Meeting> unmet(const std::vector<size_t>& chosen) const;
    // The thread that would add the most meetings to those of the chosen ones; of groups that meet nobody only, where asked so.
    std::optional<size_t> best_addition(const std::vector<size_t>& chosen, bool alone) const;

private:
    // A statement of the kernel, executed by a group for the n-th time (the later rounds of a loop are one).
    struct Site {
        size_t group = 0, statement = 0, round = 0;
        friend bool operator<(const Site& a, const Site& b) {
            return std::tie(a.group, a.statement, a.round) < std::tie(b.group, b.statement, b.round);
        }
    };
    struct Use {
        size_t thread = 0, instruction = 0, convoy = 0;
        Site site;
        bool writes = false, atomic = false;
    };
    // How two uses meet: where (the lesser site first), and whether within a convoy.
    struct Way {
        Site first, second;
        bool together = false;
        friend bool operator<(const Way& a, const Way& b) {
            return std::tie(a.first, a.second, a.together) < std::tie(b.first, b.second, b.together);
        }
    };

    static bool is_meeting(const Use& a, const Use& b);
    static Way way(const Use& a, const Use& b);
    static std::vector<const Use*> examples(const std::vector<Use>& uses, const std::vector<size_t>& preferred);
    // What the chosen threads have: meetings, and groups in them.
    struct Met {
        std::set<Way> ways;
        std::set<size_t> groups;
    };
    Met met(const std::vector<size_t>& chosen) const;

    const Budget budget_;
    std::vector<std::vector<Use>> places_;  // of each element that several threads touch: by whom
};

}  // namespace litmus::kernel
