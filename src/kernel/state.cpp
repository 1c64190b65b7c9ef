// When two states are the same: their keys, which leave out what is not live.
#include "kernel/state.h"

namespace litmus::kernel {

namespace {

// A word as numbers: what it is, then what it holds.
void add(StateKey& key, uint64_t where, const Word& word) {
    key.push_back(where << 5 | (word.known ? 1 : 0) | (word.opaque ? 2 : 0) | (word.root >= 0 ? 4 : 0) | (word.open ? 8 : 0) |
                  (word.linear ? 16 : 0));
    if (word.known) key.push_back(word.bits);
    if (word.root < 0) return;
    key.push_back(static_cast<uint64_t>(word.root));
    key.push_back(word.cases->size());
    for (const Case& c : *word.cases) {
        key.push_back(c.key);
        key.push_back(c.value);
    }
}

}  // namespace

StateKey key_of(const State& state) {
    StateKey key;
    for (size_t f = 0; f < state.frames.size(); ++f) {
        const Frame& frame = state.frames[f];
        key.push_back(reinterpret_cast<uintptr_t>(frame.plan));
        key.push_back(frame.pc);
        const Registers live = frame.plan->live(f + 1 < state.frames.size() ? frame.pc + 1 : frame.pc);  // a call has been made
        for (size_t r = 0; r < frame.registers.size(); ++r)
            if (live.has(r)) add(key, r, frame.registers[r]);
    }
    for (const auto& [address, cell] : state.memory) add(key, address << 8 | cell.bytes, cell.word);
    return key;
}

}  // namespace litmus::kernel
