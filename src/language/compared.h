// Which registers and locations have values that can be compared from machine to machine.
#pragma once

#include <string>

#include "language/test.h"

namespace litmus {

// False of a register into which an instruction of the thread writes an address (`mov` of a location's name, `cvta`, `mapa`), whose number
// is the machine's, or the state of an mbarrier object, which is opaque (ISA 9.7.13.15.13); or what it loads from a location that holds
// addresses. Where an outcome is of all registers, such a register is no part of it.
bool is_compared(const Test& test, int thread, const std::string& reg);

// False of a location into which some thread stores the address in such a register.
bool is_compared(const Test& test, const Location& location);
// Whether some instruction of the thread takes a register of 128 bits for an answer of clusterlaunchcontrol.try_cancel, which is opaque,
// too.
bool holds_answer(const Thread& thread, const std::string& reg);

}  // namespace litmus
