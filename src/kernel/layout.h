// Where memory lies (addresses.h): the object that an address leads to, and the addresses that objects have.
//
// Every object gets a range of its own, far from the others. What the kernel computes with addresses (conversions between state spaces,
// masks, swizzles, offsets into structs) then is ordinary integer arithmetic, and an access finds its object by the range that
// its address is in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "kernel/addresses.h"
#include "kernel/launch.h"
#include "kernel/module.h"
#include "kernel/seat.h"
#include "language/test.h"

namespace litmus::kernel {

// A piece of memory.
struct Object {
    std::string name;             // unique, a word of the DSL
    Space space = Space::global;  // shared: one instance for each CTA
    Type type = Type::u32;        // as declared, where that is known
    bool typed = false;           // whether it is
    uint32_t align = 16;
    std::vector<uint8_t> bytes;          // what it holds at the start; of shared memory zeros, which nobody may rely on
    std::vector<size_t> points_to = {};  // of a multimem address: the objects that an operation on it accesses
};

// The shape of the launch: which block has which place.
class Geometry {
public:
    explicit Geometry(const Launch& launch) : launch_(launch) {}
    uint32_t blocks() const { return product(launch_.grid); }
    uint32_t started() const { return blocks() - launch_.unlaunched * cluster_size(); }  // blocks, the first ones
    uint32_t threads() const { return product(launch_.block); }                          // of a block
    uint32_t cluster_size() const { return product(launch_.cluster); }
    Dimensions block_index(uint32_t block) const { return split(block, launch_.grid); }
    Dimensions thread_index(uint32_t thread) const { return split(thread, launch_.block); }
    Dimensions clusters() const;                     // of the grid, in each dimension
    Dimensions cluster_index(uint32_t block) const;  // of the cluster that has the block
    Dimensions index_in_cluster(uint32_t block) const;
    uint32_t cluster(uint32_t block) const { return join(cluster_index(block), clusters()); }
    uint32_t rank(uint32_t block) const { return join(index_in_cluster(block), launch_.cluster); }
    uint32_t block_of_rank(uint32_t block, uint32_t rank) const;  // in the cluster of `block`
    Seat seat(uint32_t block, uint32_t thread) const { return {block, thread, cluster(block), block / (blocks() / launch_.gpus)}; }

private:
    static uint32_t product(const Dimensions& d) { return d[0] * d[1] * d[2]; }
    static Dimensions split(uint32_t linear, const Dimensions& of) {
        return {linear % of[0], linear / of[0] % of[1], linear / of[0] / of[1]};
    }
    static uint32_t join(const Dimensions& at, const Dimensions& of) { return at[0] + of[0] * (at[1] + of[1] * at[2]); }
    const Launch& launch_;
};

// Where an address points to.
struct Pointee {
    enum class Kind : uint8_t {
        object,     // of global or shared memory
        own,        // memory of the thread alone: .local, and .param of functions that are called
        parameter,  // of the kernel
        constant,
    };
    Kind kind = Kind::object;
    size_t object = 0;    // of MemoryLayout::objects
    uint64_t offset = 0;  // bytes into the object, the parameters, or the constants
    int cta = -1;         // shared memory of another CTA: its number in the grid; -1: own
};

// An address outside of all objects.
struct Nowhere {
    std::string place;  // "`out[64]`, and `out` has 64 elements"; where no object is near, its number
    std::string hint;
};

class MemoryLayout {
public:
    // Objects of the launch's arrays, then of the module's variables, then of shared variables. Throws Failure where arguments do
    // not fit the parameters, and OverBudget.
    MemoryLayout(const Module& module, const Launch& launch, const Function& entry, const Budget& budget);

    const std::vector<Object>& objects() const { return objects_; }
    // The first of them, which all launches of one module with the same arrays have: arrays and variables in global memory.
    size_t common_objects() const { return common_; }
    const std::vector<uint8_t>& parameters() const { return parameters_; }
    const std::vector<uint8_t>& constants() const { return constants_; }
    // Where each parameter of the kernel begins among these.
    const std::vector<uint64_t>& parameter_begins() const { return parameter_begins_; }
    // The address of the memory that the grid's barrier of cooperative groups has (%envreg1, %envreg2); 0 where nothing asks for it.
    uint64_t workspace() const { return workspace_ ? address_of_object(*workspace_) : 0; }
    uint32_t shared_bytes() const { return shared_bytes_; }
    // The address of a new object of global memory, of which nothing is known yet: what a kernel allocates while it runs. Throws
    // OverBudget.
    uint64_t allocate(uint64_t bytes);

    // The function at an address; null: there is none.
    const Function* function_at(uint64_t address) const;
    // The address of a name in a function whose frame is the `depth`-th of its thread, in the name's own state space; none: no such
    // variable. A shared variable has that of the CTA of rank 0.
    std::optional<uint64_t> address(const Function& function, size_t depth, const std::string& name) const;

    bool has_object(const std::string& name) const { return names_.contains(name); }

    // Where `address` points to in the state space that an instruction names (empty: a generic address), for a thread of `block`; none:
    // nowhere.
    std::optional<Pointee> find(std::string_view space, uint64_t address, uint32_t block) const;
    // An address that find() finds nowhere, in words.
    Nowhere nowhere(std::string_view space, uint64_t address) const;

private:
    struct Range {
        uint64_t begin = 0, bytes = 0;
        size_t object = 0;
    };
    static uint64_t address_of_object(size_t object);  // in global memory
    void add_object(Object object);
    void note_names();
    void add_variables();
    void add_shared(const Variable& variable);
    void add_shared_variables();
    std::vector<uint8_t> content(const Variable& variable) const;
    Object object_of(const Variable& variable, Space space);
    bool reads_workspace(const Function& entry) const;
    void relocate(const Variable& variable);
    void lay_out_parameters();
    void lay_out_frames();
    std::string unique_name(const std::string& mangled);
    void look_at_budget();
    std::optional<Pointee> find_shared(uint64_t address, uint32_t block) const;
    // Beside an object, in its elements where it has a type.
    std::string beside(const Range& range, int64_t offset) const;
    std::optional<Nowhere> nowhere_in_shared(uint64_t offset) const;

    const Module& module_;
    const Launch& launch_;
    const Function& entry_;
    const Budget budget_;
    size_t looked_ = 0;  // how often look_at_budget() was called
    size_t common_ = 0;
    std::vector<Object> objects_;
    std::unordered_map<std::string, size_t> names_;  // of objects, each with the last number that its namesakes got
    std::vector<uint8_t> parameters_, constants_;
    std::vector<uint64_t> parameter_begins_;
    uint32_t shared_bytes_ = 0;
    std::optional<size_t> workspace_;
    std::optional<Range> dynamic_;                   // shared memory, of which the launch says how much there is
    std::map<uint64_t, Range> global_, shared_;      // by their beginning
    std::map<const Variable*, uint64_t> addresses_;  // of variables of the module, and of shared ones
    // By name: variables of the module, and of a function's body; functions by their place among all.
    using Variables = std::unordered_map<std::string_view, const Variable*>;
    Variables variables_;
    std::map<const Function*, Variables> own_variables_;
    std::unordered_map<std::string_view, size_t> functions_;
    // Offsets of what a function has of its own, behind the .local variables of the module, which every frame begins with.
    std::map<std::string, uint64_t> module_frame_;
    std::map<const Function*, std::map<std::string, uint64_t>> frames_;
    std::map<std::string, uint64_t> parameter_offsets_;  // of the kernel
};

}  // namespace litmus::kernel
