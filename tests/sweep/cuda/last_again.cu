// The block that draws the last ticket adds up what all blocks have left, and sets the tickets back for the next launch.
extern "C" __global__ void last_again(const int* in, int* part, unsigned* tickets, int* total) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x];  // @part
        __threadfence();
        last = atomicAdd(tickets, 1) == gridDim.x - 1;  // @draw
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) sum += part[b];  // @sum
        *total = sum;
        atomicExch(tickets, 0);  // @back
    }
}
