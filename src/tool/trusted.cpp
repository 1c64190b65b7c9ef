// An access control list that lets others write shows as the write permission of the group.
#include "tool/trusted.h"

#include <unistd.h>

namespace litmus {

std::string other_hands(const struct stat& there) {
    if (there.st_uid != ::geteuid() && there.st_uid != 0) return "it belongs to another user";
    return (there.st_mode & (S_IWGRP | S_IWOTH)) != 0 ? "others may write to it" : "";
}

}  // namespace litmus
