// A launch to begin with: what is guessed of parameters, and that it is a launch of the kernel.
#include "kernel/suggest.h"

#include <doctest/doctest.h>

#include "kernel/read.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

Module module_of(const std::string& parameters, const std::string& body, const std::string& directives = "") {
    return read_module(
        make_source("k.ptx", std::string(kernel::testing::prologue) + ".visible .entry k(" + parameters + ")\n" + directives +
                                 "{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %d<9>;\n" + body + "ret;\n}\n"));
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
    CHECK(suggested(module) == "--grid 1 --block 32 --arg a=f32[512] --arg b=u16[128] --arg n=1 --arg m=1 --arg f=1.0");
    // what is said stays
    CHECK(suggested(module, {.grid = "1", .block = "8", .arguments = {"a=f32[8]"}}) ==
          "--grid 1 --block 8 --arg a=f32[8] --arg b=u16[32] --arg n=1 --arg m=1 --arg f=1.0");
    // but what is no launch
    CHECK(suggested(module, {.grid = "0", .block = "few"}) == suggested(module));
    CHECK(suggested(module, {.grid = "2,0"}) == suggested(module));
    CHECK(suggested(module, {.grid = "2,2"}).find("--grid 2,2 --block 32 --arg a=f32[2048]") == 0);
}

TEST_CASE("names of nvcc are made short, and blocks are as the kernel says") {
    const Module module = module_of(".param .u32 k_param_0, .param .u32 k_param_1", "", ".reqntid 16, 4, 1\n.reqnctapercluster 2, 1, 1\n");
    CHECK(suggested(module) == "--grid 2 --block 16,4 --cluster 2 --arg p0=1 --arg p1=1");
}

namespace {

// The launch that the suggested words are, as the command line has them.
Launch launch_of_suggested(const Module& module) {
    const std::vector<std::string> words = suggested_options(module, module.functions.front(), {}).options;
    LaunchTexts texts;
    for (size_t i = 0; i < words.size(); i += 2) {
        if (words[i] == "--grid") texts.grid = words[i + 1];
        if (words[i] == "--block") texts.block = words[i + 1];
        if (words[i] == "--cluster") texts.cluster = words[i + 1];
        if (words[i] == "--arg") texts.arguments.push_back(words[i + 1]);
    }
    return launch_of(module, texts, [](const std::string&) { return std::string(); });
}

}  // namespace

TEST_CASE("a struct has members where they are loaded; an address with coordinates is that of a tensor map") {
    const Module module =
        module_of(".param .align 8 .b8 s[32], .param .align 64 .b8 map[128], .param .u64 t",
                  "ld.param.u32 %r1, [s+4];\nld.param.u64 %d1, [s+16];\ncvta.to.global.u64 %d2, %d1;\nst.global.u32 [%d2], %r1;\n"
                  "ld.param.u64 %d3, [t];\n"
                  "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d3, {%r3, %r4}], [%r5];\n");
    CHECK(suggested(module) ==
          "--grid 1 --block 32 --arg s={[4]=u32:1,[16]=u32[128]} --arg map=tensor(u16[64,64],box=64,64) "
          "--arg t=tensor(u16[64,64],box=64,64)");
    const Launch launch = launch_of_suggested(module);
    REQUIRE(launch.arguments.size() == 3);
    CHECK(launch.arguments[0].bytes.at(4) == 1);
    CHECK(launch.arguments[0].pointers.at(0).at == 16);
}

TEST_CASE("members that lie one behind the other have no places; of a struct that is not read nothing is said") {
    const Module module = module_of(".param .align 8 .b8 s[16], .param .align 8 .b8 t[24], .param .align 1 .b8 empty[1]",
                                    "ld.param.u64 %d1, [s];\nst.global.u32 [%d1], %r1;\nld.param.u16 %r1, [s+8];\n"
                                    "ld.param.v2.u32 {%r1, %r2}, [t];\n");
    CHECK(suggested(module) == "--grid 1 --block 32 --arg s={u32[128],u16:1} --arg t={[0]=u32:1,u32:1} --arg empty={}");
    CHECK(launch_of_suggested(module).arguments.at(1).bytes.size() == 24);
}

// As nvcc writes the address of a member of a `__grid_constant__` parameter.
TEST_CASE("a tensor map within a struct is found by the copies through its address") {
    const std::string copy =
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d4, {%r3, %r4, %r5}], [%r6];\n";
    const std::string body = "mov.b64 %d1, s;\ncvta.param.u64 %d2, %d1;\nadd.s64 %d4, %d2, 128;\nprefetch.tensormap [%d2];\n" + copy +
                             "ld.param.u32 %r1, [s+260];\nld.param.u64 %d5, [%d1+264];\nst.global.f32 [%d5], %f1;\n";
    const std::string maps = "tensor(u16[64,64],box=64,64),tensor(u16[2,64,64],box=1,64,64)";
    const Module module = module_of(".param .align 128 .b8 s[384]", body);
    CHECK(suggested(module) == "--grid 1 --block 32 --arg s={" + maps + ",[260]=u32:1,f32[128]}");
    const Launch launch = launch_of_suggested(module);
    REQUIRE(launch.arguments.at(0).maps.size() == 2);
    CHECK(launch.arguments[0].maps[1].at == 128);
    // what lies in a map is no number
    const Module copied =
        module_of(".param .align 64 .b8 s[128], .param .align 64 .b8 t[192]",
                  "ld.param.u64 %d1, [s];\nld.param.v2.u64 {%d1, %d2}, [t+64];\nmov.b64 %d1, t;\nprefetch.param.tensormap [%d1+64];\n");
    CHECK(suggested(copied) == "--grid 2 --block 32 --arg s=tensor(u16[64,64],box=64,64) --arg t={[64]=tensor(u16[64,64],box=64,64)}");
}

TEST_CASE("blocks of two dimensions, dynamic shared memory, clusters that have not started") {
    const Module module = module_of("", "mov.u32 %r1, %tid.y;\nmov.u32 %r2, %ctaid.y;\n");
    CHECK(suggested(module) == "--grid 2,2 --block 8,8");
}

TEST_CASE("one block is launched where two would write the same places") {
    const auto grid = [](const std::string& body) {
        const std::string words = suggested(module_of("", body));
        return words.substr(0, words.find(" --block"));
    };
    const std::string stores = "st.global.u32 [%d1], %r1;\n", one = "--grid 1", two = "--grid 2";
    CHECK(grid(stores) == one);
    CHECK(grid("mov.u32 %r2, %tid.x;\nld.shared.u32 %r1, [%r2];\n" + stores) == one);
    // nothing is written that both have
    CHECK(grid("st.shared.u32 [%r2], %r1;\nst.local.u32 [%r2], %r1;\n") == two);
    // a block asks who it is, or how many there are
    CHECK(grid("mov.u32 %r2, %ctaid.x;\n" + stores) == two);
    CHECK(grid("mov.u32 %r2, %nctaid.x;\n" + stores) == two);
    CHECK(grid("mov.u32 %r2, %clusterid.x;\n" + stores) == two);
    // blocks may take turns, or share the work
    CHECK(grid("atom.global.add.u32 %r2, [%d2], 1;\n" + stores) == two);
    CHECK(grid("red.global.add.u32 [%d2], 1;\n" + stores) == two);
    for (const char* order : {"relaxed.gpu", "acquire.gpu", "volatile"})
        CHECK(grid("ld." + std::string(order) + ".global.u32 %r2, [%d2];\n" + stores) == two);
    CHECK(grid("st.release.gpu.global.u32 [%d2], 1;\n" + stores) == two);
    // an arrival at an object of the block tells nothing of others
    CHECK(grid("mbarrier.arrive.release.cta.shared::cta.b64 _, [%r2];\n" + stores) == one);
}

TEST_CASE("a block has the threads, warps and barriers that its code names") {
    const auto block = [](const std::string& body) {
        const std::string words = suggested(module_of("", "mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\n" + body));
        const std::string begin = "--grid 2 --block ";
        REQUIRE(words.substr(0, begin.size()) == begin);
        return words.substr(begin.size());
    };
    CHECK(block("") == "32");
    CHECK(block("bar.sync 0;\nbar.sync 1, 96;\nbar.arrive 2, 160;\n") == "160");
    CHECK(block("barrier.cta.red.popc.aligned.u32 %r3, 0, 64, %p1;\n") == "64");
    CHECK(block("setp.eq.s32 %p1, %r2, 0;\nsetp.ne.s32 %p1, %r2, 4;\n") == "160");
    CHECK(block("shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;\nsetp.gt.u32 %p1, %r3, 3;\n") == "160");
    CHECK(block("setp.lt.u32 %p1, %r1, 32;\n") == "64");
    CHECK(block("setp.gt.u32 %p1, %r1, 127;\n") == "256");
    CHECK(block("setp.eq.u32 %p1, %r1, 0;\n") == "32");
    CHECK(block("shr.u32 %r3, %r1, 7;\nsetp.eq.u32 %p1, %r3, 2;\n") == "384");
    CHECK(block("setp.eq.u32 %p1, %r2, 4;\nwgmma.fence.sync.aligned;\n") == "256");
    CHECK(block("setp.eq.u32 %p1, %r2, 4000000;\nbar.sync 0, 5000;\n") == "32");
    // the number of a thread in the grid is none in its block; a rank is
    CHECK(block("mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmad.lo.s32 %r5, %r3, %r4, %r1;\nsetp.gt.s32 %p1, %r5, 900;\n") == "32");
    CHECK(block("mov.u32 %r3, %tid.y;\nmov.u32 %r6, %tid.z;\nmov.u32 %r4, %ntid.x;\nmad.lo.s32 %r5, %r3, %r4, %r1;\nsetp.gt.u32 %p1, %r5, "
                "63;\n") == "128");
    CHECK(block("mov.u32 %r3, %tid.y;\nsetp.eq.u32 %p1, %r2, 3;\n") == "32,4");
}

TEST_CASE("who reads all three indices for a rank has one dimension") {
    const std::string thread =
        "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %ntid.y;\n";
    CHECK(suggested(module_of("", thread)) == "--grid 2 --block 32");
    CHECK(suggested(module_of("", thread + "mov.u32 %r6, %ntid.z;\nmov.u32 %r7, %ctaid.z;\n")) == "--grid 2,2,2 --block 4,4,4");
    CHECK(suggested(module_of("", "mov.u32 %r1, %ctaid.y;\nmov.u32 %r2, %ctaid.z;\nmov.u32 %r3, %nctaid.x;\nmov.u32 %r4, %nctaid.y;\n")) ==
          "--grid 2 --block 32");
}

TEST_CASE("instructions about other blocks of a cluster ask for one") {
    const auto launch = [](const std::string& body, const std::string& directives = "") {
        return suggested(module_of("", body, directives));
    };
    const std::string two = "--grid 2 --block 32 --cluster 2";
    CHECK(launch("barrier.cluster.arrive.aligned;\n") == two);
    CHECK(launch("mov.u32 %r1, %cluster_ctarank;\n") == two);
    CHECK(launch("mapa.shared::cluster.u32 %r1, %r2, %r3;\n") == two);
    CHECK(launch("mapa.shared::cluster.u32 %r1, %r2, 2;\n") == "--grid 4 --block 32 --cluster 4");
    CHECK(launch("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];\n") == two);
    CHECK(launch("st.shared::cluster.u32 [%r1], %r2;\n") == "--grid 2 --block 32");
    CHECK(launch("mov.u32 %r1, %cluster_ctarank;\n", ".reqnctapercluster 4, 1, 1\n") == "--grid 4 --block 32 --cluster 4");
    CHECK(launch("", ".explicitcluster\n") == two);
}

TEST_CASE("who copies in bulk has as much dynamic shared memory as there is") {
    const auto shared = [](const std::string& body) {
        const Module module = read_module(
            make_source("k.ptx", std::string(kernel::testing::prologue) +
                                     ".extern .shared .align 16 .b8 tiles[];\n.visible .entry k()\n{\n.shared .align 8 .b8 own[2000];\n"
                                     ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\n" +
                                     body + "ret;\n}\n"));
        return suggested(module);
    };
    CHECK(shared("mov.u32 %r1, own;\n") == "--grid 2 --block 32 --shared 16384");
    CHECK(shared("mov.u32 %r1, own;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], 64, [%r2];\n") ==
          "--grid 2 --block 32 --shared 230400");
}

TEST_CASE("numbers that are guessed are named") {
    const Module module = module_of(".param .u64 a, .param .u32 n, .param .f32 f, .param .align 8 .b8 s[16], .param .align 8 .b8 t[8]",
                                    "ld.param.u64 %d1, [a];\nst.global.u32 [%d1], %r1;\nld.param.u32 %r2, [s+4];\nld.param.u64 %d3, [t];\n"
                                    "cvta.to.global.u64 %d4, %d3;\nst.global.u32 [%d4], %r1;\n");
    const auto guessed = [&](const LaunchTexts& said) { return suggested_options(module, module.functions.front(), said).guessed; };
    CHECK(guessed({}) == std::vector<std::string>{"n=1", "f=1.0", "s={[4]=u32:1}"});
    CHECK(guessed({.arguments = {"a=u32[8]", "n=3"}}) == std::vector<std::string>{"f=1.0", "s={[4]=u32:1}"});
}
