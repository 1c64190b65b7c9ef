// Which elements of bulk operations become events. Private to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "language/test.h"

namespace litmus {

struct Draft;
struct SymbolicRun;

// An element of a location that is no alias, in one instance of it (-1: it is global).
struct ElementPlace {
    int location = -1;
    int instance = -1;
    int64_t element = 0;
    friend bool operator==(const ElementPlace& a, const ElementPlace& b) {
        return std::tie(a.location, a.instance, a.element) == std::tie(b.location, b.instance, b.element);
    }
    friend bool operator<(const ElementPlace& a, const ElementPlace& b) {
        return std::tie(a.location, a.instance, a.element) < std::tie(b.location, b.instance, b.element);
    }
};

// What one bulk operation touches: in each row an element that it reads and those, one in each of its destinations, that it makes of
// that. Either may be missing.
struct Sweep {
    int thread = 0, instruction = 0;
    bool indeterminate = false;  // it leaves values that nobody may read: discard
    struct Row {
        std::optional<ElementPlace> from;
        std::vector<ElementPlace> to;
        bool counted = false;  // a value is computed of what is read, which only this element has: of a product
    };
    std::vector<Row> rows;
};
using Sweeps = std::vector<std::shared_ptr<const Sweep>>;

class KeptElements {
public:
    // None is kept at first.
    explicit KeptElements(const Test& test);

    // Adds those that must become events according to a run which made events of those kept so far. Returns whether there was one to add:
    // then the run does not count.
    bool grow(const Draft& run);

    // Whether some element of the row is kept.
    bool contains(const Sweep::Row& row) const;

    // Whether the element is counted, and something writes it.
    bool varies(const ElementPlace& place) const { return varying_.count(place) > 0; }

private:
    // What a condition speaks of: an element of a location, in a CTA or (-1) in each.
    struct Mention {
        int location, cta;
        int64_t element;
    };
    void add_mentions(const Test& test, const Condition& condition);
    bool is_mentioned(const ElementPlace& place, const SymbolicRun& run) const;

    std::vector<Mention> mentions_;
    std::set<ElementPlace> kept_, varying_;
};

}  // namespace litmus
