// Fuzz target of recorded launches: folders as `litmus record` writes them, read, swept and made into tests.
//
// An input has the texts of such files, each behind a line that names it: `//// launch.json`, `//// kernel.ptx`, and `//// parameters` with
// the numbers (64 bits each) that parameters.bin holds. Another `//// launch.json` is another launch of the same kernel. The files of
// memory are made here: each piece gets one of the size that launch.json says. Otherwise every change of a number would end at the first
// file.
#include <unistd.h>

#include <cctype>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/source.h"
#include "fuzz/run_kernel.h"
#include "record/recorded_launch.h"
#include "sweep/sweep.h"

using namespace litmus;
using namespace litmus::record;

namespace {

namespace fs = std::filesystem;

struct Input {
    std::string ptx, parameters;
    std::vector<std::string> launches;
};

Input input_of(const std::string& text) {
    Input input;
    std::string none, *part = &none;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        constexpr size_t most_launches = 3;
        if (line == "//// kernel.ptx")
            part = &input.ptx;
        else if (line == "//// parameters")
            part = &input.parameters;
        else if (line == "//// launch.json" && input.launches.size() < most_launches)
            part = &input.launches.emplace_back();
        else
            *part += line + "\n";
    }
    return input;
}

std::string bytes_of_numbers(const std::string& text) {
    std::string bytes;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        uint64_t number = 0;
        std::from_chars(word.data(), word.data() + word.size(), number);
        bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    return bytes;
}

// Folders that go away with the process, one for each launch of an input.
class Folders {
public:
    Folders() {
        std::string pattern = (fs::temp_directory_path() / "litmus-fuzz-XXXXXX").string();
        fuzzing::require(::mkdtemp(pattern.data()) != nullptr);
        root_ = pattern;
    }
    ~Folders() {
        std::error_code ignored;
        fs::remove_all(root_, ignored);
    }
    Folders(const Folders&) = delete;
    Folders& operator=(const Folders&) = delete;

    // Empty but for the two files.
    std::string with(size_t number, const std::string& launch, const std::string& parameters) const {
        const fs::path folder = root_ / std::to_string(number);
        fs::remove_all(folder);
        fs::create_directory(folder);
        std::ofstream(folder / launch_file, std::ios::binary) << launch;
        std::ofstream(folder / parameters_file, std::ios::binary) << parameters;
        return folder.string();
    }

private:
    fs::path root_;
};

void make_pieces(const Recording& recording, const std::string& folder) {
    constexpr uint64_t most_bytes = uint64_t{1} << 20;
    const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.'; };
    for (const Allocation& allocation : recording.allocations)
        for (const Piece& piece : allocation.pieces) {
            const bool plain = !piece.file.empty() && piece.file.size() < 64 && piece.file[0] != '.' &&
                               std::all_of(piece.file.begin(), piece.file.end(), is_plain);
            if (!plain || piece.bytes > most_bytes) continue;
            const fs::path path = fs::path(folder) / piece.file;
            std::ofstream(path, std::ios::binary).put('\x01');
            std::error_code ignored;
            fs::resize_file(path, piece.bytes, ignored);
        }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const Folders folders;
    const Input input = input_of({reinterpret_cast<const char*>(data), size});
    try {
        const kernel::Module module = kernel::read_module(make_source("fuzz", input.ptx));
        std::vector<std::string> names;
        std::vector<Recording> recordings;
        for (const std::string& launch : input.launches) {
            names.push_back(folders.with(names.size(), launch, bytes_of_numbers(input.parameters)));
            recordings.push_back(read_recording(names.back()));
            make_pieces(recordings.back(), names.back());
        }
        if (recordings.size() == 1) fuzzing::run_kernel(module, recorded_launch(module, recordings[0], names[0], {}));
        if (recordings.size() < 2) return 0;
        const std::vector<const kernel::Module*> modules(recordings.size(), &module);
        for (const kernel::Launch& launch : recorded_launches(modules, recordings, names)) fuzzing::run_kernel(module, launch);
    } catch (const Failure& failure) {
        fuzzing::require(!failure.diagnostics().empty());
    }
    return 0;
}
