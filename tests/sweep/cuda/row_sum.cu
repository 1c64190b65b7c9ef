// The sums of rows: each warp adds up by shuffles, one warp adds up what the warps have left in shared memory, and all threads take that.
extern "C" __global__ void row_sum(const int* in, int* out, int rows) {
    __shared__ int parts[4];
    const unsigned t = threadIdx.x, lane = t % 32;
#pragma unroll 1
    for (int row = 0; row < rows; ++row) {
        int sum = in[row * blockDim.x + t];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
        if (lane == 0) parts[t / 32] = sum;  // @part
        __syncthreads();
        if (t < 32) {
            int all = lane < 4 ? parts[lane] : 0;  // @gather
            all += __shfl_xor_sync(0xffffffff, all, 2);
            all += __shfl_xor_sync(0xffffffff, all, 1);
            if (lane == 0) parts[0] = all;  // @total
        }
        __syncthreads();
        out[row * blockDim.x + t] = in[row * blockDim.x + t] - parts[0];  // @take
        __syncthreads();
    }
}
