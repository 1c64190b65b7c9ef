// The tests named on a command line: files, directories and standard input, read and parsed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "test/test.h"

namespace litmus {

// One test, or the reason why there is none.
struct Input {
    std::string file;                  // as shown: a path or "<stdin>"
    std::shared_ptr<const Test> test;  // null: see failure
    std::optional<Failure> failure;
};

// One readable file, or the reason why it is not.
struct InputFile {
    std::string file;
    SourcePtr source;
    std::optional<Failure> failure;
};

struct FilesRead {
    std::vector<InputFile> files;
    std::vector<Diagnostic> warnings;  // what was passed over
};

// Reads what is named: directories are walked recursively for .litmus and .test files, in sorted
// order; "-" is standard input. What cannot be read, or holds no test, stands in the list as a failure; a link that leads
// out of the directory is passed over. `seconds` is how long a pipe may take, 0 as long as it likes.
// What comes after 64 MiB is not read.
FilesRead read_inputs(const std::vector<std::string>& names, double seconds = 0);

// The tests in those files, in order. A file that does not parse gives one failure.
std::vector<Input> parse_inputs(const std::vector<InputFile>& files);

// The one test that a command is about, named or alone. Throws Failure when there is none, when there are several, and that of a file
// that does not parse. The result is among the inputs.
const Input& chosen_test(const std::vector<Input>& inputs, const std::string& name);

}  // namespace litmus
