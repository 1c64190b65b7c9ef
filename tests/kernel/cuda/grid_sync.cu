// The grid's barrier of cooperative groups.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void grid_sync(int* left, int* right) {
    const auto grid = cg::this_grid();
    const unsigned long long i = grid.thread_rank();
    left[i] = static_cast<int>(i);  // @first
#ifdef BLOCK
    cg::this_thread_block().sync();
#else
    grid.sync();
#endif
    right[i] = left[grid.size() - 1 - i];  // @second
}
