// A launch to begin with: what is guessed of parameters, and that it is a launch of the kernel.
#include "kernel/suggest.h"

#include <doctest/doctest.h>

#include "kernel/read.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

Module module_of(const std::string& parameters, const std::string& body, const std::string& directives = "") {
    return read_module(make_source("k.ptx", std::string(kernel::testing::prologue) + ".visible .entry k(" + parameters + ")\n" +
                                                directives + "{\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %d<9>;\n" + body +
                                                "ret;\n}\n"));
}

std::string suggested(const Module& module, const LaunchTexts& said = {}) {
    std::string text;
    for (const std::string& word : suggested_options(module, module.functions.front(), said).options)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

}  // namespace

TEST_CASE("a parameter through which memory is accessed is an array of the type of the access; others are numbers") {
    const Module module = module_of(".param .u64 a, .param .u64 b, .param .u64 n, .param .u32 m, .param .f32 f",
                                    "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\nld.param.u64 %d3, [n];\n"
                                    "cvta.to.global.u64 %d4, %d1;\nadd.s64 %d5, %d4, %d3;\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d5];\n"
                                    "st.b16 [%d2], %r1;\n");
    CHECK(suggested(module) == "--grid 2 --block 32 --arg a=f32[1024] --arg b=u16[256] --arg n=1 --arg m=1 --arg f=1.0");
    // what is said stays
    CHECK(suggested(module, {.grid = "1", .block = "8", .arguments = {"a=f32[8]"}}) ==
          "--grid 1 --block 8 --arg a=f32[8] --arg b=u16[32] --arg n=1 --arg m=1 --arg f=1.0");
}

TEST_CASE("names of nvcc are made short, and blocks are as the kernel says") {
    const Module module = module_of(".param .u32 k_param_0, .param .u32 k_param_1", "", ".reqntid 16, 4, 1\n.reqnctapercluster 2, 1, 1\n");
    CHECK(suggested(module) == "--grid 2 --block 16,4 --cluster 2 --arg p0=1 --arg p1=1");
}

TEST_CASE("a struct has members where they are loaded, and zeros between; an address with coordinates is that of a tensor map") {
    const Module module =
        module_of(".param .align 8 .b8 s[32], .param .align 64 .b8 map[128], .param .u64 t",
                  "ld.param.u32 %r1, [s+4];\nld.param.u64 %d1, [s+16];\ncvta.to.global.u64 %d2, %d1;\nst.global.u32 [%d2], %r1;\n"
                  "ld.param.u64 %d3, [t];\n"
                  "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d3, {%r3, %r4}], [%r5];\n");
    CHECK(suggested(module) ==
          "--grid 2 --block 32 --arg s={u32:0,u32:1,u64:0,u32[256],u64:0} --arg map=tensor(u16[64,64],box=64,64) "
          "--arg t=tensor(u16[64,64],box=64,64)");
    const std::vector<std::string> words = suggested_options(module, module.functions.front(), {}).options;
    LaunchTexts texts;
    for (size_t i = 0; i < words.size(); i += 2) {
        if (words[i] == "--grid") texts.grid = words[i + 1];
        if (words[i] == "--block") texts.block = words[i + 1];
        if (words[i] == "--arg") texts.arguments.push_back(words[i + 1]);
    }
    CHECK(launch_of(module, texts, [](const std::string&) { return std::string(); }).arguments.size() == 3);
}

TEST_CASE("blocks of two dimensions, dynamic shared memory, clusters that have not started") {
    const Module module = module_of("", "mov.u32 %r1, %tid.y;\nmov.u32 %r2, %ctaid.y;\n");
    CHECK(suggested(module) == "--grid 2,2 --block 8,8");
}

TEST_CASE("numbers that are guessed are named") {
    const Module module = module_of(".param .u64 a, .param .u32 n, .param .f32 f, .param .align 8 .b8 s[16], .param .align 8 .b8 t[8]",
                                    "ld.param.u64 %d1, [a];\nst.global.u32 [%d1], %r1;\nld.param.u32 %r2, [s+4];\nld.param.u64 %d3, [t];\n"
                                    "cvta.to.global.u64 %d4, %d3;\nst.global.u32 [%d4], %r1;\n");
    const auto guessed = [&](const LaunchTexts& said) { return suggested_options(module, module.functions.front(), said).guessed; };
    CHECK(guessed({}) == std::vector<std::string>{"n=1", "f=1.0", "s={u32:0,u32:1,u64:0}"});
    CHECK(guessed({.arguments = {"a=u32[8]", "n=3"}}) == std::vector<std::string>{"f=1.0", "s={u32:0,u32:1,u64:0}"});
}
