// A sum over the block, in shared memory whose size the launch says.
extern "C" __global__ void dynamic_shared(const int* in, int* out, int n) {
    extern __shared__ unsigned char pool[];
    int* const sums = reinterpret_cast<int*>(pool + 64);
    const int t = static_cast<int>(threadIdx.x);
    sums[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int half = static_cast<int>(blockDim.x) / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];  // @add
#ifdef WARP
        if (half > 16) __syncthreads();  // the rest is one warp, which was enough once
#else
        __syncthreads();
#endif
    }
    if (t == 0) *out = sums[0];
}
