// Where the laboratory is: a file beside the executable, since it is built by other means (src/view/lab/lab.cmake).
#pragma once

#include <string>

namespace litmus {

// The page, whole. Throws Failure where this litmus was built or installed without it.
std::string laboratory_page();

}  // namespace litmus
