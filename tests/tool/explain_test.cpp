// `litmus explain` from outside: what it prints, its exit statuses, wrong input.
#include "tool/shell.h"

namespace {

const char* const fenced_mp = R"(test "mp-fenced"
.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
  fence.acq_rel.gpu;
  st.relaxed.gpu.global.u32 [f], 1;
}
thread P1 @ cta1 {
  ld.relaxed.gpu.global.u32 r0, [f];
  fence.acq_rel.gpu;
  ld.weak.global.u32 r1, [x];
}
~exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

const char* const narrow = R"(test "mp-narrow"
.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
  st.release.cta.global.u32 [f], 1;
}
thread P1 @ cta1 {
  ld.acquire.gpu.global.u32 r0, [f];
  ld.weak.global.u32 r1, [x];
}
~exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

const char* const lost = R"(test "lost-update"
.global .u32 x = 0;
thread P0 @ cta0 {
  atom.add.relaxed.gpu.global.u32 r0, [x], 1;
}
thread P1 @ cta1 {
  atom.add.relaxed.gpu.global.u32 r0, [x], 1;
}
forall (x == 2)
)";

const char* const copied = R"(test "copied"
.global .u32 g[4] = 0;
.shared.cta0 .u32 s[4] = 0;
thread P0 @ cta0 {
  st.weak.shared::cta.u32 [s], 1;
  bar.sync 0;
}
thread P1 @ cta0 {
  bar.sync 0;
  fence.proxy.async.shared::cta;
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ld.weak.global.u32 r0, [g];
}
~exists (P1:r0 == 0)
)";

const char* const in_flight = R"(test "in-flight"
.global .u32 g[4] = 1;
.shared.cta0 .u32 s[4] = 0;
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [bar];
  ld.weak.shared::cta.u32 r0, [s];
}
)";

// A barrier would repair it, at more places than a search tries.
std::string crowded() {
    std::string text = "test \"crowded\"\n.shared.cta0 .u32 s = 0;\n";
    for (const std::string thread : {"P0", "P1", "P2", "P3"}) {
        text += "thread " + thread + " @ cta0 {\n";
        for (const char* r : {"r0", "r1", "r2", "r3"}) text += std::string("  ld.weak.shared::cta.u32 ") + r + ", [s];\n";
        text += thread == "P0" ? "  st.weak.shared::cta.u32 [s], 1;\n}\n" : "}\n";
    }
    return text + "~exists (P1:r0 == 0)\n";
}

class ExplainedFolder : public TemporaryFolder {
public:
    ExplainedFolder() {
        write("fenced.litmus", fenced_mp);
        write("narrow.litmus", narrow);
        write("lost.litmus", lost);
        write("crowded.litmus", crowded());
        write("copied.litmus", copied);
        write("undefined.litmus", in_flight);
        write("bad.litmus", "test \"bad\"\nthread");
    }
};

}  // namespace

TEST_CASE("why an outcome cannot happen") {
    const ExplainedFolder folder;
    const Run run = shell(folder, "litmus explain fenced.litmus && litmus explain lost.litmus && litmus explain copied.litmus");
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    check_golden("explain-forbidden.txt", run.out);
}

TEST_CASE("how an outcome can happen, and what is undefined") {
    const ExplainedFolder folder;
    const Run run = shell(folder,
                          "litmus explain narrow.litmus && litmus explain undefined.litmus && "
                          "litmus explain fenced.litmus --outcome 'P1:r0=0'");
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    check_golden("explain-shown.txt", run.out);
}

TEST_CASE("JSON is one object with every key") {
    const ExplainedFolder folder;
    const Run run = shell(folder,
                          "litmus explain fenced.litmus --format json; litmus explain narrow.litmus --format json; "
                          "litmus explain fenced.litmus --outcome 'x=9' --format json");
    const std::vector<Json> objects = json_lines(run.out);
    REQUIRE(objects.size() == 3);
    std::vector<std::string> keys;
    for (const auto& item : objects[0].items()) keys.push_back(item.key());
    CHECK(keys == std::vector<std::string>{"file", "test", "model", "model_hash", "question", "verdict", "answer", "cases", "complete",
                                           "decided", "because", "execution", "readings", "missing", "otherwise"});
    CHECK(objects[0]["answer"] == "forbidden");
    const Json& way = objects[0]["cases"][0]["ways"][0];
    CHECK(way["axiom"] == "causality");
    CHECK(way["section"] == "8.10.6");
    const Json& order = way["story"][1];
    CHECK(order["relation"] == "cause");
    CHECK(order["from"] == "P0:5 st.weak.global.u32 [x], 1");
    CHECK(order["because"].size() > 2);
    CHECK(objects[1]["answer"] == "shown");
    CHECK(objects[1]["verdict"] == "no");
    CHECK(objects[1]["execution"].size() > 5);
    REQUIRE(objects[1]["missing"].size() == 1);
    CHECK(objects[1]["missing"][0]["kind"] == "scope-too-narrow");
    CHECK(objects[1]["missing"][0]["place"] == "P0");
    CHECK(objects[1]["missing"][0]["line"] == 6);
    CHECK(objects[0]["missing"].is_null());
    CHECK(objects[2]["answer"] == "impossible");
    CHECK(objects[2]["verdict"].is_null());
}

TEST_CASE("an outcome of one's own") {
    const ExplainedFolder folder;
    const auto said = [&](const std::string& outcome, const std::string& more = "") {
        return shell(folder, "litmus explain fenced.litmus --outcome '" + outcome + "' " + more);
    };
    CHECK(has(said("P1:r0=1; P1:r1=0;").out, "It would break causality (ISA 8.10.6)"));
    CHECK(has(said("P1:r0=1 /\\ ~(P1:r1=1)").out, "P1:r0=1; P1:r1=0; cannot happen"));
    CHECK(has(said("false").out, "The condition names no register and no location, and is false whatever happens."));
    CHECK(has(said("P1:r0=1; P1:r1=0", "--model sc").out, "sequential-consistency"));
    CHECK(has(said("P1:r0=5").out, "P1:r0 ends as 0 or 1"));
    CHECK(has(said("P1:r0=0").out, "P1:r0=0;"));
    CHECK(said("P1:r0=0").status == 0);
}

TEST_CASE("a check that fails ends with what is missing") {
    const ExplainedFolder folder;
    const Run one = shell(folder, "litmus check narrow.litmus --no-time");
    CHECK(one.status == 1);
    const std::vector<std::string> said = lines(one.out);
    REQUIRE(said.size() > 2);
    CHECK(said[said.size() - 2] == "missing: scope-too-narrow: P0 line 6: make it `st.release.gpu.global.u32`");
    CHECK(said[said.size() - 1] == "`litmus repair narrow.litmus` has the patch");
    CHECK_FALSE(has(shell(folder, "litmus check fenced.litmus").out, "missing"));
    CHECK_FALSE(has(shell(folder, "litmus check fenced.litmus narrow.litmus").out, "missing"));
    CHECK_FALSE(has(shell(folder, "litmus check narrow.litmus --timeout 0.0001").out, "missing"));
    const std::vector<std::string> crowded = lines(shell(folder, "litmus check crowded.litmus --no-time").out);
    REQUIRE(!crowded.empty());
    CHECK(crowded.back() == "missing: a short search found nothing; `litmus repair crowded.litmus` searches on");
    const Run asked = shell(folder, "litmus explain fenced.litmus --outcome 'P1:r1=1; P1:r0=1'");
    CHECK_FALSE(has(asked.out, "has the patch"));
}

TEST_CASE("a command that is advised can be copied into a shell, and asks the same") {
    const ExplainedFolder folder;
    const auto advised = [](const std::string& text) {  // the last that stands in backquotes
        const size_t begin = text.find("`litmus "), end = text.find('`', begin + 1);
        return begin == std::string::npos ? std::string() : text.substr(begin + 1, end - begin - 1);
    };
    for (const std::string name :
         {"my test.litmus", "q'$(touch owned)\"<b>.litmus", "-t.litmus", "new\nline.litmus", "esc\x1b[31m\\.litmus"}) {
        fs::copy_file(folder.at("narrow.litmus"), folder.at(name));
        for (const std::string asked : {"check", "explain"}) {
            folder.write("name", name);
            const Run run = shell(folder, "name=$(cat name; echo x); litmus " + asked + " --unroll 3 --model ptx-7.5 \"./${name%x}\"");
            const std::string advice = advised(run.out);
            INFO(run.out << run.err << advice);
            CHECK(advice.rfind("litmus repair --model ptx-7.5 --unroll 3 ", 0) == 0);
            const Run done = shell(folder, advice);
            CHECK(done.status == 0);
            CHECK(has(done.out, "st.release.gpu.global.u32"));
            CHECK_FALSE(fs::exists(folder.at("owned")));
        }
    }
    CHECK(advised(shell(folder, "litmus check -- -t.litmus").out) == "litmus repair ./-t.litmus");
    // what fails under these readings alone is repaired under them
    fs::copy_file(LITMUS_SOURCE_DIR "/litmus/readings/async-home.litmus", folder.at("reading.litmus"));
    const std::string weakest = advised(shell(folder, "litmus check --reading weakest reading.litmus").out);
    CHECK(weakest == "litmus repair --reading weakest reading.litmus");
    // a race that is no claim is one with --strict alone
    folder.write(
        "race.litmus",
        "test \"race\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.weak.u32 [x], 1; }\nthread P1 @ cta1 { st.weak.u32 [x], 2; }\n");
    CHECK(advised(shell(folder, "litmus check --strict race.litmus").out) == "litmus repair --strict race.litmus");
    CHECK(shell(folder, "litmus repair --strict race.litmus").status == 0);
    // what is no file has no command
    for (const std::string input :
         {"/dev/stdin < narrow.litmus", "- < narrow.litmus", "<(cat narrow.litmus)", "/proc/self/fd/0 < narrow.litmus"}) {
        const Run run = shell(folder, "litmus check " + input);
        INFO(input << "\n" << run.out);
        CHECK(has(run.out, "missing: scope-too-narrow"));
        CHECK(advised(run.out).empty());
    }
}

TEST_CASE("what is asked for wrongly") {
    const ExplainedFolder folder;
    const auto fails = [&](const std::string& arguments, const std::string& message, const std::string& hint = {}) {
        const Run run = shell(folder, "litmus explain " + arguments);
        INFO(arguments, ": ", run.err);
        CHECK(run.status == 2);
        CHECK(run.out.empty());
        CHECK(has(run.err, message));
        CHECK(has(run.err, hint));
    };
    fails("fenced.litmus --outcome 'P1:r9=0'", "nothing writes the register P1:r9", "an outcome gives values to P1:r0, P1:r1, x, f");
    fails("fenced.litmus --outcome 'P7:r0=0'", "--outcome:1:1: error: there is no thread `P7`");
    fails("fenced.litmus --outcome 'P1:r0'", "expected a comparison");
    fails("fenced.litmus --test nosuch", "there is no test 'nosuch'");
    fails("fenced.litmus narrow.litmus", "there are several tests", "--test 'mp-fenced'");
    fails("fenced.litmus --model nosuch", "nosuch");
    fails("fenced.litmus --reading nosuch", "no reading");
    fails("fenced.litmus --dot --svg", "--svg");
    fails("bad.litmus", "bad.litmus:2:7");
    fails("", "no test is named");
    fails("fenced.litmus --max-outcomes 0", "'0' is not a number of outcomes");
}

TEST_CASE("drawings") {
    const ExplainedFolder folder;
    const Run graph = shell(folder, "litmus explain fenced.litmus --dot");
    CHECK(graph.status == 0);
    check_golden("explain.dot", graph.out);
    const Run nothing = shell(folder, "litmus explain fenced.litmus --outcome x=9 --dot");
    CHECK(nothing.status == 1);
    CHECK(has(nothing.err, "there is no execution to draw"));
    // without Graphviz, whose `dot` is called by nobody
    const Run drawn = shell(folder, "PATH=/nowhere litmus explain fenced.litmus --svg");
    CHECK(drawn.status == 0);
    CHECK(has(drawn.out, "Forbidden by causality (ISA 8.10.6)"));
    CHECK(has(drawn.out, "class=\"edge fr strong\""));
    CHECK(shell(folder, "litmus explain fenced.litmus --outcome x=9 --svg").status == 1);
}

TEST_CASE("an answer that the time was not enough for is marked") {
    const ExplainedFolder folder;
    const std::string large = "'" LITMUS_SOURCE_DIR "/litmus/async/pipelines/p4-cluster-reductions.litmus'";
    const Run run = shell(folder, "litmus explain " + large + " --timeout 0.05");
    CHECK(run.status == 3);
    CHECK(has(run.out + run.err, "within the time limit"));
}
