// The arithmetic of boxes.
#include "test/tensor.h"

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

Operand whole_array(const TensorMap& map, const TextSpan& span) {
    Operand operand;
    operand.kind = Operand::Kind::address;
    operand.name = map.array;
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

int64_t box_elements(const TensorMap& map) {
    return std::accumulate(map.box.begin(), map.box.end(), int64_t{1}, std::multiplies<>());
}

int64_t box_bytes(const Test& test, const TensorMap& map) {
    return box_elements(map) * bits(tensor_array(test, map).type) / 8;
}

std::vector<std::optional<int64_t>> elements_at(const TensorMap& map, const std::vector<int64_t>& coordinates) {
    std::vector<std::optional<int64_t>> result;
    const int64_t count = box_elements(map);
    for (int64_t k = 0; k < count; ++k) {
        int64_t rest = k, element = 0, step = 1;
        bool inside = true;
        for (size_t d = 0; d < map.box.size(); ++d) {
            const int64_t at = coordinates[d] + rest % map.box[d];
            inside = inside && at >= 0 && at < map.dim[d];
            element += at * step;
            rest /= map.box[d];
            step *= map.dim[d];
        }
        result.push_back(inside ? std::optional(element) : std::nullopt);
    }
    return result;
}

std::optional<std::vector<int64_t>> written_coordinates(const Operand& operand) {
    std::vector<int64_t> result;
    for (const Operand& element : operand.elements) {
        if (element.kind != Operand::Kind::immediate) return std::nullopt;
        result.push_back(static_cast<int32_t>(element.value));
    }
    return result;
}

}  // namespace litmus
