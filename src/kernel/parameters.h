// Where the parameters of a kernel lie (PTX ISA 9.1, 11.2.1): one after the other, each where its alignment allows.
#pragma once

#include <cstdint>

#include "kernel/module.h"

namespace litmus::kernel {

inline constexpr uint64_t most_parameter_bytes = 32764;  // of all together

// The first place that a parameter can begin at, where those before it end, both in bytes.
inline uint64_t begin_of(const Parameter& parameter, uint64_t end) {
    const uint64_t align = parameter.align > 0 ? parameter.align : 1;
    return (end + align - 1) / align * align;
}

}  // namespace litmus::kernel
