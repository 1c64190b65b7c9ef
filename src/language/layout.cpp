// One walk over a CTA's shared locations in their order, for both questions (see layout.h).
#include "language/layout.h"

#include <stdexcept>

#include "language/tensor.h"

namespace litmus {
namespace {

// visit(location, offset) in the order of the addresses, until it returns true.
template <typename Visit>
void each_shared(const Test& test, int cta, Visit visit) {
    int64_t at = 0;
    for (const bool everywhere : {true, false})
        for (const Location& location : test.locations) {
            const bool here = everywhere ? !location.cta : location.cta == cta;
            if (location.space != Space::shared || location.is_tensor || !here) continue;
            const int64_t size = location.is_tensor_map ? map_bytes : bits(location.type) / 8;
            const int64_t alignment = location.array ? array_alignment(test) : location.wide ? element_bytes(location) : size;
            at = (at + alignment - 1) / alignment * alignment;
            if (visit(location, at)) return;
            at += size * location.count;
        }
}

}  // namespace

int64_t array_alignment(const Test& test) {
    constexpr int64_t of_bulk_copies = 16;
    return test.tensor_maps.empty() ? of_bulk_copies : tensor_alignment;
}

int64_t shared_offset(const Test& test, const Location& location, int cta) {
    std::optional<int64_t> found;
    each_shared(test, cta, [&](const Location& other, int64_t at) {
        if (other.name == location.name) found = at;
        return found.has_value();
    });
    if (!found) throw std::logic_error("shared_offset: cta" + std::to_string(cta) + " has no " + location.name);
    return *found;
}

std::optional<SharedPlace> shared_place(const Test& test, int cta, int64_t offset) {
    std::optional<SharedPlace> found;
    each_shared(test, cta, [&](const Location& location, int64_t at) {
        const int64_t end = at + (location.is_tensor_map ? map_bytes : bits(location.type) / 8 * location.count);
        if (at <= offset && offset < end) found = SharedPlace{&location, offset - at};
        return found.has_value() || offset < at;
    });
    return found;
}

}  // namespace litmus
