// Races that the sweep finds in the tables of kernels are races, or undefined behaviour, by the model.
#include "analysis/sweep/confirm.h"

#include <doctest/doctest.h>

#include <iostream>
#include <map>

#include "kernel/arguments.h"
#include "kernel/kernel_table.h"
#include "kernel/read.h"
#include "sweep/orders.h"

using namespace litmus;

TEST_CASE("the model confirms what the sweep finds") {
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    size_t confirmed = 0;
    std::map<std::string, size_t> unknown;
    for (const std::filesystem::path& folder : {kernel_folder(), std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda"})
        for (const KernelEntry& kernel : kernel_table(folder))
            for (const KernelRow& row : kernel.rows) {
                CAPTURE(kernel.ptx(row));
                try {
                    const kernel::Module module = kernel::read_module(read_source((folder / kernel.ptx(row)).string()));
                    const kernel::Launch launch =
                        kernel::launch_of(module, launch_texts(kernel.launch), [](const std::string&) { return std::string(); });
                    const sweep::Options how;
                    const sweep::Swept swept = sweep::sweep(module, launch, how);
                    for (const sweep::Finding& finding : swept.findings) {
                        if (finding.kind != sweep::Kind::race && finding.kind != sweep::Kind::not_initialised) continue;
                        CAPTURE(finding.text);
                        const Confirmation answer = confirm(module, launch, how, finding, family, {}, solver);
                        CAPTURE(answer.slice.text);
                        CHECK(answer.answer != Confirmation::Answer::no);
                        if (answer.answer == Confirmation::Answer::yes)
                            ++confirmed;
                        else
                            ++unknown[answer.why];
                    }
                } catch (const Failure&) {  // what the sweep refuses (tests/sweep)
                }
            }
    std::cout << confirmed << " confirmed\n";
    for (const auto& [why, n] : unknown) std::cout << n << " not asked: " << why << "\n";
    CHECK(confirmed > 45);
}

namespace {

// What the model says of the first finding of a kernel with this body, with an array of words in %rd1.
Confirmation first_answer(const std::string& body, const std::string& grid, const std::string& block) {
    const kernel::Module module = kernel::testing::kernel_of("ld.param.u64 %rd1, [k_param_0];\n" + body + "\nret;");
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.arguments = {"x=u32[256]", "1"};
    const kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    const sweep::Options how;
    const sweep::Swept swept = sweep::sweep_in_orders(module, launch, how);
    REQUIRE(!swept.findings.empty());
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    return confirm(module, launch, how, swept.findings.front(), family, {}, solver);
}

}  // namespace

TEST_CASE("a barrier at whose turns different warps meet") {
    // warps 0 and 1 meet at barrier 1, all at barrier 0, warps 1 and 2 at barrier 1; then a lane of warp 0 races with one of warp 1
    const Confirmation answer = first_answer(R"(
mov.u32 %r1, %tid.x;
shr.u32 %r2, %r1, 5;
setp.eq.u32 %p1, %r2, 2;
@%p1 bra A;
bar.sync 1, 64;
A:
bar.sync 0;
setp.eq.u32 %p2, %r2, 0;
@%p2 bra B;
bar.sync 1, 64;
B:
and.b32 %r3, %r1, 31;
setp.ne.u32 %p3, %r3, 0;
setp.eq.or.u32 %p3, %r2, 2, %p3;
@%p3 bra C;
st.global.u32 [%rd1], %r1;
C:)",
                                             "1", "96");
    CAPTURE(answer.slice.text);
    CAPTURE(answer.why);
    CHECK(answer.slice.text.find("bar.sync 1, 64;") != std::string::npos);
    CHECK(answer.slice.text.find("bar.sync 2, 32;") != std::string::npos);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("threads that are told by a flag") {
    const auto handed_on = [](const std::string& store, const std::string& load) {
        return R"(
mov.u32 %r1, %ctaid.x;
setp.eq.u32 %p1, %r1, 0;
@!%p1 bra READ;
st.global.u32 [%rd1+128], 5;
)" + store + R"( [%rd1], 1;
bra END;
READ:
)" + load + R"( %r2, [%rd1];
setp.ne.u32 %p2, %r2, 1;
@%p2 bra READ;
ld.global.u32 %r3, [%rd1+128];
END:)";
    };
    const Confirmation answer = first_answer(handed_on("st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32"), "2", "1");
    CAPTURE(answer.slice.text);
    CAPTURE(answer.why);
    CHECK(answer.slice.text.find("await ld.relaxed.gpu.global.u32") != std::string::npos);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("a loop that polls for long is one read of the test") {
    // the scope of a block does not reach the other one; the flag comes late
    const Confirmation answer = first_answer(R"(
mov.u32 %r1, %ctaid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra POLL;
mov.u32 %r2, 0;
LATE:
add.u32 %r2, %r2, 1;
setp.ne.u32 %p2, %r2, 2000;
@%p2 bra LATE;
st.relaxed.cta.global.u32 [%rd1], 1;
bra END;
POLL:
ld.relaxed.cta.global.u32 %r3, [%rd1];
setp.ne.u32 %p3, %r3, 1;
@%p3 bra POLL;
END:)",
                                             "2", "1");
    CAPTURE(answer.slice.text);
    CAPTURE(answer.why);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("strong accesses of two sizes are no question for the model") {
    const Confirmation answer = first_answer(R"(
mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 st.volatile.global.u8 [%rd1], 1;
@!%p1 ld.volatile.global.u32 %r2, [%rd1];)",
                                             "1", "2");
    CAPTURE(answer.slice.text);
    CHECK(answer.answer == Confirmation::Answer::unknown);
    CHECK(answer.why == "strong accesses of two sizes to one place");
}

TEST_CASE("a load through the cache that is not coherent") {
    // ordered by the barrier, and a race all the same
    const Confirmation answer = first_answer(R"(
mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 st.global.u32 [%rd1], 5;
bar.sync 0;
ld.global.nc.u32 %r2, [%rd1];)",
                                             "1", "64");
    CAPTURE(answer.slice.text);
    CHECK(answer.slice.text.find("ld.global.nc.u32") != std::string::npos);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("a thread that draws another ticket does not go on") {
    // the block that comes last reads what the other has stored without release; in the test it reads only behind that ticket
    const Confirmation answer = first_answer(R"(
mov.u32 %r1, %ctaid.x;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3+128], 5;
atom.global.add.u32 %r2, [%rd1], 1;
setp.ne.u32 %p1, %r2, 1;
@%p1 bra END;
ld.global.u32 %r3, [%rd1+128];
ld.global.u32 %r3, [%rd1+132];
END:)",
                                             "2", "1");
    CAPTURE(answer.slice.text);
    CAPTURE(answer.why);
    CHECK(answer.slice.text.find("atom.relaxed.gpu.global.add.u32") != std::string::npos);
    CHECK(answer.slice.text.find("await ld.relaxed.sys.global.u32") != std::string::npos);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("an object that is not initialised") {
    const Confirmation answer = first_answer(R"(
.shared .align 8 .b64 bar;
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra USE;
mbarrier.init.shared::cta.b64 [bar], 32;
USE:
mbarrier.arrive.shared::cta.b64 _, [bar];)",
                                             "1", "64");
    CAPTURE(answer.slice.text);
    CAPTURE(answer.why);
    CHECK(answer.slice.text.find("mbarrier.init.shared::cta.b64 [bar]") != std::string::npos);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("of memory that a kernel allocates the model is not asked") {
    const kernel::Module module = kernel::testing::module_of(
        ".extern .func (.param .b64 func_retval0) malloc(.param .b64 malloc_param_0);\n"
        ".visible .entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n.reg .b64 %rd<3>;\n.param .b64 address;\n.shared .u64 s;\n"
        "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra MET;\nmov.u64 %rd1, 8;\nst.param.b64 [address], %rd1;\n"
        "call (address), malloc, (address);\nld.param.b64 %rd1, [address];\nst.shared.u64 [s], %rd1;\nMET:\nbar.sync 0;\n"
        "ld.shared.u64 %rd2, [s];\nst.u32 [%rd2], %r1;\nret;\n}\n");
    kernel::LaunchTexts texts;
    texts.grid = "1";
    texts.block = "2";
    const kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    const sweep::Options how;
    const sweep::Swept swept = sweep::sweep_in_orders(module, launch, how);
    REQUIRE(swept.findings.size() == 1);
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    const Confirmation answer = confirm(module, launch, how, swept.findings.front(), family, {}, solver);
    CHECK(answer.answer == Confirmation::Answer::unknown);
    CHECK(answer.why == "it is about memory that the kernel allocates");
}
