// Threads fill a tile, one of them stores it in bulk, and it is filled again.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int width = 32;

extern "C" __global__ void bulk_store(const int* in, int* out) {
    __shared__ alignas(16) int tile[width];
    const int t = threadIdx.x;
    for (int k = 0; k < 2; ++k) {
        tile[t] = 3 * in[k * width + t];  // @fill
#ifndef UNFENCED
        ptx::fence_proxy_async(ptx::space_shared);
#endif
        __syncthreads();
        if (t == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + k * width, tile, sizeof tile);  // @store
            ptx::cp_async_bulk_commit_group();
#ifndef UNREAD
#ifdef LEAVES
            if (k == 0)
#endif
                ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
#endif
        }
        __syncthreads();
    }
}
