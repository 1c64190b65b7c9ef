// A launch takes over what those before it did that may still run, and leaves it to the next one.
#include "sweep/grids.h"

#include <algorithm>

namespace litmus::sweep {

namespace {

// The first trigger of a block counts, and that of any of its threads may be the first.
Clock what_both_know(const Clock& one, const Clock& other, size_t components) {
    Clock both;
    for (size_t c = 0; c < components; ++c)
        if (const uint32_t number = std::min(one[c], other[c]); number > 0) both.raise(c, number);
    return both;
}

}  // namespace

// Accesses to an object that is there in both launches.
void Machine::take_over_accesses(Instance& instance) const {
    if (task_.running == nullptr) return;
    const bool is_array = instance.object < task_.running->arrays.size();
    const kernel::Module* const owner = task_.options.changed_from != nullptr ? task_.options.changed_from : &task_.module;
    const auto variable = task_.running->variables.find({owner, task_.layout.objects()[instance.object].name});
    if (!is_array && variable == task_.running->variables.end()) return;
    const Instance& before = is_array ? task_.running->arrays[instance.object] : variable->second;
    instance.shadow = Shadow(before.shadow);
    instance.written = before.written;
    instance.releases = before.releases;
    const auto renumber = [&](Access& access) {
        if (access.number == 0) return;
        access.thread += static_cast<uint32_t>(threads_.size());
        access.statement += static_cast<uint32_t>(task_.code.size());
    };
    instance.shadow.change(renumber);
    for (auto& [offset, values] : instance.written)
        for (Written& value : values) renumber(value.access);
    for (auto& [offset, release] : instance.releases) {
        renumber(release.by);
        decltype(release.within) within;  // a group of threads is numbered as its block or cluster is
        for (auto& [group, known] : release.within) {
            const auto& [scope, number] = group;
            const uint32_t behind = scope == Scope::cta       ? task_.geometry.blocks()
                                    : scope == Scope::cluster ? task_.geometry.blocks() / task_.geometry.cluster_size()
                                                              : 0;
            within.emplace(std::pair(scope, number + behind), std::move(known));
        }
        release.within = std::move(within);
    }
}

std::shared_ptr<const Running> Machine::running() {
    auto result = std::make_shared<Running>();
    for (const Thread& thread : threads_) result->threads.push_back({thread.seat, thread.seat});
    result->code = task_.code;
    result->linked.push_back(task_.linked);
    result->blocks = task_.geometry.blocks();
    result->clusters = task_.geometry.blocks() / task_.geometry.cluster_size();
    if (task_.running != nullptr) {
        result->threads.insert(result->threads.end(), task_.running->threads.begin(), task_.running->threads.end());
        result->code.insert(result->code.end(), task_.running->code.begin(), task_.running->code.end());
        result->linked.insert(result->linked.end(), task_.running->linked.begin(), task_.running->linked.end());
        result->blocks += task_.running->blocks;
        result->clusters += task_.running->clusters;
    }
    for (size_t object = 0; object < task_.layout.common_objects(); ++object) {
        size_t number = 0;
        const Instance& contents = instance(object, 0, number);
        if (object < task_.launch.arrays.size())
            result->arrays.push_back(contents);
        else
            result->variables.emplace(std::pair(&task_.module, task_.layout.objects()[object].name), contents);
    }
    result->components = components_;
    for (const auto& [block, released] : triggers_) result->started.join(released);
    for (const Thread& thread : threads_) result->over.join(thread.known.order);
    for (size_t c = task_.running != nullptr ? task_.running->components : 0; c < components_; ++c) result->over.raise(c, UINT32_MAX);
    return result;
}

void Machine::trigger(Warp& warp, Lanes lanes) {
    if (!task_.options.keeps_running) return;
    for (const uint32_t lane : each(lanes)) {
        Thread& own = thread(warp, lane);
        const Clock& released = own.released[Scope::gpu].order;
        const auto [at, first] = triggers_.try_emplace(warp.block, released);
        if (first) continue;
        work(components_);
        at->second = what_both_know(at->second, released, components_);
    }
}

void Machine::wait_for_grids(Warp& warp, Lanes lanes) {
    if (task_.running == nullptr) return;
    for (const uint32_t lane : each(lanes)) {
        Thread& own = thread(warp, lane);
        const auto learn = [&](Causes& known) {
            for (Clock* clock :
                 {&known.order, &known.completed, &known.aliased, &known.fenced[maps_as_block], &known.fenced[caches_as_block]})
                clock->join(task_.running->over);
            for (uint32_t rank = 0; rank < task_.geometry.cluster_size(); ++rank) {
                const uint32_t block = task_.geometry.block_of_rank(warp.block, rank);
                for (const FencedSpace space : {FencedSpace::global, FencedSpace::own_shared, FencedSpace::shared_of_peers})
                    known.fenced[Causes::fence_key(block, space)].join(task_.running->over);
            }
        };
        learn(own.known);
        if (own.known.wide) learn(own.known.wide.make());
    }
}

}  // namespace litmus::sweep
