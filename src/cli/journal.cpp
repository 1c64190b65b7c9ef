// Lines are appended whole, by one write each, so that at most the last one is torn.
#include "cli/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/source.h"
#include "base/visible.h"

namespace litmus {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& hint = {}) {
    throw Failure(nullptr, {}, "cannot resume from '" + path + "': " + why, hint);
}

// Where the last whole line ends; 0: there is none.
off_t end_of_lines(int descriptor, off_t size) {
    constexpr off_t block = 1 << 16;
    std::string bytes(block, '\0');
    for (off_t end = size; end > 0;) {
        const off_t begin = end > block ? end - block : 0;
        const ssize_t count = ::pread(descriptor, bytes.data(), static_cast<size_t>(end - begin), begin);
        if (count <= 0) return 0;
        const size_t at = std::string_view(bytes.data(), static_cast<size_t>(count)).rfind('\n');
        if (at != std::string_view::npos) return begin + static_cast<off_t>(at) + 1;
        end = begin;
    }
    return 0;
}

}  // namespace

Journal::Journal(const std::string& path) : path_(path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0) refuse(path, std::strerror(errno));
    file_.reset(::fdopen(descriptor, "a+"));
    if (!file_) refuse(path, std::strerror(errno));
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) refuse(path, "it is no regular file");
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) refuse(path, "another run has it", "wait for that run to end, or name another file");
    const off_t end = end_of_lines(descriptor, status.st_size);
    if (end < status.st_size) {
        if (::ftruncate(descriptor, end) != 0) refuse(path, std::strerror(errno));
        std::fprintf(stderr, "litmus: note: the last line of '%s' is torn: it is dropped, and its test is asked again\n",
                     visible(path).c_str());
    }
    std::rewind(file_.get());
}

std::optional<std::string> Journal::next() {
    char* text = nullptr;
    size_t room = 0;
    const ssize_t length = ::getline(&text, &room, file_.get());
    const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
    if (length <= 0) return std::nullopt;
    ++line_;
    return std::string(text, static_cast<size_t>(length) - 1);  // every line has an end
}

void Journal::append(const std::string& line) {
    const std::string whole = line + "\n";
    ssize_t count = 0;
    do count = ::write(::fileno(file_.get()), whole.data(), whole.size());
    while (count < 0 && errno == EINTR);
    if (count != static_cast<ssize_t>(whole.size()))
        throw Failure(nullptr, {}, "cannot write to '" + path_ + "': " + (count < 0 ? std::strerror(errno) : "the disk is full"));
}

bool Journal::is_behind(int descriptor) const {
    struct stat here {
    }, there{};
    return ::fstat(descriptor, &here) == 0 && ::fstat(::fileno(file_.get()), &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

}  // namespace litmus
