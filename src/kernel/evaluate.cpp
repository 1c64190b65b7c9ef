// All threads of a launch, and what they may assume of memory.
//
// Loads of an array that nobody writes are computed from its initial values. Who writes what is known only after the evaluation, so it
// is found as a fixpoint: at first no object is assumed to be written; the warps are evaluated one after the other, what they write is
// added to what is assumed, and those that were evaluated under a smaller assumption are evaluated again. (Mostly these are few: the first
// warp finds what all write.) At the end every write is to an object that was assumed to be written. That the assumption holds in each
// execution follows by induction over its steps: up to any step each thread has done what its trace says, because what it has loaded
// without an event was what it had assumed; so its next write is one of its trace's, and none of these goes to an object outside of the
// assumption. Which objects, and whether reductions over threads, get opaque words (state.h) is found in the same way.
//
// What words of memory hold pointers (stored.h) is found by rounds, too: they are those that the last evaluation of each warp stores, until
// that is what was assumed. It does not only grow: a thread that loads a word of which nothing is known yet may store what can be anything.
// If it does not settle in a few rounds no pointer is followed. A thread that cannot be evaluated is an error where all is settled; before,
// it may be that its pointers are not known yet.
#include "kernel/evaluate.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>

#include "kernel/joined.h"
#include "kernel/walk.h"
#include "kernel/warp.h"

namespace litmus::kernel {

namespace {

const Function& entry_of(const Module& module, const Launch& launch) {
    for (const Function& function : module.functions)
        if (function.entry && function.name == launch.entry) return function;
    throw Failure(module.source, {}, "the file has no kernel `" + launch.entry + "`");
}

// The threads of a warp, as they were evaluated last.
struct Warp {
    uint32_t block = 0, first = 0;  // thread of the block
    std::optional<Facts> assumed;   // none: not yet
    std::vector<Trace> traces = {};
    size_t states = 0;
    StoredWords stored = {};               // by them
    std::exception_ptr failure = nullptr;  // it could not be evaluated
};

constexpr size_t rounds_to_settle = 8;  // until which pointers in memory settle, or are not followed

// Of the blocks that have started.
std::vector<Warp> warps_of(const Geometry& geometry) {
    std::vector<Warp> warps;
    for (uint32_t block = 0; block < geometry.started(); ++block)
        for (uint32_t first = 0; first < geometry.threads(); first += 32) warps.push_back({block, first, std::nullopt});
    return warps;
}

void evaluate_warp(Walks& walks, const Plan& entry, Warp& warp) {
    walks.states -= warp.states;
    const size_t before = walks.states;
    warp.traces.clear();
    warp.failure = nullptr;
    walks.stored = {};
    std::vector<std::unique_ptr<Walker>> lanes;
    try {
        for (uint32_t thread = warp.first; thread < std::min(warp.first + 32, walks.geometry.threads()); ++thread)
            lanes.push_back(std::make_unique<Walker>(walks, walks.geometry.seat(warp.block, thread), entry));
        run_warp(lanes);
        for (auto& lane : lanes) warp.traces.push_back(lane->trace());
    } catch (const Failure&) {
        warp.failure = std::current_exception();
    }
    warp.stored = std::move(walks.stored);
    warp.states = walks.states - before;
    warp.assumed = walks.assumed;
}

// Of the functions that were called.
Coverage coverage_of(const Walks& walks) {
    Coverage coverage;
    for (const auto& [name, plan] : walks.plans)
        for (size_t s = 0; s < plan.steps.size(); ++s) {
            if (!plan.steps[s].synchronizes) continue;
            const Statement& statement = plan.function->code[s];
            ++coverage.statements;
            if (walks.reached.contains(&statement))
                ++coverage.reached;
            else if (coverage.missed.empty())
                coverage.missed = statement.origin;
        }
    return coverage;
}

// A launch, evaluated.
struct Evaluated {
    Traces traces;
    size_t common = 0;   // of its objects, the first ones, which other launches have, too
    StoredWords stored;  // in these, by its threads
};

// What is found of the objects that all launches have.
Facts of_common(Facts facts, size_t common) {
    const auto is_own = [common](size_t object) { return object >= common; };
    std::erase_if(facts.written, is_own);
    std::erase_if(facts.opaque, is_own);
    facts.narrowest.clear();  // of shared memory
    facts.left_to_complete.clear();
    facts.answers.clear();
    return facts;
}

// Evaluates under what is assumed of all launches, to which it adds what it finds. `others`: what the other launches store.
Evaluated evaluate_one(const Module& module, const Launch& launch, const EvaluateOptions& options, Facts& all, const StoredWords& others) {
    const Function& entry = entry_of(module, launch);
    const MemoryLayout layout(module, launch, entry, options.budget);
    Walks walks{module, launch, options, layout, Geometry(launch), {}, {}, all, all};
    for (const Function& function : module.functions)
        if (function.body) walks.functions.emplace(function.name, &function);
    const Plan& start = *walks.plan_of(entry.name);
    std::vector<Warp> warps = warps_of(walks.geometry);
    const auto is_pointer = [&layout](uint64_t word) { return word >= window::global && layout.find("global", word, 0).has_value(); };
    StoredWords stored;  // by all warps
    bool settled = false;
    for (size_t round = 0; !settled; ++round) {
        settled = true;
        for (Warp& warp : warps) {
            if (warp.assumed == walks.assumed) continue;
            evaluate_warp(walks, start, warp);
            settled = settled && walks.found == walks.assumed;
            walks.assumed = walks.found;
        }
        stored = {};
        for (const Warp& warp : warps) stored.join(warp.stored);
        StoredWords together = others;
        together.join(stored);
        auto pointers = round < rounds_to_settle ? together.pointers(is_pointer) : StoredWords::Words();
        settled = settled && pointers == walks.assumed.pointers;
        walks.assumed.pointers = walks.found.pointers = std::move(pointers);
    }
    for (const Warp& warp : warps)
        if (warp.failure) std::rethrow_exception(warp.failure);
    std::vector<Trace> threads;
    for (Warp& warp : warps) std::move(warp.traces.begin(), warp.traces.end(), std::back_inserter(threads));
    all = of_common(walks.assumed, layout.common_objects());
    return {
        {layout.objects(), std::move(threads), coverage_of(walks), std::move(walks.left_out)}, layout.common_objects(), std::move(stored)};
}

}  // namespace

Traces evaluate(const Module& module, const Launch& launch, const EvaluateOptions& options) {
    return evaluate(module, std::vector<Launch>{launch}, options);
}

Traces evaluate(const Module& module, const std::vector<Launch>& launches, const EvaluateOptions& options) {
    struct Part {
        Facts assumed;
        StoredWords others;
        Evaluated evaluated;
    };
    std::vector<std::optional<Part>> parts(launches.size());
    Facts all;  // of the objects that all launches have
    bool changed = true;
    for (size_t round = 0; changed; ++round) {
        changed = false;
        for (size_t l = 0; l < launches.size(); ++l) {
            StoredWords others;
            for (size_t other = 0; other < launches.size(); ++other)
                if (other != l && parts[other]) others.join(parts[other]->evaluated.stored);
            for (size_t object = 0; round >= rounds_to_settle && object < parts[l]->evaluated.common; ++object) others.spoil(object);
            if (parts[l] && parts[l]->assumed == all && parts[l]->others == others) continue;
            Evaluated evaluated = evaluate_one(module, launches[l], options, all, others);
            parts[l] = Part{all, std::move(others), std::move(evaluated)};
            changed = true;
        }
    }
    if (parts.size() == 1) return std::move(parts.front()->evaluated.traces);
    std::vector<Traces> traces;
    for (std::optional<Part>& part : parts) traces.push_back(std::move(part->evaluated.traces));
    return as_one(std::move(traces), parts.front()->evaluated.common);
}

}  // namespace litmus::kernel
