// Each block of a cluster reads the shared memory of its neighbour.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbour(const int* in, int* out) {
    __shared__ int part[32];
    const auto cluster = cg::this_cluster();
    const unsigned t = threadIdx.x, rank = cluster.block_rank();
    part[t] = in[rank * 32 + t];  // @write
#ifdef ALONE
    __syncthreads();
#else
    cluster.sync();
#endif
    const int* other = cluster.map_shared_rank(part, rank ^ 1);
    out[rank * 32 + t] = part[t] + other[31 - t];  // @read
#ifndef LEAVES
    cluster.sync();
#endif
}
