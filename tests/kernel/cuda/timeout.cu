// A wait that gives up after some time, so that a bug does not hang the machine.
#include <cuda/atomic>

extern "C" __global__ void timeout(int* data, unsigned* ready, int* out) {
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> flag(*ready);
    if (blockIdx.x == 0) {
        *data = 42;  // @write
        flag.store(1, cuda::std::memory_order_release);
        return;
    }
    const long long start = clock64();
    while (flag.load(cuda::std::memory_order_acquire) != 1)
        if (clock64() - start > 1'000'000) {
#ifdef ANYWAY
            break;
#else
            __trap();
#endif
        }
    *out = *data;  // @read
}
