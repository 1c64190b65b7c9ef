// The folder is made beside its place, so that a rename puts it there as a whole.
#include "tool/site.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/source.h"
#include "tool/rewrite.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

// A folder that holds this file is ours to replace.
constexpr const char* marker = ".litmus-report";
constexpr const char* marker_text = "This folder was written by `litmus report`, which replaces it as a whole.\n";

[[noreturn]] void cannot(const std::string& what, const std::string& why) {
    throw Failure(nullptr, {}, "cannot write " + what + ": " + why);
}

}  // namespace

SiteFolder::SiteFolder(const std::string& folder) {
    std::error_code error;
    fs::path there = fs::weakly_canonical(folder, error);
    if (error) cannot("'" + folder + "'", error.message());
    if (!there.has_filename()) there = there.parent_path();
    const fs::file_status status = fs::status(there, error);
    if (fs::exists(status) && !fs::is_directory(status)) cannot("'" + folder + "'", "it is no directory");
    if (fs::exists(status) && !fs::is_regular_file(there / marker) && !fs::is_empty(there, error))
        throw Failure(nullptr, {}, "'" + folder + "' holds files that `litmus report` did not write",
                      "name another folder, or empty this one");
    folder_ = there.string();
    fs::create_directories(there.parent_path(), error);
    {
        const Uninterrupted whole;
        making_ = fresh_neighbour(folder_, [](const std::string& name) { return ::mkdir(name.c_str(), 0777) == 0; });
        if (making_.empty()) cannot("beside '" + folder + "'", std::strerror(errno));
        unfinished_.emplace(making_);
    }
    try {
        write(marker, marker_text);
    } catch (const Failure&) {  // there is no destructor yet
        fs::remove_all(making_, error);
        throw;
    }
}

SiteFolder::~SiteFolder() {
    std::error_code ignored;
    if (!making_.empty()) fs::remove_all(making_, ignored);
}

void SiteFolder::write(const std::string& path, std::string_view text) const {
    const Uninterrupted whole;
    const fs::path there = fs::path(making_) / path;
    std::error_code error;
    fs::create_directories(there.parent_path(), error);
    std::ofstream file(there, std::ios::binary);
    file << text;
    file.close();
    if (file.fail()) cannot("'" + (fs::path(folder_) / path).string() + "'", std::strerror(errno));
}

bool SiteFolder::replaces(const std::string& file) const {
    std::error_code error;
    const fs::path there = fs::weakly_canonical(file, error), folder = folder_;
    return !error && std::mismatch(folder.begin(), folder.end(), there.begin(), there.end()).first == folder.end();
}

void SiteFolder::publish() {
    const Uninterrupted whole;
    std::error_code error;
    const std::string old = making_ + ".old";
    const bool replaces = fs::exists(folder_);
    if (replaces) fs::rename(folder_, old, error);
    if (!error) fs::rename(making_, folder_, error);
    if (error) {
        std::error_code ignored;
        if (replaces && !fs::exists(folder_)) fs::rename(old, folder_, ignored);
        cannot("'" + folder_ + "'", error.message());
    }
    making_.clear();
    unfinished_.reset();
    fs::remove_all(old, error);
}

}  // namespace litmus
