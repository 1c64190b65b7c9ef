// Warp 0 loads, warps 1 and 2 compute, warp 3 stores; three stages go round.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int stages = 3, width = 64;

struct Stage {
    alignas(128) int in[width];
    alignas(128) int out[width];
};

__device__ void wait(uint64_t* barrier, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {}  // @wait
}

extern "C" __global__ void __launch_bounds__(128) four_warps(const int* in, int* out, int tiles) {
    __shared__ Stage stage[stages];
    __shared__ uint64_t full[stages], done[stages], empty[stages];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&done[s], width);
            ptx::mbarrier_init(&empty[s], 1);
        }
    }
    __syncthreads();
    for (int k = 0, s = 0, turn = 0; k < tiles; ++k) {
        if (warp == 0 && lane == 0) {
            wait(&empty[s], turn ^ 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof stage[s].in);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[s].in, in + k * width, sizeof stage[s].in, &full[s]);  // @load
        } else if (warp == 1 || warp == 2) {
            const unsigned i = threadIdx.x - 32;
            wait(&full[s], turn);
            stage[s].out[i] = stage[s].in[i] + k;  // @compute
#ifndef UNFENCED
            ptx::fence_proxy_async(ptx::space_shared);
#endif
            ptx::mbarrier_arrive(&done[s]);
        } else if (warp == 3 && lane == 0) {
            wait(&done[s], turn);
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + k * width, stage[s].out, sizeof stage[s].out);  // @store
            ptx::cp_async_bulk_commit_group();
#ifdef LAZY
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
#else
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
#endif
            ptx::mbarrier_arrive(&empty[s]);
        }
        if (++s == stages) s = 0, turn ^= 1;
    }
}
