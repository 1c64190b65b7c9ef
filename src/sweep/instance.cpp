// Bytes as values.
#include "sweep/instance.h"

#include <algorithm>

namespace litmus::sweep {

Value Instance::get(uint64_t offset, uint32_t size, Doubts& joined) const {
    if (size > 8) return {};  // it is asked for by pieces
    Gathered gathered(size);
    for (uint32_t i = 0; i < size; ++i) {
        if (offset + i >= bytes.size() || !known[offset + i]) continue;
        const auto doubt = doubts.empty() ? doubts.end() : doubts.find(offset + i);
        gathered.add(i, bytes[offset + i], doubt == doubts.end() ? 0 : doubt->second, joined);
    }
    return gathered.value();
}

void Instance::put(uint64_t offset, uint32_t size, const Value& value) {
    const uint64_t end = std::min<uint64_t>(offset + size, bytes.size());
    if (value.known() == 0 && value.doubt == 0 && doubts.empty() && offset < end) {
        std::fill(known.begin() + static_cast<std::ptrdiff_t>(offset), known.begin() + static_cast<std::ptrdiff_t>(end), false);
        return;
    }
    for (uint32_t i = 0; offset + i < end; ++i) {
        known[offset + i] = value.knows_byte(i);
        if (value.knows_byte(i)) bytes[offset + i] = value.byte(i);
        if (value.doubt != 0)
            doubts[offset + i] = value.doubt;
        else if (!doubts.empty())
            doubts.erase(offset + i);
    }
}

}  // namespace litmus::sweep
