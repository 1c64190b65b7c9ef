// First who writes what, then for each thread the first instruction by which it may hear from another CTA.
#include "kernel/started.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "kernel/counters.h"
#include "kernel/roles.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

class StartChecker {
public:
    StartChecker(const Module& module, const Traces& traces, const Memory& memory) : module_(module), traces_(traces), memory_(memory) {
        for (const Trace& trace : traces.threads)
            for (const Instruction& instruction : trace.body)
                for (const Touch& touch : memory.touches(instruction, trace.seat))
                    if (touch.writes) writers_[{touch.object, touch.block}].insert(trace.seat.block);
        for (const Trace& trace : traces.threads)
            for (const Instruction& instruction : trace.body)
                if (hears(instruction, trace.seat)) heard_.insert(trace.seat.block);
        for (size_t t = 0; t < traces.threads.size(); ++t)
            if (memory.blocks_of(traces.threads[t].seat.cluster).size() > 1) check(t);
    }
    Findings take() { return std::move(result_); }

private:
    // Whether it reads, at home, what a thread of another CTA writes.
    bool hears(const Instruction& instruction, const Seat& seat) const {
        const std::vector<Touch> touches = memory_.touches(instruction, seat);
        return !is_away(instruction, seat) && std::any_of(touches.begin(), touches.end(), [&](const Touch& touch) {
            const auto found = writers_.find({touch.object, touch.block});
            return touch.reads && found != writers_.end() && (found->second.size() > 1 || *found->second.begin() != seat.block);
        });
    }

    void check(size_t t) {
        const Trace& trace = traces_.threads[t];
        const std::vector<bool> once = happens_once(trace);
        // By itself, or by others of its CTA for whom it waits: these hear of the cluster's barrier when this thread has arrived there,
        // too.
        bool heard = false, waited = false, arrived = false;
        for (size_t i = 0; i < trace.body.size(); ++i) {
            const Instruction& instruction = trace.body[i];
            const bool waits = instruction.await || traits(instruction.op).waits;
            const bool of_cluster = kind(instruction.op) == Traits::Kind::cluster_barrier;
            if (of_cluster && waits && once[i]) return;
            if (is_away(instruction, trace.seat)) {
                if (heard || (waited && (arrived || heard_.contains(trace.seat.block))))
                    presume(t, i);
                else
                    report(t, i);
            }
            heard = heard || (of_cluster && waits) || hears(instruction, trace.seat);
            waited = waited || waits;
            arrived = arrived || of_cluster;
        }
    }

    // Whether it touches the shared memory of another CTA.
    bool is_away(const Instruction& instruction, const Seat& seat) const {
        const std::vector<Touch> touches = memory_.touches(instruction, seat);
        return std::any_of(touches.begin(), touches.end(),
                           [&](const Touch& touch) { return touch.block >= 0 && touch.block != static_cast<int>(seat.block); });
    }

    void report(size_t t, size_t i) {
        if (reported_.insert(traces_.threads[t].statements[i]).second)
            result_.broken.push_back({t, i,
                                      "access to the shared memory of a CTA that may not have started: nothing before tells, as "
                                      "`barrier.cluster` does (ISA 2.2.2)"});
    }

    void presume(size_t t, size_t i) {
        const Trace& trace = traces_.threads[t];
        if (!presumed_.insert(trace.statements[i]).second) return;
        const std::string at = text_of(module_, shown_line(module_, trace.origins[i]));
        result_.presumed.push_back("not judged: " + (at.empty() ? "" : at + ": ") + "whether the CTA whose shared memory `" +
                                   spelling(trace.body[i]) + "` accesses has started by then; `barrier.cluster` before it would tell");
    }

    const Module& module_;
    const Traces& traces_;
    const Memory& memory_;
    std::map<std::pair<size_t, int>, std::set<uint32_t>> writers_;  // of an object, in the memory of a block: from which blocks
    std::set<uint32_t> heard_;                                      // blocks of which some thread hears from another, at any time
    std::set<size_t> reported_, presumed_;                          // statements
    Findings result_;
};

}  // namespace

Findings accesses_before_start(const Module& module, const Traces& traces, const Memory& memory) {
    return StartChecker(module, traces, memory).take();
}

}  // namespace litmus::kernel
