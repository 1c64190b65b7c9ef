// The new text stands beside the file before it takes its place. Only a regular file has a text whose place could be taken.
#include "tool/rewrite.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/shell_word.h"
#include "base/source.h"
#include "base/writing.h"
#include "tool/interruption.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& path, const std::string& why) {
    throw Failure(nullptr, {}, "cannot write '" + path + "': " + why);
}

// The link of /proc that a path leads to, which stands for an open file and not for its name; empty: it leads to none. /dev/stdout leads
// to /proc/PID/fd/1.
fs::path open_file_behind(fs::path path) {
    constexpr int most_links = 40;  // as the kernel has it
    std::error_code error;
    for (int i = 0; i < most_links && fs::is_symlink(path, error); ++i) {
        const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
        struct statfs system {};
        if (error || ::statfs(folder.c_str(), &system) != 0) return {};
        if (system.f_type == PROC_SUPER_MAGIC && folder.filename() == "fd") return folder / path.filename();
        path = folder / fs::read_symlink(path, error);
    }
    return {};
}

// A descriptor that writes on where the open file is written: that of this process, if it has one, else one that appends.
int reopened(const fs::path& open_file) {
    std::error_code error;
    const bool ours = open_file.parent_path() == fs::canonical("/proc/self/fd", error);
    return ours ? ::fcntl(std::atoi(open_file.filename().c_str()), F_DUPFD_CLOEXEC, 0) : open_to_write(open_file.string(), O_APPEND);
}

// Into what is there and takes text as it comes, which is not opened for nothing: the reader of a FIFO would see its end.
void write_into(const std::string& path, const fs::path& open_file, const std::string& text) {
    if (text.empty()) return;
    const int descriptor = open_file.empty() ? open_to_write(path) : reopened(open_file);
    if (descriptor < 0) cannot_write(path, writing_error(errno));
    if (const int error = write_and_close(descriptor, text); error != 0) cannot_write(path, writing_error(error));
}

// The file that gets the new text: behind a link, the one that it leads to. For a file that is no link this looks only at its folder:
// fs::weakly_canonical would call it an error if somebody deleted the file meanwhile.
fs::path target_of(const fs::path& path, std::error_code& error) {
    if (fs::is_symlink(path, error)) return fs::weakly_canonical(path, error);
    return fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error) / path.filename();
}

// `permissions`: those of the file that is there; none: there is no file, and a new one has those of `mode` that the umask leaves.
void replace(const std::string& path, const std::string& text, std::optional<fs::perms> permissions, mode_t mode) {
    const Uninterrupted whole;
    std::error_code error;
    const fs::path target = target_of(path, error);
    if (error) cannot_write(path, error.message());
    int descriptor = -1;
    const std::string temporary = fresh_neighbour(target.string(), [&](const std::string& name) {
        descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions ? 0600 : mode);
        return descriptor >= 0;
    });
    if (temporary.empty()) throw Failure(nullptr, {}, "cannot write beside '" + path + "': " + std::strerror(errno));
    error.assign(write_and_close(descriptor, text), std::generic_category());
    if (!error) {
        if (permissions) fs::permissions(temporary, *permissions, error);
        fs::rename(temporary, target, error);
        if (!error) return;
    }
    std::error_code ignored;
    fs::remove(temporary, ignored);
    cannot_write(path, error.message());
}

// What a path leads to. Throws Failure for what nobody may write: a folder, a file that is read-only.
fs::file_status writable_status(const std::string& path) {
    using fs::perms;
    const perms writers = perms::owner_write | perms::group_write | perms::others_write;
    std::error_code error;
    fs::file_status status = fs::status(path, error);
    if (!fs::status_known(status)) cannot_write(path, error.message());
    if (!fs::exists(status)) return status;
    if ((status.permissions() & writers) == perms::none)
        throw Failure(nullptr, {}, "cannot write '" + path + "': it is read-only", "chmod +w " + shell_word(path));
    if (fs::is_directory(status)) cannot_write(path, std::strerror(EISDIR));
    return status;
}

}  // namespace

void write_file(const std::string& path, const std::string& text, mode_t mode) {
    const fs::file_status status = writable_status(path);
    if (!fs::exists(status)) return replace(path, text, std::nullopt, mode);
    const fs::path open_file = open_file_behind(path);
    if (open_file.empty() && fs::is_regular_file(status)) return replace(path, text, status.permissions(), mode);
    write_into(path, open_file, text);
}

void remove_file(const std::string& path) {
    std::error_code error;
    if (is_named_file(path)) fs::remove(path, error);
    if (error) throw Failure(nullptr, {}, "cannot remove '" + path + "', which is of an earlier time: " + error.message());
}

void require_writable(const std::string& path) {
    const fs::file_status status = writable_status(path);
    if (fs::exists(status) && (!fs::is_regular_file(status) || !open_file_behind(path).empty())) return;
    std::error_code error;
    const fs::path folder = target_of(path, error).parent_path();  // which gets the neighbour
    if (error) cannot_write(path, error.message());
    if (::access((folder / "").c_str(), W_OK | X_OK) != 0) cannot_write(path, std::strerror(errno));
}

std::string fresh_neighbour(const std::string& path, const std::function<bool(const std::string& name)>& make) {
    const std::string beginning = path + "." + std::to_string(::getpid()) + "-";
    for (size_t n = 1;; ++n) {
        const std::string name = beginning + std::to_string(n);
        if (make(name)) return name;
        if (errno != EEXIST) return {};
    }
}

bool is_named_file(const std::string& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && open_file_behind(path).empty();
}

void require_apart(const std::string& read, const std::string& written) {
    std::error_code error;
    if (fs::is_regular_file(written, error) && fs::equivalent(read == "-" ? "/dev/stdin" : read, written, error))
        throw Failure(nullptr, {}, "'" + written + "' is a file that is read, and would be written over", "name another file after -o");
}

void require_rewritable(const std::string& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) throw Failure(nullptr, {}, "'" + path + "' cannot be rewritten: it is no regular file");
}

void require_all_rewritable(const std::vector<std::string>& names) {
    std::error_code error;
    for (const std::string& name : names)
        if (name != "-" && fs::exists(name, error) && !fs::is_directory(name, error)) require_rewritable(name);
}

}  // namespace litmus
