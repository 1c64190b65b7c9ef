// Which memory decides what chosen threads do, and who else writes it.
//
// Backwards from guards and awaits: a register decides when it is one of these, or when another one that decides is computed from it; a
// place in memory decides when a register that does is loaded from it; what is stored to such a place, or copied to it, decides. Registers
// are taken without regard to where in the thread they are written, which may only find more.
#include <algorithm>
#include <set>
#include <utility>

#include "kernel/scale.h"
#include "language/syntax/native/print.h"
#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

class Deciding {
public:
    Deciding(const Traces& traces, const Memory& memory, const Choice& choice) : traces_(traces), memory_(memory) {
        for (const size_t t : choice.threads)
            for (const Instruction& instruction : traces.threads[t].body) decides_directly(t, instruction);
        for (bool changed = true; changed;) {
            const size_t before = registers_.size() + places_.size();
            for (const size_t t : choice.threads)
                for (const Instruction& instruction : traces.threads[t].body) follow(t, instruction);
            changed = registers_.size() + places_.size() > before;
        }
    }

    bool has(const Touch& touch) const {
        return std::any_of(places_.begin(), places_.end(), [&](const Piece& piece) {
            const auto& [object, block, offset, bytes] = piece;
            return object == touch.object && block == touch.block && offset < touch.offset + touch.bytes && touch.offset < offset + bytes;
        });
    }

private:
    using Piece = std::tuple<size_t, int, uint64_t, uint64_t>;

    void decides_directly(size_t t, const Instruction& instruction) {
        if (instruction.guard) registers_.insert({t, instruction.guard->reg});
        if (instruction.op == Op::bar_red) mark_sources(t, instruction);  // its result reaches other threads
        if (!instruction.await || !instruction.expect) return;
        mark(t, instruction.expect->value);
        mark_read(t, instruction);
    }

    void follow(size_t t, const Instruction& instruction) {
        const std::vector<std::string> written = written_registers(instruction);
        if (std::any_of(written.begin(), written.end(),
                        [&](const std::string& r) {
                            return registers_.count({t, r}) > 0;
                        }) &&
            !is_constant(instruction)) {
            mark_sources(t, instruction);
            mark_read(t, instruction);
        }
        for (const Touch& touch : memory_.touches(instruction, traces_.threads[t].seat))
            if (touch.writes && !touch.mbarrier && has(touch)) {
                mark_sources(t, instruction);
                mark_read(t, instruction);
            }
    }

    // `and d, a, 0` keeps a dependency and no value.
    static bool is_constant(const Instruction& instruction) {
        return instruction.op == Op::binary && operation(instruction) == Operator::and_ &&
               std::any_of(instruction.operands.begin(), instruction.operands.end(),
                           [](const Operand& o) { return o.kind == Operand::Kind::immediate && o.value == 0; });
    }

    void mark(size_t t, const Operand& operand) {
        if (operand.kind == Operand::Kind::reg) registers_.insert({t, operand.name});
        for (const Operand& element : operand.elements) mark(t, element);
    }
    void mark_sources(size_t t, const Instruction& instruction) {
        for (const Operand& operand : instruction.operands)
            if (is_read(operand.role)) mark(t, operand);
    }
    void mark_read(size_t t, const Instruction& instruction) {
        for (const Touch& touch : memory_.touches(instruction, traces_.threads[t].seat))
            if (touch.reads && !touch.mbarrier) places_.insert({touch.object, touch.block, touch.offset, touch.bytes});
    }

    const Traces& traces_;
    const Memory& memory_;
    std::set<std::pair<size_t, std::string>> registers_;  // of a thread
    std::set<Piece> places_;
};

// Whether it does no more when done twice: a plain store of a number, or a reduction that forgets how often it was done.
bool is_idempotent(const Instruction& instruction) {
    const Operand* source = instruction.find(Role::source);
    if (!source || source->kind != Operand::Kind::immediate) return false;
    return kind(instruction.op) == Traits::Kind::store || (instruction.op == Op::red && row(operation(instruction)).idempotent);
}

// What the chosen threads do that may be done twice, with the CTA that it is done in.
std::set<std::pair<uint32_t, std::string>> repeatable(const Traces& traces, const Choice& choice) {
    std::set<std::pair<uint32_t, std::string>> texts;
    for (const size_t t : choice.threads)
        for (const Instruction& instruction : traces.threads[t].body)
            if (is_idempotent(instruction)) texts.insert({traces.threads[t].seat.block, print(instruction)});
    return texts;
}

}  // namespace

std::vector<Want> writers_of_deciding(const Module& module, const Traces& traces, const Memory& memory, const Choice& choice) {
    const Deciding deciding(traces, memory, choice);
    const auto here = repeatable(traces, choice);
    std::vector<Want> wants;
    for (size_t t = 0; t < traces.threads.size(); ++t) {
        if (choice.has(t)) continue;
        const Trace& trace = traces.threads[t];
        const auto wanted = [&](const Instruction& instruction) {
            if (is_idempotent(instruction) && here.count({trace.seat.block, print(instruction)})) return false;
            const auto touches = memory.touches(instruction, trace.seat);
            return std::any_of(touches.begin(), touches.end(),
                               [&](const Touch& touch) { return touch.writes && !touch.mbarrier && deciding.has(touch); });
        };
        const auto found = std::find_if(trace.body.begin(), trace.body.end(), wanted);
        if (found == trace.body.end()) continue;
        const auto place = static_cast<size_t>(found - trace.body.begin());
        const Origin& origin = trace.origins[place];
        const std::string line = text_of(module, shown_line(module, origin));
        wants.push_back(
            {t, "it writes what decides how chosen threads go on" + (line.empty() ? "" : " (" + line + ")"), trace.statements[place]});
    }
    return wants;
}

}  // namespace litmus::kernel
