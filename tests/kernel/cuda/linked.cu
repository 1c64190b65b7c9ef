// A stack of buffers: one block fills buffers and pushes them, another takes all and follows the pointers.
#include <cuda/atomic>

struct Node {
    int value;
    Node* next;
};

#ifdef RELAXED
constexpr auto pushing = cuda::std::memory_order_relaxed;
#else
constexpr auto pushing = cuda::std::memory_order_release;
#endif

extern "C" __global__ void linked(Node* pool, Node** head, int* out) {
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<Node*, cuda::thread_scope_device> top(*head);
    if (blockIdx.x == 0) {
        for (int i = 0; i < 2; ++i) {
            Node* node = &pool[i];
            node->value = 7 + i;  // @fill
            Node* below = top.load(cuda::std::memory_order_relaxed);
            do node->next = below;  // @link
            while (!top.compare_exchange_weak(below, node, pushing, cuda::std::memory_order_relaxed));
        }
    } else {
        int sum = 0;
        for (const Node* node = top.exchange(nullptr, cuda::std::memory_order_acquire); node; node = node->next)  // @follow
            sum += node->value;  // @read
        *out = sum;
    }
}
