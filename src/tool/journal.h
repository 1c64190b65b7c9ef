// The file of --resume: what a run has found out so far, a JSON line for each result, in the order of the inputs.
//
// The file is always the beginning of what the run would write in the end. A run that is killed, in the middle of a line even, is
// therefore resumed by reading what is there and going on. Results that time or memory cut short are asked again first (tool/stream.cpp).
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace litmus {

class Journal {
public:
    // Opens the file, makes it where there is none, and keeps it for this process alone, if its file system has locks. A last line without
    // an end is dropped, and that is noted on standard error. Throws Failure where that cannot be done, or another run has the file, or
    // other users may write to it (its results are believed), or such a line is in a file of something else than results, which stays as it
    // is.
    explicit Journal(const std::string& path);

    // The next line that an earlier run left, without its end; nothing after the last. Throws Failure for one that is longer than a result.
    std::optional<std::string> next();
    size_t line() const { return line_; }  // the number, from 1, of the one that next() gave last
    const std::string& path() const { return path_; }
    void rewind();  // next() gives the first line again

    // Adds a line behind the last. Throws Failure when it cannot be written.
    void append(const std::string& line);

    // Puts this file in the place of another, whose permissions it gets. Throws Failure.
    void replace(const Journal& other);

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void drop_torn_line();

    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
    size_t line_ = 0;
};

}  // namespace litmus
