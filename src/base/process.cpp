// Processes by posix_spawn, which asks for nothing between.
#include "base/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace litmus {

namespace fs = std::filesystem;

PassingFolder::PassingFolder() {
    std::string name = (fs::temp_directory_path() / "litmus-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder such as " + name);
    path_ = name;
}

PassingFolder::~PassingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::vector<std::string> programs_called(const std::string& name) {
    std::vector<std::string> found;
    const char* all = std::getenv("PATH");
    std::string folders = std::string(all == nullptr ? "" : all) + ":/usr/local/cuda/bin";
    while (!folders.empty()) {
        const size_t end = folders.find(':');
        const std::string path = folders.substr(0, end) + "/" + name;
        if (end != 0 && access(path.c_str(), X_OK) == 0 && !fs::is_directory(path)) found.push_back(path);
        folders.erase(0, end == std::string::npos ? end : end + 1);
    }
    return found;
}

int run_program(std::vector<std::string> words, const std::string& output) {
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

}  // namespace litmus
