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

const kernel::Seat& Machine::seat_of(uint32_t thread) const {
    return is_earlier(thread) ? running_->threads[thread - threads_.size()].seat : threads_[thread].seat;
}

const Step& Machine::step_of(uint32_t statement) const {
    return statement < code_.size() ? code_[statement] : running_->code[statement - code_.size()];
}

Place Machine::place_of(const Access& access) const {
    if (!is_earlier(access.thread)) return place(threads_[access.thread], code_[access.statement]);
    return {running_->threads[access.thread - threads_.size()].own_seat, step_of(access.statement).original, true};
}

// Accesses to an object that is there in both launches.
void Machine::take_over_accesses(Instance& instance) const {
    if (running_ == nullptr) return;
    const bool is_array = instance.object < running_->arrays.size();
    const kernel::Module* const owner = options_.changed_from != nullptr ? options_.changed_from : &module_;
    const auto variable = running_->variables.find({owner, layout_.objects()[instance.object].name});
    if (!is_array && variable == running_->variables.end()) return;
    const Instance& before = is_array ? running_->arrays[instance.object] : variable->second;
    instance.shadow = Shadow(before.shadow);
    instance.written = before.written;
    instance.releases = before.releases;
    const auto renumber = [&](Access& access) {
        if (access.number == 0) return;
        access.thread += static_cast<uint32_t>(threads_.size());
        access.statement += static_cast<uint32_t>(code_.size());
    };
    instance.shadow.change(renumber);
    for (auto& [offset, values] : instance.written)
        for (Written& value : values) renumber(value.access);
    for (auto& [offset, release] : instance.releases) {
        renumber(release.by);
        decltype(release.within) within;  // a group of threads is numbered as its block or cluster is
        for (auto& [group, known] : release.within) {
            const auto& [scope, number] = group;
            const uint32_t behind = scope == Scope::cta       ? geometry_.blocks()
                                    : scope == Scope::cluster ? geometry_.blocks() / geometry_.cluster_size()
                                                              : 0;
            within.emplace(std::pair(scope, number + behind), std::move(known));
        }
        release.within = std::move(within);
    }
}

std::shared_ptr<const Running> Machine::running() {
    auto result = std::make_shared<Running>();
    for (const Thread& thread : threads_) result->threads.push_back({thread.seat, thread.seat});
    result->code = code_;
    result->linked.push_back(linked_);
    result->blocks = geometry_.blocks();
    result->clusters = geometry_.blocks() / geometry_.cluster_size();
    if (running_ != nullptr) {
        result->threads.insert(result->threads.end(), running_->threads.begin(), running_->threads.end());
        result->code.insert(result->code.end(), running_->code.begin(), running_->code.end());
        result->linked.insert(result->linked.end(), running_->linked.begin(), running_->linked.end());
        result->blocks += running_->blocks;
        result->clusters += running_->clusters;
    }
    for (size_t object = 0; object < layout_.common_objects(); ++object) {
        size_t number = 0;
        const Instance& contents = instance(object, 0, number);
        if (object < launch_.arrays.size())
            result->arrays.push_back(contents);
        else
            result->variables.emplace(std::pair(&module_, layout_.objects()[object].name), contents);
    }
    result->components = components_;
    for (const auto& [block, released] : triggers_) result->started.join(released);
    for (const Thread& thread : threads_) result->over.join(thread.known.order);
    for (size_t c = running_ != nullptr ? running_->components : 0; c < components_; ++c) result->over.raise(c, UINT32_MAX);
    return result;
}

// Seats of earlier launches get numbers behind the own ones.
std::shared_ptr<const Running> Machine::numbered_behind(const Running& before) const {
    auto result = std::make_shared<Running>(before);
    for (EarlierThread& thread : result->threads) {
        thread.seat.block += geometry_.blocks();
        thread.seat.cluster += geometry_.blocks() / geometry_.cluster_size();
    }
    return result;
}

void Machine::trigger(Warp& warp, Lanes lanes) {
    if (!options_.keeps_running) return;
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
    if (running_ == nullptr) return;
    for (const uint32_t lane : each(lanes)) {
        Thread& own = thread(warp, lane);
        const auto learn = [&](Causes& known) {
            for (Clock* clock :
                 {&known.order, &known.completed, &known.aliased, &known.fenced[maps_as_block], &known.fenced[caches_as_block]})
                clock->join(running_->over);
            for (uint32_t rank = 0; rank < geometry_.cluster_size(); ++rank) {
                const uint32_t block = geometry_.block_of_rank(warp.block, rank);
                for (const FencedSpace space : {FencedSpace::global, FencedSpace::own_shared, FencedSpace::shared_of_peers})
                    known.fenced[Causes::fence_key(block, space)].join(running_->over);
            }
        };
        learn(own.known);
        if (own.known.wide) learn(own.known.wide.make());
    }
}

}  // namespace litmus::sweep
