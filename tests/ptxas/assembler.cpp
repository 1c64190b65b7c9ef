// One call takes thousands of instructions and names the line of each bad one. It stops at different phases for
// different mistakes, so those that survive are assembled again, until none is refused.
#include "assembler.h"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace litmus::ptxas {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"), pclose);
    if (!pipe) throw std::runtime_error("cannot run: " + command);
    std::string text;
    std::array<char, 4096> buffer;
    while (const size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) text.append(buffer.data(), size);
    return text;
}

// A folder that is gone with its owner.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (fs::temp_directory_path() / "litmus-ptxas-XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a folder such as " + name);
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

constexpr size_t none = std::string::npos;

constexpr size_t instructions_per_kernel = 100;  // code generation is worse than linear in a kernel's length

// One that takes so many registers that a kernel of several of them may have no room for them.
bool wants_its_own_kernel(const std::string& instruction) {
    for (const char* part : {"wgmma.mma_async", ".x64", ".x128"})
        if (instruction.find(part) != none) return true;
    return false;
}

// PTX, and which of its lines, counted from 1, is which instruction.
struct Module {
    std::string text;
    std::vector<size_t> instruction_at = {none};

    void add(const std::string& lines, size_t instruction = none) {
        text += lines;
        instruction_at.insert(instruction_at.end(), static_cast<size_t>(std::count(lines.begin(), lines.end(), '\n')), instruction);
    }
};

// Messages by instruction, from lines such as "ptxas t.ptx, line 12; error   : Illegal modifier ...".
std::map<size_t, std::string> refusals(const std::string& output, const std::vector<size_t>& instruction_at) {
    std::map<size_t, std::string> found;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        const size_t at = line.find(", line ");
        const size_t colon = line.find(':', at == none ? 0 : at);
        if (at == none || colon == none || line.find("; warning") != std::string::npos) continue;
        const size_t number = std::stoul(line.substr(at + 7));
        if (number < instruction_at.size() && instruction_at[number] != none)
            found.emplace(instruction_at[number], line.substr(std::min(colon + 2, line.size())));
    }
    return found;
}

}  // namespace

std::optional<Assembler> find_assembler() {
    std::vector<fs::path> folders;
    const char* path = getenv("PATH");
    std::istringstream parts(path ? path : "");
    for (std::string folder; std::getline(parts, folder, ':');) folders.emplace_back(folder);
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", ignored))
        if (entry.path().filename().string().rfind("cuda", 0) == 0) folders.push_back(entry.path() / "bin");
    for (const fs::path& folder : folders) {
        if (!fs::exists(folder / "ptxas", ignored)) continue;
        const std::string text = output_of("'" + (folder / "ptxas").string() + "' --version");
        const size_t at = text.find("release ");
        if (at != none) return Assembler{(folder / "ptxas").string(), text.substr(at + 8, text.find(',', at) - at - 8)};
    }
    return std::nullopt;
}

std::optional<Assembler> usable_assembler(const std::string& release) {
    const auto assembler = find_assembler();
    if (!assembler)
        std::cout << "skipped: no ptxas on the PATH or in /usr/local/cuda*/bin\n";
    else if (assembler->release != release)
        std::cout << "skipped: ptxas is of release " << assembler->release << ", and the differences are those of " << release << "\n";
    else
        return assembler;
    return std::nullopt;
}

std::vector<std::string> assemble(const Assembler& assembler, int version, const std::string& target, const std::string& registers,
                                  const std::vector<std::string>& instructions) {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "t.ptx").string();
    const std::string command = "'" + assembler.path + "' -O0 --gpu-name " + target + " -o /dev/null '" + file + "'";
    std::vector<std::string> messages(instructions.size());
    std::vector<size_t> left(instructions.size());
    for (size_t i = 0; i < left.size(); ++i) left[i] = i;
    std::stable_partition(left.begin(), left.end(), [&](size_t i) { return instructions[i].find("cta_group::2") == none; });
    const std::string header =
        ".version " + std::to_string(version / 10) + "." + std::to_string(version % 10) + "\n.target " + target + "\n.address_size 64\n";
    while (!left.empty()) {
        Module module;
        module.add(header);
        const auto of_pair = [&](size_t i) { return instructions[left[i]].find("cta_group::2") != none; };
        const auto is_large = [&](size_t i) { return wants_its_own_kernel(instructions[left[i]]); };
        size_t first = 0;  // of this kernel, which has operations of single CTAs or of pairs (ISA 9.7.16.7.1)
        for (size_t i = 0; i < left.size(); ++i) {
            if (i == 0 || i - first == instructions_per_kernel || of_pair(i) != of_pair(first) || is_large(i) || is_large(first)) {
                if (i > 0) module.add("done: ret;\n}\n");
                first = i;
                module.add(".visible .entry k" + std::to_string(i) + "()\n{\n" + registers);
            }
            module.add(instructions[left[i]] + "\n", left[i]);
        }
        module.add("done: ret;\n}\n");
        std::ofstream(file) << module.text;
        const std::string output = output_of(command);
        const std::map<size_t, std::string> refused = refusals(output, module.instruction_at);
        if (refused.empty()) {
            if (output.find("error") == std::string::npos && output.find("fatal") == std::string::npos) break;
            const size_t error = std::min(output.find("error  "), output.find("fatal"));
            throw std::runtime_error("the assembler refuses what it does not name: " + output.substr(std::min(error, output.size()), 500));
        }
        for (const auto& [instruction, message] : refused) messages[instruction] = message;
        left.erase(std::remove_if(left.begin(), left.end(), [&](size_t i) { return refused.count(i) != 0; }), left.end());
    }
    return messages;
}

}  // namespace litmus::ptxas
