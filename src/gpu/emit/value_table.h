// The value table: what every operation computes, to be compared with what a GPU computes, bit for bit.
//
// A form is an instruction that computes (an atomic, a reduction, an asynchronous reduction, redux.sync);
// each gets a kernel and is run on pairs of edge values of its type and some random ones.
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
        red_async,    // to the other CTA of a cluster, completing on its mbarrier
        bulk_global,  // cp.reduce.async.bulk, shared to global
        bulk_shared,  // cp.reduce.async.bulk to the other CTA's shared memory
        redux,        // the lanes of one warp
    };
    Kind kind = Kind::atom;
    Operator operation = Operator::none;
    Type type = Type::u32;  // of one element of the instruction: f16x2 is one
    int width = 1;          // elements of a vector
    std::string space;      // as written: ".global", ".shared::cta", or empty for generic addressing
    bool global = true;     // where the destination is
    bool abs = false;       // redux of f32
    bool nan = false;
    uint32_t mask = 0;  // redux: the lanes that take part
    int least_sm = 90;
    bool arch_specific = false;  // needs sm_100a, not sm_100

    static constexpr int warp = 32;
    int threads() const;       // of each block of its kernel
    int blocks() const;        // for each case: 1, or the 2 of a cluster
    std::string text() const;  // mnemonic and qualifiers: "red.relaxed.gpu.global.add.f32"
};

// One form's inputs, as the flat arrays its kernel gets, and what comes back.
struct ValueCases {
    std::vector<uint64_t> memory, operand, third;         // one scalar each (of lane_type(form.type))
    std::vector<uint64_t> expected_memory, expected_old;  // empty: the form has no such result
    // What hardware was seen to compute where the page says otherwise, and the page's sentence; empty: nothing known.
    std::vector<uint64_t> hardware_memory;
    std::string contradicted;
    size_t scalars_per_case = 1;  // what one block of the kernel works on
    size_t cases() const { return operand.size() / scalars_per_case; }
};

std::vector<ValueForm> value_forms();           // all, for any target
bool runs_on(const ValueForm& form, int sm);    // of the compute capability, 90 for 9.0
std::vector<uint64_t> edge_values(Type type);   // scalar types: zeros, ones, extremes, NaNs, ties, ...
ValueCases value_cases(const ValueForm& form);  // deterministic

// A module for `target` ("sm_90") with a kernel for each form, named value_kernel(i) by its place in `forms`.
// Its parameters are the addresses of the memory, operand, third and old arrays.
std::string values_ptx(const std::vector<ValueForm>& forms, const std::string& target);
std::string value_kernel(size_t index);

}  // namespace litmus::gpu
