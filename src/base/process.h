// Other programs, each as a process of its own without a shell between, and folders for the files that they read and write.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace litmus {

// A fresh folder that goes away with this. Throws std::runtime_error where none can be made.
class PassingFolder {
public:
    PassingFolder();
    ~PassingFolder();
    PassingFolder(const PassingFolder&) = delete;
    PassingFolder& operator=(const PassingFolder&) = delete;

    std::string path() const { return path_.string(); }
    std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

// Files of this name that can be executed, in the folders of PATH and then in /usr/local/cuda/bin.
std::vector<std::string> programs_called(const std::string& name);

// Runs a program, the first of the words, with all that it says in a file. Gives its exit status, -1 where it could not be run.
int run_program(std::vector<std::string> words, const std::string& output);

}  // namespace litmus
