// Each mask of each trace, against the lane of its thread.
#include "kernel/masks.h"

#include <set>

#include "kernel/counters.h"
#include "kernel/live.h"
#include "ptx/demands.h"
#include "ptx/table.h"

namespace litmus::kernel {

Findings lanes_outside_masks(const Module& module, const Traces& traces) {
    Findings result;
    std::set<size_t> said;  // statements
    for (size_t t = 0; t < traces.threads.size(); ++t) {
        const Trace& trace = traces.threads[t];
        std::vector<bool> once;
        for (size_t i = 0; i < trace.body.size(); ++i) {
            const Operand* const mask = trace.body[i].find(Role::member_mask);
            const uint32_t lane = trace.seat.lane();
            if (mask == nullptr || (mask->value >> lane & 1) != 0 || !said.insert(trace.statements[i]).second) continue;
            if (once.empty()) once = happens_once(trace);
            const std::string what = "the mask of `" + spelling(trace.body[i]) + "` leaves out lane " + std::to_string(lane) +
                                     ", which executes it" + citation({}, trace.body[i]);
            const std::string at = text_of(module, shown_line(module, trace.origins[i]));
            if (once[i])
                result.broken.push_back({t, i, what});
            else
                result.presumed.push_back("not judged: " + (at.empty() ? "" : at + ": ") + what + ", if it comes there");
        }
    }
    return result;
}

}  // namespace litmus::kernel
