// An access cuts the intervals at its ends, meets those between, and, where it writes, leaves one in their place; page by page.
#include "sweep/shadow.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace litmus::sweep {

namespace {

bool is_ordered(const Access& earlier, const Access& later, const Known& known) {
    return earlier.number == 0 || known.has(earlier.component, earlier.number, earlier.address != later.address);
}

// A commit publishes the operation that it completes, and not what was known where this was issued. Base causality order is transitive all
// the same (ISA 8.9.5): the write that the operation read is ordered before who knows of the read.
bool is_carried(const Few<Access>& reads, const Access& later, const Known& known) {
    return std::any_of(reads.begin(), reads.end(), [&](const Access& read) { return read.carries && is_ordered(read, later, known); });
}

}  // namespace

// The value that an access finds depends on writes that are not ordered with it, whatever its thread does at this place afterwards. That is
// said once for a statement.
bool stands_alone(const Access& earlier, const Access& later) {
    return earlier.finds && earlier.statement != later.statement;
}

// Whether nobody has to look at the earlier access any more, because the later one stands for it. A reduction does not stand for one of
// another kind: a third one may commute with the later one alone. A strong access does not stand for one of another size or proxy: a third
// one may be morally strong with the later one alone (ISA 8.7.1).
bool is_covered(const Access& earlier, const Access& later, const Known& known, bool narrow) {
    if (!is_ordered(earlier, later, known) || (earlier.carries && !later.carries && !later.writes)) return false;
    if (later.scope != Scope::none && stands_alone(earlier, later)) return false;
    if (later.reduction != 0 && earlier.writes && earlier.reduction != later.reduction) return false;
    const bool is_alike = earlier.size == later.size && earlier.asynchronous == later.asynchronous;
    if (later.scope != Scope::none && !is_alike) return false;
    if (later.scope == Scope::none || earlier.thread == later.thread) return later.scope == Scope::none || earlier.scope >= later.scope;
    return earlier.scope == Scope::sys && !narrow;
}

// Cuts an interval in two, and gives the upper one.
size_t Shadow::cut(Page& page, size_t cell, uint32_t at) {
    Cell upper = page[cell];
    upper.begin = page[cell].end = at;
    page.insert(page.begin() + static_cast<std::ptrdiff_t>(cell) + 1, std::move(upper));
    return cell + 1;
}

// The first interval that begins at `at` or later, after one that contains `at` has been cut in two.
size_t Shadow::from(Page& page, uint32_t at) {
    const auto next = std::partition_point(page.begin(), page.end(), [&](const Cell& cell) { return cell.end <= at; });
    const auto cell = static_cast<size_t>(next - page.begin());
    return next != page.end() && next->begin < at ? cut(page, cell, at) : cell;
}

size_t Shadow::intervals() const {
    return std::accumulate(pages_.begin(), pages_.end(), size_t{0}, [](size_t sum, const Page& page) { return sum + page.size(); });
}

std::map<uint64_t, uint64_t> Shadow::written() const {
    std::map<uint64_t, uint64_t> ranges;
    for (size_t p = 0; p < pages_.size(); ++p)
        for (const Cell& cell : pages_[p]) {
            if (cell.write.number == 0) continue;
            const uint64_t first = p * page_bytes;
            if (!ranges.empty() && std::prev(ranges.end())->second == first + cell.begin)
                std::prev(ranges.end())->second = first + cell.end;
            else
                ranges.emplace_hint(ranges.end(), first + cell.begin, first + cell.end);
        }
    return ranges;
}

void Shadow::change(const std::function<void(Access&)>& each) {
    for (Page& page : pages_)
        for (Cell& cell : page) {
            each(cell.write);
            for (Access& read : cell.reads) each(read);
            for (Hidden& hidden : cell.hidden) {
                each(hidden.write);
                each(hidden.by);
                for (Access& read : hidden.carriers) each(read);
            }
        }
}

void Shadow::each(const std::function<void(uint64_t begin, uint64_t end, const Access&)>& each) const {
    for (size_t p = 0; p < pages_.size(); ++p)
        for (const Cell& cell : pages_[p]) {
            const auto say = [&](const Access& access) {
                if (access.number != 0) each(p * page_bytes + cell.begin, p * page_bytes + cell.end, access);
            };
            say(cell.write);
            for (const Access& read : cell.reads) say(read);
            for (const Hidden& hidden : cell.hidden) say(hidden.write);
        }
}

bool Shadow::is_written(uint64_t at) const {
    if (at / page_bytes >= pages_.size()) return false;
    const Page& page = pages_[static_cast<size_t>(at / page_bytes)];
    return std::any_of(page.begin(), page.end(), [&](const Cell& cell) {
        return cell.begin <= at % page_bytes && at % page_bytes < cell.end && cell.write.number != 0;
    });
}

void Shadow::access(uint64_t begin, uint64_t end, const Access& access, const Before& before, const Conflict& conflict) {
    for (uint64_t at = begin; at < end;) {
        const auto page = static_cast<size_t>(at / page_bytes);
        const uint64_t first = page * page_bytes, until = std::min(end, first + page_bytes);
        if (page >= pages_.size()) pages_.resize(page + 1);
        access_page(pages_[page], first, static_cast<uint32_t>(at - first), static_cast<uint32_t>(until - first), access, before, conflict);
        at = until;
    }
}

void Shadow::access_page(Page& page, uint64_t first, uint32_t begin, uint32_t end, const Access& access, const Before& before,
                         const Conflict& conflict) {
    const size_t from_here = from(page, begin);
    size_t cell = from_here;
    for (uint32_t reached = begin; reached < end; ++cell) {
        if (cell == page.size() || page[cell].begin > reached) {  // nobody was here
            const uint32_t until = cell == page.size() ? end : std::min(end, page[cell].begin);
            page.insert(page.begin() + static_cast<std::ptrdiff_t>(cell), Cell{reached, until, {}, {}, {}});
        }
        if (page[cell].end > end) cut(page, cell, end);
        meet(page[cell], first + reached, access, before, conflict);
        reached = page[cell].end;
    }
    if (!access.writes || access.apart || access.scope != Scope::none) return;
    const auto one = page.begin() + static_cast<std::ptrdiff_t>(from_here);
    page.erase(one + 1, page.begin() + static_cast<std::ptrdiff_t>(cell));
    *one = Cell{begin, end, access, {}, {}};
}

void Shadow::probe(uint64_t begin, uint64_t end, const Access& access, const Before& before, const Conflict& conflict) const {
    for (size_t p = static_cast<size_t>(begin / page_bytes); p < pages_.size() && p * page_bytes < end; ++p)
        for (const Cell& cell : pages_[p]) {
            const uint64_t first = p * page_bytes, at = std::max(begin, first + cell.begin);
            if (at < std::min(end, first + cell.end)) check(cell, at, access, before, conflict);
        }
}

void Shadow::check(const Cell& met, uint64_t at, const Access& access, const Before& before, const Conflict& conflict) {
    for (const Hidden& hidden : met.hidden)
        if (!is_ordered(hidden.write, access, before.writes) && (hidden.by.number == 0 || !is_ordered(hidden.by, access, before.writes)) &&
            !is_carried(hidden.carriers, access, before.carried))
            conflict(hidden.write, at);
    if (!is_ordered(met.write, access, before.writes) && !is_carried(met.reads, access, before.carried)) conflict(met.write, at);
    if (access.writes)
        for (const Access& read : met.reads)
            if (!is_ordered(read, access, before.reads)) conflict(read, at);
}

// The write goes behind one that takes its place. Reads since then carry it, and not what comes.
void Shadow::hide_write(Cell& met) {
    Few<Access> carriers;
    for (Access& read : met.reads) {
        if (read.carries) carriers.push_back(read);
        read.carries = false;
    }
    if (met.write.number != 0) met.hidden.push_back({met.write, {}, std::move(carriers)});
}

void Shadow::meet(Cell& met, uint64_t at, const Access& access, const Before& before, const Conflict& conflict) {
    check(met, at, access, before, conflict);
    const Known& known = access.writes ? before.reads : before.writes;
    const bool replaces = !access.writes && !access.repeats, covers = !access.apart && !access.repeats;
    if (access.writes && (access.apart || access.scope != Scope::none)) hide_write(met);
    if (replaces || covers)
        met.reads.erase_if([&](const Access& read) {
            const bool by_same =
                read.component == access.component && read.address == access.address && !read.carries && !stands_alone(read, access);
            return (replaces && by_same && (access.scope == Scope::none || read.scope >= access.scope)) ||
                   (covers && is_covered(read, access, known, before.narrow));
        });
    if (replaces) {
        met.reads.push_back(access);
    } else if (access.writes && access.apart) {
        const auto by_same = [&](const Access& earlier) {
            return earlier.component == access.component && earlier.address == access.address;
        };
        met.hidden.erase_if([&](const Hidden& hidden) { return by_same(hidden.write); });
        met.reads.erase_if(by_same);
        met.write = access;
    } else if (access.writes && access.scope != Scope::none) {
        met.hidden.erase_if([&](const Hidden& hidden) { return is_covered(hidden.write, access, before.writes, before.narrow); });
        for (Hidden& hidden : met.hidden)
            if (is_ordered(hidden.write, access, before.writes) || is_carried(hidden.carriers, access, before.carried)) hidden.by = access;
        met.write = access;
    }
}

}  // namespace litmus::sweep
