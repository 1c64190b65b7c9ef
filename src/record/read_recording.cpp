// launch.json read back. Every key is there and of its kind, and every number is in its range (src/schemas/recorded.json) and in keeping
// with the others, or a Failure says which is not. Nobody who has a Recording needs to look at this again.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string_view>

#include "base/own_files.h"
#include "base/source.h"
#include "base/strict_json.h"
#include "base/visible.h"
#include "kernel/dimensions.h"
#include "kernel/parameters.h"
#include "kernel/tensor_shape.h"
#include "record/recording.h"

namespace litmus::record {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_json_bytes = size_t{16} << 20;
constexpr uint64_t most_element_bytes = 8;  // of CUtensorMapDataType
constexpr uint64_t map_alignment = 16;
// The last value of each enumeration of the driver API (CUDA 13.0).
constexpr uint32_t last_type = 15, last_interleave = 2, last_swizzle = 6, last_promotion = 3, last_fill = 1;
constexpr std::array<std::string_view, 5> calls{"cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel", "cuGraphAddKernelNode",
                                                "cuGraphAddNode"};

// A part of the document with the way to it, so that a refusal can say where: "tensor_maps[0].box[3]". The part that it belongs to outlives
// it.
class Part {
public:
    explicit Part(const Json& root) : json_(root) {}

    [[noreturn]] void refuse(const std::string& why) const {
        const std::string where = way();
        throw Failure(nullptr, {}, (where.empty() ? "it" : "`" + where + "`") + " " + why);
    }

    // That of a key, which must be there.
    Part operator[](const char* key) const {
        const auto found = find(key);
        if (found == json_.end()) refuse(std::string("has no `") + key + "`");
        return {*found, this, key, 0};
    }
    bool has(const char* key) const { return find(key) != json_.end(); }

    // An object has no other keys than these.
    void require_known(std::initializer_list<std::string_view> keys) const {
        for (const auto& [key, value] : json_.items())
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) refuse("has a key `" + visible(key) + "`, which nobody knows here");
    }

    // Calls with each element of a list of at least and at most so many.
    template <typename Visit>
    void each(const Visit& visit, size_t least = 0, size_t most = std::numeric_limits<size_t>::max()) const {
        if (!json_.is_array()) refuse("is " + brief_json(json_) + ", and no list");
        if (json_.size() < least || json_.size() > most)
            refuse("has " + std::to_string(json_.size()) + " elements, and " + std::to_string(least) +
                   (least == most ? "" : " to " + std::to_string(most)) + " are possible");
        for (size_t i = 0; i < json_.size(); ++i) visit(Part(json_[i], this, nullptr, i));
    }

    template <typename Number>
    void read(Number& value, Number least = std::numeric_limits<Number>::min(), Number most = std::numeric_limits<Number>::max()) const {
        const std::optional<Number> number = whole_number(json_, least, most);
        if (!number)
            refuse("is " + brief_json(json_) + ", and no whole number from " + std::to_string(least) + " to " + std::to_string(most));
        value = *number;
    }
    template <typename Number>
    void read(std::vector<Number>& values) const {
        each([&](const Part& one) { one.read(values.emplace_back()); });
    }
    void read(std::string& text) const {
        if (!json_.is_string()) refuse("is " + brief_json(json_) + ", and no text");
        text = json_.get_ref<const std::string&>();
    }
    // Blocks or threads in three dimensions.
    void read(std::array<uint32_t, 3>& dimensions) const {
        size_t place = 0;
        each([&](const Part& one) { one.read(dimensions[place++], uint32_t{1}); }, dimensions.size(), dimensions.size());
    }

    void require_text(std::string_view text) const {
        if (json_ != text) refuse("is " + brief_json(json_) + ", and has to be \"" + std::string(text) + "\"");
    }
    bool is_null() const { return json_.is_null(); }

private:
    Part(const Json& json, const Part* whole, const char* key, size_t index) : json_(json), whole_(whole), key_(key), index_(index) {}

    Json::const_iterator find(const char* key) const {
        if (!json_.is_object()) refuse("is " + brief_json(json_) + ", and no object");
        return json_.find(key);
    }

    std::string way() const {
        if (whole_ == nullptr) return {};
        const std::string before = whole_->way();
        if (key_ == nullptr) return before + "[" + std::to_string(index_) + "]";
        return before + (before.empty() ? "" : ".") + key_;
    }

    const Json& json_;
    const Part* whole_ = nullptr;
    const char* key_ = nullptr;  // null: it is an element
    size_t index_ = 0;
};

Allocation allocation_of(const Part& part) {
    part.require_known({"address", "bytes", "pieces", "pointers"});
    Allocation allocation;
    part["address"].read(allocation.address);
    part["bytes"].read(allocation.bytes, uint64_t{1}, std::numeric_limits<uint64_t>::max() - allocation.address);
    uint64_t end = 0;
    part["pieces"].each([&](const Part& one) {
        one.require_known({"at", "bytes", "file"});
        Piece piece;
        one["at"].read(piece.at, end, allocation.bytes - 1);
        one["bytes"].read(piece.bytes, uint64_t{1}, allocation.bytes - piece.at);
        one["file"].read(piece.file);
        end = piece.at + piece.bytes;
        allocation.pieces.push_back(std::move(piece));
    });
    return allocation;
}

// `whole`: how many bytes they are among. They are in order, and no byte is in two of them.
std::vector<RecordedPointer> pointers_of(const Part& part, const std::vector<Allocation>& allocations, uint64_t whole) {
    std::vector<RecordedPointer> pointers;
    uint64_t end = 0;
    part.each([&](const Part& one) {
        one.require_known({"at", "allocation", "offset"});
        if (whole < pointer_bytes || allocations.empty()) one.refuse("is an address where none can be");
        RecordedPointer& pointer = pointers.emplace_back();
        one["at"].read(pointer.at, end, whole - pointer_bytes);
        end = pointer.at + pointer_bytes;
        one["allocation"].read(pointer.allocation, size_t{0}, allocations.size() - 1);
        one["offset"].read(pointer.offset, uint64_t{0}, allocations[pointer.allocation].bytes - 1);
    });
    return pointers;
}

// No byte is in two of them.
void require_apart(const std::vector<Allocation>& allocations) {
    std::vector<size_t> order(allocations.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return allocations[a].address < allocations[b].address; });
    for (size_t i = 1; i < order.size(); ++i) {
        const Allocation& before = allocations[order[i - 1]];
        if (allocations[order[i]].address - before.address < before.bytes)
            throw Failure(nullptr, {},
                          "`allocations[" + std::to_string(std::min(order[i - 1], order[i])) + "]` and `allocations[" +
                              std::to_string(std::max(order[i - 1], order[i])) + "]` overlap");
    }
}

// Refuses numbers that cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col do not take together.
void require_shape(const Part& part, const TensorMap& map) {
    const size_t dimensions = map.sizes.size();
    std::string why = kernel::wrong_shape(map.address, most_element_bytes, map.sizes, map.strides);
    if (why.empty() && map.strides.size() + 1 != dimensions) why = "there is one stride less than sizes";
    if (why.empty() && map.steps.size() != dimensions) why = "there is one step for each size";
    if (why.empty() && std::any_of(map.steps.begin(), map.steps.end(), [](uint32_t step) { return step < 1 || step > 8; }))
        why = "a step is from 1 to 8";
    if (why.empty() && !map.im2col) why = kernel::wrong_box({map.box.begin(), map.box.end()}, dimensions);
    if (why.empty() && map.im2col && (dimensions < 3 || map.lower.size() + 2 != dimensions || map.upper.size() != map.lower.size()))
        why = "a map of im2col has three dimensions at least, and two corners less";
    const auto is_aligned = [](uint64_t bytes) { return bytes % map_alignment == 0; };
    if (why.empty() && !(is_aligned(map.address) && std::all_of(map.strides.begin(), map.strides.end(), is_aligned)))
        why = "the address and the strides are multiples of " + std::to_string(map_alignment) + " bytes";
    if (!why.empty()) part.refuse("is no tensor map: " + why);
}

// That begins at this byte of the parameters, or behind it.
TensorMap map_of(const Part& part, uint64_t begin) {
    TensorMap map;
    std::string kind;
    part["kind"].read(kind);
    map.im2col = kind == "im2col";
    if (!map.im2col) part["kind"].require_text("tiled");
    if (map.im2col)
        part.require_known({"at", "kind", "type", "address", "sizes", "strides", "steps", "interleave", "swizzle", "promotion", "fill",
                            "lower", "upper", "channels", "pixels"});
    else
        part.require_known(
            {"at", "kind", "type", "address", "sizes", "strides", "steps", "interleave", "swizzle", "promotion", "fill", "box"});
    part["at"].read(map.at, begin, kernel::most_parameter_bytes - map_bytes);
    each_argument(map, [&](const char* key, auto& value) { part[key].read(value); });
    part["type"].read(map.type, uint32_t{0}, last_type);
    part["interleave"].read(map.interleave, uint32_t{0}, last_interleave);
    part["swizzle"].read(map.swizzle, uint32_t{0}, last_swizzle);
    part["promotion"].read(map.promotion, uint32_t{0}, last_promotion);
    part["fill"].read(map.fill, uint32_t{0}, last_fill);
    require_shape(part, map);
    return map;
}

// The bytes of a map are no address. Both are in order.
void require_no_pointer_in_map(const Part& pointers, const Recording& recording) {
    size_t map = 0, p = 0;
    pointers.each([&](const Part& one) {
        const uint64_t at = recording.pointers[p++].at;
        const std::vector<TensorMap>& maps = recording.tensor_maps;
        while (map < maps.size() && maps[map].at + map_bytes <= at) ++map;
        if (map < maps.size() && maps[map].at < at + pointer_bytes) one.refuse("lies in `tensor_maps[" + std::to_string(map) + "]`");
    });
}

Recording recording_of(const Part& root) {
    if (uint32_t version = 0; root["version"].read(version), version != 1)
        throw Failure(nullptr, {}, "it has another version than 1", "record the launch again");
    root.require_known({"version", "kernel", "program", "call", "number", "grid", "block", "cluster", "shared_bytes", "ptx", "without_ptx",
                        "parameters", "allocations", "pointers", "tensor_maps", "notes"});
    Recording recording;
    root["kernel"].read(recording.kernel);
    root["program"].read(recording.program);
    root["call"].read(recording.call);
    if (std::find(calls.begin(), calls.end(), recording.call) == calls.end()) root["call"].refuse("is no call that launches a kernel");
    root["number"].read(recording.number, uint64_t{1});
    root["grid"].read(recording.grid);
    root["block"].read(recording.block);
    if (!root["cluster"].is_null()) root["cluster"].read(recording.cluster.emplace());
    root["shared_bytes"].read(recording.shared_bytes, uint32_t{0}, kernel::most_shared_bytes);
    root["parameters"].require_text(parameters_file);
    if (root.has("ptx") == root.has("without_ptx")) root.refuse("has either `ptx` or `without_ptx`");
    if (root.has("ptx"))
        root["ptx"].require_text(ptx_file);
    else
        root["without_ptx"].read(recording.without_ptx);
    const Part allocations = root["allocations"];
    allocations.each([&](const Part& one) { recording.allocations.push_back(allocation_of(one)); });
    require_apart(recording.allocations);
    size_t a = 0;
    allocations.each([&](const Part& one) {
        Allocation& allocation = recording.allocations[a++];
        allocation.pointers = pointers_of(one["pointers"], recording.allocations, allocation.bytes);
    });
    recording.pointers = pointers_of(root["pointers"], recording.allocations, kernel::most_parameter_bytes);
    uint64_t end = 0;  // of the map before
    root["tensor_maps"].each([&](const Part& one) {
        recording.tensor_maps.push_back(map_of(one, end));
        end = recording.tensor_maps.back().at + map_bytes;
    });
    require_no_pointer_in_map(root["pointers"], recording);
    root["notes"].each([&](const Part& one) { one.read(recording.notes.emplace_back()); });
    return recording;
}

}  // namespace

Recording read_recording(const std::string& folder, const Budget& budget) {
    const std::string path = folder + "/" + launch_file;
    budget.check();
    const SourcePtr source = read_own(path, folder, most_json_bytes);
    try {
        return recording_of(Part(strict_json<Json>(source->text, budget)));
    } catch (const NoJson& error) {  // what is no JSON may be anything, and is not quoted
        throw Failure(make_source(path, source->text, false), error.span, error.what(), "`litmus record` writes such folders");
    } catch (const Failure& error) {
        throw Failure(nullptr, {}, path + " is no recorded launch: " + error.diagnostics().front().message,
                      error.diagnostics().front().hint);
    }
}

}  // namespace litmus::record
