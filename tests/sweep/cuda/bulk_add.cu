// Each block adds up its rows in shared memory, and adds the result to one row in global memory by a bulk reduction.
#include <cstdint>
__device__ unsigned shared(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }

extern "C" __global__ void bulk_add(const int* in, int* out, int rows) {
    __shared__ alignas(128) int row[64];
    const unsigned t = threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < rows; ++r) {
        row[t] = in[(r * gridDim.x + blockIdx.x) * 64 + t];  // @fill
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;" ::"l"(out), "r"(shared(row)) : "memory");  // @add
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
    if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
