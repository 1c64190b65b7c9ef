// Recordings that are not as the schema says, or contradict themselves: each is refused, and the message names the place.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/source.h"
#include "record/recorded_launch.h"
#include "record/recording.h"

using namespace litmus;
using namespace litmus::record;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class Folder {
public:
    Folder() : path_(fs::temp_directory_path() / ("litmus-recording-" + std::to_string(::getpid()))) { fs::create_directory(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path_); }
    std::string at(const std::string& name) const { return (path_ / name).string(); }
    std::string path() const { return path_.string(); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(at(name), std::ios::binary) << text; }

private:
    fs::path path_;
};

// Why it is refused; empty: it is not.
std::string refusal_of_text(const std::string& text) {
    const Folder folder;
    folder.write(launch_file, text);
    try {
        read_recording(folder.path());
    } catch (const Failure& failure) {
        return failure.what();
    }
    return {};
}

std::string refusal_of(const Json& json) {
    return refusal_of_text(json.dump());
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// With each part that a recording can have.
Json whole() {
    Recording recording;
    recording.kernel = "k";
    recording.program = "/app";
    recording.call = "cuLaunchKernel";
    recording.grid = {2, 1, 1};
    recording.block = {32, 1, 1};
    recording.cluster = {2, 1, 1};
    recording.shared_bytes = 1024;
    recording.allocations = {{4096, 1024, {{0, 16, "memory-0-0.bin"}, {32, 16, "memory-0-1.bin"}}, {{8, 1, 4}}}, {8192, 64, {}, {}}};
    recording.pointers = {{0, 0, 8}};
    TensorMap tiled;
    tiled.at = 64;
    tiled.address = 4096;
    tiled.sizes = {16, 8};
    tiled.strides = {64};
    tiled.box = {16, 4};
    tiled.steps = {1, 1};
    TensorMap im2col = tiled;
    im2col.im2col = true;
    im2col.at = 192;
    im2col.sizes = {4, 4, 2};
    im2col.strides = {16, 64};
    im2col.steps = {1, 1, 1};
    im2col.lower = {-1};
    im2col.upper = {1};
    im2col.channels = 4;
    im2col.pixels = 8;
    recording.tensor_maps = {tiled, im2col};
    recording.notes = {"a note"};
    return Json::parse(to_json(recording));
}

// All parts of a document by their pointers, as "/grid/0".
void each_part(const Json& json, const std::string& pointer, const std::function<void(const Json&, const std::string&)>& visit) {
    visit(json, pointer);
    if (json.is_object())
        for (const auto& [key, value] : json.items()) each_part(value, pointer + "/" + key, visit);
    for (size_t i = 0; json.is_array() && i < json.size(); ++i) each_part(json[i], pointer + "/" + std::to_string(i), visit);
}

// "/grid/0" as messages have it, "grid[0]".
std::string way_of(const std::string& pointer) {
    std::string way, word;
    std::istringstream words(pointer.substr(1));
    while (std::getline(words, word, '/'))
        way += word.find_first_not_of("0123456789") == std::string::npos ? "[" + word + "]" : (way.empty() ? "" : ".") + word;
    return way;
}

Json with(Json json, const std::string& pointer, const Json& value) {
    json[Json::json_pointer(pointer)] = value;
    return json;
}

}  // namespace

TEST_CASE("recordings: what has all parts is read") {
    CHECK(refusal_of(whole()).empty());
}

TEST_CASE("recordings: a number is whole, and no larger than there is room for") {
    size_t numbers = 0;
    each_part(whole(), "", [&](const Json& part, const std::string& pointer) {
        if (!part.is_number()) return;
        ++numbers;
        for (const Json& value :
             {Json(1.5), Json(1.0), Json(true), Json("1"), Json(nullptr), Json(1e20), Json::array({1}), Json(-5000000000)}) {
            const std::string said = refusal_of(with(whole(), pointer, value));
            INFO(pointer << " " << value << "\n" << said);
            CHECK(has(said, "`" + way_of(pointer) + "` is "));
        }
        const bool is_long = has(pointer, "address") || has(pointer, "/number") || pointer == "/allocations/1/bytes";
        if (!is_long) CHECK(has(refusal_of(with(whole(), pointer, uint64_t{1} << 50)), launch_file));
    });
    CHECK(numbers > 50);
}

TEST_CASE("recordings: each key is there once, and no other") {
    each_part(whole(), "", [&](const Json& part, const std::string& pointer) {
        if (!part.is_object()) return;
        INFO(pointer);
        CHECK(has(refusal_of(with(whole(), pointer + "/other", 1)), "has a key `other`, which nobody knows here"));
        for (const auto& [key, value] : part.items()) {
            Json less = whole();
            less[Json::json_pointer(pointer)].erase(key);
            INFO(key);
            CHECK_FALSE(refusal_of(less).empty());
        }
    });
    std::string twice = whole().dump();
    twice.insert(1, "\"grid\":[1,1,1],");
    const std::string said = refusal_of_text(twice);
    CHECK(has(said, "launch.json:1:"));
    CHECK(has(said, "error: this key is there twice"));
    CHECK_FALSE(has(said, "cuLaunchKernel"));  // it may be a file of another kind
}

TEST_CASE("recordings: numbers agree with each other") {
    const auto refused = [](const std::string& pointer, const Json& value, const std::string& why) {
        const std::string said = refusal_of(with(whole(), pointer, value));
        INFO(pointer << "\n" << said);
        CHECK(has(said, why));
    };
    refused("/grid", {1, 1}, "`grid` has 2 elements, and 3 are possible");
    refused("/grid", {1, 1, 1, 1}, "`grid` has 4 elements, and 3 are possible");
    refused("/block/1", 0, "`block[1]` is 0, and no whole number from 1 to 4294967295");
    refused("/grid/0", 4294967297, "`grid[0]` is 4294967297, and no whole number from 1 to 4294967295");
    refused("/shared_bytes", 262145, "`shared_bytes` is 262145, and no whole number from 0 to 262144");
    refused("/version", 2, "it has another version than 1");
    refused("/call", "system", "`call` is no call that launches a kernel");
    refused("/parameters", "/etc/passwd", "`parameters` is \"/etc/passwd\", and has to be \"parameters.bin\"");
    refused("/without_ptx", "none", "it has either `ptx` or `without_ptx`");
    // allocations have their bytes below 2^64, and none in common; pieces lie in them, in order
    refused("/allocations/1/address", UINT64_MAX - 63, "`allocations[1].bytes` is 64, and no whole number from 1 to 63");
    refused("/allocations/1/bytes", 0, "`allocations[1].bytes` is 0");
    refused("/allocations/1/address", 5119, "`allocations[0]` and `allocations[1]` overlap");
    CHECK(refusal_of(with(whole(), "/allocations/1/address", 5120)).empty());
    refused("/allocations/1/address", 4033, "`allocations[0]` and `allocations[1]` overlap");
    CHECK(refusal_of(with(whole(), "/allocations/1/address", 4032)).empty());
    refused("/allocations/0/pieces/1/at", 15, "`allocations[0].pieces[1].at` is 15, and no whole number from 16 to 1023");
    refused("/allocations/0/pieces/1/bytes", 993, "`allocations[0].pieces[1].bytes` is 993, and no whole number from 1 to 992");
    refused("/allocations/0/pieces/1/bytes", UINT64_MAX - 8, "and no whole number from 1 to 992");
    // pointers lead from where 8 bytes are to a byte that is there
    refused("/allocations/0/pointers/0/at", 1017, "`allocations[0].pointers[0].at` is 1017, and no whole number from 0 to 1016");
    refused("/allocations/0/pointers/0/allocation", 2, "is 2, and no whole number from 0 to 1");
    refused("/allocations/0/pointers/0/offset", 64, "is 64, and no whole number from 0 to 63");
    refused("/pointers/0/at", 32757, "`pointers[0].at` is 32757, and no whole number from 0 to 32756");
    refused("/pointers/0/offset", 1024, "`pointers[0].offset` is 1024");
    // they are in order, and no byte is in two of them, nor in a tensor map
    const Json again = {{"at", 7}, {"allocation", 0}, {"offset", 0}}, more = {{"at", 15}, {"allocation", 0}, {"offset", 0}};
    refused("/pointers/1", again, "`pointers[1].at` is 7, and no whole number from 8 to 32756");
    refused("/allocations/0/pointers/1", more, "`allocations[0].pointers[1].at` is 15, and no whole number from 16 to 1016");
    refused("/pointers/0/at", 57, "`pointers[0]` lies in `tensor_maps[0]`");
    CHECK(refusal_of(with(whole(), "/pointers/0/at", 56)).empty());
    refused("/pointers/0/at", 319, "`pointers[0]` lies in `tensor_maps[1]`");
    CHECK(refusal_of(with(whole(), "/pointers/0/at", 320)).empty());
}

TEST_CASE("recordings: tensor maps have the shapes that there are") {
    const auto refused = [](const std::string& field, const Json& value, const std::string& why, int map = 0) {
        const std::string said = refusal_of(with(whole(), "/tensor_maps/" + std::to_string(map) + "/" + field, value));
        INFO(field << "\n" << said);
        CHECK(has(said, "`tensor_maps[" + std::to_string(map) + "]"));
        CHECK(has(said, why));
    };
    refused("box", std::vector<uint32_t>(40, 0x43434343), "the tensor has 2 dimensions, and its box 40");
    refused("box", {16}, "the tensor has 2 dimensions, and its box 1");
    refused("box/0", 257, "length 1 of the box is 257, and each is from 1 to 256");
    refused("box/0", 0, "length 1 of the box is 0");
    refused("sizes", Json::array(), "the tensor has 0 dimensions");
    refused("sizes", {1, 1, 1, 1, 1, 1}, "the tensor has 6 dimensions, and 1 to 5 are possible");
    refused("sizes/1", 0, "size 2 is 0");
    refused("strides", Json::array(), "there is one stride less than sizes");
    refused("strides", {64, 64}, "there is one stride less than sizes");
    refused("strides/0", uint64_t{1} << 40U, "stride 1 is 1099511627776");
    refused("address", UINT64_MAX - 64, "the tensor reaches beyond the last address");
    refused("steps", {1}, "there is one step for each size");
    refused("steps/0", 9, "a step is from 1 to 8");
    refused("steps/0", 0, "a step is from 1 to 8");
    refused("kind", "round", "has to be \"tiled\"");
    refused("at", 191, "`tensor_maps[1].at` is 191, and no whole number from 192 to 32636", 1);
    refused("at", 32637, "no whole number from 192 to 32636", 1);
    refused("address", 4097, "multiples of 16 bytes");
    refused("strides/0", 72, "multiples of 16 bytes");
    for (const auto& [field, last] : {std::pair("type", 15), {"interleave", 2}, {"swizzle", 6}, {"promotion", 3}, {"fill", 1}}) {
        refused(field, last + 1,
                "`tensor_maps[0]." + std::string(field) + "` is " + std::to_string(last + 1) + ", and no whole number from 0");
        CHECK(refusal_of(with(whole(), "/tensor_maps/0/" + std::string(field), last)).empty());
    }
    refused("lower", Json::array(), "two corners less", 1);
    refused("upper", {1, 1}, "two corners less", 1);
    refused("sizes", {4, 4}, "one stride less", 1);
}

TEST_CASE("recordings: launch.json is a file of its folder") {
    const Folder folder;
    const auto said = [&] {
        try {
            read_recording(folder.path());
        } catch (const Failure& failure) {
            return std::string(failure.what());
        }
        return std::string("nothing");
    };
    const std::string outside = folder.path() + "-outside.json";
    std::ofstream(outside) << whole().dump();
    fs::create_symlink(outside, folder.at(launch_file));
    CHECK(has(said(), "it is a link that leads out of its folder"));
    fs::remove(outside);
    fs::remove(folder.at(launch_file));
    REQUIRE(::mkfifo(folder.at(launch_file).c_str(), 0600) == 0);
    CHECK(has(said(), "it is no regular file"));
    fs::remove(folder.at(launch_file));
    fs::create_symlink("/dev/zero", folder.at(launch_file));
    CHECK(has(said(), "it is a link that leads out of its folder"));
    fs::remove(folder.at(launch_file));
    folder.write("other.json", whole().dump());
    fs::create_symlink("other.json", folder.at(launch_file));
    CHECK(said() == "nothing");
    CHECK_THROWS_AS(read_recording(folder.path(), Budget(1e-9)), OverBudget);
}
