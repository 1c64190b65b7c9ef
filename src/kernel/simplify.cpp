// What makes a residual program readable: it does not change what the thread does (residual.h).
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "kernel/residual.h"
#include "language/syntax/native/print.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

// ---- what nobody uses --------------------------------------------------------------------------------------------------------------

using Names = std::set<std::string>;

constexpr size_t blocks_to_check = 64;  // between two looks at the budget

void read_names(const Operand& operand, Names& names) {
    if (operand.kind == Operand::Kind::reg || (operand.kind == Operand::Kind::address && operand.indirect)) names.insert(operand.name);
    for (const Operand& element : operand.elements) read_names(element, names);
}

// From the names live after an instruction to those live before it.
void step_back(const Instruction& instruction, Names& live) {
    if (!instruction.guard)
        for (const std::string& name : written_registers(instruction)) live.erase(name);
    for (const Operand& operand : instruction.operands)
        if (is_read(operand.role)) read_names(operand, live);
    if (instruction.expect) read_names(instruction.expect->value, live);
    if (instruction.guard) live.insert(instruction.guard->reg);
}

bool is_useless(const Instruction& instruction, const Names& live) {
    if (!is_arithmetic(instruction.op)) return false;
    const auto written = written_registers(instruction);
    return std::none_of(written.begin(), written.end(), [&](const std::string& name) { return live.contains(name); });
}

Names live_at_end(const BasicBlocks& blocks, const std::vector<Names>& live, size_t b) {
    Names names;
    for (const size_t next : successors(blocks[b])) names.insert(live[next].begin(), live[next].end());
    if (blocks[b].end == BasicBlock::End::branch && blocks[b].open.empty()) names.insert(blocks[b].guard.reg);
    return names;
}

// Liveness over the blocks. An instruction that nobody uses reads nothing: what only it uses goes with it, in loops too.
std::vector<Names> live_names(const BasicBlocks& blocks, const Budget& budget) {
    std::vector<Names> live(blocks.size());
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = blocks.size(); b-- > 0;) {
            if (b % blocks_to_check == 0) budget.check();
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

void drop_useless(BasicBlocks& blocks, const std::vector<Names>& live) {
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

// ---- copies
// ------------------------------------------------------------------------------------------------------------------------------

void rename(Operand& operand, const std::map<std::string, std::string>& originals) {
    const auto original = originals.find(operand.name);
    const bool names_register = operand.kind == Operand::Kind::reg || (operand.kind == Operand::Kind::address && operand.indirect);
    if (names_register && original != originals.end()) operand.name = original->second;
    for (Operand& element : operand.elements) rename(element, originals);
}

// Reads a copied register where its copy is read, as long as both hold the same: parameters of calls, and words in local memory, go
// through several copies.
void use_originals(BasicBlock& block) {
    std::map<std::string, std::string> originals;            // of a copy
    std::map<std::string, std::vector<std::string>> copies;  // of an original; some may be copies no more
    for (Residual& residual : block.body) {
        Instruction& instruction = residual.instruction;
        for (Operand& operand : instruction.operands)
            if (!is_written(operand.role)) rename(operand, originals);
        for (const std::string& name : written_registers(instruction)) {
            originals.erase(name);
            const auto outdated = copies.find(name);
            if (outdated == copies.end()) continue;
            for (const std::string& copy : outdated->second)
                if (const auto known = originals.find(copy); known != originals.end() && known->second == name) originals.erase(known);
            copies.erase(outdated);
        }
        if (instruction.op != Op::mov || instruction.guard) continue;
        const Operand &to = instruction.at(Role::result), &from = instruction.at(Role::source);
        if (from.kind != Operand::Kind::reg || to.kind != Operand::Kind::reg || to.name == from.name) continue;
        originals[to.name] = from.name;
        copies[from.name].push_back(to.name);
    }
    const auto guard = originals.find(block.guard.reg);
    if (guard != originals.end()) block.guard.reg = guard->second;
}

// ---- loops that wait for one instruction ---------------------------------------------------------------------------------------------

// `L: try_wait p, ...; @!p bra L` is the wait, awaited.
std::optional<Instruction> awaited_wait(const BasicBlock& block, bool leaves_if) {
    if (block.body.size() != 1 || !block.open.empty()) return std::nullopt;
    Instruction wait = block.body[0].instruction;
    if (kind(wait.op) != Traits::Kind::mbarrier_wait || wait.guard || !leaves_if) return std::nullopt;
    if (wait.at(Role::result).name != block.guard.reg) return std::nullopt;
    wait.operands.erase(wait.operands.begin());
    wait.await = true;
    bind(wait);
    return wait;
}

// The comparison that a `setp` makes, or its contrary; none: one that a test has no sign for.
Operator comparison_of(const Instruction& setp, bool contrary) {
    for (const std::string& qualifier : setp.qualifiers)
        if (const Operator found = comparison_named(qualifier); found != Operator::none) return contrary ? row(found).contrary : found;
    return Operator::none;
}

// `L: ld r, [x]; setp.ne p, r, v; @p bra L` is `await ld r, [x] == v`. The numbers must mean the same to the load and to the comparison.
std::optional<Instruction> awaited_load(const BasicBlock& block, bool leaves_if, const Names& after) {
    if (block.body.size() != 2 || !block.open.empty()) return std::nullopt;
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
    const Operator comparison = comparison_of(setp, !leaves_if);
    if (comparison == Operator::none) return std::nullopt;
    load.await = true;
    load.expect = Expectation{comparison, b};
    load.expect->value.role = Role::none;
    return load;
}

void await(BasicBlocks& blocks, const std::vector<Names>& live) {
    for (size_t b = 0; b < blocks.size(); ++b) {
        BasicBlock& block = blocks[b];
        if (block.end != BasicBlock::End::branch || (block.next == b) == (block.other == b)) continue;
        const size_t after = block.next == b ? block.other : block.next;
        const bool leaves_if = (block.other == after) != block.guard.negated;  // the register's value that ends the loop
        auto awaited = awaited_wait(block, leaves_if);
        if (!awaited) awaited = awaited_load(block, leaves_if, live[after]);
        if (!awaited) continue;
        block.body[0].instruction = std::move(*awaited);
        block.body.resize(1);
        block.end = BasicBlock::End::jump;
        block.next = after;
    }
}

// All blocks, each behind those that come next where no loop leads back to it.
std::vector<size_t> last_first(const BasicBlocks& blocks) {
    std::vector<size_t> order;
    std::vector<bool> seen(blocks.size());
    std::vector<std::pair<size_t, bool>> waiting;  // true: what comes next is in the order
    for (size_t b = 0; b < blocks.size(); ++b) {
        waiting.emplace_back(b, false);
        while (!waiting.empty()) {
            const auto [at, done] = waiting.back();
            waiting.pop_back();
            if (done) order.push_back(at);
            if (done || seen[at]) continue;
            seen[at] = true;
            waiting.emplace_back(at, true);
            for (const size_t next : successors(blocks[at])) waiting.emplace_back(next, false);
        }
    }
    return order;
}

// Jumps go where they end up, past blocks that only jump on; a branch both ways of which are one is a jump, over which others may go on.
// One round is enough but for ways back in loops.
void thread_jumps(BasicBlocks& blocks, const Budget& budget) {
    const std::vector<size_t> order = last_first(blocks);
    std::vector<size_t> ends(blocks.size());  // where a jump to the block ends up
    std::iota(ends.begin(), ends.end(), size_t{0});
    const auto move = [&ends](size_t& to) { return std::exchange(to, ends[to]) != to; };
    for (bool changed = true; changed;) {
        budget.check();
        changed = false;
        for (const size_t b : order) {
            BasicBlock& block = blocks[b];
            if (block.end == BasicBlock::End::jump || block.end == BasicBlock::End::branch) changed = move(block.next) || changed;
            if (block.end == BasicBlock::End::branch) {
                changed = move(block.other) || changed;
                if (block.next == block.other) block.end = BasicBlock::End::jump;
            }
            if (block.end == BasicBlock::End::jump && block.body.empty()) ends[b] = block.next;
        }
    }
}

// ---- blocks that go on alike -----------------------------------------------------------------------------------------------------------

// What the block does, and at which statements of the kernel: lines that say the same stay apart.
std::string text_of(const BasicBlock& block) {
    std::string text;
    for (const Residual& residual : block.body) {
        text += std::to_string(residual.statement) + " " + print(residual.instruction) + (residual.trap ? " trap;" : ";");
    }
    text += std::to_string(static_cast<int>(block.end));
    if (block.end == BasicBlock::End::branch) text += (block.guard.negated ? "!" : "") + block.guard.reg + block.open;
    return text;
}

constexpr size_t most_comparisons = 2'000'000;

// The coarsest division of the blocks into classes such that blocks of a class have the same text and successors in the same classes:
// at first by the text alone, then by the classes of the successors until no class is divided any more. Empty: it takes too long.
std::vector<size_t> classes_of(const BasicBlocks& blocks) {
    std::vector<size_t> classes(blocks.size());
    std::map<std::string, size_t> texts;
    for (size_t b = 0; b < blocks.size(); ++b) classes[b] = texts.try_emplace(text_of(blocks[b]), texts.size()).first->second;
    size_t count = texts.size();
    for (size_t compared = blocks.size();; compared += blocks.size()) {
        if (compared > most_comparisons) return {};
        std::map<std::vector<size_t>, size_t> finer;
        std::vector<size_t> next(blocks.size());
        for (size_t b = 0; b < blocks.size(); ++b) {
            std::vector<size_t> signature = {classes[b]};
            for (const size_t s : successors(blocks[b])) signature.push_back(classes[s]);
            next[b] = finer.try_emplace(std::move(signature), finer.size()).first->second;
        }
        const bool stable = finer.size() == count;
        count = finer.size();
        classes = std::move(next);
        if (stable) return classes;
    }
}

// A loop that waits with a counter (it sleeps longer each time, or gives up looking at a clock) was unrolled as long as the counter
// counts; what goes on alike is one block, and the loop is a loop again.
void merge_alike(BasicBlocks& blocks) {
    const std::vector<size_t> classes = classes_of(blocks);
    if (classes.empty()) return;
    std::map<size_t, size_t> first;
    for (size_t b = 0; b < blocks.size(); ++b) first.try_emplace(classes[b], b);
    for (BasicBlock& block : blocks) {
        block.next = block.end == BasicBlock::End::jump || block.end == BasicBlock::End::branch ? first.at(classes[block.next]) : 0;
        if (block.end == BasicBlock::End::branch) block.other = first.at(classes[block.other]);
    }
}

// `try_wait p, X; @p bra L; await try_wait X; L:` is the wait alone.
void drop_first_tries(BasicBlocks& blocks) {
    for (BasicBlock& block : blocks) {
        if (block.end != BasicBlock::End::branch || !block.open.empty() || block.body.empty()) continue;
        Instruction wait = block.body.back().instruction;
        if (kind(wait.op) != Traits::Kind::mbarrier_wait || wait.await || wait.guard) continue;
        const bool fails_to_next = !block.guard.negated;
        const size_t after = fails_to_next ? block.other : block.next, failed = fails_to_next ? block.next : block.other;
        const BasicBlock& again = blocks[failed];
        if (wait.at(Role::result).name != block.guard.reg || again.body.size() != 1 || again.end != BasicBlock::End::jump ||
            again.next != after)
            continue;
        wait.operands.erase(wait.operands.begin());
        wait.await = true;
        bind(wait);
        if (!(wait == again.body[0].instruction)) continue;
        block.body.pop_back();
        block.end = BasicBlock::End::jump;
        block.next = failed;
    }
}

}  // namespace

void simplify(BasicBlocks& blocks, const Budget& budget) {
    for (BasicBlock& block : blocks) use_originals(block);
    drop_useless(blocks, live_names(blocks, budget));
    thread_jumps(blocks, budget);
    const auto branches = [](const BasicBlock& block) { return block.end == BasicBlock::End::branch; };
    if (std::none_of(blocks.begin(), blocks.end(), branches)) return;  // what goes straight on has nothing to merge and no loops
    merge_alike(blocks);
    thread_jumps(blocks, budget);
    await(blocks, live_names(blocks, budget));
    thread_jumps(blocks, budget);
    drop_first_tries(blocks);
    thread_jumps(blocks, budget);
    drop_useless(blocks, live_names(blocks, budget));
}

}  // namespace litmus::kernel
