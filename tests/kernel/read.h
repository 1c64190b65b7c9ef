// Reading of PTX in tests.
#pragma once

#include <string>

#include "kernel/module.h"

namespace litmus::kernel::testing {

inline constexpr const char* prologue = ".version 9.0\n.target sm_90a\n.address_size 64\n";

// A module of this text after the usual first lines.
inline Module module_of(const std::string& text) {
    return read_module(make_source("k.ptx", prologue + text));
}

// A module with one kernel of this body, which has registers %r0 to %r9 of 32 bits, %rd0 to %rd9 of 64, predicates %p0 to %p9.
inline Module kernel_of(const std::string& body) {
    return module_of(
        ".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)\n{\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n" +
        body + "\n}\n");
}

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// What is said of a text that is refused, whole; empty: it is not.
template <typename Read>
std::string refusal(const Read& read) {
    try {
        read();
    } catch (const Failure& failure) {
        return failure.what();
    }
    return {};
}

}  // namespace litmus::kernel::testing
