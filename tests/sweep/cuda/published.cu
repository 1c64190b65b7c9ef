// Block 0 publishes rows through the second-level cache, and a flag; the others poll the flag, with fences around relaxed accesses.
extern "C" __global__ void published(const int* in, int* row, unsigned* flag, int* out) {
    const unsigned t = threadIdx.x;
    if (blockIdx.x == 0) {
        __stcg(row + t, 2 * in[t]);  // @put
        __syncthreads();
        if (t == 0) {
            __threadfence();
            asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");  // @raise
        }
    } else {
        if (t == 0) {
            unsigned seen;
            do asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");  // @poll
            while (seen == 0);
            __threadfence();
        }
        __syncthreads();
        out[(blockIdx.x - 1) * blockDim.x + t] = __ldcg(row + (t + 1) % blockDim.x);  // @take
    }
}
