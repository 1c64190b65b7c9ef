// Which bytes of memory the test keeps.
//
// A bulk copy moves hundreds of bytes, of which a chosen thread looks at four. It is cut to the units of 16 bytes (the least that
// a bulk copy moves, ISA 9.7.9.25.4) that matter: those that chosen threads touch by other instructions, closed under copying (a unit is
// kept where what it is copied to, or from, is kept). A copy of which nothing would be left keeps its first unit, so that its issue and its
// completion stay. The same units are kept in the shared memory of all CTAs, as they share their layout.
//
// This is exact for the chosen threads: the elements of a bulk operation are copied independently, in no order (ISA 8.2, 9.7.9.25), none of
// those left out is touched by a chosen thread, and what the completion says is scaled with them (scale.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "kernel/touch.h"

namespace litmus::kernel {

inline constexpr uint64_t unit_bytes = 16;

class Granules {
public:
    // `threads` are the chosen ones.
    Granules(const Traces& traces, const Memory& memory, const std::vector<size_t>& threads);

    // How many bytes of a bulk operation are kept: of its side `touch`, which both sides have alike.
    uint64_t kept_bytes(const Touch& touch) const;
    // Keeps the whole range, and what it is copied to and from.
    void keep_whole(const Touch& touch);

private:
    struct Copy {
        Touch to, from;
    };
    using Unit = std::pair<size_t, uint64_t>;  // object, number

    void close();
    bool keep(const Touch& touch);

    std::set<Unit> units_;
    std::vector<Copy> copies_;
};

}  // namespace litmus::kernel
