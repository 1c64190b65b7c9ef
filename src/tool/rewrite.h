// Files that are written as a whole.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace litmus {

// A regular file, or what does not exist yet, through a neighbour of a fresh name and a rename, so that a crash leaves the old text, if
// there was one, or the new one; a signal leaves no neighbour. A new file has the permissions of `mode` that the umask leaves. A link stays
// a link: what it points to is rewritten. A device or a FIFO stays what it is, and the text is written into it; the reader of a FIFO is
// waited for, but not for ever (base/writing.h). A file that is open already (/dev/stdout, /dev/fd/3, a link of /proc/PID/fd) keeps its
// text, and this one is written behind it. Throws Failure where that cannot be done, or the file is one that nobody may write.
void write_file(const std::string& path, const std::string& text, mode_t mode = 0666);

// Removes what write_file() wrote at another time: a regular file, or a link to one. All else stays what it is. Throws Failure where it
// cannot be removed.
void remove_file(const std::string& path);

// Throws Failure where write_file() would, as far as that is known before. Nothing is written.
void require_writable(const std::string& path);

// Throws Failure unless what a path names is a regular file, which alone can be rewritten in its place.
void require_rewritable(const std::string& path);
// The same of all that are named and there but standard input and folders: before any is read, since a FIFO would be waited for.
void require_all_rewritable(const std::vector<std::string>& names);

// Whether a path names a regular file that others find there, too: no descriptor of this process.
bool is_named_file(const std::string& path);

// Throws Failure where a file that is read, "-" being standard input, is the regular file that is to be written.
void require_apart(const std::string& read, const std::string& written);

// Calls `make` with names beside a path until one is not taken, and gives that one. `make` creates what is called so, and fails where
// something is; when it fails otherwise, the name is empty and errno says why.
std::string fresh_neighbour(const std::string& path, const std::function<bool(const std::string& name)>& make);

}  // namespace litmus
