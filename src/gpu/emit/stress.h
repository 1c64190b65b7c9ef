// The noise around a test: everything that can be set about how, where and beside what it runs.
//
// A configuration chooses; what it leaves random (start times, odd words, seeds) is drawn again for each launch, so one
// configuration stands for many schedules. Nothing here changes what the test means: see emit.cpp and thread_text.cpp
// for what each part puts around the threads, and stress_text.cpp for the traffic beside them.
//
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <string>
#include <vector>

namespace litmus::gpu {

// Two accesses to one scratch line, one after the other.
enum class Pattern : uint8_t { none, ld_ld, ld_st, st_ld, st_st };
// Where consecutive instances have their slots: side by side; 33 slots apart; an odd random number of slots apart.
enum class Scatter : uint8_t { natural, apart, random };
// How far location l of an instance is from location l-1, in slots of its own region: 0; 16; a random number.
enum class Shift : uint8_t { none, apart, random };
// A test for several GPUs: whose memory has the locations. All in the first one's; in the last one's; every second one in the last
// one's; the others.
enum class Home : uint8_t { first, last, second_apart, first_apart };
// Who reads a thread's locations before its first instruction: nobody; itself; the async proxy, into L2.
enum class Touch : uint8_t { none, generic, async };

// The default is "untuned": natural layout, no skew, no stress.
struct Stress {
    // where threads run
    uint32_t occupancy = 100;   // percent of the CTAs that the device runs at a time; the rest is left to the traffic
    uint32_t block = 256;       // threads of a CTA of packed tests, about
    uint32_t launch = 1048576;  // instances of a launch, about, at most: fewer stay in the L2 cache
    bool spread = false;        // the clusters of an instance: as far apart as the grid allows, not neighbours
    uint32_t rotation = 0;      // of the clusters of an instance, the CTAs of a cluster, the warps: number n plays role n + rotation
    // when they start
    uint32_t skew = 0;              // clock cycles: each thread starts less than so many late, at random
    std::array<uint32_t, 8> lag{};  // of role r (modulo 8): lag[r] * 64 more clock cycles, the same in all instances
    // where locations are
    Scatter scatter = Scatter::natural;
    Shift shift = Shift::none;
    uint32_t stride = 4;   // bytes from slot to slot (at least the largest location)
    uint32_t padding = 0;  // bytes between the last slot of a location and the first of the next location
    Home home = Home::first;
    bool alternate = false;  // what is in shared memory before the initial values: alternating words, not what the last round left
    // what each hardware thread does before its part of the test
    Touch touch = Touch::none;
    uint32_t before = 0;                      // pairs of scratch accesses
    Pattern before_pattern = Pattern::ld_ld;  // of them
    // the traffic beside the test, in CTAs of its own
    uint32_t traffic = 0;            // CTAs for each multiprocessor, as far as occupancy leaves room
    Pattern memory = Pattern::none;  // scratch accesses in global memory
    uint32_t lines = 64;             // of scratch memory, for `memory`, `before` and `bulk`
    uint32_t distance = 128;         // bytes from line to line
    uint32_t bulk = 0;               // bytes of each bulk copy, to and from scratch memory
    bool peers = false;              // loads, stores and atomics in the peer CTA's shared memory
    uint32_t banks = 0;              // shared-memory accesses with so many lanes in one bank

    bool has_traffic() const { return traffic > 0 && (memory != Pattern::none || bulk > 0 || peers || banks > 0); }
    bool operator==(const Stress&) const = default;
};

// Bytes of scratch memory that any configuration stays within.
inline constexpr uint64_t scratch_bytes = uint64_t{1024} * 16384 + 8192;

// A configuration at random; each kind of noise is absent from about half of them.
Stress sample(std::mt19937_64& random);

// `base` with about one parameter in six from another random configuration.
Stress varied(const Stress& base, std::mt19937_64& random);

// What a run takes, one after the other and again from the first. Never empty, where something is to run.
using Stresses = std::vector<Stress>;
inline constexpr size_t most_in_turn = 64;

// Every parameter by name; of several, a list.
nlohmann::ordered_json stress_json(const Stress& stress);
nlohmann::ordered_json stresses_json(const Stresses& all);

// What is not named keeps its default. Throws std::runtime_error, one line that names the key, on an unknown key, a wrong type
// or a value out of range.
Stress parse_stress(const nlohmann::ordered_json& json);
// One, or a list of 1 to most_in_turn.
Stresses parse_stresses(const nlohmann::ordered_json& json);

// The configurations of a --config file: for all tests, or, from an observed.json, for each. Empty: none.
struct Configurations {
    Stresses common;
    std::map<std::string, Stresses> of_test;  // by the hash of the test's text, and by its name
};

// `text`: a JSON object of parameters, a list of such, or an observed.json. Throws std::runtime_error, one line that starts with `file`.
Configurations read_configurations(const std::string& text, const std::string& file);

// The test's own, else the common ones, else none.
Stresses configuration_for(const Configurations& all, const std::string& hash, const std::string& test);

}  // namespace litmus::gpu
