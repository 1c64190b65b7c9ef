// Fatbins in the memory of this program: those that nvcc put into its files.
#pragma once

#include <string_view>
#include <vector>

namespace litmus::record {

std::vector<std::string_view> program_images();

}  // namespace litmus::record
