// What a program has loaded, and its launches, written into folders.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "record/fatbin.h"
#include "record/recording.h"

namespace litmus::record {

// A launch as the program asks for it.
struct LaunchRequest {
    const char* call = "";
    const void* function = nullptr;  // a CUfunction, or a CUkernel in its place
    std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
    std::optional<std::array<uint32_t, 3>> cluster = {};
    uint32_t shared_bytes = 0;
    void** parameters = nullptr;  // their addresses
    void** extra = nullptr;       // or all in one buffer (CU_LAUNCH_PARAM_BUFFER_POINTER)
    CUstream stream = nullptr;
    bool is_node = false;  // of a graph: it is not launched now
};

// Takes calls from several threads. Nothing that goes wrong here reaches the program: it is written into the log.
class Recorder {
public:
    Recorder();  // as the environment says

    // A module or library was made of an image, or of a file.
    void loaded(const void* handle, const void* image);
    void loaded_file(const void* handle, const char* path);
    // `handle` came of `of`, and has its image: the module of a library, the function of a kernel.
    void derived(const void* handle, const void* of);
    // A function of a module, or a kernel of a library.
    void named(const void* function, const void* of, const char* name, bool is_kernel);
    void encoded(const CUtensorMap& map, TensorMap arguments);
    void moved(const CUtensorMap& before, const CUtensorMap& after, uint64_t address);
    // Before it happens.
    void launch(const LaunchRequest& request);
    // The program has found the driver.
    void opened_driver();

private:
    using Bytes = std::vector<uint8_t>;
    using MapBytes = std::array<uint8_t, sizeof(CUtensorMap)>;

    // An image with its PTX, once that is wanted.
    struct Loaded {
        Image image;
        std::string text;         // the PTX
        std::string without_ptx;  // why there is none
        bool unpacked = false;
        std::string written;  // the first file that has it
    };

    struct Known {
        std::string name;
        size_t image = 0;        // number + 1; 0: not known
        bool is_kernel = false;  // a CUkernel
    };

    void keep(const void* handle, Image image);
    void record(const LaunchRequest& request, const std::string& name, uint64_t number);
    const std::string& name_of(const void* function);
    bool is_wanted(const std::string& name, uint64_t number);
    Loaded* image_of(const void* function, const std::string& name);
    void unpack_ptx(Loaded& loaded);
    Bytes parameters(const LaunchRequest& request, const Loaded* image, const std::string& name) const;
    void find_maps(const Bytes& parameters, Recording& recording) const;
    std::optional<RecordedPointer> reach(uint64_t address, uint64_t at, Recording& recording);
    void find_pointers(const Bytes& parameters, Recording& recording);
    CUresult copy(Bytes& to, uint64_t address);
    void copy_memory(const std::string& folder, Recording& recording);
    bool write_ptx(const std::string& path, Loaded& loaded);
    void log(const std::string& line) const;

    std::mutex mutex_;
    std::string folder_, wanted_kernel_;
    uint64_t wanted_launch_ = 0;  // 0: all
    uint64_t most_bytes_ = 0;     // from each address on
    std::vector<Loaded> images_;
    std::map<const void*, size_t> image_numbers_;  // of modules and libraries, + 1
    std::map<const void*, Known> functions_;
    std::map<MapBytes, TensorMap> maps_;
    std::map<std::string, uint64_t> launches_;          // of each kernel
    std::set<std::string> said_;                        // lines of the log that are written once
    std::vector<std::pair<size_t, uint64_t>> reached_;  // by the launch that is recorded: allocations, and places in them
    std::map<CUcontext, CUstream> streams_;             // of its own, for copies
    uint64_t recorded_ = 0, written_bytes_ = 0, kept_bytes_ = 0;
    bool searched_program_ = false;  // for images, of those that came by no way that is known
};

// The one of this process. It is never destroyed: programs launch kernels to their very end.
Recorder& recorder();

}  // namespace litmus::record
