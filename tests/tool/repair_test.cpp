// `litmus repair` and `litmus weaken` from outside: patches that `patch` takes, JSON, files that are written, exit statuses.
#include <regex>

#include "tool/shell.h"

namespace {

const std::string relaxed_mp = R"(test "mp"
doc "A message is passed through a flag."

.global .u32 x = 0;
.global .u32 flag = 0;

thread P0 @ cta0 {
  st.relaxed.gpu.u32 [x], 1;
  st.relaxed.gpu.u32 [flag], 1;   // the flag
}
thread P1 @ cta1 {
  ld.relaxed.gpu.u32 r0, [flag];
  ld.relaxed.gpu.u32 r1, [x];
}

~exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

const std::string ok = R"(test "ok"
.global .u32 x = 0;
thread P0 @ cta0 {
  st.relaxed.gpu.u32 [x], 1;
  fence.sc.gpu;
}
forall (x == 1)
)";

const std::string column = R"(PTX mp
{ x=0; flag=0; }
 P0@cta 0,gpu 0         | P1@cta 1,gpu 0          ;
 st.relaxed.gpu x, 1    | ld.acquire.gpu r0, flag ;
 st.relaxed.gpu flag, 1 | ld.relaxed.gpu r1, x    ;
~exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

// A folder with the tests that the cases ask about.
class FaultyFolder : public TemporaryFolder {
public:
    FaultyFolder() {
        write("mp.litmus", relaxed_mp);
        write("ok.litmus", ok);
        write("column.litmus", column);
        write("bad.litmus", "test \"bad\"\nthread P0 @ cta0 {\n  ld.relaxed.gp.u32 r0, [x];\n}\n");
    }
};

}  // namespace

TEST_CASE("goldens") {
    const FaultyFolder folder;
    check_golden("repair.txt", shell(folder, "litmus repair --no-time mp.litmus ok.litmus column.litmus").out);
    check_golden("repair.jsonl", shell(folder, "litmus repair --no-time --format json mp.litmus ok.litmus bad.litmus").out);
    check_golden("weaken.txt", shell(folder, "litmus weaken --no-time ok.litmus mp.litmus").out);
    check_golden("weaken.jsonl", shell(folder, "litmus weaken --no-time --format json ok.litmus bad.litmus").out);
}

TEST_CASE("an outcome of one's own is made impossible, and claimed to be") {
    const FaultyFolder folder;
    folder.write("free.litmus", std::string(relaxed_mp).replace(relaxed_mp.find("~exists"), 7, "exists"));
    const Run other = shell(folder, "litmus repair --outcome 'P1:r0=0' free.litmus");
    CHECK(other.status == 1);  // no order takes that away
    const Run asked = shell(folder, "litmus repair --outcome 'P1:r0=1; P1:r1=0' free.litmus");
    CHECK(asked.status == 0);
    CHECK(has(asked.out, "+~exists (P1:r0 == 1 /\\ P1:r1 == 0)"));
    CHECK(shell(folder, "litmus repair --outcome 'P1:r0=1; P1:r1=0' --apply free.litmus").status == 0);
    CHECK(has(shell(folder, "litmus check free.litmus").out, "\nOk\n"));
    const Run foreign = shell(folder, "litmus repair --outcome 'P1:r1=0' column.litmus");
    CHECK(foreign.status == 2);
    CHECK(has(foreign.err, "has to be in the DSL"));
}

TEST_CASE("of the repairs for the weakest readings the first is named, and the patch stays one patch") {
    const FaultyFolder folder;
    folder.write("epilogue.litmus", R"(test "epilogue"
.shared.cta0 .u32 s[4] = 0;
.global .u32 g[4] = 9;
thread P0 @ cta0 {
  st.weak.shared::cta.u32 [s], 1;
  bar.sync 0;
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
}
thread P1 @ cta0 {
  st.weak.shared::cta.u32 [s+4], 1;
  bar.sync 0;
}
exists (g[0] == 0 \/ g[1] == 0)
)");
    const Run run = shell(folder, "litmus repair epilogue.litmus");
    CHECK(has(run.out, "2 repairs of one price, 8 dearer for the weakest readings"));
    CHECK(has(run.out, "3. price 200, holds under the weakest readings, too"));
    CHECK(has(run.out, "and 7 more"));
    CHECK(run.out.find("--- a/") == run.out.rfind("--- a/"));
    CHECK(shell(folder, "litmus repair epilogue.litmus | patch -p1 && litmus check epilogue.litmus").status == 0);
    CHECK(has(shell(folder, "litmus check epilogue.litmus --reading weakest").out, "proxy-fence-missing"));
}

TEST_CASE("exit statuses") {
    const FaultyFolder folder;
    CHECK(shell(folder, "litmus repair mp.litmus").status == 0);
    CHECK(shell(folder, "litmus repair ok.litmus").status == 0);
    const Run none = shell(folder, "litmus repair --max-edits 1 mp.litmus --no-time");
    CHECK(none.status == 1);
    CHECK(none.out == "Test mp: no repair of up to 1 edit is known; --max-edits 2 looks further\n");
    CHECK(shell(folder, "litmus repair bad.litmus").status == 2);
    CHECK(shell(folder, "litmus repair bad.litmus mp.litmus").status == 2);
    CHECK(shell(folder, "litmus repair --timeout 0.000001 mp.litmus").status == 3);
    CHECK(shell(folder, "litmus repair nothing.litmus").status == 2);
    CHECK(shell(folder, "litmus weaken ok.litmus mp.litmus").status == 0);
    CHECK(shell(folder, "litmus weaken --timeout 0.000001 mp.litmus").status == 3);
    CHECK(shell(folder, "litmus repair --test other mp.litmus").status == 2);
}

TEST_CASE("a mistake in the input is shown with its place, and the other tests are repaired") {
    const FaultyFolder folder;
    const Run run = shell(folder, "litmus repair bad.litmus mp.litmus");
    CHECK(has(run.err, "bad.litmus:3:"));
    CHECK(has(run.out, "Test mp: 4 repairs"));
    const Json line = Json::parse(shell(folder, "litmus repair --format json bad.litmus").out);
    CHECK(line["status"] == "error");
    CHECK(line["line"] == 3);
}

TEST_CASE("a patch is one that patch takes, and what comes of it passes check") {
    const FaultyFolder folder;
    for (const char* file : {"mp.litmus", "column.litmus"}) {
        CAPTURE(file);
        const std::string name(file);
        CHECK(shell(folder, "litmus check " + name).status == 1);
        CHECK(shell(folder, "litmus repair " + name + " | patch -p1").status == 0);
        CHECK(shell(folder, "litmus check " + name).status == 0);
        CHECK(shell(folder, "litmus repair " + name).out.find("nothing to repair") != std::string::npos);
    }
    CHECK(has(folder.read("mp.litmus"), "// the flag"));
    folder.write("with blanks.litmus", relaxed_mp);
    CHECK(shell(folder, "litmus repair 'with blanks.litmus' | patch -p1").status == 0);
    CHECK(shell(folder, "litmus check 'with blanks.litmus'").status == 0);
}

TEST_CASE("an exists that nothing satisfies is no matter of order, and repair says so") {
    const FaultyFolder folder;
    folder.write("never.litmus", "test \"never\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\nexists (x == 2)\n");
    const Run run = shell(folder, "litmus repair never.litmus");
    CHECK(run.status == 0);
    CHECK(has(run.out, "Test never: nothing to repair: no execution satisfies its `exists`"));
}

TEST_CASE("a patch of a file with tabs or with carriage returns is one that patch takes") {
    const FaultyFolder folder;
    folder.write("tabs.litmus", std::regex_replace(relaxed_mp, std::regex("\n  "), "\n\t"));
    folder.write("dos.litmus", std::regex_replace(relaxed_mp, std::regex("\n"), "\r\n"));
    for (const std::string name : {"tabs.litmus", "dos.litmus"}) {
        CAPTURE(name);
        CHECK(shell(folder, "litmus repair " + name + " | patch -p1").status == 0);
        CHECK(shell(folder, "litmus check " + name).status == 0);
    }
    CHECK(has(folder.read("tabs.litmus"), "\n\tst.release"));
    CHECK(has(folder.read("dos.litmus"), "// the flag\r\n"));
}

TEST_CASE("--apply writes the best repair, through a link, and nothing where there is none") {
    const FaultyFolder folder;
    CHECK(shell(folder, "ln -s mp.litmus link.litmus; litmus repair --apply link.litmus ok.litmus").status == 0);
    CHECK(fs::is_symlink(folder.at("link.litmus")));
    CHECK(shell(folder, "litmus check mp.litmus").status == 0);
    CHECK(folder.read("ok.litmus") == ok);
    const Run closed = shell(folder, "chmod a-w column.litmus; litmus repair --apply column.litmus");
    CHECK(closed.status == 2);
    CHECK(has(closed.err, "cannot write 'column.litmus': it is read-only"));
    const Run run = shell(folder, "litmus repair --apply - < column.litmus");
    CHECK(run.status == 2);
    CHECK(has(run.err, "standard input cannot be rewritten"));
    CHECK(folder.read("column.litmus") == column);
}

TEST_CASE("weaken --apply leaves out what can go") {
    const FaultyFolder folder;
    CHECK(shell(folder, "litmus weaken --apply ok.litmus").status == 0);
    CHECK_FALSE(has(folder.read("ok.litmus"), "fence"));
}

TEST_CASE("weaken of a test that shows something bad says that this comes first") {
    const FaultyFolder folder;
    CHECK(has(shell(folder, "litmus weaken mp.litmus").out, "Its verdict is no"));
    CHECK_FALSE(has(shell(folder, "litmus weaken ok.litmus").out, "verdict"));
    CHECK(Json::parse(shell(folder, "litmus weaken --format json mp.litmus").out)["verdict"] == "no");
}

TEST_CASE("a table of tests has no patch") {
    const FaultyFolder folder;
    folder.write("t.test",
                 ".global x;\nd0.b0.t0 { st [x], 1; $$ ld r0, [x]; }\n(r0 $0 1) as r0;\n$$\nfence; | assert | ==\n | permit | !=\n");
    const Run run = shell(folder, "litmus repair t.test");
    CHECK(run.status == 2);
    CHECK_FALSE(run.err.empty());
}

TEST_CASE("JSON says what is missing by name and place") {
    const FaultyFolder folder;
    const Json line = Json::parse(shell(folder, "litmus repair --format json mp.litmus").out);
    CHECK(line["status"] == "repaired");
    CHECK(line["complete"] == true);
    REQUIRE(line["missing"].size() == 2);
    CHECK(line["missing"][0]["kind"] == "release-missing");
    CHECK(line["missing"][0]["place"] == "P0");
    CHECK(line["missing"][0]["line"] == 9);
    CHECK(line["repairs"].size() == 4);
    CHECK(has(line["repairs"][0]["patch"], "+  st.release.gpu.u32 [flag], 1;   // the flag\n"));
}

TEST_CASE("help is enough to work from") {
    const FaultyFolder folder;
    for (const char* command : {"repair", "weaken"}) {
        const Run run = shell(folder, std::string("litmus ") + command + " --help");
        CHECK(run.status == 0);
        CHECK(has(run.out, std::string("litmus ") + command));
        CHECK(has(run.out, "Exit status"));
    }
    CHECK(shell(folder, "litmus repair").status == 2);
    CHECK(has(shell(folder, "litmus repair --max-edit 2 mp.litmus").err, "--max-edits"));
}
