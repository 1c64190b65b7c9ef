// Files that come with what was named, and that nobody named themselves: what a stranger put there may be anything.
#pragma once

#include <string>

#include "base/source.h"

namespace litmus {

// Reads a regular file: no pipe, no device, which may have no end. Throws Failure as read_source() does.
SourcePtr read_regular(const std::string& path, size_t most_bytes);

// Throws Failure unless it is a regular file in a folder: a link leads to a file of the same ending in that folder, or below.
void require_own(const std::string& path, const std::string& folder);

// Reads such a file.
SourcePtr read_own(const std::string& path, const std::string& folder, size_t most_bytes);

}  // namespace litmus
