// Two kernels of a stream, of which the second begins early (programmatic dependent launch): it prepares, and waits for the first one before
// it reads what that has written.
extern "C" __global__ void first(const int* in, int* sums) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[i] = in[i] + 1;  // @write
}

extern "C" __global__ void second(const int* __restrict__ sums, int* out) {
    __shared__ int tile[32];
#ifdef EARLY
    const int sum = sums[blockIdx.x * blockDim.x + threadIdx.x];  // @early
#endif
#ifndef HASTY
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
#ifndef EARLY
    const int sum = sums[blockIdx.x * blockDim.x + threadIdx.x];  // @read
#endif
    tile[threadIdx.x] = sum;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[31 - threadIdx.x];
}
