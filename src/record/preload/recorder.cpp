// What is known of images, functions and tensor maps, and what becomes of a launch (see recorder.h).
#include "record/preload/recorder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "kernel/plain_name.h"
#include "record/preload/driver.h"
#include "record/preload/program_images.h"
#include "record/preload/settings.h"
#include "record/ptx_text.h"

namespace litmus::record {

namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t most_launches_of_each = 16, most_launches = 256;  // in one process; --launch names a later one
constexpr uint64_t usual_bytes = uint64_t{1} << 20;                  // of memory from each address on
constexpr uint64_t most_bytes_of_launch = uint64_t{64} << 20;        // as many as `litmus kernel` takes
constexpr uint64_t most_bytes_together = uint64_t{1} << 30;
constexpr uint64_t most_searched = uint64_t{256} << 20;  // bytes of PTX that are looked through for a kernel of no known image
constexpr uint64_t most_followed = uint64_t{64} << 10;   // bytes of an allocation whose words may be addresses
constexpr size_t word_bytes = 8, map_align = 64;

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

uint64_t number_variable(const char* name, uint64_t otherwise) {
    const std::string text = variable(name);
    return text.empty() ? otherwise : std::strtoull(text.c_str(), nullptr, 10);
}

void write_whole(const std::string& path, const void* bytes, size_t count, int flags = O_TRUNC) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
    const auto* at = static_cast<const char*>(bytes);
    bool good = file >= 0;
    while (good && count > 0) {
        const ssize_t written = ::write(file, at, count);
        if (written < 0 && errno == EINTR) continue;
        good = written > 0;
        if (good) at += written, count -= static_cast<size_t>(written);
    }
    const int error = errno;
    if (file >= 0) ::close(file);
    if (!good) throw std::runtime_error("cannot write " + path + ": " + std::strerror(error));
}

// A folder of its own for each launch, whatever other kernels and processes write.
std::string made_folder(const std::string& root, const std::string& kernel, uint64_t number) {
    std::string name = kernel::plain_name(kernel).substr(0, 64);
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') c = '_';
    name += "-" + std::to_string(number);
    constexpr int most_tried = 1000;
    for (int i = 1; i < most_tried; ++i) {
        const std::string folder = i == 1 ? name : name + "." + std::to_string(i);
        if (::mkdir((root + "/" + folder).c_str(), 0755) == 0) return folder;
        if (errno != EEXIST) break;
    }
    throw std::runtime_error("cannot make a folder in " + root + ": " + std::strerror(errno));
}

std::string program_path() {
    std::string path(4096, '\0');
    const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
    path.resize(length > 0 ? static_cast<size_t>(length) : 0);
    return path;
}

// 90 of sm_90, of the device of the current context; the largest number: not known.
uint32_t capability() {
    CUdevice device = 0;
    int major = 0, minor = 0;
    if (pass("cuCtxGetDevice", &device) != CUDA_SUCCESS ||
        pass("cuDeviceGetAttribute", &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) != CUDA_SUCCESS ||
        pass("cuDeviceGetAttribute", &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) != CUDA_SUCCESS)
        return std::numeric_limits<uint32_t>::max();
    return static_cast<uint32_t>(10 * major + minor);
}

// Calls that a capture of another thread would forbid are let through.
class CaptureAside {
public:
    CaptureAside() { swap(); }
    ~CaptureAside() { swap(); }
    CaptureAside(const CaptureAside&) = delete;
    CaptureAside& operator=(const CaptureAside&) = delete;

private:
    void swap() { pass("cuThreadExchangeStreamCaptureMode", &mode_); }
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

// Why memory cannot be looked at now; empty: it holds what the kernel will find.
std::string kept_from_copying(const LaunchRequest& request) {
    if (request.is_node) return "this is a node of a graph: what memory holds when the graph is launched was not recorded";
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult asked = pass("cuStreamIsCapturing", request.stream, &status);
    if (asked != CUDA_ERROR_NOT_FOUND && (asked != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE))
        return "the launch was captured into a graph: what memory holds when the graph is launched was not recorded";
    const CUresult waited = pass("cuStreamSynchronize", request.stream);
    if (waited != CUDA_SUCCESS) return "memory was not recorded: cuStreamSynchronize gave error " + std::to_string(waited);
    return {};
}

// Places of all parameters as the driver knows them; nothing: it does not say (before CUDA 12.4).
std::optional<std::vector<ParameterPlace>> places_by_driver(const void* function, bool is_kernel) {
    const char* const name = is_kernel ? "cuKernelGetParamInfo" : "cuFuncGetParamInfo";
    std::vector<ParameterPlace> places;
    for (size_t i = 0;; ++i) {
        size_t offset = 0, bytes = 0;
        const CUresult result = pass(name, function, i, &offset, &bytes);
        if (result == CUDA_ERROR_INVALID_VALUE) return places;  // there are no more
        if (result != CUDA_SUCCESS) return std::nullopt;
        places.push_back({offset, bytes});
    }
}

uint64_t word_at(const std::vector<uint8_t>& bytes, size_t at) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
}

// Begin and end of what is copied of an allocation.
using Stretch = std::pair<uint64_t, uint64_t>;

// From each place that is reached on as many bytes as are wanted, joined where they meet.
std::vector<Stretch> stretches(uint64_t bytes, std::vector<uint64_t> begins, uint64_t most) {
    if (bytes <= most) return {{0, bytes}};
    std::sort(begins.begin(), begins.end());
    std::vector<Stretch> result;
    for (const uint64_t begin : begins) {
        const uint64_t end = begin + std::min(most, bytes - begin);
        if (!result.empty() && begin <= result.back().second)
            result.back().second = std::max(result.back().second, end);
        else
            result.emplace_back(begin, end);
    }
    return result;
}

}  // namespace

Recorder::Recorder()
    : folder_(variable(folder_variable)),
      wanted_kernel_(variable(kernel_variable)),
      wanted_launch_(number_variable(launch_variable, 0)),
      most_bytes_(number_variable(bytes_variable, usual_bytes)) {
    log(Json{{"event", "loaded"}}.dump());
}

void Recorder::log(const std::string& line) const {
    if (folder_.empty()) return;
    try {
        const std::string whole = line + "\n";
        write_whole(folder_ + "/" + log_file, whole.data(), whole.size(), O_APPEND);
    } catch (const std::exception&) {
        // nobody is left to be told
    }
}

void Recorder::opened_driver() {
    const std::lock_guard lock(mutex_);
    const std::string line = Json{{"event", "driver"}}.dump();
    if (said_.insert(line).second) log(line);
}

// ---- what is loaded ------------------------------------------------------------------------------------------------------------------

void Recorder::loaded(const void* handle, const void* image) {
    if (folder_.empty() || image == nullptr) return;
    const std::lock_guard lock(mutex_);
    keep(handle, read_image(image_at(image)));
}

// The PTX of programs that make new kernels all the time is not kept without end.
void Recorder::keep(const void* handle, Image image) {
    uint64_t bytes = 0;
    for (const PackedPtx& ptx : image.ptx) bytes += ptx.packed.size();
    if (bytes > most_bytes_together - kept_bytes_) image = {image.what + ", loaded after 1 GiB of others", {}};
    if (!image.ptx.empty()) kept_bytes_ += bytes;
    images_.push_back({std::move(image), {}, {}, false, {}});
    image_numbers_[handle] = images_.size();
}

void Recorder::loaded_file(const void* handle, const char* path) {
    if (folder_.empty() || path == nullptr) return;
    std::string bytes;
    if (const int file = ::open(path, O_RDONLY | O_CLOEXEC); file >= 0) {
        std::array<char, 65536> part{};
        for (ssize_t count = 1; count > 0 && bytes.size() < most_bytes_together;) {
            count = ::read(file, part.data(), part.size());
            if (count > 0) bytes.append(part.data(), static_cast<size_t>(count));
        }
        ::close(file);
    }
    const std::lock_guard lock(mutex_);
    keep(handle, read_image(bytes));
}

void Recorder::derived(const void* handle, const void* of) {
    const std::lock_guard lock(mutex_);
    if (const auto image = image_numbers_.find(of); image != image_numbers_.end()) image_numbers_[handle] = image->second;
    if (const auto function = functions_.find(of); function != functions_.end()) {
        functions_[handle] = function->second;
        functions_[handle].is_kernel = false;
    }
}

void Recorder::named(const void* function, const void* of, const char* name, bool is_kernel) {
    const std::lock_guard lock(mutex_);
    const auto image = image_numbers_.find(of);
    functions_[function] = {name, image != image_numbers_.end() ? image->second : 0, is_kernel};
}

void Recorder::encoded(const CUtensorMap& map, TensorMap arguments) {
    const std::lock_guard lock(mutex_);
    MapBytes bytes{};
    std::memcpy(bytes.data(), &map, sizeof map);
    maps_[bytes] = std::move(arguments);
}

void Recorder::moved(const CUtensorMap& before, const CUtensorMap& after, uint64_t address) {
    MapBytes bytes{};
    std::memcpy(bytes.data(), &before, sizeof before);
    std::optional<TensorMap> arguments;
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = maps_.find(bytes); known != maps_.end()) arguments = known->second;
    }
    if (!arguments) return;
    arguments->address = address;
    encoded(after, *arguments);
}

// ---- launches ------------------------------------------------------------------------------------------------------------------------

void Recorder::launch(const LaunchRequest& request) {
    if (folder_.empty()) return;
    const std::lock_guard lock(mutex_);
    std::string name;
    try {
        name = name_of(request.function);
        const uint64_t number = ++launches_[name];
        if (is_wanted(name, number)) record(request, name, number);
    } catch (const std::exception& error) {
        log(Json{{"event", "trouble"}, {"kernel", name}, {"why", error.what()}}.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
}

const std::string& Recorder::name_of(const void* function) {
    Known& known = functions_[function];
    const char* name = nullptr;
    if (known.name.empty() && pass("cuFuncGetName", &name, function) == CUDA_SUCCESS && name != nullptr) known.name = name;
    if (known.name.empty())
        throw std::runtime_error(
            "a kernel was launched whose name is not known: its function came by a way that is not recorded, and the driver "
            "is older than CUDA 12.3");
    return known.name;
}

bool Recorder::is_wanted(const std::string& name, uint64_t number) {
    const auto say_once = [&](const char* event, const std::string& why) {
        const std::string line = Json{{"event", event}, {"kernel", name}, {"why", why}}.dump();
        if (said_.insert(line).second) log(line);
    };
    if (!wanted_kernel_.empty() && name != wanted_kernel_ && kernel::plain_name(name) != wanted_kernel_) {
        constexpr size_t most_said = 100;
        if (said_.size() < most_said) say_once("other", "another kernel was asked for");
        return false;
    }
    if (wanted_launch_ != 0) return number == wanted_launch_;
    if (number > most_launches_of_each)
        say_once("left out", "after its first " + std::to_string(most_launches_of_each) + " launches");
    else if (recorded_ >= most_launches)
        say_once("left out", "after " + std::to_string(most_launches) + " launches in all");
    return number <= most_launches_of_each && recorded_ < most_launches;
}

void Recorder::record(const LaunchRequest& request, const std::string& name, uint64_t number) {
    const CaptureAside aside;
    Recording recording;
    recording.kernel = name;
    recording.program = program_path();
    recording.call = request.call;
    recording.number = number;
    recording.grid = request.grid;
    recording.block = request.block;
    recording.cluster = request.cluster;
    recording.shared_bytes = request.shared_bytes;

    Loaded* const image = image_of(request.function, name);
    if (image == nullptr)
        recording.without_ptx = "no image that was loaded, and none in the program's files, has PTX of this kernel";
    else if (image->without_ptx.empty() && !parameters_of(image->text, name))
        recording.without_ptx = "the PTX that the kernel was loaded with has no kernel of its name";
    else
        recording.without_ptx = image->without_ptx;
    const Bytes bytes = parameters(request, image, name);
    find_maps(bytes, recording);
    find_pointers(bytes, recording);

    const std::string folder = made_folder(folder_, name, number), path = folder_ + "/" + folder;
    const std::string why_not = recording.allocations.empty() ? std::string() : kept_from_copying(request);
    if (why_not.empty())
        copy_memory(path, recording);
    else
        recording.notes.push_back(why_not);
    write_whole(path + "/" + parameters_file, bytes.data(), bytes.size());
    if (recording.without_ptx.empty() && !write_ptx(path + "/" + ptx_file, *image)) recording.without_ptx = "its PTX could not be written";
    const std::string json = to_json(recording);
    write_whole(path + "/" + launch_file, json.data(), json.size());
    ++recorded_;
    log(Json{{"event", "launch"}, {"folder", folder}, {"kernel", name}, {"number", number}, {"without_ptx", recording.without_ptx}}.dump(
        -1, ' ', false, Json::error_handler_t::replace));
}

// The image of a function; where its way is not known, one whose PTX has a kernel of that name.
Recorder::Loaded* Recorder::image_of(const void* function, const std::string& name) {
    Known& known = functions_[function];
    if (known.image == 0) {
        uint64_t searched = 0;
        const auto search = [&](size_t from) {
            for (size_t i = from; i < images_.size() && known.image == 0 && searched < most_searched; ++i) {
                unpack_ptx(images_[i]);
                searched += images_[i].text.size();
                if (parameters_of(images_[i].text, name)) known.image = i + 1;
            }
        };
        search(0);
        if (known.image == 0 && !std::exchange(searched_program_, true)) {
            const size_t before = images_.size();
            for (const std::string_view bytes : program_images()) images_.push_back({read_image(bytes), {}, {}, false, {}});
            search(before);
        }
        if (known.image == 0) return nullptr;
    }
    Loaded& image = images_[known.image - 1];
    unpack_ptx(image);
    return &image;
}

void Recorder::unpack_ptx(Loaded& loaded) {
    if (std::exchange(loaded.unpacked, true)) return;
    const PackedPtx* const ptx = chosen(loaded.image.ptx, capability());
    if (ptx == nullptr) {
        loaded.without_ptx = "the kernel was loaded from " + loaded.image.what +
                             (loaded.image.ptx.empty() ? ", which has no PTX" : ", whose PTX is for later devices than this one");
        return;
    }
    try {
        loaded.text = unpack(*ptx);
    } catch (const std::exception& error) {
        loaded.without_ptx = "the PTX of the kernel cannot be unpacked: " + std::string(error.what());
    }
    loaded.image.ptx.clear();
}

Recorder::Bytes Recorder::parameters(const LaunchRequest& request, const Loaded* image, const std::string& name) const {
    Bytes bytes;
    if (request.extra != nullptr) {
        const void* buffer = nullptr;
        size_t count = 0;
        for (void** at = request.extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
            if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = at[1];
            if (*at == CU_LAUNCH_PARAM_BUFFER_SIZE) std::memcpy(&count, at[1], sizeof count);
        }
        const auto* const first = static_cast<const uint8_t*>(buffer);
        if (first != nullptr) bytes.assign(first, first + count);
        return bytes;
    }
    // As the PTX lays them out, and so does who reads the recording. The driver counts from another place where an alignment is large: the
    // first parameter, a tensor map, is at byte 112 on an H100.
    auto places = image != nullptr ? parameters_of(image->text, name) : std::nullopt;
    if (!places) places = places_by_driver(request.function, functions_.at(request.function).is_kernel);
    if (!places)
        throw std::runtime_error(
            "how many bytes the parameters have is not known: the driver does not say it before CUDA 12.4, and there is no PTX");
    if (!places->empty() && request.parameters == nullptr) throw std::runtime_error("the kernel was launched without its parameters");
    for (size_t i = 0; i < places->size(); ++i) {
        const ParameterPlace& place = (*places)[i];
        if (place.offset + place.bytes > bytes.size()) bytes.resize(place.offset + place.bytes);
        std::memcpy(bytes.data() + place.offset, request.parameters[i], place.bytes);
    }
    return bytes;
}

void Recorder::find_maps(const Bytes& parameters, Recording& recording) const {
    for (size_t at = 0; at + sizeof(CUtensorMap) <= parameters.size(); at += map_align) {
        MapBytes bytes{};
        std::memcpy(bytes.data(), parameters.data() + at, bytes.size());
        const auto known = maps_.find(bytes);
        if (known == maps_.end()) continue;
        recording.tensor_maps.push_back(known->second);
        recording.tensor_maps.back().at = at;
    }
}

// The address at that byte of something, if it leads into an allocation, which is noted.
std::optional<RecordedPointer> Recorder::reach(uint64_t address, uint64_t at, Recording& recording) {
    CUdeviceptr base = 0;
    size_t bytes = 0;
    if (address == 0 || pass("cuMemGetAddressRange_v2", &base, &bytes, CUdeviceptr{address}) != CUDA_SUCCESS) return std::nullopt;
    if (address < base || address - base >= bytes) return std::nullopt;
    std::vector<Allocation>& all = recording.allocations;
    size_t number = 0;
    while (number < all.size() && all[number].address != base) ++number;
    if (number == all.size()) all.push_back({base, bytes});
    reached_.emplace_back(number, address - base);
    return RecordedPointer{at, number, address - base};
}

void Recorder::find_pointers(const Bytes& parameters, Recording& recording) {
    reached_.clear();
    const auto of_map = [&](uint64_t at) {
        return std::any_of(recording.tensor_maps.begin(), recording.tensor_maps.end(),
                           [at](const TensorMap& map) { return at >= map.at && at < map.at + sizeof(CUtensorMap); });
    };
    for (size_t at = 0; at + word_bytes <= parameters.size(); at += word_bytes)
        if (!of_map(at))
            if (const auto pointer = reach(word_at(parameters, at), at, recording)) recording.pointers.push_back(*pointer);
    for (const TensorMap& map : recording.tensor_maps) reach(map.address, map.at, recording);
}

// By a stream of its own, which waits for no other: a kernel that is under way may be waiting for the one that is launched now.
CUresult Recorder::copy(Bytes& to, uint64_t address) {
    CUcontext context = nullptr;
    pass("cuCtxGetCurrent", &context);
    CUstream& stream = streams_[context];
    if (stream == nullptr)
        if (const CUresult made = pass("cuStreamCreate", &stream, unsigned{CU_STREAM_NON_BLOCKING}); made != CUDA_SUCCESS) return made;
    const CUresult begun = pass("cuMemcpyDtoHAsync_v2", static_cast<void*>(to.data()), CUdeviceptr{address}, size_t{to.size()}, stream);
    return begun != CUDA_SUCCESS ? begun : pass("cuStreamSynchronize", stream);
}

// Small allocations that parameters lead to may be tables of addresses, or structs: they are followed, and what they lead to is copied,
// too.
void Recorder::copy_memory(const std::string& folder, Recording& recording) {
    uint64_t room = std::min(most_bytes_of_launch, most_bytes_together - std::min(most_bytes_together, written_bytes_));
    const size_t first = recording.allocations.size();
    for (size_t a = 0; a < recording.allocations.size(); ++a) {
        const uint64_t address = recording.allocations[a].address, size = recording.allocations[a].bytes;
        std::vector<uint64_t> begins;
        for (const auto& [number, offset] : reached_)
            if (number == a) begins.push_back(offset);
        for (const auto& [begin, end] : stretches(size, begins, most_bytes_)) {
            const uint64_t count = std::min(end - begin, room);
            if (count == 0) continue;
            Bytes bytes(count);
            if (const CUresult copied = copy(bytes, address + begin); copied != CUDA_SUCCESS) {
                recording.notes.push_back("memory was not recorded: cuMemcpyDtoHAsync gave error " + std::to_string(copied));
                continue;
            }
            const std::string file = "memory-" + std::to_string(a) + "-" + std::to_string(recording.allocations[a].pieces.size()) + ".bin";
            write_whole(folder + "/" + file, bytes.data(), bytes.size());
            recording.allocations[a].pieces.push_back({begin, count, file});
            room -= count;
            written_bytes_ += count;
            if (a >= first || size > most_followed) continue;
            for (size_t at = 0; begin % word_bytes == 0 && at + word_bytes <= bytes.size(); at += word_bytes)
                if (const auto pointer = reach(word_at(bytes, at), begin + at, recording))
                    recording.allocations[a].pointers.push_back(*pointer);
        }
    }
}

// Launches of one module share the file where the file system has links.
bool Recorder::write_ptx(const std::string& path, Loaded& loaded) {
    if (!loaded.written.empty() && ::link(loaded.written.c_str(), path.c_str()) == 0) return true;
    write_whole(path, loaded.text.data(), loaded.text.size());
    loaded.written = path;
    return true;
}

Recorder& recorder() {
    static Recorder* const only = new Recorder;  // NOLINT(cppcoreguidelines-owning-memory): see recorder.h
    return *only;
}

}  // namespace litmus::record
