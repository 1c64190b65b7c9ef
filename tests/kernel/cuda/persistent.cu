// arch: sm_100a
// Blocks that stay, and take over the tiles of blocks that have not started (clusterlaunchcontrol).
#include <cuda/ptx>

namespace ptx = cuda::ptx;

extern "C" __global__ void persistent(const int* in, int* out) {
    __shared__ longlong2 answer;
    __shared__ uint64_t answered;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&answered, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    unsigned tile = blockIdx.x, phase = 0;
    for (;;) {
        if (threadIdx.x == 0) {
#ifndef UNFENCED
            ptx::fence_proxy_async(ptx::space_shared);
#endif
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &answered, sizeof answer);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &answered);  // @ask
        }
        out[tile * blockDim.x + threadIdx.x] = in[tile * blockDim.x + threadIdx.x];
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &answered, phase)) {}
        phase ^= 1;
        const longlong2 got = answer;  // @read
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(got)) break;
        tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<unsigned>(got);
#ifndef HASTY
        __syncthreads();
#endif
    }
}
