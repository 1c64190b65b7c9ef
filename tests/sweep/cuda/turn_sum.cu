// Split-K as Triton writes it: the blocks of a tile add their parts in turn. One thread polls the semaphore, and all go on behind a barrier.
extern "C" __global__ void turn_sum(const int* in, int* sums, unsigned* semaphore, int* out) {
    const unsigned t = threadIdx.x, turn = blockIdx.x;
    int sum = in[turn * blockDim.x + t];
    if (t == 0) {
        unsigned seen;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(semaphore) : "memory");  // @poll
        while (seen != turn);
    }
    __syncthreads();
    if (turn > 0) sum += __ldcg(sums + t);  // @take
    if (turn + 1 < gridDim.x) {
        __stcg(sums + t, sum);  // @put
        __syncthreads();
        if (t == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(semaphore), "r"(turn + 1) : "memory");  // @pass
    } else {
        out[t] = sum;
    }
}
