// Two blocks raise a flag each, and who sees the other's flag down goes in. Each order of whole steps lets one in at most.
extern "C" __global__ void dekker(unsigned* flags, int* result) {
    if (threadIdx.x != 0) return;
    unsigned other;
    asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(flags + blockIdx.x) : "memory");
#ifndef UNFENCED
    asm volatile("fence.sc.gpu;" ::: "memory");
#endif
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(other) : "l"(flags + (1 - blockIdx.x)) : "memory");
    if (other == 0) result[0] = 1;  // @enter
}
