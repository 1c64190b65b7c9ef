// An all-reduce of bfloat16 by the switch (NVLS) between two GPUs. Each puts its numbers into its buffer; each then has the switch add up one
// half of all buffers, and store the sums to all of them; each takes the sums out of its own. `x` and `flag` are multimem addresses, of the
// buffers and of the flags.
#include <cstdint>

constexpr unsigned ranks = 2;

// What was accessed by the one address is accessed by another from here on.
__device__ void change_address() {
#ifndef UNFENCED
    asm volatile("fence.proxy.alias;" ::: "memory");
#endif
}

#ifdef RELAXED
#define SIGNAL "multimem.red.relaxed.sys.global.add.u32"
#else
#define SIGNAL "multimem.red.release.sys.global.add.u32"
#endif

// All GPUs have come here, and see what the others did before.
__device__ void meet(uint32_t* flag, const uint32_t* own, uint32_t count) {
    change_address();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile(SIGNAL " [%0], 1;" ::"l"(flag) : "memory");
        uint32_t seen;
        do asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(own) : "memory");
        while (seen < count);
    }
    __syncthreads();
    change_address();
}

__device__ uint4 sum_of_all(const uint4* x) {
    uint4 s;
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.bf16x2 {%0, %1, %2, %3}, [%4];"
                 : "=r"(s.x), "=r"(s.y), "=r"(s.z), "=r"(s.w)
                 : "l"(x)  // @sum
                 : "memory");
    return s;
}

__device__ void store_to_all(uint4* x, uint4 s) {
    asm volatile("multimem.st.relaxed.sys.global.v4.bf16x2 [%0], {%1, %2, %3, %4};" ::"l"(x), "r"(s.x), "r"(s.y), "r"(s.z),
                 "r"(s.w)  // @store
                 : "memory");
}

__device__ void reduce(unsigned rank, const uint4* in, uint4* own, uint4* x, const uint32_t* own_flag, uint32_t* flag, uint4* out) {
    const unsigned i = threadIdx.x;
    own[i] = in[i];  // @fill
    meet(flag, own_flag, ranks);
    if (i % ranks == rank) store_to_all(x + i, sum_of_all(x + i));
#ifdef LATE
    change_address();
    __syncthreads();
#else
    meet(flag, own_flag, 2 * ranks);
#endif
    out[i] = own[i];  // @take
}

extern "C" __global__ void all_reduce(const uint4* in0, const uint4* in1, uint4* x0, uint4* x1, uint4* x, uint32_t* flag0, uint32_t* flag1,
                                      uint32_t* flag, uint4* out0, uint4* out1) {
    if (blockIdx.x == 0) reduce(0, in0, x0, x, flag0, flag, out0);
    if (blockIdx.x == 1) reduce(1, in1, x1, x, flag1, flag, out1);
}
