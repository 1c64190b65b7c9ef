// A warp copies tiles into a ring of three slots, and another one doubles them: `full` and `empty` objects, each with its phase.
#include <cstdint>
constexpr int width = 32, slots = 3;

__device__ unsigned shared(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }
__device__ void wait_for(uint64_t* bar, int parity) {
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(shared(bar)),
                 "r"(parity)
                 : "memory");  // @wait
}

extern "C" __global__ void copy_ring(const int* in, int* out, int tiles) {
    __shared__ alignas(128) int ring[slots][width];
    __shared__ uint64_t full[slots], empty[slots];
    const int t = threadIdx.x, lane = t % 32;
    if (t == 0) {
        for (int s = 0; s < slots; ++s) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full[s])) : "memory");    // @init
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(shared(&empty[s])) : "memory");  // @init_empty
        }
    }
    __syncthreads();
    int slot = 0, phase = 0;
    if (t >= 32) {
        if (lane == 0) {
#pragma unroll 1
            for (int tile = 0; tile < tiles; ++tile) {
                wait_for(&empty[slot], phase ^ 1);  // @free
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(shared(&full[slot])) : "memory");  // @expect
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
                                 shared(ring[slot])),
                             "l"(in + tile * width), "r"(shared(&full[slot]))
                             : "memory");
                if (++slot == slots) slot = 0, phase ^= 1;
            }
        }
    } else {
#pragma unroll 1
        for (int tile = 0; tile < tiles; ++tile) {
            wait_for(&full[slot], phase);                     // @filled
            out[tile * width + lane] = 2 * ring[slot][lane];  // @read
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(&empty[slot])) : "memory");  // @give
            if (++slot == slots) slot = 0, phase ^= 1;
        }
    }
}
