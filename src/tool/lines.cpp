// A file may have no line at all: as much is read as a result can have.
#include "tool/lines.h"

#include <cerrno>
#include <cstring>

#include "base/source.h"

namespace litmus {

std::optional<Line> next_line(std::FILE* file, const std::string& path) {
    Line line;
    int c = 0;
    while (line.text.size() < longest_line && (c = ::getc_unlocked(file)) != EOF && c != '\n') line.text += static_cast<char>(c);
    if (std::ferror(file) != 0) throw Failure(nullptr, {}, "cannot read '" + path + "': " + std::strerror(errno));
    if (c == EOF && line.text.empty()) return std::nullopt;
    line.ended = c == '\n';
    return line;
}

}  // namespace litmus
