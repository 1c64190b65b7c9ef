// A scan in one pass: each block publishes its sum, looks back over those before it, and publishes its prefix.
#include <cuda/atomic>

enum : unsigned { nothing, aggregate, prefix };

#ifdef RELAXED
constexpr auto publishing = cuda::std::memory_order_relaxed;
#else
constexpr auto publishing = cuda::std::memory_order_release;
#endif

extern "C" __global__ void look_back(const int* in, int* sums, int* prefixes, unsigned* states, int* out) {
    if (threadIdx.x != 0) return;
    const int b = static_cast<int>(blockIdx.x);
    using State = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
    const int own = in[2 * b] + in[2 * b + 1];
    sums[b] = own;  // @sum
    if (b > 0) State(states[b]).store(aggregate, publishing);
    int before = 0;
    for (int p = b - 1; p >= 0; --p) {
        unsigned state;
        do state = State(states[p]).load(cuda::std::memory_order_acquire);  // @look
        while (state == nothing);
        if (state == prefix) {
            before += prefixes[p];  // @read
            break;
        }
        before += sums[p];  // @add
    }
    prefixes[b] = before + own;  // @publish
    State(states[b]).store(prefix, publishing);
    out[b] = before;
}
