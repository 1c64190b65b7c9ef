// All threads of a launch, and what they may assume of memory.
//
// Loads of an array that nobody writes are computed from its initial values. Who writes what is known only after the evaluation, so it
// is found as a fixpoint: at first no object is assumed to be written; the warps are evaluated one after the other, what they write is
// added to what is assumed, and those that were evaluated under a smaller assumption are evaluated again. (Mostly these are few: the first
// warp finds what all write.) At the end every write is to an object that was assumed to be written. That the assumption holds in each
// execution follows by induction over its steps: up to any step each thread has done what its trace says, because what it has loaded
// without an event was what it had assumed; so its next write is one of its trace's, and none of these goes to an object outside of the
// assumption. Which objects, and whether reductions over threads, get opaque words (state.h) is found in the same way, and so is what words
// of memory hold pointers (stored.h). That is no more with more assumed: a thread that loads a word of which nothing is known yet may store
// what can be anything. So each warp's share of it is what its last evaluation found, as long as that settles in a few rounds. A thread
// that cannot be evaluated is an error where all is settled; before, it may be that its pointers are not known yet.
#include "kernel/evaluate.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>

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
    StoredWords stored = {};
    std::exception_ptr failure = nullptr;  // it could not be evaluated
};

constexpr size_t most_rounds = 8;  // in which what was found to be stored before is forgotten

std::vector<Warp> warps_of(const Geometry& geometry) {
    std::vector<Warp> warps;
    for (uint32_t block = 0; block < geometry.blocks(); ++block)
        for (uint32_t first = 0; first < geometry.threads(); first += 32) warps.push_back({block, first, std::nullopt});
    return warps;
}

void evaluate_warp(Walks& walks, const Plan& entry, Warp& warp) {
    walks.states -= warp.states;
    const size_t before = walks.states;
    warp.traces.clear();
    warp.failure = nullptr;
    std::vector<std::unique_ptr<Walker>> lanes;
    try {
        for (uint32_t thread = warp.first; thread < std::min(warp.first + 32, walks.geometry.threads()); ++thread)
            lanes.push_back(std::make_unique<Walker>(walks, walks.geometry.seat(warp.block, thread), entry));
        run_warp(lanes);
        for (auto& lane : lanes) warp.traces.push_back(lane->trace());
    } catch (const Failure&) {
        warp.failure = std::current_exception();
    }
    warp.states = walks.states - before;
    warp.assumed = walks.assumed;
}

// Of the functions that were called.
Coverage coverage_of(const Walks& walks) {
    Coverage coverage;
    for (const auto& [name, plan] : walks.plans)
        for (size_t s = 0; s < plan.statements.size(); ++s) {
            if (!plan.statements[s].synchronizes) continue;
            const Statement& statement = plan.function->code[s];
            ++coverage.statements;
            if (walks.reached.contains(&statement))
                ++coverage.reached;
            else if (coverage.missed.empty())
                coverage.missed = statement.origin;
        }
    return coverage;
}

// A launch, evaluated: with how many objects those begin that other launches have, too.
struct Evaluated {
    Traces traces;
    size_t common = 0;
};

// What is found of these objects.
Facts of_common(Facts facts, size_t common) {
    const auto is_own = [common](size_t object) { return object >= common; };
    std::erase_if(facts.written, is_own);
    std::erase_if(facts.opaque, is_own);
    facts.narrowest.clear();  // of shared memory
    facts.left_to_complete.clear();
    return facts;
}

// With what is assumed of all launches, to which it adds what it finds.
Evaluated evaluate_one(const Module& module, const Launch& launch, const EvaluateOptions& options, Facts& all) {
    const Function& entry = entry_of(module, launch);
    const MemoryLayout layout(module, launch, entry, options.budget);
    Walks walks{module, launch, options, layout, Geometry(launch), {}, {}, all, all};
    for (const Function& function : module.functions)
        if (function.body) walks.functions.emplace(function.name, &function);
    const Plan& start = *walks.plan_of(entry.name);
    std::vector<Warp> warps = warps_of(walks.geometry);
    bool settled = false;
    for (size_t round = 0; !settled; ++round) {
        settled = true;
        for (Warp& warp : warps) {
            if (warp.assumed == walks.assumed) continue;
            walks.found.stored = round < most_rounds ? StoredWords() : std::move(warp.stored);
            evaluate_warp(walks, start, warp);
            warp.stored = walks.found.stored;
            walks.found.stored.join(all.stored);
            for (const Warp& other : warps) walks.found.stored.join(other.stored);
            settled = settled && walks.found == walks.assumed;
            walks.assumed = walks.found;
        }
    }
    for (const Warp& warp : warps)
        if (warp.failure) std::rethrow_exception(warp.failure);
    std::vector<Trace> threads;
    for (Warp& warp : warps) std::move(warp.traces.begin(), warp.traces.end(), std::back_inserter(threads));
    all = of_common(walks.assumed, layout.common_objects());
    return {{layout.objects(), std::move(threads), coverage_of(walks), std::move(walks.left_out)}, layout.common_objects()};
}

// A launch behind others takes its place among them: objects that not all have get names that are free, and blocks the numbers of its grid.
class Joined {
public:
    explicit Joined(Traces first) : traces_(std::move(first)) {
        for (const Object& object : traces_.objects) names_.insert(object.name);
    }

    void add(Evaluated launch) {
        ++grid_;
        std::map<std::string, std::string> names;
        for (size_t o = launch.common; o < launch.traces.objects.size(); ++o) {
            Object object = std::move(launch.traces.objects[o]);
            std::string name = object.name;
            for (size_t n = 2; !names_.insert(name).second; ++n) name = object.name + "_" + std::to_string(n);
            names.emplace(std::exchange(object.name, name), name);
            traces_.objects.push_back(std::move(object));
        }
        for (Trace& trace : launch.traces.threads) {
            trace.seat.block = numbered(trace.seat.block);
            trace.seat.cluster = numbered(trace.seat.cluster);
            for (Instruction& instruction : trace.body)
                for (Operand& operand : instruction.operands) {
                    const bool names_object = operand.kind == Operand::Kind::address || operand.kind == Operand::Kind::symbol;
                    if (const auto name = names.find(operand.name); names_object && name != names.end()) operand.name = name->second;
                    if (operand.cta >= 0) operand.cta = in_grid(grid_, operand.cta);
                }
            traces_.threads.push_back(std::move(trace));
        }
        Coverage& coverage = traces_.synchronization;
        coverage.statements += launch.traces.synchronization.statements;
        coverage.reached += launch.traces.synchronization.reached;
        if (coverage.missed.empty()) coverage.missed = launch.traces.synchronization.missed;
        traces_.left_out.merge(launch.traces.left_out);
    }

    Traces take() {
        for (Trace& trace : traces_.threads)
            for (const size_t i : trace.non_coherent) trace.body[i] = through_the_other_cache(trace.body[i]);
        return std::move(traces_);
    }

private:
    // Of what another kernel has written a load past the coherent cache may miss more than another load (ISA 9.7.9.9).
    static Instruction through_the_other_cache(const Instruction& load) {
        const int width = vector_width(load);
        return *make("ld.global.nc." + (width > 1 ? "v" + std::to_string(width) + "." : "") + std::string(name(data_type(load))),
                     load.operands);
    }

    uint32_t numbered(uint32_t number) const { return static_cast<uint32_t>(in_grid(grid_, static_cast<int>(number))); }

    Traces traces_;
    std::set<std::string> names_;
    int grid_ = 0;
};

}  // namespace

Traces evaluate(const Module& module, const Launch& launch, const EvaluateOptions& options) {
    return evaluate(module, std::vector<Launch>{launch}, options);
}

Traces evaluate(const Module& module, const std::vector<Launch>& launches, const EvaluateOptions& options) {
    struct Part {
        Facts assumed;
        Evaluated evaluated;
    };
    std::vector<std::optional<Part>> parts(launches.size());
    Facts all;  // of the objects that all launches have
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t l = 0; l < launches.size(); ++l) {
            if (parts[l] && parts[l]->assumed == all) continue;
            Evaluated evaluated = evaluate_one(module, launches[l], options, all);
            parts[l] = Part{all, std::move(evaluated)};
            changed = true;
        }
    }
    if (parts.size() == 1) return std::move(parts.front()->evaluated.traces);
    Joined joined(std::move(parts.front()->evaluated.traces));
    for (size_t l = 1; l < parts.size(); ++l) joined.add(std::move(parts[l]->evaluated));
    return joined.take();
}

}  // namespace litmus::kernel
