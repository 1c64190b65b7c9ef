// Which CUDA line an instruction is shown at.
#include "kernel/module.h"

namespace litmus::kernel {

Line shown_line(const Module& module, const Origin& origin) {
    for (const Line& line : origin) {
        const auto file = module.files.find(line.file);
        if (line.line > 0 && file != module.files.end() && file->second.find("/include/") == std::string::npos) return line;
    }
    return origin.empty() ? Line{} : origin.back();
}

std::string text_of(const Module& module, Line line) {
    const auto file = module.files.find(line.file);
    if (file == module.files.end()) return {};
    return file->second.substr(file->second.rfind('/') + 1) + ":" + std::to_string(line.line);
}

}  // namespace litmus::kernel
