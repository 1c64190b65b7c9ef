// What the text alone says of the states of mbarrier objects (ISA 9.7.13.15.13, 9.7.13.15.16): which arrivals write the
// register that an instruction takes as one.
#include <algorithm>
#include <functional>
#include <optional>

#include "ptx/traits.h"
#include "syntax/dsl_rules.h"

namespace litmus::dsl {
namespace {

std::string in_ticks(std::string_view text) {
    return "`" + std::string(text) + "`";
}

bool is_arrival(const Instruction& instruction) {
    return kind(instruction.op) == Traits::Kind::mbarrier_arrival;
}

// The operand that the box calls this, if the instruction has it.
const Operand* operand_named(const Instruction& instruction, const Form& form, std::string_view name) {
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
        const Shape* shape = shape_of(form, instruction, i);
        if (shape && shape->name == name) return &instruction.operands[i];
    }
    return nullptr;
}

// Something in the thread writes the register, and all that does is of this kind.
bool written_only_by(const Thread& thread, const Operand& reg, const std::function<bool(const Instruction&)>& kind) {
    bool some = false, all = true;
    for (const Instruction& writer : thread.body) {
        const std::vector<std::string> written = written_registers(writer);
        if (std::find(written.begin(), written.end(), reg.name) == written.end()) continue;
        some = true;
        all = all && kind(writer);
    }
    return some && all;
}

void check_wait(Rules& rules, const Thread& thread, const Instruction& wait, const Form& form) {
    const std::string isa = " (ISA " + form.section + ")";
    const Operand* parity = operand_named(wait, form, "phaseParity");
    const Operand* state = operand_named(wait, form, "state");
    const Operand* mbar = operand_named(wait, form, "[mbar]");
    if (parity && parity->kind == Operand::Kind::reg && written_only_by(thread, *parity, is_arrival))
        rules.report(parity->span, in_ticks(parity->name) + " holds a state, not a parity" + isa, "leave out `.parity`");
    const auto arrives_elsewhere = [&](const Instruction& writer) {
        if (!is_arrival(writer) || writer.operands[1].indirect) return false;
        const Operand& other = writer.operands[1];
        return other.name != mbar->name || other.offset != mbar->offset;
    };
    if (state && state->kind == Operand::Kind::reg && mbar && !mbar->indirect && written_only_by(thread, *state, arrives_elsewhere))
        rules.report(state->span, in_ticks(state->name) + " is the state of another object than " + in_ticks(mbar->name) + isa);
}

}  // namespace

void check_states(Rules& rules, const Thread& thread, const Instruction& instruction, const Form& form) {
    if (!rules.complete) return;
    if (kind(instruction.op) == Traits::Kind::mbarrier_wait) check_wait(rules, thread, instruction, form);
    const auto may_complete = [](const Instruction& writer) { return is_arrival(writer) && !writer.has("noComplete"); };
    if (kind(instruction.op) == Traits::Kind::mbarrier_query && instruction.operands.back().kind == Operand::Kind::reg &&
        written_only_by(thread, instruction.operands.back(), may_complete))
        rules.report(instruction.operands.back().span,
                     in_ticks(instruction.operands.back().name) + " is the state of an arrival that may complete the phase (ISA " +
                         form.section + ")",
                     "write `.noComplete` there");
}

}  // namespace litmus::dsl
