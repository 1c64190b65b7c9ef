// Reading observed.json: what the harness writes comes back, and everything else is refused where it is wrong.
#include "gpu/run/observed_json.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "language/syntax/read.h"

namespace litmus::gpu {
namespace {

using Json = nlohmann::ordered_json;

Test library_test(const std::string& path) {
    return parse_tests(read_source(LITMUS_SOURCE_DIR "/litmus/" + path)).at(0);
}

// A run of a test as the harness writes it.
Observation observation() {
    const Test test = library_test("classic/mp/mp-fence-acq-rel.litmus");
    Observation o = describe(test, make_plan(test, std::nullopt), "mp.litmus");
    o.outcomes = {{{0, 0}, 7, false}, {{1, 1}, 2, true}};
    o.instances = 12;
    o.timeouts = 2;
    o.unlisted = 1;
    o.seconds = 0.25;
    return o;
}

Json document() {
    RunHeader header;
    header.device = "Some GPU";
    header.sm = 90;
    header.driver = 12040;
    return Json::parse(to_json(header, {observation()}));
}

ObservedFile read(const Json& json) {
    return parse_observed(make_source("o.json", json.dump()));
}

// The first message of the refusal.
std::string refusal(const std::string& text) {
    try {
        parse_observed(make_source("o.json", text));
    } catch (const Failure& failure) {
        return render(failure.diagnostics().at(0), false);
    }
    return "accepted";
}

std::string refusal_of(const std::function<void(Json&)>& change) {
    Json json = document();
    change(json);
    return refusal(json.dump());
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_CASE("what the assembler made of a test comes back") {
    Observation o = observation();
    o.pinned = true;
    o.compiled =
        Compiled{"ptxas 13.0.88", {{"P0", "ld r0, [x]", "st [y], 1"}}, {{"P1", "ld r1, [x]", ""}, {"P1", "ld r2, [s]", "ld r3, [s]"}}};
    const std::string written = to_json({}, {o});
    const Observation back = parse_observed(make_source("o.json", written)).observations.at(0);
    CHECK(back.pinned);
    CHECK(back.compiled == o.compiled);
    CHECK(to_text(o).find("ptxas 13.0.88: P0: `ld r0, [x]` is issued before `st [y], 1`\n") != std::string::npos);
    CHECK(to_text(o).find("P1: `ld r1, [x]` is dropped\n") != std::string::npos);
    CHECK(to_text(o).find("P1: `ld r2, [s]` is merged into `ld r3, [s]`\n") != std::string::npos);
    const Observation plain = parse_observed(make_source("o.json", to_json({}, {observation()}))).observations.at(0);
    CHECK(!plain.pinned);
    CHECK(!plain.compiled);
    CHECK(refusal_of([](Json& j) { j["tests"][0]["compiled"] = 3; }).find("`compiled` is 3, not an object") != std::string::npos);
    CHECK(refusal_of([](Json& j) {
              j["tests"][0]["compiled"] = {{"compiler", "p"}, {"moved", 1}, {"gone", Json::array()}};
          }).find("`moved` is 1, not an array") != std::string::npos);
    CHECK(refusal_of([](Json& j) { j["version"] = 1; }) == "accepted");
}

TEST_CASE("the hash of a test is the same whatever lines of CUDA it comes from") {
    const auto hash_with = [](const std::string& loc) {
        return text_hash(parse_tests(make_source("t", "test \"t\"\n.file 1 \"k.cu\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n" + loc +
                                                          "  ld.weak.global.u32 r0, [x];\n}\n"))
                             .at(0));
    };
    CHECK(hash_with("  .loc 1 38\n") == hash_with(""));
}

TEST_CASE("what is written is read") {
    const Observation written = observation();
    const ObservedFile file = read(document());
    CHECK(file.file == "o.json");
    CHECK(file.header.device == "Some GPU");
    CHECK(file.header.sm == 90);
    CHECK(file.header.driver == 12040);
    REQUIRE(file.observations.size() == 1);
    const Observation& o = file.observations[0];
    CHECK(o.test == written.test);
    CHECK(o.file == "mp.litmus");
    CHECK(o.hash == written.hash);
    CHECK(o.instances == 12);
    CHECK(o.timeouts == 2);
    CHECK(o.unlisted == 1);
    CHECK(o.seconds == doctest::Approx(0.25));
    CHECK_FALSE(o.hung);
    REQUIRE(o.observables.size() == 2);
    CHECK(o.observables[0].name == written.observables[0].name);
    CHECK(o.observables[0].type == written.observables[0].type);
    REQUIRE(o.outcomes.size() == 2);
    CHECK(o.outcomes[0].values == std::vector<uint64_t>{0, 0});
    CHECK(o.outcomes[0].count == 7);
    CHECK(o.outcomes[1].values == std::vector<uint64_t>{1, 1});
    CHECK(o.outcomes[1].satisfies);
}

TEST_CASE("what a launch that hung was doing is not known") {
    Json json = document();
    json["tests"][0]["instances"] = 99;
    json["tests"][0]["hung"] = true;
    CHECK(read(json).observations.at(0).hung);
}

TEST_CASE("values of every type come back to the bit") {
    const std::vector<std::pair<Type, uint64_t>> values{{Type::u8, 255},         {Type::s8, 0x80},           {Type::b16, 65535},
                                                        {Type::s32, 0xffffffff}, {Type::u64, ~0ULL},         {Type::s64, 1ULL << 63},
                                                        {Type::f32, 0x80000000}, {Type::f32, 0x7fc00001},    {Type::f64, 0x7ff8ULL << 48},
                                                        {Type::f16, 0xfc00},     {Type::bf16x2, 0x8000ff80}, {Type::pred, 1}};
    for (const auto& value : values) {
        const Type type = value.first;
        const uint64_t bits = value.second;
        INFO(name(type));
        Json json = document();
        Json& test = json["tests"][0];
        test["observables"] = {{{"name", "x"}, {"type", std::string(name(type))}}};
        test["instances"] = 4;
        test["histogram"] = {{{"outcome", {{"x", format_value(bits, type)}}}, {"count", 1}, {"satisfies", false}}};
        CHECK(read(json).observations.at(0).outcomes.at(0).values == std::vector<uint64_t>{bits});
    }
}

TEST_CASE("keys that are not known are ignored, and skipped tests are read") {
    Json json = document();
    json["command"] = {"litmus-gpu", "run"};
    json["tests"][0]["configuration"] = {{"skew", {1, {2, 3}}}};
    json["skipped"] = {{{"name", "two"}, {"file", "two.litmus"}, {"reason", "one GPU"}, {"more", 1}}};
    const ObservedFile file = read(json);
    REQUIRE(file.header.skipped.size() == 1);
    CHECK(file.header.skipped[0].test == "two");
    CHECK(file.header.skipped[0].reason == "one GPU");
}

TEST_CASE("a line is an entry, a test, a configuration or a skipped test; how it is laid out does not matter") {
    RunHeader header;
    header.configuration = {Stress{}, Stress{}};
    header.skipped = {{"three", "three.litmus", "one GPU"}};
    Observation one = observation(), two = observation();
    two.test = "two";
    two.configuration = {Stress{}, Stress{}, Stress{}};
    const std::string text = to_json(header, {one, two});
    const auto lines_with = [&](const std::string& part) {
        size_t lines = 0;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) lines += has(line, part) ? 1 : 0;
        return lines;
    };
    CHECK(lines_with("\"name\":\"two\"") == 1);
    CHECK(lines_with("\"histogram\":") == 2);
    CHECK(lines_with("\"occupancy\":") == 2 + 1 + 3);
    CHECK(lines_with("\"reason\":") == 1);
    const Json json = Json::parse(text);
    CHECK(json["tests"][1]["configuration"].size() == 3);
    for (const std::string& layout : {text, json.dump(), json.dump(2)}) {
        const ObservedFile file = parse_observed(make_source("o.json", layout));
        REQUIRE(file.observations.size() == 2);
        CHECK(file.observations[1].test == "two");
        CHECK(file.observations[1].outcomes.size() == 2);
        CHECK(file.header.skipped.size() == 1);
        CHECK(read_configurations(layout, "o.json").of_test.at("two").size() == 3);
    }
}

TEST_CASE("what is no JSON is refused with line and column") {
    CHECK(has(refusal("{\n \"a\": 1,,\n}"), "o.json:2:9: error: this is not JSON"));
    CHECK(has(refusal(""), "o.json:1:1: error: the JSON text ends too early"));
    CHECK(has(refusal("\xff\xfe"), "o.json:1:1: error: this is not JSON"));
    CHECK(has(refusal("{\"a\": 1e999}"), "number overflow"));
    const std::string whole = document().dump(2);
    for (const size_t length : {whole.size() - 2, whole.size() / 2, size_t{1}}) {
        INFO(length);
        CHECK(has(refusal(whole.substr(0, length)), ": error: the JSON text ends too early"));
    }
}

TEST_CASE("nesting is bounded") {
    CHECK(has(refusal(std::string(1000000, '[')), "nested too deeply"));
    std::string objects;
    for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
    CHECK(has(refusal(objects), "nested too deeply"));
    Json json = document();
    json["command"] = Json::parse(std::string(20, '[') + std::string(20, ']'));
    CHECK(read(json).observations.size() == 1);
    json["command"] = Json::array({std::string(100, '['), "\"" + std::string(100, '{'), "\\"});  // what stands in strings is no nesting
    CHECK(read(json).observations.size() == 1);
}

TEST_CASE("foreign JSON is refused") {
    CHECK(has(refusal("[]"), "'o.json' is no observed.json: it is no JSON object"));
    CHECK(has(refusal("{}"), "its `schema` is not"));
    CHECK(has(refusal_of([](Json& j) { j["schema"] = "litmus-conform"; }), "its `schema` is not"));
    CHECK(has(refusal_of([](Json& j) { j["version"] = 3; }), "its `version` is 3, and this tool reads versions 1 and 2"));
    CHECK(has(refusal_of([](Json& j) { j.erase("version"); }), "its `version` is missing"));
}

TEST_CASE("every mistake is named where it is") {
    const auto test_with = [](const char* key, const Json& value) { return refusal_of([&](Json& j) { j["tests"][0][key] = value; }); };
    const std::string at = "o.json: tests[0] \"mp-fence-acq-rel\": ";
    CHECK(has(test_with("instances", -12), at + "`instances` is -12, not a whole number"));
    CHECK(has(test_with("timeouts", 1.5), "`timeouts` is 1.5"));
    CHECK(has(test_with("unlisted", "3"), "`unlisted` is \"3\""));
    CHECK(has(test_with("instances", 1e30), "`instances` is 1e+30"));
    CHECK(has(test_with("hung", 0), "`hung` is 0, not true or false"));
    CHECK(has(test_with("seconds", -1), "`seconds` is -1"));
    CHECK(has(test_with("hash", "sha-1"), "`hash` is not"));
    CHECK(has(test_with("file", nullptr), "`file` is null"));
    CHECK(has(test_with("histogram", 3), "`histogram` is 3, not an array"));
    CHECK(has(test_with("instances", 13), at + "of its instances 1 are not counted"));
    CHECK(has(test_with("instances", 11), "the counts add up to more than its 11 instances"));
    CHECK(has(refusal_of([](Json& j) { j["tests"][0]["name"] = "a\x1b[31m"; }), "control characters"));
    CHECK(has(refusal_of([](Json& j) { j["tests"][0].erase("histogram"); }), at + "`histogram` is missing"));
    CHECK(has(refusal_of([](Json& j) { j["tests"].push_back(7); }), "o.json: tests[1]: it is no object: 7"));
    CHECK(has(refusal_of([](Json& j) { j["tests"] = "none"; }), "o.json: `tests` is \"none\", not an array"));
    CHECK(has(refusal_of([](Json& j) { j["device"].erase("name"); }), "o.json: device: `name` is missing"));
    CHECK(has(refusal_of([](Json& j) { j["device"]["sm"] = 1ULL << 40; }), "`sm` is too large"));
    CHECK(has(refusal_of([](Json& j) { j["skipped"] = {{{"name", "a"}}}; }), "o.json: skipped[0]: `file` is missing"));
}

TEST_CASE("a histogram that does not fit its observables is refused") {
    const auto entry_with = [](const std::function<void(Json&)>& change) {
        return refusal_of([&](Json& j) { change(j["tests"][0]["histogram"][1]); });
    };
    CHECK(has(entry_with([](Json& e) { e["count"] = -1; }), "histogram[1]: `count` is -1"));
    CHECK(has(entry_with([](Json& e) { e["outcome"]["P1:r7"] = "0"; }), "does not name what `observables` lists"));
    CHECK(has(entry_with([](Json& e) { e["outcome"] = {{"P1:r0", "0"}, {"P9:r1", "0"}}; }), "does not name 'P1:r1'"));
    CHECK(has(entry_with([](Json& e) {
                  e["outcome"]["P1:r0"] = "0";
                  e["outcome"]["P1:r1"] = "0";
              }),
              "the outcome is there twice"));
    for (const char* value : {"", "-", "-1", "4294967296", "01", "+1", "1 ", "0x1", "99999999999999999999", "one"}) {
        INFO(value);
        CHECK(has(entry_with([&](Json& e) { e["outcome"]["P1:r0"] = value; }), "'P1:r0' has no value of type .u32"));
    }
    CHECK(has(entry_with([](Json& e) { e["outcome"]["P1:r0"] = 1; }), "'P1:r0' has no value of type .u32: 1"));
    CHECK(has(refusal_of([](Json& j) { j["tests"][0]["observables"][0]["type"] = "u33"; }), "there is no type 'u33'"));
    CHECK(has(refusal_of([](Json& j) { j["tests"][0]["observables"][1]["name"] = "P1:r0"; }), "'P1:r0' is there twice"));
}

TEST_CASE("all mistakes are reported, up to twenty") {
    Json json = document();
    for (int i = 0; i < 50; ++i) json["tests"].push_back({{"name", "t"}});
    try {
        read(json);
        FAIL("accepted");
    } catch (const Failure& failure) {
        CHECK(failure.diagnostics().size() == 20);
    }
}

TEST_CASE("files that cannot be read") {
    CHECK_THROWS_WITH_AS(read_observed_source("/nonexistent/o.json"), doctest::Contains("cannot read '/nonexistent/o.json'"), Failure);
    CHECK_THROWS_WITH_AS(read_observed_source("/tmp"), doctest::Contains("it is a directory"), Failure);
}

}  // namespace
}  // namespace litmus::gpu
