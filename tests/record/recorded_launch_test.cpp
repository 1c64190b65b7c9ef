// Recorded launches read back. example/ was written by `litmus record --bytes 512` of tests/harness/recorded_program.cpp, in the ways
// `inside` and `mapped`; the name of the program is changed.
#include "record/recorded_launch.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/source.h"

using namespace litmus;
using namespace litmus::record;

namespace {

std::string example(const std::string& name) {
    return (std::filesystem::path(LITMUS_SOURCE_DIR) / "tests/record/example" / name).string();
}

kernel::Launch launch_with(const Recording& recording, const kernel::LaunchTexts& instead = {}) {
    const std::string folder = example("ring-1");
    const kernel::Module module = kernel::read_module(read_source(folder + "/" + ptx_file));
    return recorded_launch(module, recording, folder, instead);
}

std::string refusal(const Recording& recording, const kernel::LaunchTexts& instead = {}) {
    try {
        launch_with(recording, instead);
    } catch (const Failure& failure) {
        return failure.diagnostics().front().message;
    }
    return "none";
}

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

TEST_CASE("recorded: what is read is what is written") {
    for (const char* name : {"ring-1", "mapped-1"}) {
        std::ifstream file(example(name) + "/" + launch_file);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        CHECK(to_json(read_recording(example(name))) == text);
    }
}

TEST_CASE("recorded: a map of columns, a cluster and notes come back, too") {
    Recording recording = read_recording(example("mapped-1"));
    TensorMap& map = recording.tensor_maps.front();
    map.im2col = true;
    map.sizes = {8, 12, 2};
    map.strides = {32, 384};
    map.steps = {1, 1, 1};
    map.box.clear();
    map.lower = {-1};
    map.upper = {1};
    map.channels = 8;
    map.pixels = 16;
    recording.cluster = {2, 1, 1};
    recording.notes = {"a \"note\""};
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("litmus-recorded-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    std::ofstream(folder / launch_file) << to_json(recording);
    const Recording back = read_recording(folder.string());
    std::filesystem::remove_all(folder);
    CHECK(to_json(back) == to_json(recording));
    CHECK(back.tensor_maps.front().lower == std::vector<int32_t>{-1});
}

// Both parameters lead into one allocation of 4 MiB, 2 MiB and 384 bytes behind that.
TEST_CASE("recorded: an allocation is an array, and addresses lead into it") {
    const kernel::Launch launch = launch_with(read_recording(example("ring-1")));
    CHECK(launch.entry == "ring");
    CHECK(launch.block == kernel::Dimensions{64, 1, 1});
    REQUIRE(launch.arrays.size() == 1);
    const kernel::Array& array = launch.arrays.front();
    CHECK(array.name == "arg0");
    CHECK_FALSE(array.typed);
    REQUIRE(array.bytes.size() == 4 << 20);
    CHECK(array.bytes[(2 << 20) + 5] == 0x00);
    CHECK(array.bytes[(2 << 20) + 1] == 0x00);
    CHECK(array.bytes[(2 << 20) + 2] == 0x08);  // its words count from 0, so this one is 0x80000
    REQUIRE(launch.arguments.size() == 3);
    CHECK(launch.arguments[0].pointers.front().offset == 2 << 20);
    CHECK(launch.arguments[1].pointers.front().offset == (2 << 20) + 384);
    CHECK(launch.arguments[2].pointers.empty());
    CHECK(launch.arguments[2].text == "arg2=3");
    CHECK(launch.arguments[1].text == "arg1=[2096768 bytes]");
    REQUIRE(launch.notes.size() == 1);
    CHECK(launch.notes.front() == "arg0: 896 of its 4194304 bytes were recorded; the others count as zeros");
}

TEST_CASE("recorded: what is given takes the place of what was recorded") {
    Recording recording = read_recording(example("ring-1"));
    recording.grid = {1000, 1, 1};
    recording.shared_bytes = 16;
    CHECK(launch_with(recording, {.grid = "2", .shared_bytes = 64}).grid == kernel::Dimensions{2, 1, 1});
    CHECK(launch_with(recording, {.grid = "2", .shared_bytes = 64}).shared_bytes == 64);
    CHECK(launch_with(recording).shared_bytes == 16);
    recording.grid = {100000, 1, 1};
    CHECK(ends_with(refusal(recording), "and at most 65536 are run"));
    CHECK(refusal(recording, {.entry = "other"}) == "there is no kernel `other` in this file");
}

// An allocation that is larger than all arrays together may be is cut, from where an address leads on; others keep what they have.
TEST_CASE("recorded: a large allocation is cut") {
    Recording recording = read_recording(example("ring-1"));
    recording.allocations.front().bytes = uint64_t{1} << 40;
    recording.allocations.push_back({1, 1000});
    const kernel::Launch launch = launch_with(recording);
    constexpr size_t most = 64 << 20;
    CHECK(launch.arrays.back().bytes.size() == 1000);
    CHECK(launch.arrays.front().bytes.size() == most - 1000);
    CHECK(launch.arguments[0].pointers.front().offset == 0);
    CHECK(launch.arguments[1].pointers.front().offset == 384);
    CHECK(launch.notes.front() ==
          "arg0 is 67107864 of the 1099511627776 bytes of an allocation; an access to the others is said to be out of bounds");
    recording.pointers.back().offset = uint64_t{1} << 39;
    CHECK(ends_with(refusal(recording), "its memory takes more than 64 MiB"));
}

TEST_CASE("recorded: a map of tiles is one of an array, unless its tiles have gaps") {
    Recording recording = read_recording(example("ring-1"));
    TensorMap map;
    map.type = 4;
    map.address = recording.allocations.front().address + 1024;
    map.sizes = {64, 8};
    map.strides = {256};
    map.box = {32, 8};
    map.steps = {1, 1};
    recording.tensor_maps = {map};
    const kernel::Launch launch = launch_with(recording);
    REQUIRE(launch.arguments[0].maps.size() == 1);
    CHECK(launch.arguments[0].maps.front().offset == 1024);
    CHECK(launch.arguments[0].maps.front().box == std::vector<uint64_t>{32, 8});
    recording.tensor_maps.front().steps = {2, 1};
    CHECK(launch_with(recording).arguments[0].maps.empty());
    recording.tensor_maps.front().steps = {1, 1};
    recording.tensor_maps.front().interleave = 1;
    CHECK(launch_with(recording).arguments[0].maps.empty());
}

TEST_CASE("recorded: addresses in an allocation lead on") {
    Recording recording = read_recording(example("ring-1"));
    recording.allocations.push_back({1, 64, {}, {{8, 0, 2 << 20}}});
    const kernel::Launch launch = launch_with(recording);
    REQUIRE(launch.arrays.back().pointers.size() == 1);
    CHECK(launch.arrays.back().pointers.front().at == 8);
    CHECK(launch.arrays.back().pointers.front().array == 0);
    CHECK(launch.arrays.back().pointers.front().offset == 2 << 20);
}

TEST_CASE("recorded: a member of a struct names its array") {
    Recording recording = read_recording(example("ring-1"));
    recording.pointers.erase(recording.pointers.begin());
    CHECK(launch_with(recording).arrays.front().name == "arg1");
    recording.pointers.clear();
    CHECK(launch_with(recording).arrays.front().name == "memory0");
    recording.notes = {"a note\nof two lines"};
    CHECK(launch_with(recording).notes.back() == "a note\\nof two lines");
}

TEST_CASE("recorded: of many launches, allocations and parameters each is looked at a few times") {
    const std::string folder = example("ring-1");
    Recording recording = read_recording(folder);
    const uint64_t behind = recording.allocations.front().address + recording.allocations.front().bytes;
    for (uint64_t i = 0; i < 10'000; ++i) {
        recording.allocations.push_back({behind + 4096 * i, 4096, {}, {{0, 0, 0}, {8, 1 + i, 8}}});
        recording.pointers.push_back({16, 1 + i, 16});
        TensorMap map;
        map.at = 16;
        map.address = behind + 4096 * i;
        map.sizes = {1};
        map.box = map.steps = {1};
        recording.tensor_maps.push_back(map);
    }
    const double start = worked();
    CHECK(launch_with(recording).arrays.size() == 10'001);
    CHECK(worked() - start < 10);  // 10,000 times as much, where each looks at all others
}

TEST_CASE("recorded: launches of one program have the same arrays") {
    const std::string folder = example("ring-1");
    const kernel::Module module = kernel::read_module(read_source(folder + "/" + ptx_file));
    const Recording first = read_recording(folder);
    const uint64_t address = first.allocations.front().address, bytes = first.allocations.front().bytes;
    REQUIRE(first.allocations.front().pieces.size() == 1);
    Recording second = first;  // it has another one before, and the same one cut in two, of which nothing is recorded
    second.allocations = {{address + 2048, bytes - 2048, {}, {}}, {address - (1 << 20), 512, {}, {{8, 0, 16}}}};
    second.pointers = {{0, 0, 4}, {8, 1, 32}};
    const std::vector<kernel::Launch> both = recorded_launches({&module, &module}, {first, second}, {folder, folder});
    REQUIRE(both.size() == 2);
    for (const kernel::Launch& launch : both) {
        REQUIRE(launch.arrays.size() == 2);
        CHECK(launch.arrays[0].bytes.size() == 512);
        CHECK(launch.arrays[1].bytes.size() == bytes);
    }
    CHECK(both[0].arguments[0].pointers.front().array == 1);
    CHECK(both[0].arguments[0].pointers.front().offset == 2 << 20);
    CHECK(both[0].arrays[1].recorded == std::vector<std::pair<uint64_t, uint64_t>>{{2 << 20, 896}});
    CHECK(both[1].arrays[1].recorded.empty());
    CHECK(both[1].arguments[0].pointers.front().array == 1);
    CHECK(both[1].arguments[0].pointers.front().offset == 2052);
    CHECK(both[1].arguments[1].pointers.front().array == 0);
    REQUIRE(both[1].arrays[0].pointers.size() == 1);
    CHECK(both[1].arrays[0].pointers.front().at == 8);
    CHECK(both[1].arrays[0].pointers.front().array == 1);
    CHECK(both[1].arrays[0].pointers.front().offset == 2064);
}
