// A product of matrices as kernels for Blackwell write it: warp 4 fetches tiles into a ring, warp 5 multiplies them into tensor memory, and
// four warps load the result from there. Each macro spoils one thing.
// arch: sm_100a
#include <cstdint>
#include <cuda.h>

constexpr int rows = 128, columns = 64, depth = 64, stages = 2;  // of a tile; elements of 16 bits

struct alignas(1024) Ring {
    uint16_t a[stages][rows * depth], b[stages][columns * depth];
    uint64_t full[stages], empty[stages], done;
    uint32_t tensor;
};

__device__ uint32_t shared(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

__device__ void init(uint64_t* bar) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(bar))); }

__device__ void wait(uint64_t* bar, uint32_t parity) {
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(shared(bar)), "r"(parity)
                 : "memory");
}

__device__ void fetch(void* to, const CUtensorMap* map, int x, int y, uint64_t* bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared(bar))
                 : "memory");
}

__device__ uint64_t descriptor(const void* at) {  // rows of 128 bytes, swizzled
    return (shared(at) >> 4 & 0x3fff) | (1024ULL >> 4) << 32 | 1ULL << 46 | 2ULL << 61;
}

__device__ void commit(uint64_t* bar) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared(bar)) : "memory");
}

extern "C" __global__ void tensor_memory(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int tiles) {
    extern __shared__ Ring ring[];
    const int thread = threadIdx.x, warp = thread / 32;
    if (thread == 0) {
        for (int s = 0; s < stages; ++s) {
            init(&ring->full[s]);
            init(&ring->empty[s]);
        }
        init(&ring->done);
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    if (warp == 5) asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(shared(&ring->tensor)) : "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    const uint32_t tensor = ring->tensor;
    if (thread == 128) {
        for (int t = 0; t < tiles; ++t) {
            const int s = t % stages;
            if (t >= stages) wait(&ring->empty[s], (t / stages & 1) ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&ring->full[s])), "r"(2 * (rows + columns) * depth));
            fetch(ring->a[s], &a, t * depth, 0, &ring->full[s]);
            fetch(ring->b[s], &b, t * depth, 0, &ring->full[s]);
        }
    } else if (thread == 160) {
        const uint32_t shape = 1U << 4 | 1U << 7 | 1U << 10 | columns >> 3 << 17 | rows >> 4 << 24;  // of float, out of bf16
        for (int t = 0; t < tiles; ++t) {
            const int s = t % stages;
#ifndef UNAWAITED
            wait(&ring->full[s], t / stages & 1);
#endif
            for (int k = 0; k < depth / 16; ++k)
                asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\ntcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(tensor),
                             "l"(descriptor(ring->a[s] + 16 * k)), "l"(descriptor(ring->b[s] + 16 * k)), "r"(shape), "r"(t + k)
                             : "memory");
#ifdef EARLY
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(&ring->empty[s])) : "memory");
#else
            commit(&ring->empty[s]);
#endif
        }
        commit(&ring->done);
    }
    if (warp < 4) {
#ifndef HASTY
        wait(&ring->done, 0);
#endif
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
#ifdef FOREIGN
        const uint32_t from = tensor + ((warp ^ 1) * 32U << 16);
#else
        const uint32_t from = tensor + (warp * 32U << 16);
#endif
        for (int n = 0; n < columns; n += 4) {
            float d[4];
            asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                         : "r"(from + n));
#ifndef PENDING
            asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
#endif
            for (int i = 0; i < 4; ++i) c[thread * columns + n + i] = d[i];
        }
    }
#ifndef SOON
#ifndef UNSAID
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
#endif
#ifdef LEFT
    if (warp != 5) return;
#elif defined(UNSAID)
    if (warp != 5) return;
#endif
    __syncthreads();
#endif
#ifndef KEPT
    if (warp == 5) {
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(tensor));
    }
#endif
}
