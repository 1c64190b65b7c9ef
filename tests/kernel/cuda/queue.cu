// Blocks that stay, and draw tiles from a queue until there are none left; the tile is handed to the block in shared memory.
extern "C" __global__ void queue(const int* in, int* next, int* out, int tiles) {
    __shared__ int drawn;
    for (;;) {
        if (threadIdx.x == 0) drawn = atomicAdd(next, 1);  // @draw
        __syncthreads();
        const int tile = drawn;  // @take
        if (tile >= tiles) break;
#ifndef HASTY
        __syncthreads();
#endif
        out[tile * blockDim.x + threadIdx.x] = in[tile * blockDim.x + threadIdx.x];
    }
}
