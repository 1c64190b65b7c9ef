// Where files are, links followed.
#pragma once

#include <filesystem>

namespace litmus {

// Whether a path is that of something below the folder; both canonical.
inline bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
    const std::filesystem::path relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
}

}  // namespace litmus
