// Each block adds its tile to a total in bulk; the block that comes last converts the total.
#include <cuda/atomic>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int width = 32;

extern "C" __global__ void bulk_total(const int* in, int* total, float* out, unsigned* tickets) {
    __shared__ alignas(16) int tile[width];
    __shared__ unsigned ticket;
    const int t = threadIdx.x;
    tile[t] = in[blockIdx.x * width + t] + 1;  // @fill
#ifndef UNFENCED
    ptx::fence_proxy_async(ptx::space_shared);
#endif
    __syncthreads();
    if (t == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, total, tile, sizeof tile);  // @add
        ptx::cp_async_bulk_commit_group();
#ifdef READ
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
#else
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
#endif
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> next(*tickets);
        ticket = next.fetch_add(1, cuda::std::memory_order_acq_rel);
    }
    __syncthreads();
    if (ticket == gridDim.x - 1) out[t] = static_cast<float>(total[t]);  // @convert
}
