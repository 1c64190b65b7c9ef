// Special registers (ISA 10) whose values the launch decides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel/layout.h"

namespace litmus::kernel {

// The value for a thread; none: it is not known before the kernel runs (clocks, SM numbers), or there is no such register.
std::optional<uint64_t> special_register(const std::string& name, const Seat& seat, const Launch& launch, const MemoryLayout& layout);

}  // namespace litmus::kernel
