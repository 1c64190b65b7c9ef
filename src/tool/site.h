// A folder of pages: made beside its place, and put there when it is whole.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tool/interruption.h"

namespace litmus {

class SiteFolder {
public:
    // Takes `folder`, which shall hold the pages: it is not there, or is empty, or holds what this class wrote and nothing else. Throws
    // Failure where it is something else, or cannot be written.
    explicit SiteFolder(const std::string& folder);
    ~SiteFolder();  // what is not published is gone, after a signal, too
    SiteFolder(const SiteFolder&) = delete;
    SiteFolder& operator=(const SiteFolder&) = delete;

    // Writes a page at its path from the site's root. Throws Failure. May be called from several threads, for different paths.
    void write(const std::string& path, std::string_view text);
    // Puts the folder in its place; the pages that were there are gone. Throws Failure.
    void publish();

private:
    void put(const std::string& path, std::string_view text) const;

    std::string folder_, making_;
    std::mutex mutex_;
    std::map<std::string, std::string> written_;  // the digests of the pages, by path
    std::optional<Unfinished> unfinished_;
};

}  // namespace litmus
