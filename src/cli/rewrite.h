// Files that are written as a whole.
#pragma once

#include <string>

namespace litmus {

// A regular file, or what does not exist yet, through a neighbour of a fresh name and a rename, so that a crash leaves the old text, if
// there was one, or the new one. A link stays a link: what it points to is rewritten. What is no regular file (a device, a FIFO) stays
// what it is, and the text is written into it; of a FIFO the reader is waited for. Throws Failure where that cannot be done, or the file
// is one that nobody may write.
void write_file(const std::string& path, const std::string& text);

// Throws Failure unless what a path names is a regular file, which alone can be rewritten in its place.
void require_rewritable(const std::string& path);

}  // namespace litmus
