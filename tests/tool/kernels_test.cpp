// The kernels of tests/kernel/cuda from PTX to verdict: each has the verdict of the table, at the CUDA lines that the table marks.
#include "../kernel/kernel_table.h"
#include "tool/shell.h"

namespace {

// The CUDA lines that what decides a verdict is about.
std::set<int> lines_named(const Json& result) {
    const std::string verdict = result.at("verdict");
    std::set<int> named;
    const auto note = [&](const Json& access) {
        if (access.contains("origin")) named.insert(access.at("origin").at("line").get<int>());
    };
    if (verdict == "race")
        for (const Json& race : result.at("races")) note(race.at("first")), note(race.at("second"));
    const std::string kind = verdict == "deadlock" ? "may-deadlock" : verdict;
    for (const Json& hazard : result.at("hazards"))
        if (hazard.at("kind") == kind)
            for (const Json& access : hazard.at("accesses")) note(access);
    return named;
}

std::string text_of(const std::set<int>& lines) {
    std::string text;
    for (const int line : lines) text += (text.empty() ? "" : ", ") + std::to_string(line);
    return text;
}

void check_row(const KernelEntry& kernel, const KernelRow& row) {
    const TemporaryFolder folder;
    const Run run = shell(folder, "litmus from-ptx '" + (kernel_folder() / kernel.ptx(row)).string() + "' " + kernel.launch +
                                      " --check --no-time --format json --timeout 60");
    INFO(kernel.ptx(row) << "\n" << run.out << run.err);
    CHECK(lines(run.out).size() == 1);
    if (lines(run.out).size() != 1) return;  // the other kernels are tried all the same
    const Json result = Json::parse(run.out);
    const bool reserved = result.at("verdict") == "ok" && result.contains("reservations");
    CHECK(result.at("verdict").get<std::string>() + (reserved ? "*" : "") == row.verdict);
    CHECK((run.status == 3) == reserved);
    const std::map<std::string, int> marks = marks_of(kernel.name);
    std::set<int> wanted;
    for (const std::string& mark : row.marks) wanted.insert(marks.at(mark));
    CHECK(text_of(lines_named(result)) == text_of(wanted));
}

}  // namespace

TEST_CASE("from-ptx: goldens") {
    const TemporaryFolder folder;
    check_golden("from-ptx-help.txt", shell(folder, "litmus from-ptx --help").out);
    const std::string kernel = "litmus from-ptx '" + (kernel_folder() / "neighbour.ALONE.ptx").string() + "' ";
    const std::string launch = "--grid 2 --block 32 --arg in=s32[64]:iota --arg out=s32[64] ";
    check_golden("from-ptx.txt", shell(folder, kernel + launch + "--check --no-time").out);
}

TEST_CASE("from-ptx: a test that is in no file is named by none") {
    const TemporaryFolder folder;
    const std::string kernel = "litmus from-ptx '" + (kernel_folder() / "neighbour.ALONE.ptx").string() +
                               "' --grid 2 --block 32 --arg in=s32[64]:iota --arg out=s32[64] --check --no-time ";
    const std::string alone = shell(folder, kernel + "--format sarif").out;
    CHECK(alone.find("neighbour.cu") != std::string::npos);
    CHECK(alone.find(".litmus\"") == std::string::npos);
    CHECK(shell(folder, kernel + "--format sarif -o kept.litmus").out.find("kept.litmus") != std::string::npos);
}

TEST_CASE("from-ptx: what --needed says as JSON is about this test") {
    const TemporaryFolder folder;
    const Run run =
        shell(folder, "litmus from-ptx '" + (kernel_folder() / "two_phases.ptx").string() +
                          "' --grid 1 --block 32 --arg left=s32[64] --arg right=s32[64] --arg arrived=u32[1] --needed --format json");
    CHECK(run.out.find("\"fate\":\"not-needed-in-this-test\"") != std::string::npos);
    CHECK(run.out.find("needless") == std::string::npos);
}

TEST_CASE("from-ptx: what is for tests of a few threads is none of a sweep") {
    const TemporaryFolder folder;
    const std::string kernel = "litmus from-ptx '" + (kernel_folder() / "neighbour.ptx").string() +
                               "' --sweep --grid 2 --block 32 --arg in=s32[64]:iota --arg out=s32[64] ";
    for (const char* option : {"--threads 0.0", "--per-role 2", "--max-threads 20", "--ignore bar", "--unroll 3", "--compiled"}) {
        INFO(option);
        const Run run = shell(folder, kernel + option);
        CHECK(run.status == 2);
        CHECK(has(run.err, "excludes"));
    }
    CHECK(has(shell(folder, kernel + "--accept-reservations").err, "--accept-reservations requires --check"));
    CHECK(has(shell(folder, kernel + "--reading nonsense").err, "has no reading `nonsense`"));
    CHECK(has(shell(folder, kernel + "-o race.litmus").out, "race.litmus is not written: no finding has a test"));
}

TEST_CASE("from-ptx: a verdict on less than it seems is no plain ok") {
    const TemporaryFolder folder;
    const auto check = [&](const std::string& ptx, const std::string& options) {
        return shell(folder, "litmus from-ptx '" + (kernel_folder() / ptx).string() + "' --grid 1 --check --no-time " + options);
    };
    const auto said = [](const Run& run, const std::string& text) { return run.out.find(text) != std::string::npos; };
    // an instruction that accesses memory is left out
    const std::string matrices = "--block 64 --arg in=s32[256]:iota --arg out=s32[512] ";
    CHECK(check("matrix_load.UNSYNCED.ptx", matrices).status == 1);
    const Run ignored = check("matrix_load.UNSYNCED.ptx", matrices + "--ignore ldmatrix");
    CHECK(ignored.status == 3);
    CHECK(said(ignored, "Ok* with reservations\n"));
    CHECK(said(ignored, "Reservation: `ldmatrix.sync.aligned.m8n8.x4.shared.b16` (matrix_load.cu:14) accesses memory, and is left out\n"));
    const Run accepted = check("matrix_load.UNSYNCED.ptx", matrices + "--ignore ldmatrix --accept-reservations");
    CHECK(accepted.status == 0);
    CHECK(accepted.out == ignored.out);
    const Run json = check("matrix_load.UNSYNCED.ptx", matrices + "--ignore ldmatrix --format json");
    CHECK(json.status == 3);
    CHECK(Json::parse(json.out).at("verdict") == "ok");
    CHECK_FALSE(Json::parse(json.out).at("reservations").empty());
    CHECK(said(check("matrix_load.UNSYNCED.ptx", matrices + "--ignore ldmatrix --format junit"), "<error"));
    CHECK_FALSE(said(check("matrix_load.UNSYNCED.ptx", matrices + "--ignore ldmatrix --accept-reservations --format junit"), "<error"));
    // the threads of the test have nothing to do with each other
    const std::string tile = "--block 8,8 --arg in=s32[64]:iota --arg out=s32[64] ";
    CHECK(check("transpose.UNSYNCED.ptx", tile).status == 1);
    const Run apart = check("transpose.UNSYNCED.ptx", tile + "--threads 0.0,0.17");
    CHECK(apart.status == 3);
    CHECK(said(apart, "Reservation: no data is touched by more than one of the threads of the test\n"));
    // arguments under which a part of the kernel does not run
    const Run empty = check("ring.ptx", "--block 64 --arg in=s32[96]:iota --arg out=s32[96] --arg tiles=0");
    CHECK(empty.status == 3);
    CHECK(said(empty, " barriers and asynchronous instructions of this kernel ran, and no thread came to the others (ring.cu:"));
    // whatever comes up counts as it is
    const Run racy = check("matrix_pipe.PRIOR.ptx", "--block 64 --arg in=u32[768]:iota --arg out=f32[256] --ignore mma");
    CHECK(racy.status == 1);
}

TEST_CASE("from-ptx: launches of a stream") {
    const TemporaryFolder folder;
    const std::string first = "litmus from-ptx '" + (kernel_folder() / "dependent.HASTY.ptx").string() +
                              "' --entry first --grid 1 --block 32 --arg in=s32[32] --arg sums=s32[32] ";
    const std::string next = "--then 'second --grid 1 --block 32 --arg sums=s32[32] --arg out=s32[32]' ";
    // in the order of the stream the second one finds all that the first one has done
    CHECK(shell(folder, first + next + "--check").status == 0);
    const Run early = shell(folder, first + next + "--pdl --check");
    CHECK(early.status == 1);
    CHECK(has(early.out, "put `griddepcontrol.wait`"));
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
    CHECK(shell(folder, first + next + "--sweep").status == 0);
    const Run swept = shell(folder, first + next + "--pdl --sweep");
    CHECK(swept.status == 1);
    CHECK(has(swept.out, "advice: `griddepcontrol.wait` before"));
    refused(next + "--threads 0.0", "excludes");
    CHECK(has(shell(folder, first).out, "not judged: what kernels before and after this one do; --then has the next one in the test"));
    CHECK_FALSE(has(shell(folder, first + next).out, "--then has the next one"));
}

TEST_CASE("from-ptx: what is left out completes its bytes") {
    const TemporaryFolder folder;
    const std::string start = "litmus from-ptx '" + (kernel_folder() / "ring.ptx").string() +
                              "' --grid 1 --block 64 --arg in=s32[96]:iota --arg out=s32[96] --arg tiles=3 --check --no-time ";
    const Run run = shell(folder, start + "--ignore cp --accept-reservations");
    CHECK(run.status == 0);
    CHECK(run.out.find("no bytes are expected, as what completes on this mbarrier object is left out") != std::string::npos);
}

TEST_CASE("each kernel has its verdict, at its lines") {
    const char* only = std::getenv("LITMUS_KERNEL");  // one kernel, to look at
    for (const KernelEntry& kernel : kernel_table())
        for (const KernelRow& row : kernel.rows)
            if (only == nullptr || kernel.name == only) check_row(kernel, row);
}

TEST_CASE("from-ptx --check --svg and --html: a chart in time, and a page with the findings at the lines") {
    const TemporaryFolder folder;
    const std::string launch =
        " --grid 1 --block 64 --arg in=s32[96]:iota --arg out=s32[96] --arg tiles=3 --check --svg k.svg --html k.html";
    const Run early = shell(folder, "litmus from-ptx '" + (kernel_folder() / "ring.EARLY.ptx").string() + "'" + launch);
    CHECK(early.status == 1);
    CHECK(has(folder.read("k.svg"), "class=\"clash\""));
    const std::string page = folder.read("k.html");
    CHECK(has(page, "<h2>ring.cu</h2>"));
    CHECK(has(page, "<span class=\"line lit\" data-line=\"42\""));
    CHECK(has(page, "<span class=\"finding\">read of copy destination: "));
    CHECK(has(page, "class=\"clash\""));
    CHECK_FALSE(has(page, "<script"));
    CHECK_FALSE(has(page, "<link"));

    const Run fine = shell(folder, "rm k.svg; litmus from-ptx '" + (kernel_folder() / "ring.ptx").string() + "'" + launch);
    CHECK(fine.status == 0);
    CHECK(has(fine.err, "k.svg is not written: there is no execution to draw"));
    CHECK(has(folder.read("k.html"), "<h2>ring.cu</h2>"));
    CHECK(shell(folder, "ls").out == "k.html\n");
}

TEST_CASE("from-ptx --svg and --html do not write over what is read") {
    const TemporaryFolder folder;
    folder.write("k.ptx", ".version 8.0\n");
    for (const char* option : {"--svg", "--html"}) {
        const Run run = shell(folder, std::string("litmus from-ptx k.ptx --grid 1 --block 32 --check ") + option + " k.ptx");
        CHECK(run.status == 2);
        CHECK(has(run.err, "would be written over"));
    }
}
