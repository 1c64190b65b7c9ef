// Three copies in flight, of which an unrolled loop waits for one after the other.
#include <cuda_pipeline.h>

constexpr int stages = 3, width = 128;

extern "C" __global__ void unrolled(const int* in, int* out) {
    __shared__ alignas(16) int tile[stages][width];
    const int t = threadIdx.x;
#pragma unroll
    for (int k = 0; k < stages; ++k) {
        __pipeline_memcpy_async(&tile[k][4 * t], in + k * width + 4 * t, 16);  // @copy
        __pipeline_commit();
    }
#pragma unroll
    for (int k = 0; k < stages; ++k) {
#ifdef PRIOR
        __pipeline_wait_prior(stages - k);
#else
        __pipeline_wait_prior(stages - 1 - k);
#endif
        __syncthreads();
        out[k * 32 + t] = tile[k][width - 1 - 4 * t];  // @read
    }
}
