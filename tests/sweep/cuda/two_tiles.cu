// Tiles in two buffers of shared memory, the next one loaded into a register while this one is used: one barrier in each round.
extern "C" __global__ void two_tiles(const int* in, int* out, int tiles) {
    __shared__ int tile[2][64];
    const int t = threadIdx.x;
    tile[0][t] = in[t];  // @first
    __syncthreads();
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
        int next = 0;
        if (i + 1 < tiles) next = in[(i + 1) * 64 + t];
        sum += tile[i & 1][63 - t];  // @use
        if (i + 1 < tiles) tile[(i + 1) & 1][t] = next;  // @next
        __syncthreads();
    }
    out[t] = sum;
}
