// A tensor map that each block makes of one that it was given: in shared memory, with another address and another width, and then in global
// memory, where the copy finds it. Each macro spoils one thing.
#include <cstdint>
#include <cuda.h>

constexpr int side = 16;  // of a box

__device__ uint32_t shared(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

extern "C" __global__ void tensor_map(const __grid_constant__ CUtensorMap given, CUtensorMap* maps, const int* in, int* out) {
    __shared__ alignas(128) int box[side * side];
    __shared__ alignas(128) uint64_t own[16];
    __shared__ uint64_t full;
    const int lane = threadIdx.x;
    CUtensorMap* const map = maps + blockIdx.x;
    if (lane < 16) own[lane] = reinterpret_cast<const uint64_t*>(&given)[lane];
    if (lane == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full)));
    __syncwarp();
    if (lane == 0) {
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(shared(own)), "l"(in) : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(shared(own)), "r"(2 * side) : "memory");
        asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(shared(own)), "l"(8ULL * side) : "memory");
    }
    __syncwarp();
#ifdef UNRELEASED
    if (lane < 16) reinterpret_cast<uint64_t*>(map)[lane] = own[lane];
    __syncwarp();
#else
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(map),
                 "r"(shared(own))
                 : "memory");
#endif
    if (lane == 0) {
#ifndef UNACQUIRED
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
#endif
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full)), "r"(4 * side * side));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared(box)),
                     "l"(map), "r"(side), "r"(0), "r"(shared(&full))
                     : "memory");
    }
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(shared(&full)) : "memory");
    for (int i = lane; i < side * side; i += 32) out[blockIdx.x * side * side + i] = box[i];
}
