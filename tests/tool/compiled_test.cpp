// --compiled from outside: check, repair and kernel, with and without an assembler.
#include <doctest/doctest.h>

#include "sass/ptxas.h"
#include "tool/shell.h"

namespace {

const std::string programs = LITMUS_SOURCE_DIR "/litmus/async/ptxas/";
const std::string settings = " --compiled -O 3 --target sm_90a --body plain";

Run run_litmus(const std::string& arguments) {
    const TemporaryFolder folder;
    return shell(folder, "litmus " + arguments);
}

}  // namespace

TEST_CASE("without an assembler nothing is said of what it makes") {
    for (const std::string command : {"check", "repair"}) {
        const Run none = run_litmus(command + " --compiled --ptxas /bin/true " + programs + "reload.litmus");
        CHECK(none.status == 2);
        CHECK(none.err.find("'/bin/true' is no ptxas") != std::string::npos);
    }
    CHECK(run_litmus("check -O 3 " + programs + "reload.litmus").err.find("-O requires --compiled") != std::string::npos);
    CHECK(run_litmus("repair --compiled --all " + programs + "reload.litmus").status == 2);
}

TEST_CASE("check --compiled judges what ptxas makes of the test") {
    if (!assembler_or_skip("ptxas 13.0")) return;
    CHECK(run_litmus("check " + programs + "reload.litmus").status == 0);
    const Run text = run_litmus("check" + settings + " " + programs + "reload.litmus");
    CHECK(text.status == 1);
    CHECK(text.out.find("\nNo (as ptxas 13.0") != std::string::npos);
    CHECK(text.out.find("Compiled by ptxas 13.0") != std::string::npos);
    CHECK(text.out.find("  P0: `ld.weak.global.u32 r2, [x]` is dropped: it gets the value of `ld.weak.global.u32 r0, [x]`\n") !=
          std::string::npos);
    CHECK(text.out.find("repair --compiled") != std::string::npos);
    const Run spared = run_litmus("check" + settings + " " + programs + "reload-volatile.litmus");
    CHECK(spared.status == 0);
    CHECK(spared.out.find(", plain: as it is written\n") != std::string::npos);
}

TEST_CASE("no cache holds the shared memory of a peer: a restricted acquire needs no CCTL") {
    if (!assembler_or_skip("ptxas 13.0")) return;
    const std::string library = LITMUS_SOURCE_DIR "/litmus/async/";
    CHECK(run_litmus("check" + settings + " " + library + "sync-restrict/both-sides.litmus").status == 0);
    CHECK(run_litmus("check" + settings + " " + programs + "float-acquire.litmus").status == 1);  // of global memory it does
}

TEST_CASE("a line that says what it was compiled by is recalled for the same question alone") {
    if (!assembler_or_skip("ptxas 13.0")) return;
    const TemporaryFolder folder;
    const std::string resumed = " --format json --no-time --resume " + folder.at("r.jsonl").string() + " " + programs + "reload.litmus";
    const Run first = run_litmus("check" + settings + resumed);
    CHECK(first.out == run_litmus("check" + settings + resumed).out);
    CHECK(Json::parse(first.out)["compiled"]["changes"].size() == 1);
    CHECK(run_litmus("check --compiled -O 1 --target sm_90a --body plain" + resumed).status == 2);
}

TEST_CASE("repair --compiled says which spellings hold") {
    if (!assembler_or_skip("ptxas 13.0")) return;
    const Run run = run_litmus("repair" + settings + " " + programs + "reload.litmus --format json");
    CHECK(run.status == 0);
    const Json said = Json::parse(run.out);
    CHECK(said["status"] == "repaired");
    CHECK(said["workarounds"].size() >= 4);
    CHECK(said["workarounds"][0]["patch"].get<std::string>().find("+  ld.relaxed.cta.global.u32 r2, [x];") != std::string::npos);
    CHECK(run_litmus("repair" + settings + " " + programs + "reload-fenced.litmus").status == 0);
}

TEST_CASE("kernel --compiled reads the code of the whole kernel") {
    if (!assembler_or_skip("ptxas 13.0")) return;
    const std::string kernels = LITMUS_SOURCE_DIR "/tests/kernel/cuda/", launch = " --grid 1 --block 64 --compiled --arg ";
    const std::string arguments = launch + "x=s32 --arg 'out=s32[2]'";
    const Run once = run_litmus("kernel " + kernels + "read_again.ONCE.ptx" + arguments);
    CHECK(once.status == 1);
    CHECK(once.out.find("Test read_again: changed, forbidden, in a race-free program\n") == 0);
    CHECK(once.out.find("(read_again.cu:41) is dropped: it gets the value of `ld.weak.global.u32 r0, [x]` (read_again.cu:38)") !=
          std::string::npos);
    CHECK(once.out.find("  what helps: a relaxed or volatile access stays") != std::string::npos);
    const Run spinning = run_litmus("kernel " + kernels + "read_again.ptx" + arguments);
    CHECK(spinning.status == 0);
    // calls are not looked at, and that is no pass
    const Run called =
        run_litmus("kernel " + kernels + "not_inlined.ptx --grid 2 --block 32 --compiled --arg data=s32 --arg ready=u32 --arg out=s32");
    CHECK(called.status == 3);
    CHECK(
        called.out.find("not looked at: `st.weak.global.u32 [data], 1` (not_inlined.cu:3), which is in a function that the kernel calls") !=
        std::string::npos);
    // nor are rows of matrices, which are no plain loads in the code
    const Run matrices = run_litmus("kernel " + kernels + "matrix_load.ptx" + launch + "'in=s32[256]:iota' --arg 'out=s32[512]'");
    CHECK(matrices.status == 3);
    CHECK(matrices.out.find("what was looked at is kept") != std::string::npos);
    CHECK(matrices.out.find("(matrix_load.cu:14), which stands for a row of `ldmatrix`") != std::string::npos);
}
