// The value table: what every operation computes, to be compared with what a GPU computes, bit for bit.
//
// A form is an instruction that leaves a value in memory (an atomic, a reduction, an asynchronous reduction or store, redux.sync), as the
// table of instructions has it. Each gets a kernel and is run on pairs of edge values of its type and some random ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/operators.h"
#include "ptx/type.h"

namespace litmus::gpu {

struct ValueForm {
    // What the kernel around the instruction has to do.
    enum class Kind : uint8_t {
        atom,         // old value and memory come back
        red,          // memory comes back
        red_async,    // to the other CTA of a cluster, completing on its mbarrier; or to global memory
        st_async,     // likewise
        bulk_global,  // cp.reduce.async.bulk, shared to global
        bulk_shared,  // cp.reduce.async.bulk to the other CTA's shared memory
        redux,        // the lanes of one warp
    };
    Kind kind = Kind::atom;
    std::string name;  // of the instruction, as written
    Operator operation = Operator::none;
    Type type = Type::u32;  // of one element of the instruction: f16x2 is one
    int width = 1;          // elements of a vector
    bool generic = false;   // it names no state space
    bool global = true;     // where the destination is
    bool hinted = false;    // it has a cache policy
    bool abs = false;       // redux of f32
    bool nan = false;
    uint32_t mask = 0;  // redux: the lanes that take part
    int least_sm = 90;
    bool arch_specific = false;  // needs sm_100a, not sm_100

    static constexpr int warp = 32;
    int threads() const;  // of each block of its kernel
    int blocks() const;   // for each case: 1, or the 2 of a cluster
    Type scalar() const;  // what its operands are made of: of f16x2 f16, of b128 b64
};

// One form's inputs, as the flat arrays its kernel gets, and what comes back.
struct ValueCases {
    std::vector<uint64_t> memory, operand, third;         // one scalar each
    std::vector<uint64_t> expected_memory, expected_old;  // empty: the form has no such result
    // What hardware was seen to compute where the page says otherwise, and the page's sentence; empty: nothing known.
    std::vector<uint64_t> hardware_memory;
    std::string contradicted;
    size_t scalars_per_case = 1;  // what one block of the kernel works on
    size_t cases() const { return operand.size() / scalars_per_case; }
};

// For any target: of the names that compute alike one, or every name.
enum class Names : uint8_t { usual, all };
std::vector<ValueForm> value_forms(Names names = Names::usual);
bool runs_on(const ValueForm& form, int sm);    // of the compute capability, 90 for 9.0
std::vector<uint64_t> edge_values(Type type);   // scalar types: zeros, ones, extremes, NaNs, ties, ...
ValueCases value_cases(const ValueForm& form);  // deterministic

// A module for `target` ("sm_90") with a kernel for each form, named value_kernel(i) by its place in `forms`.
// Its parameters are the addresses of the memory, operand, third and old arrays.
std::string values_ptx(const std::vector<ValueForm>& forms, const std::string& target);
std::string value_kernel(size_t index);

}  // namespace litmus::gpu
