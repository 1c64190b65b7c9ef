// A histogram of each block in shared memory, added to that of the grid.
extern "C" __global__ void histogram(const int* in, int* bins, int count) {
    __shared__ int local[32];
    const int t = threadIdx.x;
    if (t < 32) local[t] = 0;  // @clear
    __syncthreads();
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + t; i < count; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i] & 31], 1);  // @count
    __syncthreads();
    if (t < 32) atomicAdd(&bins[t], local[t]);  // @flush
}
