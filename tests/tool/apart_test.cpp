// The commands that tell models apart, from outside: compare, adequacy, distinguish.
#include "tool/shell.h"

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

const std::string quoted_library = "'" LITMUS_SOURCE_DIR "/litmus'";

class BufferingFolder : public TemporaryFolder {
public:
    BufferingFolder() {
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
    const BufferingFolder folder;
    CHECK(shell(folder, "litmus compare --model ptx --model sc sb-fenced.litmus").status == 0);
    CHECK(shell(folder, "litmus compare --model ptx --model sc sb.litmus sb-fenced.litmus").status == 1);
    CHECK(shell(folder, "litmus compare --model ptx --model sc loops.litmus").status == 3);
    CHECK(shell(folder, "litmus compare --model ptx --model sc alias.litmus sb-fenced.litmus").status == 3);  // sc has no proxies
    CHECK(shell(folder, "litmus compare --model ptx --model sc alias.litmus sb.litmus").status == 1);
    CHECK(shell(folder, "litmus compare --model ptx --model sc bad.litmus sb.litmus").status == 2);
    CHECK(shell(folder, "litmus compare --reading weakest --reading strongest --timeout 0.000001 sb.litmus").status == 3);
}

TEST_CASE("compare: two models are named, and they differ") {
    const BufferingFolder folder;
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
    const BufferingFolder folder;
    const Run run = shell(folder, "litmus compare --model ptx --model ptx-7.5 --reading weakest sb.litmus");
    CHECK(run.status == 0);
    CHECK(has(run.out, "A: ptx under weakest\nB: ptx-7.5\n"));
}

TEST_CASE("compare: goldens") {
    const BufferingFolder folder;
    const std::string run = "litmus compare --reading weakest --reading weakest,war-mbarrier " + quoted_library + "/async/proxy-war";
    check_golden("compare.txt", without_place(shell(folder, run).out) +
                                    shell(folder, "litmus compare --model ptx --model sc sb.litmus sb-fenced.litmus alias.litmus").out);
    check_golden("compare.jsonl",
                 shell(folder, "litmus compare --format json --model ptx --model sc sb.litmus alias.litmus bad.litmus loops.litmus").out);
}

TEST_CASE("adequacy: statuses, and what is listed") {
    const BufferingFolder folder;
    const Run one = shell(folder, "litmus adequacy --model sc sb.litmus");
    CHECK(one.status == 1);
    CHECK(has(one.out, "sc.cat>:15: atomicity: axiom\n    needed by no test\n"));
    CHECK_FALSE(has(one.out, "sequential-consistency: alternative po"));  // needed, so it is not listed
    CHECK(has(shell(folder, "litmus adequacy --model sc sb.litmus -v").out, "sequential-consistency: alternative po\n    needed by sb\n"));
    CHECK(has(shell(folder, "litmus adequacy --model sc --count -v sb.litmus sb.litmus").out,
              "needed by 2 tests, such as sb; 2 of them by their verdict"));
    CHECK(shell(folder, "litmus adequacy --model sc --timeout 0.000001 sb.litmus").status == 3);
    const Run none = shell(folder, "litmus adequacy --model sc bad.litmus");  // of no test nothing follows
    CHECK(none.status == 2);
    CHECK(none.out.empty());
    CHECK(shell(folder, "litmus adequacy --model sc sb.litmus bad.litmus").status == 2);
    CHECK(shell(folder, "litmus adequacy --model sc alias.litmus").status == 2);  // sc has no word for it
    CHECK(shell(folder, "litmus adequacy --model nope sb.litmus").status == 2);
    CHECK(shell(folder, "litmus adequacy").status == 2);
}

TEST_CASE("adequacy: parts that are known to be redundant") {
    const BufferingFolder folder;
    folder.write("mine.cat", "\"mine\"\nacyclic po | rf | co | fr as sc\nempty rmw & (fr; co) as atomicity\n");
    std::string known;
    for (const Json& part : json_lines(shell(folder, "litmus adequacy --model mine.cat --format json sb.litmus").out))
        if (part["needed"] == 0) known += part["part"].get<std::string>() + " | no atomics here\n";
    CHECK(has(known, "atomicity: axiom | "));
    folder.write("known.txt", "# a comment\n" + known);
    const Run settled = shell(folder, "litmus adequacy --model mine.cat --known known.txt sb.litmus");
    CHECK(settled.status == 0);
    CHECK(has(settled.out, "0 needed by no test"));
    folder.write("known.txt", known + "sc: alternative po | wrongly\n");
    const Run contradicted = shell(folder, "litmus adequacy --model mine.cat --known known.txt sb.litmus");
    CHECK(contradicted.status == 1);
    CHECK(has(contradicted.out, "sc: alternative po\n    said to be redundant, and needed by sb\n"));
    folder.write("known.txt", "atomicity: axiom | for a reason\nsc: conjunct po | no such part\n");
    const Run wrong = shell(folder, "litmus adequacy --model mine.cat --known known.txt sb.litmus");
    CHECK(wrong.status == 2);
    CHECK(has(wrong.err, "known.txt:2:1: error: the model has no part `sc: conjunct po`"));
    folder.write("known.txt", "atomicity\n");
    CHECK(has(shell(folder, "litmus adequacy --model mine.cat --known known.txt sb.litmus").err, "expected PART | REASON"));
}

TEST_CASE("adequacy: what is said of the redundant parts of ptx names parts that it has, and no small test contradicts it") {
    const BufferingFolder folder;
    const Run run = shell(folder, "litmus adequacy --known '" LITMUS_SOURCE_DIR "/model/redundant.txt' " + quoted_library +
                                      "/classic/mp/mp-fence-acq-rel.litmus");
    CHECK(run.status == 1);
    CHECK(has(run.out, " redundant"));
    CHECK_FALSE(has(run.out, "said to be redundant"));
}

TEST_CASE("adequacy: the missing test is found") {
    const BufferingFolder folder;
    folder.write("mine.cat", "\"mine\"\nempty (((W * W) & loc) \\ id) \\ (co | co^-1) as total\nacyclic po | rf | co | fr as sc\n");
    const Run run =
        shell(folder, "litmus adequacy --model mine.cat sb-fenced.litmus --synthesise --max-instructions 2 --family load --family store");
    CHECK(run.status == 1);
    CHECK(has(run.out, "sc: alternative co\n    needed by no test"));
    CHECK(has(run.out, "mine.cat without `sc: alternative co` allows this outcome, mine.cat does not."));
    CHECK(has(run.out, "exists (f == 5)"));  // two writes of one thread, in the other order
}

TEST_CASE("adequacy: goldens") {
    const BufferingFolder folder;
    check_golden("adequacy.txt", shell(folder, "litmus adequacy --model sc sb.litmus sb-fenced.litmus").out);
    check_golden("adequacy.jsonl", shell(folder, "litmus adequacy --model sc --count --format json sb.litmus sb-fenced.litmus").out);
}

TEST_CASE("distinguish: statuses and mistakes") {
    const BufferingFolder folder;
    const Run found = shell(folder, "litmus distinguish weakest weakest,war-unfenced");
    CHECK(found.status == 0);
    folder.write("found.litmus", found.out);
    CHECK(shell(folder, "litmus check --reading weakest found.litmus").status == 0);
    CHECK(shell(folder, "litmus check --reading weakest,war-unfenced found.litmus").status == 1);
    CHECK(shell(folder, "litmus distinguish weakest,war-unfenced weakest").out == found.out);  // whichever is named first
    const Run none = shell(folder, "litmus distinguish weakest weakest,war-unfenced --max-instructions 1");
    CHECK(none.status == 1);
    CHECK(none.out == "no program of at most 1 instruction in at most 3 threads tells weakest and weakest,war-unfenced apart\n");
    const Run hurried = shell(folder, "litmus distinguish weakest weakest,war-mbarrier --timeout 0.001");
    CHECK(hurried.status == 3);
    CHECK(has(hurried.out, "larger ones were not all searched: "));
    const Run few = shell(folder, "litmus distinguish sc tso --family load --family fence");
    CHECK(few.status == 1);
    CHECK(has(few.out, ", of the families load, fence tells sc and tso apart"));
    for (const char* mistake :
         {"", "weakest", "weakest default strongest", "weakest weakest", "weakest strongst", "weakest nope", "sc sc",
          "weakest strongest --family laod", "weakest strongest --max-instructions 0", "weakest strongest --max-threads 4"}) {
        const std::string line = std::string("litmus distinguish ") + mistake;
        const Run run = shell(folder, line);
        INFO(line);
        CHECK(run.status == 2);
        CHECK(has(run.err, "error: "));
        CHECK(run.out.empty());
    }
    CHECK(has(shell(folder, "litmus distinguish weakest strongest --family bariier").err, "did you mean `barrier`?"));
}

TEST_CASE("distinguish: goldens") {
    const BufferingFolder folder;
    check_golden("distinguish.litmus", shell(folder, "litmus distinguish weakest weakest,war-mbarrier").out);
    check_golden(
        "distinguish.jsonl",
        shell(folder,
              "litmus distinguish weakest weakest,war-mbarrier --format json --family load --family wait --family arrive --family copy-in; "
              "litmus distinguish weakest weakest,war-mbarrier --format json --family load --family wait")
            .out);
}

// The smallest test of each reading that is not in `weakest` is kept in litmus/readings, under the name of the reading; where it ends
// with a copy in flight, NAME-waited waits for it.
TEST_CASE("the tests in litmus/readings tell their readings apart") {
    const BufferingFolder folder;
    size_t kept = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(LITMUS_SOURCE_DIR "/litmus/readings")) {
        if (entry.path().extension() != ".litmus") continue;
        const std::string name = entry.path().stem().string();
        const size_t waited = name.rfind("-waited");
        const std::string reading = name.substr(0, waited);
        const Run run = shell(folder, "litmus compare --reading weakest --reading weakest," + reading + " '" + entry.path().string() + "'");
        INFO(reading << ": " << run.err);
        CHECK(run.status == 1);
        CHECK(has(run.out, "ruled out by " + reading));
        kept += waited == std::string::npos ? 1 : 0;
    }
    CHECK(kept == 24);
}

// Of a reading, what the model advises to be right either way.
TEST_CASE("the tests in litmus/readings/safe hold with their reading and without it, and in every reading") {
    const BufferingFolder folder;
    size_t held = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(LITMUS_SOURCE_DIR "/litmus/readings/safe")) {
        const std::string reading = entry.path().stem().string();
        for (const std::string& spec : {std::string("weakest"), "weakest," + reading, "weakest,-" + reading, std::string("strongest")}) {
            const Run run = shell(folder, "litmus check --format json --reading " + spec + " '" + entry.path().string() + "'");
            INFO(reading << " under " << spec << ": " << run.err);
            REQUIRE(run.status == 0);
            const Json result = json_lines(run.out).front();
            CHECK(result.at("test") == "reading-" + reading + "-safe");
            CHECK(result.at("verdict") == "ok");
            CHECK(result.at("depends").empty());
        }
        ++held;
    }
    CHECK(held >= 19);
}
