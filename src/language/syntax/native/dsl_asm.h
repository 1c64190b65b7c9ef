// Inline assembly pasted from CUDA into the body of a thread:
//
//   asm volatile("{\n\t"
//                ".reg .pred p;\n\t"
//                "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
//                "selp.u32 %0, 1, 0, p;\n\t"
//                "}" : "=r"(done) : "r"(bar), "r"(0) : "memory");
//
// What stands in the strings is read as the rest of the body is. The operands, expressions in C++, are registers, locations and
// numbers of the test here.
#pragma once

#include <string>
#include <vector>

#include "language/syntax/native/dsl_reader.h"

namespace litmus::dsl {

// Whether an `asm` statement comes next.
bool starts_asm(Reader& in);

struct Pasted {
    Span span;                    // of the strings
    std::string text;             // of the same length: quotes and escapes are blank
    std::vector<Bound> operands;  // %0, %1, ...
};
// Reads an `asm` statement. Throws Failure.
Pasted take_asm(Reader& in);

// As long as it lives the reader reads the pasted text.
class InAsm {
public:
    InAsm(Reader& in, const Pasted& pasted);
    ~InAsm();
    InAsm(const InAsm&) = delete;
    InAsm& operator=(const InAsm&) = delete;

private:
    Reader& in_;
    Lexer outside_;
};

// In what was read, registers still have the names `%0`, `%1` (so that no register of a block is mistaken for them): puts the bound
// ones in their place, from this instruction of the thread on.
void bind(const Pasted& pasted, Thread& thread, size_t first);

// The registers that a directive `.reg .b32 a, r<4>;` declares, from behind the word `reg` (ISA 6.4.4). Throws Failure.
std::vector<std::string> take_registers(Reader& in);

}  // namespace litmus::dsl
