// What the kernels of an emitted test share: their parameters, and where locations in global memory lie.
#pragma once

#include <string>
#include <vector>

#include "gpu/emit/plan.h"
#include "gpu/emit/text.h"
#include "language/test.h"
#include "ptx/type.h"

namespace litmus::gpu {

// `.visible .entry kernel(...)`. The parameters are those of all kernels; litmus_init's text says what each means.
void write_signature(const std::string& kernel, const Test& test, PtxText& text);

// Loads these parameters into registers of their names: `seed` into $seed.
void load_parameters(PtxText& text, const std::vector<std::string>& names);

// $tensor<k> is the generic address of the test's k-th tensor map, which is a parameter.
void load_tensor_maps(const Test& test, PtxText& text);

// Makes the map of an instance at `at`, an address in `space` ("global", "shared::cta"), of the parameter: it then begins at the address in
// the register `array`.
void make_tensor_map(const Test& test, const Location& map, const std::string& space, const std::string& at, const std::string& array,
                     PtxText& text);

// $region<r> is where the slots of region r start; $second<r>, with `aliases`, its second address.
void write_regions(const Plan& plan, bool aliases, PtxText& text);

// ".b32": how a value of the type is stored.
std::string store_type(Type type);

}  // namespace litmus::gpu
