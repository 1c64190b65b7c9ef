// The barrier object of libcu++ between two halves of a kernel.
#include <cuda/barrier>
#include <utility>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void barrier_object(const int* in, int* out) {
    __shared__ int stage[32];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier barrier;
    const unsigned t = threadIdx.x;
    if (t == 0) init(&barrier, blockDim.x);
    __syncthreads();
#ifdef EARLY
    auto token = barrier.arrive();
    stage[t] = in[t];  // @late
#else
    stage[t] = in[t];  // @write
    auto token = barrier.arrive();
#endif
    barrier.wait(std::move(token));
    out[t] = stage[31 - t];  // @read
}
