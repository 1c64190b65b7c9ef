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
    CHECK(result.at("verdict") == row.verdict);
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

TEST_CASE("each kernel has its verdict, at its lines") {
    const char* only = std::getenv("LITMUS_KERNEL");  // one kernel, to look at
    for (const KernelEntry& kernel : kernel_table())
        for (const KernelRow& row : kernel.rows)
            if (only == nullptr || kernel.name == only) check_row(kernel, row);
}
