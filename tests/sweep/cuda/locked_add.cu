// Blocks add to one array under a lock, as Triton writes it: one thread takes the lock and gives it back, all others meet it at barriers.
extern "C" __global__ void locked_add(const int* in, int* sum, unsigned* lock) {
    __shared__ unsigned taken;
    const unsigned t = threadIdx.x;
    const int mine = in[blockIdx.x * blockDim.x + t];
    do {
        __syncthreads();
        if (t == 0) {
            unsigned was;
            asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(was) : "l"(lock) : "memory");  // @take
            taken = was;
        }
        __syncthreads();
    } while (taken == 1);
    sum[t] += mine;  // @add
    __syncthreads();
    if (t == 0) {
        unsigned was;
        asm volatile("atom.acq_rel.gpu.global.exch.b32 %0, [%1], 0;" : "=r"(was) : "l"(lock) : "memory");  // @give
    }
}
