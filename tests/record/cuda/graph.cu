// Launches in graphs: captured from a stream, and added as a node.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "kernels.cuh"

int main() {
    int *in = nullptr, *out = nullptr;
    CHECK(cudaMalloc(&in, 2 * width * sizeof(int)));
    CHECK(cudaMalloc(&out, 2 * width * sizeof(int)));
    CHECK(cudaMemset(in, 0, 2 * width * sizeof(int)));
    cudaStream_t stream = nullptr;
    CHECK(cudaStreamCreate(&stream));
    cudaGraph_t captured = nullptr, built = nullptr;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    shift<<<2, width, 0, stream>>>(in, out, 3);
    CHECK(cudaStreamEndCapture(stream, &captured));

    CHECK(cudaGraphCreate(&built, 0));
    Job job{in, out, 3};
    void* arguments[] = {&job};
    cudaKernelNodeParams node{};
    node.func = reinterpret_cast<void*>(shift_job);
    node.gridDim = dim3(2);
    node.blockDim = dim3(width);
    node.kernelParams = arguments;
    cudaGraphNode_t added = nullptr;
    CHECK(cudaGraphAddKernelNode(&added, built, nullptr, 0, &node));
    for (cudaGraph_t graph : {captured, built}) {
        cudaGraphExec_t ready = nullptr;
        CHECK(cudaGraphInstantiate(&ready, graph, 0));
        CHECK(cudaGraphLaunch(ready, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    int first = 0;
    CHECK(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost));
    std::printf("out[0] is %d\n", first);
    return first == 3 ? 0 : 1;
}
