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

bool writes(const Instruction& instruction, const std::string& reg) {
    const std::vector<std::string> written = written_registers(instruction);
    return std::find(written.begin(), written.end(), reg) != written.end();
}

// Whether some instruction of the thread puts an address into the register by itself.
bool takes_address(const Thread& thread, const std::string& reg) {
    return std::any_of(thread.body.begin(), thread.body.end(), [&](const Instruction& i) { return gives_address(i) && writes(i, reg); });
}

// The location that an access names; empty: a register holds its address, or it has none.
std::string named_location(const Instruction& instruction) {
    const Operand* address = instruction.find(Role::address);
    return address == nullptr || address->indirect ? std::string() : address->name;
}

// Whether some thread stores an address there.
bool holds_address(const Test& test, const std::string& location) {
    if (location.empty()) return false;
    return std::any_of(test.threads.begin(), test.threads.end(), [&](const Thread& thread) {
        return std::any_of(thread.body.begin(), thread.body.end(), [&](const Instruction& i) {
            if (named_location(i) != location) return false;
            return std::any_of(i.operands.begin(), i.operands.end(), [&](const Operand& o) {
                return o.kind == Operand::Kind::reg && (o.role == Role::source || o.role == Role::swap) && takes_address(thread, o.name);
            });
        });
    });
}

}  // namespace

bool is_compared(const Test& test, const Location& location) {
    return !holds_address(test, location.name);
}

bool is_compared(const Test& test, int thread, const std::string& reg) {
    const std::vector<Instruction>& body = test.threads[static_cast<size_t>(thread)].body;
    return std::none_of(body.begin(), body.end(), [&](const Instruction& instruction) {
        const bool opaque = gives_address(instruction) || traits(instruction.op).result == Traits::Result::state;
        return writes(instruction, reg) && (opaque || holds_address(test, named_location(instruction)));
    });
}

bool holds_answer(const Thread& thread, const std::string& reg) {
    return std::any_of(thread.body.begin(), thread.body.end(), [&](const Instruction& instruction) {
        const Operand* response = instruction.find(Role::response);
        return response != nullptr && response->name == reg;
    });
}

}  // namespace litmus
