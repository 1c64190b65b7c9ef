// All threads of a launch, and what they may assume of memory.
//
// Loads of an array that nobody writes are computed from its initial values. Who writes what is known only after the evaluation, so it
// is found as a least fixpoint: at first no object is assumed to be written; all threads are evaluated, what they write is collected,
// and as long as that is more than was assumed they are evaluated again. At the end every write is to an object that was assumed to be
// written. That the assumption holds in each execution follows by induction over its steps: up to any step each thread has done what
// its trace says, because what it has loaded without an event was what it had assumed; so its next write is one of its trace's, and none of
// these goes to an object outside of the assumption. Which objects get opaque words (state.h) is found in the same way.
#include "kernel/evaluate.h"

#include <algorithm>

#include "kernel/walk.h"
#include "kernel/warp.h"

namespace litmus::kernel {

namespace {

const Function& entry_of(const Module& module, const Launch& launch) {
    for (const Function& function : module.functions)
        if (function.entry && function.name == launch.entry) return function;
    throw Failure(module.source, {}, "the file has no kernel `" + launch.entry + "`");
}

std::vector<Trace> evaluate_threads(Walks& walks, const Plan& entry) {
    std::vector<Trace> traces;
    for (uint32_t block = 0; block < walks.geometry.blocks(); ++block)
        for (uint32_t first = 0; first < walks.geometry.threads(); first += 32) {
            std::vector<std::unique_ptr<Walker>> lanes;
            for (uint32_t thread = first; thread < std::min(first + 32, walks.geometry.threads()); ++thread)
                lanes.push_back(std::make_unique<Walker>(walks, walks.geometry.seat(block, thread), entry));
            run_warp(lanes);
            for (auto& lane : lanes) traces.push_back(lane->trace());
        }
    return traces;
}

bool includes(const std::set<size_t>& all, const std::set<size_t>& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

}  // namespace

Traces evaluate(const Module& module, const Launch& launch, const EvaluateOptions& options) {
    const Function& entry = entry_of(module, launch);
    const Layout layout(module, launch, entry);
    Walks walks{module, launch, options, layout, Geometry(launch), {}, {}};
    for (const Function& function : module.functions)
        if (function.body) walks.plans.emplace(function.name, plan(function));
    for (;;) {
        walks.found = walks.assumed;
        walks.states = 0;
        std::vector<Trace> threads = evaluate_threads(walks, walks.plans.at(entry.name));
        if (includes(walks.assumed.written, walks.found.written) && includes(walks.assumed.opaque, walks.found.opaque))
            return {layout.objects(), std::move(threads)};
        walks.assumed = walks.found;
    }
}

}  // namespace litmus::kernel
