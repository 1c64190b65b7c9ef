// Names of kernels as people say them.
#pragma once

#include <string>

namespace litmus::kernel {

// The plain part of a C++ name: "k" of `_Z1kPi`, of names in namespaces the last. Another name as it is.
std::string plain_name(const std::string& mangled);

}  // namespace litmus::kernel
