// The folder is made beside its place, so that a rename puts it there as a whole. A file in it lists the pages with their digests: what
// that list does not have, or has otherwise, is another's, and is never deleted.
#include "tool/site.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/own_files.h"
#include "base/sha256.h"
#include "base/source.h"
#include "tool/rewrite.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

// The list: a line that says what it is, then a line for each page, as `sha256sum` writes it.
constexpr const char* list_name = ".litmus-report";
constexpr const char* list_title = "This folder was written by `litmus report`, which replaces these files:\n";
constexpr size_t most_bytes = size_t{1} << 30;  // of a page, and of the list

[[noreturn]] void cannot(const std::string& what, const std::string& why) {
    throw Failure(nullptr, {}, "cannot write " + what + ": " + why);
}

std::string list_of(const std::map<std::string, std::string>& pages) {
    std::string text = list_title;
    for (const auto& [path, digest] : pages) text += digest + "  " + path + "\n";
    return text;
}

// The digests by path; none where the folder has no such list.
std::map<std::string, std::string> listed_in(const fs::path& folder) {
    std::map<std::string, std::string> pages;
    std::error_code ignored;
    if (fs::symlink_status(folder / list_name, ignored).type() != fs::file_type::regular) return pages;
    std::istringstream lines(read_regular((folder / list_name).string(), most_bytes)->text);
    std::string line;
    std::getline(lines, line);
    if (line + "\n" != list_title) return pages;
    constexpr size_t digits = 64;
    while (std::getline(lines, line)) {
        const fs::path path = line.substr(std::min(digits + 2, line.size()));
        const bool leads_out = path.is_absolute() || std::count(path.begin(), path.end(), "..") > 0;
        if (!path.empty() && !leads_out) pages[path.generic_string()] = line.substr(0, digits);
    }
    return pages;
}

// The pages that `litmus report` wrote into a folder, by the list in it.
class Pages {
public:
    explicit Pages(fs::path folder) : folder_(std::move(folder)), listed_(listed_in(folder_)) {}

    // The first thing in the folder that is no page: it is not in the list, has changed since, or cannot be looked at. Empty: there is
    // none.
    fs::path first_foreign() const {
        std::error_code error;
        fs::recursive_directory_iterator entry(folder_, error);
        for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
            if (!is_page(entry->path()) && !is_folder_of_pages(entry->path())) return entry->path();
        return error ? folder_ : fs::path();
    }

    // Deletes the pages, and the folder as far as nothing else is in it.
    void remove() const {
        std::error_code ignored;
        for (const auto& [path, digest] : listed_)
            if (is_page(folder_ / path)) fs::remove(folder_ / path, ignored);
        for (const auto& [path, digest] : listed_)
            for (fs::path inner = fs::path(path).parent_path(); !inner.empty(); inner = inner.parent_path())
                fs::remove(folder_ / inner, ignored);
        if (!listed_.empty()) fs::remove(folder_ / list_name, ignored);
        fs::remove(folder_, ignored);
    }

private:
    std::string name_of(const fs::path& path) const { return path.lexically_relative(folder_).generic_string(); }

    // A regular file of the list, in folders that are no links.
    bool is_page(const fs::path& path) const {
        std::error_code ignored;
        if (fs::symlink_status(path, ignored).type() != fs::file_type::regular) return false;
        for (fs::path above = path.parent_path(); above != folder_; above = above.parent_path())
            if (fs::symlink_status(above, ignored).type() != fs::file_type::directory) return false;
        const std::string name = name_of(path);
        if (name == list_name) return !listed_.empty();
        const auto page = listed_.find(name);
        return page != listed_.end() && sha256(read_regular(path.string(), most_bytes)->text) == page->second;
    }
    bool is_folder_of_pages(const fs::path& path) const {
        std::error_code ignored;
        const std::string beginning = name_of(path) + "/";
        const auto page = listed_.lower_bound(beginning);
        return fs::symlink_status(path, ignored).type() == fs::file_type::directory && page != listed_.end() &&
               page->first.starts_with(beginning);
    }

    const fs::path folder_;
    const std::map<std::string, std::string> listed_;
};

}  // namespace

SiteFolder::SiteFolder(const std::string& folder) {
    std::error_code error;
    fs::path there = fs::weakly_canonical(folder, error);
    if (error) cannot("'" + folder + "'", error.message());
    if (!there.has_filename()) there = there.parent_path();
    const fs::file_status status = fs::status(there, error);
    if (fs::exists(status) && !fs::is_directory(status)) cannot("'" + folder + "'", "it is no directory");
    if (fs::exists(status))
        if (const fs::path foreign = Pages(there).first_foreign(); !foreign.empty())
            throw Failure(nullptr, {},
                          "'" + folder + "' holds files that `litmus report` did not write, such as '" +
                              foreign.lexically_relative(there).generic_string() + "'",
                          "name another folder, or empty this one");
    folder_ = there.string();
    fs::create_directories(there.parent_path(), error);
    {
        const Uninterrupted whole;
        making_ = fresh_neighbour(folder_, [](const std::string& name) { return ::mkdir(name.c_str(), 0777) == 0; });
        if (making_.empty()) cannot("beside '" + folder + "'", std::strerror(errno));
        unfinished_.emplace(making_);
    }
}

SiteFolder::~SiteFolder() {
    std::error_code ignored;
    if (!making_.empty()) fs::remove_all(making_, ignored);
}

void SiteFolder::write(const std::string& path, std::string_view text) {
    put(path, text);
    std::string digest = sha256(text);
    const std::lock_guard<std::mutex> lock(mutex_);
    written_[path] = std::move(digest);
}

void SiteFolder::put(const std::string& path, std::string_view text) const {
    const Uninterrupted whole;
    const fs::path there = fs::path(making_) / path;
    std::error_code error;
    fs::create_directories(there.parent_path(), error);
    std::ofstream file(there, std::ios::binary);
    file << text;
    file.close();
    if (file.fail()) cannot("'" + (fs::path(folder_) / path).string() + "'", std::strerror(errno));
}

void SiteFolder::publish() {
    put(list_name, list_of(written_));
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
    if (replaces) Pages(old).remove();
    if (replaces && fs::exists(old))
        throw Failure(nullptr, {},
                      "'" + folder_ + "' got files meanwhile that `litmus report` did not write: they are in '" + old + "' now");
}

}  // namespace litmus
