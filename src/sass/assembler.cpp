// ptxas as a process of its own, without a shell between: it reads and writes files of a folder that is gone afterwards.
#include "sass/assembler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace litmus::sass {

namespace {

namespace fs = std::filesystem;

class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "litmus-sass-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder such as " + name);
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string file(const char* name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Runs a program with its output in a file; returns its exit status, -1 where it could not be run.
int run(std::vector<std::string> words, const std::string& output) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t process = 0;
    const int error = posix_spawn(&process, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return -1;
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The version of "Cuda compilation tools, release 13.0, V13.0.88"; empty: it says none.
std::string version_in(const std::string& text) {
    const size_t at = text.find(", V");
    if (at == std::string::npos) return {};
    const size_t end = text.find_first_not_of("0123456789.", at + 3);
    return text.substr(at + 3, end == std::string::npos ? end : end - at - 3);
}

std::optional<Assembler> asked(const std::string& path) {
    if (access(path.c_str(), X_OK) != 0 || fs::is_directory(path)) return std::nullopt;
    const Folder folder;
    const std::string said = folder.file("version");
    if (run({path, "--version"}, said) != 0) return std::nullopt;
    const std::string version = version_in(text_of(said));
    return version.empty() ? std::nullopt : std::optional<Assembler>({path, "ptxas " + version});
}

}  // namespace

std::optional<Assembler> find_assembler(const std::string& path) {
    if (!path.empty()) return asked(path);
    const char* all = std::getenv("PATH");
    std::string folders = std::string(all == nullptr ? "" : all) + ":/usr/local/cuda/bin";
    while (!folders.empty()) {
        const size_t end = folders.find(':');
        const std::string folder = folders.substr(0, end);
        if (!folder.empty())
            if (const std::optional<Assembler> found = asked(folder + "/ptxas")) return found;
        folders.erase(0, end == std::string::npos ? end : end + 1);
    }
    return std::nullopt;
}

std::string assemble(const Assembler& assembler, const std::string& ptx, const std::string& target, int level) {
    const Folder folder;
    const std::string input = folder.file("test.ptx"), output = folder.file("test.cubin"), said = folder.file("said");
    std::ofstream(input, std::ios::binary) << ptx;
    if (run({assembler.path, "-arch=" + target, "-O" + std::to_string(level), "-lineinfo", "-o", output, input}, said) != 0)
        throw std::runtime_error(assembler.name + " refuses it: " + text_of(said).substr(0, 2000));
    return text_of(output);
}

}  // namespace litmus::sass
