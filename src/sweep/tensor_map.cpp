// A map as words (see tensor_map.h): fields by their places.
#include "sweep/tensor_map.h"

#include <algorithm>

#include "kernel/tensor_shape.h"

namespace litmus::sweep {

namespace {

constexpr uint64_t mark = 0x74656e736f720000;  // rank and type stand in its last two bytes
constexpr uint64_t swizzle_bit = 0x8000;       // beside the rank: the box is swizzled
constexpr size_t address_at = 1, sizes_at = 2, strides_at = 7, box_at = 11;

using kernel::most_dimensions;

}  // namespace

MapWords encoded(const kernel::TensorMap& map, uint64_t array) {
    MapWords words{};
    words[0] = mark | (map.swizzled ? swizzle_bit : 0) | map.sizes.size() << 8 | static_cast<uint64_t>(map.type);
    words[address_at] = array + map.offset;
    std::copy(map.sizes.begin(), map.sizes.end(), words.begin() + sizes_at);
    std::copy(map.box.begin(), map.box.end(), words.begin() + box_at);
    uint64_t dense = static_cast<uint64_t>(bits(map.type)) / 8;
    for (size_t d = 0; d + 1 < map.sizes.size(); ++d) {
        dense *= map.sizes[d];
        words[strides_at + d] = map.strides.empty() ? dense : map.strides[d];
    }
    return words;
}

std::optional<Tensor> decoded(const MapWords& words) {
    const uint64_t rank = words[0] >> 8 & 0x7f, type = words[0] & 0xff;
    if ((words[0] & ~uint64_t{0xffff}) != mark || rank == 0 || rank > most_dimensions) return std::nullopt;
    if (type >= static_cast<uint64_t>(Type::pred))
        return std::nullopt;  // it is no type of elements: the kernel has written the mark itself
    const auto range = [&](size_t at, uint64_t count) {
        const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
        return std::vector<uint64_t>(first, first + static_cast<std::ptrdiff_t>(count));
    };
    return Tensor{static_cast<Type>(type),     words[address_at],   range(sizes_at, rank),
                  range(strides_at, rank - 1), range(box_at, rank), (words[0] & swizzle_bit) != 0};
}

std::string wrong(const Tensor& tensor) {
    std::string why = kernel::wrong_shape(tensor.address, static_cast<uint64_t>(bits(tensor.type)) / 8, tensor.sizes, tensor.strides);
    return why.empty() ? kernel::wrong_box(tensor.box, tensor.sizes.size()) : why;
}

bool replace(MapWords& words, const std::string& field, uint64_t ordinal, uint64_t value) {
    const auto put = [&](size_t at) {
        words.at(at) = value;
        return true;
    };
    if (field == "global_address") return put(address_at);
    if (field == "global_dim" && ordinal < most_dimensions) return put(sizes_at + ordinal);
    if (field == "box_dim" && ordinal < most_dimensions) return put(box_at + ordinal);
    if (field == "global_stride" && ordinal + 1 < most_dimensions) return put(strides_at + ordinal);
    if (field == "swizzle_mode") {
        words[0] = value != 0 ? words[0] | swizzle_bit : words[0] & ~swizzle_bit;
        return true;
    }
    return field == "swizzle_atomicity" || field == "fill_mode";
}

}  // namespace litmus::sweep
