// Detours: a thread goes one way or another by what strong reads find, and nothing else can tell which.
//
// A block of a scan in one pass looks back over the blocks before it. It reads the state of each, and adds up sums until it finds a prefix.
// How far it looks depends on the order of the threads: n blocks have (n - 1)! orders. But each way comes out at one statement, with one
// sum. So all of these orders are one, if every way is looked at by itself. A detour is such a piece of one thread's execution. It begins
// with a strong load, and has loads, acquiring fences, arithmetic and branches. It ends before the first other statement, which has to be
// the same for all ways.
//
// * Ways. A detour is taken when all strong writes have been executed that its loads may find. So each way is known: each load finds one of
//   these values, but none that is older than a write which the thread knows. Where two ways come to a load with the same registers that
//   matter (carried.h), and the one knows what the other does, they are one way.
// * Races. A way knows what its thread knows, and what its own reads have acquired. Each of its reads has to be ordered behind the writes
//   before it. It stays in the shadow, so that a later write has to be ordered behind it.
// * What is left. Behind a detour its thread knows what it has known before, and no more. A register that has one value on all ways keeps
//   it. Another one has a doubt, and decides nothing later.
// * Its end. Loads that find the last value of each word lead to the end. The run executes the writes before the detour, so that these do
//   not wait for it.
//
// If nothing is found and nothing forbids them, detours decide nothing, and their places are in no line (model/sweep.md). A run with
// detours may find something on a way that no execution goes. So that is no finding, and the search begins again without (explore.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sweep/machine.h"

namespace litmus::sweep {

// A load with which one may begin.
bool may_detour(const Step& step);

// The ways of one lane.
class Machine::Ways {
public:
    enum class Outcome : uint8_t { whole, waits, refused };  // waits: what its loads find now does not lead to the end

    Ways(Machine& machine, Warp& warp, uint32_t lane) : machine_(machine), warp_(warp), lane_(lane) {}
    // The registers of the lane are as before afterwards.
    Outcome look();

    struct Read {
        Spot spot;
        const Step* step = nullptr;
        Access access;
    };
    const std::vector<Read>& reads() const { return reads_; }
    struct Word {
        Spot spot;
        uint32_t bytes = 0;
    };
    const std::map<std::pair<size_t, uint64_t>, Word>& words() const { return words_; }  // of strong loads
    const std::set<uint32_t>& writers() const { return writers_; }                       // threads, of what they may find
    const std::set<uint32_t>& wanted() const { return wanted_; }                         // other loads on the ways, by number of the step
    size_t end() const { return *end_; }
    std::vector<Value> registers() const;  // at the end
    uint64_t instructions() const { return instructions_; }

private:
    struct State {  // before a strong load
        size_t at = 0;
        std::vector<Value> registers;
        Observer::Found found;
        std::optional<size_t> last;  // the state to which the value that lies there leads; none: the end
        bool leads = false;          // so do these from there on
    };
    bool go(size_t from);
    std::optional<std::optional<size_t>> follow(size_t at, Observer::Found found);
    bool read_weak(size_t at, const Observer::Found& found);
    std::optional<Spot> spot_of(size_t at);
    bool note(const Spot& spot, const Step& step, const Knowledge& known, bool finds);
    size_t state_at(size_t at, const Observer::Found& found);
    std::vector<Value> held() const;
    void hold(const std::vector<Value>& registers) const;
    bool lead_all();

    Machine& machine_;
    Warp& warp_;
    const uint32_t lane_;
    std::vector<State> states_;
    std::map<std::pair<size_t, std::vector<uint64_t>>, std::vector<size_t>> known_states_;  // by statement, and what matters there
    std::vector<Read> reads_;
    std::map<std::pair<size_t, uint64_t>, Word> words_;
    std::set<uint32_t> writers_, wanted_;
    std::optional<size_t> end_;
    std::vector<Value> last_registers_;  // at the end of the way on which each load finds what lies there
    std::vector<bool> differs_;          // by register: another way has something else
    std::vector<Doubt> doubts_;          // by register: of all ways
    uint64_t instructions_ = 0;
};

}  // namespace litmus::sweep
