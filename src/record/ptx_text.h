// What recording needs of PTX before anybody reads it whole: which kernels a text has, and where their parameters lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace litmus::record {

struct ParameterPlace {
    uint64_t offset = 0, bytes = 0;
    friend bool operator==(const ParameterPlace&, const ParameterPlace&) = default;
};

// The parameters of a kernel, one after the other as their alignments allow. Nothing:
// the text has no such kernel.
std::optional<std::vector<ParameterPlace>> parameters_of(std::string_view ptx, std::string_view kernel);

}  // namespace litmus::record
