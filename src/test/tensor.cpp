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
