// A launch with a tensor map in its parameters, as cuTensorMapEncodeTiled encodes it.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdint>
#include <cstdlib>

#include "kernels.cuh"

__global__ void copy_tile(const __grid_constant__ CUtensorMap map, int* out) {
    __shared__ alignas(128) int tile[8 * 4];
    __shared__ uint64_t full;
    const auto bar = static_cast<uint32_t>(__cvta_generic_to_shared(&full)), to = static_cast<uint32_t>(__cvta_generic_to_shared(tile));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(bar) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                     "l"(&map), "r"(0), "r"(4), "r"(bar)
                     : "memory");
    }
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(bar) : "memory");
    out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
    int host[8 * 12], *in = nullptr, *out = nullptr;
    for (int i = 0; i < 8 * 12; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status{};
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status));
    CUtensorMap map{};
    const cuuint64_t sizes[] = {8, 12}, strides[] = {32};
    const cuuint32_t box[] = {8, 4}, steps[] = {1, 1};
    CHECK(reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found)(
        &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    copy_tile<<<1, 32>>>(map, out);
    int first = 0;
    CHECK(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost));
    std::printf("out[0] is %d\n", first);
    return first == 32 ? 0 : 1;
}
