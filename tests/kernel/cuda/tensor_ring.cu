// Warp 0 copies rows of a tensor into a ring of two slots, warp 1 doubles them. A test of a few threads leaves the copies out.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int slots = 2, width = 32, tiles = 3;

extern "C" __global__ void __launch_bounds__(64) tensor_ring(const void* map, int* out) {
    __shared__ alignas(128) int tile[slots][width];
    __shared__ uint64_t full[slots], empty[slots];
    if (threadIdx.x == 0) {
        for (int s = 0; s < slots; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], width);
        }
    }
    __syncthreads();
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
            const int32_t row[] = {k * width};
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[s], map, row, &full[s]);
        }
    } else if (threadIdx.x >= 32) {
        for (int k = 0; k < tiles; ++k) {
            const int s = k % slots, turn = k / slots;
            while (!ptx::mbarrier_try_wait_parity(&full[s], turn & 1)) {}  // @full
            out[k * width + lane] = 2 * tile[s][lane];
            ptx::mbarrier_arrive(&empty[s]);
        }
    }
}
