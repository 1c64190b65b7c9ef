// launch.json read back: every key is there and of its kind, else a Failure says which is not.
#include <nlohmann/json.hpp>
#include <optional>

#include "base/own_files.h"
#include "base/source.h"
#include "record/recording.h"

namespace litmus::record {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_json_bytes = size_t{16} << 20;

template <typename Value>
void read(const Json& json, const char* key, Value& value) {
    json.at(key).get_to(value);
}

Allocation allocation_of(const Json& json) {
    Allocation allocation;
    read(json, "address", allocation.address);
    read(json, "bytes", allocation.bytes);
    uint64_t end = 0;
    for (const Json& one : json.at("pieces")) {
        Piece piece;
        read(one, "at", piece.at);
        read(one, "bytes", piece.bytes);
        read(one, "file", piece.file);
        if (piece.at < end || piece.at > allocation.bytes || piece.bytes > allocation.bytes - piece.at)
            throw Failure(nullptr, {}, "the piece " + piece.file + " lies outside of its allocation, or over another");
        end = piece.at + piece.bytes;
        allocation.pieces.push_back(std::move(piece));
    }
    return allocation;
}

// `whole`: how many bytes they are among; none: the parameters, whose number the kernel says.
std::vector<RecordedPointer> pointers_of(const Json& json, const std::vector<Allocation>& allocations, std::optional<uint64_t> whole = {}) {
    constexpr uint64_t pointer_bytes = 8;
    std::vector<RecordedPointer> pointers;
    for (const Json& one : json) {
        RecordedPointer& pointer = pointers.emplace_back();
        read(one, "at", pointer.at);
        read(one, "allocation", pointer.allocation);
        read(one, "offset", pointer.offset);
        const bool inside = !whole || (*whole >= pointer_bytes && pointer.at <= *whole - pointer_bytes);
        if (!inside || pointer.allocation >= allocations.size() || pointer.offset >= allocations[pointer.allocation].bytes)
            throw Failure(nullptr, {}, "the pointer at byte " + std::to_string(pointer.at) + " leads into no allocation");
    }
    return pointers;
}

TensorMap map_of(const Json& json) {
    TensorMap map;
    map.im2col = json.at("kind") == "im2col";
    read(json, "at", map.at);
    each_argument(map, [&](const char* key, auto& value) { read(json, key, value); });
    return map;
}

Recording recording_of(const Json& json) {
    if (json.at("version") != 1) throw Failure(nullptr, {}, "it has another version than 1", "record the launch again");
    Recording recording;
    read(json, "kernel", recording.kernel);
    read(json, "program", recording.program);
    read(json, "call", recording.call);
    read(json, "number", recording.number);
    read(json, "grid", recording.grid);
    read(json, "block", recording.block);
    if (const Json& cluster = json.at("cluster"); !cluster.is_null()) cluster.get_to(recording.cluster.emplace());
    read(json, "shared_bytes", recording.shared_bytes);
    if (!json.contains("ptx")) read(json, "without_ptx", recording.without_ptx);
    for (const Json& one : json.at("allocations")) recording.allocations.push_back(allocation_of(one));
    for (size_t a = 0; a < recording.allocations.size(); ++a)
        recording.allocations[a].pointers =
            pointers_of(json.at("allocations").at(a).at("pointers"), recording.allocations, recording.allocations[a].bytes);
    recording.pointers = pointers_of(json.at("pointers"), recording.allocations);
    for (const Json& one : json.at("tensor_maps")) recording.tensor_maps.push_back(map_of(one));
    read(json, "notes", recording.notes);
    return recording;
}

}  // namespace

Recording read_recording(const std::string& folder) {
    const std::string path = folder + "/" + launch_file;
    const SourcePtr source = read_regular(path, most_json_bytes);
    const auto failure = [&](const std::string& why, const std::string& hint) {
        return Failure(nullptr, {}, path + " is no recorded launch: " + why, hint);
    };
    try {
        return recording_of(Json::parse(source->text));
    } catch (const Json::exception& error) {
        throw failure(error.what(), "`litmus record` writes such folders");
    } catch (const Failure& error) {
        throw failure(error.diagnostics().front().message, error.diagnostics().front().hint);
    }
}

}  // namespace litmus::record
