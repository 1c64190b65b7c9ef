// Warp 0 copies tiles into a ring of two slots, warp 1 doubles them.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int slots = 2, width = 32;

extern "C" __global__ void __launch_bounds__(64) ring(const int* in, int* out, int tiles) {
    __shared__ alignas(128) int tile[slots][width];
    __shared__ uint64_t full[slots], empty[slots];
    if (threadIdx.x == 0) {
        for (int s = 0; s < slots; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], width);  // @init
        }
    }
#ifndef UNSYNCED
    __syncthreads();
#endif
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int k = 0; k < tiles; ++k) {
            const int s = k % slots, turn = k / slots;
#ifdef PARITY
            while (!ptx::mbarrier_try_wait_parity(&empty[s], turn & 1)) {}  // @empty
#else
            while (!ptx::mbarrier_try_wait_parity(&empty[s], (turn & 1) ^ 1)) {}
#endif
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof tile[s]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[s], in + k * width, sizeof tile[s], &full[s]);  // @copy
        }
    } else if (threadIdx.x >= 32) {
        [[maybe_unused]] int sum = 0;
        for (int k = 0; k < tiles; ++k) {
            const int s = k % slots, turn = k / slots;
            while (!ptx::mbarrier_try_wait_parity(&full[s], turn & 1)) {}  // @full
#ifdef EARLY
            ptx::mbarrier_arrive(&empty[s]);
#endif
#ifdef SUM
            sum += tile[s][lane];  // @sum
#else
            out[k * width + lane] = 2 * tile[s][lane];  // @read
#endif
#ifndef EARLY
            ptx::mbarrier_arrive(&empty[s]);
#endif
        }
#ifdef SUM
        out[lane] = sum;
#endif
    }
}
