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
    for (Operand& operand : instruction.operands) normalise(instruction, operand);
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

namespace {

std::vector<size_t> successors(const Block& block) {
    switch (block.end) {
        case Block::End::jump:
            return {block.next};
        case Block::End::branch:
            return {block.next, block.other};
        case Block::End::open:
        case Block::End::exit:
            return {};
    }
    return {};
}

// ---- what nobody uses --------------------------------------------------------------------------------------------------------------

using Names = std::set<std::string>;

void read_names(const Operand& operand, Names& names) {
    if (operand.kind == Operand::Kind::reg || (operand.kind == Operand::Kind::address && operand.indirect)) names.insert(operand.name);
    for (const Operand& element : operand.elements) read_names(element, names);
}

// From the names live after an instruction to those live before it.
void step_back(const Instruction& instruction, Names& live) {
    if (!instruction.guard)
        for (const std::string& name : written_registers(instruction)) live.erase(name);
    for (const Operand& operand : instruction.operands)
        if (operand.role != Role::result) read_names(operand, live);
    if (instruction.expect) read_names(instruction.expect->value, live);
    if (instruction.guard) live.insert(instruction.guard->reg);
}

bool is_useless(const Instruction& instruction, const Names& live) {
    if (!is_arithmetic(instruction.op)) return false;
    const auto written = written_registers(instruction);
    return std::none_of(written.begin(), written.end(), [&](const std::string& name) { return live.contains(name); });
}

Names live_at_end(const Blocks& blocks, const std::vector<Names>& live, size_t b) {
    Names names;
    for (const size_t next : successors(blocks[b])) names.insert(live[next].begin(), live[next].end());
    if (blocks[b].end == Block::End::branch) names.insert(blocks[b].guard.reg);
    return names;
}

// Liveness over the blocks. An instruction that nobody uses reads nothing: what only it uses goes with it, in loops too.
std::vector<Names> live_names(const Blocks& blocks) {
    std::vector<Names> live(blocks.size());
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = blocks.size(); b-- > 0;) {
            Names names = live_at_end(blocks, live, b);
            for (size_t i = blocks[b].body.size(); i-- > 0;)
                if (!is_useless(blocks[b].body[i].instruction, names)) step_back(blocks[b].body[i].instruction, names);
            if (names == live[b]) continue;
            live[b] = std::move(names);
            changed = true;
        }
    }
    return live;
}

void drop_useless(Blocks& blocks, const std::vector<Names>& live) {
    for (size_t b = 0; b < blocks.size(); ++b) {
        Names names = live_at_end(blocks, live, b);
        std::vector<Residual> kept;
        for (size_t i = blocks[b].body.size(); i-- > 0;) {
            Residual& residual = blocks[b].body[i];
            if (is_useless(residual.instruction, names)) continue;
            step_back(residual.instruction, names);
            kept.push_back(std::move(residual));
        }
        std::reverse(kept.begin(), kept.end());
        blocks[b].body = std::move(kept);
    }
}

// ---- loops that wait for one instruction ---------------------------------------------------------------------------------------------

// `L: try_wait p, ...; @!p bra L` is the wait, awaited.
std::optional<Instruction> awaited_wait(const Block& block, bool leaves_if) {
    if (block.body.size() != 1) return std::nullopt;
    Instruction wait = block.body[0].instruction;
    if (kind(wait.op) != Traits::Kind::mbarrier_wait || wait.guard || !leaves_if) return std::nullopt;
    if (wait.at(Role::result).name != block.guard.reg) return std::nullopt;
    wait.operands.erase(wait.operands.begin());
    wait.await = true;
    bind(wait);
    return wait;
}

// The comparison that a `setp` makes, or its contrary; empty: one that a test has no sign for.
std::string comparison_sign(const Instruction& setp, bool contrary) {
    static const std::map<std::string, std::pair<const char*, const char*>> signs = {
        {"eq", {"==", "!="}}, {"ne", {"!=", "=="}}, {"lt", {"<", ">="}}, {"le", {"<=", ">"}}, {"gt", {">", "<="}},
        {"ge", {">=", "<"}},  {"lo", {"<", ">="}},  {"ls", {"<=", ">"}}, {"hi", {">", "<="}}, {"hs", {">=", "<"}}};
    for (const std::string& qualifier : setp.qualifiers) {
        const auto sign = signs.find(qualifier);
        if (sign != signs.end()) return contrary ? sign->second.second : sign->second.first;
    }
    return {};
}

// `L: ld r, [x]; setp.ne p, r, v; @p bra L` is `await ld r, [x] == v`. The numbers must mean the same to the load and to the comparison.
std::optional<Instruction> awaited_load(const Block& block, bool leaves_if, const Names& after) {
    if (block.body.size() != 2) return std::nullopt;
    Instruction load = block.body[0].instruction;
    const Instruction& setp = block.body[1].instruction;
    if (kind(load.op) != Traits::Kind::load || vector_width(load) > 1 || load.guard || setp.op != Op::setp || setp.guard)
        return std::nullopt;
    const Operand &a = setp.at(Role::source, 0), &b = setp.at(Role::source, 1), &loaded = load.at(Role::result);
    if (setp.at(Role::result).name != block.guard.reg || after.contains(block.guard.reg)) return std::nullopt;
    if (a.kind != Operand::Kind::reg || a.name != loaded.name || (b.kind == Operand::Kind::reg && b.name == loaded.name))
        return std::nullopt;
    const Type compared = data_type(setp), type = data_type(load);
    const bool orders = !setp.has("eq") && !setp.has("ne");
    if (bits(compared) != bits(type) || is_float(type) || (orders && is_signed(compared) != is_signed(type))) return std::nullopt;
    const std::string sign = comparison_sign(setp, !leaves_if);
    if (sign.empty()) return std::nullopt;
    load.await = true;
    load.expect = Expectation{sign, b};
    load.expect->value.role = Role::none;
    return load;
}

void await(Blocks& blocks, const std::vector<Names>& live) {
    for (size_t b = 0; b < blocks.size(); ++b) {
        Block& block = blocks[b];
        if (block.end != Block::End::branch || (block.next == b) == (block.other == b)) continue;
        const size_t after = block.next == b ? block.other : block.next;
        const bool leaves_if = (block.other == after) != block.guard.negated;  // the register's value that ends the loop
        auto awaited = awaited_wait(block, leaves_if);
        if (!awaited) awaited = awaited_load(block, leaves_if, live[after]);
        if (!awaited) continue;
        block.body[0].instruction = std::move(*awaited);
        block.body.resize(1);
        block.end = Block::End::jump;
        block.next = after;
    }
}

// Where a jump to a block ends up, past blocks that only jump on.
size_t destination(const Blocks& blocks, size_t b) {
    for (size_t steps = 0; steps <= blocks.size() && blocks[b].body.empty() && blocks[b].end == Block::End::jump; ++steps)
        b = blocks[b].next;
    return b;
}

void thread_jumps(Blocks& blocks) {
    for (Block& block : blocks) {
        if (block.end == Block::End::jump || block.end == Block::End::branch) block.next = destination(blocks, block.next);
        if (block.end == Block::End::branch) block.other = destination(blocks, block.other);
        if (block.end == Block::End::branch && block.next == block.other) block.end = Block::End::jump;
    }
}

// ---- from blocks to a body -----------------------------------------------------------------------------------------------------------

// The order of the blocks in the text: each is followed by the one it goes on to, where that has no place yet.
std::vector<size_t> text_order(const Blocks& blocks) {
    std::vector<size_t> order, waiting = {destination(blocks, 0)};
    std::vector<bool> placed(blocks.size(), false);
    while (!waiting.empty()) {
        size_t b = waiting.back();
        waiting.pop_back();
        while (!placed[b]) {
            placed[b] = true;
            order.push_back(b);
            const Block& block = blocks[b];
            if (block.end == Block::End::branch) waiting.push_back(block.other);
            if (block.end == Block::End::exit || block.end == Block::End::open) break;
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

void simplify(Blocks& blocks) {
    drop_useless(blocks, live_names(blocks));
    thread_jumps(blocks);
    await(blocks, live_names(blocks));
    thread_jumps(blocks);
    drop_useless(blocks, live_names(blocks));
}

void write(const Blocks& blocks, Trace& trace) {
    const std::vector<size_t> order = text_order(blocks);
    const size_t nowhere = blocks.size();
    const auto after = [&](size_t i) { return i + 1 < order.size() ? order[i + 1] : nowhere; };
    std::set<size_t> targets;  // blocks that are jumped to
    for (size_t i = 0; i < order.size(); ++i) {
        const Block& block = blocks[order[i]];
        if (block.end == Block::End::branch) targets.insert(block.other);
        if ((block.end == Block::End::branch || block.end == Block::End::jump) && block.next != after(i)) targets.insert(block.next);
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
        const Block& block = blocks[order[i]];
        if (labels.contains(order[i])) pending.push_back(labels[order[i]]);
        for (const Residual& residual : block.body) {
            if (residual.trap) trace.traps.push_back(trace.body.size());
            add(residual.instruction, residual.statement, residual.origin);
        }
        const bool trapped = !block.body.empty() && block.body.back().trap;
        if (block.end == Block::End::branch) add(branch_to(labels.at(block.other), block.guard), block.statement, block.origin);
        if (block.end == Block::End::exit && after(i) != nowhere && !trapped) add(*make("exit", {}), block.statement, block.origin);
        if ((block.end == Block::End::branch || block.end == Block::End::jump) && block.next != after(i))
            add(branch_to(labels.at(block.next), std::nullopt), block.statement, block.origin);
    }
    trace.end_labels = pending;
}

}  // namespace litmus::kernel
