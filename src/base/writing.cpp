// Descriptors do not block: what is not ready is asked again, or waited for, until the patience ends.
#include "base/writing.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/budget.h"

namespace litmus {

namespace {

constexpr int patience = 3;  // seconds

bool is_fifo(const std::string& path) {
    struct stat there {};
    return ::stat(path.c_str(), &there) == 0 && S_ISFIFO(there.st_mode);
}

}  // namespace

int open_to_write(const std::string& path, int flags) {
    flags |= O_WRONLY | O_NOCTTY | O_CLOEXEC;
    if (!is_fifo(path)) return ::open(path.c_str(), flags);
    for (const double until = now() + patience;;) {
        const int descriptor = ::open(path.c_str(), flags | O_NONBLOCK);
        if (descriptor >= 0 || errno != ENXIO || now() > until) return descriptor;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

int write_and_close(int descriptor, std::string_view text) {
    int error = 0;
    while (!text.empty() && error == 0) {
        const ssize_t count = ::write(descriptor, text.data(), text.size());
        if (count >= 0) {
            text.remove_prefix(static_cast<size_t>(count));
        } else if (errno == EAGAIN) {
            pollfd room{descriptor, POLLOUT, 0};
            if (::poll(&room, 1, 1000 * patience) == 0) error = ETIMEDOUT;
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    if (::close(descriptor) != 0 && error == 0) error = errno;
    return error;
}

std::string writing_error(int error) {
    return error == ENXIO || error == ETIMEDOUT ? "nobody reads it" : std::strerror(error);
}

}  // namespace litmus
