// Files that nobody has named themselves are read with more care than those that somebody has.
#include "tool/kernel_files.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/own_files.h"
#include "base/paths.h"
#include "base/process.h"
#include "base/shell_word.h"
#include "base/visible.h"
#include "tool/interruption.h"
#include "tool/rewrite.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

constexpr size_t most_kernel_bytes = size_t{64} << 20;  // of the PTX, of each file that an argument names, and of the CUDA files together

std::string command_text(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + (word[0] == '-' ? word : shell_word(word));
    return text;
}

// The PTX that nvcc makes of a CUDA file. Whole programs for sm_90a alone would be PTX for compute_90: the target is named twice.
SourcePtr compiled_ptx(const std::string& cuda, const KernelReading& how) {
    how.require_apart_from_outputs(cuda);
    std::vector<std::string> words{"nvcc", "-std=c++17", "-ptx", "-lineinfo", "-gencode", "arch=compute_90a,code=compute_90a"};
    const std::string name = fs::path(cuda).filename().replace_extension(".ptx").string();
    const auto with_files = [&](const std::string& output) {
        std::vector<std::string> all = words;
        all.insert(all.end(), {cuda, "-o", output});
        return all;
    };
    const std::vector<std::string> compilers = programs_called("nvcc");
    if (compilers.empty())
        throw Failure(nullptr, {}, "there is no nvcc here to compile " + visible(cuda),
                      "where there is one: `" + visible(command_text(with_files(name))) + "`; then judge " + visible(name));
    if (!fs::is_regular_file(cuda)) throw Failure(nullptr, {}, "cannot read '" + cuda + "'");
    words.front() = compilers.front();
    const PassingFolder folder;
    const Unfinished removed_by_signals(folder.path());
    const std::string output = folder.file(name), said = folder.file("said");
    const std::vector<std::string> command = with_files(output);
    std::fprintf(stderr, "%s\n", visible(command_text(command)).c_str());
    const bool is_compiled = run_program(command, said) == 0;
    const std::string text = fs::exists(said) ? read_source(said, {.most_bytes = most_kernel_bytes})->text : "";
    if (!text.empty()) std::fprintf(stderr, "%s", visible_lines(text).c_str());
    if (!is_compiled) throw Failure(nullptr, {}, "nvcc cannot compile " + visible(cuda), "its message stands above");
    return make_source(name, read_source(output, {.most_bytes = most_kernel_bytes, .budget = how.budget})->text);
}

KernelFile recorded_file(const std::string& folder, const KernelReading& how) {
    KernelFile file;
    file.folder = folder;
    file.recording = record::read_recording(folder, how.budget);
    if (!file.recording.without_ptx.empty())
        throw Failure(nullptr, {}, folder + " has no PTX: " + visible(file.recording.without_ptx),
                      "compile the program so that it has PTX: `nvcc -arch=sm_90a -lineinfo`, or `-gencode "
                      "arch=compute_90a,code=[sm_90a,compute_90a] -lineinfo`; then record it again");
    file.input = folder + "/" + record::ptx_file;
    return file;
}

// Folders in which a file is quoted that the PTX alone has named. They have no links in them.
std::vector<fs::path> quoted_folders(const std::string& input, const KernelReading& how) {
    std::vector<fs::path> folders;
    const fs::path of_input = fs::path(input).parent_path();
    std::error_code error;
    for (const fs::path& folder : {of_input.empty() ? fs::path(".") : of_input, fs::path(".")})
        if (fs::path found = fs::canonical(folder, error); !error) folders.push_back(std::move(found));
    for (const std::string& folder : how.sources) {
        if (!fs::is_directory(folder, error)) throw Failure(nullptr, {}, "--sources: there is no folder '" + folder + "'");
        folders.push_back(fs::canonical(folder));
    }
    return folders;
}

}  // namespace

void KernelReading::require_apart_from_outputs(const std::string& read) const {
    for (const std::string& into : outputs) require_apart(read, into);
}

std::vector<KernelFile> read_kernel_files(const std::vector<std::string>& inputs, const KernelReading& how) {
    std::vector<KernelFile> files;
    std::error_code error;
    const auto is_folder = [&](const std::string& input) { return input != "-" && fs::is_directory(input, error); };
    const auto single = std::find_if_not(inputs.begin(), inputs.end(), is_folder);
    if (single != inputs.end() && inputs.size() > 1)
        throw Failure(nullptr, {}, *single + " is no folder of a recorded launch, and more than that is named",
                      "name one file, with the launches behind the first in --then, or folders that `litmus record` wrote");
    for (const std::string& input : inputs) {
        how.budget.check();
        if (is_folder(input)) {
            files.push_back(recorded_file(input, how));
        } else if (fs::path(input).extension() == ".cu") {
            files.push_back({input, compiled_ptx(input, how)});
        } else {
            how.require_apart_from_outputs(input);
            files.push_back({input, read_source(input, {.most_bytes = most_kernel_bytes, .budget = how.budget})});
        }
    }
    for (KernelFile& file : files) {
        if (file.ptx) continue;
        how.require_apart_from_outputs(file.input);
        how.budget.check();
        // nobody has named the PTX in the folder of a recorded launch, so it is no link that leads out, and no pipe
        file.ptx = read_own(file.input, file.folder, most_kernel_bytes);
    }
    return files;
}

std::string read_argument_bytes(const std::string& path, const KernelReading& how) {
    how.require_apart_from_outputs(path);
    return read_source(path, {.most_bytes = most_kernel_bytes, .budget = how.budget})->text;
}

std::map<int, std::vector<std::string>> cuda_lines(const kernel::Module& module, const std::string& input, const KernelReading& how) {
    std::map<int, std::vector<std::string>> result;
    const std::vector<fs::path> folders = quoted_folders(input, how);
    size_t left = most_kernel_bytes;  // of all together
    constexpr std::array<std::string_view, 7> endings{".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc", ".inl"};
    for (const auto& [key, name] : module.files) {
        const fs::path named(name), beside = fs::path(input).parent_path() / named;
        const bool is_source = std::find(endings.begin(), endings.end(), named.extension().string()) != endings.end();
        if (!is_source || name.find("/include/") != std::string::npos) continue;
        std::error_code error;
        const fs::path path = fs::canonical(fs::is_regular_file(named, error) ? named : beside, error);
        const bool is_there = !error && fs::is_regular_file(path, error) && fs::file_size(path, error) <= left;
        // a link may be called so, too
        if (!is_there || path.extension() != named.extension()) continue;
        if (std::none_of(folders.begin(), folders.end(), [&](const fs::path& folder) { return is_inside(path, folder); })) continue;
        how.require_apart_from_outputs(path.string());
        const SourcePtr source = read_source(path.string(), {.most_bytes = left, .budget = how.budget});
        left -= source->text.size();
        std::vector<std::string>& lines = result[key];
        for (size_t at = 0; at < source->text.size();) {
            const size_t end = std::min(source->text.find('\n', at), source->text.size());
            lines.push_back(source->text.substr(at, end - at));
            at = end + 1;
        }
    }
    return result;
}

}  // namespace litmus
