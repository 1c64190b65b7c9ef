// Each thread votes once; the votes for a candidate are counted by the block of the cluster that owns it, the other's by red.async.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int candidates = 8;  // of each block

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_votes(const int* in, int* out) {
    __shared__ int votes[candidates];
    __shared__ uint64_t counted;
    const auto cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), t = threadIdx.x;
    if (t < candidates) votes[t] = 0;  // @clear
    if (t == 0) {
        ptx::mbarrier_init(&counted, 1);  // @init
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &counted, blockDim.x * 4);
    }
#ifdef ALONE
    __syncthreads();
#else
    cluster.sync();
#endif
    const unsigned vote = in[rank * blockDim.x + t] % candidates;
#ifdef OWN
    const unsigned owner = rank;
#else
    const unsigned owner = rank ^ 1;
#endif
    ptx::red_async(ptx::op_add, cluster.map_shared_rank(&votes[vote], owner), 1, cluster.map_shared_rank(&counted, owner));  // @vote
#ifdef NARROW
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &counted, 0)) {}
#else
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &counted, 0)) {}  // @wait
#endif
    if (t < candidates) out[rank * candidates + t] = votes[t];  // @result
}
