// Names are looked up in the table; numbers become what their operand's type makes of them.
#include "kernel/make.h"

#include <utility>
#include <variant>

namespace litmus::kernel {

namespace {

// Numbers as the operand's type has them: negative ones in two's complement of 64 bits.
void normalise(const Instruction& instruction, Operand& operand) {
    for (Operand& element : operand.elements) {
        element.role = operand.role;
        normalise(instruction, element);
        element.role = Role::none;
    }
    if (operand.kind != Operand::Kind::immediate) return;
    const Type type = operand_type(instruction, operand);
    operand.value = is_signed(type) ? static_cast<uint64_t>(sign_extend(operand.value, bits(type))) : truncate(operand.value, bits(type));
    operand.is_float = is_float(type);
}

}  // namespace

Instruction make(const Spelling& spelling, std::vector<Operand> operands) {
    Instruction instruction;
    instruction.op = *spelling.form->op;
    instruction.row.form = spelling.form;
    instruction.mnemonic = spelling.form->mnemonic;
    instruction.qualifiers = spelling.qualifiers;
    instruction.operands = std::move(operands);
    bind(instruction);
    for (Operand& operand : instruction.operands) {
        if (operand.kind == Operand::Kind::reg && operand_type(instruction, operand) == Type::b128) widen(operand);
        normalise(instruction, operand);
    }
    return instruction;
}

std::optional<Instruction> make(const std::string& dotted, std::vector<Operand> operands) {
    const auto found = resolve(dotted);
    const Spelling* spelling = std::get_if<Spelling>(&found);
    if (!spelling) return std::nullopt;
    return make(*spelling, std::move(operands));
}

Operand reg_operand(const std::string& name) {
    Operand operand;
    operand.name = name;
    return operand;
}

Operand number_operand(uint64_t value) {
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    operand.value = value;
    return operand;
}

}  // namespace litmus::kernel
