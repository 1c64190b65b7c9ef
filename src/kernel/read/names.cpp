// Blocks and the names in them (see names.h).
#include "kernel/read/names.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace litmus::kernel {

Names::Names(const Globals& globals, Function& function) : globals_(globals), function_(function) {
    open_block();
    for (const auto* parameters : {&function.results, &function.parameters})
        for (const Parameter& parameter : *parameters) {
            blocks_[0].variables.emplace(parameter.name, parameter.name);
            used_.emplace(parameter.name, 0);
        }
}

void Names::open_block() {
    blocks_.push_back({open_.empty() ? 0 : open_.back(), {}, {}, {}, {}});
    open_.push_back(blocks_.size() - 1);
}

// Its labels stay: a branch that stands before one is resolved at the end of the function.
void Names::close_block() {
    LexicalBlock& block = blocks_[open_.back()];
    block.registers = {};
    block.ranges = {};
    block.variables = {};
    open_.pop_back();
}

std::string Names::unique(std::string_view name) {
    std::string result(name);
    const auto taken = [&] { return used_.count(result) != 0 || globals_.count(result) != 0; };
    if (taken()) {
        size_t& number = used_[std::string(name)];
        do result = std::string(name) + "_" + std::to_string(++number);
        while (taken());
    }
    used_.emplace(result, 0);
    return result;
}

int Names::add(std::string_view name, const std::string& type) {
    function_.registers.push_back({unique(name), type});
    return static_cast<int>(function_.registers.size()) - 1;
}

bool Names::declare_register(std::string_view name, const std::string& type) {
    LexicalBlock& block = blocks_[open_.back()];
    if (block.registers.count(name) != 0 || block.variables.count(name) != 0) return false;
    block.registers.emplace(name, add(name, type));
    return true;
}

bool Names::declare_registers(std::string_view prefix, uint64_t count, const std::string& type) {
    return blocks_[open_.back()].ranges.emplace(prefix, Range{count, type}).second;
}

std::optional<std::string> Names::declare_variable(std::string_view name) {
    LexicalBlock& block = blocks_[open_.back()];
    if (block.registers.count(name) != 0 || block.variables.count(name) != 0) return std::nullopt;
    return block.variables.emplace(name, unique(name)).first->second;
}

std::optional<std::string> Names::declare_label(std::string_view name) {
    LexicalBlock& block = blocks_[open_.back()];
    if (block.labels.count(name) != 0) return std::nullopt;
    return block.labels.emplace(name, unique(name)).first->second;
}

int Names::find_register(std::string_view name) {
    for (size_t i = open_.size(); i-- > 0;) {
        LexicalBlock& block = blocks_[open_[i]];
        if (const auto found = block.registers.find(name); found != block.registers.end()) return found->second;
        if (block.variables.count(name) != 0) return -1;
        // %r12 is of %r<13>, or, if somebody wrote that, of %r1<3>
        constexpr size_t most_digits = 10;
        for (size_t digits = 1; digits <= most_digits && digits < name.size(); ++digits) {
            const size_t begin = name.size() - digits;
            if (std::isdigit(static_cast<unsigned char>(name[begin])) == 0) break;
            if (name[begin] == '0' && digits > 1) continue;
            const auto range = block.ranges.find(name.substr(0, begin));
            uint64_t number = 0;
            std::from_chars(name.data() + begin, name.data() + name.size(), number);
            if (range == block.ranges.end() || number >= range->second.count) continue;
            return block.registers.emplace(name, add(name, range->second.type)).first->second;
        }
    }
    return -1;
}

std::optional<std::string> Names::find_variable(std::string_view name) const {
    for (size_t i = open_.size(); i-- > 0;) {
        const LexicalBlock& block = blocks_[open_[i]];
        if (const auto found = block.variables.find(name); found != block.variables.end()) return found->second;
    }
    if (globals_.count(name) != 0) return std::string(name);
    return std::nullopt;
}

std::optional<std::string> Names::find_label(size_t block, std::string_view name) const {
    for (;; block = blocks_[block].parent) {
        const auto found = blocks_[block].labels.find(name);
        if (found != blocks_[block].labels.end()) return found->second;
        if (block == 0) return std::nullopt;
    }
}

std::vector<std::string_view> Names::registers() const {
    std::vector<std::string_view> names;
    for (const size_t block : open_)
        for (const auto& [name, index] : blocks_[block].registers) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace litmus::kernel
