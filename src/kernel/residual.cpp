// Making instructions, and writing blocks one after the other (residual.h).
#include "kernel/residual.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "ptx/table.h"
#include "ptx/traits.h"

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

std::vector<size_t> successors(const BasicBlock& block) {
    switch (block.end) {
        case BasicBlock::End::jump:
            return {block.next};
        case BasicBlock::End::branch:
            return {block.next, block.other};
        case BasicBlock::End::open:
        case BasicBlock::End::exit:
            return {};
    }
    return {};
}

namespace {

// ---- from blocks to a body -----------------------------------------------------------------------------------------------------------

// Whether a path leads from one block to another, as far as a short search sees.
bool leads_to(const BasicBlocks& blocks, size_t from, size_t to) {
    constexpr size_t most = 256;
    std::vector<size_t> waiting = {from};
    std::set<size_t> seen = {from};
    while (!waiting.empty() && seen.size() < most) {
        const size_t b = waiting.back();
        waiting.pop_back();
        if (b == to) return true;
        for (const size_t next : successors(blocks[b]))
            if (seen.insert(next).second) waiting.push_back(next);
    }
    return false;
}

// The order of the blocks in the text: each is followed by the one it goes on to, where that has no place yet. What is done only on the
// other way of a branch, before both meet again, follows the branch: its guard is turned round.
std::vector<size_t> text_order(BasicBlocks& blocks) {
    std::vector<size_t> order, waiting = {0};
    std::vector<bool> placed(blocks.size(), false);
    while (!waiting.empty()) {
        size_t b = waiting.back();
        waiting.pop_back();
        while (!placed[b]) {
            placed[b] = true;
            order.push_back(b);
            BasicBlock& block = blocks[b];
            if (block.end == BasicBlock::End::exit || block.end == BasicBlock::End::open) break;
            if (block.end == BasicBlock::End::branch) {
                const bool aside =
                    !placed[block.other] && leads_to(blocks, block.other, block.next) && !leads_to(blocks, block.next, block.other);
                if (aside) {
                    std::swap(block.next, block.other);
                    block.guard.negated = !block.guard.negated;
                }
                waiting.push_back(block.other);
            }
            b = block.next;
        }
    }
    return order;
}

Instruction branch_to(const std::string& label, std::optional<Guard> guard) {
    Operand target;
    target.kind = Operand::Kind::label;
    target.name = label;
    Instruction instruction = *make("bra", {target});
    instruction.guard = std::move(guard);
    return instruction;
}

}  // namespace

const BasicBlock* open_branch(BasicBlocks& blocks) {
    for (const size_t b : text_order(blocks))
        if (blocks[b].end == BasicBlock::End::branch && !blocks[b].open.empty()) return &blocks[b];
    return nullptr;
}

void decide_by_clock(BasicBlocks& blocks, const std::string& clock, const std::string& late) {
    Operand time = number_operand(0);
    time.name = "clock64";
    for (BasicBlock& block : blocks) {
        if (block.end != BasicBlock::End::branch || block.open.empty() || !block.timed) continue;
        const auto add = [&block](Instruction instruction) {
            block.body.push_back({std::move(instruction), block.statement, block.origin});
        };
        add(*make("mov.u64", {reg_operand(clock), time}));
        add(*make("setp.ne.u64", {reg_operand(late), reg_operand(clock), number_operand(0)}));
        block.guard = {late, false};
        block.open.clear();
    }
}

void write(BasicBlocks blocks, Trace& trace) {
    const std::vector<size_t> order = text_order(blocks);
    const size_t nowhere = blocks.size();
    const auto after = [&](size_t i) { return i + 1 < order.size() ? order[i + 1] : nowhere; };
    std::set<size_t> targets;  // blocks that are jumped to
    for (size_t i = 0; i < order.size(); ++i) {
        const BasicBlock& block = blocks[order[i]];
        if (block.end == BasicBlock::End::branch) targets.insert(block.other);
        if ((block.end == BasicBlock::End::branch || block.end == BasicBlock::End::jump) && block.next != after(i))
            targets.insert(block.next);
    }
    std::map<size_t, std::string> labels;
    for (const size_t b : order)
        if (targets.contains(b)) labels.emplace(b, "L" + std::to_string(labels.size() + 1));
    std::vector<std::string> pending;
    const auto add = [&](Instruction instruction, size_t statement, const Origin& origin) {
        instruction.labels = std::exchange(pending, {});
        trace.body.push_back(std::move(instruction));
        trace.statements.push_back(statement);
        trace.origins.push_back(origin);
    };
    for (size_t i = 0; i < order.size(); ++i) {
        BasicBlock& block = blocks[order[i]];
        if (labels.contains(order[i])) pending.push_back(labels[order[i]]);
        const bool left = !block.body.empty() && kind(block.body.back().instruction.op) == Traits::Kind::exit;  // by a trap
        for (Residual& residual : block.body) {
            if (residual.trap) trace.traps.push_back(trace.body.size());
            if (residual.aligned) trace.aligned.push_back(trace.body.size());
            if (residual.non_coherent) trace.non_coherent.push_back(trace.body.size());
            add(std::move(residual.instruction), residual.statement, residual.origin);
        }
        if (block.end == BasicBlock::End::branch) add(branch_to(labels.at(block.other), block.guard), block.statement, block.origin);
        if (block.end == BasicBlock::End::exit && after(i) != nowhere && !left) add(*make("exit", {}), block.statement, block.origin);
        if ((block.end == BasicBlock::End::branch || block.end == BasicBlock::End::jump) && block.next != after(i))
            add(branch_to(labels.at(block.next), std::nullopt), block.statement, block.origin);
    }
    trace.end_labels = pending;
}

}  // namespace litmus::kernel
