// What the operands and qualifiers of an instruction mean, with the ISA's defaults (model/semantics.md section 2).
#include "ptx/instruction.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "ptx/traits.h"

namespace litmus {
namespace {

// ISA 9.7.13.4: on sm_70 and later, membar.{cta,gl,sys} is fence.sc.{cta,gpu,sys}.
bool is_membar(const Instruction& instruction) {
    return instruction.op == Op::fence && instruction.mnemonic == "membar";
}

constexpr std::array<std::string_view, 6> sem_names = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
constexpr std::array<std::string_view, 5> scope_names = {"", "cta", "cluster", "gpu", "sys"};
constexpr std::array<std::string_view, 7> proxy_names = {"generic", "async", "surface", "texture", "constant", "tensor", "tensormap"};

}  // namespace

bool Instruction::has(std::string_view qualifier) const {
    return std::find(qualifiers.begin(), qualifiers.end(), qualifier) != qualifiers.end();
}

const Operand* Instruction::find(Role role, size_t nth) const {
    for (const Operand& operand : operands)
        if (operand.role == role && nth-- == 0) return &operand;
    return nullptr;
}

const Operand& Instruction::at(Role role, size_t nth) const {
    const Operand* found = find(role, nth);
    if (!found) throw std::out_of_range("`" + mnemonic + "` lacks an operand");
    return *found;
}

Operand& Instruction::at(Role role, size_t nth) {
    return const_cast<Operand&>(std::as_const(*this).at(role, nth));
}

bool is_address(Role role) {
    return role == Role::address || role == Role::copy_to || role == Role::copy_from || role == Role::mbarrier || role == Role::matrix ||
           role == Role::tensor_memory || role == Role::scales || role == Role::metadata;
}

bool is_written(Role role) {
    return role == Role::result || role == Role::accumulator || role == Role::tile;
}

bool is_read(Role role) {
    return role != Role::result && role != Role::tile;
}

bool is_wide(const Operand& operand) {
    return operand.kind == Operand::Kind::vector && !operand.name.empty();
}

void widen(Operand& reg) {
    reg.kind = Operand::Kind::vector;
    reg.elements.assign(2, {});
    reg.elements[0].name = reg.name + ".lo";
    reg.elements[1].name = reg.name + ".hi";
    for (Operand& half : reg.elements) half.span = reg.span;
}

Sem semantics(const Instruction& instruction) {
    if (instruction.has("volatile")) return Sem::relaxed;  // ISA 8.4.2
    for (size_t i = 0; i < sem_names.size(); ++i)
        if (instruction.has(sem_names[i])) return static_cast<Sem>(i);
    return is_membar(instruction) ? Sem::sc : traits(instruction.op).sem;
}

Scope scope(const Instruction& instruction) {
    const Traits& what = traits(instruction.op);
    if (!what.scoped) return what.scope;
    if (instruction.has("volatile")) return Scope::sys;  // ISA 8.4.2
    if (is_membar(instruction) && instruction.has("gl")) return Scope::gpu;
    for (size_t i = 1; i < scope_names.size(); ++i)
        if (instruction.has(scope_names[i])) return static_cast<Scope>(i);
    return what.scope;
}

Proxy proxy(const Instruction& instruction) {
    if (kind(instruction.op) != Traits::Kind::proxy_fence) return traits(instruction.op).proxy;
    if (instruction.has("async::generic")) return Proxy::async;
    if (instruction.has("tensormap::generic")) return Proxy::tensormap;
    for (size_t i = 0; i < proxy_names.size(); ++i)
        if (instruction.has(proxy_names[i])) return static_cast<Proxy>(i);
    return Proxy::generic;
}

Type data_type(const Instruction& instruction) {
    for (const std::string& qualifier : instruction.qualifiers)
        if (const auto type = type_named(qualifier)) return *type;
    return Type::u32;
}

Type source_type(const Instruction& instruction) {
    Type last = Type::u32;
    for (const std::string& qualifier : instruction.qualifiers)
        if (const auto type = type_named(qualifier)) last = *type;
    return last;
}

std::optional<int> width_of_unknown(std::string_view special_register) {
    struct Special {
        std::string_view name;
        int width;
    };
    static constexpr std::array<Special, 8> unknown = {{{"clock", 32},
                                                        {"clock_hi", 32},
                                                        {"clock64", 64},
                                                        {"globaltimer", 64},
                                                        {"globaltimer_lo", 32},
                                                        {"globaltimer_hi", 32},
                                                        {"warpid", 32},  // may change while the thread runs (10.4)
                                                        {"smid", 32}}};
    for (const Special& special : unknown)
        if (special.name == special_register) return special.width;
    return std::nullopt;
}

int vector_width(const Instruction& instruction) {
    if (instruction.has("v2")) return 2;
    if (instruction.has("v4")) return 4;
    return instruction.has("v8") ? 8 : 1;
}

Operator operation(const Instruction& instruction) {
    if (instruction.op == Op::binary) return operator_named(instruction.mnemonic);
    if (!traits(instruction.op).reduces) return Operator::none;
    for (const std::string& qualifier : instruction.qualifiers)
        if (const Operator found = operator_named(qualifier); found != Operator::none) return found;
    return Operator::none;
}

std::string_view name(Sem sem) {
    return sem_names[static_cast<size_t>(sem)];
}
std::string_view name(Scope scope) {
    return scope_names[static_cast<size_t>(scope)];
}
std::string_view name(Proxy proxy) {
    return proxy_names[static_cast<size_t>(proxy)];
}

}  // namespace litmus
