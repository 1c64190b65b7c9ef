// Tiles come by cp.async through a ring of three stages, two tiles ahead; each thread reads what another one has fetched.
constexpr int width = 64, stages = 3;

extern "C" __global__ void staged(const int* in, int* out, int tiles) {
    __shared__ alignas(16) int ring[stages][width];
    const int t = threadIdx.x;
    const auto fetch = [&](int tile) {
        if (tile < tiles) {
            const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&ring[tile % stages][t]));
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + tile * width + t) : "memory");  // @fetch
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    fetch(1);
    int sum = 0;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");  // @wait
        __syncthreads();
        fetch(tile + 2);
        sum += ring[tile % stages][width - 1 - t];  // @read
    }
    out[t] = sum;
}
