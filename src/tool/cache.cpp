// An entry is a file: the digest of what follows, the result's line, the question. It gets its name when it is whole.
//
// Why that is safe on a network file system, with any number of writers: it needs of it only that a file is made under a name that is
// free (O_EXCL), that closing it says whether it was written, and that renaming it is one step. No locks. Writers of one entry write
// the same answer to the same question; the last one stays. A reader sees one of them whole, or, should the file system show it old, torn
// or not at all, the digest says so, and the question is asked again. A writer that is killed leaves a file that is no entry, with a dot in
// its name; writers on other machines whose processes have the same number pass over it (fresh_neighbour).
#include "tool/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "analysis/verdict/json.h"
#include "base/hash.h"
#include "base/shell_word.h"
#include "base/source.h"
#include "base/visible.h"
#include "tool/pipeline.h"
#include "tool/rewrite.h"
#include "tool/trusted.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

constexpr mode_t ours_alone = 0755;  // to write to

// Why a folder is not one whose entries are believed; empty: it is one.
std::string misgiving(const fs::path& folder) {
    struct stat there {};
    if (::lstat(folder.c_str(), &there) != 0) return std::strerror(errno);
    return S_ISDIR(there.st_mode) ? other_hands(there) : "it is no directory";
}

// A file that is open.
struct Descriptor {
    explicit Descriptor(int opened) : number(opened) {}
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    const int number;
};

// All bytes of a regular file that nobody else could have written. None where it is something else, too large, or not there.
std::string own_text(const fs::path& path) {
    constexpr off_t most_bytes = off_t{64} << 20;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat there {};
    if (file.number < 0 || ::fstat(file.number, &there) != 0) return {};
    if (!S_ISREG(there.st_mode) || !other_hands(there).empty() || there.st_size > most_bytes) return {};
    std::string text(static_cast<size_t>(there.st_size), '\0');
    for (size_t done = 0; done < text.size();) {
        const ssize_t count = ::read(file.number, text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return {};
        done += static_cast<size_t>(count);
    }
    return text;
}

// The bytes of an entry; none: there is no entry, whatever else is there.
std::string entry_at(const fs::path& path) {
    return misgiving(path.parent_path()).empty() ? own_text(path) : std::string();
}

// Throws std::exception where that cannot be done, or something is there that is no entry.
void write_entry(const fs::path& path, const std::string& text) {
    ::mkdir(path.parent_path().c_str(), ours_alone);
    const fs::file_status there = fs::symlink_status(path);
    if (!misgiving(path.parent_path()).empty() || (fs::exists(there) && !fs::is_regular_file(there)))
        throw Failure(nullptr, {}, "'" + path.string() + "' is no entry");
    if (fs::exists(there) && own_text(path).empty()) fs::remove(path);  // with its permissions
    write_file(path, text, ours_alone & 0666);
}

}  // namespace

std::string build_of_tool() {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    return LITMUS_VERSION "-" + digits(fnv1a(std::string(std::istreambuf_iterator<char>(file), {})));
}

Cache::Cache(const std::string& folder) : folder_(fs::path(folder) / build_of_tool()) {
    std::error_code error;
    const fs::path above = fs::absolute(folder, error).lexically_normal() / "";
    fs::create_directories(above.parent_path().parent_path(), error);
    for (const std::string& part : {folder, folder_}) {
        int failed = ::mkdir(part.c_str(), ours_alone) == 0 || errno == EEXIST ? 0 : errno;
        if (failed == 0 && part == folder_ && fs::symlink_status(part, error).type() != fs::file_type::directory)
            failed = ENOTDIR;  // a link
        if (failed != 0)
            throw Failure(nullptr, {}, "cannot make the folder '" + part + "': " + std::strerror(failed), "name another with --cache");
    }
    // the folder that is named may be a link; what it leads to is meant
    struct stat named {};
    const std::string of_named = ::stat(folder.c_str(), &named) == 0 ? other_hands(named) : std::strerror(errno);
    for (const auto& [part, why] : {std::pair(folder, of_named), std::pair(folder_, misgiving(folder_))})
        if (!why.empty())
            throw Failure(nullptr, {}, "the folder '" + part + "' is not used: " + why + ", and what it holds is believed",
                          "chmod go-w " + shell_word(part) + ", if it is yours; or name another with --cache");
}

std::string Cache::path_of(const std::string& question) const {
    const std::string key = key_of(question);
    return fs::path(folder_) / key.substr(0, 2) / key.substr(2);
}

std::optional<Result> Cache::find(const std::string& question, const SourcePtr& source) const {
    const std::string entry = entry_at(path_of(question));
    const size_t line = entry.find('\n') + 1, text = entry.find('\n', line) + 1;
    if (line == 0 || text == 0) return std::nullopt;
    if (entry.compare(0, line - 1, digits(fnv1a(std::string_view(entry).substr(line)))) != 0) return std::nullopt;
    if (entry.compare(text, std::string::npos, question) != 0) return std::nullopt;
    return parse_line(std::string_view(entry).substr(line, text - 1 - line), source);
}

void Cache::keep(const std::string& question, const Result& result) {
    if (result.partial || result.judgement.verdict == Verdict::error) return;
    const std::string body = json_line(result) + "\n" + question;
    try {
        write_entry(path_of(question), digits(fnv1a(body)) + "\n" + body);
    } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        if (!complained_) std::fprintf(stderr, "litmus: note: a result could not be kept in '%s'\n", visible(folder_).c_str());
        complained_ = true;
    }
}

}  // namespace litmus
