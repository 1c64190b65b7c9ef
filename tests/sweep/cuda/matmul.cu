// A product of matrices as kernels for Hopper write it: thread 128 fetches tiles into a ring through the async proxy, a warpgroup multiplies
// them, and the result leaves through shared memory. Each macro spoils one thing.
#include <cstdint>
#include <cuda.h>

constexpr int rows = 64, columns = 64, depth = 64, stages = 2;  // of a tile; elements of 16 bits

struct alignas(1024) Ring {
    uint16_t a[stages][rows * depth], b[stages][columns * depth];
    uint16_t result[rows * columns];
    uint64_t full[stages], empty[stages];
};

__device__ uint32_t shared(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

__device__ void init(uint64_t* bar, uint32_t count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(bar)), "r"(count)); }

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
    return (shared(at) >> 4 & 0x3fff) | 1ULL << 16 | (1024ULL >> 4) << 32 | 1ULL << 62;
}

__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),
          "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]),
          "+f"(d[31])
        : "l"(a), "l"(b));
}

extern "C" __global__ void matmul(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c,
                                  int tiles) {
    extern __shared__ Ring ring[];
    const int thread = threadIdx.x;
    if (thread == 0) {
        for (int s = 0; s < stages; ++s) {
            init(&ring->full[s], 1);
#ifdef COUNT
            init(&ring->empty[s], 2);
#else
            init(&ring->empty[s], 1);
#endif
        }
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
#ifndef UNSYNCED
    __syncthreads();
#endif
    if (thread == 128) {
        for (int t = 0; t < tiles; ++t) {
            const int s = t % stages;
#ifdef PARITY
            wait(&ring->empty[s], t / stages & 1);
#else
            if (t >= stages) wait(&ring->empty[s], (t / stages & 1) ^ 1);  // @give
#endif
#ifdef BYTES
            const uint32_t bytes = sizeof ring->a[s];
#else
            const uint32_t bytes = sizeof ring->a[s] + sizeof ring->b[s];
#endif
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&ring->full[s])), "r"(bytes));
            fetch(ring->a[s], &a, t * depth, 0, &ring->full[s]);
            fetch(ring->b[s], &b, t * depth, 0, &ring->full[s]);
        }
    } else if (thread < 128) {
        float d[32] = {};
        for (int t = 0; t < tiles; ++t) {
            const int s = t % stages;
#ifndef HASTY
            wait(&ring->full[s], t / stages & 1);
#endif
#ifndef BARE
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
            for (int k = 0; k < depth / 16; ++k) multiply(d, descriptor(ring->a[s] + 16 * k), descriptor(ring->b[s] + 16 * k));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifdef LATE
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
#else
#ifdef OPEN
            if (t + 1 < tiles)
#endif
                asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
            if (thread == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(&ring->empty[s])) : "memory");
        }
        for (int i = 0; i < 32; ++i) ring->result[thread * 32 + i] = static_cast<uint16_t>(__float_as_uint(d[i]) >> 16);
#ifndef UNFENCED
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
        asm volatile("bar.sync 1, 128;" ::: "memory");
        if (thread == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&c), "r"(0), "r"(0),
                         "r"(shared(ring->result))
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#ifndef LEAVES
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
        }
    }
}
