// The memory of a small test, with numbers for everything: cells, addresses, values (tests only).
//
// Every element of every location is a cell, in each CTA that has an instance of it. An address is a number, so that
// registers can hold it. The value of an mbarrier object is the number of one of its states; a state knows its object, the
// `mbarrier.init` that its life began with and how many updates of that life came before it, so that no two updates of
// an execution ever write the same state. The value of a tensor map in memory is the address of the array that it stands for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "event/program.h"
#include "language/test.h"
#include "ptx/mbarrier.h"

namespace litmus::naive {

// The naive path does not know this, or it would take too long.
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Where an access goes.
struct MemoryPlace {
    int cell = -1;
    int address = -1;  // the virtual address, numbered
    Proxy proxy = Proxy::generic;
};

struct ObjectState {
    int cell = -1;
    std::tuple<int, int, int> life{-1, -1, -1};  // thread, instruction and iteration of the init; -1: as declared
    int age = 0;                                 // updates since then
    MbarrierState counts;                        // which life it is in: 1, or 0 where the object is not initialised
    friend bool operator==(const ObjectState&, const ObjectState&) = default;
};

inline bool is_live(const ObjectState& state) {
    return state.counts.life != 0;
}

class Memory {
public:
    explicit Memory(const Test& test);

    const std::vector<Cell>& cells() const { return cells_; }
    const std::vector<Placement>& ctas() const { return ctas_; }
    uint64_t initial(int cell) const { return initial_[static_cast<size_t>(cell)]; }
    // The virtual address of a cell under its own name.
    int own_address(int cell) const { return own_address_[static_cast<size_t>(cell)]; }
    int cta_of(const Placement& at) const;

    // The array that a tensor map is declared with.
    Operand array_of(const std::string& map) const;
    // The number that stands for an operand's address; `cta` is where the thread that names it runs.
    uint64_t address_of(const Operand& operand, int cta) const;
    // What lies at that number. Throws Unsupported where nothing does, or where an access of this type would overlap in part.
    MemoryPlace at(uint64_t address, Type type) const;
    // Each place that a multimem address points to; elsewhere the one place.
    std::vector<MemoryPlace> all_at(uint64_t address, Type type) const;
    // Whether the address is that of an element of the location that it begins in.
    bool is_inside(uint64_t address) const;
    // Whether that many bytes from there on lie in one location, aligned to as many as asked for.
    bool holds(uint64_t address, uint64_t bytes, uint64_t alignment) const;
    // The type of the elements there, and whether they are mbarrier objects.
    const Cell& cell_at(uint64_t address) const;
    // Whether it is one of the two cells of a packed element; and the lower, or the upper, of the two.
    bool is_half(int cell) const { return cells_[static_cast<size_t>(cell)].lane >= 0; }
    int half(int cell, int lane) const { return cell - cells_[static_cast<size_t>(cell)].lane + lane; }
    // The same offset in another CTA's shared memory (multicast).
    uint64_t counterpart(uint64_t address, int cta) const;
    bool is_tensor(uint64_t address) const { return test_.locations[static_cast<size_t>(slot(address).location)].is_tensor; }
    // The same part of another CTA's tensor memory, if it has one.
    std::optional<uint64_t> tensor_counterpart(uint64_t address, int cta) const;

    // States of mbarrier objects, and the tokens that arrivals return: a number each.
    uint64_t number_of(const ObjectState& state);
    const ObjectState& state(uint64_t number) const { return states_.at(number); }
    static uint64_t token_of(uint64_t state_number) { return token_mark | state_number; }
    std::optional<ObjectState> state_of_token(uint64_t value) const;
    // Values that are no plain data, whose numbers are this class's own: addresses and tokens.
    static constexpr uint64_t opaque = 0x4fffffff;  // stands for what nobody knows
    static bool is_opaque(uint64_t value) { return (value & mask) == token_mark || (value >= first_address && value < last_address); }

private:
    static constexpr uint64_t token_mark = uint64_t{0xad} << 56, mask = uint64_t{0xff} << 56;
    static constexpr uint64_t first_address = 0x40000000, last_address = 0x50000000, slot_size = 0x1000;

    struct Slot {  // an instance of a declaration, aliases included
        int location, instance;
    };
    const Slot& slot(uint64_t address) const;
    bool is_split(int location) const;
    int cell_of(int location, int instance, int part) const;
    void add_cells(int location, int instance);

    const Test& test_;
    std::vector<Placement> ctas_;
    std::vector<Cell> cells_;
    std::vector<uint64_t> initial_;
    std::vector<int> own_address_;
    std::vector<Slot> slots_;
    std::map<std::tuple<int, int, int>, int> numbers_;  // location, instance, element or half -> virtual address
    std::vector<ObjectState> states_;
};

}  // namespace litmus::naive
