// Warps load matrices that other warps have written.
extern "C" __global__ void matrix_load(const int2* in, int4* out) {
    __shared__ alignas(16) int2 tile[64];  // 32 rows of 16 bytes: four matrices
    const int t = threadIdx.x, lane = t % 32;
    for (int k = 0; k < 2; ++k) {
        tile[t] = in[64 * k + t];  // @write
#ifndef UNSYNCED
        __syncthreads();
#endif
        const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(&tile[2 * lane]));
        int4 part;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(part.x), "=r"(part.y), "=r"(part.z), "=r"(part.w)
                     : "r"(row)  // @load
                     : "memory");
        out[64 * k + t] = part;
#ifndef REUSED
        __syncthreads();
#endif
    }
}
