// Rows are reduced twice through one array: the largest element, and then the sum of what is above it; shuffles first, then shared memory.
extern "C" __global__ void row_norm(const int* in, int* out, int rows) {
    __shared__ int part[4];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
#pragma unroll 1
    for (int row = 0; row < rows; ++row) {
        const int own = in[row * blockDim.x + t];
        int most = own;
        for (int step = 16; step > 0; step /= 2) most = max(most, __shfl_xor_sync(0xffffffff, most, step));  // @exchange
        if (lane == 0) part[warp] = most;  // @most
        __syncthreads();
        most = max(max(part[0], part[1]), max(part[2], part[3]));  // @all
        __syncthreads();
        int sum = most - own;
        for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
        if (lane == 0) part[warp] = sum;  // @sum
        __syncthreads();
        sum = part[0] + part[1] + part[2] + part[3];  // @total
        __syncthreads();
        out[row * blockDim.x + t] = sum;
    }
}
