// The executable from outside: exit statuses, what goes to which stream, formats, goldens.
//
// LITMUS_EXE is the executable, LITMUS_SOURCE_DIR the root of the sources. With LITMUS_PROMOTE=1 in the
// environment the golden files are rewritten from what the tool prints now.
#include <doctest/doctest.h>

#include <algorithm>

#include "tool/shell.h"

namespace {

// ---- a folder of inputs ----------------------------------------------------------------------

const char* const ok_test = R"(test "ok"
.global .u32 x = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
}
thread P1 @ cta1 {
  ld.weak.global.u32 r0, [x];
}
exists (P1:r0 == 1)
)";

const char* const no_test = R"(test "no"
.global .s32 x = -1;
thread P0 @ cta0 {
  ld.weak.global.s32 r0, [x];
}
~exists (P0:r0 == -1)
)";

const char* const deadlock_test = R"(test "stuck"
.global .u32 x = 0;
thread P0 @ cta0 {
  barrier.cta.sync 0, 64;
  st.weak.global.u32 [x], 1;
}
~exists (x == 1)
)";

const char* const unknown_test = R"(test "loops"
.global .u32 x = 0;
thread P0 @ cta0 {
again:
  atom.add.relaxed.gpu.global.u32 r0, [x], 1;
  setp.ne.u32 p, r0, 5;
  @p bra again;
}
exists (P0:r0 == 5)
)";

const char* const bad_test = R"(test "bad"
.global .u32 x = 0;
thread P0 @ cta0 {
  st.weeak.global.u32 [x], 1;
}
exists (x == 1)
)";

const char* const warned_test = R"(test "warned"
.global .u32 x = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
}
filter (x == 7)
~exists (P0:r9 == 1)
)";

const char* const surface_test = R"(.global x;
.surfref s virtually aliases x;
d0.b0.t0 { st [x], 1; suld r0, [s]; }
permit (r0 != 1) as r;
)";

// One writer and `readers` readers: 2^readers outcomes.
std::string wide_test(int readers) {
    std::string text = "test \"wide\"\n.global .u32 x = 0;\nthread W @ cta0 { st.relaxed.gpu.global.u32 [x], 1; }\n";
    for (int i = 1; i <= readers; ++i)
        text += "thread R" + std::to_string(i) + " @ cta" + std::to_string(i) + " { ld.relaxed.gpu.global.u32 r0, [x]; }\n";
    text += "exists (";
    for (int i = 1; i <= readers; ++i) text += (i > 1 ? " /\\ R" : "R") + std::to_string(i) + ":r0 == 1";
    return text + ")\n";
}

// The inputs above, in a temporary folder.
class Folder : public TemporaryFolder {
public:
    Folder() {
        write("ok.litmus", ok_test);
        write("no.litmus", no_test);
        write("deadlock.litmus", deadlock_test);
        write("unknown.litmus", unknown_test);
        write("bad.litmus", bad_test);
        write("warned.litmus", warned_test);
        write("surface.test", surface_test);
    }
};

}  // namespace

TEST_CASE("one exit status for each verdict") {
    const Folder folder;
    CHECK(shell(folder, "litmus check ok.litmus").status == 0);
    CHECK(shell(folder, "litmus check no.litmus").status == 1);
    CHECK(shell(folder, "litmus check deadlock.litmus").status == 1);
    CHECK(shell(folder, "litmus check bad.litmus").status == 2);
    CHECK(shell(folder, "litmus check unknown.litmus").status == 3);
    CHECK(shell(folder, "litmus check unknown.litmus --unroll 8").status == 0);
}

TEST_CASE("what lies behind the unroll bound may be undefined, or wait for ever") {
    const Folder folder;
    folder.write("cut.litmus", R"(test "cut"
.global .u32 f = 0;
.shared.cta0 .mbarrier bar;
thread P0 @ cta0 {
  mov.u32 r9, 0;
LOOP:
  ld.relaxed.gpu.global.u32 r0, [f];
  add.u32 r9, r9, 1;
  add.u32 r1, r9, r0;
  setp.lt.u32 p, r1, 5;
  @p bra LOOP;
  mbarrier.arrive.shared::cta.b64 _, [bar];
}
undefined
)");
    CHECK(shell(folder, "litmus check cut.litmus").status == 3);
    CHECK(shell(folder, "litmus check cut.litmus --unroll 6").status == 0);
}

TEST_CASE("of several verdicts 2 comes before 1 before 3 before 0") {
    const Folder folder;
    const std::vector<std::pair<std::string, int>> files{{"bad", 2}, {"no", 1}, {"unknown", 3}, {"ok", 0}};
    for (size_t i = 0; i < files.size(); ++i)
        for (size_t j = i; j < files.size(); ++j) {
            const std::string a = files[i].first + ".litmus ", b = files[j].first + ".litmus ";
            CHECK(shell(folder, "litmus check " + a + b).status == files[i].second);
            CHECK(shell(folder, "litmus check --format json " + b + a).status == files[i].second);
        }
    CHECK(shell(folder, "litmus check ok.litmus unknown.litmus no.litmus bad.litmus").status == 2);
}

TEST_CASE("a command gets its options when it is met, and completions have those of all") {
    const Folder folder;
    CHECK(shell(folder, "litmus --help check").out == shell(folder, "litmus check --help").out);
    CHECK(shell(folder, "litmus repair --max-edit 2 ok.litmus").err.find("did you mean '--max-edits'?") != std::string::npos);
    const std::string fish = shell(folder, "litmus completions fish").out;
    for (const char* option : {"check' -s m -l model", "repair' -l max-edits", "gen' -l seed"})
        CHECK_MESSAGE(fish.find(std::string("'__fish_seen_subcommand_from ") + option) != std::string::npos, option);
}

TEST_CASE("bad input is shown with file, line, column and caret, and nothing else") {
    const Folder folder;
    const Run run = shell(folder, "litmus check bad.litmus");
    CHECK(run.out.empty());
    const auto shown = lines(run.err);
    REQUIRE(shown.size() >= 3);
    CHECK(shown[0].rfind("bad.litmus:4:", 0) == 0);
    CHECK(has(shown[0], ": error: "));
    CHECK(has(shown[1], "st.weeak.global.u32 [x], 1;"));
    CHECK(has(shown[2], "^"));
    CHECK_FALSE(has(run.err, "\x1b"));
    // Not even the warnings of a file beside it.
    CHECK(shell(folder, "litmus check bad.litmus warned.litmus").err == run.err);
}

TEST_CASE("a bad file does not stop the others") {
    const Folder folder;
    const auto rows = json_lines(shell(folder, "litmus check --format json ok.litmus bad.litmus missing.litmus no.litmus 2>/dev/null").out);
    REQUIRE(rows.size() == 4);
    CHECK(rows[0]["verdict"] == "ok");
    CHECK(rows[1]["verdict"] == "error");
    CHECK(rows[1]["line"] == 4);
    CHECK(rows[2]["verdict"] == "error");
    CHECK(rows[3]["verdict"] == "no");
    const Run text = shell(folder, "litmus check --no-time ok.litmus bad.litmus no.litmus");
    CHECK(has(text.out, "3 tests: 1 ok, 1 no, 1 error\n"));
}

TEST_CASE("every JSON line has the same keys in the same order") {
    const Folder folder;
    const std::vector<std::string> wanted{"file",           "test",       "model",    "model_hash", "solver",  "verdict", "claim",
                                          "outcomes",       "complete",   "races",    "flags",      "hazards", "depends", "rests_on",
                                          "refuted",        "verdicts",   "unrolled", "seconds",    "hash",    "key",     "reading",
                                          "notes",          "condition",  "can_hold", "can_fail",   "where",   "types",   "satisfying",
                                          "races_complete", "never_ends", "partial",  "warnings"};
    const Run run = shell(folder, "litmus check --format json *.litmus surface.test");
    const auto rows = json_lines(run.out);
    REQUIRE(rows.size() == 7);
    for (const Json& row : rows) {
        std::vector<std::string> keys;
        for (const auto& [key, value] : row.items()) keys.push_back(key);
        REQUIRE(keys.size() >= wanted.size());
        CHECK(std::equal(wanted.begin(), wanted.end(), keys.begin()));
        CHECK((row["verdict"] == "error") == row.contains("message"));
        CHECK(row["model"] == "ptx");
        CHECK(row["model_hash"].get<std::string>().size() == 64);  // SHA-256
        CHECK(row["claim"].contains("kind"));
        CHECK(row["claim"].contains("text"));
        CHECK(row["claim"].contains("holds"));
        CHECK(row["outcomes"].is_array());
        CHECK(row["complete"].is_boolean());
        CHECK(row["races"].is_array());
        CHECK(row["flags"].is_array());
        CHECK(row["unrolled"].is_boolean());
        CHECK(row["seconds"].is_number());
    }
}

TEST_CASE("JSON values: signedness, what is named, what holds") {
    const Folder folder;
    const auto rows = json_lines(shell(folder, "litmus check --format json ok.litmus no.litmus deadlock.litmus unknown.litmus").out);
    REQUIRE(rows.size() == 4);
    CHECK(rows[0]["claim"] == Json::parse(R"json({"kind":"exists","text":"exists (P1:r0 == 1)","holds":true})json"));
    CHECK(rows[0]["outcomes"] == Json::parse(R"([{"P1:r0":0},{"P1:r0":1}])"));
    CHECK(rows[0]["flags"] == Json::parse(R"(["data-race"])"));
    REQUIRE(rows[0]["races"].size() == 1);
    CHECK(rows[0]["races"][0]["location"] == "x");
    CHECK(rows[0]["races"][0]["first"].dump() ==
          R"({"event":"P0:4 st.weak.global.u32 [x], 1","file":"ok.litmus","line":4,"column":3,"end_line":4,"end_column":28})");
    CHECK(rows[0]["races"][0]["second"]["line"] == 7);
    REQUIRE(rows[2]["hazards"].size() == 1);
    CHECK(rows[2]["hazards"][0]["kind"] == "may-deadlock");
    CHECK(rows[2]["hazards"][0]["accesses"].dump() ==
          R"([{"event":"P0:4 barrier.cta.sync 0, 64","file":"deadlock.litmus","line":4,"column":3,"end_line":4,"end_column":25}])");
    CHECK(rows[1]["claim"]["kind"] == "~exists");
    CHECK(rows[1]["claim"]["holds"] == false);
    CHECK(rows[1]["outcomes"] == Json::parse(R"([{"P0:r0":-1}])"));
    CHECK(rows[2]["verdict"] == "deadlock");
    CHECK(rows[2]["claim"]["holds"] == true);  // vacuously
    CHECK(rows[3]["verdict"] == "unknown");
    CHECK(rows[3]["claim"]["holds"].is_null());
    CHECK(rows[3]["unrolled"] == true);
    CHECK(rows[3]["unrolled_at"] == Json::parse(R"(["P0 line 7"])"));
    const auto all = json_lines(shell(folder, "litmus check --format json --all-state ok.litmus").out);
    CHECK(all[0]["outcomes"][0].contains("x"));
    CHECK(all[0]["outcomes"][0].contains("P1:r0"));
}

TEST_CASE("standard input and directories") {
    const Folder folder;
    const Run piped = shell(folder, "litmus check --format json - < ok.litmus");
    CHECK(piped.status == 0);
    CHECK(json_lines(piped.out)[0]["file"] == "<stdin>");
    CHECK(has(shell(folder, "litmus check - < bad.litmus").err, "<stdin>:4:"));

    folder.write("d/b/two.litmus", ok_test);
    folder.write("d/a.test", surface_test);
    folder.write("d/z.litmus", no_test);
    folder.write("d/README.txt", "no test");
    const auto rows = json_lines(shell(folder, "litmus check --format json d").out);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0]["file"] == "d/a.test");
    CHECK(rows[1]["file"] == "d/b/two.litmus");
    CHECK(rows[2]["file"] == "d/z.litmus");

    fs::create_directory(folder.path() / "empty");
    for (const char* input : {"empty", "missing.litmus", "missing/"}) {
        const Run run = shell(folder, std::string("litmus check ") + input);
        CHECK(run.status == 2);
        CHECK(has(run.err, "error: "));
        CHECK(run.out.empty());
    }
}

TEST_CASE("equal runs print equal bytes, whatever the workers") {
    const Folder folder;
    const std::string inputs = "ok.litmus no.litmus deadlock.litmus unknown.litmus surface.test warned.litmus ";
    const Run one = shell(folder, "litmus check --no-time -j 1 " + inputs);
    for (const char* jobs : {"1", "2", "5"}) {
        const Run again = shell(folder, "litmus check --no-time -j " + std::string(jobs) + " " + inputs);
        CHECK(again.out == one.out);
        CHECK(again.err == one.err);
        CHECK(again.status == one.status);
    }
    const Run json = shell(folder, "litmus check --no-time --format json -j 1 " + inputs);
    CHECK(shell(folder, "litmus check --no-time --format json -j 4 " + inputs).out == json.out);
    CHECK(shell(folder, "litmus show ok.litmus --dot").out == shell(folder, "litmus show ok.litmus --dot").out);
    CHECK(shell(folder, "litmus show ok.litmus --svg").out == shell(folder, "litmus show ok.litmus --svg").out);
}

TEST_CASE("no colour in a pipe, nor on a terminal with NO_COLOR") {
    const Folder folder;
    CHECK_FALSE(has(shell(folder, "litmus check ok.litmus no.litmus").out, "\x1b"));
    if (shell(folder, "script -qec true /dev/null").status != 0) {
        MESSAGE("skipped: no `script` that gives a pseudo-terminal");
        return;
    }
    const std::string on_terminal = "script -qec \"'" LITMUS_EXE "' check ok.litmus\" /dev/null";
    CHECK(has(shell(folder, "unset NO_COLOR; TERM=xterm " + on_terminal).out, "\x1b[33mProgram can end with "));
    CHECK_FALSE(has(shell(folder, "NO_COLOR=1 TERM=xterm " + on_terminal).out, "\x1b"));
    CHECK_FALSE(has(shell(folder, "unset NO_COLOR; TERM=dumb " + on_terminal).out, "\x1b"));
}

TEST_CASE("a reader that goes away, and an output that cannot be written") {
    const Folder folder;
    const Run piped = shell(folder, R"(for i in $(seq 30); do sed "s/\"no\"/\"n$i\"/" no.litmus > n$i.litmus; done; set -o pipefail; )"
                                    "litmus check --format json n[0-9]*.litmus | head -1");
    CHECK(piped.status == 1);  // the verdict of what was checked
    CHECK(piped.err.empty());
    CHECK(lines(piped.out).size() == 1);

    const Run closed = shell(folder, "litmus check ok.litmus >&-");
    CHECK(closed.status == 2);
    CHECK(has(closed.err, "cannot write to standard output"));
    CHECK(shell(folder, "litmus check ok.litmus 2>&-").status == 0);
    if (fs::exists("/dev/full")) CHECK(shell(folder, "litmus check ok.litmus > /dev/full").status == 2);
}

TEST_CASE("more outcomes than are listed") {
    const Folder folder;
    folder.write("wide.litmus", wide_test(32));
    const auto rows = json_lines(shell(folder, "litmus check --format json --max-outcomes 5 wide.litmus").out);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0]["verdict"] == "ok");
    CHECK(rows[0]["complete"] == false);
    CHECK(rows[0]["outcomes"].size() == 5);
    folder.write("three.litmus", wide_test(3));
    const auto three = json_lines(shell(folder, "litmus check --format json --max-outcomes 9 three.litmus").out);
    CHECK(three[0]["outcomes"].size() == 8);
    CHECK(three[0]["complete"] == true);
    CHECK(has(shell(folder, "litmus outcomes --max-outcomes 2 three.litmus").out, "wide: 2 outcomes (not all)"));
}

TEST_CASE("a time-out is unknown") {
    const Folder folder;
    folder.write("wide.litmus", wide_test(32));
    const Run run = shell(folder, "litmus check --timeout 0.000001 wide.litmus");
    CHECK(run.status == 3);
    CHECK(has(run.out, "Unknown (not decided within the time limit)"));
}

TEST_CASE("griddepcontrol without a grid that is launched programmatically is warned about; of traps a verdict speaks") {
    const Folder folder;
    const std::string threads =
        ".global .u32 x = 0;\nthread P0 @ cta0 { griddepcontrol.launch_dependents; st.weak.global.u32 [x], 1; }\n"
        "thread P1 @ grid1.cta0 { griddepcontrol.wait; ld.weak.global.u32 r0, [x]; }\nforall (P1:r0 == 1)\n";
    folder.write("stream.litmus", "test \"stream\"\n" + threads);
    folder.write("dependent.litmus", "test \"dependent\"\n.grid 1 programmatic 0;\n" + threads);
    const Run run = shell(folder, "litmus check stream.litmus");
    CHECK(run.status == 0);
    CHECK(has(run.err, "stream.litmus:3:20: warning: nothing says that a grid is launched programmatically, so this does nothing"));
    CHECK(shell(folder, "litmus check dependent.litmus").err.empty());
    folder.write("traps.litmus", "test \"traps\"\nthread P0 @ cta0 { trap; }\nterminates\n");
    CHECK(has(shell(folder, "litmus check traps.litmus").out, "no execution terminates: each traps, or gets stuck"));
}

TEST_CASE("claims that cannot matter are warned about") {
    const Folder folder;
    const Run run = shell(folder, "litmus check warned.litmus");
    CHECK(run.status == 0);
    CHECK(has(run.err, "warned.litmus:7:10: warning: no instruction writes P0:r9"));
    CHECK(has(run.err, "warned.litmus:6:"));
    CHECK(has(run.err, "no execution passes the filter"));
    CHECK(shell(folder, "litmus check ok.litmus").err.empty());
}

TEST_CASE("a model that lacks what a test needs refuses") {
    const Folder folder;
    CHECK(shell(folder, "litmus check surface.test --model ptx-7.5").status == 0);
    for (const char* model : {"ptx-6.0", "sc", "tso"}) {
        const Run run = shell(folder, std::string("litmus check surface.test --model ") + model);
        CHECK(run.status == 2);
        CHECK(has(run.err, "surface.test:3:"));
        CHECK(has(run.err, "does not cover the surface proxy"));
    }
    folder.write("tiny.cat", "\"tiny\"\nacyclic po | rf | co as order\n");
    CHECK(shell(folder, "litmus check ok.litmus --model tiny.cat").status == 0);
    CHECK(has(shell(folder, "litmus check deadlock.litmus --model tiny.cat").err, "does not cover barriers of a CTA"));
    const Run missing = shell(folder, "litmus check ok.litmus --model nosuch --format json");
    CHECK(missing.status == 2);
    CHECK(json_lines(missing.out).at(0)["verdict"] == "error");
}

TEST_CASE("undefined and may-deadlock as claims") {
    const Folder folder;
    folder.write("u.litmus", std::string(ok_test) + "undefined\n");
    const Run run = shell(folder, "litmus check u.litmus");
    CHECK(run.status == 1);
    CHECK(has(run.out, "claims undefined, but no execution is"));
    folder.write("m.litmus", std::string(ok_test) + "may-deadlock\n");
    CHECK(has(shell(folder, "litmus check m.litmus").out, "claims may-deadlock, but every execution can go on to its end"));
    folder.write("d.litmus", std::string(deadlock_test) + "may-deadlock\n");
    CHECK(has(shell(folder, "litmus check d.litmus").out, "waits for ever"));
}

TEST_CASE("a possible hang fails, in every format, unless it is claimed") {
    const Folder folder;
    const std::string text = R"(test "guarded"
.global .u32 f = 0;
thread P0 @ cta0 {
  ld.relaxed.gpu.global.u32 r0, [f];
  setp.ne.u32 p, r0, 1;
  @p bra END;
  bar.sync 1, 64;
END:
}
thread P1 @ cta0 {
  st.relaxed.gpu.global.u32 [f], 1;
  bar.sync 1, 64;
}
)";
    folder.write("h.litmus", text);
    const Run one = shell(folder, "litmus check h.litmus");
    CHECK(one.status == 1);
    CHECK(has(one.out, "\nMay deadlock (some execution gets stuck)\n"));
    CHECK(has(one.out, "P1:12 bar.sync 1, 64: waits for ever"));
    const Run table = shell(folder, "litmus check h.litmus ok.litmus --no-time");
    CHECK(table.status == 1);
    CHECK(has(table.out, "may-deadlock          1\n"));
    CHECK(has(table.out, "\nmay-deadlock h.litmus: guarded (some execution gets stuck)\n"));
    CHECK(has(table.out, "2 tests: 1 ok, 1 may-deadlock\n"));
    const Run json = shell(folder, "litmus check h.litmus --format json");
    CHECK(json.status == 1);
    CHECK(json_lines(json.out).at(0)["verdict"] == "may-deadlock");

    folder.write("claimed.litmus", text + "may-deadlock\n");
    CHECK(shell(folder, "litmus check claimed.litmus").status == 0);
    folder.write("denied.litmus", text + "terminates\n");
    const Run denied = shell(folder, "litmus check denied.litmus");
    CHECK(denied.status == 1);
    CHECK(has(denied.out, "\nNo (claims terminates, but some execution gets stuck)\n"));
    folder.write("ends.litmus", std::string(ok_test) + "terminates\n");
    CHECK(shell(folder, "litmus check ends.litmus").status == 0);
}

TEST_CASE("readings are named on the command line") {
    const Folder folder;
    folder.write("ok.litmus", ok_test);
    CHECK(shell(folder, "litmus check ok.litmus --reading weakest,fence-path").status == 0);
    CHECK(shell(folder, "litmus check ok.litmus --reading -fence-cta").status == 0);
    const Run wrong = shell(folder, "litmus check ok.litmus --reading fence-pth");
    CHECK(wrong.status == 2);
    CHECK(has(wrong.err, "did you mean `fence-path`?"));
    const Run none = shell(folder, "litmus check ok.litmus --model tso --reading fence-path");
    CHECK(none.status == 2);
    CHECK(has(none.err, "this model has none"));
    const std::string models = shell(folder, "litmus models").out;
    CHECK(has(models, "        fence-cta               default    the proxy fence may be executed by any thread"));
    CHECK(has(models, "as in (r xor r) + 1 (refuted on H100, H200)\n"));
}

TEST_CASE("races and hazards are said once, whatever the iterations and elements in which they come up") {
    const Folder folder;
    folder.write("again.litmus", R"(test "again"
.global .u32 s[4] = 0;
thread P0 @ cta0 {
  mov.u32 r9, 0;
AGAIN:
  st.weak.global.v4.u32 [s], {r9, r9, r9, r9};
  add.u32 r9, r9, 1;
  setp.lt.u32 p, r9, 2;
  @p bra AGAIN;
}
thread P1 @ cta1 {
  ld.weak.global.v4.u32 {r0, r1, r2, r3}, [s];
}
exists (P1:r0 == 0)
)");
    const Json row = json_lines(shell(folder, "litmus check again.litmus --format json").out).at(0);
    REQUIRE(row["races"].size() == 1);
    CHECK(row["races"][0]["first"]["line"] == 6);
    CHECK(row["races"][0]["second"]["line"] == 12);
    const std::string text = shell(folder, "litmus check again.litmus").out;
    CHECK(text.find("Race on ") == text.rfind("Race on "));
}

TEST_CASE("asked strictly, an unclaimed race is the verdict") {
    const Folder folder;
    CHECK(shell(folder, "litmus check ok.litmus").status == 0);
    const Run one = shell(folder, "litmus check ok.litmus --strict");
    CHECK(one.status == 1);
    CHECK(has(one.out, "\nRace (data race on x, lines 4 and 7)\n"));
    const Run table = shell(folder, "litmus check ok.litmus warned.litmus --strict");
    CHECK(has(table.out, "\nrace ok.litmus: ok: exists (P1:r0 == 1) (data race on x, lines 4 and 7)\n"));
    CHECK(has(table.out, "2 tests: 1 ok, 1 race\n"));
    CHECK(json_lines(shell(folder, "litmus check ok.litmus --strict --format json").out).at(0)["verdict"] == "race");
    CHECK(shell(folder, "litmus check no.litmus --strict").status == 1);
    folder.write("claimed.litmus", std::string(ok_test) + "racefree\n");
    CHECK(has(shell(folder, "litmus check claimed.litmus --strict").out, "No (claims racefree, but has a data race)"));
}

TEST_CASE("a reading of any model, about any instruction, is asked for") {
    const Folder folder;
    const std::string text = R"(test "mp"
.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
  st.weak.global.u32 [f], 1;
}
thread P1 @ cta1 {
  ld.weak.global.u32 r0, [f];
  ld.weak.global.u32 r1, [x];
}
)";
    folder.write("mine.cat",
                 "\"mine\"\n"
                 "include \"ptx.cat\"\n"
                 "reading \"stores\" default \"plain stores are performed in order\"\n"
                 "reading \"loads\" default \"plain loads are performed in order\" refuted \"toaster\"\n"
                 "acyclic rf | fr | (if \"stores\" then po & (W * W) else 0) | (if \"loads\" then po & (R * R) else 0) as in-order\n");
    folder.write("mp.litmus", text + "~exists (P1:r0 == 1 /\\ P1:r1 == 0)\n");
    folder.write("ok.litmus", ok_test);
    CHECK(has(shell(folder, "litmus check mp.litmus").out, "\nNo\n"));
    const std::string rests = "Ok by default, No under weakest: rests on stores + loads (refuted on toaster)\n";
    const Run one = shell(folder, "litmus check mp.litmus --model mine.cat");
    CHECK(one.status == 0);
    CHECK(has(one.out, "\n" + rests));
    const Run table = shell(folder, "litmus check mp.litmus ok.litmus --model mine.cat");
    CHECK(has(table.out, "  ok* "));
    CHECK(has(table.out, "\nok* mp.litmus: mp: " + rests));
    CHECK(has(table.out, "2 tests: 2 ok; 1 rests on readings\n"));
    const Json row = json_lines(shell(folder, "litmus check mp.litmus --model mine.cat --format json").out).at(0);
    CHECK(row["depends"].dump() == R"([["stores","loads"]])");
    CHECK(row["rests_on"] == row["depends"]);
    CHECK(row["refuted"].dump() == R"({"loads":["toaster"]})");
    CHECK(row["verdicts"].dump() == R"({"weakest":"no","default":"ok","strongest":"ok"})");
    // Asked without one of them, the verdict rests on none.
    const Run without = shell(folder, "litmus check mp.litmus --model mine.cat --reading -loads");
    CHECK(has(without.out, "\nNo\n"));
    CHECK(has(without.out, "\nReadings No under weakest, Ok by default, Ok under strongest: depends on stores + loads"));
    // What no reading concerns is not said to hold in every reading.
    folder.write("one.litmus", no_test);
    CHECK_FALSE(has(shell(folder, "litmus check one.litmus --model mine.cat").out, "Readings"));
}

TEST_CASE("deadlock and racefree as claims") {
    const Folder folder;
    folder.write("d.litmus", std::string(deadlock_test) + "deadlock\n");
    CHECK(shell(folder, "litmus check d.litmus").status == 0);
    folder.write("r.litmus", std::string(ok_test) + "racefree\n");
    const Run racy = shell(folder, "litmus check r.litmus");
    CHECK(racy.status == 1);
    CHECK(has(racy.out, "No (claims racefree, but has a data race)"));
}

TEST_CASE("usage errors name the nearest option and exit 2") {
    const Folder folder;
    for (const char* command : {"", "chekc x", "check", "check --modle sc ok.litmus", "check --format xml ok.litmus",
                                "check -j 0 ok.litmus", "check --timeout -1 ok.litmus", "check --unroll x ok.litmus",
                                "show --outcome 0 ok.litmus", "fmt --to herd ok.litmus", "fmt -i --check ok.litmus", "--nosuch"}) {
        const Run run = shell(folder, std::string("litmus ") + command);
        INFO(command);
        CHECK(run.status == 2);
        CHECK(run.out.empty());
        CHECK(run.err.rfind("litmus: error: ", 0) == 0);
    }
    CHECK(has(shell(folder, "litmus check --modle sc ok.litmus").err, "did you mean '--model'?"));
    CHECK(has(shell(folder, "litmus chekc ok.litmus").err, "did you mean 'check'?"));
}

TEST_CASE("help is enough to work from") {
    const Folder folder;
    const Run help = shell(folder, "litmus --help");
    CHECK(help.status == 0);
    for (const char* part : {"check", "outcomes", "show", "models", "fmt", "Exit status", "NO_COLOR", "Examples"})
        CHECK(has(help.out, part));
    for (const char* command : {"check", "outcomes", "show", "models", "fmt"}) {
        const Run run = shell(folder, std::string("litmus ") + command + " --help");
        CHECK(run.status == 0);
        CHECK(has(run.out, "Example"));
        CHECK(has(run.out, std::string("litmus ") + command));
    }
    CHECK(shell(folder, "litmus --version").out.rfind("litmus ", 0) == 0);
}

TEST_CASE("show: which execution, and when there is none") {
    const Folder folder;
    CHECK(has(shell(folder, "litmus show ok.litmus").out, "ok: P1:r0=1;"));
    CHECK(has(shell(folder, "litmus show ok.litmus --outcome 1").out, "ok: P1:r0=0;"));
    const Run none = shell(folder, "litmus show ok.litmus --outcome 3");
    CHECK(none.status == 1);
    CHECK(none.out.empty());
    CHECK(has(none.err, "there is no outcome 3 of 2"));
    CHECK(shell(folder, "litmus show unknown.litmus").status == 3);
    CHECK(shell(folder, "litmus show bad.litmus").status == 2);
    CHECK(shell(folder, "litmus show ok.litmus no.litmus").status == 2);
    CHECK(shell(folder, "litmus show ok.litmus no.litmus --test no").status == 0);
    if (shell(folder, "command -v dot").status == 0) {
        const Run drawn = shell(folder, "litmus show ok.litmus --dot | dot -Tsvg");
        CHECK(drawn.err.empty());
        CHECK(has(drawn.out, "</svg>"));
    } else {
        MESSAGE("skipped: there is no `dot` to draw with");
    }
    CHECK(shell(folder, "litmus show ok.litmus --dot --svg").status == 2);
    CHECK(shell(folder, "litmus show ok.litmus --svg --outcome 3").status == 1);
}

// The style sheet, which every picture carries, is left out of the golden files.
TEST_CASE("show --svg: message passing, an mbarrier object, a race") {
    const Folder folder;
    folder.write("mbarrier.litmus", R"(test "copied"
.shared.cta0 .u32 s[4] = 0;
.global .u32 g[4] = {7, 7, 7, 7};
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [bar];
}
thread P1 @ cta0 {
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
  ld.weak.shared::cta.u32 r0, [s];
}
exists (P1:r0 == 7)
)");
    folder.write("message.litmus", R"(test "mp"
.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 {
  st.relaxed.gpu.global.u32 [x], 1;
  st.relaxed.gpu.global.u32 [f], 1;
}
thread P1 @ cta1 {
  ld.relaxed.gpu.global.u32 r0, [f];
  ld.relaxed.gpu.global.u32 r1, [x];
}
exists (P1:r0 == 1 /\ P1:r1 == 0)
)");
    folder.write("two-writes.litmus", R"(test "racy"
.global .u32 x = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
}
thread P1 @ cta1 {
  st.weak.global.u32 [x], 2;
}
racefree
)");
    for (const std::string name : {"message", "mbarrier", "two-writes"}) {
        const Run run = shell(folder, "PATH=/nowhere litmus show " + name + ".litmus --svg | command -p sed '/<style>/,/<.style>/d'");
        CHECK(run.status == 0);
        CHECK(run.err.empty());
        check_golden("show-" + name + ".svg", run.out);
    }
}

TEST_CASE("show: what decides the verdict comes first, and is marked") {
    const Folder folder;
    const Run stuck = shell(folder, "litmus show deadlock.litmus");
    CHECK(stuck.status == 0);
    CHECK(has(stuck.out, "stuck: threads that wait for ever\nP0\n"));
    CHECK(has(stuck.out, "\n  waits for ever: P0:4 barrier.cta.sync 0, 64\n"));
    CHECK(has(shell(folder, "litmus show deadlock.litmus --dot").out, "stays_0 [label=\"waits for ever: P0:4 barrier.cta.sync 0, 64\""));

    const std::string text = R"(test "racy"
.global .u32 x = 0;
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
}
thread P1 @ cta0 {
  ld.weak.global.u32 r0, [x];
}
)";
    folder.write("race.litmus", text);
    const std::string race =
        "racy: race on x\nP0\n  a: W x=1         line 5  <--\nP1\n  b: R x=0 (init)  line 8  <--\nfr:  b->a\nrace:  a<->b\n\n"
        "  fr         from reads: a read to the write that overwrites what it read\n"
        "  race       a data race: nothing orders the two\n";
    const std::string other =
        "racy: race on x\nP0\n  a: W x=1  line 5  <--\nP1\n  b: R x=1  line 8  <--\nrf:  a->b\nrace:  a<->b\n\n"
        "  rf         reads from: a write to the reads that take its value\n"
        "  race       a data race: nothing orders the two\n";
    const std::string shown = shell(folder, "litmus show race.litmus").out;
    CHECK((shown == race || shown == other));
    CHECK(has(shell(folder, "litmus show race.litmus --dot").out, "a -> b [label=\" race \""));
    // A condition that decides comes before a race that is not claimed to be absent.
    folder.write("decided.litmus", text + "exists (P1:r0 == 1)\n");
    CHECK(has(shell(folder, "litmus show decided.litmus").out, "racy: P1:r0=1;\n"));
    folder.write("claimed.litmus", text + "exists (P1:r0 == 1)\nracefree\n");
    CHECK(has(shell(folder, "litmus show claimed.litmus").out, "racy: race on x\n"));
    CHECK(has(shell(folder, "litmus show claimed.litmus --outcome 1").out, "racy: P1:r0=0;\n"));

    std::string undefined = text;
    undefined.insert(undefined.find("  ld.weak"), "  mbarrier.init.shared::cta.b64 [bar], 1;\n");
    folder.write("undefined.litmus", undefined + "exists (P1:r0 == 1)\n");
    const Run broken = shell(folder, "litmus show undefined.litmus");
    CHECK(broken.status == 0);
    CHECK(has(broken.out, "racy: undefined behaviour, "));
    CHECK(has(broken.out, "line 8  <--\n"));
    CHECK(has(broken.out, "\n  P1:8 mbarrier.init.shared::cta.b64 [bar], 1\n"));
    CHECK(has(shell(folder, "litmus show undefined.litmus --dot").out, "color=\"#D00000\" penwidth=2.4"));
}

TEST_CASE("what is written as elsewhere is answered with how it is written here") {
    const Folder folder;
    const auto said = [&](const std::string& body, const std::string& claim = "exists (x == 1)") {
        folder.write("t.litmus", "test \"t\"\n.global .u32 x = 0;\nthread P0 @ cta0 { " + body + " }\n" + claim + "\n");
        const Run run = shell(folder, "litmus check t.litmus");
        CHECK(run.status == 2);
        return run.err;
    };
    for (const auto& [cuda, ptx] : {std::pair("__threadfence()", "`fence.sc.gpu`"), std::pair("__threadfence_block()", "`fence.sc.cta`"),
                                    std::pair("__syncthreads()", "`bar.sync 0`"), std::pair("__syncwarp()", "`bar.warp.sync 0xffffffff`"),
                                    std::pair("atomicAdd(&x, 1)", "`atom.relaxed.gpu.global.add.u32 r0, [x], 1`")})
        CHECK(has(said(std::string(cuda) + ";"), ptx));
    const std::string store = "st.relaxed.gpu.u32 [x], 1;";
    for (const std::string claim :
         {"exists (x == 1 => x == 0)", "forall (x == 1) => (x == 0)", "exists ((x == 1) => x == 0)", "exists (x == 1 -> x == 0)"})
        CHECK(has(said(store, claim), "a condition has no implication\n"));
    CHECK(has(said(store, "exists (x == 1 => x == 0)"), "hint: write `a => b` as `~(a) \\/ b`"));
    // files of other kinds
    folder.write("k.ptx", "//\n// Generated\n//\n.version 9.0\n.target sm_90\n");
    folder.write("k.cu", "#include <cuda.h>\n__global__ void k() {}\n");
    CHECK(has(shell(folder, "litmus check k.ptx").err, "hint: `litmus kernel` judges it"));
    CHECK(has(shell(folder, "litmus check k.cu").err, "hint: `litmus kernel` has nvcc compile it"));
    // outcomes by number and by their values
    CHECK(has(shell(folder, "litmus show ok.litmus --outcome P1:r0=1").err, "`litmus explain --outcome` takes its values"));
    for (const std::string command : {"explain", "repair"})
        CHECK(has(shell(folder, "litmus " + command + " ok.litmus --outcome 1").err, "`litmus show --outcome` takes numbers"));
}

TEST_CASE("fmt prints, checks and rewrites") {
    const Folder folder;
    const Run printed = shell(folder, "litmus fmt ok.litmus");
    CHECK(printed.status == 0);
    folder.write("canonical.litmus", printed.out);
    CHECK(shell(folder, "litmus fmt canonical.litmus").out == printed.out);
    CHECK(shell(folder, "litmus fmt --check canonical.litmus").status == 0);

    folder.write("loose.litmus", "// kept\n\n" + std::string(ok_test) + "\n\n\n");
    const Run loose = shell(folder, "litmus fmt --check loose.litmus canonical.litmus");
    CHECK(loose.status == 1);
    CHECK(loose.out == "loose.litmus\n");
    CHECK(shell(folder, "litmus fmt -i loose.litmus").status == 0);
    CHECK(folder.read("loose.litmus") == "// kept\n" + printed.out);
    CHECK(shell(folder, "litmus fmt --check loose.litmus").status == 0);

    folder.write("target.litmus", std::string(ok_test) + "\n\n\n");
    CHECK(shell(folder, "ln -s target.litmus link.litmus && litmus fmt -i link.litmus && test -L link.litmus").status == 0);
    CHECK(folder.read("target.litmus") == printed.out);  // a link stays a link

    std::string inner = ok_test;
    inner.insert(inner.find("  ld.weak"), "  // would be lost\n");
    folder.write("inner.litmus", inner);
    const Run refused = shell(folder, "litmus fmt -i inner.litmus");
    CHECK(refused.status == 2);
    CHECK(has(refused.err, "inner.litmus:7:3: error: rewriting the file would drop this comment"));
    CHECK(folder.read("inner.litmus") == inner);
    CHECK(shell(folder, "litmus fmt -i - < ok.litmus").status == 2);
    CHECK(shell(folder, "litmus fmt bad.litmus ok.litmus").status == 2);
}

TEST_CASE("fmt converts, and the tests still say the same") {
    const Folder folder;
    for (const char* format : {"native", "column", "braces"}) {
        const Run run = shell(folder, std::string("litmus fmt --to ") + format + " ok.litmus");
        INFO(format << ": " << run.err);
        CHECK(run.status == 0);
        const std::string name = std::string("converted") + (std::string(format) == "braces" ? ".test" : ".litmus");
        folder.write(name, run.out);
        const auto rows = json_lines(shell(folder, "litmus check --format json " + name).out);
        REQUIRE(rows.size() == 1);
        CHECK(rows[0]["claim"]["holds"] == true);
        CHECK(rows[0]["outcomes"].size() == 2);
    }
}

TEST_CASE("goldens") {
    const Folder folder;
    check_golden("check-ok.txt", shell(folder, "litmus check --no-time ok.litmus").out);
    check_golden("check-table.txt", shell(folder, "litmus check --no-time *.litmus surface.test 2>/dev/null").out);
    check_golden("check.jsonl", shell(folder,
                                      "litmus check --no-time --format json --model sc ok.litmus no.litmus missing.litmus 2>/dev/null "
                                      "| sed -E 's/\"(model_hash|key)\":\"[0-9a-f]*\"/\"\\1\":\"\"/g'")
                                    .out);
    check_golden("outcomes.txt", shell(folder, "litmus outcomes ok.litmus no.litmus surface.test").out);
    check_golden("show.txt", shell(folder, "litmus show ok.litmus").out);
    check_golden("show.dot", shell(folder, "litmus show ok.litmus --dot").out);
    check_golden("usage.txt", shell(folder, "litmus chekc; litmus check --modle x; litmus").err);
}
