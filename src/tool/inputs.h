// The tests named on a command line: files, directories and standard input, read and parsed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "language/test.h"

namespace litmus {

// One test, or the reason why there is none.
struct Input {
    std::string file;                  // as shown: a path or "<stdin>"
    std::shared_ptr<const Test> test;  // null: see failure
    std::optional<Failure> failure;
    SourcePtr source = nullptr;  // the text of the file; null: it could not be read
    size_t number = 1, of = 1;   // of the tests in the file, from 1
};

// One file: read, or the reason why it is not readable, or, of a list, neither yet.
struct InputFile {
    std::string file;
    SourcePtr source;
    std::optional<Failure> failure;
};

struct FilesRead {
    std::vector<InputFile> files;
    std::vector<Diagnostic> warnings;  // what was passed over
};

// Lists what is named: directories are walked recursively for .litmus and .test files, in sorted
// order; "-" is standard input. What cannot be read, or holds no test, stands in the list as a failure; a link that leads
// out of the directory is passed over. What can be read only once, a pipe, is read now; `seconds` is how long that may take, 0 as long
// as it likes.
FilesRead list_inputs(const std::vector<std::string>& names, double seconds = 0);

// The same file, read.
InputFile read_input(InputFile file);

// Lists and reads them all. What comes after 64 MiB is not read.
FilesRead read_inputs(const std::vector<std::string>& names, double seconds = 0);

// The tests in those files, in order. A file that does not parse gives one failure.
std::vector<Input> parse_inputs(const std::vector<InputFile>& files);
std::vector<Input> parse_input(const InputFile& file);

// The one test that a command is about, named or alone. Throws Failure when there is none, when there are several, and that of a file
// that does not parse. The result is among the inputs.
const Input& chosen_test(const std::vector<Input>& inputs, const std::string& name);

}  // namespace litmus
