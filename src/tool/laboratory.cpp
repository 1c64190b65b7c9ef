// In the build folder it stands beside the executable, installed in share/litmus.
#include "tool/laboratory.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/source.h"

namespace litmus {

std::string laboratory_page() {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const fs::path& place : {folder / "laboratory.html", folder.parent_path() / "share" / "litmus" / "laboratory.html"}) {
        std::ifstream file(place, std::ios::binary);
        std::ostringstream text;
        if (file && text << file.rdbuf()) return text.str();
    }
    throw Failure(nullptr, {}, "this litmus was built without the laboratory",
                  "it takes emscripten (the package `emscripten` of Debian): install that, then `cmake --build build --target lab`");
}

}  // namespace litmus
