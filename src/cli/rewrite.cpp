// The new text stands beside the file before it takes its place. Only a regular file has a text whose place could be taken.
#include "cli/rewrite.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/source.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& path, const std::string& why) {
    throw Failure(nullptr, {}, "cannot write '" + path + "': " + why);
}

// Writes all of the text and closes the descriptor. Gives the error: 0, there is none.
int written_and_closed(int descriptor, std::string_view text) {
    int error = 0;
    while (!text.empty() && error == 0) {
        const ssize_t count = ::write(descriptor, text.data(), text.size());
        if (count >= 0)
            text.remove_prefix(static_cast<size_t>(count));
        else if (errno != EINTR)
            error = errno;
    }
    if (::close(descriptor) != 0 && error == 0) error = errno;
    return error;
}

// Into what is there and takes text as it comes, which is not opened for nothing: the reader of a FIFO would see its end.
void write_into(const std::string& path, const std::string& text) {
    if (text.empty()) return;
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) cannot_write(path, std::strerror(errno));
    if (const int error = written_and_closed(descriptor, text); error != 0) cannot_write(path, std::strerror(error));
}

void replace(const std::string& path, const std::string& text, fs::perms permissions) {
    std::error_code error;
    const fs::path target = fs::weakly_canonical(path, error);
    if (error) cannot_write(path, error.message());
    std::string temporary = target.string() + ".XXXXXX";
    const int descriptor = mkstemp(temporary.data());
    if (descriptor < 0) throw Failure(nullptr, {}, "cannot write beside '" + path + "': " + std::strerror(errno));
    error.assign(written_and_closed(descriptor, text), std::generic_category());
    if (!error) {
        fs::permissions(temporary, permissions, error);
        fs::rename(temporary, target, error);
        if (!error) return;
    }
    std::error_code ignored;
    fs::remove(temporary, ignored);
    cannot_write(path, error.message());
}

}  // namespace

void write_file(const std::string& path, const std::string& text) {
    using fs::perms;
    const perms writers = perms::owner_write | perms::group_write | perms::others_write;
    const perms usual = perms::owner_read | perms::owner_write | perms::group_read | perms::others_read;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::status_known(status)) cannot_write(path, error.message());
    if (!fs::exists(status)) return replace(path, text, usual);
    if ((status.permissions() & writers) == perms::none)
        throw Failure(nullptr, {}, "cannot write '" + path + "': it is read-only", "chmod +w " + path);
    if (fs::is_regular_file(status)) return replace(path, text, status.permissions());
    write_into(path, text);
}

void require_rewritable(const std::string& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) throw Failure(nullptr, {}, "'" + path + "' cannot be rewritten: it is no regular file");
}

}  // namespace litmus
