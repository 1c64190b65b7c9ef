// The CTAs, cells and addresses that a draft has, found or made by name. Private to this folder.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "event/draft.h"

namespace litmus {

class Places {
public:
    // Where an access goes: numbers of its cell and of its virtual address, and the proxy that a name goes through.
    struct MemoryPlace {
        int cell = -1;
        int address = -1;
        Proxy proxy = Proxy::generic;
    };

    // All outlive it. The draft gets the test's CTAs, and the cells that instructions name directly, in the order of
    // declaration; the rest is added when met.
    Places(const Test& test, Draft& draft, ExprPool& exprs);

    // The instance of a location that a thread at `here` means; `named_cta` is that of `x@ctaN`, or -1. -1: it is global.
    int instance_of(const Location& location, int named_cta, const Placement& here);

    // The place `offset` bytes into an instance of a location. Throws Failure for an access that does not cover exactly one cell.
    MemoryPlace place(int location, int instance, uint64_t offset, Type access, const Span& span);

    // Likewise at each location that a multimem address points to, at an address of its own; elsewhere that one place.
    std::vector<MemoryPlace> all_places(int location, int instance, uint64_t offset, Type access, const Span& span);

    // The type of a location's cells: that of its elements, or of their lanes.
    Type cell_type(int location) const;

    // Addresses as values: each location (and instance of it) starts at its own multiple of 1 MiB, so
    // that address arithmetic near an array, which has at most 32 KiB, finds its way back; 32 bits hold them all, as
    // `mov.u32` of a shared address needs. The rank of a CTA in its cluster begins at bit 24 of an address in its shared memory: PTX does
    // not say so, and sm_90 and sm_100 have it, so that kernels clear that bit to name the first CTA of a pair. Throws Failure, at `span`,
    // when there are too many.
    uint64_t address_value(int location, int instance, const Span& span);
    // The generic address of what lies in shared memory: that in its window, and this bit.
    static constexpr uint64_t generic_bit = uint64_t{1} << 40;
    // The location, and the instance of it, that an address is in or nearest to.
    std::optional<std::pair<int, int>> location_at(uint64_t address) const;

private:
    int cta_index(const Placement& at);
    // The CTA that a declaration `.shared.ctaN` means; one without threads lives in cluster 0 of gpu 0.
    int shared_cta(int number);
    // The location, and those that multimem addresses point to beside it, with these addresses.
    std::set<int> accessed_together(int location) const;
    // Whether the elements of a location are two cells each: packed ones that packed operations reach
    // (ISA 9.7.13.5: "atomicity is guaranteed separately for each of the individual scalar elements"; 8.2.5).
    bool is_split(int location) const;
    // `index` counts cells from the start of the location.
    int cell(int location, int instance, int index);
    uint64_t initial_value(const Location& declared, const Cell& cell) const;
    int address_id(int location, int instance, int element);
    uint64_t slot_of(int location, int instance, const Span& span) const;
    // A CTA's number among all: that of one in a pair is even, or one more; and how many numbers there are.
    uint64_t number_with_pairs(int cta) const;
    uint64_t ctas_with_pairs() const;
    [[noreturn]] void fail(const Span& span, std::string message, std::string hint = {}) const;

    const Test& test_;
    Draft& draft_;
    ExprPool& exprs_;
};

}  // namespace litmus
