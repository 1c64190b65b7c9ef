// The CUDA driver API behind driver.h: libcuda.so.1 through dlopen, each call checked.
#include "gpu/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

namespace litmus::gpu {

namespace {

// The functions used, with the names that <cuda.h> gives them on this toolkit (cuMemAlloc is cuMemAlloc_v2 ...).
#define LITMUS_DRIVER_FUNCTIONS(F)                                                                                                \
    F(cuInit)                                                                                                                     \
    F(cuDriverGetVersion)                                                                                                         \
    F(cuGetErrorName)                                                                                                             \
    F(cuGetErrorString) F(cuDeviceGetCount) F(cuDeviceGet) F(cuDeviceGetName) F(cuDeviceGetAttribute) F(cuDeviceTotalMem)         \
        F(cuDevicePrimaryCtxRetain) F(cuDevicePrimaryCtxRelease) F(cuCtxSetCurrent) F(cuModuleLoadDataEx) F(cuModuleUnload)       \
            F(cuModuleGetFunction) F(cuFuncSetAttribute) F(cuMemAlloc) F(cuMemFree) F(cuMemcpyHtoD) F(cuMemcpyDtoH) F(cuMemsetD8) \
                F(cuMemsetD32) F(cuLaunchKernelEx) F(cuStreamQuery) F(cuOccupancyMaxActiveBlocksPerMultiprocessor)                \
                    F(cuOccupancyMaxActiveClusters)

struct Api {
#define LITMUS_MEMBER(f) decltype(&f) f##_ = nullptr;
    LITMUS_DRIVER_FUNCTIONS(LITMUS_MEMBER)
#undef LITMUS_MEMBER
};

#define LITMUS_TEXT(f) #f
#define LITMUS_SYMBOL(f) LITMUS_TEXT(f)

Api load_api() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // stays open: the driver has threads of its own
    if (!library)
        throw std::runtime_error("no CUDA driver: libcuda.so.1 cannot be opened; run this on a machine with an NVIDIA GPU and its driver");
    Api api;
    const auto find = [&](const char* name) {
        void* symbol = dlsym(library, name);
        if (!symbol)
            throw std::runtime_error(std::string("the CUDA driver is too old: it has no ") + name +
                                     "; install a driver for CUDA 12.0 or newer");
        return symbol;
    };
#define LITMUS_LOAD(f) api.f##_ = reinterpret_cast<decltype(api.f##_)>(find(LITMUS_SYMBOL(f)));
    LITMUS_DRIVER_FUNCTIONS(LITMUS_LOAD)
#undef LITMUS_LOAD
    return api;
}

#undef LITMUS_SYMBOL
#undef LITMUS_TEXT
#undef LITMUS_DRIVER_FUNCTIONS

std::string error_text(const Api& api, CUresult code) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (api.cuGetErrorName_(code, &name) != CUDA_SUCCESS || !name) return "CUDA error " + std::to_string(code);
    api.cuGetErrorString_(code, &text);
    return std::string(name) + (text ? std::string(": ") + text : "");
}

void check(const Api& api, CUresult code, const std::string& what) {
    if (code != CUDA_SUCCESS) throw DriverError(what + ": " + error_text(api, code), code);
}

}  // namespace

class Context {
public:
    explicit Context(int ordinal) : api(load_api()) {
        if (const CUresult code = api.cuInit_(0); code != CUDA_SUCCESS)
            throw DriverError("no usable GPU (cuInit: " + error_text(api, code) + "); check that nvidia-smi lists a device", code);
        int count = 0;
        check(api, api.cuDeviceGetCount_(&count), "cuDeviceGetCount");
        if (ordinal < 0 || ordinal >= count)
            throw std::runtime_error("there is no GPU number " + std::to_string(ordinal) + ": the driver lists " + std::to_string(count) +
                                     ", numbered from 0");
        check(api, api.cuDeviceGet_(&device, ordinal), "cuDeviceGet");
        check(api, api.cuDevicePrimaryCtxRetain_(&context, device), "cuDevicePrimaryCtxRetain");
        check(api, api.cuCtxSetCurrent_(context), "cuCtxSetCurrent");
    }
    ~Context() { api.cuDevicePrimaryCtxRelease_(device); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    int attribute(CUdevice_attribute which, const char* name) const {
        int value = 0;
        check(api, api.cuDeviceGetAttribute_(&value, which, device), std::string("cuDeviceGetAttribute (") + name + ")");
        return value;
    }

    Api api;
    CUdevice device = 0;
    CUcontext context = nullptr;
};

// ---- Buffer ------------------------------------------------------------------------------------

Buffer::Buffer(std::shared_ptr<Context> context, size_t bytes, const std::string& purpose)
    : context_(std::move(context)), size_(bytes), purpose_(purpose) {
    check(context_->api, context_->api.cuMemAlloc_(&address_, std::max<size_t>(bytes, 1)),
          "cuMemAlloc (" + std::to_string(bytes) + " bytes for " + purpose + ")");
}

Buffer::Buffer(Buffer&& other) noexcept {
    *this = std::move(other);
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(address_, other.address_);
    std::swap(size_, other.size_);
    std::swap(purpose_, other.purpose_);
    return *this;
}

Buffer::~Buffer() {
    if (address_ != 0) context_->api.cuMemFree_(address_);  // fails only after a kernel has failed, which was reported then
}

void Buffer::fill(uint8_t byte) {
    check(context_->api, context_->api.cuMemsetD8_(address_, byte, size_), "cuMemsetD8 (" + purpose_ + ")");
}

void Buffer::fill_words(uint32_t word) {
    check(context_->api, context_->api.cuMemsetD32_(address_, word, size_ / 4), "cuMemsetD32 (" + purpose_ + ")");
}

void Buffer::write(const void* from, size_t bytes) {
    if (bytes > size_) throw std::logic_error("a copy past the end of " + purpose_);
    check(context_->api, context_->api.cuMemcpyHtoD_(address_, from, bytes), "cuMemcpyHtoD (" + purpose_ + ")");
}

void Buffer::read(void* to, size_t bytes) const {
    if (bytes > size_) throw std::logic_error("a copy past the end of " + purpose_);
    check(context_->api, context_->api.cuMemcpyDtoH_(to, address_, bytes), "cuMemcpyDtoH (" + purpose_ + ")");
}

// ---- Module ------------------------------------------------------------------------------------

Module::Module(std::shared_ptr<Context> context, const std::string& ptx, const std::string& name)
    : context_(std::move(context)), name_(name) {
    std::array<char, 16384> log{};
    std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
    const CUresult code =
        context_->api.cuModuleLoadDataEx_(&module_, ptx.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
    if (code == CUDA_SUCCESS) return;
    log.back() = '\0';
    std::string message = "cuModuleLoadDataEx (the PTX of " + name + "): " + error_text(context_->api, code);
    if (code == CUDA_ERROR_UNSUPPORTED_PTX_VERSION) message += "; install a newer driver";
    if (log[0] != '\0') message += "\n" + std::string(log.data());
    throw DriverError(message, code);
}

Module::Module(Module&& other) noexcept {
    *this = std::move(other);
}

Module& Module::operator=(Module&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(module_, other.module_);
    std::swap(name_, other.name_);
    return *this;
}

Module::~Module() {
    if (module_) context_->api.cuModuleUnload_(module_);  // fails only after a kernel has failed, which was reported then
}

Kernel Module::kernel(const std::string& entry) const {
    Kernel kernel;
    kernel.name_ = entry;
    check(context_->api, context_->api.cuModuleGetFunction_(&kernel.function_, module_, entry.c_str()),
          "cuModuleGetFunction (" + entry + " of " + name_ + ")");
    return kernel;
}

// ---- Device ------------------------------------------------------------------------------------

Device::Device(int ordinal) : context_(std::make_shared<Context>(ordinal)) {
    const Context& c = *context_;
    std::array<char, 256> name{};
    check(c.api, c.api.cuDeviceGetName_(name.data(), static_cast<int>(name.size()), c.device), "cuDeviceGetName");
    info_.name = name.data();
    info_.sm = 10 * c.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, "compute capability") +
               c.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, "compute capability");
    info_.multiprocessors = c.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "multiprocessors");
    info_.block_shared = static_cast<size_t>(c.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, "shared memory"));
    check(c.api, c.api.cuDriverGetVersion_(&info_.driver), "cuDriverGetVersion");
    check(c.api, c.api.cuDeviceTotalMem_(&info_.memory, c.device), "cuDeviceTotalMem");
}

Module Device::load(const std::string& ptx, const std::string& name) const {
    return {context_, ptx, name};
}

Buffer Device::allocate(size_t bytes, const std::string& purpose) const {
    return {context_, bytes, purpose};
}

namespace {

// What a launch and a question about it share: more than 48 KiB of shared memory and more than 8 blocks a
// cluster are to be asked for.
CUlaunchConfig configure(const Api& api, CUfunction function, const std::string& name, const Shape& shape, CUlaunchAttribute& attribute) {
    const auto allow = [&](CUfunction_attribute which, unsigned value) {
        check(api, api.cuFuncSetAttribute_(function, which, static_cast<int>(value)), "cuFuncSetAttribute (" + name + ")");
    };
    if (shape.shared > 48 * 1024) allow(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shape.shared);
    if (shape.cluster > 8) allow(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = shape.cluster;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    CUlaunchConfig config{};
    config.gridDimX = shape.grid;
    config.blockDimX = shape.block;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = shape.shared;
    config.attrs = &attribute;
    config.numAttrs = shape.cluster > 1 ? 1 : 0;
    return config;
}

}  // namespace

void Device::launch(const Kernel& kernel, const Shape& shape, std::span<void* const> arguments) const {
    const Api& api = context_->api;
    CUlaunchAttribute attribute{};
    const CUlaunchConfig config = configure(api, kernel.function_, kernel.name_, shape, attribute);
    // the API takes the argument list as non-const and does not write to it
    check(api, api.cuLaunchKernelEx_(&config, kernel.function_, const_cast<void**>(arguments.data()), nullptr),
          "cuLaunchKernelEx (" + kernel.name_ + ", " + std::to_string(shape.grid) + " blocks of " + std::to_string(shape.block) +
              " threads, clusters of " + std::to_string(shape.cluster) + ", " + std::to_string(shape.shared) + " bytes)");
}

unsigned Device::resident_blocks(const Kernel& kernel, const Shape& shape) const {
    const Api& api = context_->api;
    CUlaunchAttribute attribute{};
    CUlaunchConfig config = configure(api, kernel.function_, kernel.name_, shape, attribute);
    config.gridDimX = shape.cluster;  // whole clusters, whatever grid is to be launched
    int count = 0;
    if (shape.cluster > 1) {
        check(api, api.cuOccupancyMaxActiveClusters_(&count, kernel.function_, &config),
              "cuOccupancyMaxActiveClusters (" + kernel.name_ + ")");
        return static_cast<unsigned>(count) * shape.cluster;
    }
    check(api, api.cuOccupancyMaxActiveBlocksPerMultiprocessor_(&count, kernel.function_, static_cast<int>(shape.block), shape.shared),
          "cuOccupancyMaxActiveBlocksPerMultiprocessor (" + kernel.name_ + ")");
    return static_cast<unsigned>(count * info_.multiprocessors);
}

void Device::synchronize(std::chrono::milliseconds limit) const {
    const auto start = std::chrono::steady_clock::now();
    for (unsigned polls = 0;; ++polls) {
        const CUresult code = context_->api.cuStreamQuery_(nullptr);
        if (code != CUDA_ERROR_NOT_READY) return check(context_->api, code, "cuStreamQuery (waiting for the kernels)");
        if (std::chrono::steady_clock::now() - start > limit)
            throw HungKernel("the kernel did not end within " + std::to_string(limit.count()) +
                             " ms; the device may need a while to recover");
        if (polls > 1000) std::this_thread::sleep_for(std::chrono::microseconds(100));  // short kernels are polled
    }
}

std::string sm_name(int sm) {
    return "sm_" + std::to_string(sm) + (sm >= 100 ? "a" : "");
}

}  // namespace litmus::gpu
