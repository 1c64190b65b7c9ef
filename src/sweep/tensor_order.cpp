// Tensor memory has 128 lanes of 512 columns, and nothing but tcgen05 accesses it. Its shadow is one line: the columns of the first 16
// lanes, then those of the next 16. Operations access 16 lanes or more, but for one whose four lanes are taken for 16.
//
// tcgen05.mma and .cp of a thread are numbered, as copies are; who waits for a commit knows that those before it are complete. Two that
// are pipelined need only the order of their execution (9.7.16.6.2). In one thread that is the order of its program. In two threads a
// fence::before_thread_sync, or a commit, publishes it `in time`, and a fence::after_thread_sync takes it up (9.7.16.6.3). Loads and stores
// are a warp's. Base causality order counts here as elsewhere (model/semantics.md, the reading `tensor-causality`).
#include "sweep/tensor_order.h"

#include <functional>
#include <string>

namespace litmus::sweep {

namespace {

constexpr uint32_t columns_of_memory = 512;

}  // namespace

bool TensorMemory::has_room(uint32_t columns) const {
    uint32_t held = 0;
    for (const auto& [first, count] : allocated) held += count;
    return held + columns <= columns_of_memory;
}

// The first gap that is large enough; where there is none in one piece, the columns behind all others, as far as an address is concerned.
uint32_t TensorMemory::allocate(uint32_t columns) {
    uint32_t first = 0;
    for (const auto& [begin, count] : allocated) {
        if (begin >= first + columns) break;
        first = begin + count;
    }
    allocated[first] = columns;
    return first;
}

bool TensorMemory::holds(uint32_t column) const {
    const auto after = allocated.upper_bound(column);
    return after != allocated.begin() && column - std::prev(after)->first < std::prev(after)->second;
}

// The two blocks of a pair "must synchronize Tensor Memory accesses before attempting to collectively deallocate" (9.7.16.7.1): the
// accesses in each come before what both do. The first that goes on looks for both, as long as neither has left its trace.
void TensorOrder::give_back_together(uint32_t block, const TensorPart& part, const Step& step) {
    const uint32_t peer = peer_of(block);
    if (!memory(peer).holds(part.first)) return;
    meet(peer, part, memory(block).latest, step, false);
    const Access& other = memory(peer).latest;
    meet(block, part, other, task_.code[other.statement], false);
}

bool TensorOrder::has_come(uint32_t block, uint32_t operations) const {
    const auto memory = memories_.find(block);
    return memory != memories_.end() && memory->second.with_peer >= operations;
}

// All that was allocated has to be given back before the last thread of the block exits (9.7.16.7.1).
void TensorOrder::leave(uint32_t block) {
    const auto memory = memories_.find(block);
    if (memory == memories_.end() || memory->second.allocated.empty()) return;
    account_.find(Breach::kept, {std::to_string(block)}, {memory->second.allocation});
}

// Two operations whose order of execution is the order of their effects (9.7.16.6.2).
bool TensorOrder::are_pipelined(const Access& earlier, const Access& later) const {
    const auto shape = [&](const Access& access) -> std::optional<std::pair<uint32_t, uint64_t>> {
        const auto& products = observer_.thread(access.thread).tensor_products;
        if (!products || products->component != access.component) return std::nullopt;
        return products->shapes.at(access.number - 1);
    };
    const auto first = shape(earlier), second = shape(later);
    if (!first || !second || second->first == copy_of_matrix) return false;
    if (first->first != copy_of_matrix && first != second) return false;
    const Thread& own = observer_.thread(later.thread);
    return earlier.thread == later.thread || own.tensor[observer_.thread(earlier.thread).tensor_products->executed] >= earlier.number;
}

void TensorOrder::touch(uint32_t block, const TensorPart& part, const Access& access, const Step& step) {
    TensorMemory& memory = memories_[block];
    const Thread& own = observer_.thread(access.thread);
    if (part.first + part.columns > columns_of_memory || !memory.holds(part.first) || !memory.holds(part.first + part.columns - 1)) {
        account_.find(Breach::not_allocated, {}, {place(own, step)});
        if (part.first + part.columns > columns_of_memory) return;
    }
    if (access.writes) observer_.note_change();
    meet(block, part, access, step, true);
}

// Whether it conflicts with what came before; `stays`: what comes later meets it.
void TensorOrder::meet(uint32_t block, const TensorPart& part, const Access& access, const Step& step, bool stays) {
    TensorMemory& memory = memories_[block];
    const Thread& own = observer_.thread(access.thread);
    Clock known = own.known.order;
    known.join(own.tensor);
    const auto conflict = [&](const Access& earlier, uint64_t at) {
        if ((!earlier.writes && !access.writes) || are_pipelined(earlier, access)) return;
        account_.find(
            Breach::tensor_memory,
            {std::to_string(block), std::to_string(at / columns_of_memory * lanes_of_cell), std::to_string(at % columns_of_memory)},
            {task_.place_of(earlier), place(own, step)}, {}, observer_.clash_of(earlier, access, memory.shadow, at));
    };
    for (const uint32_t cell : each(part.cells)) {
        const uint64_t begin = uint64_t{cell} * columns_of_memory + part.first;
        ++accesses_;
        if (stays)
            memory.shadow.access(begin, begin + part.columns, access, {known, known, known}, std::ref(conflict));
        else
            memory.shadow.probe(begin, begin + part.columns, access, {known, known, known}, std::ref(conflict));
    }
}

uint32_t TensorOrder::peer_of(uint32_t block) const {
    return task_.geometry.block_of_rank(block, task_.geometry.rank(block) ^ 1);
}

TensorProducts& TensorOrder::products(Thread& thread) {
    if (!thread.tensor_products) {
        thread.tensor_products.emplace();
        thread.tensor_products->component = observer_.new_component();
        thread.tensor_products->executed = observer_.new_component();
    }
    return *thread.tensor_products;
}

Access TensorOrder::access(Thread& own, const Step& step, std::pair<uint32_t, uint64_t> shape) {
    TensorProducts& issued = products(own);
    issued.shapes.push_back(shape);
    Access access = observer_.own_access(own, step, false);
    access.component = issued.component;
    access.number = ++issued.issued;
    access.asynchronous = true;
    access.carries = true;
    access.scope = Scope::none;
    return access;
}

}  // namespace litmus::sweep
