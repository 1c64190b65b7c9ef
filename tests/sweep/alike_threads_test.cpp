// One thread for all that are alike: where that is allowed, it shows what each order of the threads shows.
#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/explore.h"
#include "sweep/orders.h"

using namespace litmus;
using kernel::testing::has;

namespace {

struct Threads {
    kernel::Module module;
    kernel::Launch launch;
};

// x = u32[256], each its own number, is in %rd1, y = u32[256] in %rd2, and their words of the thread in %rd3 and %rd4. The number of the
// thread in the grid is in %r1, and that of its block in %r2. `variables`: what the kernel declares besides.
Threads threads_of(const std::string& text, const std::string& grid, const std::string& block, const std::string& variables = "") {
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.arguments = {"x=u32[256]:iota", "y=u32[256]"};
    kernel::Module module = kernel::testing::module_of(
        ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n.reg .pred %p<40>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n" +
        variables +
        "ld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r10, %ntid.x;\n"
        "mov.u32 %r1, %tid.x;\nmad.lo.u32 %r1, %r2, %r10, %r1;\nmul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd3, %rd1, %rd5;\n"
        "add.u64 %rd4, %rd2, %rd5;\n" +
        text + "END:\nret;\n}\n");
    kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    return {std::move(module), std::move(launch)};
}

sweep::Explored searched(const Threads& one, bool exchanges = true) {
    return sweep::explore(one.module, one.launch, {}, {.most_runs = 3000, .most_work = 40'000'000, .exchanges = exchanges});
}

// Whether each order was run, nothing was found, and no other orders come about.
bool is_right(const sweep::Explored& all) {
    return all.all && all.swept.findings.empty() && all.swept.out_of_line.empty();
}

// Each thread with a word that is not 0 takes a place in y, from its word 16 on.
const std::string draws_place = "atom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\n",
                  to_place = "mul.wide.u32 %rd6, %r3, 4;\nadd.u64 %rd6, %rd6, %rd2;\n",
                  compacts = "ld.global.u32 %r4, [%rd3];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra END;\n" + draws_place + to_place +
                             "st.global.u32 [%rd6+64], %r4;\n";

}  // namespace

TEST_CASE("threads that are alike are exchanged") {
    const auto runs = [](const std::string& text, const std::string& grid, const std::string& block, const std::string& variables = "") {
        const sweep::Explored all = searched(threads_of(text, grid, block, variables));
        CHECK(is_right(all));
        CHECK(all.exchanged);
        CHECK(all.threads_apart.empty());
        for (const std::string& why : all.swept.out_of_line) FAIL_CHECK(why);
        return all.runs;
    };
    CHECK(runs(compacts, "1", "32") == 1);
    CHECK(runs(compacts, "1", "64") == 1);
    CHECK(runs(compacts, "2", "64") == 1);
    CHECK(runs(compacts, "3", "48") == 1);
    MESSAGE(searched(threads_of(compacts, "2", "64", ".shared .align 4 .b8 own[64];\n")).runs);
    // histogram
    const std::string hist = "ld.global.u32 %r4, [%rd3];\nand.b32 %r5, %r4, 3;\nmul.wide.u32 %rd7, %r5, 4;\nadd.u64 %rd7, %rd7, %rd2;\n"
        "atom.relaxed.gpu.global.add.u32 %r3, [%rd7], 1;\nmov.u32 %r6, %r3;\nmul.wide.u32 %rd6, %r6, 4;\nadd.u64 %rd6, %rd6, %rd2;\nst.global.u32 [%rd6+64], %r4;\n";
    for (const char* block : {"4", "8", "12", "16", "32", "64"}) {
    const sweep::Explored all = searched(threads_of(hist, "1", block));
    MESSAGE(all.runs << " " << all.all << " " << all.threads_apart << " " << all.exchanged << " " << all.swept.instructions);
    for (const auto& f : all.swept.findings) MESSAGE(f.text);
    }
}
