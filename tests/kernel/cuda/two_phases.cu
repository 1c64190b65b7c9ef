// Two phases with a barrier of the grid between them, made of a counter.
__device__ void everybody(unsigned* arrived) {
    __syncthreads();
    if (threadIdx.x == 0) {
#ifndef UNFENCED
        __threadfence();
#endif
        atomicAdd(arrived, 1);
        while (*static_cast<volatile unsigned*>(arrived) < gridDim.x) {}  // @spin
#ifndef HASTY
        __threadfence();
#endif
    }
    __syncthreads();
}

extern "C" __global__ void two_phases(int* left, int* right, unsigned* arrived) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    left[i] = static_cast<int>(i);  // @first
    everybody(arrived);
    right[i] = left[(i + blockDim.x) % all];  // @second
}
