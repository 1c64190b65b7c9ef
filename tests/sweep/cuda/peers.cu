// Blocks of a cluster put parts into their own shared memory, and each reads that of the next one.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(2) peers(const int* in, int* out, int rounds) {
    __shared__ int part[32];
    const cg::cluster_group cluster = cg::this_cluster();
    const int t = threadIdx.x;
    int sum = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        part[t] = in[(round * 2 + blockIdx.x) * 32 + t];  // @put
        cluster.sync();
        sum += cluster.map_shared_rank(part, cluster.block_rank() ^ 1)[(t + 1) % 32];  // @take
        cluster.sync();
    }
    out[blockIdx.x * 32 + t] = sum;
}
