// A wait in inline assembly, with labels in a scope of its own, inlined twice.
#include <cstdint>

__device__ __forceinline__ uint32_t address(const void* p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void wait(uint32_t barrier, uint32_t parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "AGAIN:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra DONE;\n"
        "bra AGAIN;\n"
        "DONE:\n"
        "}\n" ::"r"(barrier),
        "r"(parity)  // @wait
        : "memory");
}

__device__ __forceinline__ void fetch(uint32_t tile, const int* from, uint32_t bytes, uint32_t barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(tile),
                 "l"(from), "r"(bytes), "r"(barrier)  // @copy
                 : "memory");
}

extern "C" __global__ void asm_labels(const int* in, int* out) {
    __shared__ alignas(16) int tile[2][32];
    __shared__ uint64_t barrier;
    const int t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&barrier)) : "memory");
    __syncthreads();
    if (t == 0) fetch(address(tile[0]), in, sizeof tile[0], address(&barrier));
    wait(address(&barrier), 0);
    out[t] = tile[0][t];
#ifndef HASTY
    __syncthreads();
#endif
    if (t == 0) fetch(address(tile[1]), in + 32, sizeof tile[1], address(&barrier));
#ifdef PARITY
    wait(address(&barrier), 0);
#else
    wait(address(&barrier), 1);
#endif
    out[32 + t] = tile[1][t];  // @read
}
