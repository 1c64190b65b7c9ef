// Launches by the CUDA runtime: plainly, with a struct, in a cluster, cooperatively.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels.cuh"

int main() {
    constexpr int count = 2 * width;
    std::vector<int> numbers(count);
    for (int i = 0; i < count; ++i) numbers[i] = i;
    int *in = nullptr, *out = nullptr;
    CHECK(cudaMalloc(&in, count * sizeof(int)));
    CHECK(cudaMalloc(&out, count * sizeof(int)));
    CHECK(cudaMemcpy(in, numbers.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    shift<<<2, width>>>(in, out, 3);
    shift_job<<<2, width>>>({in, out, 3});

    cudaLaunchConfig_t config{};
    config.gridDim = 2;
    config.blockDim = width;
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 2;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.attrs = &cluster;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, shift, static_cast<const int*>(in), out, 3));

    int add = 3;
    void* arguments[] = {&in, &out, &add};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(shift), dim3(2), dim3(width), arguments, 0, nullptr));
    CHECK(cudaMemcpy(numbers.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("out[0] is %d\n", numbers[0]);
    return numbers[0] == 36 ? 0 : 1;
}
