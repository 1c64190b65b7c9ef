// What gives a register a value that only the machine knows.
#include "language/compared.h"

#include <algorithm>

#include "ptx/traits.h"

namespace litmus {
namespace {

bool gives_address(const Instruction& instruction) {
    if (instruction.op == Op::cvta || instruction.op == Op::mapa) return true;
    return instruction.op == Op::mov && instruction.at(Role::source).kind == Operand::Kind::symbol;
}

}  // namespace

bool is_compared(const Test& test, int thread, const std::string& reg) {
    const std::vector<Instruction>& body = test.threads[static_cast<size_t>(thread)].body;
    return std::none_of(body.begin(), body.end(), [&](const Instruction& instruction) {
        if (!gives_address(instruction) && traits(instruction.op).result != Traits::Result::state) return false;
        const std::vector<std::string> written = written_registers(instruction);
        return std::find(written.begin(), written.end(), reg) != written.end();
    });
}

bool holds_answer(const Thread& thread, const std::string& reg) {
    return std::any_of(thread.body.begin(), thread.body.end(), [&](const Instruction& instruction) {
        const Operand* response = instruction.find(Role::response);
        return response != nullptr && response->name == reg;
    });
}

}  // namespace litmus
