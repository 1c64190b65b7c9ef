// A folder of pages: made beside its place, and put there when it is whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tool/interruption.h"

namespace litmus {

class SiteFolder {
public:
    // Takes `folder`, which shall hold the pages: it is not there, or is empty, or was written by this class. Throws Failure where it is
    // something else, or cannot be written.
    explicit SiteFolder(const std::string& folder);
    ~SiteFolder();  // what is not published is gone, after a signal, too
    SiteFolder(const SiteFolder&) = delete;
    SiteFolder& operator=(const SiteFolder&) = delete;

    // Writes a page at its path from the site's root. Throws Failure. May be called from several threads, for different paths.
    void write(const std::string& path, std::string_view text) const;
    // Whether a file is, or would be, in the folder that is replaced.
    bool replaces(const std::string& file) const;
    // Puts the folder in its place; the one that was there is gone. Throws Failure.
    void publish();

private:
    std::string folder_, making_;
    std::optional<Unfinished> unfinished_;
};

}  // namespace litmus
