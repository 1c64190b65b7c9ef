// Split-K with a ticket of libcu++. The last block asks the ticket again how many parts there are, which nothing but the memory says.
#include <cuda/atomic>

#ifdef RELAXED
constexpr auto drawing = cuda::std::memory_order_relaxed;
#else
constexpr auto drawing = cuda::std::memory_order_acq_rel;
#endif

extern "C" __global__ void split_k(const int* in, int* part, int* out, unsigned* tickets) {
    __shared__ unsigned drawn;
    const unsigned t = threadIdx.x;
    part[blockIdx.x * blockDim.x + t] = in[blockIdx.x * blockDim.x + t];  // @write
    __syncthreads();
    if (t == 0) drawn = cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*tickets).fetch_add(1, drawing);
    __syncthreads();
    if (drawn != gridDim.x - 1) return;
    __threadfence_block();
    int sum = 0;
    for (unsigned b = 0; b <= drawn; ++b) sum += part[b * blockDim.x + t];  // @read
    out[t] = sum;
}
