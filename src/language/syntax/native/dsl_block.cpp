// Names are looked at when a block is closed: a branch may name a label that stands below it.
#include "language/syntax/native/dsl_block.h"

#include <map>

namespace litmus::dsl {

namespace {

void each_register(Operand& operand, const std::function<void(std::string&)>& visit) {
    if (is_wide(operand)) {
        visit(operand.name);
        return widen(operand);
    }
    const bool named = operand.kind == Operand::Kind::reg || (operand.kind == Operand::Kind::address && operand.indirect);
    if (named) visit(operand.name);
    for (Operand& element : operand.elements) each_register(element, visit);
}

}  // namespace

void each_register(Instruction& instruction, const std::function<void(std::string&)>& visit) {
    if (instruction.guard) visit(instruction.guard->reg);
    for (Operand& operand : instruction.operands) each_register(operand, visit);
    if (instruction.expect) each_register(instruction.expect->value, visit);
}

void Blocks::open() {
    open_.push_back({thread_.body.size(), labels.size(), names(), {}});
}

bool Blocks::close() {
    if (open_.empty()) return true;
    rename(open_.back());
    open_.pop_back();
    return false;
}

void Blocks::declare(const std::vector<std::string>& registers) {
    if (!open_.empty()) open_.back().registers.insert(registers.begin(), registers.end());
}

// Of registers and labels so far.
std::set<std::string> Blocks::names() const {
    std::set<std::string> found = bound;
    found.insert(labels.begin(), labels.end());
    for (Instruction& instruction : thread_.body) {
        found.insert(instruction.labels.begin(), instruction.labels.end());
        each_register(instruction, [&](std::string& name) { found.insert(name); });
    }
    return found;
}

std::string Blocks::fresh(const std::string& name) const {
    const std::set<std::string> taken = names();
    int n = 2;
    while (taken.count(name + "_" + std::to_string(n)) > 0) ++n;
    return name + "_" + std::to_string(n);
}

void Blocks::rename(const OpenBlock& block) {
    std::map<std::string, std::string> other_labels, other_registers;
    const auto begin = thread_.body.begin() + static_cast<std::ptrdiff_t>(block.first);
    const auto define = [&](const std::string& label) {
        if (block.taken.count(label) > 0) other_labels.emplace(label, fresh(label));
    };
    for (auto i = begin; i != thread_.body.end(); ++i)
        for (size_t k = i == begin ? block.first_label : 0; k < i->labels.size(); ++k) define(i->labels[k]);
    const size_t pending = begin == thread_.body.end() ? block.first_label : 0;
    for (size_t k = pending; k < labels.size(); ++k) define(labels[k]);
    for (const std::string& name : block.registers)
        if (block.taken.count(name) > 0) other_registers.emplace(name, fresh(name));
    const auto replace = [](const std::map<std::string, std::string>& others, std::string& name) {
        if (const auto other = others.find(name); other != others.end()) name = other->second;
    };
    for (auto i = begin; i != thread_.body.end(); ++i) {
        for (size_t k = i == begin ? block.first_label : 0; k < i->labels.size(); ++k) replace(other_labels, i->labels[k]);
        for (Operand& operand : i->operands)
            if (operand.kind == Operand::Kind::label) replace(other_labels, operand.name);
        each_register(*i, [&](std::string& name) { replace(other_registers, name); });
    }
    for (size_t k = pending; k < labels.size(); ++k) replace(other_labels, labels[k]);
}

}  // namespace litmus::dsl
