// `litmus kernel` with the kernels of tests/kernel/cuda: its claim of each, its lines, its options.
// tests/analysis/kernel has the verdicts of the tests that are made of them.
#include "../kernel/kernel_table.h"
#include "tool/shell.h"

namespace {

// The CUDA lines that findings name.
std::set<int> lines_named(const Json& judgement) {
    std::set<int> named;
    const auto note = [&](const Json& places) {
        for (const Json& place : places)
            if (place.contains("line")) named.insert(place.at("line").get<int>());
    };
    const auto note_access = [&](const Json& access) {
        if (access.contains("origin")) named.insert(access.at("origin").at("line").get<int>());
    };
    for (const Json& launch : judgement.at("launches")) {
        for (const Json& finding : launch.at("findings")) note(finding.at("places"));
        note(launch.at("narrow_waits").at("places"));
    }
    if (!judgement.contains("threads")) return named;
    for (const Json& race : judgement.at("threads").at("races")) note_access(race.at("first")), note_access(race.at("second"));
    for (const Json& hazard : judgement.at("threads").at("hazards"))
        for (const Json& access : hazard.at("accesses")) note_access(access);
    return named;
}

void check_row(const KernelEntry& kernel, const KernelRow& row) {
    const TemporaryFolder folder;
    const Run run = shell(folder, "litmus kernel '" + (kernel_folder() / kernel.ptx(row)).string() + "' " + kernel.launch +
                                      " --no-time --format json --timeout 60");
    INFO(kernel.ptx(row) << "\n" << run.out << run.err);
    CHECK(lines(run.out).size() == 1);
    if (lines(run.out).size() != 1) return;  // the other kernels are tried all the same
    const Json judgement = Json::parse(run.out);
    const std::string wanted = row.open ? "open" : row.marks.empty() ? "right" : "wrong";
    CHECK(judgement.at("verdict") == wanted);
    CHECK(run.status == (wanted == "right" ? 0 : wanted == "wrong" ? 1 : 3));
    CHECK(judgement.at("open").empty() == (wanted != "open"));
    if (row.marks.empty()) return;
    const std::map<std::string, int> marks = marks_of(kernel.name);
    const std::set<int> named = lines_named(judgement);
    if (judgement.at("launches").size() == 1 && judgement["launches"][0]["narrow_waits"]["findings"] > 0) {
        CHECK_FALSE(named.empty());  // the waits, which are the cause; the table has what they should have ordered
        return;
    }
    CHECK(std::any_of(row.marks.begin(), row.marks.end(), [&](const std::string& mark) { return named.contains(marks.at(mark)); }));
}

std::string ptx(const std::string& name) {
    return "'" + (kernel_folder() / (name + ".ptx")).string() + "' ";
}

const std::string ring_launch = "--grid 1 --block 64 --arg in=s32[96]:iota --arg out=s32[96] --arg tiles=3 ";
const std::string neighbour_launch = "--grid 2 --block 32 --arg in=s32[64]:iota --arg out=s32[64] ";

// A launch of the two kernels of a file, one after the other.
const std::string dependent = "--entry first --grid 1 --block 32 --arg in=s32[32] --arg sums=s32[32] ";
const std::string dekker_launch = "--grid 2 --block 32 --arg flags=u32[2] --arg result=s32[1] ";
const std::string look_back_launch =
    "--grid 3 --block 32 --arg in=s32[6]:iota --arg sums=s32[3] --arg prefixes=s32[3] --arg states=u32[3] --arg out=s32[3] ";
const std::string once = "'" LITMUS_SOURCE_DIR "/tests/kernel/cuda/read_again.ONCE.ptx' --grid 1 --block 64 --arg x=s32 --arg 'out=s32[2]'";
const std::string many_look_back =
    "--grid 7 --block 32 --arg in=s32[14]:iota --arg sums=s32[7] --arg prefixes=s32[7] --arg states=u32[7] --arg out=s32[7] ";
const std::string dependent_next = "--then 'second --grid 1 --block 32 --arg sums=s32[32] --arg out=s32[32]' ";

}  // namespace

TEST_CASE("each kernel has its claim, at its lines") {
    const char* only = std::getenv("LITMUS_KERNEL");  // one kernel, to look at
    for (const KernelEntry& kernel : kernel_table())
        for (const KernelRow& row : kernel.rows)
            if (only == nullptr || kernel.name == only) check_row(kernel, row);
}

TEST_CASE("kernel: goldens") {
    const TemporaryFolder folder;
    const Run help = shell(folder, "litmus kernel --help");
    check_golden("kernel-help.txt", help.out);
    for (const size_t width : {80, 100}) {  // a screen
        size_t rows = 0;
        for (const std::string& line : lines(help.out)) rows += line.empty() ? 1 : (line.size() + width - 1) / width;
        CHECK(rows <= 45);
    }
    for (const char* option : {"--timeout", "--reading", "--needed", "-O", "--solver", "--format"}) CHECK(has(help.out, option));
    check_golden("kernel.txt", shell(folder, "litmus kernel " + ptx("neighbour.ALONE") + neighbour_launch + "--no-time").out);
    check_golden("kernel-threads.txt", shell(folder, "litmus kernel " + ptx("dekker.UNFENCED") + dekker_launch + "--no-time").out);
}

TEST_CASE("kernel: the first line says what is claimed, and the exit status") {
    const TemporaryFolder folder;
    const auto first = [&](const std::string& words, int status) {
        const Run run = shell(folder, "litmus kernel " + words + " --no-time");
        INFO(words << "\n" << run.out << run.err);
        CHECK(run.status == status);
        return lines(run.out).empty() ? std::string() : lines(run.out).front();
    };
    CHECK(first(ptx("ring") + ring_launch, 0) == "right in every order of this launch");
    CHECK(first(ptx("ring") + ring_launch + "--repeat 2", 0) == "right in every order of these 2 launches");
    CHECK(first(ptx("ring.EARLY") + ring_launch, 1).rfind("wrong: ", 0) == 0);
    const std::string total = "--grid 2 --block 32 --arg in=s32[64]:iota --arg total=s32[32] --arg out=f32[32] --arg tickets=u32[1] ";
    CHECK(first(ptx("bulk_total") + total, 0) == "right in every order of this launch");
    CHECK(has(shell(folder, "litmus kernel " + ptx("bulk_total") + total).out,
              "each order of the strong accesses was run, one for all that are alike, 3 orders in all"));
    CHECK(first(ptx("look_back") + look_back_launch, 0) == "right in every order of this launch");
    CHECK(first(ptx("look_back") + many_look_back, 0) == "right in every order of this launch");
    CHECK(first(once, 3) == "open: nothing is found, and this is open");
    const Run open = shell(folder, "litmus kernel " + once);
    CHECK(has(open.out, "; to close it: "));
    CHECK(first(ptx("dependent") + dependent + dependent_next + "--pdl", 0) == "right in every order of these 2 launches");
    CHECK(first(ptx("dependent.HASTY") + dependent + dependent_next + "--pdl", 1) == "wrong: 1 finding");
    // it runs orders of whole steps, and a test has weaker ones
    CHECK(first(ptx("dekker.UNFENCED") + dekker_launch, 1) == "wrong: 1 finding");
    // a run in which the clock says the other thing has a time-out
    for (const KernelEntry& kernel : kernel_table())
        if (kernel.name == "timeout") CHECK(first(ptx("timeout.ANYWAY") + kernel.launch, 1).rfind("wrong: ", 0) == 0);
}

TEST_CASE("kernel: a test that is in no file is named by none") {
    const TemporaryFolder folder;
    const std::string early = "litmus kernel " + ptx("dekker.UNFENCED") + dekker_launch + "--no-time ";
    const std::string alone = shell(folder, early + "--format sarif").out;
    CHECK(has(alone, "dekker.cu"));
    CHECK_FALSE(has(alone, ".litmus\""));
    CHECK(has(shell(folder, early + "--format sarif -o kept.litmus").out, "kept.litmus"));
}

TEST_CASE("kernel: what other tools read") {
    const TemporaryFolder folder;
    const std::string early = "litmus kernel " + ptx("ring.EARLY") + ring_launch + "--format ";
    const Json sarif = Json::parse(shell(folder, early + "sarif").out);
    CHECK(has(sarif.dump(), "ring.cu"));
    CHECK(has(sarif.dump(), "advice: "));
    CHECK(has(shell(folder, early + "github").out, "::error file="));
    CHECK(has(shell(folder, early + "junit").out, "<failure"));
    CHECK(has(shell(folder, "XML_OUTPUT_FILE=x " + early + "text; cat x").out, "<failure"));
    const Run open = shell(folder, "litmus kernel " + once + " --format junit");
    CHECK(has(open.out, "<error"));
}

TEST_CASE("kernel: what --needed says as JSON is about this launch") {
    const TemporaryFolder folder;
    const std::string two_phases = "litmus kernel " + ptx("two_phases") +
                                   "--grid 1 --block 32 --arg left=s32[64] --arg right=s32[64] --arg arrived=u32[1] --needed --format json";
    const Json launch = Json::parse(shell(folder, two_phases).out);
    CHECK(launch["parts"].size() == 5);
    CHECK(launch["parts"][0]["fate"] == "not-needed-in-this-launch");
    CHECK(has(launch["parts"][0]["file"].get<std::string>(), "two_phases.cu"));
    const Run wrong = shell(folder, "litmus kernel " + ptx("ring.EARLY") + ring_launch + "--needed");
    CHECK(wrong.status == 1);
    CHECK(has(wrong.out, "the kernel is wrong as it is"));
}

TEST_CASE("kernel: the test of a finding, and the test of threads that are named") {
    const TemporaryFolder folder;
    const std::string early = "litmus kernel " + ptx("ring.EARLY") + ring_launch;
    CHECK(shell(folder, early + "-o finding.litmus").status == 1);
    CHECK(shell(folder, "litmus check finding.litmus").status == 1);
    CHECK(shell(folder, early + "-o auto.litmus --threads auto").status == 1);
    CHECK(has(folder.read("auto.litmus"), "thread t32"));
    CHECK(shell(folder, "litmus check auto.litmus").status == 1);
    const Run named = shell(folder, early + "-o named.litmus --threads 0.0,0.33");
    CHECK(named.status == 1);
    CHECK(has(named.out, "the test has 2 threads, from the run of all threads\n"));
    CHECK(has(folder.read("named.litmus"), "thread t33"));
    // what decides is found in one of several runs, or nothing tells which
    const Run ways = shell(folder, "litmus kernel " + ptx("dekker") + dekker_launch + "-o ways.litmus --threads 0.0,1.0");
    CHECK(has(ways.out, "the test has 2 threads, from 6 runs of all threads\n"));
    CHECK(shell(folder, "litmus check ways.litmus").status == 0);
    const std::string ticket = "--grid 2 --block 32 --arg in=s32[64]:iota --arg part=s32[64] --arg out=s32[32] --arg tickets=u32[1] ";
    // a file of an earlier time is no answer
    folder.write("lacking.litmus", "old\n");
    const Run lacking = shell(folder, "litmus kernel " + ptx("ticket") + ticket + "-o lacking.litmus --threads 0.0,1.1");
    CHECK(lacking.status == 2);
    CHECK(lines(lacking.out).front() == "right in every order of this launch");
    CHECK(has(lacking.err, "lacking.litmus is not written: "));
    CHECK_FALSE(fs::exists(folder.at("lacking.litmus")));
    folder.write("lacking.litmus", "old\n");
    const Run wrong = shell(folder, "litmus kernel " + ptx("ticket.HASTY") + ticket + "-o lacking.litmus --threads 0.0,1.1");
    CHECK(wrong.status == 1);
    CHECK_FALSE(fs::exists(folder.at("lacking.litmus")));
    for (const std::string& other : {std::string("2.0"), std::string("0.0,1.32")}) {
        const Run absent = shell(folder, "litmus kernel " + ptx("ticket") + ticket + "-o absent.litmus --threads " + other);
        CHECK(absent.status == 2);
        CHECK(has(absent.err, "--threads: there is no thread " + other.substr(other.size() - (other == "2.0" ? 3 : 4))));
        CHECK(has(absent.err, "this launch has 2 blocks of 32 threads"));
    }
    // of a kernel that is right there is a test, too, where it is asked for
    const std::string right = "litmus kernel " + ptx("neighbour") + neighbour_launch;
    const Run none = shell(folder, right + "-o none.litmus");
    CHECK(none.status == 0);
    CHECK(has(none.err, "none.litmus is not written: nothing is found\n"));
    CHECK_FALSE(fs::exists(folder.at("none.litmus")));
    const Json told = Json::parse(shell(folder, right + "-o none.litmus --format json").out);
    CHECK(told.at("test") == Json{{"file", "none.litmus"}, {"written", false}, {"why", "nothing is found"}});
    CHECK(shell(folder, right + "-o /dev/null").status == 0);
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(shell(folder, right + "-o right.litmus --threads auto").status == 0);
    CHECK(has(folder.read("right.litmus"), "racefree"));
    // threads that meet nowhere, which says so
    const std::string tile = "--grid 1 --block 8,8 --arg in=s32[64]:iota --arg out=s32[64] ";
    shell(folder, "litmus kernel " + ptx("transpose.UNSYNCED") + tile + "-o apart.litmus --threads 0.0,0.17");
    CHECK(has(folder.read("apart.litmus"), "no data is touched by more than one of the threads of the test"));
    CHECK(has(shell(folder, right + "--threads 0.0").err, "--threads says which threads a test has, and none is asked for"));
    CHECK(has(shell(folder, right + "--threads 0,1 -o t").err, "expected BLOCK.THREAD"));
}

TEST_CASE("kernel: launches of a stream") {
    const TemporaryFolder folder;
    const std::string first = "litmus kernel " + ptx("dependent.HASTY") + dependent, next = dependent_next;
    // in the order of the stream the second one finds all that the first one has done
    const Run ordered = shell(folder, first + next);
    CHECK(ordered.status == 0);
    CHECK(has(ordered.out, "launch 2 of 2: second\nnothing found\n"));
    const Run early = shell(folder, first + next + "--pdl");
    CHECK(early.status == 1);
    CHECK(has(early.out, "launch 2 of 2: second\nrace on `sums` at byte 0: the launch before may still run\n"));
    CHECK(has(early.out, "advice: `griddepcontrol.wait` (`cudaGridDependencySynchronize()`) before"));
    const auto refused = [&](const std::string& options, const std::string& why) {
        INFO(options);
        const Run run = shell(folder, first + options);
        CHECK(run.status == 2);
        CHECK_MESSAGE(has(run.err, why), run.err);
    };
    refused("--pdl", "--pdl is about launches behind the first, and there is one");
    refused("--then 'second --gird 1'", "`--gird` is no option of a launch");
    refused("--then 'second --grid'", "`--grid` has no value");
    refused("--then 'second --shared many'", "`many` is no number of bytes");
    refused("--then 'third --grid 1'", "there is no kernel `third`");
    refused(next + "--threads 0.0 -o t", "--threads says which threads of one launch a test has, and there are several");
    refused(next + "--unlaunched 0 --compiled", "--compiled is about one");
    refused("--unlaunched 1", "one cluster of the grid has started at least");
    refused("--then 'second --grid 1 --block 32 --unlaunched 1 --arg sums=s32[32] --arg out=s32[32]'",
            "one cluster of the grid has started at least");
    refused("--then 'second --unlaunched 9'", "`9` is no number of clusters from 0 to 8");
    refused("--gpus 2", "the grid cannot be cut into equal parts for 2 GPUs");
    refused("--reading nonsense", "has no reading `nonsense`");
    refused("--needed --compiled", "excludes");
    refused("--needed --html page.html", "--needed writes text or JSON");
    refused("--compiled --svg chart.svg", "--compiled writes text or JSON");
    refused("--needed --format sarif", "--needed writes text or JSON");
    refused("--compiled --format junit", "--compiled writes text or JSON");
    refused("--needed -o t.litmus", "-o and --threads are about a test, and --needed asks all threads");
    refused("--needed --threads 0.0", "-o and --threads are about a test, and --needed asks all threads");
}

TEST_CASE("kernel: each launch of a stream may have clusters that have not started") {
    const TemporaryFolder folder;
    const std::string arguments = "--block 2 --arg in=s32[4]:iota --arg out=s32[4] ";
    const std::string first = "litmus kernel " + ptx("persistent") + "--grid 2 " + arguments;
    const std::string all_started = "all clusters have started, so that no request gets one";
    const std::string second = "--then 'persistent --grid 2 --unlaunched 1 " + arguments + "' --no-time";
    const Run both = shell(folder, first + "--unlaunched 1 " + second);
    CHECK(both.status == 3);
    CHECK(has(both.out, "launch 2 of 2: persistent\nnothing found\n"));
    CHECK_FALSE(has(both.out, all_started));
    const Run one = shell(folder, first + second);
    CHECK(one.out.find(all_started) < one.out.find("launch 2 of 2"));
    CHECK(one.out.find(all_started, one.out.find("launch 2 of 2")) == std::string::npos);
    const Run none = shell(folder, first + "--unlaunched 1 --no-time -o t.litmus --threads 0.0,0.1");
    CHECK(has(none.err, "t.litmus is not written: some clusters have not started\n"));
}

TEST_CASE("kernel: a second launch finds what the first has left") {
    const TemporaryFolder folder;
    const std::string barrier = "litmus kernel '" LITMUS_SOURCE_DIR
                                "/tests/sweep/cuda/grid_barrier.ONCE.ptx' --grid 3 --block 32 --arg in=s32[3]:iota --arg part=s32[3] --arg "
                                "out=s32[3] ";
    CHECK(shell(folder, barrier).status == 0);
    const Run twice = shell(folder, barrier + "--repeat 2");
    CHECK(twice.status == 1);
    CHECK(has(twice.out, "launch 2 of 2: grid_barrier\nrace on `part`"));
}

TEST_CASE("kernel: what is not executed is an error at its line") {
    const TemporaryFolder folder;
    folder.write("k.ptx",
                 ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<4>;\n.reg .b64 "
                 "%rd<4>;\nld.param.u64 %rd1, [a];\ntcgen05.shift.cta_group::1.down [%r1];\nret;\n}\n");
    const Run run = shell(folder, "litmus kernel k.ptx --grid 1 --block 1 --arg a=u32[1]");
    CHECK(run.status == 2);
    CHECK(has(run.err, "is not executed by the sweep"));
    CHECK(run.out.empty());
}

TEST_CASE("kernel: the test of a finding shows it when it is checked, or a line says what shows") {
    const TemporaryFolder folder;
    const auto write = [&](const std::string& name, const std::string& body) {
        folder.write(name,
                     ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 k_param_0)\n{\n.reg .pred %p<3>;\n"
                     ".reg .b32 %r<3>;\n.reg .b64 %d<3>;\n.shared .align 128 .b8 s[64];\n" +
                         body + "ret;\n}\n");
    };
    // the flag changes no verdict
    write("exit.ptx",
          "ld.param.u64 %d1, [k_param_0];\ncp.async.bulk.global.shared::cta.bulk_group [%d1], [s], 64;\n"
          "cp.async.bulk.commit_group;\n");
    const Run left = shell(folder, "litmus kernel exit.ptx --grid 1 --block 1 --arg x=u32[64] -o exit.litmus");
    CHECK(left.status == 1);
    CHECK(has(left.out, "exit.litmus: `litmus check` reports what is wrong as the flag `in-flight-at-exit`, beside the verdict\n"));
    CHECK(has(shell(folder, "litmus check exit.litmus").out, "Flag in-flight-at-exit"));
    // two warps wait for each other at two barriers with numbers
    write("two.ptx",
          "mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra B;\nbar.sync 1, 64;\nbar.sync 2, 64;\nret;\nB:\n"
          "bar.sync 2, 64;\nbar.sync 1, 64;\n");
    CHECK(shell(folder, "litmus kernel two.ptx --grid 1 --block 64 --arg x=u32[64] -o two.litmus").status == 1);
    CHECK(has(shell(folder, "litmus check two.litmus").out, "Deadlock"));
}

TEST_CASE("kernel: of a ticket that is drawn too early the test, the chart and the page show the race") {
    const TemporaryFolder folder;
    for (const char* macro : {"UNFENCED", "HASTY"}) {
        const Run run = shell(folder, "litmus kernel " + ptx(std::string("ticket.") + macro) +
                                          "--grid 2 --block 32 --arg in=s32[64]:iota --arg part=s32[64] --arg out=s32[32] --arg "
                                          "tickets=u32[1] -o t.litmus --svg k.svg --html k.html");
        INFO(run.out << run.err);
        CHECK(run.status == 1);
        const Run check = shell(folder, "litmus check t.litmus");
        CHECK(check.status == 1);
        CHECK(has(check.out, "claims racefree, but has a data race"));
        CHECK_FALSE(has(check.out, "never"));
        CHECK(has(shell(folder, "litmus show t.litmus").out, "race on part"));
        for (const char* drawn : {"k.svg", "k.html"}) {
            CHECK(has(folder.read(drawn), "class=\"clash\""));
            CHECK_FALSE(has(folder.read(drawn), "never"));
        }
    }
}

TEST_CASE("kernel: a launch to begin with is a line to paste, which runs") {
    const TemporaryFolder folder;
    for (const char* name : {"ring", "bulk_store", "neighbour", "two_phases", "transpose", "bulk_total", "by_value", "ticket",
                             "dynamic_shared", "matrix_load", "tensor_ring", "unrolled", "persistent"}) {
        const Run asked = shell(folder, "litmus kernel " + ptx(name));
        INFO(name << "\n" << asked.err);
        CHECK(asked.status == 2);
        const std::string words = "a line to begin with: ";
        const size_t at = asked.err.find(words);
        REQUIRE(at != std::string::npos);
        const std::string line = asked.err.substr(at + words.size(), asked.err.find('\n', at) - at - words.size());
        const Run pasted = shell(folder, line);
        INFO(line << "\n" << pasted.out << pasted.err);
        CHECK(pasted.status != 2);
    }
    // a number is a guess, and is named as one
    CHECK(has(shell(folder, "litmus kernel " + ptx("ring")).err, "a guess that nothing in the kernel says: `p2=1`"));
    // what was said stays, and a pointer has the type that it is accessed with
    const Run some = shell(folder, "litmus kernel " + ptx("ring") + "--block 64 --arg in=s32[96]:iota");
    CHECK(has(some.err, "--grid 1 --block 64 --arg 'in=s32[96]:iota' --arg 'p1=u32[256]' --arg p2=1"));
    CHECK_FALSE(has(shell(folder, "litmus kernel " + ptx("ring") + ring_launch + "--arg 1").err, "a line to begin with"));
}

TEST_CASE("kernel: CUDA is compiled where there is an nvcc") {
    const TemporaryFolder folder;
    folder.write("k.cu", "the source\n");
    // one that copies PTX, and says what it was asked
    folder.write("bin/nvcc",
                 "#!/bin/sh\necho \"warning: as asked\"\ngrep -q refuse k.cu && exit 1\nwhile [ \"$1\" != -o ]; do shift; done\ncp " +
                     ptx("neighbour") + "\"$2\"\n");
    fs::permissions(folder.at("bin/nvcc"), fs::perms::owner_all);
    const std::string judge = "TMPDIR=$PWD/tmp PATH=$PWD/bin:$PATH; mkdir -p tmp; export TMPDIR; ";
    const Run run = shell(folder, judge + "litmus kernel k.cu " + neighbour_launch + "; status=$?; ls tmp | wc -l; exit $status");
    INFO(run.out << run.err);
    CHECK(run.status == 0);
    CHECK(has(run.err, "bin/nvcc -std=c++17 -ptx -lineinfo -gencode arch=compute_90a,code=compute_90a k.cu -o "));
    CHECK(has(run.err, "warning: as asked\n"));
    CHECK(lines(run.out).back() == "0");  // nothing is left in the temporary folder
    folder.write("k.cu", "refuse\n");
    const Run refused = shell(folder, judge + "litmus kernel k.cu " + neighbour_launch);
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "error: nvcc cannot compile k.cu"));
    if (fs::exists("/usr/local/cuda/bin/nvcc")) return;
    const Run without = shell(folder, "PATH=/usr/bin:/bin litmus kernel k.cu " + neighbour_launch);
    CHECK(without.status == 2);
    CHECK(has(without.err, "there is no nvcc here to compile k.cu"));
    CHECK(has(without.err, "k.cu -o k.ptx`; then judge k.ptx"));
}

TEST_CASE("kernel: an option that is repeated, and one without its value, are named so") {
    const TemporaryFolder folder;
    const Run twice = shell(folder, "litmus kernel " + ptx("ring") + "--block 32 --block 64");
    CHECK(twice.status == 2);
    CHECK(has(twice.err, "--block is given several times, and takes one value"));
    const Run none = shell(folder, "litmus kernel " + ptx("ring") + "--arg");
    CHECK(none.status == 2);
    CHECK(has(none.err, "--arg has no value"));
}

TEST_CASE("kernel: PTX from standard input, and what is no kernel") {
    const TemporaryFolder folder;
    CHECK(shell(folder, "litmus kernel - " + ring_launch + " < " + ptx("ring")).status == 0);
    CHECK(has(shell(folder, "litmus kernel").err, "no kernel is named"));
    CHECK(has(shell(folder, "litmus kernel a.ptx b.ptx").err, "and more than that is named"));
    CHECK(has(shell(folder, "litmus kernel nosuch.cu --grid 1").err, "nosuch.cu"));
    CHECK(has(shell(folder, "mkdir d; litmus kernel d").err, "d/launch.json"));
}

TEST_CASE("kernel --svg and --html: a chart in time, and a page with the findings at the lines") {
    const TemporaryFolder folder;
    const std::string files = ring_launch + "--svg k.svg --html k.html";
    const Run early = shell(folder, "litmus kernel " + ptx("ring.EARLY") + files);
    CHECK(early.status == 1);
    CHECK(has(folder.read("k.svg"), "class=\"clash\""));
    const std::string page = folder.read("k.html");
    CHECK(has(page, "<strong>wrong: "));
    CHECK(has(page, "<h2>ring.cu</h2>"));
    CHECK(has(page, "<span class=\"line lit\" data-line=\"42\""));
    CHECK(has(page, "<span class=\"finding\">race on `tile` of block 0"));
    CHECK(has(page, "<li>advice: "));
    CHECK(has(page, "<span class=\"finding\">race on `tile` of block 0 at byte 0: advice: "));
    CHECK(has(page, "class=\"clash\""));
    CHECK_FALSE(has(page, "<script"));
    CHECK_FALSE(has(page, "<link"));

    const Run fine = shell(folder, "litmus kernel " + ptx("ring") + files);  // which removes the chart
    CHECK(fine.status == 0);
    CHECK(has(fine.err, "k.svg is not written: there is no execution to draw"));
    CHECK(has(folder.read("k.html"), "<h2>ring.cu</h2>"));
    CHECK(has(folder.read("k.html"), "right in every order of this launch"));
    CHECK(shell(folder, "ls").out == "k.html\n");
    // of a test of a few threads
    const Run threads = shell(folder, "litmus kernel " + ptx("dekker.UNFENCED") + dekker_launch + "--svg k.svg --html k.html");
    CHECK(threads.status == 1);
    CHECK(has(folder.read("k.svg"), "class=\"clash\""));
    CHECK(has(folder.read("k.html"), "<h2>dekker.cu</h2>"));
    CHECK(has(folder.read("k.html"), "fence-missing"));
}

TEST_CASE("kernel --svg and --html do not write over what is read") {
    const TemporaryFolder folder;
    folder.write("k.ptx", ".version 8.0\n");
    for (const char* option : {"--svg", "--html"}) {
        const Run run = shell(folder, std::string("litmus kernel k.ptx --grid 1 --block 32 ") + option + " k.ptx");
        CHECK(run.status == 2);
        CHECK(has(run.err, "would be written over"));
    }
}
