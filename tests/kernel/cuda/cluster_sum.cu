// Both blocks of a cluster reduce a tile into the shared memory of the first, in bulk.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int width = 32;

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_sum(const int* in, int* out) {
    __shared__ alignas(16) int tile[width];
    __shared__ alignas(16) int sum[width];
    __shared__ uint64_t added;
    const auto cluster = cg::this_cluster();
    const unsigned t = threadIdx.x, rank = cluster.block_rank();
    if (rank == 0 && t == 0) {
        ptx::mbarrier_init(&added, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
#ifdef HALF
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &added, sizeof tile);
#else
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &added, 2 * sizeof tile);
#endif
    }
    tile[t] = in[rank * width + t];
    sum[t] = 0;  // @clear
#ifdef BEFORE
    ptx::fence_proxy_async();
#endif
    cluster.sync();
#ifndef BEFORE
    ptx::fence_proxy_async();
#endif
    if (t == 0)
        ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add, cluster.map_shared_rank(sum, 0), tile,  // @add
                                  sizeof tile, cluster.map_shared_rank(&added, 0));
    if (rank == 0) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &added, 0)) {}
        out[t] = sum[t];  // @read
    }
    cluster.sync();
}
