// The CUDA lines that the instructions of a test come from, where the test says so (`.file` and `.loc`).
#pragma once

#include <string>

#include "language/test.h"

namespace litmus {

// A place in a CUDA source.
struct CudaPlace {
    std::string file;  // as `.file` names it; empty: not known
    int line = 0;
    int column = 0;  // 0: not known
    explicit operator bool() const { return !file.empty(); }
    friend bool operator==(const CudaPlace&, const CudaPlace&) = default;
};

CudaPlace origin_of(const Test& test, const Instruction& instruction);

// "ws_pipeline.cu:38", without the folders of the file; empty: not known.
std::string short_text(const CudaPlace& place);

// "ws_pipeline.cu:38 and :41", "k.cu:3 and l.cu:4"; "ws_pipeline.cu:38" where both are one line. Both are known.
std::string short_text(const CudaPlace& first, const CudaPlace& second);

// The same test, of which nobody knows where it comes from.
Test without_origins(Test test);

}  // namespace litmus
