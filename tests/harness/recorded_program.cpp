// A program that launches kernels through the driver, for tests of `litmus record`. usage: recorded_program WAY [IMAGE [NAME]]
//
// WAY is how it finds the driver and what it does: `linked` by dlsym alone, `runtime` as the CUDA runtime, through cuGetProcAddress, a
// library and a wrapped fatbin; `kernel` the same with the kernel in place of its function; `enumerated` with all kernels of the library;
// `file` from a file; `hidden` by a way that is not recorded, of an image that the program itself has; `extra` with the parameters in one
// buffer; `cluster`, `cooperative`, `thread` (a stream of the thread's own), `node` and `any_node` (of a graph), `captured`, `mapped` (a
// tensor map), `table` (the first address is that of a table, which leads to `in`), `columns` (one by im2col, whose address is replaced),
// `often` (20 launches), `inside` (an address in the middle of a large allocation), `next` (what dlsym finds behind the program),
// `nothing`, `failing`.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#undef cuGetProcAddress

// As nvcc puts it there.
asm(".section .nv_fatbin, \"a\"\n.balign 8\n.incbin \"" RECORDED_FATBIN "\"\n.previous\n");

namespace {

struct Driver {
    explicit Driver(bool by_runtime) : library(dlopen("libcuda.so.1", RTLD_NOW)) {
        if (library == nullptr) std::abort();
        if (by_runtime) ask = reinterpret_cast<decltype(ask)>(dlsym(library, "cuGetProcAddress_v2"));
    }

    // `exported`: the name that the library has for it, where it differs.
    template <typename Function>
    Function* find(const char* name, const char* exported = nullptr, cuuint64_t flags = 0) const {
        void* found = nullptr;
        if (ask != nullptr)
            ask(name, &found, 12040, flags, nullptr);
        else
            found = dlsym(library, exported != nullptr ? exported : name);
        if (found == nullptr) std::abort();
        return reinterpret_cast<Function*>(found);
    }

    void* library;
    CUresult (*ask)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*) = nullptr;
};

void check(CUresult result) {
    if (result != CUDA_SUCCESS) std::abort();
}

CUdeviceptr allocate(const Driver& driver, size_t bytes) {
    CUdeviceptr address = 0;
    check(driver.find<CUresult(CUdeviceptr*, size_t)>("cuMemAlloc", "cuMemAlloc_v2")(&address, bytes));
    std::vector<uint32_t> words(bytes / 4);
    for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i);
    check(driver.find<CUresult(CUdeviceptr, const void*, size_t)>("cuMemcpyHtoD", "cuMemcpyHtoD_v2")(address, words.data(), bytes));
    return address;
}

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

CUfunction function_of(const Driver& driver, const std::string& way, const char* path, const std::string& image, const char* name) {
    CUfunction function = nullptr;
    if (way == "hidden") return reinterpret_cast<CUfunction (*)(const char*)>(dlsym(driver.library, "fake_function"))(name);
    if (way == "file") {
        CUmodule module = nullptr;
        check(driver.find<decltype(cuModuleLoad)>("cuModuleLoad")(&module, path));
        check(driver.find<decltype(cuModuleGetFunction)>("cuModuleGetFunction")(&function, module, name));
        return function;
    }
    if (driver.ask == nullptr) {
        CUmodule module = nullptr;
        check(driver.find<decltype(cuModuleLoadData)>("cuModuleLoadData")(&module, image.c_str()));
        check(driver.find<decltype(cuModuleGetFunction)>("cuModuleGetFunction")(&function, module, name));
        return function;
    }
    struct Wrapper {
        uint32_t magic, version;
        const void* data;
        const void* name;
    };
    const Wrapper wrapper{0x466243B1, 1, image.data(), nullptr};
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    check(driver.find<decltype(cuLibraryLoadData)>("cuLibraryLoadData")(&library, &wrapper, nullptr, nullptr, 0, nullptr, nullptr, 0));
    if (way == "enumerated") {
        check(driver.find<decltype(cuLibraryEnumerateKernels)>("cuLibraryEnumerateKernels")(&kernel, 1, library));
        return reinterpret_cast<CUfunction>(kernel);
    }
    check(driver.find<decltype(cuLibraryGetKernel)>("cuLibraryGetKernel")(&kernel, library, name));
    if (way == "kernel") return reinterpret_cast<CUfunction>(kernel);
    check(driver.find<decltype(cuKernelGetFunction)>("cuKernelGetFunction")(&function, kernel));
    return function;
}

using Launch = decltype(cuLaunchKernel);

}  // namespace

int main(int count, char** words) {
    const std::string way = words[1];
    if (way == "nothing") return 0;
    if (way == "next") {
        Dl_info where{};
        std::printf("%s\n", dladdr(dlsym(RTLD_NEXT, "dlsym"), &where) != 0 ? where.dli_fname : "nowhere");
        return 0;
    }
    const Driver driver(way != "linked");
    if (way == "failing") return 3;
    const std::string image = count > 2 ? contents(words[2]) : "";
    const CUfunction function = function_of(driver, way, words[2], image, count > 3 ? words[3] : "ring");
    constexpr size_t bytes = 384;  // 96 numbers
    const bool inside = way == "inside";
    constexpr size_t large = size_t{4} << 20U, middle = size_t{2} << 20U;
    CUdeviceptr in = inside ? allocate(driver, large) + middle : allocate(driver, bytes),
                out = inside ? in + bytes : allocate(driver, bytes);
    if (way == "table") {
        const CUdeviceptr table = allocate(driver, 32), words[] = {7, in + 8};
        check(driver.find<CUresult(CUdeviceptr, const void*, size_t)>("cuMemcpyHtoD", "cuMemcpyHtoD_v2")(table, words, sizeof words));
        in = table;
    }
    int32_t tiles = 3;
    void* parameters[] = {&in, &out, &tiles};
    const auto launch = driver.find<Launch>("cuLaunchKernel");
    if (way == "extra") {
        struct {
            CUdeviceptr in, out;
            int32_t tiles;
        } buffer{in, out, tiles};
        size_t size = 20;
        void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
        check(launch(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
    } else if (way == "cluster") {
        CUlaunchAttribute attribute{};
        attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute.value.clusterDim.x = 2;
        attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
        const CUlaunchConfig config{4, 1, 1, 64, 1, 1, 512, nullptr, &attribute, 1};
        check(driver.find<decltype(cuLaunchKernelEx)>("cuLaunchKernelEx")(&config, function, parameters, nullptr));
    } else if (way == "cooperative") {
        check(driver.find<decltype(cuLaunchCooperativeKernel)>("cuLaunchCooperativeKernel")(function, 1, 1, 1, 64, 1, 1, 0, nullptr,
                                                                                            parameters));
    } else if (way == "thread") {
        const auto own = driver.find<Launch>("cuLaunchKernel", nullptr, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
        check(own(function, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
    } else if (way == "node") {
        CUDA_KERNEL_NODE_PARAMS node{};
        node.func = function;
        node.gridDimX = node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
        node.blockDimX = 64;
        node.kernelParams = parameters;
        check(driver.find<decltype(cuGraphAddKernelNode)>("cuGraphAddKernelNode")(nullptr, nullptr, nullptr, 0, &node));
    } else if (way == "any_node") {
        CUgraphNodeParams node{};
        node.type = CU_GRAPH_NODE_TYPE_KERNEL;
        node.kernel.func = function;
        node.kernel.gridDimX = node.kernel.gridDimY = node.kernel.gridDimZ = node.kernel.blockDimY = node.kernel.blockDimZ = 1;
        node.kernel.blockDimX = 64;
        node.kernel.kernelParams = parameters;
        check(driver.find<decltype(cuGraphAddNode)>("cuGraphAddNode")(nullptr, nullptr, nullptr, nullptr, 0, &node));
    } else if (way == "captured") {
        check(driver.find<decltype(cuStreamBeginCapture)>("cuStreamBeginCapture")(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL));
        check(launch(function, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
    } else if (way == "mapped" || way == "columns") {
        CUtensorMap map{};
        const cuuint64_t sizes[] = {8, 12, 2}, strides[] = {32, 384};
        const cuuint32_t box[] = {8, 4}, steps[] = {1, 1, 1};
        const int lower[] = {-1}, upper[] = {1};
        if (way == "mapped") {
            check(driver.find<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled")(
                &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, reinterpret_cast<void*>(in), sizes, strides, box, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
        } else {
            check(driver.find<decltype(cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col")(
                &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 3, reinterpret_cast<void*>(out), sizes, strides, lower, upper, 8, 16, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
            check(driver.find<decltype(cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress")(&map, reinterpret_cast<void*>(in)));
        }
        void* mapped[] = {&map, &out};
        CUDA_KERNEL_NODE_PARAMS node{};
        node.func = function;
        node.gridDimX = node.gridDimY = node.gridDimZ = node.blockDimX = node.blockDimY = node.blockDimZ = 1;
        node.kernelParams = mapped;
        check(driver.find<decltype(cuGraphAddKernelNode)>("cuGraphAddKernelNode")(nullptr, nullptr, nullptr, 0, &node));
    } else {
        for (int i = 0; i < (way == "often" ? 20 : 1); ++i) {
            tiles = way == "often" ? i + 1 : 3;
            check(launch(function, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
        }
    }
    std::printf("%d launches\n", reinterpret_cast<int (*)()>(dlsym(driver.library, "fake_launches"))());
    return 0;
}
