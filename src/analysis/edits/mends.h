// Mends: what is put in, with the PTX of tests and kernels and the words of CUDA, each said once.
//
// Edits of a test (edits.h) and advice on a kernel (analysis/sweep/advice.h) take their instructions from here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/edits/edit.h"

namespace litmus {

struct Mend {
    Fault fault;                   // what lacks it
    std::string_view first;        // an instruction, without its `;`
    std::string_view second = {};  // the one that follows it; empty: there is none
    std::string_view cuda = {};    // as people write it in CUDA, in ticks; empty: as in PTX
};

namespace mends {
inline constexpr Mend barrier_of_block{Fault::barrier_missing, "bar.sync 0", {}, "`__syncthreads()`"};
inline constexpr Mend barrier_of_cluster{Fault::barrier_missing, "barrier.cluster.arrive", "barrier.cluster.wait", "`cluster.sync()`"};
inline constexpr Mend wait_for_bulk{Fault::wait_missing, "cp.async.bulk.commit_group", "cp.async.bulk.wait_group 0"};
inline constexpr Mend wait_for_bulk_reads{Fault::wait_missing, "cp.async.bulk.commit_group", "cp.async.bulk.wait_group.read 0"};
inline constexpr Mend wait_for_products{Fault::wait_missing, "wgmma.commit_group.sync.aligned", "wgmma.wait_group.sync.aligned 0"};
inline constexpr Mend wait_for_copies{Fault::wait_missing, "cp.async.wait_all"};
inline constexpr Mend wait_for_tensor_loads{Fault::wait_missing, "tcgen05.wait::ld.sync.aligned"};
inline constexpr Mend wait_for_tensor_stores{Fault::wait_missing, "tcgen05.wait::st.sync.aligned"};
inline constexpr Mend wait_for_grids{Fault::grid_wait_missing, "griddepcontrol.wait"};
}  // namespace mends

// Its instructions.
inline std::vector<std::string> lines_of(const Mend& mend) {
    std::vector<std::string> lines{std::string(mend.first)};
    if (!mend.second.empty()) lines.emplace_back(mend.second);
    return lines;
}

// The same as text of a PTX file: "barrier.cluster.arrive; barrier.cluster.wait;".
inline std::string ptx_of(const Mend& mend) {
    return std::string(mend.first) + ";" + (mend.second.empty() ? "" : " " + std::string(mend.second) + ";");
}

}  // namespace litmus
