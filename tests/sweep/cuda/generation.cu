// A barrier of all blocks that can be used again at once: who comes last sets the count back and begins the next generation, which the
// others poll.
struct Meeting {
    unsigned count, generation;
};

__device__ void meet(Meeting* at) {
    __syncthreads();
    if (threadIdx.x == 0) {
        volatile unsigned* generation = &at->generation;
        const unsigned mine = *generation;
        __threadfence();
        if (atomicAdd(&at->count, 1) == gridDim.x - 1) {  // @come
            atomicExch(&at->count, 0);                    // @back
            __threadfence();
            *generation = mine + 1;
        } else {
            while (*generation == mine) {}  // @poll
        }
        __threadfence();
    }
    __syncthreads();
}

extern "C" __global__ void generation(const int* in, int* a, int* b, Meeting* at) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    a[i] = in[i];  // @first
    meet(at);
    b[i] = a[all - 1 - i];  // @second
    meet(at);
    a[i] = b[(i + blockDim.x) % all];  // @third
}
