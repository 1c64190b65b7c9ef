// A test through assemblers: each of its threads in several surroundings, for several targets, at several levels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compiled/thread.h"
#include "gpu/emit/bare.h"
#include "language/test.h"
#include "sass/assembler.h"

namespace litmus::compiled {

// In what a test is assembled. All combinations are.
struct Settings {
    std::vector<sass::Assembler> assemblers;
    std::vector<int> levels;
    std::vector<std::string> targets;  // "sm_90a"
    std::vector<gpu::Body> bodies;
    bool harness = false;  // and as `litmus emit` writes it, with all that `litmus-gpu run` puts around
};

struct Setting {
    std::string assembler;  // "ptxas 13.0.88"
    int level = sass::usual_level;
    std::string target;
    std::string body;  // "plain", ..., "harness"
    auto operator<=>(const Setting& other) const = default;
};

// What was read of a test that was assembled so.
struct Assembled {
    Setting setting;
    std::vector<ThreadCode> codes;  // of all threads
    std::string refused;            // why it was not assembled, or not read; then there are no codes
};

// `test` is native.
std::vector<Assembled> assemble(const Test& test, const Settings& settings);

}  // namespace litmus::compiled
