// For data flow through a function: sets of its registers, and the statements that may come after one.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/module.h"

namespace litmus::kernel {

// A set of registers of one function.
class Registers {
public:
    explicit Registers(size_t count = 0) : words_((count + 63) / 64) {}
    bool has(size_t r) const { return (words_[r / 64] >> (r % 64) & 1) != 0; }
    void insert(size_t r) { words_[r / 64] |= uint64_t{1} << (r % 64); }
    void erase(size_t r) { words_[r / 64] &= ~(uint64_t{1} << (r % 64)); }
    bool join(const Registers& other);  // adds the other's; whether that changed anything
    std::vector<size_t> all() const;    // ascending

private:
    std::vector<uint64_t> words_;
};

// The statements that may come after the given one within the function; the end of the code is one.
std::vector<size_t> successors(const Function& function, size_t statement);

}  // namespace litmus::kernel
