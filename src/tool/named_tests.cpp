// What inputs.h gives, with its warnings on standard error.
#include "tool/named_tests.h"

#include "tool/output.h"

namespace litmus {

std::vector<Input> tests_of(const std::vector<std::string>& names, double seconds) {
    const FilesRead read = read_inputs(names, seconds);
    complain(read.warnings);
    return parse_inputs(read.files);
}

}  // namespace litmus
