// Doubts: that a value might be another one in another run, or on a GPU.
//
// What an atomic gives depends on the order of the threads, a clock on time, an approximation on the hardware. A value that was computed
// from such a one might be another, too. That matters where something is decided by it: a branch, an address, a count. So a doubt is the
// set of the statements where it began. Sets are numbered, since a kernel has few of them, and 0 is the empty one.
//
// A value may also name the block of its thread, as %ctaid does: another block would have another one (exchange.h). That is a bit of its
// own. Where threads are exchanged, it is said of the thread in place of the block. Another bit says
// that a part of the value was found in memory by a thread that had come to its first choice. Where blocks are exchanged, each value that
// names the block has this bit if a register got it then, but for registers that are fixed (fixed.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace litmus::sweep {

using Doubt = uint32_t;
inline constexpr Doubt names_block = Doubt{1} << 31, found_late = Doubt{1} << 30, marks = names_block | found_late;

class Doubts {
public:
    Doubt of(uint32_t statement) {
        if (statement >= of_one_.size()) of_one_.resize(statement + size_t{1});
        Doubt& known = of_one_[statement];
        if (known == 0) known = number({statement});
        return known;
    }
    Doubt join(Doubt a, Doubt b) {
        if (a == b || b == 0) return a;
        if (a == 0) return b;
        return join_sets(a & ~marks, b & ~marks) | ((a | b) & marks);
    }
    const std::vector<uint32_t>& statements(Doubt doubt) const { return sets_[doubt & ~marks]; }

private:
    using Statements = std::vector<uint32_t>;  // ascending
    Doubt join_sets(Doubt a, Doubt b) {
        if (a == b || b == 0) return a;
        if (a == 0) return b;
        const auto [at, fresh] = joined_.try_emplace(std::minmax(a, b));
        if (!fresh) return at->second;
        Statements all;
        std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(), std::back_inserter(all));
        return at->second = number(std::move(all));
    }
    Doubt number(Statements statements) {
        const auto [at, fresh] = numbers_.try_emplace(statements, static_cast<Doubt>(sets_.size()));
        if (fresh) sets_.push_back(std::move(statements));
        return at->second;
    }
    std::vector<Statements> sets_{{}};
    std::map<Statements, Doubt> numbers_{{{}, 0}};
    std::map<std::pair<Doubt, Doubt>, Doubt> joined_;
    std::vector<Doubt> of_one_;  // by statement; 0: nobody has asked for it
};

}  // namespace litmus::sweep
