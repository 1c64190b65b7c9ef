// The table is generated; here one looks into it.
#include "view/page/assets.h"

#include <stdexcept>
#include <string>

namespace litmus {

std::string_view asset(std::string_view file) {
    for (const Asset& one : page_assets())
        if (one.file == file) return one.text;
    throw std::logic_error("no file " + std::string(file) + " is inside the executable");
}

}  // namespace litmus
