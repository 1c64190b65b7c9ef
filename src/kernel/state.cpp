// When two states are the same: their keys, which leave out what is not live.
#include "kernel/state.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ptx/instruction.h"

namespace litmus::kernel {

namespace {

class KeyMaker {
public:
    explicit KeyMaker(const State& state) : state_(state) {}

    // A word as numbers: what it is, then what it holds.
    void add(uint64_t where, const Word& word) {
        key_.push_back(where << 10 | (word.answer >= 0 ? 512 : 0) | (word.known ? 1 : 0) | (word.opaque ? 2 : 0) |
                       (word.root >= 0 ? 4 : 0) | (word.open ? 8 : 0) | static_cast<uint64_t>(word.linear) << 4 | (word.below ? 64 : 0) |
                       (word.above ? 128 : 0) | (is_timed(word) ? 256 : 0));
        if (word.answer >= 0) key_.push_back(static_cast<uint64_t>(word.answer));
        if (word.known) key_.push_back(word.bits);
        if (word.root < 0) return;
        key_.push_back(static_cast<uint64_t>(word.root));
        key_.push_back(word.cases->size());
        for (const Case& c : *word.cases) {
            key_.push_back(c.key);
            key_.push_back(c.value);
        }
        roots_.insert(word.root);
    }
    void add(uint64_t number) { key_.push_back(number); }

    // What the predicates say on which the words hang.
    void add_conditions() {
        std::set<int> done;
        while (!roots_.empty()) {
            const int root = *roots_.begin();
            roots_.erase(roots_.begin());
            const auto condition = state_.says.find(root);
            if (condition == state_.says.end() || !done.insert(root).second) continue;
            key_.push_back(static_cast<uint64_t>(root));
            key_.push_back(reinterpret_cast<uintptr_t>(condition->second.statement));
            add(0, condition->second.a);
            add(1, condition->second.b);
        }
    }

    StateKey take() { return std::move(key_); }

private:
    const State& state_;
    StateKey key_;
    std::set<int> roots_;  // of words that were added
};

}  // namespace

bool is_timed(const Word& word) {
    if (!word.opaque || !word.source) return false;
    const auto& arguments = word.source->arguments;
    return std::any_of(arguments.begin(), arguments.end(), [](const Argument& argument) {
        return argument.kind == Argument::Kind::special && width_of_unknown(argument.name.substr(1));
    });
}

StateKey key_of(const State& state) {
    KeyMaker key(state);
    for (size_t f = 0; f < state.frames.size(); ++f) {
        const Frame& frame = state.frames[f];
        key.add(reinterpret_cast<uintptr_t>(frame.plan));
        key.add(frame.pc);
        const Registers live = frame.plan->live(f + 1 < state.frames.size() ? frame.pc + 1 : frame.pc);  // a call has been made
        for (size_t r = 0; r < frame.registers.size(); ++r)
            if (live.has(r)) key.add(r, frame.registers[r]);
    }
    for (const auto& [address, cell] : state.memory) key.add(address << 8 | cell.bytes, cell.word);
    key.add(state.late ? 1 : 0);
    key.add_conditions();
    return key.take();
}

}  // namespace litmus::kernel
