// Replays corpora through a fuzz target without libFuzzer, so that every compiler runs what fuzzing found.
//
// Takes files and directories (walked), feeds each file once to LLVMFuzzerTestOneInput and says how many there were. Exit
// status 1 when there was none: a replay of nothing proves nothing. A finding ends the process, as it does under libFuzzer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

// The regular files at or below `path`, in a fixed order. Throws when `path` does not exist.
std::vector<fs::path> files_of(const fs::path& path) {
    if (!fs::is_directory(path)) return {path};
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

// Throws when the file cannot be read.
std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw fs::filesystem_error("cannot read", path, std::make_error_code(std::errc::io_error));
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) {
    size_t replayed = 0;
    try {
        for (const std::string& argument : std::vector<std::string>(argv + 1, argv + argc)) {
            for (const fs::path& file : files_of(argument)) {
                std::fprintf(stderr, "%s\n", file.c_str());  // the last one named is the one that failed
                const std::string bytes = bytes_of(file);
                LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
                ++replayed;
            }
        }
    } catch (const fs::filesystem_error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    std::printf("%zu inputs replayed\n", replayed);
    return replayed == 0 ? 1 : 0;
}
