// Each warp turns its own row around in shared memory: its lanes meet each other, and the warps need not.
extern "C" __global__ void warp_swap(const int* in, int* out, int rounds) {
    __shared__ int rows[2][32];
    const unsigned t = threadIdx.x, lane = t % 32;
    int mine = in[t];
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        rows[t / 32][lane] = mine + r;  // @put
        __syncwarp();
        mine = rows[t / 32][31 - lane];  // @get
        __syncwarp();
    }
    out[t] = mine;
}
