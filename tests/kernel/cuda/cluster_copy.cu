// The first block of a cluster copies a tile into the shared memory of the second.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int width = 32;

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_copy(const int* in, int* out) {
    __shared__ alignas(16) int tile[width];
    __shared__ uint64_t arrived;
    const auto cluster = cg::this_cluster();
    const unsigned t = threadIdx.x, rank = cluster.block_rank();
    if (t == 0) {
        ptx::mbarrier_init(&arrived, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        if (rank == 1) ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, sizeof tile);
    }
    if (rank == 0) {
        tile[t] = 5 * in[t];  // @fill
#ifndef UNFENCED
        ptx::fence_proxy_async(ptx::space_shared);
#endif
    }
    cluster.sync();
    if (rank == 0 && t == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(tile, 1), tile, sizeof tile,  // @copy
                           cluster.map_shared_rank(&arrived, 1));
    if (rank == 1) {
#ifndef UNAWAITED
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &arrived, 0)) {}
#endif
        out[t] = tile[t];  // @read
    }
    cluster.sync();
}
