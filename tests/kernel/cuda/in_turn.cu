// Split-K: the blocks add to the result in turn, which a semaphore gives.
__device__ void wait(const unsigned* turn, unsigned mine) {
    if (threadIdx.x == 0) {
        unsigned now;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(turn) : "memory");
        while (now != mine);
    }
    __syncthreads();
}

__device__ void pass(unsigned* turn, unsigned next) {
#ifndef UNSYNCED
    __syncthreads();
#endif
#ifdef RELAXED
    if (threadIdx.x == 0) asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(turn), "r"(next) : "memory");
#else
    if (threadIdx.x == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(turn), "r"(next) : "memory");
#endif
}

extern "C" __global__ void in_turn(const int* in, int* result, unsigned* turn) {
    const unsigned t = threadIdx.x, k = blockIdx.x;
    const int part = in[k * blockDim.x + t];
    wait(turn, k);
    result[t] += part;  // @add
    pass(turn, k + 1);
}
