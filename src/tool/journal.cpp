// Lines are appended whole, by one write each, so that at most the last one is torn.
#include "tool/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "analysis/verdict/json.h"
#include "base/shell_word.h"
#include "base/source.h"
#include "base/visible.h"
#include "tool/lines.h"
#include "tool/trusted.h"

namespace litmus {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& hint = {}) {
    throw Failure(nullptr, {}, "cannot resume from '" + path + "': " + why, hint);
}

bool is_same_file(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Whether another process has the file. Where a file system has no locks (Lustre and NFS can be mounted so), that cannot be known; two
// runs of one file then leave lines in it that are not those of one run, from which nobody resumes.
bool is_had_by_another(int descriptor) {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return false;
    return errno != ENOSYS && errno != ENOLCK && errno != EOPNOTSUPP;
}

// Whether a line of a result, and not all of it, can be this.
bool is_torn_result(std::string_view text) {
    constexpr std::string_view beginning = R"({"file":")";
    if (text.substr(0, beginning.size()) != beginning.substr(0, text.size())) return false;
    return !nlohmann::json::accept(text) || parse_line(text, nullptr);
}

}  // namespace

Journal::Journal(const std::string& path) : path_(path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
    if (descriptor < 0) refuse(path, std::strerror(errno));
    file_.reset(::fdopen(descriptor, "a+"));
    if (!file_) refuse(path, std::strerror(errno));
    struct stat here {
    }, there{};
    if (::fstat(descriptor, &here) != 0 || !S_ISREG(here.st_mode)) refuse(path, "it is no regular file");
    if (const std::string why = other_hands(here); !why.empty())
        refuse(path, why + ", and the results in it are believed",
               "chmod go-w " + shell_word(path) + ", if it is yours; or name a copy of it");
    // one that had it may just have put another file in its place
    if (is_had_by_another(descriptor) || ::stat(path.c_str(), &there) != 0 || !is_same_file(here, there))
        refuse(path, "another run has it", "wait for that run to end, or name another file");
    char last = '\n';
    if (here.st_size > 0 && ::pread(descriptor, &last, 1, here.st_size - 1) != 1) refuse(path, std::strerror(errno));
    if (last != '\n') drop_torn_line();
    rewind();
}

// Nothing is cut before all of the file is known to be ours.
void Journal::drop_torn_line() {
    off_t end = 0;
    rewind();
    for (std::optional<Line> line; (line = next_line(file_.get(), path_)); end += static_cast<off_t>(line->text.size()) + 1) {
        ++line_;
        if (line->ended ? !parse_line(line->text, nullptr) : !is_torn_result(line->text))
            refuse(path_, "line " + std::to_string(line_) + " is no result of `litmus check`, and the last one has no end",
                   "the file is left as it is: name one that `litmus check` wrote, or that is not there yet");
        if (!line->ended) break;
    }
    if (::ftruncate(::fileno(file_.get()), end) != 0) refuse(path_, std::strerror(errno));
    std::fprintf(stderr, "litmus: note: the last line of '%s' is torn: it is dropped, and its test is asked again\n",
                 visible(path_).c_str());
}

std::optional<std::string> Journal::next() {
    std::optional<Line> line = next_line(file_.get(), path_);
    if (!line) return std::nullopt;
    ++line_;
    if (!line->ended) refuse(path_, "line " + std::to_string(line_) + " is longer than any result");
    return std::move(line->text);
}

void Journal::rewind() {
    std::rewind(file_.get());
    line_ = 0;
}

void Journal::append(const std::string& line) {
    const std::string whole = line + "\n";
    ssize_t count = 0;
    do count = ::write(::fileno(file_.get()), whole.data(), whole.size());
    while (count < 0 && errno == EINTR);
    if (count != static_cast<ssize_t>(whole.size()))
        throw Failure(nullptr, {}, "cannot write to '" + path_ + "': " + (count < 0 ? std::strerror(errno) : "the disk is full"));
}

void Journal::replace(const Journal& other) {
    std::error_code error;
    const fs::path place = fs::canonical(other.path_, error);
    if (!error) fs::permissions(path_, fs::status(place, error).permissions(), error);
    if (!error) fs::rename(path_, place, error);
    if (error) throw Failure(nullptr, {}, "cannot write '" + other.path_ + "': " + error.message());
    path_ = other.path_;
}

}  // namespace litmus
