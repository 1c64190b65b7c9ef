// The threads of a native test: where they run, and what stands in their bodies.
#pragma once

#include <cstddef>

#include "language/syntax/native/dsl_reader.h"

namespace litmus::dsl {

class ThreadParser {
public:
    explicit ThreadParser(Reader& in) : in_(in) {}

    // Reads what follows the word `thread`, up to the end of the body, and adds the thread to the test, or the threads if it is
    // replicated. Errors are recorded.
    void parse();

private:
    class Body;
    struct Header {
        DslToken name;
        int replicas = 0;  // `W[3]`; 0: one thread, called by the name
    };
    Header parse_header();
    void place(Thread& thread, const Header& header, int replica);

    Reader& in_;
    size_t instructions_ = 0;  // of all threads so far
};

}  // namespace litmus::dsl
