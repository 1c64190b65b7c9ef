// Fuzz target of the braces format: what parses is printed, read back and equal, and converts or is refused.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/source.h"
#include "language/syntax/foreign/braces.h"
#include "language/syntax/foreign/convert.h"

using namespace litmus;

namespace {

void check_same(const Test& a, const Test& b) {
    if (a != b) std::abort();
}

// A conversion may refuse, but must not fail otherwise; there and back changes nothing the second time.
void convert(const Test& test) {
    try {
        const Test once = to_native(to_column(to_native(test)));
        check_same(to_native(to_column(once)), once);
    } catch (const Failure&) {
    }
    try {
        to_braces(test);
    } catch (const Failure&) {
    }
}

// Nothing when the text is refused; what parses must survive printing.
std::vector<Test> parse(const SourcePtr& source) {
    try {
        return parse_braces(source);
    } catch (const Failure&) {
        return {};
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const SourcePtr source = make_source("fuzz", std::string(reinterpret_cast<const char*>(data), size));
    for (const Test& test : parse(source)) {
        check_same(parse_braces(make_source("again", print_braces(test))).at(0), test);
        convert(test);
    }
    return 0;
}
