// Whether what a file or a folder holds can be another user's: answers that are found again are believed, and must be our own.
//
// The rule is that of ssh for its keys, and of git for its repositories. The file belongs to the user who runs this, or to root. Neither
// its group nor others may write to it.
#pragma once

#include <sys/stat.h>

#include <string>

namespace litmus {

// How another user could have come by it: "it belongs to another user", "others may write to it". Empty: none could.
std::string other_hands(const struct stat& there);

}  // namespace litmus
