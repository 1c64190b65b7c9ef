// Copies in two stages; each warp multiplies matrices that another warp has fetched.
#include <cuda_pipeline.h>

constexpr int rounds = 3, stages = 2, rows = 64;

extern "C" __global__ void matrix_pipe(const uint4* in, float* out) {
    __shared__ uint4 tile[stages][rows];
    const int t = threadIdx.x;
    float sum[4] = {};
    const auto fetch = [&](int k) {
        if (k < rounds) __pipeline_memcpy_async(&tile[k % stages][t], in + k * rows + t, 16);  // @copy
        __pipeline_commit();
    };
    fetch(0);
    for (int k = 0; k < rounds; ++k) {
        fetch(k + 1);
#ifdef PRIOR
        __pipeline_wait_prior(2);
#else
        __pipeline_wait_prior(1);
#endif
        __syncthreads();
        const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(&tile[k % stages][rows - 1 - t]));
        unsigned a[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                     : "r"(row)  // @load
                     : "memory");
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[0]), "r"(a[1]));
#ifndef UNSYNCED
        __syncthreads();
#endif
    }
    for (int i = 0; i < 4; ++i) out[4 * t + i] = sum[i];
}
