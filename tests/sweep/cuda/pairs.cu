// Each block leaves a value and a sign that it is there, by one store of both, and takes that of the block before it.
extern "C" __global__ void pairs(const unsigned* in, uint2* at, unsigned* out) {
    const unsigned b = blockIdx.x, own = in[b];
    asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, 1};" ::"l"(at + b), "r"(own) : "memory");  // @put
    if (b == 0) return;
    unsigned value, sign;
    do asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(value), "=r"(sign) : "l"(at + b - 1) : "memory");  // @take
    while (sign == 0);
    out[b] = value;
}
