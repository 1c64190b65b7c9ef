// Threads put themselves in front of a list: each reads its head, and sets it if it is still that.
extern "C" __global__ void push(unsigned* head, unsigned* next) {
    const unsigned own = blockIdx.x * blockDim.x + threadIdx.x + 1;
    unsigned seen = *(volatile unsigned*)head;  // @look
    for (;;) {
        next[own - 1] = seen;
        const unsigned now = atomicCAS(head, seen, own);  // @set
        if (now == seen) break;
        seen = now;
    }
}
