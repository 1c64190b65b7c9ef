// A libcuda.so.1 without a device, for tests of `litmus record`: memory is the host's, kernels do nothing but to add 1 to the first word
// that their first parameter points to, so that what was recorded before a launch differs from what is there after it.
//
// What the environment asks of it: FAKE_OLD (it says neither names nor parameters of functions, as before CUDA 12.3).
#include <cuda.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string>

// <cuda.h> gives this name to a newer form
#undef cuGetProcAddress

namespace {

struct Function {
    std::string name;
};

struct State {
    std::map<CUdeviceptr, size_t> allocations;
    std::deque<Function> functions;
    bool capturing = false;
    int launches = 0;
};

State& state() {
    static State all;
    return all;
}

bool is_old() {
    return std::getenv("FAKE_OLD") != nullptr;
}

void execute(void** parameters) {
    ++state().launches;
    if (state().capturing) return;
    uint32_t* word = nullptr;
    std::memcpy(&word, parameters[0], sizeof word);
    ++*word;
}

CUfunction made(const char* name) {
    state().functions.push_back({name});
    return reinterpret_cast<CUfunction>(&state().functions.back());
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) {
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    *module = static_cast<CUmodule>(const_cast<void*>(image));
    return CUDA_SUCCESS;
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
    return cuModuleLoadData(module, path);
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
    *function = made(name);
    return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option*, void**, unsigned, CUlibraryOption*, void**, unsigned) {
    *library = static_cast<CUlibrary>(const_cast<void*>(image));
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary, const char* name) {
    *kernel = reinterpret_cast<CUkernel>(made(name));
    return CUDA_SUCCESS;
}

// Its only kernel.
CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary) {
    for (unsigned i = 0; i < count; ++i) kernels[i] = reinterpret_cast<CUkernel>(made("ring"));
    return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) {
    *name = reinterpret_cast<Function*>(kernel)->name.c_str();
    return CUDA_SUCCESS;
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
    *function = made(reinterpret_cast<Function*>(kernel)->name.c_str());
    return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
    *name = reinterpret_cast<Function*>(function)->name.c_str();
    return is_old() ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

// Two addresses and a number, as `ring` has; a kernel that is called `mapped` has a tensor map and an address.
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
    if (is_old()) return CUDA_ERROR_NOT_SUPPORTED;
    const bool mapped = reinterpret_cast<Function*>(function)->name == "mapped";
    if (index >= (mapped ? 2 : 3)) return CUDA_ERROR_INVALID_VALUE;
    *offset = mapped ? 128 * index : 8 * index;
    *bytes = mapped && index == 0 ? 128 : index == 2 ? 4 : 8;
    return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes) {
    return cuFuncGetParamInfo(reinterpret_cast<CUfunction>(kernel), index, offset, bytes);
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
    *address = reinterpret_cast<CUdeviceptr>(std::calloc(bytes, 1));
    state().allocations[*address] = bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
    for (const auto& [begin, size] : state().allocations)
        if (address >= begin && address - begin < size) {
            *base = begin;
            *bytes = size;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
    *context = reinterpret_cast<CUcontext>(&state());
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
    *stream = reinterpret_cast<CUstream>(&state().capturing);
    return flags == CU_STREAM_NON_BLOCKING ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    if (state().capturing || stream == nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode) {
    state().capturing = true;
    return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
    *status = state().capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream) {
    return state().capturing ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*) {
    return CUDA_SUCCESS;
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode*, CUgraph, const CUgraphNode*, size_t, const CUDA_KERNEL_NODE_PARAMS*) {
    ++state().launches;
    return CUDA_SUCCESS;
}

CUresult cuGraphAddNode_v2(CUgraphNode*, CUgraph, const CUgraphNode*, const CUgraphEdgeData*, size_t, CUgraphNodeParams* asked) {
    state().launches += asked->type == CU_GRAPH_NODE_TYPE_KERNEL ? 1 : 0;
    return CUDA_SUCCESS;
}

// The bytes of a map mean nothing here; two maps differ.
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* sizes,
                                const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    std::memset(map, 0x5a, sizeof *map);
    map->opaque[0] = reinterpret_cast<uintptr_t>(address) * 3;
    map->opaque[1] = static_cast<cuuint64_t>(type) * 8 + rank;
    map->opaque[2] = sizes[0];
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* sizes,
                                 const cuuint64_t* strides, const int*, const int*, cuuint32_t, cuuint32_t, const cuuint32_t* steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                 CUtensorMapFloatOOBfill fill) {
    return cuTensorMapEncodeTiled(map, type, rank, address, sizes, strides, nullptr, steps, interleave, swizzle, promotion, fill);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
    map->opaque[0] = reinterpret_cast<uintptr_t>(address) * 3;
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void** parameters,
                        void** extra) {
    if (parameters != nullptr) execute(parameters);
    return parameters != nullptr || extra != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLaunchKernel_ptsz(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void** parameters,
                             void**) {
    execute(parameters);
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig*, CUfunction, void** parameters, void**) {
    execute(parameters);
    return CUDA_SUCCESS;
}

CUresult cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                                   void** parameters) {
    execute(parameters);
    return CUDA_SUCCESS;
}

CUresult cuGetProcAddress_v2(const char* symbol, void** found, int version, cuuint64_t flags, CUdriverProcAddressQueryResult*);

// A kernel that came by a way of which nobody knows, as the runtime has some.
CUfunction fake_function(const char* name) {
    return made(name);
}

// How many launches have come through: the program asks at its end.
int fake_launches() {
    return state().launches;
}

}  // extern "C"

namespace {

struct Symbol {
    const char* name;
    void* function;
};

}  // namespace

extern "C" CUresult cuGetProcAddress_v2(const char* symbol, void** found, int version, cuuint64_t flags, CUdriverProcAddressQueryResult*) {
#define SYMBOL(name, function) \
    { name, reinterpret_cast<void*>(function) }
    const bool of_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
    const Symbol symbols[] = {
        SYMBOL("cuInit", cuInit),
        SYMBOL("cuModuleLoad", cuModuleLoad),
        SYMBOL("cuModuleLoadData", cuModuleLoadData),
        SYMBOL("cuModuleGetFunction", cuModuleGetFunction),
        SYMBOL("cuLibraryLoadData", cuLibraryLoadData),
        SYMBOL("cuLibraryGetKernel", cuLibraryGetKernel),
        SYMBOL("cuLibraryEnumerateKernels", cuLibraryEnumerateKernels),
        SYMBOL("cuKernelGetFunction", cuKernelGetFunction),
        SYMBOL("cuMemAlloc", cuMemAlloc_v2),
        SYMBOL("cuMemcpyHtoD", cuMemcpyHtoD_v2),
        SYMBOL("cuStreamBeginCapture", cuStreamBeginCapture_v2),
        SYMBOL("cuGraphAddKernelNode", version >= 12000 ? cuGraphAddKernelNode_v2 : nullptr),
        SYMBOL("cuGraphAddNode", version >= 12030 ? cuGraphAddNode_v2 : nullptr),
        SYMBOL("cuTensorMapEncodeTiled", cuTensorMapEncodeTiled),
        SYMBOL("cuTensorMapEncodeIm2col", cuTensorMapEncodeIm2col),
        SYMBOL("cuTensorMapReplaceAddress", cuTensorMapReplaceAddress),
        SYMBOL("cuLaunchKernel", of_thread ? cuLaunchKernel_ptsz : cuLaunchKernel),
        SYMBOL("cuLaunchKernelEx", cuLaunchKernelEx),
        SYMBOL("cuLaunchCooperativeKernel", cuLaunchCooperativeKernel),
        SYMBOL("cuGetProcAddress", cuGetProcAddress_v2),
    };
#undef SYMBOL
    for (const Symbol& one : symbols)
        if (std::strcmp(one.name, symbol) == 0 && one.function != nullptr) {
            *found = one.function;
            return CUDA_SUCCESS;
        }
    *found = nullptr;
    return CUDA_ERROR_NOT_FOUND;
}
