// Three stages of cp.async, two copies ahead; each thread reads what its neighbour has fetched.
constexpr int width = 64, stages = 3;

__device__ void fetch(int* to, const int* from) {
    asm volatile("cp.async.ca.shared::cta.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from)
                 : "memory");  // @fetch
}

extern "C" __global__ void three_stages(const int* in, int* out, int tiles) {
    __shared__ int stage[stages][width];
    const int t = threadIdx.x;
    for (int s = 0; s < stages - 1; ++s) {
        fetch(&stage[s][t], in + s * width + t);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    int sum = 0, slot = 0, next = stages - 1;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");  // @wait
        __syncthreads();
        sum += stage[slot][(t + 1) % width];  // @read
        if (tile + stages - 1 < tiles) fetch(&stage[next][t], in + (tile + stages - 1) * width + t);
        asm volatile("cp.async.commit_group;" ::: "memory");
        slot = slot + 1 == stages ? 0 : slot + 1;
        next = next + 1 == stages ? 0 : next + 1;
    }
    out[t] = sum;
}
