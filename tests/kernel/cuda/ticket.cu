// Split-K: each block leaves its part, and the block that draws the last ticket adds them up.
extern "C" __global__ void ticket(const int* in, int* part, int* out, unsigned* tickets) {
    __shared__ unsigned drawn;
    const unsigned t = threadIdx.x;
    part[blockIdx.x * blockDim.x + t] = in[blockIdx.x * blockDim.x + t];  // @write
    __syncthreads();
    if (t == 0) {
#ifndef UNFENCED
        __threadfence();
#endif
        drawn = atomicAdd(tickets, 1);
#ifndef HASTY
        __threadfence();
#endif
    }
    __syncthreads();
    const unsigned last = drawn;
    if (last != gridDim.x - 1) return;
    int sum = 0;
    for (unsigned b = 0; b < last + 1; ++b) sum += part[b * blockDim.x + t];  // @read
    out[t] = sum;
}
