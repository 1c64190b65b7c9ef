// The texts of the models that travel inside the executable; defined in a generated file.
#pragma once

#include <string_view>
#include <vector>

namespace litmus {

struct ShippedText {
    std::string_view file;  // "ptx.cat"
    std::string_view text;
};
const std::vector<ShippedText>& shipped_texts();

}  // namespace litmus
