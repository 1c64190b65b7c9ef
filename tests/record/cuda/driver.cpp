// A launch by the driver API, linked with libcuda. usage: driver IMAGE (PTX, a cubin or a fatbin of kernels.cuh)
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                         \
    do {                                                                                    \
        if (const CUresult result = (call); result != CUDA_SUCCESS) {                       \
            std::printf("%s:%d: error %d\n", __FILE__, __LINE__, static_cast<int>(result)); \
            return 1;                                                                       \
        }                                                                                   \
    } while (false)

int main(int, char** words) {
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUdeviceptr in = 0, out = 0;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoad(&module, words[1]));
    CHECK(cuModuleGetFunction(&function, module, "_Z5shiftPKiPii"));
    CHECK(cuMemAlloc(&in, 512));
    CHECK(cuMemAlloc(&out, 512));
    CHECK(cuMemsetD8(in, 0, 512));
    struct {
        CUdeviceptr in, out;
        int add;
    } buffer{in, out, 3};
    size_t bytes = 20;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
    int first = 0;
    CHECK(cuMemcpyDtoH(&first, out, sizeof first));
    std::printf("out[0] is %d\n", first);
    return first == 3 ? 0 : 1;
}
