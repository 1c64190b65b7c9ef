// One page for a kernel: what is wrong with it, in its own lines, when it happens, and what would mend it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/kernel/judge.h"
#include "view/page/test_page.h"

namespace litmus {

struct KernelPage {
    std::string kernel;             // its name
    std::string claim;              // of the judgement, in a line
    const char* look = "ok";        // how the claim is set: ok, no or unknown
    std::vector<std::string> open;  // lines below it
    // A place in a source, with what is done there.
    struct At {
        std::string file;
        int line = 0;
        std::string text;
    };
    struct Finding {
        std::string title;
        std::vector<std::string> lines;
        std::vector<At> at;
    };
    std::vector<Finding> findings;
    std::vector<std::string> judged;  // what the claim is about
    // The source whose lines are shown: CUDA where the PTX names it and it is there to be read, else the test.
    struct Source {
        std::string file;  // as findings name it
        std::vector<std::string> lines;
    };
    std::vector<Source> sources = {};
    std::optional<Figure> figure = {};  // the execution that shows what is wrong, with its chart
    std::string missing = {};           // what would mend it, in lines; empty: nothing is known
    std::string made = {};              // by which version of the tool, under which model
};

// The page of launches that were judged, without sources and figure.
KernelPage page_of(const std::vector<KernelLaunch>& launches, const KernelJudgement& judgement);

// The page as one file, which needs no other one, no script and no network.
std::string kernel_page(const KernelPage& page);

}  // namespace litmus
