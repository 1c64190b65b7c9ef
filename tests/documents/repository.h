// What the tests of documents share: the text of the repository's files.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "contents.h"

namespace documents {

// A file of the repository; `path` is relative to its root.
struct File {
    std::string path;
    std::string text;
};

inline std::string contents(const std::string& path) {
    return ::contents(LITMUS_SOURCE_DIR "/" + path);
}

inline bool exists(const std::string& path) {
    return std::filesystem::exists(LITMUS_SOURCE_DIR "/" + path);
}

// The files below these folders that have one of these extensions, sorted.
inline std::vector<File> files_below(const std::vector<std::string>& folders, const std::set<std::string>& extensions) {
    const std::filesystem::path root = LITMUS_SOURCE_DIR;
    std::set<std::string> paths;
    for (const std::string& folder : folders)
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
            if (entry.is_regular_file() && extensions.count(entry.path().extension().string()) > 0)
                paths.insert(entry.path().lexically_relative(root).generic_string());
    std::vector<File> files;
    for (const std::string& path : paths) files.push_back({path, contents(path)});
    return files;
}

}  // namespace documents
