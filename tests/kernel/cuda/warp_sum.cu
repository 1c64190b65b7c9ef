// Two warps sum up their numbers with shuffles, and the block adds both sums.
extern "C" __global__ void warp_sum(const int* in, int* out, int* flags) {
    __shared__ int sums[2];
    const int t = threadIdx.x, lane = t % 32;
    int sum = in[t];
#ifdef HALF
    if (lane < 16)
#endif
        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);  // @sum
#ifdef VOTED
    if (lane % 2 == 0) flags[t] = __any_sync(0xffffffff, t < 64);  // @vote
#endif
#ifdef MATCHED
    if (lane > 2) flags[t] = __match_any_sync(0xffffffff, lane / 2) != 0;  // @match
#endif
#ifdef TURN
    volatile int* turn = flags + 64;
    if (t == 31)
        while (*turn == 0) {}  // @spin
    flags[t] = __shfl_sync(0xffffffff, t, 31);  // @ask
    if (t == 0) *turn = 1;
#endif
    if (lane == 0) sums[t / 32] = sum;
    __syncthreads();  // @sync
    out[t] = sums[0] + sums[1];
}
