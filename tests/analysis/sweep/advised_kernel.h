// Kernels that findings made by hand are about, and what is advised on these.
#pragma once

#include <string>

#include "analysis/sweep/advice.h"
#include "kernel/read.h"

namespace litmus {

inline bool proposes(const std::string& said, const std::string& part) {
    return said.find(part) != std::string::npos;
}

struct AdvisedKernel {
    kernel::Module module;
    kernel::Dimensions block = {256, 1, 1};
    sweep::Swept swept = {};
};

inline AdvisedKernel made_of(const std::string& body) {
    return {kernel::testing::kernel_of(body + "ret;")};
}

inline const kernel::Statement* line_of(const AdvisedKernel& kernel, size_t number) {
    return &kernel.module.functions.front().code.at(number);
}

struct Actor {
    size_t line = 0;
    uint32_t thread = 0, block = 0, cluster = 0;
};

// A race of two threads; who does not write reads.
inline sweep::Finding race_of(const AdvisedKernel& kernel, const Actor& one, const Actor& other) {
    sweep::Finding finding;
    for (const Actor& actor : {one, other})
        finding.places.push_back({{actor.block, actor.thread, actor.cluster}, line_of(kernel, actor.line)});
    finding.clash.emplace();
    finding.clash->later.writes = true;
    return finding;
}

// All that is proposed to be tried, a line each; then what is said where nothing helps.
inline std::string said_on(const AdvisedKernel& kernel, const sweep::Finding& finding) {
    const Advice advice = advice_on({kernel.module, kernel.block, kernel.swept}, finding);
    std::string text;
    for (const Remedy& remedy : advice.remedies) {
        text += remedy.change + " ";
        for (const PtxEdit& edit : remedy.edits) text += "{" + edit.ptx + "}";
        text += "\n";
    }
    return text + "or: " + advice.change + "\nsee " + advice.see;
}

// The same of a race of these two, after a change of the finding.
template <class Change>
std::string said_of_race(const AdvisedKernel& kernel, const Actor& one, const Actor& other, const Change& change) {
    sweep::Finding finding = race_of(kernel, one, other);
    change(finding);
    return said_on(kernel, finding);
}

inline std::string said_of_race(const AdvisedKernel& kernel, const Actor& one, const Actor& other) {
    return said_of_race(kernel, one, other, [](sweep::Finding&) {});
}

}  // namespace litmus
