// The commands that tell models apart, from outside: compare.
#include "shell.h"

namespace {

const char* const buffering = R"(test "sb"
.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 { st.relaxed.gpu.global.u32 [x], 1; ld.relaxed.gpu.global.u32 r0, [y]; }
thread P1 @ cta1 { st.relaxed.gpu.global.u32 [y], 1; ld.relaxed.gpu.global.u32 r0, [x]; }
exists (P0:r0 == 0 /\ P1:r0 == 0)
)";

const char* const fenced_buffering = R"(test "sb-fenced"
.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 { st.relaxed.gpu.global.u32 [x], 1; fence.sc.gpu; ld.relaxed.gpu.global.u32 r0, [y]; }
thread P1 @ cta1 { st.relaxed.gpu.global.u32 [y], 1; fence.sc.gpu; ld.relaxed.gpu.global.u32 r0, [x]; }
~exists (P0:r0 == 0 /\ P1:r0 == 0)
)";

const char* const alias = R"(test "alias"
.global .u32 x = 0;
thread P0 @ cta0 { st.weak.global.u32 [x], 1; fence.proxy.alias; ld.weak.global.u32 r0, [x]; }
~exists (P0:r0 == 0)
)";

const char* const loop = R"(test "loops"
.global .u32 x = 0;
thread P0 @ cta0 {
again:
  atom.add.relaxed.gpu.global.u32 r0, [x], 1;
  setp.ne.u32 p, r0, 5;
  @p bra again;
}
exists (P0:r0 == 5)
)";

const std::string library = "'" LITMUS_SOURCE_DIR "/litmus'";

class Folder : public TemporaryFolder {
public:
    Folder() {
        write("sb.litmus", buffering);
        write("sb-fenced.litmus", fenced_buffering);
        write("alias.litmus", alias);
        write("loops.litmus", loop);
        write("bad.litmus", "test \"bad\"\nthread");
    }
};

// The file names that the library's tests are shown under, without where it lies.
std::string without_place(std::string text) {
    const std::string place = LITMUS_SOURCE_DIR "/";
    for (size_t at = text.find(place); at != std::string::npos; at = text.find(place)) text.erase(at, place.size());
    return text;
}

}  // namespace

TEST_CASE("compare: one exit status for each result") {
    const Folder folder;
    CHECK(shell(folder, "litmus compare --model ptx --model sc sb-fenced.litmus").status == 0);
    CHECK(shell(folder, "litmus compare --model ptx --model sc sb.litmus sb-fenced.litmus").status == 1);
    CHECK(shell(folder, "litmus compare --model ptx --model sc loops.litmus").status == 3);
    CHECK(shell(folder, "litmus compare --model ptx --model sc alias.litmus sb-fenced.litmus").status == 3);  // sc has no proxies
    CHECK(shell(folder, "litmus compare --model ptx --model sc alias.litmus sb.litmus").status == 1);
    CHECK(shell(folder, "litmus compare --model ptx --model sc bad.litmus sb.litmus").status == 2);
    CHECK(shell(folder, "litmus compare --reading weakest --reading strongest --timeout 0.000001 sb.litmus").status == 3);
}

TEST_CASE("compare: two models are named, and they differ") {
    const Folder folder;
    for (const char* mistake : {"", "--model sc", "--reading weakest", "--model ptx --model ptx", "--model sc --model tso --model ptx",
                                "--reading default --reading default,fence-cta", "--reading weakest --reading strongst",
                                "--model ptx --model nope", "--model sc --model tso --reading fence-cta"}) {
        const std::string line = std::string("litmus compare ") + mistake + " sb.litmus";
        const Run run = shell(folder, line);
        INFO(line);
        CHECK(run.status == 2);
        CHECK(has(run.err, "error: "));
        CHECK(run.out.empty());
    }
    CHECK(has(shell(folder, "litmus compare --reading weakest --reading strongst sb.litmus").err, "did you mean `strongest`?"));
    CHECK(has(shell(folder, "litmus compare --model ptx --model ptx sb.litmus").err, "are the same model"));
    CHECK(shell(folder, "litmus compare --model ptx --model sc").status == 2);
    CHECK(shell(folder, "litmus compare --model ptx --model sc missing.litmus").status == 2);
}

TEST_CASE("compare: one reading holds for both models that have it") {
    const Folder folder;
    const Run run = shell(folder, "litmus compare --model ptx --model ptx-7.5 --reading weakest sb.litmus");
    CHECK(run.status == 0);
    CHECK(has(run.out, "A: ptx under weakest\nB: ptx-7.5\n"));
}

TEST_CASE("compare: goldens") {
    const Folder folder;
    const std::string run = "litmus compare --reading weakest --reading weakest,war-mbarrier " + library + "/async/proxy-war";
    check_golden("compare.txt", without_place(shell(folder, run).out) +
                                    shell(folder, "litmus compare --model ptx --model sc sb.litmus sb-fenced.litmus alias.litmus").out);
    check_golden(
        "compare.jsonl",
        shell(folder, "litmus compare --format json --model ptx --model sc sb.litmus alias.litmus bad.litmus loops.litmus").out);
}
