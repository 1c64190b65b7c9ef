// What an instruction of a trace does to memory: which bytes of which object, in elements of which size. Private to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernel/trace.h"

namespace litmus::kernel {

struct Touch {
    size_t object = 0;
    int block = -1;  // of shared memory: whose; -1: global
    uint64_t offset = 0, bytes = 0;
    uint32_t width = 0;  // bytes of an element; 0: a copy, whose elements are those of its objects
    bool reads = false, writes = false;
    bool atomic = false;    // what it writes is computed from what it reads
    bool mbarrier = false;  // an mbarrier object, no data
    Role role = Role::none;
    bool same_cells(const Touch& other) const {
        return object == other.object && block == other.block && offset < other.offset + other.bytes && other.offset < offset + bytes;
    }
};

// The objects of a launch by their names, and the blocks of each cluster.
class Memory {
public:
    explicit Memory(const Traces& traces);

    // What the instruction touches: of a multicast, the memory of each CTA that it goes to; through a multimem address, each object that it
    // points to. Throws std::logic_error for an object that is not there.
    std::vector<Touch> touches(const Instruction& instruction, const Seat& seat) const;
    // The object that an address names, and whose instance it is (-1: global).
    Touch place(const Operand& address, const Seat& seat) const;
    const Object& object(size_t index) const { return objects_[index]; }
    size_t object_count() const { return objects_.size(); }
    // The blocks of a cluster, by rank.
    const std::vector<int>& blocks_of(uint32_t cluster) const { return clusters_.at(cluster); }

private:
    const std::vector<Object>& objects_;
    std::map<std::string, size_t> by_name_;
    std::map<uint32_t, std::vector<int>> clusters_;
};

// Whether it copies in units of 16 bytes, and may be cut to some of them (ISA 9.7.9.25.4).
bool is_bulk(const Instruction& instruction);

// The number that stands in a role; `otherwise` where nothing does. Throws std::logic_error where a register does.
uint64_t number(const Instruction& instruction, Role role, uint64_t otherwise = 0);

}  // namespace litmus::kernel
