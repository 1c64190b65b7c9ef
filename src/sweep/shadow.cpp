// An access cuts the intervals at its ends, meets those between, and, where it writes, leaves one in their place.
#include "sweep/shadow.h"

#include <algorithm>
#include <iterator>

namespace litmus::sweep {

namespace {

bool is_ordered(const Access& earlier, const Clock& known) {
    return earlier.number == 0 || known[earlier.component] >= earlier.number;
}

// A commit publishes the operation that it completes, and not what was known where this was issued. Base causality order is transitive all
// the same (ISA 8.9.5): the write that the operation read is ordered before who knows of the read.
bool is_carried(const Few<Access>& reads, const Clock& known) {
    return std::any_of(reads.begin(), reads.end(), [&](const Access& read) { return read.carries && is_ordered(read, known); });
}

}  // namespace

// Whether nobody has to look at the earlier access any more, because the later one stands for it.
bool is_covered(const Access& earlier, const Access& later, const Clock& known) {
    if (!is_ordered(earlier, known) || (earlier.carries && !later.carries && !later.writes)) return false;
    if (later.scope == Scope::none || earlier.thread == later.thread) return later.scope == Scope::none || earlier.scope >= later.scope;
    return earlier.scope == Scope::sys;
}

// Cuts an interval in two, and gives the upper one.
Shadow::Cells::iterator Shadow::cut(Cells::iterator cell, uint64_t at) {
    Cell upper = cell->second;
    cell->second.end = at;
    return cells_.emplace_hint(std::next(cell), at, std::move(upper));
}

// The first interval that begins at `at` or later, after one that contains `at` has been cut in two.
Shadow::Cells::iterator Shadow::from(uint64_t at) {
    const auto next = cells_.lower_bound(at);
    if (next == cells_.begin() || (next != cells_.end() && next->first == at)) return next;
    const auto before = std::prev(next);
    return before->second.end > at ? cut(before, at) : next;
}

std::map<uint64_t, uint64_t> Shadow::written() const {
    std::map<uint64_t, uint64_t> ranges;
    for (const auto& [begin, cell] : cells_) {
        if (cell.write.number == 0) continue;
        if (!ranges.empty() && std::prev(ranges.end())->second == begin)
            std::prev(ranges.end())->second = cell.end;
        else
            ranges.emplace_hint(ranges.end(), begin, cell.end);
    }
    return ranges;
}

bool Shadow::is_written(uint64_t at) const {
    const auto after = cells_.upper_bound(at);
    if (after == cells_.begin()) return false;
    const auto& [begin, cell] = *std::prev(after);
    return at < cell.end && cell.write.number != 0;
}

void Shadow::access(uint64_t begin, uint64_t end, const Access& access, const Before& before, const Conflict& conflict) {
    if (begin >= end) return;
    auto cell = from(begin), first = cells_.end();
    uint64_t reached = begin;
    while (reached < end) {
        if (cell == cells_.end() || cell->first > reached) {  // nobody was here
            const uint64_t until = cell == cells_.end() ? end : std::min(end, cell->first);
            cell = cells_.emplace_hint(cell, reached, Cell{until, {}, {}, {}});
        }
        if (cell->second.end > end) cut(cell, end);
        if (reached == begin) first = cell;
        Cell& met = cell->second;
        for (const Hidden& hidden : met.hidden)
            if (!is_ordered(hidden.write, before.writes) && (hidden.by.number == 0 || !is_ordered(hidden.by, before.writes)))
                conflict(hidden.write, reached);
        if (!is_ordered(met.write, before.writes) && !is_carried(met.reads, before.carried)) conflict(met.write, reached);
        if (access.writes)
            for (const Access& read : met.reads)
                if (!is_ordered(read, before.reads)) conflict(read, reached);
        const Clock& known = access.writes ? before.reads : before.writes;
        if (!access.apart && !access.repeats)
            met.reads.erase_if([&](const Access& read) { return is_covered(read, access, known) && (access.carries || !read.carries); });
        if (!access.writes && !access.repeats) {
            met.reads.erase_if([&](const Access& read) {
                return read.component == access.component && !read.carries && (access.scope == Scope::none || read.scope >= access.scope);
            });
            met.reads.push_back(access);
        } else if (access.writes && access.apart) {
            if (met.write.number != 0) met.hidden.push_back({met.write, {}});
            const auto by_same = [&](const Access& earlier) { return earlier.component == access.component; };
            met.hidden.erase_if([&](const Hidden& hidden) { return by_same(hidden.write); });
            met.reads.erase_if(by_same);
            met.write = access;
        } else if (access.writes && access.scope != Scope::none) {
            if (met.write.number != 0) met.hidden.push_back({met.write, {}});
            met.hidden.erase_if([&](const Hidden& hidden) { return is_covered(hidden.write, access, before.writes); });
            for (Hidden& hidden : met.hidden)
                if (is_ordered(hidden.write, before.writes)) hidden.by = access;
            met.write = access;
        }
        reached = met.end;
        ++cell;
    }
    if (!access.writes || access.apart || access.scope != Scope::none) return;
    cells_.erase(std::next(first), cell);
    first->second = {end, access, {}, {}};
}

}  // namespace litmus::sweep
