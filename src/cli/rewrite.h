// Files that are written as a whole.
#pragma once

#include <string>

namespace litmus {

// Through a neighbour of a fresh name and a rename, so that a crash leaves the old text, if there was one, or the new one. A link stays a
// link: what it points to is rewritten. Throws Failure where that cannot be done, or the file is one that nobody may write.
void write_file(const std::string& path, const std::string& text);

}  // namespace litmus
