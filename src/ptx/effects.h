// The effects of an instruction on memory, said once for all who read PTX.
//
// Each operand that leads to memory has an effect there: the instruction reads it, writes it or updates it, so many bytes, at once or
// asynchronously, through a proxy. Who executes kernels takes it from here. tests/event/effects_test.cpp compares it with
// the events that the builder makes of each form. The demands on operands stand beside it (demands.h). Operands are told apart by their
// roles, so a new row of rows.h with a known role has its effects.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/instruction.h"

namespace litmus {

struct MemoryEffect {
    enum class Object : uint8_t { data, mbarrier, tensor_map, tensor_memory };
    Role role = Role::none;  // of the operand that leads there
    Object object = Object::data;
    bool reads = false, writes = false;
    bool atomic = false;        // what it writes is computed from what it reads
    bool asynchronous = false;  // done after the thread has gone on
    bool everywhere = false;    // of a multicast: in each CTA of its mask, or in all where it has none
    Proxy proxy = Proxy::generic;
    Role size = Role::none;  // the operand that says how many bytes
    uint64_t bytes = 0;      // where none does; 0: a descriptor or a tensor map says so
    uint32_t width = 0;      // bytes of an element; 0: the memory says so
};

// The effects of an operand in this role. The instruction may be without its operands, as a form alone is. A matrix that the text puts into
// tensor memory is read there.
std::vector<MemoryEffect> memory_effects(const Instruction& instruction, Role role);
// Those of all operands that it has.
std::vector<MemoryEffect> memory_effects(const Instruction& instruction);

// The bytes of an element of data, and of all elements that one operand names: of a vector each.
uint32_t element_bytes(const Instruction& instruction);
uint64_t access_bytes(const Instruction& instruction);

// The bytes of objects that are no data.
inline constexpr uint64_t mbarrier_bytes = 8;      // ISA 9.7.13.15.1
inline constexpr uint64_t answer_bytes = 16;       // of clusterlaunchcontrol.try_cancel (9.7.13.17)
inline constexpr uint64_t tensor_map_bytes = 128;  // 5.5.8

}  // namespace litmus
