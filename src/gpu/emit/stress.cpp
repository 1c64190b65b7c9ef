// The parameters as a list: name, value, what it may be. JSON, checks and random choice all walk this list.
#include "gpu/emit/stress.h"

#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "base/strict_json.h"

namespace litmus::gpu {

namespace {

using Json = nlohmann::ordered_json;

// What a number may be.
struct Range {
    uint32_t least = 0;
    uint32_t most = 0;
    bool power = false;  // powers of two alone
    bool zero = false;   // or 0

    bool has(uint64_t value) const {
        if (value == 0 && zero) return true;
        return value >= least && value <= most && (!power || std::has_single_bit(value));
    }
    std::string text() const {
        return std::string(power ? "a power of two" : "a whole number") + " from " + std::to_string(least) + " to " + std::to_string(most) +
               (zero ? ", or 0" : "");
    }
};

Range whole(uint32_t least, uint32_t most) {
    return {least, most, false, false};
}
Range power(uint32_t least, uint32_t most) {
    return {least, most, true, false};
}
Range power_or_zero(uint32_t least, uint32_t most) {
    return {least, most, true, true};
}

using Words = std::vector<std::string>;  // of an enumeration, in its order

const Words patterns = {"none", "ld-ld", "ld-st", "st-ld", "st-st"};
const Words scatters = {"natural", "apart", "random"};
const Words shifts = {"none", "apart", "random"};
const Words homes = {"first", "last", "second-apart", "first-apart"};
const Words touches = {"none", "generic", "async"};

struct Anything {};  // of a bool

template <typename S, typename Visit>
void each_parameter(S& s, Visit visit) {
    visit("occupancy", s.occupancy, whole(1, 100));
    visit("block", s.block, power(32, 1024));
    visit("launch", s.launch, power(4096, 1U << 22));
    visit("spread", s.spread, Anything{});
    visit("rotation", s.rotation, whole(0, 31));
    visit("skew", s.skew, power_or_zero(16, 65536));
    visit("lag", s.lag, whole(0, 15));
    visit("scatter", s.scatter, scatters);
    visit("shift", s.shift, shifts);
    visit("stride", s.stride, power(4, 256));
    visit("padding", s.padding, power_or_zero(128, 4096));
    visit("home", s.home, homes);
    visit("alternate", s.alternate, Anything{});
    visit("touch", s.touch, touches);
    visit("before", s.before, whole(0, 64));
    visit("before_pattern", s.before_pattern, patterns);
    visit("traffic", s.traffic, whole(0, 16));
    visit("memory", s.memory, patterns);
    visit("lines", s.lines, power(1, 1024));
    visit("distance", s.distance, power(128, 16384));
    visit("bulk", s.bulk, power_or_zero(16, 4096));
    visit("peers", s.peers, Anything{});
    visit("banks", s.banks, power_or_zero(2, 32));
}

// ---- JSON ---------------------------------------------------------------------------------------------

[[noreturn]] void refuse(const std::string& key, const Json& value, const std::string& expected) {
    throw std::runtime_error("'" + key + "' is " + value.dump() + "; expected " + expected);
}

struct Writer {
    Json& out;
    void operator()(const char* key, uint32_t value, const Range&) const { out[key] = value; }
    void operator()(const char* key, bool value, Anything) const { out[key] = value; }
    void operator()(const char* key, const std::array<uint32_t, 8>& value, const Range&) const { out[key] = value; }
    template <typename Enumeration>
    void operator()(const char* key, Enumeration value, const Words& words) const {
        out[key] = words.at(static_cast<size_t>(value));
    }
};

struct StressReader {
    const Json& in;

    uint32_t number(const std::string& key, const Json& value, const Range& range) const {
        const std::optional<uint32_t> number = whole_number<uint32_t>(value);
        if (!number || !range.has(*number)) refuse(key, value, range.text());
        return *number;
    }
    void operator()(const char* key, uint32_t& value, const Range& range) const {
        if (in.contains(key)) value = number(key, in[key], range);
    }
    void operator()(const char* key, bool& value, Anything) const {
        if (!in.contains(key)) return;
        if (!in[key].is_boolean()) refuse(key, in[key], "true or false");
        value = in[key].get<bool>();
    }
    void operator()(const char* key, std::array<uint32_t, 8>& value, const Range& range) const {
        if (!in.contains(key)) return;
        const Json& list = in[key];
        if (!list.is_array() || list.size() > value.size()) refuse(key, list, "a list of at most 8 numbers");
        for (size_t i = 0; i < list.size(); ++i) value[i] = number(std::string(key) + "[" + std::to_string(i) + "]", list[i], range);
    }
    template <typename Enumeration>
    void operator()(const char* key, Enumeration& value, const Words& words) const {
        if (!in.contains(key)) return;
        std::string expected;
        for (size_t w = 0; w < words.size(); ++w) {
            if (in[key] == words[w]) {
                value = static_cast<Enumeration>(w);
                return;
            }
            expected += (w == 0 ? "\"" : w + 1 < words.size() ? ", \"" : " or \"") + words[w] + "\"";
        }
        refuse(key, in[key], expected);
    }
};

void check_keys(const Json& json) {
    const Json known = stress_json({});
    for (const auto& [key, value] : json.items()) {
        if (known.contains(key)) continue;
        std::string all;
        for (const auto& [name, ignored] : known.items()) all += (all.empty() ? "" : ", ") + name;
        throw std::runtime_error("'" + key + "' is no parameter of a configuration; there are " + all);
    }
}

// ---- random choice ------------------------------------------------------------------------------------------

struct Sampler {
    std::mt19937_64& random;

    uint32_t below(size_t end) const { return static_cast<uint32_t>(random() % end); }
    bool coin() const { return below(2) == 0; }
    uint32_t number(const Range& range) const {
        if (range.zero && coin()) return 0;
        if (!range.power) return range.least + below(range.most - range.least + 1U);
        const auto least = static_cast<unsigned>(std::countr_zero(range.least)), most = static_cast<unsigned>(std::countr_zero(range.most));
        return 1U << (least + below(most - least + 1U));
    }
    void operator()(const char*, uint32_t& value, const Range& range) const { value = number(range); }
    void operator()(const char*, bool& value, Anything) const { value = coin(); }
    void operator()(const char*, std::array<uint32_t, 8>& value, const Range& range) const {
        const bool none = coin();
        for (uint32_t& v : value) v = none || coin() ? 0 : number(range);
    }
    template <typename Enumeration>
    void operator()(const char*, Enumeration& value, const Words& words) const {
        value = static_cast<Enumeration>(below(words.size()));
    }
};

// Flat choice would give every configuration some of everything, and few CTAs to the test.
void thin_out(Stress& s, std::mt19937_64& random) {
    const Sampler sampler{random};
    const auto pick = [&](std::initializer_list<uint32_t> choices) { return *(choices.begin() + sampler.below(choices.size())); };
    s.block = pick({64, 128, 256, 256, 512, 1024});
    s.launch = pick({65536, 262144, 1048576, 2097152, 4194304});
    s.skew = pick({0, 0, 64, 256, 512, 1024, 2048, 4096});
    s.rotation = pick({0, 0, 1, 2, 3});
    s.before = pick({0, 0, 0, 1, 2, 4, 8, 16});
    s.traffic = pick({0, 1, 2, 4, 8});
    if (sampler.coin()) s.traffic = 0;
    s.occupancy = s.has_traffic() ? pick({25, 50, 75, 90}) : pick({25, 50, 75, 100, 100, 100});
    if (!s.has_traffic()) s.traffic = 0;
}

}  // namespace

Stress sample(std::mt19937_64& random) {
    Stress result;
    each_parameter(result, Sampler{random});
    thin_out(result, random);
    return result;
}

namespace {

// Takes the parameter of the same name from `other` when a die says so.
struct Crossing {
    const Json& other;
    std::mt19937_64& random;

    template <typename T, typename Domain>
    void operator()(const char* key, T& value, const Domain& domain) const {
        if (random() % 6 == 0) StressReader{other}(key, value, domain);
    }
};

}  // namespace

Stress varied(const Stress& base, std::mt19937_64& random) {
    const Json other = stress_json(sample(random));
    Stress result = base;
    each_parameter(result, Crossing{other, random});
    return result;
}

Json stress_json(const Stress& stress) {
    Json json = Json::object();
    each_parameter(stress, Writer{json});
    return json;
}

Json stresses_json(const Stresses& all) {
    if (all.size() == 1) return stress_json(all.front());
    Json list = Json::array();
    for (const Stress& stress : all) list.push_back(stress_json(stress));
    return list;
}

Stress parse_stress(const Json& json) {
    if (!json.is_object()) throw std::runtime_error("a configuration is a JSON object, as \"configuration\" in observed.json");
    check_keys(json);
    Stress result;
    each_parameter(result, StressReader{json});
    return result;
}

Stresses parse_stresses(const Json& json) {
    if (!json.is_array()) return {parse_stress(json)};
    if (json.empty() || json.size() > most_in_turn)
        throw std::runtime_error("a list of configurations has 1 to " + std::to_string(most_in_turn));
    Stresses result;
    for (const Json& one : json) result.push_back(parse_stress(one));
    return result;
}

namespace {

Configurations configurations_of(const Json& root) {
    Configurations result;
    if (!root.is_object() || !root.contains("schema")) {
        result.common = parse_stresses(root);
        return result;
    }
    if (root["schema"] != "litmus-observed") refuse("schema", root["schema"], "\"litmus-observed\"");
    if (!root.contains("version") || !whole_number(root["version"], 1, 2))
        throw std::runtime_error("an observed.json of a version that this litmus-gpu does not read; it reads versions 1 and 2");
    if (root.contains("configuration")) result.common = parse_stresses(root["configuration"]);
    if (!root.contains("tests") || !root["tests"].is_array()) throw std::runtime_error("an observed.json without a list of \"tests\"");
    for (const Json& test : root["tests"]) {
        if (!test.is_object() || !test.contains("configuration")) continue;
        const Stresses stresses = parse_stresses(test["configuration"]);
        for (const char* key : {"name", "hash"})
            if (test.contains(key) && test[key].is_string()) result.of_test[test[key].get<std::string>()] = stresses;
    }
    return result;
}

}  // namespace

Configurations read_configurations(const std::string& text, const std::string& file) {
    Json root;
    try {
        root = strict_json<Json>(text);
    } catch (const NoJson& error) {
        throw std::runtime_error(file + ": not JSON at byte " + std::to_string(error.span.begin + 1) + ": " + error.what() +
                                 "; expected an object of parameters, a list of such or an observed.json");
    }
    try {
        return configurations_of(root);
    } catch (const std::exception& error) {
        throw std::runtime_error(file + ": " + error.what());
    }
}

Stresses configuration_for(const Configurations& all, const std::string& hash, const std::string& test) {
    for (const std::string& key : {hash, test})
        if (const auto found = all.of_test.find(key); found != all.of_test.end()) return found->second;
    return all.common;
}

}  // namespace litmus::gpu
