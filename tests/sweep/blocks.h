// Kernels of blocks that each have a text of their own: one thread of a block executes it.
#pragma once

#include <string>
#include <vector>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/sweep.h"

namespace litmus::sweep::testing {

struct Launched {
    kernel::Module module;
    kernel::Launch launch;
};

// A kernel whose first thread of each block executes the text for this block. x = u32[8] is in %rd1; of it, word 1 is a flag.
inline Launched of_blocks(const std::vector<std::string>& blocks, const std::string& cluster = "1") {
    std::string text =
        ".visible .entry k(.param .u64 k_param_0)\n{\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n"
        "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\n";
    for (size_t b = 0; b < blocks.size(); ++b)
        text += "setp.eq.u32 %p2, %r2, " + std::to_string(b) + ";\n@%p2 bra BLOCK" + std::to_string(b) + ";\n";
    for (size_t b = 0; b < blocks.size(); ++b) text += "BLOCK" + std::to_string(b) + ":\n" + blocks[b] + "bra END;\n";
    kernel::LaunchTexts texts;
    texts.grid = std::to_string(blocks.size());
    texts.block = "32";
    texts.cluster = cluster;
    texts.arguments = {"x=u32[8]"};
    kernel::Module module = kernel::testing::module_of(text + "END:\nret;\n}\n");
    kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    return {std::move(module), std::move(launch)};
}

// Findings, then conditions.
inline std::string text_of(const Swept& found) {
    std::string text;
    for (const Finding& finding : found.findings) text += finding.text + "; ";
    for (const std::string& condition : found.conditions) text += "where " + condition + "; ";
    return text;
}

// A loop that reads the flag until it has this value.
inline std::string waits_for(const std::string& count, const std::string& load = "ld.acquire.gpu") {
    return "WAIT" + count + ":\n" + load + ".global.u32 %r3, [%rd1+4];\nsetp.ne.u32 %p3, %r3, " + count + ";\n@%p3 bra WAIT" + count +
           ";\n";
}

}  // namespace litmus::sweep::testing
