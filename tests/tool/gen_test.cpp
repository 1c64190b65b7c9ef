// `litmus gen` from outside.
#include "tool/shell.h"

TEST_CASE("one test by its words, and its name makes it again") {
    TemporaryFolder folder;
    const Run one = shell(folder, "litmus gen PodWW release.gpu Rfe@gpu acquire.gpu PodRR Fre@gpu");
    CHECK(one.status == 0);
    check_golden("gen.litmus", one.out);
    const Run again = shell(
        folder,
        "litmus gen $(litmus gen release.gpu Rfe@gpu acquire.gpu PodRR Fre@gpu PodWW | sed -n '1s/test \"\\(.*\\)\"/\\1/p' | tr + ' ')");
    CHECK(again.out == one.out);
    const Run claimed = shell(folder, "litmus gen --claim PodWW release.gpu Rfe@gpu acquire.gpu PodRR Fre@gpu");
    CHECK(has(claimed.out, "~exists (P0:r0 == 8 /\\ P0:r1 == 0)"));
}

TEST_CASE("the list of words") {
    TemporaryFolder folder;
    const Run list = shell(folder, "litmus gen --list");
    CHECK(list.status == 0);
    check_golden("gen-list.txt", list.out);
}

TEST_CASE("one object a line") {
    TemporaryFolder folder;
    const Run run = shell(folder, "litmus gen --shape MP --family fence --count 3 --seed 1 --format json");
    CHECK(run.status == 0);
    const std::vector<Json> found = json_lines(run.out);
    REQUIRE(found.size() == 3);
    for (const Json& line : found) {
        CHECK(line["shape"] == "MP");
        CHECK(line["events"] == 4);
        CHECK(line["threads"] == 2);
        CHECK(line["file"].is_null());
        CHECK(has(line["test"], line["name"]));
    }
}

TEST_CASE("5,000 tests into a folder, well within a minute, each read by check") {
    TemporaryFolder folder;
    const Run made = shell(folder, "litmus gen --seed 4 --max-events 6 --count 5000 -o tests && ls tests | wc -l");
    CHECK(made.status == 0);
    CHECK(made.out == "5000\n");
    CHECK(made.seconds < 60);
    const Run read = shell(folder, "litmus fmt --check tests");
    CHECK_MESSAGE(read.status == 0, read.out, read.err);  // each is in canonical form
    const Run checked = shell(folder,
                              "mkdir some; for f in $(ls tests | head -n 2000 | awk 'NR % 20 == 0'); do cp \"tests/$f\" some; done\n"
                              "litmus check some --format json --no-time");
    const std::vector<Json> results = json_lines(checked.out);
    CHECK(results.size() == 100);
    for (const Json& result : results) CHECK_MESSAGE(result["verdict"] != "error", result.dump());
}

TEST_CASE("with --claim, every test is ok") {
    TemporaryFolder folder;
    CHECK(shell(folder, "litmus gen --seed 9 --max-events 5 --count 200 --claim -o tests").status == 0);
    CHECK(shell(folder, "litmus gen --seed 9 --family barrier --family completion --count 100 --claim -o tests").status == 0);
    const Run checked = shell(folder, "litmus check tests --no-time");
    CHECK_MESSAGE(checked.status == 0, checked.out);
    CHECK(shell(folder, "grep -l undefined tests/* | wc -l").out != "0\n");
    CHECK(shell(folder, "grep -l '~exists' tests/* | wc -l").out != "0\n");
}

TEST_CASE("too few, and mistakes") {
    TemporaryFolder folder;
    const Run few = shell(folder, "litmus gen --shape CoWW --family po --count 100000 -o tests");
    CHECK(few.status == 1);
    CHECK(has(few.err, "of 100000 tests: there are no more"));
    const Run word = shell(folder, "litmus gen PodWW Rfe@gp");
    CHECK(word.status == 2);
    CHECK(word.err == "error: `Rfe@gp` is no edge\n    hint: did you mean `Rfe@gpu`?\n");
    CHECK(shell(folder, "litmus gen --family fences").status == 2);
    CHECK(shell(folder, "litmus gen PodRR Fre@gpu Rfe@sys").status == 2);
    CHECK(shell(folder, "touch there; litmus gen -o there/tests").status == 2);
}
