// Standard output and standard error, with what can go wrong with them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace litmus {

// Call first: makes a reader that goes away an error of Output, and a file that may not grow one of writing, instead of signals, and keeps
// files opened later from taking the place of a closed standard stream.
void prepare_streams();

// Standard output. The first failure to write ends it; nothing is tried after that.
class Output {
public:
    // False once nothing can be written any more: stop producing.
    bool put(std::string_view text);
    // The exit status of a run that would exit with `status`: unchanged when all was written or the
    // reader went away; 2, with a message, when the output could not be written.
    int finish(int status);

private:
    int error_ = 0;  // errno of the first failure
};

// Diagnostics on standard error, in colour where that is a terminal.
void complain(const std::vector<Diagnostic>& diagnostics);
// A bug of the tool, to be reported; nothing for an empty text.
void complain_internal(const std::string& what);

// Whether to colour what goes to this descriptor: a terminal, not a dumb one, without NO_COLOR.
bool use_colour(int descriptor);

// Columns of the terminal on standard output, or COLUMNS, or 100.
size_t output_width();

// "12/158" on standard error while a long run goes on, if that is a terminal; in a log, where that is asked for, a line every ten seconds.
class Progress {
public:
    enum class In : uint8_t { terminals, logs_too };
    explicit Progress(size_t total, In in = In::terminals);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    void at(size_t done);
    void clear();  // before anything else is written to the terminal

private:
    size_t total_;
    bool in_terminal_;
    bool in_log_;
    bool shown_ = false;
    double started_;
    double last_;
};

}  // namespace litmus
