// The files that travel inside the executable and stand beside the pages: style, script, grammar and its colours. Defined in a generated
// file.
#pragma once

#include <string_view>
#include <vector>

namespace litmus {

struct Asset {
    std::string_view file;  // "style.css"
    std::string_view text;
};
const std::vector<Asset>& page_assets();

// The text of one. Throws std::logic_error where there is none of this name.
std::string_view asset(std::string_view file);

}  // namespace litmus
