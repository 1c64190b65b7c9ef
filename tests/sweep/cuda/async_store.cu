// A tile comes by cp.async, which arrives at an mbarrier object, and leaves by a bulk copy: through another proxy, which a fence orders.
#include <cstdint>
extern "C" __global__ void async_store(const int* in, int* out) {
    __shared__ alignas(16) int tile[64];
    __shared__ uint64_t full;
    const unsigned t = threadIdx.x, bar = static_cast<unsigned>(__cvta_generic_to_shared(&full));
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(bar) : "memory");
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + 4 * t), "l"(in + t) : "memory");  // @fetch
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(bar) : "memory");  // @arrive
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(bar) : "memory");  // @wait
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // @fence
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(to) : "memory");  // @store
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
