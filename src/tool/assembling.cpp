// Words to settings; assemblers are asked for their versions.
#include "tool/assembling.h"

#include <algorithm>
#include <cstdlib>

#include "base/source.h"

namespace litmus {

namespace {

std::vector<sass::Assembler> assemblers_of(const std::vector<std::string>& paths) {
    std::vector<sass::Assembler> found;
    for (const std::string& path : paths.empty() ? std::vector<std::string>{""} : paths) {
        const std::optional<sass::Assembler> one = sass::find_assembler(path);
        if (one) {
            found.push_back(*one);
            continue;
        }
        if (!path.empty()) throw Failure(nullptr, {}, "'" + path + "' is no ptxas", "it must be a file that answers to --version");
        const char* folders = std::getenv("PATH");
        throw Failure(nullptr, {},
                      "there is no ptxas in /usr/local/cuda/bin or on the PATH: " + std::string(folders ? folders : "which is empty"),
                      "install the CUDA toolkit, or name the assembler with --ptxas");
    }
    return found;
}

}  // namespace

compiled::Settings settings_of(const CompiledOptions& options) {
    compiled::Settings settings{assemblers_of(options.assemblers), options.levels, options.targets, {}, false};
    for (const std::string& word : options.bodies)
        for (const gpu::Body body : gpu::bodies)
            if (gpu::name(body) == word) settings.bodies.push_back(body);
    settings.harness = std::find(options.bodies.begin(), options.bodies.end(), "harness") != options.bodies.end();
    return settings;
}

}  // namespace litmus
