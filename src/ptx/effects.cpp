// The rows of the effects. Each says of which instructions it is, and of the operand in which role; the first that fits counts.
#include "ptx/effects.h"

#include <algorithm>
#include <array>

#include "ptx/matrix.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

using Kind = Traits::Kind;
using Object = MemoryEffect::Object;

enum class Access : uint8_t {
    reads,
    writes,
    updates,  // a read and the write computed from it
    changes,  // a read, and a write that is not atomic with it
    results,  // an update where the instruction reduces, else a write
};
enum class Extent : uint8_t {
    accessed,   // the elements of its type
    sized,      // as many bytes as an operand says, elements of its type where it reduces
    object,     // all of the object
    described,  // by a descriptor, a tensor map or a shape
};

struct EffectRow {
    bool (*concerns)(const Instruction& instruction);
    Role role;
    Access access;
    Extent extent = Extent::accessed;
    Object object = Object::data;
};

template <Op op>
bool by(const Instruction& instruction) {
    return instruction.op == op;
}
template <Kind what>
bool of_kind(const Instruction& instruction) {
    return kind(instruction.op) == what;
}
bool always(const Instruction& /*instruction*/) {
    return true;
}
bool has_role(const Instruction& instruction, Role role) {
    const auto& shapes = instruction.row.form->operands;
    return std::any_of(shapes.begin(), shapes.end(), [&](const Shape& shape) { return shape.role == role; });
}
bool is_tensor_load(const Instruction& instruction) {
    return of_kind<Kind::tensor>(instruction) && has_role(instruction, Role::copy_to);
}

// clang-format off
constexpr auto rows_of_effects = std::to_array<EffectRow>({
    {of_kind<Kind::load>, Role::address, Access::reads},
    {of_kind<Kind::store>, Role::address, Access::writes},
    {of_kind<Kind::atomic>, Role::address, Access::updates},
    {of_kind<Kind::from_registers>, Role::address, Access::results},
    {by<Op::ldmatrix>, Role::address, Access::reads, Extent::described},
    {by<Op::stmatrix>, Role::address, Access::writes, Extent::described},
    {of_kind<Kind::bulk>, Role::copy_from, Access::reads, Extent::sized},
    {of_kind<Kind::bulk>, Role::copy_to, Access::results, Extent::sized},
    {of_kind<Kind::copy>, Role::copy_from, Access::reads, Extent::sized},
    {of_kind<Kind::copy>, Role::copy_to, Access::writes, Extent::sized},
    {of_kind<Kind::fill>, Role::copy_to, Access::writes, Extent::sized},
    {of_kind<Kind::cancellation>, Role::copy_to, Access::writes, Extent::object},
    {of_kind<Kind::tensor>, Role::copy_from, Access::reads, Extent::described},
    {of_kind<Kind::tensor>, Role::copy_to, Access::writes, Extent::described},
    {is_tensor_load, Role::tensor, Access::reads, Extent::described},
    {of_kind<Kind::tensor>, Role::tensor, Access::results, Extent::described},
    {of_kind<Kind::mma>, Role::matrix, Access::reads, Extent::described},
    {of_kind<Kind::tcgen>, Role::matrix, Access::reads, Extent::described},
    {by<Op::tcgen_alloc>, Role::address, Access::writes},
    // objects
    {of_kind<Kind::mbarrier_life>, Role::mbarrier, Access::writes, Extent::object, Object::mbarrier},
    {of_kind<Kind::mbarrier_wait>, Role::mbarrier, Access::reads, Extent::object, Object::mbarrier},
    {always, Role::mbarrier, Access::updates, Extent::object, Object::mbarrier},
    {by<Op::map_replace>, Role::address, Access::writes, Extent::object, Object::tensor_map},
    {by<Op::map_field>, Role::address, Access::changes, Extent::object, Object::tensor_map},
    {by<Op::map_copy>, Role::copy_from, Access::reads, Extent::object, Object::tensor_map},
    {by<Op::map_copy>, Role::copy_to, Access::writes, Extent::object, Object::tensor_map},
    // tensor memory
    {by<Op::tcgen_load>, Role::tensor_memory, Access::reads, Extent::described, Object::tensor_memory},
    {by<Op::tcgen_mma>, Role::tensor_memory, Access::changes, Extent::described, Object::tensor_memory},
    {by<Op::tcgen_dealloc>, Role::source, Access::writes, Extent::described, Object::tensor_memory},
    {of_kind<Kind::tcgen>, Role::tensor_memory, Access::writes, Extent::described, Object::tensor_memory},
    {always, Role::scales, Access::reads, Extent::described, Object::tensor_memory},
    {always, Role::metadata, Access::reads, Extent::described, Object::tensor_memory},
});
// clang-format on

uint64_t bytes_of(Object object) {
    return object == Object::mbarrier ? mbarrier_bytes : object == Object::tensor_map ? tensor_map_bytes : answer_bytes;
}

void measure(MemoryEffect& effect, Extent extent, const Instruction& instruction) {
    switch (extent) {
        case Extent::accessed:
            effect.bytes = access_bytes(instruction);
            effect.width = element_bytes(instruction);
            return;
        case Extent::sized:
            effect.size = Role::size;
            effect.width = traits(instruction.op).reduces ? element_bytes(instruction) : 0;
            return;
        case Extent::object:
            effect.bytes = bytes_of(effect.object);
            effect.width = static_cast<uint32_t>(effect.object == Object::data ? effect.bytes / 2 : effect.bytes);
            return;
        case Extent::described:
            if (of_kind<Kind::warp_matrix>(instruction)) effect.bytes = row_of_lane_bytes;
            return;
    }
}

MemoryEffect effect_of(const EffectRow& row, const Instruction& instruction) {
    MemoryEffect effect;
    effect.role = row.role;
    effect.object = row.object;
    const bool updates = row.access == Access::updates || (row.access == Access::results && traits(instruction.op).reduces);
    effect.atomic = updates;
    effect.reads = updates || row.access == Access::reads || row.access == Access::changes;
    effect.writes = row.access != Access::reads;
    effect.asynchronous = is_asynchronous(instruction.op);
    const bool is_multicast = instruction.has("multicast::cluster") || instruction.has("multicast::cluster::all");
    effect.everywhere = is_multicast && row.role != Role::copy_from && row.role != Role::tensor;
    if (effect.object == Object::data) effect.proxy = proxy(instruction);
    if (effect.object == Object::tensor_memory) effect.proxy = Proxy::tensor;
    measure(effect, row.extent, instruction);
    return effect;
}

// Who copies a box of a tensor reads the tensor map, too.
MemoryEffect read_of_map(const MemoryEffect& box) {
    MemoryEffect map = box;
    map.object = Object::tensor_map;
    map.reads = true;
    map.writes = map.atomic = false;
    map.proxy = Proxy::tensormap;
    map.bytes = map.width = tensor_map_bytes;
    return map;
}

}  // namespace

std::vector<MemoryEffect> memory_effects(const Instruction& instruction, Role role) {
    const auto row = std::find_if(rows_of_effects.begin(), rows_of_effects.end(),
                                  [&](const EffectRow& one) { return one.role == role && one.concerns(instruction); });
    if (row == rows_of_effects.end()) return {};
    std::vector<MemoryEffect> effects = {effect_of(*row, instruction)};
    if (role == Role::tensor) effects.push_back(read_of_map(effects.front()));
    if (instruction.op == Op::async_arrive && !instruction.has("noinc")) {  // the pending count grows at once (9.7.13.15.15)
        effects.push_back(effects.front());
        effects.back().asynchronous = false;
    }
    return effects;
}

std::vector<MemoryEffect> memory_effects(const Instruction& instruction) {
    std::vector<MemoryEffect> effects;
    for (const Operand& operand : instruction.operands) {
        const std::vector<MemoryEffect> here = memory_effects(instruction, operand.role);
        effects.insert(effects.end(), here.begin(), here.end());
    }
    return effects;
}

uint32_t element_bytes(const Instruction& instruction) {
    return static_cast<uint32_t>(std::max(8, bits(data_type(instruction))) / 8);
}

uint64_t access_bytes(const Instruction& instruction) {
    return uint64_t{element_bytes(instruction)} * static_cast<uint64_t>(vector_width(instruction));
}

}  // namespace litmus
