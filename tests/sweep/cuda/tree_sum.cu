// A sum in a tree: half of the threads add in each round, and all of them meet behind it.
extern "C" __global__ void tree_sum(const int* in, int* out) {
    __shared__ int part[128];
    const unsigned t = threadIdx.x;
    part[t] = in[t];  // @put
    __syncthreads();
#pragma unroll 1
    for (unsigned half = 64; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];  // @add
        __syncthreads();
    }
    if (t == 0) *out = part[0];  // @take
}
