// The CUDA driver API behind driver.h: libcuda.so.1 through dlopen, each call checked.
#include "gpu/run/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <thread>
#include <utility>

#include "base/budget.h"
#include "gpu/run/advice.h"

namespace litmus::gpu {

namespace {

// The functions used, with the names that <cuda.h> gives them on this toolkit (cuMemAlloc is cuMemAlloc_v2 ...).
// clang-format off
#define LITMUS_DRIVER_FUNCTIONS(F) \
    F(cuInit) F(cuDriverGetVersion) F(cuGetErrorName) F(cuGetErrorString) F(cuDeviceGetCount) F(cuDeviceGet) \
    F(cuDeviceGetName) F(cuDeviceGetAttribute) F(cuDeviceTotalMem) F(cuDevicePrimaryCtxRetain) \
    F(cuDevicePrimaryCtxRelease) F(cuCtxSetCurrent) F(cuModuleLoadDataEx) F(cuModuleUnload) F(cuModuleGetFunction) \
    F(cuDeviceCanAccessPeer) F(cuDeviceGetP2PAttribute) F(cuCtxEnablePeerAccess) \
    F(cuFuncSetAttribute) F(cuMemAlloc) F(cuMemFree) F(cuMemcpyHtoD) F(cuMemcpyDtoH) F(cuMemsetD8) \
    F(cuMemsetD32Async) F(cuLaunchKernelEx) F(cuStreamCreate) F(cuStreamQuery) \
    F(cuOccupancyMaxActiveBlocksPerMultiprocessor) F(cuOccupancyMaxActiveClusters) F(cuMemGetAllocationGranularity) \
    F(cuMemCreate) F(cuMemRelease) F(cuMemAddressReserve) F(cuMemAddressFree) F(cuMemMap) F(cuMemUnmap) F(cuMemSetAccess) \
    F(cuTensorMapEncodeTiled) F(cuTensorMapEncodeIm2col)
// clang-format on

struct Api {
#define LITMUS_MEMBER(f) decltype(&(f)) f##_ = nullptr;
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
    explicit Context(int number) : api(load_api()), ordinal(number) {
        if (const CUresult code = api.cuInit_(0); code != CUDA_SUCCESS)
            throw DriverError(advice("cuInit", code, error_text(api, code)), code);
        if (const CUresult code = api.cuDriverGetVersion_(&driver); code != CUDA_SUCCESS) check(api, code, "cuDriverGetVersion");
        if (const std::string message = too_old_driver("every test", 80, driver); !message.empty()) throw std::runtime_error(message);
        check(api, api.cuDeviceGetCount_(&devices), "cuDeviceGetCount");
        if (ordinal < 0 || ordinal >= devices)
            throw std::runtime_error("there is no GPU number " + std::to_string(ordinal) + ": the driver lists " + std::to_string(devices) +
                                     ", numbered from 0");
        check(api, api.cuDeviceGet_(&device, ordinal), "cuDeviceGet");
        if (const CUresult code = api.cuDevicePrimaryCtxRetain_(&context, device); code != CUDA_SUCCESS)
            throw DriverError(advice("cuDevicePrimaryCtxRetain", code, error_text(api, code)), code);
        use();
    }
    ~Context() { api.cuDevicePrimaryCtxRelease_(device); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    // The functions, which from now on are about this device.
    const Api& use() const {
        check(api, api.cuCtxSetCurrent_(context), "cuCtxSetCurrent");
        return api;
    }

    int attribute(CUdevice_attribute which, const char* name) const {
        int value = 0;
        check(api, api.cuDeviceGetAttribute_(&value, which, device), std::string("cuDeviceGetAttribute (") + name + ")");
        return value;
    }

    // Made when first asked for. It and stream 0 do not wait for each other.
    CUstream side_stream() {
        if (!side) check(api, use().cuStreamCreate_(&side, CU_STREAM_NON_BLOCKING), "cuStreamCreate (the traffic's stream)");
        return side;
    }

    Api api;
    int ordinal = 0;
    int devices = 0;              // that the driver lists
    int driver = 0;               // CUDA version
    std::vector<CUdevice> peers;  // devices that reach this one
    CUstream side = nullptr;
    CUdevice device = 0;
    CUcontext context = nullptr;
};

// ---- Buffer ------------------------------------------------------------------------------------

Buffer::Buffer(std::shared_ptr<Context> context, size_t bytes, const std::string& purpose)
    : context_(std::move(context)), size_(bytes), purpose_(purpose) {
    check(context_->api, context_->use().cuMemAlloc_(&address_, std::max<size_t>(bytes, 1)),
          "cuMemAlloc (" + std::to_string(bytes) + " bytes for " + purpose + ")");
}

// One physical allocation, mapped twice. The mappings keep it when its handle has gone.
Buffer Buffer::mapped_twice(const std::shared_ptr<Context>& context, size_t bytes, const std::string& purpose) {
    const Api& api = context->use();
    const std::string why = " (" + purpose + ", at two virtual addresses)";
    CUmemAllocationProp kind{};
    kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    kind.location.id = context->device;
    size_t unit = 0;
    check(api, api.cuMemGetAllocationGranularity_(&unit, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM), "cuMemGetAllocationGranularity" + why);
    Buffer result;
    result.context_ = context;
    result.purpose_ = purpose;
    result.size_ = (std::max<size_t>(bytes, 1) + unit - 1) / unit * unit;
    CUmemGenericAllocationHandle handle{};
    check(api, api.cuMemCreate_(&handle, result.size_, &kind, 0), "cuMemCreate" + why);
    CUmemAccessDesc own{};
    own.location = kind.location;
    own.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    std::vector<CUmemAccessDesc> access(1 + context->peers.size(), own);
    for (size_t p = 0; p < context->peers.size(); ++p) access[p + 1].location.id = context->peers[p];
    for (CUdeviceptr* address : {&result.address_, &result.second_}) {
        check(api, api.cuMemAddressReserve_(address, result.size_, 0, 0, 0), "cuMemAddressReserve" + why);
        check(api, api.cuMemMap_(*address, result.size_, 0, handle, 0), "cuMemMap" + why);
        check(api, api.cuMemSetAccess_(*address, result.size_, access.data(), access.size()), "cuMemSetAccess" + why);
    }
    check(api, api.cuMemRelease_(handle), "cuMemRelease" + why);
    return result;
}

Buffer::Buffer(Buffer&& other) noexcept {
    *this = std::move(other);
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(address_, other.address_);
    std::swap(second_, other.second_);
    std::swap(size_, other.size_);
    std::swap(purpose_, other.purpose_);
    return *this;
}

// Freeing fails only after a kernel has failed, which was reported then.
Buffer::~Buffer() {
    if (address_ == 0) return;
    const Api& api = context_->api;
    api.cuCtxSetCurrent_(context_->context);
    if (second_ == 0) {
        api.cuMemFree_(address_);
        return;
    }
    for (const CUdeviceptr address : {address_, second_}) {
        api.cuMemUnmap_(address, size_);
        api.cuMemAddressFree_(address, size_);
    }
}

void Buffer::fill(uint8_t byte) {
    check(context_->api, context_->use().cuMemsetD8_(address_, byte, size_), "cuMemsetD8 (" + purpose_ + ")");
}

void Buffer::set_word_in_order(uint32_t word) {
    check(context_->api, context_->use().cuMemsetD32Async_(address_, word, 1, nullptr), "cuMemsetD32Async (" + purpose_ + ")");
}

void Buffer::write(const void* from, size_t bytes) {
    if (bytes > size_) throw std::logic_error("a copy past the end of " + purpose_);
    check(context_->api, context_->use().cuMemcpyHtoD_(address_, from, bytes), "cuMemcpyHtoD (" + purpose_ + ")");
}

void Buffer::read(void* to, size_t bytes) const {
    if (bytes > size_) throw std::logic_error("a copy past the end of " + purpose_);
    check(context_->api, context_->use().cuMemcpyDtoH_(to, address_, bytes), "cuMemcpyDtoH (" + purpose_ + ")");
}

// ---- Module ------------------------------------------------------------------------------------

Module::Module(std::shared_ptr<Context> context, const std::string& image, const std::string& name)
    : context_(std::move(context)), name_(name) {
    std::array<char, 16384> log{};
    std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values = {log.data(),
                                   reinterpret_cast<void*>(log.size())};  // NOLINT(performance-no-int-to-ptr): as the driver wants it
    const CUresult code =
        context_->use().cuModuleLoadDataEx_(&module_, image.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
    if (code == CUDA_SUCCESS) return;
    log.back() = '\0';
    std::string message = "cuModuleLoadDataEx (the code of " + name + "): " + error_text(context_->api, code);
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
    if (!module_) return;  // what follows fails only after a kernel has failed, which was reported then
    context_->api.cuCtxSetCurrent_(context_->context);
    context_->api.cuModuleUnload_(module_);
}

Kernel Module::kernel(const std::string& entry) const {
    Kernel kernel;
    kernel.name_ = entry;
    check(context_->api, context_->use().cuModuleGetFunction_(&kernel.function_, module_, entry.c_str()),
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
    if (const std::string message = too_small_device(info_.name, info_.sm); !message.empty()) throw std::runtime_error(message);
    info_.multiprocessors = c.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "multiprocessors");
    info_.block_shared = static_cast<size_t>(c.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, "shared memory"));
    info_.driver = c.driver;
    info_.ordinal = c.ordinal;
    info_.devices = c.devices;
    check(c.api, c.api.cuDeviceTotalMem_(&info_.memory, c.device), "cuDeviceTotalMem");
}

Module Device::load(const std::string& ptx, const std::string& name) const {
    return {context_, ptx, name};
}

Buffer Device::allocate(size_t bytes, const std::string& purpose) const {
    return {context_, bytes, purpose};
}

Buffer Device::allocate_twice(size_t bytes, const std::string& purpose) const {
    return Buffer::mapped_twice(context_, bytes, purpose);
}

std::string Device::reach(Device& other) {
    const Api& api = context_->use();
    const CUdevice own = context_->device, to = other.context_->device;
    const std::string from = "GPU " + std::to_string(info_.ordinal), target = "GPU " + std::to_string(other.info_.ordinal);
    int possible = 0, atomic = 0;
    check(api, api.cuDeviceCanAccessPeer_(&possible, own, to), "cuDeviceCanAccessPeer");
    if (possible == 0) return from + " cannot access the memory of " + target + ": take GPUs that NVLink connects";
    check(api, api.cuDeviceGetP2PAttribute_(&atomic, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, own, to), "cuDeviceGetP2PAttribute");
    if (atomic == 0) return "the link from " + from + " to " + target + " carries no atomic operations: take GPUs that NVLink connects";
    check(api, api.cuCtxEnablePeerAccess_(other.context_->context, 0), "cuCtxEnablePeerAccess (" + from + " to " + target + ")");
    other.context_->peers.push_back(own);
    return {};
}

namespace {

// What a launch and a question about it share: more than 48 KiB of shared memory and more than 8 blocks a
// cluster are to be asked for.
using LaunchAttributes = std::array<CUlaunchAttribute, 2>;

CUlaunchConfig configure(const Api& api, CUfunction function, const std::string& name, const Shape& shape, LaunchAttributes& attributes) {
    const auto allow = [&](CUfunction_attribute which, unsigned value) {
        check(api, api.cuFuncSetAttribute_(function, which, static_cast<int>(value)), "cuFuncSetAttribute (" + name + ")");
    };
    if (shape.shared > 48 * 1024) allow(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shape.shared);
    if (shape.cluster > 8) allow(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    CUlaunchConfig config{};
    config.attrs = attributes.data();
    if (shape.cluster > 1) {
        CUlaunchAttribute& attribute = attributes.at(config.numAttrs++);
        attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute.value.clusterDim.x = shape.cluster;
        attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    }
    if (shape.programmatic) {
        CUlaunchAttribute& attribute = attributes.at(config.numAttrs++);
        attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attribute.value.programmaticStreamSerializationAllowed = 1;
    }
    config.gridDimX = shape.grid;
    config.blockDimX = shape.block;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = shape.shared;
    return config;
}

}  // namespace

CUtensorMap Device::tensor_map(const TensorLayout& layout, const std::string& name) const {
    CUtensorMap map{};
    const auto rank = static_cast<uint32_t>(layout.sizes.size());
    const std::vector<uint32_t> every(rank, 1);
    auto* const address = std::bit_cast<void*>(static_cast<uintptr_t>(layout.address));
    if (layout.pixels == 0)
        check(context_->api,
              context_->use().cuTensorMapEncodeTiled_(&map, layout.type, rank, address, layout.sizes.data(), layout.strides.data(),
                                                      layout.box.data(), every.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              "cuTensorMapEncodeTiled (" + name + ")");
    else
        check(context_->api,
              context_->use().cuTensorMapEncodeIm2col_(&map, layout.type, rank, address, layout.sizes.data(), layout.strides.data(),
                                                       layout.lower.data(), layout.upper.data(), layout.box[0], layout.pixels, every.data(),
                                                       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                                       CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              "cuTensorMapEncodeIm2col (" + name + ")");
    return map;
}

void Device::launch(const Kernel& kernel, const Shape& shape, std::span<void* const> arguments, Stream stream) const {
    const Api& api = context_->use();
    LaunchAttributes attributes{};
    CUlaunchConfig config = configure(api, kernel.function_, kernel.name_, shape, attributes);
    if (stream == Stream::side) config.hStream = context_->side_stream();
    // the API takes the argument list as non-const and does not write to it
    check(api, api.cuLaunchKernelEx_(&config, kernel.function_, const_cast<void**>(arguments.data()), nullptr),
          "cuLaunchKernelEx (" + kernel.name_ + ", " + std::to_string(shape.grid) + " blocks of " + std::to_string(shape.block) +
              " threads, clusters of " + std::to_string(shape.cluster) + ", " + std::to_string(shape.shared) + " bytes)");
}

unsigned Device::resident_blocks(const Kernel& kernel, const Shape& shape) const {
    const Api& api = context_->use();
    LaunchAttributes attributes{};
    CUlaunchConfig config = configure(api, kernel.function_, kernel.name_, shape, attributes);
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
    wait(limit, true);
}

void Device::synchronize_main(std::chrono::milliseconds limit) const {
    wait(limit, false);
}

// A watchdog of its own and no Budget: what runs out of it cannot be stopped, and the process has to end.
void Device::wait(std::chrono::milliseconds limit, bool both) const {
    const double start = now(), longest = std::chrono::duration<double>(limit).count();
    const auto done = [&](CUstream stream, const char* which) {
        const CUresult code = context_->use().cuStreamQuery_(stream);
        if (code != CUDA_ERROR_NOT_READY) check(context_->api, code, std::string("cuStreamQuery (waiting for ") + which + ")");
        return code == CUDA_SUCCESS;
    };
    for (unsigned polls = 0;; ++polls) {
        const bool test = done(nullptr, "the kernels"), traffic = !both || !context_->side || done(context_->side, "the traffic");
        if (test && traffic) return;
        if (now() - start > longest)
            throw HungKernel(std::string(test ? "the traffic" : "the kernel") + " did not end within " + std::to_string(limit.count()) +
                             " ms; the device may need a while to recover");
        if (polls > 1000) std::this_thread::sleep_for(std::chrono::microseconds(100));  // short kernels are polled
    }
}

std::string sm_name(int sm) {
    return "sm_" + std::to_string(sm) + (sm >= 100 ? "a" : "");
}

}  // namespace litmus::gpu
