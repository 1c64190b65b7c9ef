// A scan in one pass, as cub has it: the state of a tile is one word of 128 bits, its status and its value together, so that no order
// between the two is needed.
#include <cstdint>

enum : uint64_t { nothing, aggregate, prefix };

struct alignas(16) State {
    uint64_t status, value;
};

__device__ void publish(State* to, uint64_t status, uint64_t value) {
#ifdef SPLIT
    asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" ::"l"(to), "l"(status), "l"(value) : "memory");  // @split
#else
    asm volatile("{ .reg .b128 q; mov.b128 q, {%1, %2}; st.relaxed.gpu.global.b128 [%0], q; }" ::"l"(to), "l"(status), "l"(value) : "memory");  // @publish
#endif
}

__device__ State look(const State* from) {
    State s;
#ifdef TORN
    asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];" : "=l"(s.status), "=l"(s.value) : "l"(from) : "memory");  // @torn
#else
    asm volatile("{ .reg .b128 q; ld.relaxed.gpu.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }" : "=l"(s.status), "=l"(s.value) : "l"(from) : "memory");  // @look
#endif
    return s;
}

extern "C" __global__ void tile_states(const uint64_t* in, State* states, uint64_t* out) {
    if (threadIdx.x != 0) return;
    const int b = static_cast<int>(blockIdx.x);
    const uint64_t own = in[b];
    if (b > 0) publish(&states[b], aggregate, own);
    uint64_t before = 0;
    for (int t = b - 1; t >= 0;) {
        const State s = look(&states[t]);
        if (s.status == nothing) continue;
        before += s.value;
        if (s.status == prefix) break;
        --t;
    }
    publish(&states[b], prefix, before + own);
    out[b] = before;
}
