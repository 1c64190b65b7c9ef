// A recorded launch as JSON (see recording.h).
#include "record/recording.h"

#include <nlohmann/json.hpp>

namespace litmus::record {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::vector<RecordedPointer>& pointers) {
    Json json = Json::array();
    for (const RecordedPointer& pointer : pointers)
        json.push_back({{"at", pointer.at}, {"allocation", pointer.allocation}, {"offset", pointer.offset}});
    return json;
}

Json json_of(const Allocation& allocation) {
    Json pieces = Json::array();
    for (const Piece& piece : allocation.pieces) pieces.push_back({{"at", piece.at}, {"bytes", piece.bytes}, {"file", piece.file}});
    return {{"address", allocation.address}, {"bytes", allocation.bytes}, {"pieces", pieces}, {"pointers", json_of(allocation.pointers)}};
}

Json json_of(const TensorMap& map) {
    Json json{{"at", map.at}, {"kind", map.im2col ? "im2col" : "tiled"}};
    each_argument(map, [&](const char* key, const auto& value) { json[key] = value; });
    return json;
}

}  // namespace

std::string to_json(const Recording& recording) {
    Json json{{"version", 1},
              {"kernel", recording.kernel},
              {"program", recording.program},
              {"call", recording.call},
              {"number", recording.number},
              {"grid", recording.grid},
              {"block", recording.block},
              {"cluster", recording.cluster ? Json(*recording.cluster) : Json()},
              {"shared_bytes", recording.shared_bytes}};
    if (recording.without_ptx.empty())
        json["ptx"] = ptx_file;
    else
        json["without_ptx"] = recording.without_ptx;
    json["parameters"] = parameters_file;
    json["allocations"] = Json::array();
    for (const Allocation& allocation : recording.allocations) json["allocations"].push_back(json_of(allocation));
    json["pointers"] = json_of(recording.pointers);
    json["tensor_maps"] = Json::array();
    for (const TensorMap& map : recording.tensor_maps) json["tensor_maps"].push_back(json_of(map));
    json["notes"] = recording.notes;
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace litmus::record
