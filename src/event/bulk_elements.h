// Which elements of a bulk operation become events. Private to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "test/test.h"

namespace litmus {

class KeptElements {
public:
    // `ctas` are those of the test (SymbolicRun::ctas).
    KeptElements(const Test& test, const std::vector<Placement>& ctas);

    // Whether any of these bytes of a location, or of the one that it is an alias of, must become an event.
    bool contains(int location, int64_t first, int64_t bytes) const;

private:
    // A copy of elements of one location, or of several, to those of another.
    struct Link {
        int to, from;
        int64_t to_offset, from_offset, step, count;
    };

    void keep(int location, int64_t first, int64_t bytes);
    void keep_whole(int location);
    void keep_named(const Thread& thread, const Instruction& instruction);
    void keep_box(const Thread& thread, const Instruction& copy);
    void link_box(const Instruction& copy, const std::vector<std::optional<int64_t>>& elements, int array,
                  const std::vector<std::pair<int, int64_t>>& places);
    void keep_product(const Instruction& instruction);
    bool is_copied_to(int location) const;
    void keep_mentioned(const Condition& condition);
    void link(const Thread& thread, const Instruction& copy);
    void follow_links();
    std::vector<std::pair<int, int64_t>> destinations(const Thread& thread, const Instruction& copy) const;
    std::vector<int> physical_locations(int location) const;
    int element_size(int location) const;

    const Test& test_;
    const std::vector<Placement>& ctas_;
    std::set<std::pair<int, int64_t>> bytes_;  // physical location, byte
    std::vector<Link> links_;
};

}  // namespace litmus
