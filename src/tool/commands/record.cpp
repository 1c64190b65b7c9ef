// `litmus record`: the launches of a CUDA program, for `litmus kernel`.
//
// The work is done in the program itself, by the library of record/preload. Here the program is run with it, and what came of it is told.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/own_files.h"
#include "base/shell_word.h"
#include "base/source.h"
#include "base/strict_json.h"
#include "base/visible.h"
#include "record/preload/settings.h"
#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"

namespace litmus::record_command {

namespace {

constexpr const char* footer = R"(
Runs a CUDA program and writes each launch of a kernel into a folder: grid, block, cluster, dynamic shared memory, parameters, the memory that
they point to as it was before the launch, tensor maps, and the PTX of the kernel. `litmus kernel FOLDER` then judges the
kernel, and needs no other argument. The program runs on its GPU as ever, slower by the copies.

Of each kernel the first 16 launches are recorded, and 256 in all; --launch names a later one. The program needs PTX in it: nvcc puts it there
with -arch=sm_90a, or -gencode arch=compute_90a,code=[sm_90a,compute_90a]. With -lineinfo findings name lines of CUDA.

Examples:
  litmus record -- ./app --its-own options
  litmus record --kernel gemm --launch 3 -- python train.py
  litmus kernel recorded/gemm-3

Exit status: 0 a launch is recorded; 2 none is, or the program cannot be run.
)";

struct Options {
    std::vector<std::string> program;  // and its arguments
    std::string folder = "recorded";
    std::string kernel;   // empty: all
    uint64_t launch = 0;  // 0: all
    uint64_t bytes = uint64_t{1} << 20;
};

void define(CLI::App& app, Options& options) {
    add_required_names(app, options.program, "-- PROGRAM [ARGUMENT...]", "The program, and its arguments",
                       {"no program is named", "as in `litmus record -- ./app its arguments`"});
    show_default(add_text(app, "-o,--output", options.folder, "FOLDER", "Where to write; a new folder, or an empty one"));
    add_text(app, "--kernel", options.kernel, "NAME", "Record this kernel only; of a C++ name the plain part will do");
    add_number<uint64_t>(app, "--launch", options.launch, 1, uint64_t{1} << 40U, "a number from 1 on", "N",
                         "Record only the launch of this number, of each kernel");
    add_number<uint64_t>(app, "--bytes", options.bytes, 8, uint64_t{64} << 20U, "a number from 8 to 67108864", "N",
                         "Copy at most N bytes of memory from each address on that a parameter has (default: 1048576)");
}

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Beside the executable, as it is built, or where it is installed.
fs::path preloaded_library() {
    std::error_code no_proc;
    const fs::path folder = fs::read_symlink("/proc/self/exe", no_proc).parent_path();
    std::vector<fs::path> tried = {folder};
#ifdef LITMUS_LIBRARIES
    tried.push_back(folder / LITMUS_LIBRARIES);
#endif
    for (const fs::path& place : tried) {
        std::error_code error;
        const fs::path library = fs::canonical(place / "liblitmus-record.so", error);
        if (error) continue;
        if (library.string().find_first_of(" :") != std::string::npos)
            throw Failure(nullptr, {}, "the path of " + library.string() + " has a blank or a colon, so that it cannot be preloaded",
                          "build or install litmus elsewhere");
        return library;
    }
    throw Failure(nullptr, {}, "liblitmus-record.so is not there",
                  "it is built together with litmus where cuda.h is found, of a CUDA toolkit");
}

fs::path fresh_folder(const std::string& name) {
    std::error_code error;
    fs::create_directories(name, error);
    if (error) throw Failure(nullptr, {}, "cannot make the folder " + visible(name) + ": " + error.message());
    if (!fs::is_empty(name, error) || error)
        throw Failure(nullptr, {}, "the folder " + visible(name) + " is not empty", "remove it, or name another with -o");
    return fs::canonical(name);
}

// The environment of the program: ours, with the library and what is asked of it.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
    std::vector<std::string> result;
    for (char** at = environ; *at != nullptr; ++at) {
        const std::string entry = *at;
        const auto is_new = [&](const auto& variable) { return entry.rfind(variable.first + "=", 0) == 0; };
        if (std::none_of(variables.begin(), variables.end(), is_new)) result.push_back(entry);
    }
    for (const auto& [name, value] : variables)
        if (!value.empty()) result.push_back(name + "=" + value);
    return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

// Runs it to its end, with the signals that this process has blocked or ignores. Gives what wait() says of it.
int run_program(std::vector<std::string> words, std::vector<std::string> environment) {
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t process = 0;
    const int error =
        posix_spawnp(&process, words.front().c_str(), nullptr, &attributes, pointers_to(words).data(), pointers_to(environment).data());
    posix_spawnattr_destroy(&attributes);
    if (error != 0) throw Failure(nullptr, {}, "cannot run " + shell_word(words.front()) + ": " + std::strerror(error));
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

// "the program ended with status 1"; empty: it ended well.
std::string text_of_end(int status) {
    if (WIFSIGNALED(status))
        return "the program was ended by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
    return WEXITSTATUS(status) == 0 ? std::string() : "the program ended with status " + std::to_string(WEXITSTATUS(status));
}

// What the library has written into its log.
struct Log {
    bool loaded = false, driver = false;
    std::vector<Json> launches;
    std::set<std::string> others;       // kernels that were not asked for
    std::vector<std::string> left_out;  // lines
    std::set<std::string> troubles;
};

Log read_log(const fs::path& path) {
    Log log;
    if (!fs::exists(path)) return log;
    const std::string text = read_regular(path, size_t{64} << 20U)->text;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string one = text.substr(at, end - at);
        at = end + 1;
        Json line;
        try {
            line = strict_json<Json>(one);
        } catch (const NoJson&) {  // the machine stopped in the middle
        }
        if (!line.is_object()) continue;
        const std::string event = line.value("event", ""), kernel = line.value("kernel", ""), why = line.value("why", "");
        log.loaded = log.loaded || event == "loaded";
        log.driver = log.driver || event == "driver";
        if (event == "launch") log.launches.push_back(line);
        if (event == "other") log.others.insert(kernel);
        if (event == "left out") log.left_out.push_back(kernel + " is not recorded " + why);
        if (event == "trouble") log.troubles.insert((kernel.empty() ? "" : kernel + ": ") + why);
    }
    return log;
}

std::string listed(const std::set<std::string>& names) {
    constexpr size_t most_listed = 10;
    std::string text;
    size_t number = 0;
    for (const std::string& name : names) {
        if (number++ == most_listed) return text + ", ...";
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

// Why nothing is there.
Failure nothing_recorded(const Options& options, const Log& log, const std::string& ended) {
    const auto failure = [&](const std::string& what, const std::string& hint) {
        return Failure(nullptr, {}, "no launch was recorded: " + what + (ended.empty() ? "" : "; " + ended), hint);
    };
    if (!log.loaded)
        return failure("the library was not loaded into the program",
                       "programs that are linked statically, or run with the rights of others, do not load it");
    if (!log.troubles.empty()) return failure(visible(*log.troubles.begin()), {});
    if (!log.others.empty())
        return failure("no kernel is called " + visible(options.kernel), "those that were launched: " + visible(listed(log.others)));
    if (!log.driver)
        return failure("the program launched no kernel, and did not ask for the CUDA driver",
                       "if it starts the CUDA program by way of another machine, run `litmus record` there");
    return failure(
        options.launch == 0 ? "the program launched no kernel" : "no kernel was launched " + std::to_string(options.launch) + " times", {});
}

// Each launch in a line, what is missing of it below.
std::string text_of(const Options& options, const Log& log) {
    std::string text;
    std::string first;  // that can be judged
    for (const Json& launch : log.launches) {
        const std::string folder = options.folder + "/" + launch.value("folder", ""), without_ptx = launch.value("without_ptx", "");
        text +=
            visible(folder) + ": launch " + std::to_string(launch.value("number", 0)) + " of " + visible(launch.value("kernel", "")) + "\n";
        if (!without_ptx.empty()) text += "  without PTX: " + visible(without_ptx) + "\n";
        if (first.empty() && without_ptx.empty()) first = folder;
    }
    for (const std::string& line : log.left_out) text += visible(line) + "; --launch N records one of them\n";
    for (const std::string& line : log.troubles) text += "not recorded: " + visible(line) + "\n";
    if (first.empty())
        return text +
               "compile with PTX, so that kernels can be judged: `nvcc -arch=sm_90a -lineinfo`, or `-gencode "
               "arch=compute_90a,code=[sm_90a,compute_90a] -lineinfo`\n";
    return text + "judge one: litmus kernel " + shell_word(first) + "\n";
}

int run(const Options& options, Output& out) {
    const fs::path library = preloaded_library(), folder = fresh_folder(options.folder), log_path = folder / record::log_file;
    const char* const others = std::getenv("LD_PRELOAD");
    const std::string preloaded = library.string() + (others != nullptr && *others != '\0' ? ":" + std::string(others) : "");
    const int status =
        run_program(options.program, environment_with({{"LD_PRELOAD", preloaded},
                                                       {record::folder_variable, folder.string()},
                                                       {record::kernel_variable, options.kernel},
                                                       {record::launch_variable, options.launch == 0 ? "" : std::to_string(options.launch)},
                                                       {record::bytes_variable, std::to_string(options.bytes)}}));
    const Log log = read_log(log_path);
    fs::remove(log_path);
    const std::string ended = text_of_end(status);
    if (log.launches.empty()) throw nothing_recorded(options, log, ended);
    out.put(text_of(options, log) + (ended.empty() ? "" : ended + "\n"));
    return 0;
}

}  // namespace

Command command() {
    return make_command("record", "Record the kernels that a program launches", footer, define, run);
}

}  // namespace litmus::record_command
