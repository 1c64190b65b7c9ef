// Configurations: JSON there and back, each refusal, random choice; and the traffic's kernel through the assembler.
#include "gpu/emit/stress.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "gpu/emit/stress_text.h"
#include "gpu/parts.h"
#include "ptxas/assembler.h"

using namespace litmus;
using namespace litmus::gpu;
using Json = nlohmann::ordered_json;

namespace {

std::string parameter_refusal(const std::string& text) {
    try {
        parse_stress(Json::parse(text));
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

std::string file_refusal(const std::string& text) {
    try {
        read_configurations(text, "c.json");
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("every parameter survives JSON, and the default is untuned") {
    Stress s;
    CHECK(parse_stress(stress_json(s)) == s);
    CHECK(parse_stress(Json::object()) == Stress{});
    CHECK_FALSE(s.has_traffic());
    s = {.occupancy = 37,
         .block = 1024,
         .launch = 4096,
         .spread = true,
         .rotation = 3,
         .skew = 512,
         .lag = {0, 1, 2, 3, 4, 5, 6, 15},
         .scatter = Scatter::random,
         .shift = Shift::apart,
         .stride = 128,
         .padding = 256,
         .home = Home::second_apart,
         .alternate = true,
         .touch = Touch::async,
         .before = 7,
         .before_pattern = Pattern::st_ld,
         .traffic = 2,
         .memory = Pattern::st_st,
         .lines = 1024,
         .distance = 16384,
         .bulk = 4096,
         .peers = true,
         .banks = 32};
    const Json json = stress_json(s);
    CHECK(json.size() == 23);
    CHECK(parse_stress(json) == s);
    CHECK(parse_stress(Json::parse(json.dump())) == s);
    CHECK(json["scatter"] == "random");
    CHECK(json["before_pattern"] == "st-ld");
    const Json usual = stress_json({});
    for (const auto& entry : json.items()) CHECK_MESSAGE(entry.value() != usual[entry.key()], entry.key());  // each one was tried
}

TEST_CASE("a short list of lags leaves the others 0") {
    CHECK(parse_stress(Json::parse(R"({"lag": [1, 2]})")).lag == std::array<uint32_t, 8>{1, 2, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("refusals name the key and what was expected") {
    CHECK(contains(parameter_refusal(R"({"strid": 4})"), "'strid' is no parameter"));
    CHECK(parameter_refusal(R"({"stride": 5})") == "'stride' is 5; expected a power of two from 4 to 256");
    CHECK(parameter_refusal(R"({"stride": 0})") == "'stride' is 0; expected a power of two from 4 to 256");
    CHECK(parameter_refusal(R"({"skew": 8})") == "'skew' is 8; expected a power of two from 16 to 65536, or 0");
    CHECK(parameter_refusal(R"({"occupancy": 101})") == "'occupancy' is 101; expected a whole number from 1 to 100");
    CHECK(parameter_refusal(R"({"occupancy": -1})") == "'occupancy' is -1; expected a whole number from 1 to 100");
    CHECK(parameter_refusal(R"({"occupancy": 50.5})") == "'occupancy' is 50.5; expected a whole number from 1 to 100");
    CHECK(parameter_refusal(R"({"block": "64"})") == "'block' is \"64\"; expected a power of two from 32 to 1024");
    CHECK(parameter_refusal(R"({"peers": 1})") == "'peers' is 1; expected true or false");
    CHECK(parameter_refusal(R"({"touch": "both"})") == "'touch' is \"both\"; expected \"none\", \"generic\" or \"async\"");
    CHECK(contains(parameter_refusal(R"({"memory": 3})"), "\"ld-ld\", \"ld-st\""));
    CHECK(parameter_refusal(R"({"lag": 3})") == "'lag' is 3; expected a list of at most 8 numbers");
    CHECK(parameter_refusal(R"({"lag": [0,0,0,0,0,0,0,0,0]})") == "'lag' is [0,0,0,0,0,0,0,0,0]; expected a list of at most 8 numbers");
    CHECK(parameter_refusal(R"({"lag": [0, 16]})") == "'lag[1]' is 16; expected a whole number from 0 to 15");
    CHECK(parameter_refusal(R"({"lines": 18446744073709551616})").find("'lines'") == 0);
    CHECK(contains(parameter_refusal("[]"), "is a JSON object"));
}

TEST_CASE("every parameter out of its range is refused by its name") {
    const Json usual = stress_json({});
    for (const auto& [key, value] : usual.items()) {
        const Json wrong = value.is_boolean() || value.is_string() ? Json(7) : Json("x");
        CHECK(parameter_refusal(Json({{key, wrong}}).dump()).find("'" + key + "' is ") == 0);
        if (value.is_number()) CHECK(parameter_refusal(Json({{key, 1U << 30}}).dump()).find("'" + key + "' is 1073741824") == 0);
    }
}

TEST_CASE("random configurations are valid, and use every value of every choice") {
    std::mt19937_64 random(7);
    std::set<std::string> seen;
    Stress last;
    for (int n = 0; n < 2000; ++n) {
        const Stress s = n % 2 == 0 ? sample(random) : varied(last, random);
        const Json json = stress_json(s);
        CHECK(parse_stress(json) == s);  // within the ranges
        for (const auto& [key, value] : json.items()) seen.insert(key + value.dump());
        if (n % 2 == 0 && s.has_traffic()) CHECK(s.occupancy < 100);  // room for it
        last = s;
    }
    for (const char* value : {"scatter\"random\"", "shift\"apart\"", "touch\"async\"", "memory\"st-ld\"", "peerstrue", "banks32", "bulk0",
                              "bulk4096", "spreadtrue", "traffic8", "skew0", "lag[0,0,0,0,0,0,0,0]", "occupancy100"})
        CHECK_MESSAGE(seen.count(value) == 1, value);
    std::mt19937_64 a(3), b(3);
    CHECK(sample(a) == sample(b));
}

TEST_CASE("a variation keeps most of what it varies") {
    std::mt19937_64 random(1);
    const Stress base = sample(random);
    size_t changed = 0, total = 0;
    for (int n = 0; n < 200; ++n) {
        const Json other = stress_json(varied(base, random)), same = stress_json(base);
        for (const auto& [key, value] : same.items()) changed += other[key] != value ? 1 : 0;
        total += same.size();
    }
    CHECK(changed > 0);
    CHECK(changed * 4 < total);
}

TEST_CASE("configurations come from an object or from an observed.json") {
    Configurations all = read_configurations(R"({"skew": 64})", "c.json");
    CHECK(configuration_for(all, "h", "t").at(0).skew == 64);
    const Stresses both = configuration_for(read_configurations(R"([{"skew": 64}, {}])", "c.json"), "h", "t");
    REQUIRE(both.size() == 2);
    CHECK(both[0].skew == 64);
    CHECK(both[1] == Stress{});
    CHECK(parse_stresses(stresses_json(both)) == both);
    CHECK(file_refusal("[]") == "c.json: a list of configurations has 1 to 64");
    CHECK(file_refusal(R"([{"skew": 64}, {"skew": 3}])") == "c.json: 'skew' is 3; expected a power of two from 16 to 65536, or 0");
    all = read_configurations(R"({"schema": "litmus-observed", "version": 1, "tests": [
        {"name": "a", "hash": "1", "configuration": {"skew": 16}},
        {"name": "a", "hash": "2", "configuration": {"skew": 32}},
        {"name": "c", "hash": "3"}]})",
                              "o.json");
    CHECK(configuration_for(all, "1", "a").at(0).skew == 16);
    CHECK(configuration_for(all, "2", "a").at(0).skew == 32);
    CHECK(configuration_for(all, "9", "a").at(0).skew == 32);  // its text changed: the name's
    CHECK(configuration_for(all, "3", "c").empty());
    CHECK(file_refusal("{\"skew\": ").find("c.json: not JSON at byte") == 0);
    CHECK(file_refusal(R"({"skew": 3})") == "c.json: 'skew' is 3; expected a power of two from 16 to 65536, or 0");
    CHECK(contains(file_refusal(R"({"schema": "other"})"), "c.json: 'schema' is \"other\""));
    CHECK(contains(file_refusal(R"({"schema": "litmus-observed", "version": 3, "tests": []})"), "reads versions 1 and 2"));
    CHECK(contains(file_refusal(R"({"schema": "litmus-observed", "version": 1})"), "without a list"));
    CHECK(contains(file_refusal(R"({"schema": "litmus-observed", "version": 1, "tests": [{"name": "a", "configuration": {"x": 1}}]})"),
                   "'x' is no parameter"));
}

TEST_CASE("the traffic's kernel assembles for every target, and stays within what the host allots") {
    const std::string ptx = stress_ptx();
    for (const char* loop : {"$in_memory_next:", "$in_peer_next:", "$in_banks_next:", "$copying:"}) CHECK(contains(ptx, loop));
    CHECK(pattern_bits(Pattern::none) == 0);
    CHECK(pattern_bits(Pattern::st_ld) == 5);
    CHECK(pattern_bits(Pattern::ld_st) == 6);
    const auto assembler = ptxas::find_assembler();
    if (!assembler) {
        MESSAGE("skipped: no ptxas on the PATH or in /usr/local/cuda*/bin");
        return;
    }
    const std::filesystem::path file = std::filesystem::temp_directory_path() / ("litmus-stress-" + std::to_string(getpid()) + ".ptx");
    std::ofstream(file) << ptx;
    for (const char* target : {"sm_90", "sm_100a"}) {
        const std::string command = "'" + assembler->path + "' -arch=" + target + " -o /dev/null '" + file.string() + "'";
        CHECK(std::system(command.c_str()) == 0);
    }
    std::filesystem::remove(file);
}
