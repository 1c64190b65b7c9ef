// Ranges of single numbers first; then the last byte of the tensor has an address (see tensor_shape.h).
#include "kernel/tensor_shape.h"

#include <algorithm>

namespace litmus::kernel {

namespace {

std::string counted(size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// "size 2 is 0, and each is from 1 to 256"; empty: each is in its range.
std::string beyond(const std::string& what, const std::vector<uint64_t>& numbers, uint64_t least, uint64_t most,
                   const std::string& of = {}) {
    for (size_t n = 0; n < numbers.size(); ++n)
        if (numbers[n] < least || numbers[n] > most)
            return what + " " + std::to_string(n + 1) + of + " is " + std::to_string(numbers[n]) + ", and each is from " +
                   std::to_string(least) + " to " + std::to_string(most);
    return {};
}

}  // namespace

std::string wrong_shape(uint64_t address, uint64_t element_bytes, const std::vector<uint64_t>& sizes,
                        const std::vector<uint64_t>& strides) {
    if (sizes.empty() || sizes.size() > most_dimensions)
        return "the tensor has " + counted(sizes.size(), "dimension") + ", and 1 to " + std::to_string(most_dimensions) + " are possible";
    if (!strides.empty() && strides.size() != sizes.size() - 1)
        return "the tensor has " + counted(sizes.size(), "size") + " and " + counted(strides.size(), "stride") +
               ", and there is one stride less than sizes";
    if (std::string why = beyond("size", sizes, 1, most_in_dimension); !why.empty()) return why;
    if (std::string why = beyond("stride", strides, 0, most_stride); !why.empty()) return why;
    uint64_t last = address, dense = element_bytes;  // the last byte's address, so far; the bytes of all inner dimensions without gaps
    for (size_t d = 0; d < sizes.size(); ++d) {
        uint64_t more = 0;
        const uint64_t stride = d == 0 || strides.empty() ? dense : strides[d - 1];
        const uint64_t steps = d == 0 ? sizes[d] : sizes[d] - 1;
        if (__builtin_mul_overflow(steps, stride, &more) || __builtin_add_overflow(last, more, &last) ||
            (strides.empty() && __builtin_mul_overflow(dense, sizes[d], &dense)))
            return "the tensor reaches beyond the last address";
    }
    return {};
}

std::string wrong_box(const std::vector<uint64_t>& box, size_t dimensions) {
    if (box.size() != dimensions)
        return "the tensor has " + counted(dimensions, "dimension") + ", and its box " + std::to_string(box.size());
    return beyond("length", box, 1, most_in_box, " of the box");
}

}  // namespace litmus::kernel
