// What GPUs did, as litmus/observed keeps it, against the models as they are now.
//
// LITMUS_EXE is the executable, LITMUS_SOURCE_DIR the root of the sources, in which it runs.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace {

using Json = nlohmann::ordered_json;

// `litmus conform` over all that was observed; `status` is its exit status (as pclose gives it).
Json conform(int& status) {
    const std::string command =
        "cd '" LITMUS_SOURCE_DIR "' && '" LITMUS_EXE "' conform litmus/observed/*.json --known litmus/observed/known.txt --format json";
    FILE* pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    std::array<char, 4096> part{};
    for (size_t size = 0; (size = std::fread(part.data(), 1, part.size(), pipe)) > 0;) text.append(part.data(), size);
    status = ::pclose(pipe);
    return Json::parse(text, nullptr, false);
}

// Whether the model says that this device refuted the reading: one of its names is a word of the device's.
bool marked(const Json& reading, const std::string& device) {
    const std::string words = " " + device + " ";
    for (const Json& name : reading["refuted"])
        if (words.find(" " + name.get<std::string>() + " ") != std::string::npos) return true;
    return false;
}

// Whether the model says that a compiler did.
bool marked_by_compiler(const Json& reading) {
    for (const Json& name : reading["refuted"])
        if (name.get<std::string>().rfind("by ", 0) == 0) return true;
    return false;
}

// Whether a run showed what the reading forbids in code that is known to be in the order of the test.
bool refuted_in_order(const Json& reading) {
    for (const Json& by : reading["refuted_by"])
        if (by["in_order"].get<uint64_t>() > 0) return true;
    return false;
}

}  // namespace

TEST_CASE("nothing was observed that the model forbids, but for what is known; and it says which readings are refuted, by which GPUs") {
    int status = -1;
    const Json report = conform(status);
    REQUIRE(report.is_object());
    for (const Json& device : report["devices"])
        for (const Json& test : device["tests"])
            for (const Json& seen : test["seen"])
                CHECK_MESSAGE((seen["verdict"] != "forbidden" || !seen["known"].is_null()), device["name"], ": ", test["name"], ": ",
                              seen["outcome"].dump());
    CHECK(status == 0);

    std::set<std::string> seen_devices, by_compiler, marked_readings;
    for (const Json& device : report["devices"]) {
        const std::string name = device["name"];
        for (const Json& reading : device["readings"]) {
            CHECK_MESSAGE(marked(reading, name) == (reading["verdict"] == "refuted"), reading["reading"], " is ", reading["verdict"],
                          " on ", name, ", and the model says: refuted ", reading["refuted"].dump());
            // By the device: in code in which nothing moved. By a compiler alone: only where it did not leave the code in order.
            CHECK_MESSAGE(marked(reading, name) == refuted_in_order(reading), reading["reading"], " on ", name);
            CHECK_MESSAGE((reading["verdict"] != "by-compiler" || marked_by_compiler(reading)), reading["reading"], " on ", name);
            if (reading["verdict"] == "by-compiler") by_compiler.insert(reading["reading"]);
            if (marked_by_compiler(reading)) marked_readings.insert(reading["reading"]);
            for (const Json& by : reading["refuted"])
                if (by.get<std::string>().rfind("by ", 0) != 0) seen_devices.insert(by);
        }
    }
    CHECK(marked_readings == by_compiler);
    // No device is named that observed nothing.
    for (const std::string& by : seen_devices) {
        bool ran = false;
        for (const Json& device : report["devices"])
            ran = ran || (" " + device["name"].get<std::string>() + " ").find(" " + by + " ") != std::string::npos;
        CHECK_MESSAGE(ran, "the model says that ", by, " refuted a reading; nothing is kept of what it did");
    }
}
