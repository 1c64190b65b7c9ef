// The arithmetic of boxes.
#include "language/tensor.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace litmus {

const TensorMap* find_tensor_map(const Test& test, std::string_view name) {
    const auto found = std::find_if(test.tensor_maps.begin(), test.tensor_maps.end(), [&](const TensorMap& m) { return m.name == name; });
    return found == test.tensor_maps.end() ? nullptr : &*found;
}

const Location& tensor_array(const Test& test, const TensorMap& map) {
    return *find_location(test, map.array);
}

bool is_changeable(const Test& test, const TensorMap& map) {
    return find_location(test, map.name) != nullptr;
}

std::vector<int> possible_arrays(const Test& test, const TensorMap& map) {
    std::vector<int> result{location_index(test, map.array)};
    if (!is_changeable(test, map)) return result;
    const Location& own = tensor_array(test, map);
    const int64_t elements = std::accumulate(map.dim.begin(), map.dim.end(), int64_t{1}, std::multiplies<>());
    const auto add = [&](const std::string& name) {
        const int other = location_index(test, name);
        if (other < 0 || std::find(result.begin(), result.end(), other) != result.end()) return;
        const Location& array = test.locations[static_cast<size_t>(other)];
        if (array.space != Space::global || !array.array || !array.alias_of.empty() || !array.points_to.empty()) return;
        if (array.type == own.type && array.count >= elements) result.push_back(other);
    };
    for (const TensorMap& other : test.tensor_maps)
        if (is_changeable(test, other)) add(other.array);
    for (const Thread& thread : test.threads)
        for (const Instruction& instruction : thread.body)
            for (const Operand& operand : instruction.operands)
                if (operand.kind == Operand::Kind::symbol) add(operand.name);
    return result;
}

Operand whole_array(const Location& array, const TextSpan& span) {
    Operand operand;
    operand.kind = Operand::Kind::address;
    operand.name = array.name;
    operand.span = span;
    return operand;
}

Type tensor_type(Type type) {
    return type == Type::b32 ? Type::u32 : type == Type::b64 ? Type::u64 : type;
}

int dimensions(const Instruction& instruction) {
    for (int n = 1; n <= most_dimensions; ++n)
        if (instruction.has(std::to_string(n) + "d")) return n;
    return 0;
}

TensorMode tensor_mode(const Instruction& instruction) {
    if (instruction.has("tile::gather4") || instruction.has("tile::scatter4")) return TensorMode::rows;
    return instruction.has("im2col") || instruction.has("im2col_no_offs") ? TensorMode::column : TensorMode::tile;
}

size_t coordinate_count(const Instruction& instruction) {
    return tensor_mode(instruction) == TensorMode::rows ? 1 + gathered_rows : static_cast<size_t>(dimensions(instruction));
}

size_t offset_count(const Instruction& instruction) {
    return instruction.has("im2col") ? static_cast<size_t>(dimensions(instruction)) - 2 : 0;
}

namespace {

using Corner = std::vector<int64_t>;

int64_t box_elements(const TensorMap& map) {
    return std::accumulate(map.box.begin(), map.box.end(), int64_t{1}, std::multiplies<>());
}

size_t box_count(const TensorMap& map, TensorMode mode) {
    if (mode == TensorMode::rows) return gathered_rows;
    return mode == TensorMode::column ? static_cast<size_t>(map.column->pixels) : 1;
}

// The pixels of a column, from the filter's base on: along W through the bounding box, then H, D and the images (ISA 5.5.4.1). The offsets
// move what is read, and not where the bounding box ends.
std::vector<Corner> pixels_of(const TensorMap& map, const TensorPlace& place) {
    std::vector<Corner> corners;
    Corner base = place.coordinates;
    for (int pixel = 0; pixel < map.column->pixels; ++pixel) {
        corners.push_back(base);
        for (size_t d = 0; d < place.offsets.size(); ++d) corners.back()[1 + d] += place.offsets[d];
        size_t d = 1;
        while (d + 1 < base.size() && ++base[d] > bounding_box(map, d - 1).last) {
            base[d] = bounding_box(map, d - 1).first;
            ++d;
        }
        if (d + 1 == base.size()) ++base[d];
    }
    return corners;
}

// Where the boxes of a copy begin.
std::vector<Corner> corners_of(const TensorMap& map, TensorMode mode, const TensorPlace& place) {
    if (mode == TensorMode::tile) return {place.coordinates};
    if (mode == TensorMode::column) return pixels_of(map, place);
    std::vector<Corner> corners;
    for (size_t row = 1; row < place.coordinates.size(); ++row) corners.push_back({place.coordinates[0], place.coordinates[row]});
    return corners;
}

// The array's element of the k-th of a box.
std::optional<int64_t> element_of_box(const TensorMap& map, const Corner& corner, int64_t k) {
    int64_t element = 0, step = 1;
    for (size_t d = 0; d < map.box.size(); ++d) {
        const int64_t at = corner[d] + k % map.box[d];
        if (at < 0 || at >= map.dim[d]) return std::nullopt;
        element += at * step;
        k /= map.box[d];
        step *= map.dim[d];
    }
    return element;
}

}  // namespace

int64_t tensor_bytes(const Test& test, const Instruction& copy) {
    const TensorMap& map = *find_tensor_map(test, copy.at(Role::tensor).name);
    return box_elements(map) * static_cast<int64_t>(box_count(map, tensor_mode(copy))) * bits(tensor_array(test, map).type) / 8;
}

std::vector<std::optional<int64_t>> elements_at(const TensorMap& map, TensorMode mode, const TensorPlace& place) {
    std::vector<std::optional<int64_t>> result;
    const int64_t count = box_elements(map);
    for (const Corner& corner : corners_of(map, mode, place))
        for (int64_t k = 0; k < count; ++k) result.push_back(element_of_box(map, corner, k));
    return result;
}

bool begins_inside(const TensorMap& map, TensorMode mode, const TensorPlace& place, size_t d) {
    const std::vector<Corner> corners = corners_of(map, mode, place);
    return std::all_of(corners.begin(), corners.end(), [&](const Corner& corner) { return corner[d] >= 0 && corner[d] < map.dim[d]; });
}

Interval bounding_box(const TensorMap& map, size_t d) {
    return {map.column->lower[d], map.dim[1 + d] - 1 + map.column->upper[d]};
}

namespace {

std::optional<std::vector<int64_t>> written_numbers(const Operand* operand) {
    std::vector<int64_t> result;
    for (const Operand& element : operand ? operand->elements : std::vector<Operand>{}) {
        if (element.kind != Operand::Kind::immediate) return std::nullopt;
        result.push_back(static_cast<int32_t>(element.value));
    }
    return result;
}

}  // namespace

std::optional<TensorPlace> written_place(const Instruction& copy) {
    const auto coordinates = written_numbers(copy.find(Role::tensor)), offsets = written_numbers(copy.find(Role::image));
    if (!coordinates || !offsets) return std::nullopt;
    return TensorPlace{*coordinates, *offsets};
}

}  // namespace litmus
