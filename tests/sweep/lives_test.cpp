// A block that comes back to a choice stands for those that are alike there: where that is allowed, few runs show what each order shows.
#include "sweep/lives.h"

#include <doctest/doctest.h>

#include <random>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/explore.h"

using namespace litmus;
using kernel::testing::has;

namespace {

struct Blocks {
    kernel::Module module;
    kernel::Launch launch;
};

// x = u32[256], each its own number, is in %rd1, y = u32[256] in %rd2, and their words of the block in %rd3 and %rd4. The number of the
// block is in %r2, that of the thread in %r1, and how many blocks there are in %r9.
Blocks blocks_of(const std::string& text, int blocks, int threads = 1) {
    kernel::LaunchTexts texts;
    texts.grid = std::to_string(blocks);
    texts.block = std::to_string(threads);
    texts.arguments = {"x=u32[256]:iota", "y=u32[256]"};
    kernel::Module module = kernel::testing::module_of(
        ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n.reg .pred %p<60>;\n.reg .b32 %r<60>;\n.reg .b64 %rd<60>;\n"
        ".shared .align 4 .b8 own[256];\nld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\nmov.u32 %r2, %ctaid.x;\n"
        "mov.u32 %r1, %tid.x;\nmov.u32 %r9, %nctaid.x;\nmul.wide.u32 %rd5, %r2, 4;\nadd.u64 %rd3, %rd1, %rd5;\nadd.u64 %rd4, %rd2, %rd5;\n" +
        text + "END:\nret;\n}\n");
    kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    return {std::move(module), std::move(launch)};
}

sweep::Explored explored(const Blocks& one, bool exchanges = true) {
    return sweep::explore(one.module, one.launch, {}, {.most_runs = 3000, .most_work = 40'000'000, .exchanges = exchanges});
}

// Whether each order was run, nothing was found, and no other orders come about.
bool is_shown_right(const sweep::Explored& all) {
    return all.all && all.swept.findings.empty() && all.swept.out_of_line.empty() && all.swept.circles.find(all.exchanged) == nullptr;
}

// How many runs show that it is right.
size_t runs(const std::string& text, int blocks, int threads = 1) {
    const sweep::Explored all = explored(blocks_of(text, blocks, threads));
    CHECK(is_shown_right(all));
    for (const std::string& why : all.swept.out_of_line) FAIL_CHECK(why);
    return all.runs;
}

std::string number(int n) {
    return std::to_string(n);
}

// Takes items from a queue of so many, and does this with %r3, and with its words in x and y in %rd6 and %rd7.
std::string queue(int items, const std::string& work, const std::string& sem = "relaxed") {
    return "NEXT:\natom." + sem + ".gpu.global.add.u32 %r3, [%rd2+1020], 1;\nsetp.ge.u32 %p1, %r3, " + number(items) +
           ";\n@%p1 bra END;\nmul.wide.u32 %rd8, %r3, 4;\nadd.u64 %rd6, %rd1, %rd8;\nadd.u64 %rd7, %rd2, %rd8;\n" + work + "bra NEXT;\n";
}
const std::string copies_item = "ld.global.u32 %r4, [%rd6];\nst.global.u32 [%rd7], %r4;\n";

// Of all blocks, by one thread of each. The count is at word 252 of y, and the generation behind it. `n`: makes labels unique. Before it
// registers of the last arrival and its resets may be changed.
std::string grid_barrier(int n, int blocks, const std::string& reset = "st.relaxed.gpu.global.u32 [%rd2+1008], 0;\n",
                         const std::string& late = "") {
    const std::string id = number(n);
    return "ld.relaxed.gpu.global.u32 %r20, [%rd2+1012];\natom.acq_rel.gpu.global.add.u32 %r21, [%rd2+1008], 1;\nsetp.ne.u32 %p20, %r21, " +
           number(blocks - 1) + ";\n@%p20 bra POLL" + id + ";\n" + reset + "add.u32 %r22, %r20, 1;\n" +
           "st.release.gpu.global.u32 [%rd2+1012], %r22;\n" + late + "bra DONE" + id + ";\nPOLL" + id +
           ":\nld.acquire.gpu.global.u32 %r23, [%rd2+1012];\nsetp.eq.u32 %p21, %r23, %r20;\n@%p21 bra POLL" + id + ";\nDONE" + id + ":\n";
}

const std::string takes = "TAKE:\natom.acquire.gpu.global.cas.b32 %r10, [%rd2+1000], 0, 1;\nsetp.ne.u32 %p10, %r10, 0;\n@%p10 bra TAKE;\n",
                  gives = "st.release.gpu.global.u32 [%rd2+1000], 0;\n";

}  // namespace

TEST_CASE("a queue is one run") {
    CHECK(runs(queue(3, copies_item), 2) == 1);
    CHECK(runs(queue(64, copies_item), 32) == 1);
}

TEST_CASE("a barrier of the grid") {
    const std::string reads = "ld.global.u32 %r30, [%rd1];\nld.global.u32 %r31, [%rd1+4];\n";
    const auto twice = [&](int blocks) {
        return "st.global.u32 [%rd3], %r2;\n" + grid_barrier(1, blocks) + reads + grid_barrier(2, blocks) + reads;
    };
    CHECK(runs(twice(3), 3) == 1);
    CHECK(runs(twice(32), 32) == 1);
}

TEST_CASE("a lock that is taken again and again") {
    const std::string text = takes + "ld.global.u32 %r11, [%rd1];\nsetp.gt.u32 %p11, %r11, 6;\n@%p11 bra LAST;\nadd.u32 %r11, %r11, 1;\n"
                                     "st.global.u32 [%rd1], %r11;\n" + gives + "bra TAKE;\nLAST:\n" + gives;
    CHECK(runs(text, 3) == 1);
}
