// Constants and the expressions that are made of them (PTX ISA 9.1, 4.5).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/read/lexer.h"

namespace litmus::kernel {

struct Constant {
    enum class Kind : uint8_t {
        integer,  // in two's complement of 64 bits
        single,   // 0f3F800000: 32 bits
        real,     // 0d... and decimals: 64 bits
        address,  // of `symbol`, with `bits` added
    };
    Kind kind = Kind::integer;
    uint64_t bits = 0;
    bool is_decimal = false;  // real: written as 1.5, to be had in any type
    std::string symbol;
    bool is_generic = false;       // generic(x)
    std::optional<uint32_t> byte;  // 0xFF00(x): the one byte of the address that is meant
    Span span;
};

// The name of a variable or function in the module as read; nothing when there is none.
using FindSymbol = std::function<std::optional<std::string>(std::string_view)>;

// Reads one expression; throws Failure where it is none.
Constant read_constant(Cursor& cursor, const FindSymbol& find);

// An expression that is a number of at most `most`, as sizes are; what: "an alignment".
uint64_t read_number(Cursor& cursor, const std::string& what, uint64_t most);

// The bits of a constant where a value of the type of this name is wanted ("f32"); integers as they are.
uint64_t bits_in(const Constant& constant, std::string_view type);

}  // namespace litmus::kernel
