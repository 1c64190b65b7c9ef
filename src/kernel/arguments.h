// From the texts of a command line to a Launch.
//
//   argument = [ NAME "=" ] value
//   value    = array                                  the parameter is its address
//            | "{" [ place member {"," place member} ] "}"
//                                                     a struct, laid out as C does it. It ends early where a member has a place, and
//                                                     where there is none: the other bytes are zeros
//            | multimem                               its address
//            | "ptrs" "(" NAME {"," NAME} ")"         a table of the addresses of arrays, in global memory; or a struct of them
//            | "@" FILE                               the bytes of a struct
//            | map                                    a tensor map, or its address
//            | constant                               as PTX writes them: 3, -1, 0x10, 1.5, 0f3F800000
//   sizes    = COUNT {"," COUNT}
//   map      = "tensor" "(" TYPE "[" sizes "]" "," "box" "=" sizes ")"
//                                                     an array as C declares it, u16[128,64], and the box of a copy, in the same order
//                                                     (the innermost dimension last)
//   place    = [ "[" BYTE "]" "=" ]
//   member   = [ NAME "=" ] ( array | multimem | map | TYPE ":" constant ) | NAME
//   multimem = "multimem" "(" NAME {"," NAME} ")"     an address that points to arrays on several GPUs (ISA 8.2.3)
//   array    = TYPE "[" COUNT "]" [ ":" fill ]        in global memory
//   fill     = "iota" | constant | "@" FILE           0, 1, 2, ...; each element so; the bytes of a file. None: zeros
//
// Names are those of the parameters, or the user's own: nvcc calls parameters k_param_0, so arguments whose names are no parameters', or
// that have none, count in the order of the parameters. A name of the user's own is what the array is called from then on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernel/launch.h"
#include "kernel/module.h"

namespace litmus::kernel {

// How a kernel shall be launched, as it is written; what is empty is not said.
struct LaunchTexts {
    std::string entry = {};                           // may be left out where there is one; see entry_named
    std::string grid = {}, block = {}, cluster = {};  // "2", "2,1,1"
    uint32_t shared_bytes = 0;                        // of dynamic shared memory
    uint32_t unlaunched = 0;                          // clusters, the last ones of the grid, that have not started
    std::vector<std::string> arguments = {};          // "in=s32[256]:iota"
};

// The bytes of a file; throws Failure where there are none to be had, and what else it likes.
using ReadBytes = std::function<std::string(const std::string& path)>;

// Throws Failure, pointing into the text or at the kernel's declaration, where they do not fit the kernel and what it asks of its launch
// (PTX ISA 9.1, 11.4), or the launch is larger than what is run; and OverBudget.
Launch launch_of(const Module& module, const LaunchTexts& texts, const ReadBytes& read, const Budget& budget = {});

// Launches of one stream, in their order, with the same arrays: those that are called alike are one, and begin with what the first launch
// says. Throws as launch_of() does, and where two say different sizes of one array.
std::vector<Launch> launches_of(const Module& module, const std::vector<LaunchTexts>& texts, const ReadBytes& read,
                                const Budget& budget = {});

// The kernel of that name: its name in the source, with or without scopes and the arguments of a template ("n::sum<16>", "sum"), a pattern
// of it ("sum<*>"), its mangled name, or its number among the kernels of the file, from 1 on. Throws Failure, with those there are, where
// it is not clear which is meant.
const Function& entry_named(const Module& module, const std::string& name);

}  // namespace litmus::kernel
