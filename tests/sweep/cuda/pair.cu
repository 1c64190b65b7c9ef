// Two blocks multiply together: each fetches its rows of A and its half of B, and tells the first block, whose thread multiplies for both
// and tells both. The first block's object is named by clearing a bit of the own one's address. Each macro spoils one thing.
// arch: sm_100a
#include <cstdint>
#include <cuda.h>

constexpr int rows = 128, columns = 128, depth = 64;  // of D in each block, and of what each block fetches of A

struct alignas(1024) Tiles {
    uint16_t a[rows * depth], b[columns / 2 * depth];
    uint64_t full, done;
    uint32_t tensor;
};

__device__ uint32_t shared(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

#ifdef MIXED
#define NEXT_KIND "tf32"
#else
#define NEXT_KIND "f16"
#endif

#ifdef NARROW
#define SCOPE "cta"
#else
#define SCOPE "cluster"
#endif

__device__ void wait(uint64_t* bar) {
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.acquire." SCOPE
                 ".shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(shared(bar))
                 : "memory");
}

__device__ void fetch(void* to, const CUtensorMap* map, int y, uint32_t bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, {0, %2}], [%3];" ::"r"(shared(to)),
                 "l"(map), "r"(y), "r"(bar)
                 : "memory");
}

__device__ uint64_t descriptor(const void* at) {  // rows of 128 bytes, swizzled
    return (shared(at) >> 4 & 0x3fff) | (1024ULL >> 4) << 32 | 1ULL << 46 | 2ULL << 61;
}

extern "C" __global__ void pair(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c) {
    extern __shared__ Tiles tiles[];
    const int thread = threadIdx.x, warp = thread / 32, rank = blockIdx.x;
    if (thread == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(shared(&tiles->full)));
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&tiles->done)));
    }
    if (warp == 1) asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"(shared(&tiles->tensor)) : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    const uint32_t tensor = tiles->tensor;
    if (thread == 0) {
#ifdef OWN
        const uint32_t full = shared(&tiles->full);
#else
        const uint32_t full = shared(&tiles->full) & 0xfeffffff;
#endif
        fetch(tiles->a, &a, rank * rows, full);
        fetch(tiles->b, &b, rank * columns / 2, full);
        asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(full), "r"(2 * (rows + columns / 2) * depth)
                     : "memory");
    }
    if (rank == 0 && thread == 32) {
        wait(&tiles->full);
        const uint32_t shape = 1U << 4 | 1U << 7 | 1U << 10 | columns >> 3 << 17 | 2 * rows >> 4 << 24;  // of float, out of bf16
        asm volatile("tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, 0;" ::"r"(tensor), "l"(descriptor(tiles->a)), "l"(descriptor(tiles->b)),
                     "r"(shape)
                     : "memory");
        for (int k = 1; k < depth / 16; ++k)
            asm volatile("tcgen05.mma.cta_group::2.kind::" NEXT_KIND " [%0], %1, %2, %3, 1;" ::"r"(tensor), "l"(descriptor(tiles->a + 16 * k)),
                         "l"(descriptor(tiles->b + 16 * k)), "r"(shape)
                         : "memory");
#ifdef ALONE
        const uint16_t told = 1;
#else
        const uint16_t told = 3;
#endif
        asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(shared(&tiles->done)),
                     "h"(told)
                     : "memory");
    }
    wait(&tiles->done);
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    for (int n = 0; n < columns; n += 4) {
        float d[4];
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                     : "r"(tensor + (warp * 32U << 16) + n));
        asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
        for (int i = 0; i < 4; ++i) c[(rank * rows + thread) * columns + n + i] = d[i];
    }
#ifdef RELAXED
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#elif defined(APART)
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
#else
    asm volatile("tcgen05.fence::before_thread_sync;\nbarrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
#endif
    if (warp == 1) asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 128;" ::"r"(tensor));
}
