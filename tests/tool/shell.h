// Running the executable from outside, in a temporary folder, and comparing what it prints with golden files.
//
// LITMUS_EXE is the executable, LITMUS_SOURCE_DIR the root of the sources. With LITMUS_PROMOTE=1 in the
// environment the golden files are rewritten from what the tool prints now.
#pragma once

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Files in a temporary folder that goes away with it.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = (fs::temp_directory_path() / "litmus-cli-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = pattern;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { fs::remove_all(path_); }

    const fs::path& path() const { return path_; }
    fs::path at(const std::string& name) const { return path_ / name; }
    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << text;
    }
    std::string read(const std::string& name) const {
        std::ifstream file(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    fs::path path_;
};

struct Run {
    int status = -1;
    std::string out, err;
    double seconds = 0;  // of the processor: other tests run beside this one
};

inline double children_seconds() {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Runs a bash command in the folder; `litmus` in it is the executable, which is stopped after two minutes. `status` is bash's.
inline Run shell(const TemporaryFolder& folder, const std::string& command) {
    const std::string script = "litmus() { command -p timeout 120 '" LITMUS_EXE "' \"$@\"; }\n" + command;
    folder.write(".script", script);
    const std::string line = "cd '" + folder.path().string() + "' && bash .script >.out 2>.err";
    const double before = children_seconds();
    const int result = std::system(line.c_str());
    Run run{WIFEXITED(result) ? WEXITSTATUS(result) : -1, folder.read(".out"), folder.read(".err"), children_seconds() - before};
    for (const char* name : {".script", ".out", ".err"}) fs::remove(folder.path() / name);
    return run;
}

inline std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) result.push_back(line);
    return result;
}

inline std::vector<Json> json_lines(const std::string& text) {
    std::vector<Json> result;
    for (const std::string& line : lines(text)) result.push_back(Json::parse(line));
    return result;
}

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline void check_golden(const std::string& name, const std::string& text) {
    const fs::path path = fs::path(LITMUS_SOURCE_DIR) / "tests" / "golden" / name;
    const char* promote = std::getenv("LITMUS_PROMOTE");
    if (promote != nullptr && std::string(promote) == "1") std::ofstream(path, std::ios::binary) << text;
    std::ifstream file(path, std::ios::binary);
    const std::string wanted{std::istreambuf_iterator<char>(file), {}};
    INFO("golden file " << path.string() << "; rewrite with LITMUS_PROMOTE=1");
    CHECK(text == wanted);
}
