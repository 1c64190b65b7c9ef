// What a name means in the body of a function.
//
// Blocks `{ ... }` nest, as inline assembly writes them, and each has names of its own (PTX ISA 9.1, 9.2: a name is known from its
// declaration to the end of its block). Outside of the function's outermost block nothing is known of blocks: a name that is used
// twice gets a number, so that every name of a Function is one thing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernel/module.h"

namespace litmus::kernel {

// Variables and functions of the module, by name.
using Globals = std::unordered_map<std::string_view, TextSpan>;

class Names {
public:
    // Parameters and results of the function are known. Views must outlive this.
    Names(const Globals& globals, Function& function);

    void open_block();
    void close_block();
    size_t depth() const { return open_.size(); }
    size_t block() const { return open_.back(); }  // a number of the innermost block, for find_label

    // Each gives false when the block has the name already.
    bool declare_register(std::string_view name, const std::string& type);
    bool declare_registers(std::string_view prefix, uint64_t count, const std::string& type);  // %r<81>: %r0 ... %r80
    std::optional<std::string> declare_variable(std::string_view name);                        // the name that it gets
    std::optional<std::string> declare_label(std::string_view name);

    // The index in Function::registers; -1: none. Registers of a range are made when they are first used.
    int find_register(std::string_view name);
    std::optional<std::string> find_variable(std::string_view name) const;  // parameters and those of the module too
    std::optional<std::string> find_label(size_t block, std::string_view name) const;

    // Of what can be meant by a register's name, for messages.
    std::vector<std::string_view> registers() const;

private:
    struct Range {
        uint64_t count = 0;
        std::string type;
    };
    struct LexicalBlock {
        size_t parent = 0;
        std::unordered_map<std::string_view, int> registers;
        std::unordered_map<std::string_view, Range> ranges;  // by prefix
        std::unordered_map<std::string_view, std::string> variables;
        std::unordered_map<std::string_view, std::string> labels;
    };

    std::string unique(std::string_view name);
    int add(std::string_view name, const std::string& type);

    const Globals& globals_;
    Function& function_;
    std::vector<LexicalBlock> blocks_;
    std::vector<size_t> open_;  // the innermost last
    std::unordered_map<std::string, size_t> used_;
};

}  // namespace litmus::kernel
