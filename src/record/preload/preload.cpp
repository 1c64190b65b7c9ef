// The functions of the CUDA driver that a recorded program finds in place of the driver's own. Each notes what it is asked for and passes
// it on.
//
// A program finds the driver in one of three ways. One that is linked with libcuda finds these functions, because this library is loaded
// before. The CUDA runtime opens libcuda.so.1 and asks dlsym for cuGetProcAddress, and that for everything else: both are answered here.
// Functions have the names that libcuda exports: _v2 is a newer form, _ptsz one whose stream 0 is that of the thread.
#include <cuda.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "record/preload/driver.h"
#include "record/preload/recorder.h"

// <cuda.h> gives these names to newer forms; here each form is spelled out.
#undef cuGetProcAddress
#undef cuGraphAddKernelNode
#undef cuGraphAddNode

#define EXPORTED extern "C" __attribute__((visibility("default")))

using litmus::record::driver_symbol;
using litmus::record::LaunchRequest;
using litmus::record::pass;
using litmus::record::real_dlsym;
using litmus::record::recorder;
using litmus::record::TensorMap;

namespace {

// Stream 0, where it is that of the thread.
CUstream of_thread(CUstream stream) {
    return stream == nullptr ? CU_STREAM_PER_THREAD : stream;
}

LaunchRequest request_of(const char* call, const CUlaunchConfig& config, const void* function, void** parameters, void** extra) {
    LaunchRequest request;
    request.call = call;
    request.function = function;
    request.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
    request.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
    request.shared_bytes = config.sharedMemBytes;
    request.parameters = parameters;
    request.extra = extra;
    request.stream = config.hStream;
    for (unsigned i = 0; i < config.numAttrs; ++i) {
        const CUlaunchAttribute& attribute = config.attrs[i];
        if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            request.cluster = {attribute.value.clusterDim.x, attribute.value.clusterDim.y, attribute.value.clusterDim.z};
    }
    return request;
}

// Of both forms of CUDA_KERNEL_NODE_PARAMS: the newer has more at its end.
template <typename Node>
LaunchRequest request_of_node(const Node& node, const void* function) {
    LaunchRequest request;
    request.call = "cuGraphAddKernelNode";
    request.function = function;
    request.grid = {node.gridDimX, node.gridDimY, node.gridDimZ};
    request.block = {node.blockDimX, node.blockDimY, node.blockDimZ};
    request.shared_bytes = node.sharedMemBytes;
    request.parameters = node.kernelParams;
    request.extra = node.extra;
    request.is_node = true;
    return request;
}

#if CUDA_VERSION >= 12030
void record_node(const CUgraphNodeParams& asked) {
    if (asked.type != CU_GRAPH_NODE_TYPE_KERNEL) return;
    const void* const kernel = asked.kernel.kern;
    LaunchRequest request = request_of_node(asked.kernel, asked.kernel.func != nullptr ? asked.kernel.func : kernel);
    request.call = "cuGraphAddNode";
    recorder().launch(request);
}
#endif

TensorMap map_of(CUtensorMapDataType type, cuuint32_t rank, const void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                 const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                 CUtensorMapFloatOOBfill fill) {
    TensorMap map;
    map.type = static_cast<uint32_t>(type);
    map.address = reinterpret_cast<uintptr_t>(address);
    map.sizes.assign(sizes, sizes + rank);
    map.strides.assign(strides, strides + (rank - 1));
    map.steps.assign(steps, steps + rank);
    map.interleave = static_cast<uint32_t>(interleave);
    map.swizzle = static_cast<uint32_t>(swizzle);
    map.promotion = static_cast<uint32_t>(promotion);
    map.fill = static_cast<uint32_t>(fill);
    return map;
}

// `version`: of CUDA; newer forms are for newer programs. The largest: whatever form has that name.
constexpr int any_version = std::numeric_limits<int>::max();
void* function_in_place_of(std::string_view name, int version = any_version);

// What cuGetProcAddress gives for a name is the newest form that the program's version of CUDA has.
void* answer(const char* symbol, int version, cuuint64_t flags, void* found) {
    recorder().opened_driver();
    const std::string name = symbol;
    if (void* const newer = function_in_place_of(name + "_v2", version)) return newer;
    if ((flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0)
        if (void* const other = function_in_place_of(name + "_ptsz")) return other;
    void* const plain = function_in_place_of(name);
    return plain != nullptr ? plain : found;
}

}  // namespace

// ---- launches ------------------------------------------------------------------------------------------------------------------------

EXPORTED CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared, CUstream stream, void** parameters, void** extra) {
    const CUlaunchConfig config{grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, nullptr, 0};
    recorder().launch(request_of("cuLaunchKernel", config, function, parameters, extra));
    return pass("cuLaunchKernel", function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, extra);
}

EXPORTED CUresult cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                      unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** parameters,
                                      void** extra) {
    const CUlaunchConfig config{grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, of_thread(stream), nullptr, 0};
    recorder().launch(request_of("cuLaunchKernel", config, function, parameters, extra));
    return pass("cuLaunchKernel_ptsz", function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, extra);
}

EXPORTED CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
    recorder().launch(request_of("cuLaunchKernelEx", *config, function, parameters, extra));
    return pass("cuLaunchKernelEx", config, function, parameters, extra);
}

EXPORTED CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
    LaunchRequest request = request_of("cuLaunchKernelEx", *config, function, parameters, extra);
    request.stream = of_thread(request.stream);
    recorder().launch(request);
    return pass("cuLaunchKernelEx_ptsz", config, function, parameters, extra);
}

EXPORTED CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                            unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** parameters) {
    const CUlaunchConfig config{grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, nullptr, 0};
    recorder().launch(request_of("cuLaunchCooperativeKernel", config, function, parameters, nullptr));
    return pass("cuLaunchCooperativeKernel", function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters);
}

EXPORTED CUresult cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                                 unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** parameters) {
    const CUlaunchConfig config{grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, of_thread(stream), nullptr, 0};
    recorder().launch(request_of("cuLaunchCooperativeKernel", config, function, parameters, nullptr));
    return pass("cuLaunchCooperativeKernel_ptsz", function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters);
}

EXPORTED CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                                       const CUDA_KERNEL_NODE_PARAMS_v1* asked) {
    recorder().launch(request_of_node(*asked, asked->func));
    return pass("cuGraphAddKernelNode", node, graph, before, count, asked);
}

EXPORTED CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count,
                                          const CUDA_KERNEL_NODE_PARAMS_v2* asked) {
    const void* const kernel = asked->kern;
    recorder().launch(request_of_node(*asked, asked->func != nullptr ? asked->func : kernel));
    return pass("cuGraphAddKernelNode_v2", node, graph, before, count, asked);
}

#if CUDA_VERSION >= 12030
EXPORTED CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t count, CUgraphNodeParams* asked) {
    record_node(*asked);
    return pass("cuGraphAddNode", node, graph, before, count, asked);
}

EXPORTED CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, const CUgraphEdgeData* edges, size_t count,
                                    CUgraphNodeParams* asked) {
    record_node(*asked);
    return pass("cuGraphAddNode_v2", node, graph, before, edges, count, asked);
}
#endif

// ---- modules and libraries -----------------------------------------------------------------------------------------------------------

EXPORTED CUresult cuModuleLoad(CUmodule* module, const char* path) {
    const CUresult result = pass("cuModuleLoad", module, path);
    if (result == CUDA_SUCCESS) recorder().loaded_file(*module, path);
    return result;
}

EXPORTED CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    const CUresult result = pass("cuModuleLoadData", module, image);
    if (result == CUDA_SUCCESS) recorder().loaded(*module, image);
    return result;
}

EXPORTED CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values) {
    const CUresult result = pass("cuModuleLoadDataEx", module, image, count, options, values);
    if (result == CUDA_SUCCESS) recorder().loaded(*module, image);
    return result;
}

EXPORTED CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
    const CUresult result = pass("cuModuleLoadFatBinary", module, image);
    if (result == CUDA_SUCCESS) recorder().loaded(*module, image);
    return result;
}

EXPORTED CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* jit, void** jit_values, unsigned jit_count,
                                    CUlibraryOption* options, void** values, unsigned count) {
    const CUresult result = pass("cuLibraryLoadData", library, image, jit, jit_values, jit_count, options, values, count);
    if (result == CUDA_SUCCESS) recorder().loaded(*library, image);
    return result;
}

EXPORTED CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option* jit, void** jit_values, unsigned jit_count,
                                        CUlibraryOption* options, void** values, unsigned count) {
    const CUresult result = pass("cuLibraryLoadFromFile", library, path, jit, jit_values, jit_count, options, values, count);
    if (result == CUDA_SUCCESS) recorder().loaded_file(*library, path);
    return result;
}

EXPORTED CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
    const CUresult result = pass("cuLibraryGetModule", module, library);
    if (result == CUDA_SUCCESS) recorder().derived(*module, library);
    return result;
}

EXPORTED CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
    const CUresult result = pass("cuLibraryGetKernel", kernel, library, name);
    if (result == CUDA_SUCCESS) recorder().named(*kernel, library, name, true);
    return result;
}

EXPORTED CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library) {
    const CUresult result = pass("cuLibraryEnumerateKernels", kernels, count, library);
    for (unsigned i = 0; result == CUDA_SUCCESS && i < count; ++i) {
        const char* name = nullptr;
        if (pass("cuKernelGetName", &name, kernels[i]) == CUDA_SUCCESS && name != nullptr)
            recorder().named(kernels[i], library, name, true);
    }
    return result;
}

EXPORTED CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
    const CUresult result = pass("cuKernelGetFunction", function, kernel);
    if (result == CUDA_SUCCESS) recorder().derived(*function, kernel);
    return result;
}

EXPORTED CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    const CUresult result = pass("cuModuleGetFunction", function, module, name);
    if (result == CUDA_SUCCESS) recorder().named(*function, module, name, false);
    return result;
}

// ---- tensor maps ---------------------------------------------------------------------------------------------------------------------

EXPORTED CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                         const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* steps,
                                         CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                         CUtensorMapFloatOOBfill fill) {
    const CUresult result =
        pass("cuTensorMapEncodeTiled", map, type, rank, address, sizes, strides, box, steps, interleave, swizzle, promotion, fill);
    if (result != CUDA_SUCCESS) return result;
    TensorMap arguments = map_of(type, rank, address, sizes, strides, steps, interleave, swizzle, promotion, fill);
    arguments.box.assign(box, box + rank);
    recorder().encoded(*map, arguments);
    return result;
}

EXPORTED CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                          const cuuint64_t* sizes, const cuuint64_t* strides, const int* lower, const int* upper,
                                          cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps, CUtensorMapInterleave interleave,
                                          CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    const CUresult result = pass("cuTensorMapEncodeIm2col", map, type, rank, address, sizes, strides, lower, upper, channels, pixels, steps,
                                 interleave, swizzle, promotion, fill);
    if (result != CUDA_SUCCESS) return result;
    TensorMap arguments = map_of(type, rank, address, sizes, strides, steps, interleave, swizzle, promotion, fill);
    arguments.im2col = true;
    const cuuint32_t corners = rank - 2;  // all dimensions but the channels and the images
    arguments.lower.assign(lower, lower + corners);
    arguments.upper.assign(upper, upper + corners);
    arguments.channels = channels;
    arguments.pixels = pixels;
    recorder().encoded(*map, arguments);
    return result;
}

EXPORTED CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
    const CUtensorMap before = *map;
    const CUresult result = pass("cuTensorMapReplaceAddress", map, address);
    if (result == CUDA_SUCCESS) recorder().moved(before, *map, reinterpret_cast<uintptr_t>(address));
    return result;
}

// ---- how they are found --------------------------------------------------------------------------------------------------------------

EXPORTED CUresult cuGetProcAddress(const char* symbol, void** found, int version, cuuint64_t flags) {
    const CUresult result = pass("cuGetProcAddress", symbol, found, version, flags);
    if (result == CUDA_SUCCESS && found != nullptr && *found != nullptr) *found = answer(symbol, version, flags, *found);
    return result;
}

EXPORTED CUresult cuGetProcAddress_v2(const char* symbol, void** found, int version, cuuint64_t flags,
                                      CUdriverProcAddressQueryResult* status) {
    const CUresult result = pass("cuGetProcAddress_v2", symbol, found, version, flags, status);
    if (result == CUDA_SUCCESS && found != nullptr && *found != nullptr) *found = answer(symbol, version, flags, *found);
    return result;
}

namespace {

struct Replacement {
    std::string_view name;
    void* function;
    int since = 0;  // the version of CUDA whose programs get this form
};

template <typename Function>
void* address(Function* function) {
    return reinterpret_cast<void*>(function);
}

void* function_in_place_of(std::string_view name, int version) {
    static const std::vector<Replacement> all = {
        {"cuLaunchKernel", address(cuLaunchKernel)},
        {"cuLaunchKernel_ptsz", address(cuLaunchKernel_ptsz)},
        {"cuLaunchKernelEx", address(cuLaunchKernelEx)},
        {"cuLaunchKernelEx_ptsz", address(cuLaunchKernelEx_ptsz)},
        {"cuLaunchCooperativeKernel", address(cuLaunchCooperativeKernel)},
        {"cuLaunchCooperativeKernel_ptsz", address(cuLaunchCooperativeKernel_ptsz)},
        {"cuGraphAddKernelNode", address(cuGraphAddKernelNode)},
        {"cuGraphAddKernelNode_v2", address(cuGraphAddKernelNode_v2), 12000},
        {"cuModuleLoad", address(cuModuleLoad)},
        {"cuModuleLoadData", address(cuModuleLoadData)},
        {"cuModuleLoadDataEx", address(cuModuleLoadDataEx)},
        {"cuModuleLoadFatBinary", address(cuModuleLoadFatBinary)},
        {"cuLibraryLoadData", address(cuLibraryLoadData)},
        {"cuLibraryLoadFromFile", address(cuLibraryLoadFromFile)},
        {"cuLibraryGetModule", address(cuLibraryGetModule)},
        {"cuLibraryGetKernel", address(cuLibraryGetKernel)},
        {"cuLibraryEnumerateKernels", address(cuLibraryEnumerateKernels)},
        {"cuKernelGetFunction", address(cuKernelGetFunction)},
        {"cuModuleGetFunction", address(cuModuleGetFunction)},
        {"cuTensorMapEncodeTiled", address(cuTensorMapEncodeTiled)},
        {"cuTensorMapEncodeIm2col", address(cuTensorMapEncodeIm2col)},
        {"cuTensorMapReplaceAddress", address(cuTensorMapReplaceAddress)},
        {"cuGetProcAddress", address(cuGetProcAddress)},
        {"cuGetProcAddress_v2", address(cuGetProcAddress_v2), 12000},
#if CUDA_VERSION >= 12030
        {"cuGraphAddNode", address(cuGraphAddNode)},
        {"cuGraphAddNode_v2", address(cuGraphAddNode_v2), 12030},
#endif
    };
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Replacement& one) { return one.name == name && version >= one.since; });
    return found != all.end() ? found->function : nullptr;
}

// A function of the driver that this handle has, too. Without the memory to record, nothing takes the place of anything.
void* replacement(void* handle, const char* name) noexcept {
    try {
        void* const function = function_in_place_of(name);
        if (function == nullptr || real_dlsym(handle, name) == nullptr) return nullptr;
        recorder().opened_driver();
        return function;
    } catch (const std::exception&) {
        return nullptr;
    }
}

// Where the program starts, before anything is launched.
__attribute__((constructor)) void begin() {
    recorder();
}

}  // namespace

// What is not the driver's is left to the system by a jump: it looks at who calls it where the handle is RTLD_NEXT.
EXPORTED void* dlsym(void* handle, const char* name) noexcept {
    if (std::strncmp(name, "cu", 2) == 0)
        if (void* const function = replacement(handle, name)) return function;
    return real_dlsym(handle, name);
}
