// Warps that return while others still meet at barriers: nobody waits for a thread that has exited. Objects of one arrival are used again
// behind these barriers, since who returned had seen their first phase end. Each macro spoils one thing.
#include <cstdint>

__device__ uint32_t shared(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

__device__ void arrive(uint64_t* bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(bar)) : "memory"); }

__device__ void wait(uint64_t* bar, uint32_t parity) {
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(shared(bar)), "r"(parity)
                 : "memory");
}

__device__ void meet_in_cluster() { asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory"); }

extern "C" __global__ void early_exit(int* out) {
    __shared__ uint64_t first, second;
    __shared__ int data;
    const int thread = threadIdx.x, warp = thread / 32;
    if (thread == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&first)));
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&second)));
        arrive(&first);
        arrive(&second);
        data = 0;
    }
    meet_in_cluster();
    if (warp == 1) {
        wait(&first, 0);
#ifdef SILENT
        if (thread == 32) data = 1;
#endif
        return;
    }
    if (thread >= 112) return;  // half of warp 3
#ifdef COUNTED
    asm volatile("bar.sync 1, 128;" ::: "memory");
#else
    asm volatile("bar.sync 1, 96;" ::: "memory");
    __syncthreads();
#endif
    if (thread == 0) {
        arrive(&first);
        wait(&first, 1);
    }
    if (warp == 2) {
        wait(&second, 0);
#ifdef REMOTE
        if (thread == 64) {
            uint32_t there;
            asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared(&data)), "r"(blockIdx.x ^ 1));
            asm volatile("st.shared::cluster.u32 [%0], 1;" ::"r"(there) : "memory");
        }
#endif
        return;
    }
    meet_in_cluster();
    if (thread == 0) {
        arrive(&second);
        wait(&second, 1);
        out[blockIdx.x] = data;
    }
    meet_in_cluster();
}
