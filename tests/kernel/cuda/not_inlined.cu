// A message from one block to another, sent and received by functions that are called.
__device__ __noinline__ void send(int* data, unsigned* ready, int value) {
    *data = value;  // @write
#ifndef UNFENCED
    __threadfence();
#endif
    atomicExch(ready, 1);
}

__device__ __noinline__ int receive(const int* data, unsigned* ready) {
    while (*static_cast<volatile unsigned*>(ready) == 0) {}  // @spin
    __threadfence();
    return *data;  // @read
}

extern "C" __global__ void not_inlined(int* data, unsigned* ready, int* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0)
        send(data, ready, 42);
    else
        *out = receive(data, ready);
}
