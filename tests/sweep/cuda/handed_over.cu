// One warp computes tiles in shared memory, another takes them: two slots, arrivals and waits of mbarrier objects, no copy.
#include <cstdint>
constexpr int width = 32, slots = 2;

__device__ unsigned shared(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }
__device__ void wait_for(uint64_t* bar, int parity) {
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(shared(bar)),
                 "r"(parity)
                 : "memory");
}
__device__ void arrive(uint64_t* bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(bar)) : "memory");
}

extern "C" __global__ void handed_over(const int* in, int* out, int tiles) {
    __shared__ int tile_of[slots][width];
    __shared__ uint64_t full[slots], empty[slots];
    const int t = threadIdx.x, lane = t % 32;
    if (t == 0) {
        for (int s = 0; s < slots; ++s) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(shared(&full[s])) : "memory");   // @init
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(shared(&empty[s])) : "memory");  // @init_empty
        }
    }
    __syncthreads();
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        const int s = tile % slots, parity = tile / slots & 1;
        if (t < 32) {
            if (tile >= slots) wait_for(&empty[s], parity ^ 1);  // @free
            tile_of[s][lane] = 3 * in[tile * width + lane];      // @put
            arrive(&full[s]);                                    // @filled
        } else {
            wait_for(&full[s], parity);                                   // @wait
            out[tile * width + lane] = tile_of[s][(lane + 1) % width];    // @take
            arrive(&empty[s]);                                            // @give
        }
    }
}
