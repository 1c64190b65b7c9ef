// Blocks that stay, and draw tiles from a queue until there are none left; the tile is handed to the block in shared memory.
extern "C" __global__ void queue(const int* in, unsigned* next, int* out, unsigned tiles) {
    __shared__ unsigned drawn;
    for (;;) {
        if (threadIdx.x == 0) drawn = atomicAdd(next, 1);  // @draw
        __syncthreads();
        const unsigned tile = drawn;  // @take
        if (tile >= tiles) break;
#ifndef HASTY
        __syncthreads();
#endif
        if (threadIdx.x == 0) out[tile] = in[tile];
    }
}
