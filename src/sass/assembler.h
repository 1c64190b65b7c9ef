// NVIDIA's assembler ptxas, where the machine has it.
#pragma once

#include <optional>
#include <string>

namespace litmus::sass {

struct Assembler {
    std::string path;
    std::string name;  // "ptxas 13.0.88"
};

// The one at `path`, or with an empty path the first of PATH and /usr/local/cuda/bin. Nothing where there is none, or it does not say which
// version it is.
std::optional<Assembler> find_assembler(const std::string& path = {});

// The level of optimisation that ptxas takes when none is asked for.
inline constexpr int usual_level = 3;

// The cubin for a target ("sm_90a"), with line information, which changes no code. Throws std::runtime_error with what ptxas says.
std::string assemble(const Assembler& assembler, const std::string& ptx, const std::string& target, int level = usual_level);

}  // namespace litmus::sass
