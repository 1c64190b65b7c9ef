// A launch takes over what those before it did that may still run, and leaves it to the next one.
#include "sweep/grids.h"

#include <algorithm>

#include "sweep/observer.h"

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
void Observer::take_over_accesses(Past& past, size_t object) const {
    if (task_.running == nullptr) return;
    const bool is_array = object < task_.running->arrays.size();
    const kernel::Module* const owner = task_.options.changed_from != nullptr ? task_.options.changed_from : &task_.module;
    const auto variable = task_.running->variables.find({owner, task_.layout.objects()[object].name});
    if (!is_array && variable == task_.running->variables.end()) return;
    const Past& before = is_array ? task_.running->arrays[object] : variable->second;
    past.shadow = Shadow(before.shadow);
    past.written = before.written;
    past.in_part = before.in_part;
    past.releases = before.releases;
    const auto renumber = [&](Access& access) {
        if (access.number == 0) return;
        access.thread += static_cast<uint32_t>(threads_.size());
        access.statement += static_cast<uint32_t>(task_.code.size());
    };
    past.shadow.change(renumber);
    for (auto& [offset, word] : past.written)
        for (Written& value : word.values) renumber(value.access);
    for (auto& [offset, release] : past.releases) {
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

std::shared_ptr<const Running> Observer::running(const std::vector<size_t>& numbers) const {
    auto result = std::make_shared<Running>();
    for (const Thread& thread : threads_) result->threads.push_back({thread.seat, thread.seat});
    result->code = task_.code;
    result->linked.push_back(task_.linked);
    result->blocks = task_.geometry.blocks();
    result->clusters = task_.geometry.blocks() / task_.geometry.cluster_size();
    if (task_.running != nullptr) {
        const Running& before = *task_.running;
        result->threads.insert(result->threads.end(), before.threads.begin(), before.threads.end());
        result->code.insert(result->code.end(), before.code.begin(), before.code.end());
        result->linked.insert(result->linked.end(), before.linked.begin(), before.linked.end());
        result->blocks += before.blocks;
        result->clusters += before.clusters;
    }
    for (size_t object = 0; object < numbers.size(); ++object) {
        const Past& past = pasts_[numbers[object]];
        if (object < task_.launch.arrays.size())
            result->arrays.push_back(past);
        else
            result->variables.emplace(std::pair(&task_.module, task_.layout.objects()[object].name), past);
    }
    result->components = components_;
    for (const auto& [block, released] : triggers_) result->started.join(released);
    for (const Thread& thread : threads_) result->over.join(thread.known.order);
    for (size_t c = task_.running != nullptr ? task_.running->components : 0; c < components_; ++c) result->over.raise(c, UINT32_MAX);
    return result;
}

void Observer::trigger(const Thread& thread) {
    if (!task_.options.keeps_running) return;
    const Clock& released = thread.released[Scope::gpu].order;
    const auto [at, first] = triggers_.try_emplace(thread.seat.block, released);
    if (first) return;
    effort_.add(components_);
    at->second = what_both_know(at->second, released, components_);
}

void Observer::wait_for_grids(Thread& thread) {
    if (task_.running == nullptr) return;
    const Clock& over = task_.running->over;
    const auto learn = [&](Causes& known) {
        for (Clock* clock : {&known.order, &known.completed, &known.aliased, &known.fenced[maps_as_block], &known.fenced[caches_as_block]})
            clock->join(over);
        for (uint32_t rank = 0; rank < task_.geometry.cluster_size(); ++rank) {
            const uint32_t block = task_.geometry.block_of_rank(thread.seat.block, rank);
            for (const FencedSpace space : {FencedSpace::global, FencedSpace::own_shared, FencedSpace::shared_of_peers})
                known.fenced[Causes::fence_key(block, space)].join(over);
        }
    };
    learn(thread.known);
    if (thread.known.wide) learn(thread.known.wide.make());
}

}  // namespace litmus::sweep
