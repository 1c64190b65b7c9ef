// A value is read, said to have been read, and read again when it has changed. With ONCE the reader tries once, and looks where the try
// was good: race-free as well, but ptxas 13.0 drops the second load.
#include <cstdint>

__device__ __forceinline__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void init(uint64_t* barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

__device__ __forceinline__ bool try_wait(uint64_t* barrier) {
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(barrier))
                 : "memory");
    return done;
}

__device__ __forceinline__ void arrive(uint64_t* barrier) {
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

extern "C" __global__ void read_again(int* x, int* out) {
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full);
        init(&empty);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        while (!try_wait(&empty)) {}
        *x = 1;  // @write
        arrive(&full);
    } else if (threadIdx.x == 32) {
        const int before = *x;  // @before
        arrive(&empty);
#ifdef ONCE
        if (try_wait(&full)) out[0] = *x;  // @after
#else
        while (!try_wait(&full)) {}
        out[0] = *x;
#endif
        out[1] = before;
    }
}
