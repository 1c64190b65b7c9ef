// The new text stands beside the file before it takes its place.
#include "cli/rewrite.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/source.h"

namespace litmus {

void write_file(const std::string& path, const std::string& text) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
    if (error) throw Failure(nullptr, {}, "cannot write '" + path + "': " + error.message());
    using std::filesystem::perms;
    const perms writers = perms::owner_write | perms::group_write | perms::others_write;
    const perms usual = perms::owner_read | perms::owner_write | perms::group_read | perms::others_read;
    const std::filesystem::file_status status = std::filesystem::status(target, error);
    const perms permissions = std::filesystem::exists(status) ? status.permissions() : usual;
    if ((permissions & writers) == perms::none)
        throw Failure(nullptr, {}, "cannot write '" + path + "': it is read-only", "chmod +w " + path);
    std::string temporary = target.string() + ".XXXXXX";
    const int descriptor = mkstemp(temporary.data());
    if (descriptor < 0) throw Failure(nullptr, {}, "cannot write beside '" + path + "': " + std::strerror(errno));
    size_t written = 0;
    while (written < text.size()) {
        const ssize_t count = ::write(descriptor, text.data() + written, text.size() - written);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) break;
        written += static_cast<size_t>(count);
    }
    const bool whole = written == text.size();
    const int why = errno;
    const bool closed = ::close(descriptor) == 0;
    if (whole && closed) {
        std::filesystem::permissions(temporary, permissions, error);
        std::filesystem::rename(temporary, target, error);
        if (!error) return;
    }
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw Failure(nullptr, {}, "cannot write '" + path + "': " + (whole && error ? error.message() : std::strerror(why)));
}

}  // namespace litmus
