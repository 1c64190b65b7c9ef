// The registers of a thread and the addresses that it uses, as the emitted text names them.
//
// %r0 is the test's register r0, x the address of location x as the instruction needs it (x$cta1 the instance of that CTA,
// x$generic a generic address).
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "gpu/emit/plan.h"
#include "gpu/emit/text.h"
#include "language/test.h"

namespace litmus::gpu {

// How an instruction addresses an operand.
enum class Window : uint8_t { generic, global, shared_cta, shared_cluster, descriptor };

// Bits of the register that holds a value of the type; 1: a predicate.
int register_bits(Type type);

// ".b32"
std::string sized(std::string_view kind, int width);

class ThreadNames {
public:
    // Throws Failure where an address is in the shared memory of another cluster.
    ThreadNames(const Test& test, const Plan& plan, int thread);

    struct Address {
        int location = 0;
        int cta = 0;  // shared: index into Plan::ctas
        Window window = Window::generic;
        bool operator<(const Address& o) const { return std::tie(location, cta, window) < std::tie(o.location, o.cta, o.window); }
    };

    const std::map<std::string, int>& registers() const { return registers_; }  // by name, with their bits
    const std::set<Address>& addresses() const { return addresses_; }

    // What an operand of the instruction, an address that is no register or a location as a value, names.
    Address address_of(const Instruction& instruction, const Operand& operand) const;
    std::string name(const Address& address) const;
    // Of a tensor map: the register with its address, and that with the instance's coordinate in its outermost dimension, or
    // with the number of the instance's first row (kernel.cpp). A map in memory is the
    // instance's own and begins at its slot.
    std::string map_address(const std::string& map) const;
    std::string map_slot(const std::string& map) const { return in_memory(map) ? "0" : map + "$slot"; }
    int bits_of(const Address& address) const;
    bool in_other_cta(const Address& address) const { return address.cta != own_cta(); }

    void declare(PtxText& text) const;
    // Computes the addresses, and sets the registers to 0.
    void initialise(PtxText& text) const;
    // The same without the harness: the address of a global location comes from a register $global<number of the location>.
    void initialise_bare(PtxText& text) const;

private:
    void need(const std::string& reg, int width);
    void need(const Operand& operand, int width);
    void find_registers(const Thread& thread);
    bool widen_vectors(const Thread& thread);
    void find_addresses(const Thread& thread);
    void find_tensor_maps(const Thread& thread);
    bool in_memory(const std::string& map) const;
    Address memory_address(const std::string& map) const;
    Window window_of(const Instruction& instruction, const Operand& operand) const;
    void write_address(const Address& address, PtxText& text) const;
    void write_shared_address(const Address& address, PtxText& text) const;
    void clear_registers(PtxText& text) const;
    int own_cta() const { return plan_.cta_of[static_cast<size_t>(index_)]; }
    const PlannedCta& cta(int c) const { return plan_.ctas[static_cast<size_t>(c)]; }
    const Location& location(const Address& address) const { return test_.locations[static_cast<size_t>(address.location)]; }

    const Test& test_;
    const Plan& plan_;
    int index_;
    std::map<std::string, int> registers_;
    std::set<Address> addresses_;
    std::set<std::string> tensor_maps_;  // those that are parameters, by name
};

}  // namespace litmus::gpu
