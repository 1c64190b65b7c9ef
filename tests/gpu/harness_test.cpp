// What the harness says and writes: messages about machines, the progress line, files that are there whole or not at all.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gpu/emit/emit.h"
#include "gpu/parts.h"
#include "gpu/run/advice.h"
#include "gpu/run/observed.h"
#include "gpu/run/progress.h"
#include "language/syntax/native/dsl.h"

namespace fs = std::filesystem;
using namespace litmus;
using namespace litmus::gpu;

namespace {

struct OutputFolder {
    fs::path path = fs::temp_directory_path() / ("litmus-harness-" + std::to_string(getpid()));
    OutputFolder() { fs::create_directories(path); }
    ~OutputFolder() { fs::remove_all(path); }
};

std::string content(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

size_t files_in(const fs::path& folder) {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder)) count += entry.exists() ? 1 : 0;
    return count;
}

}  // namespace

TEST_CASE("each machine without a usable GPU gets one line that says what to do") {
    const std::string none = advice("cuInit", 100, "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected");
    CHECK(none ==
          "no usable GPU (cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected): run this where nvidia-smi lists a GPU, and "
          "leave it in CUDA_VISIBLE_DEVICES");
    CHECK(contains(advice("cuInit", 803, "x"), "restart the machine"));
    CHECK(contains(advice("cuInit", 34, "x"), "stub"));
    CHECK(contains(advice("cuDevicePrimaryCtxRetain", 2, "x"), "another process"));
    CHECK(contains(advice("cuInit", 999, "x"), "check that nvidia-smi"));
    for (int code = 0; code < 1000; ++code) CHECK_FALSE(contains(advice("cuInit", code, "x"), "\n"));
}

TEST_CASE("faults end everything, refusals do not") {
    for (const int fault : {700, 715, 716, 719}) CHECK(ends_everything(fault));
    for (const int refusal : {1, 2, 201, 218, 222, 701, 912}) CHECK_FALSE(ends_everything(refusal));
}

TEST_CASE("drivers that are too old, by the PTX that they compile") {
    CHECK(cuda_of_ptx(78) == 11080);
    CHECK(cuda_of_ptx(80) == 12000);
    CHECK(cuda_of_ptx(85) == 12050);
    CHECK(cuda_of_ptx(86) == 12070);
    CHECK(cuda_of_ptx(88) == 12090);
    CHECK(cuda_of_ptx(90) == 13000);
    CHECK(cuda_of_ptx(91) == 13010);
    CHECK(too_old_driver("every test", 80, 12000).empty());
    CHECK(too_old_driver("every test", 80, 11080) ==
          "every test needs PTX 8.0, and the driver is for CUDA 11.8: install a driver for CUDA 12.0 or newer");
    CHECK(contains(too_old_driver("it", 86, 12040), "needs PTX 8.6, and the driver is for CUDA 12.4: install a driver for CUDA 12.7"));
}

TEST_CASE("devices that are too small") {
    CHECK(too_small_device("NVIDIA H100", 90).empty());
    CHECK(too_small_device("NVIDIA B200", 100).empty());
    CHECK(contains(too_small_device("NVIDIA A100", 80), "the GPU (NVIDIA A100) is sm_80"));
}

TEST_CASE("the progress line") {
    const Standing standing{3, 120, "MP", true, 1200000000, 0.5, 125};
    CHECK(standing_text(standing) == "[3/120] MP: tuning, 1.2e+09 instances, 2.4e+09 a second, 2 min 5 s left");
    std::ostringstream out;
    ProgressLine line(out, ProgressLine::Mode::terminal);
    line.show(standing, 10);
    line.show(standing, 10.05);  // too soon
    line.clear();
    line.clear();
    CHECK(out.str() == "\r" + standing_text(standing) + "\x1b[K\r\x1b[K");
    std::ostringstream quiet;
    ProgressLine(quiet, ProgressLine::Mode::silent).show(standing, 10);
    CHECK(quiet.str().empty());
    std::ostringstream lines;
    ProgressLine log(lines, ProgressLine::Mode::lines);
    log.show(standing, 10);
    log.show(standing, 14);
    log.show(standing, 15.5);
    log.clear();
    CHECK(lines.str() == standing_text(standing) + "\n" + standing_text(standing) + "\n");
}

TEST_CASE("a file is written whole, or the old one stays") {
    const OutputFolder folder;
    const std::string path = (folder.path / "observed.json").string();
    write_file(path, "old");
    CHECK(content(path) == "old");
    write_file(path, "new");
    CHECK(content(path) == "new");
    CHECK(files_in(folder.path) == 1);  // no temporary is left

    fs::create_directory(path + ".tmp");  // nothing can be written there
    CHECK_THROWS_AS(write_file(path, "newer"), std::runtime_error);
    CHECK(content(path) == "new");
    fs::remove(path + ".tmp");

    const std::string occupied = (folder.path / "occupied").string();
    fs::create_directories(occupied + "/inside");
    CHECK_THROWS_AS(write_file(occupied, "x"), std::runtime_error);
    CHECK(fs::is_directory(occupied));
    CHECK_FALSE(fs::exists(occupied + ".tmp"));
    CHECK_THROWS_AS(write_file((folder.path / "none" / "x.json").string(), "x"), std::runtime_error);
    write_file("/dev/null", "nowhere");
    CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("slices add up, and what was seen while tuning is kept apart") {
    Observation total, slice;
    slice.instances = 100;
    slice.launches = 2;
    slice.seconds = 0.5;
    slice.timeouts = 7;
    slice.unlisted = 3;
    slice.outcomes = {{{0}, 60, false, 0}, {{1}, 30, true, 0}};
    add(total, slice, true);
    slice.outcomes = {{{2}, 80, false, 0}, {{1}, 10, true, 0}};
    add(total, slice, false);
    CHECK(total.instances == 200);
    CHECK(total.tuned_instances == 100);
    CHECK(total.tuned_seconds == doctest::Approx(0.5));
    CHECK(total.seconds == doctest::Approx(1));
    CHECK(total.timeouts == 14);
    CHECK(total.unlisted == 6);
    REQUIRE(total.outcomes.size() == 3);
    CHECK(total.outcomes[0].values == std::vector<uint64_t>{2});  // the most frequent first
    CHECK(total.outcomes[1].count == 60);
    CHECK(total.outcomes[2].count == 40);
    CHECK(total.outcomes[2].tuned == 30);
    CHECK(total.outcomes[2].satisfies);
    uint64_t sum = total.timeouts + total.unlisted;
    for (const Outcome& o : total.outcomes) sum += o.count;
    CHECK(sum == total.instances);
}

TEST_CASE("observed.json carries the configuration, the command and what was skipped") {
    const Test test = parse_dsl(make_source("t.litmus",
                                            "test \"t\"\n.global .u32 x = 0;\nthread P0 @ cta0 { ld.weak.global.u32 r0, [x]; }\n"
                                            "exists (P0:r0 == 0)\n"));
    Observation o = describe(test, emit(test).plan, "t.litmus");
    o.configuration[0].skew = 64;
    o.instances = o.tuned_instances = uint64_t{1} << 40;
    o.outcomes = {{{0}, uint64_t{1} << 40, true, uint64_t{1} << 40}};
    RunHeader header;
    header.command = {"litmus-gpu", "run", "t.litmus"};
    header.skipped = {{"u", "u.litmus", "it needs sm_100a"}};
    const auto json = nlohmann::json::parse(to_json(header, {o}));
    CHECK_FALSE(json.contains("configuration"));
    CHECK(json["command"][2] == "t.litmus");
    CHECK(json["skipped"][0]["name"] == "u");
    CHECK(json["skipped"][0]["reason"] == "it needs sm_100a");
    CHECK(json["tests"][0]["configuration"]["skew"] == 64);
    CHECK(json["tests"][0]["tuned_instances"] == uint64_t{1} << 40);
    CHECK(json["tests"][0]["histogram"][0]["tuned"] == uint64_t{1} << 40);
    const Configurations again = read_configurations(to_json(header, {o}), "observed.json");
    CHECK(configuration_for(again, o.hash, "").at(0).skew == 64);
    CHECK(configuration_text(o.configuration) == "skew 64");
    CHECK(configuration_text({Stress{}, o.configuration[0]}) == "untuned\nin turn with skew 64");
    header.configuration = o.configuration;
    CHECK(read_configurations(to_json(header, {}), "observed.json").common.at(0).skew == 64);
    const Configurations common = read_configurations(to_json(header, {o}), "observed.json");  // written once
    CHECK(common.of_test.empty());
    CHECK(configuration_for(common, o.hash, "").at(0).skew == 64);
}
