// Blocks add up parts of a sum. The one that draws the last ticket takes the result, and leaves all as it found it: the kernel is launched
// again and again, and nobody sets the tickets to zero. Each macro spoils one thing; the first launch shows none of them.
__global__ void split(const int* in, int* sum, unsigned* tickets, int* out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        atomicAdd(sum, in[blockIdx.x]);
        __threadfence();
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last || threadIdx.x != 0) return;
    *out = *sum;
    *sum = 0;
#ifndef SPENT
    atomicExch(tickets, 0);
#endif
}
