// Where advice puts something, in words and in the PTX.
#pragma once

#include <string>
#include <vector>

#include "kernel/module.h"
#include "sweep/sweep.h"

namespace litmus {

// "ring.cu:42"; an instruction where no line is known.
std::string advised_line(const kernel::Module& module, const sweep::Place& place);

// Where those part that pass a statement by, and where they meet again: the branches over it, and the statements that these lead to. A few,
// the nearest first.
struct Detour {
    std::vector<const kernel::Statement*> forks, joins;
};
Detour around(const kernel::Module& module, const kernel::Statement* statement);

// Statements where threads end.
std::vector<const kernel::Statement*> exits(const kernel::Module& module);

// What threads meet by: in CUDA's words, and as PTX.
namespace meeting {
inline constexpr const char* of_block = "`__syncthreads()`";
inline constexpr const char* of_cluster = "`cluster.sync()`";
inline constexpr const char* ptx_of_block = "bar.sync 0;";
inline constexpr const char* ptx_of_cluster = "barrier.cluster.arrive; barrier.cluster.wait;";
}  // namespace meeting

}  // namespace litmus
