// The state of a thread between two instructions, as the evaluator sees it.
//
// A register holds a `Word`: a number that is known, or one that depends on what memory gives, and then lies in a register of the
// *residual* program. Some of the latter are known to be one of a few numbers, each for a value of one residual register, the *root*:
// after `selp r, 1, 0, p` the word r is 1 where p is true and 0 where it is false. Operations on such a word are computed case by
// case, and a branch or an address that depends on it becomes a question about the root. A word that was read as any number is *open*: its
// cases are some of those that there are, which is enough to follow an index into a small array. For that it must be *linear*, the root
// times a number and plus another: then the numbers that are no cases lead further away than those that are.
//
// What a branch says of words is known on its two ways: a predicate has a *condition*, the comparison that gave it, or its two
// predicates. Where it holds, or does not, the words that are compared lose the cases that contradict it.
//
// *Opaque* words are stand-ins: a float that somebody computed, a clock. They carry the dependencies of the value that they stand for,
// but not its bits; nothing may depend on their value. An exception are *timed* ones, which come of a clock: a branch on one goes either
// way.
//
// A register of 128 bits is always one of the residual program, and no word of it is known.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/live.h"
#include "kernel/module.h"

namespace litmus::kernel {

struct Case {
    uint64_t key = 0;    // of the root
    uint64_t value = 0;  // of the word then
    friend bool operator==(const Case&, const Case&) = default;
};

// Whether a word is a multiple of its root plus a number, by the operations that made it. `wrapping`: but for numbers that are no cases and
// for which that wrapped around in fewer bits, as `32 * tile` does in 32 bits where the tile is 2^27.
enum class Linear : uint8_t { no, wrapping, yes };

struct Word {
    bool known = true;
    bool opaque = false;
    uint64_t bits = 0;  // where known
    int root = -1;      // a residual register; -1: not known to be one of a few
    std::shared_ptr<const std::vector<Case>> cases = nullptr;
    bool open = false;                  // there are other cases, too
    bool below = true;                  // and open: where the root is less than its cases can be (as a signed number)
    bool above = true;                  // and open: where it is more
    Linear linear = Linear::no;         // and open
    const Statement* source = nullptr;  // of an opaque word: what gave the first such value that it depends on; null: nothing wrote it
    int answer = -1;  // of an opaque word: it is (a part of) the answer of clusterlaunchcontrol.try_cancel in this residual register

    bool split() const { return root >= 0 && !open; }
};

inline Word known_word(uint64_t bits) {
    return {true, false, bits};
}
inline Word dynamic_word(bool opaque = false) {
    return {false, opaque, 0};
}
inline Word split_word(int root, std::vector<Case> cases) {
    return {false, false, 0, root, std::make_shared<const std::vector<Case>>(std::move(cases))};
}
inline Word open_word(int root, std::vector<Case> cases, Linear linear) {
    return {false, false, 0, root, std::make_shared<const std::vector<Case>>(std::move(cases)), true, true, true, linear};
}
// Computed from an open word: the root can still be what it can be.
inline Word open_word_like(const Word& from, std::vector<Case> cases, Linear linear) {
    Word word = open_word(from.root, std::move(cases), linear);
    word.below = from.below;
    word.above = from.above;
    return word;
}

// Whether an opaque word comes of a clock.
bool is_timed(const Word& word);

// What a predicate says: `setp` compares two words, `and` and `or` join two predicates.
struct Saying {
    const Statement* statement = nullptr;
    Word a, b;
};

// The call of a function: its registers, and where it stands. The last register is the condition code.
struct Frame {
    const Plan* plan = nullptr;
    size_t pc = 0;
    std::vector<Word> registers;
};

// Memory that the thread alone can name: known words as single bytes, others whole.
struct Cell {
    Word word;
    uint32_t bytes = 1;
};

struct State {
    std::vector<Frame> frames;        // the last one runs; the others stand at their calls
    std::map<uint64_t, Cell> memory;  // by the address in its window
    std::map<int, Saying> says;       // of roots that are predicates
    // How often its path has met each exchange with other lanes. No part of the key: a loop that exchanges may close on itself.
    std::map<std::string, size_t> turns;
    bool branched = false;  // a branch on what memory gives led here; no part of the key: what is left then says of each way whether it is
    bool late = false;      // the last branch that led here was on a clock: a trap here is that of a time-out

    Frame& top() { return frames.back(); }
    const Frame& top() const { return frames.back(); }
    const Statement& statement() const { return top().plan->function->code[top().pc]; }

    // Calls `visit` with every word of the state.
    template <typename Visit>
    void each_word(Visit visit) {
        for (Frame& frame : frames)
            for (Word& word : frame.registers) visit(word);
        for (auto& [address, cell] : memory) visit(cell.word);
        for (auto& [root, condition] : says) {
            visit(condition.a);
            visit(condition.b);
        }
    }
};

// What tells a state from all others that go on differently: where each frame stands, its live registers, memory.
using StateKey = std::vector<uint64_t>;
StateKey key_of(const State& state);

}  // namespace litmus::kernel
