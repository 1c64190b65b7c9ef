// Static rules of tensor maps in memory (ISA 5.5.8): of the instructions that write them, of the fences that name them, and of the
// tensor copies that read them.
#include <array>
#include <optional>
#include <utility>

#include "language/rule_subject.h"
#include "language/tensor.h"
#include "ptx/traits.h"

namespace litmus::rules {
namespace {

// The address of a map in memory, from its first byte on, where the text may name its state space. False: reported.
bool check_map(Subject& s, const Subject::Part& address, std::string_view space = {}) {
    const Location& location = address.location();
    if (!location.is_tensor_map) {
        s.report(address, in_ticks(location.name) + " is no tensor map in memory" + s.isa(),
                 "declare one: " + std::string(space == "shared::cta" ? ".shared" : ".global") + " .tensormap tm = g, dim 8, box 4;");
        return false;
    }
    if (address.known.offset == 0) return true;
    s.report(address, "a tensor map is named by the address of its first byte, and this is byte " + std::to_string(address.known.offset));
    return false;
}

void check_space(Subject& s, const Subject::Part& address, std::string_view space) {
    if (!s.check_named_space(address, space) || !address.is_shared()) return;
    if (s.check_reach(address, "shared::cta")) s.check_window(address, space);
}

void check_size(Subject& s) {
    const Subject::Part size = s.in(Role::size);
    if (size.has_number() && size.number() != static_cast<uint64_t>(map_bytes)) s.report(size, "a tensor map has 128 bytes" + s.isa());
}

void check_replace(Subject& s) {
    const Subject::Part map = s.in(Role::address), value = s.in(Role::source);
    const std::string_view space = s.instruction().has("global") ? "global" : s.instruction().has("shared::cta") ? "shared::cta" : "";
    if (map.has_place() && check_map(s, map, space)) check_space(s, map, space);
    if (value.text->kind == Operand::Kind::immediate)
        s.report(value, "a number is no array's address", "take it into a register: mov.u64 r0, g;");
}

// What a field holds of a map as it is declared; nothing where it has no such number. Elements by their codes (ISA 9.7.9.28, table 33).
std::optional<uint64_t> declared_field(const Test& test, const TensorMap& map, const Instruction& i, uint64_t ordinal) {
    static constexpr std::array<std::pair<Type, uint64_t>, 10> elements = {{{Type::u8, 0},
                                                                            {Type::u16, 1},
                                                                            {Type::u32, 2},
                                                                            {Type::s32, 3},
                                                                            {Type::u64, 4},
                                                                            {Type::s64, 5},
                                                                            {Type::f16, 6},
                                                                            {Type::f32, 7},
                                                                            {Type::f64, 9},
                                                                            {Type::bf16, 10}}};
    const size_t rank = map.dim.size();
    const Type type = tensor_type(tensor_array(test, map).type);
    if (i.has("rank")) return rank - 1;
    if (i.has("elemtype")) {
        for (const auto& [element, code] : elements)
            if (element == type) return code;
        return std::nullopt;
    }
    if (i.has("interleave_layout") || i.has("swizzle_mode") || i.has("swizzle_atomicity") || i.has("fill_mode")) return 0;
    if (ordinal >= rank || (i.has("global_stride") && ordinal + 1 >= rank)) return std::nullopt;
    const auto nth = static_cast<size_t>(ordinal);
    if (i.has("box_dim")) return static_cast<uint64_t>(map.box[nth]);
    if (i.has("global_dim")) return static_cast<uint64_t>(map.dim[nth]);
    if (i.has("element_stride")) return 1;
    uint64_t stride = static_cast<uint64_t>(bits(type) / 8);
    for (size_t d = 0; d <= nth; ++d) stride *= static_cast<uint64_t>(map.dim[d]);
    return stride;
}

// A map has one shape, that of its declaration, before the instruction and after it. So what a copy moves is known whichever of the
// writes of its map it sees; and whether it may see one is told as of the array.
void check_field(Subject& s) {
    const Instruction& i = s.instruction();
    const Subject::Part map = s.in(Role::address), value = s.in(Role::source), ordinal = s.in(Role::ordinal);
    const std::string_view space = i.has("global") ? "global" : i.has("shared::cta") ? "shared::cta" : "";
    if (!map.has_place() || !check_map(s, map, space)) return;
    check_space(s, map, space);
    const TensorMap& declared = *find_tensor_map(s.test(), map.location().name);
    const std::string field = i.qualifiers.at(1), name = in_ticks(declared.name);
    const auto held = declared_field(s.test(), declared, i, ordinal ? ordinal.number() : 0);
    if (!held)
        return s.report(ordinal ? ordinal : map, "`." + field + "` of " + name + " has no such number" + s.isa(),
                        name + " has " + std::to_string(declared.dim.size()) + " dimensions, counted from 0");
    if (!value.has_number() || *value.known.value == *held) return;
    s.report(value,
             name + " is declared with " + std::to_string(*held) + " in this place of `." + field +
                 "`, and the shape of a map does not "
                 "change in a test",
             "declare the map as it is after the write, or write " + std::to_string(*held) + ": what is not ordered is told all the same");
}

// The two maps have the same dimensions and the same box: only which array they stand for is a value of the model.
void check_copy(Subject& s) {
    const Subject::Part to = s.in(Role::copy_to), from = s.in(Role::copy_from);
    check_size(s);
    const bool has_to = to.has_place() && check_map(s, to, "global"), has_from = from.has_place() && check_map(s, from, "shared::cta");
    if (has_to && has_from && to.is_shared() && !from.is_shared())
        return s.report(
            Span{to.text->span.begin, from.text->span.end},
            "the operands are [global], [shared]: the map in global memory stands first, and that in shared memory is copied to it" +
                s.isa(),
            "write [" + from.location().name + "], [" + to.location().name + "]");
    if (has_to) check_space(s, to, "global");
    if (has_from) check_space(s, from, "shared::cta");
    if (!has_to || !has_from) return;
    const TensorMap &a = *find_tensor_map(s.test(), to.location().name), &b = *find_tensor_map(s.test(), from.location().name);
    if (a.dim != b.dim || a.box != b.box || tensor_array(s.test(), a).type != tensor_array(s.test(), b).type)
        s.report(to, in_ticks(a.name) + " and " + in_ticks(b.name) + " differ in more than their array: not modelled",
                 "declare both with one type of elements, one `dim` and one `box`");
}

void check_acquire(Subject& s, const Subject::Part& map) {
    check_size(s);
    if (!map.has_place() || !check_map(s, map) || !map.is_shared()) return;
    s.report(map, in_ticks(map.location().name) + " lies in shared memory, and the fence is for a tensor map in global memory" + s.isa());
}

}  // namespace

bool names_map(const Subject& s) {
    const Op op = s.instruction().op;
    return kind(op) == Traits::Kind::map_write || kind(op) == Traits::Kind::proxy_fence;
}

void check_maps(Subject& s) {
    const Subject::Part map = s.in(Role::address), tensor = s.in(Role::tensor);
    if (s.instruction().op == Op::map_replace) return check_replace(s);
    if (s.instruction().op == Op::map_field) return check_field(s);
    if (s.instruction().op == Op::map_copy) return check_copy(s);
    if (kind(s.instruction().op) == Traits::Kind::proxy_fence && map) return check_acquire(s, map);
    if (!tensor) return;
    const Location* location = find_location(s.test(), tensor.text->name);
    if (location && location->space == Space::shared)
        s.report(
            tensor,
            in_ticks(location->name) + " lies in shared memory: a tensor copy takes a map in global memory, or a constant one (ISA 5.5.8)",
            "copy it there with `tensormap.cp_fenceproxy`");
}

}  // namespace litmus::rules
