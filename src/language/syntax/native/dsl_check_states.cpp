// What the text alone says of the states of mbarrier objects (ISA 9.7.13.15.13, 9.7.13.15.16): which arrivals write the
// register that an instruction takes as one.
#include <algorithm>
#include <functional>
#include <optional>

#include "language/syntax/native/dsl_rules.h"
#include "ptx/traits.h"

namespace litmus::dsl {
namespace {

std::string in_ticks(std::string_view text) {
    return "`" + std::string(text) + "`";
}

bool is_arrival(const Instruction& instruction) {
    return kind(instruction.op) == Traits::Kind::mbarrier_arrival;
}

std::string section(const Instruction& instruction) {
    return instruction.row.form->section;
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

void check_wait(Rules& rules, const Thread& thread, const Instruction& wait) {
    const std::string isa = " (ISA " + section(wait) + ")";
    const Operand& mbar = wait.at(Role::mbarrier);
    const Operand* parity = wait.find(Role::parity);
    const Operand* state = wait.find(Role::state);
    if (parity && parity->kind == Operand::Kind::reg && written_only_by(thread, *parity, is_arrival))
        rules.report(parity->span, in_ticks(parity->name) + " holds a state, not a parity" + isa, "leave out `.parity`");
    const auto arrives_elsewhere = [&](const Instruction& writer) {
        if (!is_arrival(writer)) return false;
        const Operand& other = writer.at(Role::mbarrier);
        return !other.indirect && (other.name != mbar.name || other.offset != mbar.offset);
    };
    if (state && state->kind == Operand::Kind::reg && !mbar.indirect && written_only_by(thread, *state, arrives_elsewhere))
        rules.report(state->span, in_ticks(state->name) + " is the state of another object than " + in_ticks(mbar.name) + isa);
}

void check_query(Rules& rules, const Thread& thread, const Instruction& query) {
    const Operand& state = query.at(Role::state);
    const auto may_complete = [](const Instruction& writer) { return is_arrival(writer) && !writer.has("noComplete"); };
    if (state.kind == Operand::Kind::reg && written_only_by(thread, state, may_complete))
        rules.report(state.span,
                     in_ticks(state.name) + " is the state of an arrival that may complete the phase (ISA " + section(query) + ")",
                     "write `.noComplete` there");
}

}  // namespace

void check_states(Rules& rules, const Thread& thread, const Instruction& instruction) {
    if (!rules.complete) return;
    if (kind(instruction.op) == Traits::Kind::mbarrier_wait) check_wait(rules, thread, instruction);
    if (kind(instruction.op) == Traits::Kind::mbarrier_query) check_query(rules, thread, instruction);
}

}  // namespace litmus::dsl
