// ptxas as a process of its own, without a shell between: it reads and writes files of a folder that is gone afterwards.
#include "sass/assembler.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "base/process.h"

namespace litmus::sass {

namespace {

std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The version of "Cuda compilation tools, release 13.0, V13.0.88"; empty: it says none.
std::string version_in(const std::string& text) {
    const size_t at = text.find(", V");
    if (at == std::string::npos) return {};
    const size_t end = text.find_first_not_of("0123456789.", at + 3);
    return text.substr(at + 3, end == std::string::npos ? end : end - at - 3);
}

std::optional<Assembler> asked(const std::string& path) {
    if (access(path.c_str(), X_OK) != 0 || std::filesystem::is_directory(path)) return std::nullopt;
    const PassingFolder folder;
    const std::string said = folder.file("version");
    if (run_program({path, "--version"}, said) != 0) return std::nullopt;
    const std::string version = version_in(text_of(said));
    return version.empty() ? std::nullopt : std::optional<Assembler>({path, "ptxas " + version});
}

}  // namespace

std::optional<Assembler> find_assembler(const std::string& path) {
    if (!path.empty()) return asked(path);
    for (const std::string& found : programs_called("ptxas"))
        if (const std::optional<Assembler> assembler = asked(found)) return assembler;
    return std::nullopt;
}

std::string assemble(const Assembler& assembler, const std::string& ptx, const std::string& target, int level) {
    const PassingFolder folder;
    const std::string input = folder.file("test.ptx"), output = folder.file("test.cubin"), said = folder.file("said");
    std::ofstream(input, std::ios::binary) << ptx;
    if (run_program({assembler.path, "-arch=" + target, "-O" + std::to_string(level), "-lineinfo", "-o", output, input}, said) != 0)
        throw std::runtime_error(assembler.name + " refuses it: " + text_of(said).substr(0, 2000));
    return text_of(output);
}

}  // namespace litmus::sass
