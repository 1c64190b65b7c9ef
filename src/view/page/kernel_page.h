// One page for a kernel: what is wrong with it, in its own lines, when it happens, and what would mend it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/verdict/result.h"
#include "base/source.h"
#include "view/page/test_page.h"

namespace litmus {

struct KernelPage {
    Result result;  // as kernel_verdict() gives it
    // The source whose lines are shown: CUDA where the PTX names it and it is there to be read, else the test.
    struct Source {
        std::string file;  // as findings name it (CudaPlace); of a test that of the result
        std::vector<std::string> lines;
    };
    std::vector<Source> sources;
    std::optional<Figure> figure;  // the execution that shows what is wrong, with its chart
    std::string missing;           // what would mend it, in lines; empty: nothing is known
    std::string made;              // by which version of the tool, under which model
};

// The page as one file, which needs no other one, no script and no network.
std::string kernel_page(const KernelPage& page);

}  // namespace litmus
