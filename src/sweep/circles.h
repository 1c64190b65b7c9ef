// Whether writes may come about in a circle, each behind a read that finds the one before (line.h).
//
// Places are nodes. An edge leads from a place that a thread reads to one that it writes later. Another thread of its cluster may write it,
// if a barrier or an mbarrier object brings that behind the read. A place that one thread alone comes to, in all runs, is no step of a
// circle. The thread finds there what it has left itself, and its earlier reads have edges of their own to what it writes later.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "kernel/module.h"
#include "sweep/log.h"

namespace litmus::sweep {

class Circles {
public:
    struct Edge {               // of a read to a write; of several, each of them
        bool leads = false;     // causality leads from the read to the write
        bool acquires = false;  // and from the write that the read finds
        bool releases = false;  // and from the read to who finds the write
        bool waits = false;     // the write waits until the read has ended a loop
        const kernel::Statement* read_by = nullptr;
    };
    void visit(const Memory& place, size_t thread);
    void add(const Memory& read, const Memory& written, const Edge& now);
    void add(const Circles& other);
    void give_up(const kernel::Statement* read_by) { too_many_ = read_by; }
    bool has_given_up() const { return too_many_ != nullptr; }

    // A read in a circle of places that is not forbidden, or one of more pairs than are looked at; null: there is none. `exchanged`: blocks
    // stood for others, whose threads come to the same places.
    const kernel::Statement* find(bool exchanged) const;

private:
    static constexpr size_t most_edges = 1024;
    bool is_private(const Memory& place) const;

    std::map<Memory, std::map<Memory, Edge>> edges_;
    std::map<Memory, std::optional<size_t>> visitors_;  // threads; none: several
    size_t count_ = 0;                                  // of edges
    const kernel::Statement* too_many_ = nullptr;
};

}  // namespace litmus::sweep
