// NVIDIA's assembler, run on many instructions at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace litmus::ptxas {

struct Assembler {
    std::string path;
    std::string release;  // "13.0"
};

// On the PATH, or in CUDA's usual folders.
std::optional<Assembler> find_assembler();

// The same when it is of the release that is asked for; otherwise says on the output why nothing is compared.
std::optional<Assembler> usable_assembler(const std::string& release);

// What it says of each instruction: nothing when it accepts it, else its first message. `version` is PTX's (90 is 9.0),
// `target` such as "sm_100a".
std::vector<std::string> assemble(const Assembler& assembler, int version, const std::string& target, const std::string& registers,
                                  const std::vector<std::string>& instructions);

}  // namespace litmus::ptxas
