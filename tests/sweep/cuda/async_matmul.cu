// A product of matrices whose tiles come by cp.async, as Triton writes it: the fence is between the copies and the products, which read
// through another proxy; a stage is filled again behind a barrier that follows the wait for its products.
#include <cstdint>
constexpr int depth = 64, stages = 2, bytes = 64 * depth * 2;

struct alignas(1024) Ring {
    unsigned char a[stages][bytes], b[stages][bytes];
};

__device__ uint32_t shared(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

__device__ void fetch(const unsigned char* from, void* to) {
    for (int i = 0; i < bytes / 16 / 128; ++i)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(to) + 16 * (threadIdx.x + 128 * i)),
                     "l"(from + 16 * (threadIdx.x + 128 * i))
                     : "memory");
}

__device__ uint64_t descriptor(const void* at) { return (shared(at) >> 4 & 0x3fff) | 1ULL << 16 | (1024ULL >> 4) << 32 | 1ULL << 62; }

__device__ void multiply(float (&d)[4], uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b));
}

extern "C" __global__ void async_matmul(const unsigned char* a, const unsigned char* b, float* c, int tiles) {
    extern __shared__ Ring ring[];
    float d[4] = {};
    const auto begin = [&](int t) {
        if (t < tiles) {
            fetch(a + t * bytes, ring->a[t % stages]);
            fetch(b + t * bytes, ring->b[t % stages]);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    begin(0);
#pragma unroll 1
    for (int t = 0; t < tiles; ++t) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        begin(t + 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < depth / 16; ++k) multiply(d, descriptor(ring->a[t % stages] + 32 * k), descriptor(ring->b[t % stages] + 32 * k));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    for (int i = 0; i < 4; ++i) c[threadIdx.x * 4 + i] = d[i];
}
