// A barrier of the grid: one thread of each block counts it in, and polls until all have come; barriers of the block stand around that.
extern "C" __global__ void grid_poll(const int* in, int* rows, unsigned* count, int* out) {
    const unsigned t = threadIdx.x, next = (blockIdx.x + 1) % gridDim.x;
    rows[blockIdx.x * blockDim.x + t] = in[blockIdx.x * blockDim.x + t] + 1;  // @row
    __syncthreads();
    if (t == 0) {
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");  // @arrive
        unsigned seen;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(count) : "memory");  // @poll
        while (seen < gridDim.x);
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = rows[next * blockDim.x + t];  // @take
}
