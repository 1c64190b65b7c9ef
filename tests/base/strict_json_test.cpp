// The strict reader of JSON refuses what the library lets pass.
#include "base/strict_json.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace litmus;

namespace {

using Json = nlohmann::ordered_json;

// Why a text is refused, with the first byte that is meant; "": it is not.
template <typename Any = Json>
std::string refusal(const std::string& text) {
    try {
        strict_json<Any>(text);
    } catch (const NoJson& error) {
        return std::to_string(error.span.begin) + ": " + error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("strict JSON: what is right is what the library reads") {
    for (const std::string text :
         {R"({"b": [1, -2, 2.5, true, null, "x\u00e4\n"], "a": {"b": {}, "c": []}})", "3", "\"\"", "18446744073709551615"}) {
        INFO(text);
        CHECK(strict_json<Json>(text) == Json::parse(text));
        CHECK(strict_json<nlohmann::json>(text) == nlohmann::json::parse(text));
    }
    CHECK(strict_json<Json>(R"({"b": 1, "a": 2})").begin().key() == "b");
}

TEST_CASE("strict JSON: a key stands once in an object") {
    const std::string twice = R"({"a": {"b": 1}, "c": [{"b": 2, "b": 3}]})";
    CHECK(refusal(twice) == std::to_string(twice.rfind("\"b\"")) + ": this key is there twice");
    CHECK(refusal<nlohmann::json>(twice) == refusal(twice));
    CHECK(refusal(R"({"a": 1, "\u0061": 2})").find("this key is there twice") != std::string::npos);
    CHECK(refusal(R"([{"a": 1}, {"a": 2}, {"b": {"a": 3}, "a": 4}])").empty());
}

TEST_CASE("strict JSON: a text has so many levels, and its end") {
    const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    CHECK(refusal(nested(deepest_json)).empty());
    CHECK(refusal(nested(deepest_json + 1)) == "64: this is nested too deeply: more than 64 levels");
    CHECK(refusal(std::string(1'000'000, '[')) == "64: this is nested too deeply: more than 64 levels");
    CHECK(refusal("") == "0: the JSON text ends too early");
    CHECK(refusal("[1, ") == "4: the JSON text ends too early");
    CHECK(refusal("[1 2]") == "3: this is not JSON: unexpected number literal; expected ']'");
    CHECK(refusal("[1] 2").find("this is not JSON") != std::string::npos);
    CHECK(refusal("1e999").find("number overflow") != std::string::npos);
    CHECK(refusal(std::string("[1]\0 2", 6)) == "3: this is not JSON: a NUL character");
}

TEST_CASE("strict JSON: a long text takes time in proportion to its length") {
    const auto seconds = [](const std::string& text) {
        const double start = worked();
        CHECK(refusal(text).empty());
        return worked() - start;
    };
    const auto list = [](size_t count) {
        std::string text = "[{}";
        for (size_t i = 1; i < count; ++i) text += ",{}";
        return text + "]";
    };
    const auto object = [](size_t count) {
        std::string text = "{";
        for (size_t i = 0; i < count; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
        return text + "}";
    };
    for (const auto& text : {std::pair(list(4'000), list(64'000)), std::pair(object(4'000), object(64'000))}) {
        const double once = seconds(text.first);
        CHECK(seconds(text.second) < 100 * std::max(once, 0.001));  // 256 times, where each looks at all before
    }
    CHECK_THROWS_AS(strict_json<Json>(list(10'000), Budget(1e-9)), OverBudget);
}

TEST_CASE("strict JSON: a number is whole and in its range, or none") {
    const auto number = [](const std::string& text) { return whole_number<uint32_t>(Json::parse(text)); };
    CHECK(number("0") == 0U);
    CHECK(number("4294967295") == 4294967295U);
    for (const char* text :
         {"4294967296", "4294967297", "-1", "1.0", "1.5", "1e3", "true", "null", "\"1\"", "[1]", "{}", "18446744073709551616"}) {
        INFO(text);
        CHECK_FALSE(number(text));
    }
    CHECK(whole_number<int>(Json::parse("-5"), -5, 5) == -5);
    CHECK_FALSE(whole_number<int>(Json::parse("-6"), -5, 5));
    CHECK_FALSE(whole_number<int>(Json::parse("6"), -5, 5));
    CHECK_FALSE(whole_number<int64_t>(Json::parse("18446744073709551615")));
    CHECK(whole_number<uint64_t>(Json::parse("18446744073709551615")) == UINT64_MAX);
}
