// Clocks: which way a branch goes that time decides.
//
// It may go either way. Where one way gives up at once, in a trap, that is a time-out. A trap ends all threads, so that nothing is claimed
// of what comes then (model/semantics.md, section 2): the other way is gone, and there is no condition. Elsewhere the run goes as its clock
// says. A run with Schedule::late goes the other way, at every second time that a warp comes by, so that loops end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sweep/code.h"
#include "sweep/doubt.h"

namespace litmus::sweep {

// Whether all that goes on here comes to a trap, whatever printf says before.
bool gives_up(const std::vector<Step>& code, size_t at);

class Timing {
public:
    // `earlier`: statements of earlier launches, which have the first numbers of doubts.
    Timing(const std::vector<Step>& code, size_t earlier, const Doubts& doubts) : code_(code), earlier_(earlier), doubts_(doubts) {}

    bool is_clock(uint32_t began) const;  // a doubt that began there
    bool is_timed(Doubt doubt) const;     // a clock is among its causes
    // Whether the guard of the statement holds on the way that goes on; none: no clock decides it, or not one of its two ways gives up.
    std::optional<bool> unless_it_gives_up(Doubt doubt, const Step& step);

private:
    const std::vector<Step>& code_;
    const size_t earlier_;
    const Doubts& doubts_;
    std::map<uint32_t, std::optional<bool>> time_outs_;  // by statement
};

}  // namespace litmus::sweep
