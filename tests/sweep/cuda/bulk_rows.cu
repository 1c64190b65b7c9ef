// Rows come by bulk copies into two slots, one copy ahead, are doubled there by all threads, and leave by bulk copies.
#include <cstdint>
constexpr int width = 64, slots = 2;

__device__ unsigned shared(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }

__device__ void fetch(int* to, const int* from, uint64_t* bar) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(shared(bar)) : "memory");  // @expect
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(shared(to)), "l"(from),
                 "r"(shared(bar))
                 : "memory");  // @fetch
}

extern "C" __global__ void bulk_rows(const int* in, int* out, int rows) {
    __shared__ alignas(128) int slot[slots][width];
    __shared__ uint64_t full[slots];
    const unsigned t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < slots; ++s) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full[s])) : "memory");  // @init
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (t == 0) fetch(slot[0], in, &full[0]);
#pragma unroll 1
    for (int row = 0; row < rows; ++row) {
        const int s = row % slots;
        if (t == 0 && row + 1 < rows) {
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");  // @free
            fetch(slot[1 - s], in + (row + 1) * width, &full[1 - s]);
        }
        asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(shared(&full[s])),
                     "r"(row / slots & 1)
                     : "memory");  // @wait
        slot[s][t] *= 2;  // @double
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out + row * width), "r"(shared(slot[s])) : "memory");  // @store
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
