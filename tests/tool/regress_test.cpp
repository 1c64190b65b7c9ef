// `litmus regress` from outside: a baseline beside tests, and everything that can change.
#include "tool/shell.h"

namespace {

std::string message_passing(const std::string& store, const std::string& load) {
    return "test \"mp\"\n.global .u32 x = 0;\n.global .u32 flag = 0;\nthread P0 @ cta0 { st.relaxed.gpu.u32 [x], 1; " + store +
           ".gpu.u32 [flag], 1; }\nthread P1 @ cta1 { " + load + ".gpu.u32 r0, [flag]; ld.relaxed.gpu.u32 r1, [x]; }\n" +
           "~exists (P1:r0 == 1 /\\ P1:r1 == 0)\n";
}

const char* const one =
    "test \"one\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.relaxed.gpu.u32 [x], 1; ld.relaxed.gpu.u32 r0, [x]; }\nexists (P0:r0 == 1)\n";

// Two tests with their baseline.
class BaselineFolder : public TemporaryFolder {
public:
    BaselineFolder() {
        write("t/mp.litmus", message_passing("st.release", "ld.acquire"));
        write("t/sub/one.litmus", one);
        REQUIRE(shell(*this, "litmus regress t --promote").status == 0);
    }
};

}  // namespace

TEST_CASE("nothing changed, wherever the tool is run and whatever the files are called from there") {
    const BaselineFolder folder;
    const Run run = shell(folder, "litmus regress t");
    CHECK(run.status == 0);
    CHECK(run.out == "2 tests: 2 unchanged\n");
    CHECK(run.err.empty());
    const std::string baseline = folder.read("t/litmus.baseline");
    CHECK(shell(folder, "cd t/sub && litmus regress ..").status == 0);
    CHECK(shell(folder, "litmus regress \"$PWD/t\" --baseline t/../t/litmus.baseline").status == 0);
    CHECK(shell(folder, "litmus regress t/sub/one.litmus t/mp.litmus --baseline t/litmus.baseline --promote").status == 0);
    CHECK(folder.read("t/litmus.baseline") == baseline);
    CHECK(has(baseline, "\nmp.litmus mp fnv1a-"));
    CHECK(has(baseline, " ok {P0:r0=1}\n"));
    for (const Json& line : json_lines(shell(folder, "litmus regress t --format json").out)) {
        CHECK(line["change"] == "unchanged");
        CHECK(line["cause"].empty());
    }
}

TEST_CASE("outcomes come and go") {
    const BaselineFolder folder;
    folder.write("t/mp.litmus", message_passing("st.relaxed", "ld.acquire"));
    const Run wider = shell(folder, "litmus regress t");
    CHECK(wider.status == 1);
    CHECK(wider.out ==
          "widened    t/mp.litmus: the test changed\n"
          "    new outcome {P1:r0=1 P1:r1=0}\n"
          "    verdict ok -> no\n"
          "2 tests: 1 unchanged, 1 widened\n");
    CHECK(shell(folder, "litmus regress t --promote").status == 0);
    CHECK(shell(folder, "litmus regress t").status == 0);
    folder.write("t/mp.litmus", message_passing("st.release", "ld.acquire"));
    const Json narrower = json_lines(shell(folder, "litmus regress t --format json").out)[0];
    CHECK(narrower["change"] == "narrowed");
    CHECK(narrower["gone_outcomes"] == Json::parse(R"(["P1:r0=1 P1:r1=0"])"));
    CHECK(narrower["verdict"].dump() == R"({"before":"no","now":"ok"})");
    // What is only said otherwise changes nothing; that the test changed is noted.
    folder.write("t/mp.litmus", "// a comment\n" + message_passing("st.relaxed", "ld.acquire"));
    CHECK(shell(folder, "litmus regress t").out == "2 tests: 2 unchanged\n");
    std::string edited = one;
    edited.insert(edited.find("ld."), "fence.sc.gpu; ");
    folder.write("t/sub/one.litmus", edited);
    const Run same = shell(folder, "litmus regress t");
    CHECK(same.status == 0);
    CHECK(has(same.out, "edited     t/sub/one.litmus: the test changed, what it comes to did not\n"));
}

TEST_CASE("the model, the readings, the options") {
    const BaselineFolder folder;
    const Run other = shell(folder, "litmus regress t --model sc");
    CHECK(has(other.out, "Since the baseline: model ptx "));
    CHECK(other.status == 0);  // these tests come to the same
    folder.write("weak.cat", "\"weak\"\nacyclic po-loc | rf | co as coherence\n");
    const Run weak = shell(folder, "litmus regress t --model weak.cat");
    CHECK(weak.status == 1);
    CHECK(has(weak.out, "widened    t/mp.litmus: the model and the readings changed\n"));
    CHECK(has(shell(folder, "litmus regress t --reading weakest").out, "Since the baseline: readings default: "));
    CHECK(has(shell(folder, "litmus regress t --all-state").out, "changed    t/mp.litmus: the options changed"));
    // A baseline of an older tool, and one that another build of this one disagrees with.
    CHECK(has(shell(folder, "sed -i 's/^tool .*/tool older/; s/ ok {P0:r0=1}/ ok {P0:r0=2}/' t/litmus.baseline; litmus regress t").out,
              "changed    t/sub/one.litmus: the tool changed\n    new outcome {P0:r0=1}\n    gone outcome {P0:r0=2}\n"));
}

TEST_CASE("tests come, go and move") {
    const BaselineFolder folder;
    folder.write("t/new.litmus", "test \"new\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.relaxed.gpu.u32 [x], 3; }\nexists (x == 3)\n");
    const Run run = shell(folder, "mv t/sub/one.litmus t/moved.litmus; rm t/mp.litmus; litmus regress t");
    CHECK(run.status == 1);
    CHECK(run.out ==
          "moved      t/moved.litmus: one: the test was in sub/one.litmus\n"
          "new        t/new.litmus: the test is not in the baseline\n"
          "missing    t/mp.litmus: the test is in line 7 of the baseline, and no longer here\n"
          "3 tests: 1 new, 1 missing, 1 moved\n");
    CHECK(shell(folder, "litmus regress t --promote > /dev/null; litmus regress t").status == 0);
}

TEST_CASE("a baseline that is not there, is none, or has a test twice") {
    const BaselineFolder folder;
    const auto complaint = [&](const std::string& command) {
        const Run run = shell(folder, command);
        CHECK(run.status == 2);
        CHECK(run.out.empty());
        return run.err;
    };
    CHECK(has(complaint("litmus regress t --baseline missing"), "there is no baseline 'missing'"));
    CHECK(has(complaint("echo hello > b; litmus regress t --baseline b"), "b:1:1: error: this is no baseline"));
    CHECK(has(complaint("echo hello > b; litmus regress t --baseline b --promote; exit $?"), "b:1:1: error: this is no baseline"));
    CHECK(has(complaint("cp t/litmus.baseline b; tail -1 b >> b; litmus regress t --baseline b"),
              "is twice in the baseline, first in line 8"));
    CHECK(has(complaint("litmus regress - < t/mp.litmus"), "no baseline is named"));
    CHECK(has(complaint("litmus regress t --promote --shard 1/2"), "a shard cannot be promoted"));
}

TEST_CASE("what is wrong or not decided is no pass, and is not promoted") {
    const BaselineFolder folder;
    const std::string baseline = folder.read("t/litmus.baseline");
    const Run slow = shell(folder, "litmus regress t --timeout 0.000001");
    CHECK(slow.status == 3);
    CHECK(has(slow.out, "undecided  t/mp.litmus: not decided within the time limit"));
    CHECK(shell(folder, "litmus regress t --timeout 0.000001 --promote").status == 3);
    CHECK(folder.read("t/litmus.baseline") == baseline);
    folder.write("t/bad.litmus", "test \"bad\"\nthread P0 @ cta0 { st.weeak.u32 [x], 1; }\n");
    const Run bad = shell(folder, "litmus regress t");
    CHECK(bad.status == 2);
    CHECK(has(bad.err, "t/bad.litmus:2:"));
    CHECK(shell(folder, "litmus regress t --promote").status == 2);
    CHECK(folder.read("t/litmus.baseline") == baseline);
}

TEST_CASE("formats, shards, and results that are there") {
    const BaselineFolder folder;
    shell(folder, "litmus check t --format json > r.jsonl");
    CHECK(shell(folder, "litmus regress t --resume r.jsonl").out == "2 tests: 2 unchanged\n");
    folder.write("t/mp.litmus", message_passing("st.relaxed", "ld.acquire"));
    CHECK(has(shell(folder, "litmus regress t --format github").out,
              "::error file=t/mp.litmus,line=6,col=1,endColumn=35,title=litmus%3A widened::mp: the test changed; new outcome {P1:r0=1 "
              "P1:r1=0}; verdict ok -> no\n"));
    const Json sarif = Json::parse(shell(folder, "litmus regress t --format sarif").out);
    CHECK(sarif["runs"][0]["results"][0]["ruleId"] == "widened");
    CHECK(has(shell(folder, "litmus regress t --format junit").out, "<failure message=\"the test changed; new outcome"));
    // Each test is some shard's, a missing one too, and no other's.
    shell(folder, "rm t/sub/one.litmus");
    std::string parts;
    for (const char* shard : {"1/3", "2/3", "3/3"})
        parts += shell(folder, std::string("litmus regress t --format json --shard ") + shard).out;
    CHECK(lines(parts).size() == 2);
}

TEST_CASE("what a stranger's baseline says acts on nobody, whatever the output") {
    const BaselineFolder folder;
    // in each part of the text that is shown: the heads, the name of a file that is gone, an outcome, a hazard
    const std::string act = "\x1b]0;x\x07\x1b[2J\xe2\x80\xae";
    const std::string mine = folder.read("t/litmus.baseline");
    const size_t entries = mine.find("\n\n") + 2;
    folder.write("t/litmus.baseline", "# litmus baseline 1\ntool 0" + act + "\nmodel m" + act + "\nreadings r" + act + "\noptions o" + act +
                                          "\n\nmp.litmus mp fnv1a-0000000000000000 no hazard=\"\\u001b[2J\\u202e\" {x=" + act +
                                          "}\n\"gone\\u001b[2J\\u202e.litmus\" \"\\u001b[2J\" fnv1a-0000000000000001 ok\n" +
                                          lines(mine.substr(entries)).at(1) + "\n");
    for (const std::string format : {"text", "json", "junit", "sarif", "github"}) {
        const Run run = shell(folder, "litmus regress t --format " + format);
        INFO(format << "\n" << run.out << run.err);
        CHECK(run.status == 1);
        CHECK(has(run.out, "gone"));
        for (const char* part : {"\x1b", "\x07", "\xe2\x80\xae"}) CHECK_FALSE(has(run.out + run.err, part));
    }
    CHECK(has(shell(folder, "litmus regress t").out, "Since the baseline: readings r\\x1b]0;x\\x07\\x1b[2J\\u202e -> default: "));
}
