// A warp stores matrices, and one thread stores the tile in bulk.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void matrix_store(const int* in, int* out) {
    __shared__ alignas(16) int tile[64];  // 16 rows of 16 bytes: two matrices
    const int t = threadIdx.x;
    const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(&tile[4 * (t % 16)]));
#ifdef HALF
    if (t < 16)
#endif
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
                     :
                     : "r"(row), "r"(in[t]), "r"(in[32 + t])  // @store
                     : "memory");
#ifndef UNFENCED
    ptx::fence_proxy_async(ptx::space_shared);
#endif
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile);  // @copy
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
