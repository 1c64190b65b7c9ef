// The CUDA driver as a few values: a device, a module, memory, a launch.
//
// libcuda.so.1 is opened at run time, so an executable that uses this starts on a machine without a GPU
// and says what is missing. Every call is checked; what fails is thrown as DriverError with the call,
// what it was for, and CUDA's name for the error. One thread at a time.
#pragma once

#include <cuda.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace litmus::gpu {

// "cuMemAlloc (64 bytes for the results): CUDA_ERROR_OUT_OF_MEMORY: out of memory"
class DriverError : public std::runtime_error {
public:
    DriverError(const std::string& message, CUresult code) : std::runtime_error(message), code_(code) {}
    CUresult code() const { return code_; }

private:
    CUresult code_;
};

// A kernel that ran past its limit. CUDA cannot stop one: whoever catches this writes what it has and
// ends the process with std::_Exit, since everything that would free device memory waits for the kernel.
class HungKernel : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Context;  // the loaded library and the device's primary context; freed with its last user

// What is known about a device.
struct DeviceInfo {
    std::string name;
    int ordinal = 0;
    int devices = 0;  // that the driver lists, this one included
    int sm = 0;       // 90: compute capability 9.0
    int driver = 0;   // the CUDA version that the driver supports: 13000 is 13.0
    int multiprocessors = 0;
    size_t memory = 0;        // bytes
    size_t block_shared = 0;  // bytes of dynamic shared memory that one block can have
};

// Blocks, threads and dynamic shared memory of one launch. The grid is a multiple of the cluster.
struct Shape {
    unsigned grid = 1;
    unsigned block = 32;
    unsigned cluster = 1;       // blocks; 1: no cluster attribute
    unsigned shared = 0;        // bytes
    bool programmatic = false;  // it may begin when the launch before it in its stream lets it, before that has completed
};

// Launches of one stream run in their order.
enum class Stream { main, side };

// Device memory, freed with the value. Moves only.
class Buffer {
public:
    Buffer() = default;
    Buffer(std::shared_ptr<Context> context, size_t bytes, const std::string& purpose);
    // At two virtual addresses, for this device and those that reach it.
    static Buffer mapped_twice(const std::shared_ptr<Context>& context, size_t bytes, const std::string& purpose);
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    ~Buffer();

    CUdeviceptr address() const { return address_; }
    CUdeviceptr second_address() const { return second_ != 0 ? second_ : address_; }  // of the same memory
    size_t size() const { return size_; }                                             // bytes
    void fill(uint8_t byte);
    // Sets the first word after the kernels of the first stream that were launched before; waits for nothing.
    void set_word_in_order(uint32_t word);
    // Copies to and from the start of the buffer; both wait for the launches before them.
    void write(const void* from, size_t bytes);
    void read(void* to, size_t bytes) const;

private:
    std::shared_ptr<Context> context_;
    CUdeviceptr address_ = 0;
    CUdeviceptr second_ = 0;  // 0: mapped once
    size_t size_ = 0;
    std::string purpose_;
};

// A tensor in device memory and the box that copies move, in elements, innermost first; or a column of pixels of one box each.
struct TensorLayout {
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
    CUdeviceptr address = 0;
    std::vector<uint64_t> sizes;
    std::vector<uint64_t> strides;  // bytes from one index to the next, of all dimensions but the innermost
    std::vector<uint32_t> box;
    uint32_t pixels = 0;            // of a column; 0: a box
    std::vector<int> lower, upper;  // of a column: the corners of its bounding box
};

// A kernel of a module. Valid while the module lives.
class Kernel {
public:
    const std::string& name() const { return name_; }

private:
    friend class Device;
    friend class Module;
    CUfunction function_ = nullptr;
    std::string name_;
};

// A cubin, or PTX that the driver compiles for the device. Moves only.
class Module {
public:
    Module(std::shared_ptr<Context> context, const std::string& image, const std::string& name);
    Module(Module&& other) noexcept;
    Module& operator=(Module&& other) noexcept;
    ~Module();

    Kernel kernel(const std::string& entry) const;

private:
    std::shared_ptr<Context> context_;
    CUmodule module_ = nullptr;
    std::string name_;
};

class Device {
public:
    // Opens libcuda.so.1 and device number `ordinal`. The message of what it throws (std::runtime_error)
    // is one line that says what to do.
    explicit Device(int ordinal = 0);

    const DeviceInfo& info() const { return info_; }

    // Throws DriverError with the driver's compiler log.
    Module load(const std::string& ptx, const std::string& name) const;
    Buffer allocate(size_t bytes, const std::string& purpose) const;
    Buffer allocate_twice(size_t bytes, const std::string& purpose) const;  // at two virtual addresses

    // Lets this device access the other's memory, from now on. Returns why that cannot be, empty otherwise: for tests it has to
    // be a link that carries atomic operations.
    std::string reach(Device& other);

    // The map of a tensor, without swizzling; zeros are read outside of it.
    CUtensorMap tensor_map(const TensorLayout& layout, const std::string& name) const;

    // Starts a kernel; `arguments` point to the values of its parameters, in their order.
    // The two streams run side by side.
    void launch(const Kernel& kernel, const Shape& shape, std::span<void* const> arguments, Stream stream = Stream::main) const;
    // How many blocks (of clusters: how many clusters' worth) the device runs at a time in this shape.
    unsigned resident_blocks(const Kernel& kernel, const Shape& shape) const;
    // Waits for all launches, on both streams or on the main one. Throws HungKernel when they take longer than `limit`.
    void synchronize(std::chrono::milliseconds limit) const;
    void synchronize_main(std::chrono::milliseconds limit) const;

private:
    void wait(std::chrono::milliseconds limit, bool both) const;

    std::shared_ptr<Context> context_;
    DeviceInfo info_;
};

// The device's sm as PTX writes it: "sm_90", "sm_100a".
std::string sm_name(int sm);

}  // namespace litmus::gpu
