// Lanes that are left behind: where they come to without the other lanes of their warp, whatever they read.
//
// The run lets the lanes of a warp that stand at the least statement go first. Where these make a choice (choices.cpp), other lanes of the
// warp might have gone before. That is another order only if they come to something that has a place in an order: a strong access, an
// asynchronous operation, an arrival. So each way through the code is followed until it leads to the end of the kernel, or to where they
// wait for those lanes. On the way there may be weak accesses, fences, arithmetic, and what lanes exchange.
// When a weak access is made decides nothing. If two threads conflict there without synchronisation, that is a race. It is found in any
// order (model/sweep.md). A fence orders what its own thread has found. Lanes that exchange values wait for those of their mask, and for no
// others. If the mask is not known, it is as if they waited for nobody. `activemask` gives a value that is a condition of its own.
//
// Those lanes may have come to a barrier of the block, or of the cluster, without waiting there. An arrival or an exit of a lane that has
// not may end it then, for who waits there (9.7.12.7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "sweep/code.h"
#include "sweep/warp.h"

namespace litmus::sweep {

class Behind {
public:
    // `orders_fences`: fences that are sequentially consistent have a place in an order, too.
    Behind(const std::vector<Step>& code, bool orders_fences) : code_(code), orders_fences_(orders_fences) {}

    struct Lane {
        bool called = false;        // it is in a function that was called, so that its `ret` leads elsewhere
        bool may_end_turn = false;  // it lacks at a barrier that the others have come to
    };
    struct Ways {
        const Step* first = nullptr;  // that has a place in an order, or that cannot be followed; null: the lane ends before, or waits
        bool to_aligned = false;      // it may wait at an instruction that is for the whole warp
    };
    // The ways of a lane from this statement on. It waits for all of these lanes. Takes time in proportion to the statements.
    Ways ways(size_t at, Lanes others, Lane how);

private:
    Ways follow(size_t from, Lanes others, Lane how);
    bool waits(const Step& step, Lanes others);
    static bool is_for_warp(const Step& step);
    bool is_quiet(const Step& step) const;
    std::optional<uint64_t> constant(const kernel::Argument& argument);
    void note_written(const kernel::Argument& argument, const Step& step);

    const std::vector<Step>& code_;
    const bool orders_fences_;
    std::map<std::tuple<size_t, Lanes, bool, bool>, Ways> known_;  // by the arguments of ways()
    std::optional<std::map<int, const Step*>> only_writer_;        // by register; null: it has several
};

}  // namespace litmus::sweep
