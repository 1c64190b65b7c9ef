// What a path leads to is looked at before it is opened.
#include "base/own_files.h"

#include <filesystem>

#include "base/paths.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_to_read(const std::string& path, const std::string& why) {
    throw Failure(nullptr, {}, "cannot read '" + path + "': " + why);
}

void require_regular(const std::string& path) {
    std::error_code ignored;
    const fs::file_status there = fs::status(path, ignored);
    if (fs::exists(there) && !fs::is_regular_file(there)) refuse_to_read(path, "it is no regular file");
}

}  // namespace

SourcePtr read_regular(const std::string& path, size_t most_bytes) {
    require_regular(path);
    return read_source(path, {.most_bytes = most_bytes});
}

void require_own(const std::string& path, const std::string& folder) {
    std::error_code error;
    const fs::path target = fs::canonical(path, error);
    const fs::path root = error ? fs::path() : fs::canonical(folder.empty() ? "." : folder, error);
    if (error) refuse_to_read(path, error.message());
    if (!is_inside(target, root) || target.extension() != fs::path(path).extension())
        refuse_to_read(path, "it is a link that leads out of its folder");
    require_regular(path);
}

SourcePtr read_own(const std::string& path, const std::string& folder, size_t most_bytes) {
    require_own(path, folder);
    return read_regular(path, most_bytes);
}

}  // namespace litmus
