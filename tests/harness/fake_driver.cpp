// A libcuda.so.1 without a device, for tests of the harness: memory is the host's, kernels do nothing, but litmus_tally counts.
//
// What the environment asks of it: FAKE_INIT (what cuInit returns), FAKE_COUNT (devices), FAKE_DRIVER (its CUDA version),
// FAKE_SM, FAKE_SM_OF_1 (of the second device), FAKE_PEERS, FAKE_ATOMICS (whether devices reach one another's memory, and with atomic
// operations); FAKE_HANG, FAKE_FAIL, FAKE_CRASH (the launch of litmus_test in this process, from 1, that does not end, fails with
// FAKE_CODE, or aborts the process); FAKE_IN (only launches of these tests count there: names between commas); FAKE_LOST (a file that a
// fault makes, and that ends cuInit for this process and others). Each launch of n instances ends as all zeros, but n / 100000 of them as
// (1, 0, ...), 100 times as many with start skew. It checks what the kernels rely on, and ends the process where that does not hold.
#include <cuda.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr unsigned entries = 4096;  // of the histogram (emit.h)

struct FakeModule {
    std::string ptx;
    CUcontext context;
};

struct FakeKernel {
    const FakeModule* module;
    std::string name;
};

struct State {
    std::deque<FakeModule> modules;
    std::deque<FakeKernel> kernels;
    int launches = 0;  // those that FAKE_IN asks for
    bool hung = false;
    CUresult fault = CUDA_SUCCESS;  // of a kernel: stays until the process ends
    bool traffic = false;           // until the stop word is set
    CUcontext current = nullptr;    // one for each device: its number + 1
    std::vector<uint32_t> gpus;     // that litmus_test was launched as since litmus_init
};

State& state() {
    static State all;
    return all;
}

int asked(const char* name, int otherwise) {
    const char* value = std::getenv(name);
    return value ? std::atoi(value) : otherwise;
}

// The number of a kernel's parameter, from its signature.
size_t index_of(const FakeKernel& kernel, const std::string& parameter) {
    const size_t start = kernel.module->ptx.find(".entry " + kernel.name + "("), end = kernel.module->ptx.find('{', start);
    size_t index = 0;
    for (size_t at = kernel.module->ptx.find(".param ", start); at < end; at = kernel.module->ptx.find(".param ", at + 1), ++index) {
        const size_t name = kernel.module->ptx.find(' ', at + 7) + 1;
        const size_t stop = kernel.module->ptx.find_first_of(",) \n", name);
        if (kernel.module->ptx.substr(name, stop - name) == parameter) return index;
    }
    std::fprintf(stderr, "fake driver: %s has no parameter %s\n", kernel.name.c_str(), parameter.c_str());
    std::abort();
}

template <typename T>
T argument(const FakeKernel& kernel, void** arguments, const std::string& parameter) {
    T value;
    std::memcpy(&value, arguments[index_of(kernel, parameter)], sizeof value);
    return value;
}

void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fake driver: %s\n", what);
    std::abort();
}

bool is_in_asked(const FakeModule& module) {
    const char* names = std::getenv("FAKE_IN");
    if (!names) return true;
    const size_t start = module.ptx.find("Test \"") + 6;
    const std::string name = module.ptx.substr(start, module.ptx.find('"', start) - start);
    return ("," + std::string(names) + ",").find("," + name + ",") != std::string::npos;
}

CUresult fault(CUresult code) {
    state().fault = code;
    if (const char* lost = std::getenv("FAKE_LOST")) std::ofstream(lost) << "lost\n";
    return code;
}

// What happens instead of a launch of a test.
CUresult mishap(const FakeKernel& kernel) {
    if (!is_in_asked(*kernel.module)) return CUDA_SUCCESS;
    const int launch = ++state().launches;
    if (launch == asked("FAKE_CRASH", 0)) std::abort();
    state().hung = launch == asked("FAKE_HANG", 0);
    if (launch != asked("FAKE_FAIL", 0)) return CUDA_SUCCESS;
    const auto code = static_cast<CUresult>(asked("FAKE_CODE", 0));
    return code >= 715 ? fault(code) : code;
}

void wait_if_hung() {
    while (state().hung) pause();
}

void check_test(const FakeKernel& k, const CUlaunchConfig& config, void** a) {
    const auto instances = argument<uint32_t>(k, a, "instances"), rounds = argument<uint32_t>(k, a, "rounds");
    const auto mask = argument<uint32_t>(k, a, "mask"), apart = argument<uint32_t>(k, a, "apart");
    expect(instances > 0 && instances % 32 == 0 && instances % rounds == 0, "instances come in warps and rounds");
    expect((mask & (mask + 1)) == 0 && mask + 1 >= instances, "there is a power of two of slots, enough for all instances");
    expect((argument<uint32_t>(k, a, "scatter") & 1) == 1, "scatter is odd");
    expect(argument<uint64_t>(k, a, "pitch") % 128 == 0, "locations start at a multiple of 128 bytes");
    expect(argument<uint64_t>(k, a, "pitch") >= uint64_t{argument<uint32_t>(k, a, "stride")} * (mask + 1), "slots fit their region");
    expect(apart > 0 && config.gridDimX % apart == 0, "apart divides the grid");
    expect(config.blockDimX % 32 == 0 && config.blockDimX <= 1024, "CTAs are whole warps, 32 at most");
}

// A test for N GPUs runs once on each of N devices.
void check_gpus(const FakeModule& module) {
    const size_t at = module.ptx.find("litmus_test on ");
    const size_t wanted = at == std::string::npos ? 1 : std::strtoul(module.ptx.c_str() + at + 15, nullptr, 10);
    std::vector<uint32_t> all(wanted);
    for (size_t g = 0; g < wanted; ++g) all[g] = static_cast<uint32_t>(g);
    expect(state().gpus == all, "every GPU of the test has run it, once");
    state().gpus.clear();
}

// Entries are as long as the text says where it names what lies behind them.
void tally(const FakeKernel& k, void** a) {
    const size_t at = k.module->ptx.find("[$histogram+");
    const size_t words = std::strtoul(k.module->ptx.c_str() + at + 12, nullptr, 10) / entries / 8;
    auto* histogram = reinterpret_cast<uint64_t*>(argument<uint64_t>(k, a, "histogram"));
    const auto instances = argument<uint32_t>(k, a, "instances");
    const uint64_t weak = uint64_t{instances} * (argument<uint32_t>(k, a, "skew") > 0 ? 100 : 1) / 100000;
    histogram[0] = 2;
    histogram[1] += words > 2 ? instances - weak : instances;
    if (words <= 2 || weak == 0) return;
    histogram[words] = 3;
    histogram[words + 1] += weak;
    histogram[words + 2] = 1;
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) {
    if (const char* lost = std::getenv("FAKE_LOST"); lost && access(lost, F_OK) == 0) return CUDA_ERROR_NO_DEVICE;
    return static_cast<CUresult>(asked("FAKE_INIT", 0));
}

CUresult cuDriverGetVersion(int* version) {
    *version = asked("FAKE_DRIVER", 13000);
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult code, const char** name) {
    *name = code == CUDA_ERROR_NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : code == CUDA_ERROR_LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : "OTHER";
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult, const char** text) {
    *text = "a text";
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
    *count = asked("FAKE_COUNT", 1);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int size, CUdevice) {
    std::snprintf(name, static_cast<size_t>(size), "Fake GPU");
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
    const int sm = asked(device == 1 ? "FAKE_SM_OF_1" : "FAKE_SM", 90);
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? sm / 10
             : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? sm % 10
             : which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT     ? 132
                                                                     : 232448;
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
    *bytes = size_t{1} << 30;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    *context = reinterpret_cast<CUcontext>(static_cast<uintptr_t>(device) + 1);
    return state().fault;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
    state().current = context;
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* possible, CUdevice own, CUdevice other) {
    expect(own != other, "a device is no peer of its own");
    *possible = asked("FAKE_PEERS", 1);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute which, CUdevice, CUdevice) {
    *value = which == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED ? asked("FAKE_ATOMICS", 1) : 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned) {
    expect(peer != state().current, "a device reaches its own memory anyway");
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* text, unsigned, CUjit_option*, void**) {
    if (state().fault != CUDA_SUCCESS) return state().fault;
    state().modules.push_back({static_cast<const char*>(text), state().current});
    *module = reinterpret_cast<CUmodule>(&state().modules.back());
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule) {
    wait_if_hung();
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    state().kernels.push_back({reinterpret_cast<FakeModule*>(module), name});
    *function = reinterpret_cast<CUfunction>(&state().kernels.back());
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
    *address = reinterpret_cast<CUdeviceptr>(std::calloc(bytes, 1));
    return *address != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
    wait_if_hung();
    std::free(reinterpret_cast<void*>(address));
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
    wait_if_hung();
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
    wait_if_hung();
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemsetD8_v2(CUdeviceptr address, unsigned char byte, size_t bytes) {
    std::memset(reinterpret_cast<void*>(address), byte, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemsetD32Async(CUdeviceptr address, unsigned word, size_t words, CUstream) {
    state().traffic = false;
    std::fill_n(reinterpret_cast<uint32_t*>(address), words, word);
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
    expect(flags == CU_STREAM_NON_BLOCKING, "the traffic's stream does not wait for the other");
    *stream = reinterpret_cast<CUstream>(&state());
    return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream) {
    return state().hung || (stream && state().traffic) ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int threads, size_t) {
    *blocks = std::min(32, 2048 / threads);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction, const CUlaunchConfig* config) {
    *clusters = static_cast<int>(132 * std::min(32U, 2048 / config->blockDimX) / config->attrs->value.clusterDim.x);
    return CUDA_SUCCESS;
}

// What the page of the driver asks of a map: a multiple of 16 for the address and the strides, boxes of at most 256 elements.
CUresult cuTensorMapEncodeTiled(CUtensorMap*, CUtensorMapDataType, cuuint32_t rank, void* address, const cuuint64_t* sizes,
                                const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* steps, CUtensorMapInterleave,
                                CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    bool right = rank >= 1 && rank <= 5 && reinterpret_cast<uintptr_t>(address) % 16 == 0;
    for (cuuint32_t d = 0; d < rank; ++d) right = right && sizes[d] > 0 && box[d] > 0 && box[d] <= 256 && steps[d] == 1;
    for (cuuint32_t d = 0; d + 1 < rank; ++d) right = right && strides[d] % 16 == 0;
    return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// The same of a map of columns, whose tensor has at least three dimensions: at most 256 channels and 1024 pixels, a box that is not empty.
CUresult cuTensorMapEncodeIm2col(CUtensorMap*, CUtensorMapDataType, cuuint32_t rank, void* address, const cuuint64_t* sizes,
                                 const cuuint64_t* strides, const int* lower, const int* upper, cuuint32_t channels, cuuint32_t pixels,
                                 const cuuint32_t* steps, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill) {
    bool right = rank >= 3 && rank <= 5 && reinterpret_cast<uintptr_t>(address) % 16 == 0;
    right = right && channels > 0 && channels <= 256 && pixels > 0 && pixels <= 1024;
    for (cuuint32_t d = 0; d < rank; ++d) right = right && sizes[d] > 0 && steps[d] == 1;
    for (cuuint32_t d = 0; d + 1 < rank; ++d) right = right && strides[d] % 16 == 0;
    for (cuuint32_t d = 0; d + 2 < rank; ++d) right = right && lower[d] <= static_cast<int64_t>(sizes[1 + d]) - 1 + upper[d];
    return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
    *bytes = size_t{1} << 21;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp*, unsigned long long) {
    *handle = bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle) {
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t, CUdeviceptr, unsigned long long) {
    return cuMemAlloc_v2(address, bytes);
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t) {
    return cuMemFree_v2(address);
}

CUresult cuMemMap(CUdeviceptr, size_t bytes, size_t, CUmemGenericAllocationHandle handle, unsigned long long) {
    expect(bytes == handle, "the whole allocation is mapped");
    return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr, size_t) {
    return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t) {
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void**) {
    if (state().fault != CUDA_SUCCESS) return state().fault;
    const FakeKernel& kernel = *reinterpret_cast<FakeKernel*>(function);
    expect(kernel.module->context == state().current, "a kernel is launched on the device that it was loaded for");
    if (kernel.name == "litmus_init") state().gpus.clear();
    if (kernel.name == "litmus_stress") {
        expect(config->hStream != nullptr, "traffic has a stream of its own");
        state().traffic = true;
    }
    if (kernel.name == "litmus_test") {
        if (const CUresult code = mishap(kernel); code != CUDA_SUCCESS) return code;
        check_test(kernel, *config, arguments);
        state().gpus.push_back(argument<uint32_t>(kernel, arguments, "gpu"));
        usleep(500 + argument<uint32_t>(kernel, arguments, "instances") / 1000);
    }
    if (kernel.name == "litmus_tally") {
        expect(!state().traffic, "the traffic is told to end before the tally");
        check_gpus(*kernel.module);
        if (!state().hung) tally(kernel, arguments);
    }
    return CUDA_SUCCESS;
}

}  // extern "C"
