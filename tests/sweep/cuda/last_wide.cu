// The block that draws the last ticket adds up the rows of all blocks, as Triton writes it: one thread draws, and tells it in shared memory.
extern "C" __global__ void last_wide(const int* in, int* rows, unsigned* tickets, int* out) {
    __shared__ unsigned drawn;
    const unsigned t = threadIdx.x;
    rows[blockIdx.x * blockDim.x + t] = 2 * in[blockIdx.x * blockDim.x + t];  // @row
    __syncthreads();
    if (t == 0) {
        unsigned ticket;
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(ticket) : "l"(tickets) : "memory");  // @draw
        drawn = ticket;
    }
    __syncthreads();
    if (drawn == gridDim.x - 1) {
        int sum = 0;
#pragma unroll 1
        for (unsigned b = 0; b < gridDim.x; ++b) sum += rows[b * blockDim.x + t];  // @sum
        out[t] = sum;
    }
}
