// Of which size the elements of memory are. Private to carve.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/granules.h"

namespace litmus::kernel {

// An access, or an mbarrier object, at an element.
struct ElementSize {
    uint32_t width = 0;  // bytes
    bool mbarrier = false;
    const Instruction* instruction = nullptr;  // that told the size; null: a copy
    const Origin* origin = nullptr;
    std::optional<size_t> statement = {};  // of the PTX
};

class Elements {
public:
    // Throws Failure for accesses of mixed sizes.
    Elements(const Module& module, const Memory& memory, const std::vector<Trace>& threads, const Granules& granules);

    const std::map<uint64_t, ElementSize>& of(size_t object) const;  // by offset
    // The element that a byte is in; null: none.
    const std::pair<const uint64_t, ElementSize>* at(size_t object, uint64_t offset) const;
    uint64_t granule(size_t object) const { return granules_.at(object); }

private:
    struct Range {
        size_t object;
        uint64_t offset, bytes;
    };
    struct Copy {
        Range to, from;
        const Origin* origin;
    };

    void note_answers(const Trace& trace, const Memory& memory);
    void collect(const Trace& trace, const Memory& memory, const Granules& granules);
    void collect_copy(const Trace& trace, size_t at, const std::vector<Touch>& touches, const Granules& granules);
    void put(size_t object, uint64_t offset, ElementSize element);
    void put_each(const Touch& touch, const ElementSize& element);
    void put_pair(const Touch& touch, const ElementSize& element);
    void put_wide_load(const Touch& touch, const ElementSize& element);
    void fill(const Range& range, uint32_t width);
    uint32_t width_in(const Range& range) const;       // 0: no element there
    uint32_t width_elsewhere(const Copy& copy) const;  // 0: none
    void follow_copies(const Memory& memory);
    void make_alike(const Memory& memory);
    [[noreturn]] void mixed(const std::string& what, const ElementSize& one, const ElementSize& other) const;

    const Module& module_;
    std::map<size_t, std::map<uint64_t, ElementSize>> elements_;  // by object, all of them
    std::map<size_t, uint64_t> granules_;
    std::vector<Copy> copies_;
    std::set<size_t> multimem_;                                // multimem addresses that are used
    std::set<std::pair<size_t, uint64_t>> answers_;            // of try_cancel: objects and offsets, of words of 64 bits whoever loads them
    std::vector<std::pair<Touch, ElementSize>> pairs_, wide_;  // candidates: vectors of two words; scalar loads
};

}  // namespace litmus::kernel
