// Two ranks, one on each of two GPUs: each puts words into the other's inbox, raises the other's flag, and waits for its own. Blocks with
// blockIdx.y 0 are of the first GPU (litmus kernel --gpus 2). Each macro spoils one thing, or says it with fences.
__device__ void raise(unsigned* flag) {
#ifdef FENCED
    __threadfence_system();
    asm volatile("st.relaxed.sys.global.u32 [%0], 1;" ::"l"(flag) : "memory");
#elif defined(HALF)
    __threadfence();
    asm volatile("st.relaxed.sys.global.u32 [%0], 1;" ::"l"(flag) : "memory");
#elif defined(NARROW)
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
#else
    asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(flag) : "memory");
#endif
}

__device__ void wait(const unsigned* flag) {
    unsigned value = 0;
    while (value == 0) {
#ifdef FENCED
        asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
#elif defined(LATE)
        asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
#else
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
#endif
    }
#ifdef FENCED
    __threadfence_system();
#elif defined(LATE)
    __threadfence();
#endif
}

extern "C" __global__ void two_ranks(int* inbox0, int* inbox1, unsigned* flag0, unsigned* flag1, int* out) {
    const bool second = blockIdx.y == 1;
    (second ? inbox0 : inbox1)[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        raise(second ? flag0 : flag1);
        wait(second ? flag1 : flag0);
    }
    __syncthreads();
    out[blockDim.x * blockIdx.y + threadIdx.x] = (second ? inbox1 : inbox0)[threadIdx.x];
}
