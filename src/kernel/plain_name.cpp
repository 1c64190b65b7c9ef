// The names within a mangled one have their lengths before them (see plain_name.h).
#include "kernel/plain_name.h"

namespace litmus::kernel {

std::string plain_name(const std::string& mangled) {
    if (mangled.rfind("_Z", 0) != 0) return mangled;
    std::string plain;
    const bool nested = mangled.rfind("_ZN", 0) == 0;  // otherwise the types of the parameters follow the name
    size_t at = nested ? 3 : 2;
    while ((nested || plain.empty()) && at < mangled.size() && mangled[at] >= '1' && mangled[at] <= '9') {
        size_t length = 0;
        while (at < mangled.size() && mangled[at] >= '0' && mangled[at] <= '9' && length < mangled.size())
            length = length * 10 + static_cast<size_t>(mangled[at++] - '0');
        plain = mangled.substr(at, length);
        at += length;
    }
    return plain.empty() ? mangled : plain;
}

}  // namespace litmus::kernel
