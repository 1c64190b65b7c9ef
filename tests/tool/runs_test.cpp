// Runs over many files, from outside: parts and their merging, resuming, the cache, formats for other tools.
#include <algorithm>
#include <cstdint>
#include <iomanip>
#include <set>
#include <sstream>

#include "print/cases.h"
#include "tool/shell.h"

namespace {

std::vector<std::string> all_formats() {
    std::vector<std::string> names = {"text", "json"};
    for (const litmus::CaseFormat& each : litmus::case_formats()) names.emplace_back(each.name);
    return names;
}

// A store and a load; `claim` is true of one execution.
std::string test_text(const std::string& name, const std::string& more = "", const std::string& claim = "exists (P1:r0 == 1)") {
    return "test \"" + name + "\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.relaxed.gpu.u32 [x], 1; " + more +
           "}\nthread P1 @ cta1 { ld.relaxed.gpu.u32 r0, [x]; }\n" + claim + "\n";
}

// Tests of every kind: claims that hold and fail, a hang, a race, no test, a warning, several tests in a file, nothing decided.
class MixedFolder : public TemporaryFolder {
public:
    explicit MixedFolder(int many = 12) {
        for (int i = 0; i < many; ++i)
            write("t/a" + std::to_string(i) + ".litmus", test_text("a" + std::to_string(i), i % 3 ? "" : "fence.sc.gpu; "));
        write("t/no.litmus", test_text("no", "", "~exists (P1:r0 == 1)"));
        write("t/stuck.litmus", test_text("stuck", "barrier.cta.sync 0, 64; "));
        write("t/race.litmus", test_text("race", "st.weak.u32 [x], 2; ") + "racefree\n");
        write("t/bad.litmus", "test \"bad\"\nthread P0 @ cta0 { st.weeak.u32 [x], 1; }\n");
        write("t/rows.test",
              ".global x;\n.surfref s virtually aliases x;\nd0.b0.t0 { st [x], 1; suld r0, [s]; }\n"
              "permit (r0 == 0) as old;\npermit (r0 == 1) as new;\n");
        write("t/sub/loops.litmus",
              "test \"loops\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\nagain:\n  atom.add.relaxed.gpu.global.u32 r0, [x], 1;\n"
              "  setp.ne.u32 p, r0, 5;\n  @p bra again;\n}\nexists (P0:r0 == 5)\n");
    }
};

const char* const whole = "litmus check t --no-time --format json";

}  // namespace

TEST_CASE("the parts of a run are merged into what the whole run prints, in every format") {
    const MixedFolder folder;
    REQUIRE(shell(folder, std::string(whole) + " > whole.jsonl; for i in 1 2 3 4 5; do " + whole + " --shard $i/5 > part-$i.jsonl; done")
                .status < 4);
    const std::string all = folder.read("whole.jsonl");
    std::set<std::string> files;
    size_t most = 0, count = 0;
    for (int i = 1; i <= 5; ++i) {
        const std::vector<std::string> part = lines(folder.read("part-" + std::to_string(i) + ".jsonl"));
        most = std::max(most, part.size());
        count += part.size();
    }
    CHECK(count == lines(all).size());
    CHECK(most < count / 2 + 2);
    const Run merged = shell(folder, "litmus merge part-*.jsonl --format json");
    CHECK(merged.out == all);
    CHECK(merged.status == 2);  // of the file that is no test
    for (const std::string& format : all_formats()) {
        const Run one = shell(folder, "litmus check t --no-time --format " + format);
        const Run parts = shell(folder, "litmus merge part-5.jsonl part-[1-4].jsonl --no-time --format " + format);
        CHECK_MESSAGE(one.out == parts.out, format);
        CHECK(one.status == parts.status);
    }
    // A file stays in its part when others come.
    folder.write("t/another.litmus", test_text("another"));
    const std::vector<Json> again = json_lines(shell(folder, std::string(whole) + " --shard 3/5").out);
    for (const Json& line : json_lines(folder.read("part-3.jsonl")))
        CHECK(std::any_of(again.begin(), again.end(), [&](const Json& l) { return l["file"] == line["file"]; }));
}

TEST_CASE("parts that do not make one run") {
    const MixedFolder folder;
    shell(folder, std::string("for i in 1 2 3; do ") + whole + " --shard $i/3 > $i.jsonl; done");
    const auto complaint = [&](const std::string& command) {
        const Run run = shell(folder, command);
        CHECK(run.status == 2);
        CHECK(run.out.empty());
        return run.err;
    };
    CHECK(has(complaint("litmus merge 1.jsonl 3.jsonl"), "no part has the result of file"));
    CHECK(has(complaint("litmus merge 1.jsonl 2.jsonl 3.jsonl 1.jsonl"), "1.jsonl:1 and 1.jsonl:1 are the same result"));
    CHECK(has(complaint("sed -i '$d' 2.jsonl; litmus merge ?.jsonl"), "no part has the result of file"));
    CHECK(has(complaint("printf '{' >> 1.jsonl; litmus merge ?.jsonl"), "the line is torn"));
    CHECK(has(complaint("echo hello > 1.jsonl; litmus merge ?.jsonl"), "1.jsonl:1: this is no result"));
    CHECK(has(complaint(std::string(whole) + " > whole.jsonl; litmus merge whole.jsonl"), "whole.jsonl:1: this is no result of a part"));
    CHECK(
        has(complaint(std::string(whole) + " --unroll 3 --shard 1/3 > 1.jsonl; " + whole + " --shard 2/3 > 2.jsonl; litmus merge ?.jsonl"),
            "are results of different runs"));
    CHECK(has(complaint("litmus merge missing.jsonl"), "cannot read 'missing.jsonl'"));
    // all shards are dead
    CHECK(has(complaint("true > a.jsonl; true > b.jsonl; litmus merge a.jsonl b.jsonl"), "no part has a result"));
    for (const std::string& format : all_formats())
        CHECK(has(complaint("litmus merge a.jsonl --format " + format), "no part has a result"));
    CHECK(has(complaint("litmus check t --shard 0/3"), "'0/3' is not I/N"));
    CHECK(has(complaint("litmus check t --shard 4/3"), "'4/3' is not I/N"));
}

TEST_CASE("what build systems set in the environment") {
    const MixedFolder folder;
    const std::string asked = shell(folder, std::string(whole) + " --shard 2/3").out;
    const Run run =
        shell(folder,
              std::string("export TEST_TOTAL_SHARDS=3 TEST_SHARD_INDEX=1 TEST_SHARD_STATUS_FILE=status XML_OUTPUT_FILE=out.xml\n") + whole);
    CHECK(run.out == asked);
    CHECK(fs::exists(folder.path() / "status"));
    CHECK(folder.read("out.xml") == shell(folder, "litmus check t --no-time --shard 2/3 --format junit").out);
    // What the command says goes before; the only part of a run is a part all the same, so that `merge` can tell whether it is all there.
    const std::string only = std::string("export TEST_TOTAL_SHARDS=3 TEST_SHARD_INDEX=1\n") + whole + " --shard 1/1 > 1.jsonl\n";
    CHECK(shell(folder, only + "litmus merge 1.jsonl --no-time --format json").out == shell(folder, whole).out);
    CHECK(has(shell(folder, only + "sed -i '$d' 1.jsonl; litmus merge 1.jsonl").err, "no part has the result of file"));
    CHECK(has(shell(folder, std::string("export TEST_TOTAL_SHARDS=3 TEST_SHARD_INDEX=3\n") + whole).err,
              "TEST_SHARD_INDEX='3', which is no number of a shard"));
    CHECK(shell(folder, "export TEST_TOTAL_SHARDS=1000 TEST_SHARD_INDEX=999\nlitmus check t/no.litmus").status == 0);  // nothing to do
}

TEST_CASE("a run that was killed goes on where it was") {
    const MixedFolder folder(150);
    const std::string all = shell(folder, whole).out;
    // Killed as soon as some lines are there: twice, then to its end.
    for (const char* lines_wanted : {"20", "60"})
        shell(folder, std::string("'" LITMUS_EXE "' check t --no-time --format json -j 2 --resume r.jsonl > /dev/null 2>&1 & pid=$!\n"
                                  "until [ \"$(cat r.jsonl 2>/dev/null | wc -l)\" -ge ") +
                          lines_wanted +
                          " ] || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done\n"
                          "kill -9 $pid; wait $pid 2>/dev/null");
    const std::string left = folder.read("r.jsonl");
    CHECK(lines(left).size() >= 20);
    CHECK(lines(left).size() < lines(all).size());
    CHECK(all.rfind(left.substr(0, left.rfind('\n') + 1), 0) == 0);  // a beginning of the whole
    // Torn in the middle of a line, too.
    folder.write("r.jsonl", left.substr(0, left.rfind('\n', left.size() - 2) + 9));
    const Run resumed = shell(folder, std::string(whole) + " --resume r.jsonl");
    CHECK(has(resumed.err, "the last line of 'r.jsonl' is torn: it is dropped"));
    CHECK(resumed.out == all);
    CHECK(folder.read("r.jsonl") == all);
    // All is known: nothing is added, and the text is that of a run.
    CHECK(shell(folder, "litmus check t --no-time --resume r.jsonl").out == shell(folder, "litmus check t --no-time").out);
    CHECK(folder.read("r.jsonl") == all);
    // What `check` printed serves as well, and what goes to the same file is written once.
    folder.write("s.jsonl", all.substr(0, all.size() / 2));
    shell(folder, std::string(whole) + " --resume s.jsonl >> s.jsonl");
    CHECK(folder.read("s.jsonl") == all);
    CHECK(has(shell(folder, "litmus check t --resume s.jsonl >> s.jsonl").err, "the file to resume from"));
}

TEST_CASE("results that were cut short are asked again when a run goes on") {
    const MixedFolder folder;
    shell(folder, std::string(whole) + " --timeout 0.000001 --resume r.jsonl");
    REQUIRE(has(folder.read("r.jsonl"), "\"partial\":true"));
    const std::string all = shell(folder, whole).out;
    CHECK(shell(folder, std::string(whole) + " --resume r.jsonl").out == all);
    CHECK(folder.read("r.jsonl") == all);
    // of some only, in the middle of the file, which is then gone on with
    shell(folder,
          "litmus check t --no-time --format json --timeout 0.000001 > cut.jsonl; { head -3 r.jsonl; sed -n 4,6p cut.jsonl; } > s.jsonl");
    CHECK(shell(folder, std::string(whole) + " --resume s.jsonl").out == all);
    CHECK(folder.read("s.jsonl") == all);
}

TEST_CASE("what was asked again is kept when the run that asked ends early, too") {
    const MixedFolder folder(150);
    shell(folder, "litmus check t --format json --timeout 0.000001 > cut.jsonl; litmus check t --format json > all.jsonl");
    // in the middle of the file are some that were not cut
    shell(folder, "{ sed -n 1,40p cut.jsonl; sed -n 41,60p all.jsonl; sed -n 61,120p cut.jsonl; } > r.jsonl; chmod 640 r.jsonl");
    const std::string before = folder.read("r.jsonl");
    REQUIRE(lines(before).size() == 120);
    std::string kept;
    for (const size_t kibibytes : {20, 50}) {
        // ended by a file that may not grow, in the middle of a line
        const Run ended =
            shell(folder, "(ulimit -f " + std::to_string(kibibytes) + "; litmus check t --format json -j 2 --resume r.jsonl 2>&1) | cat");
        CHECK(has(ended.out, "cannot write to "));
        CHECK(folder.read("r.jsonl") == before);
        const std::string now = folder.read("r.jsonl.again");
        CHECK(now.size() == kibibytes << 10);
        CHECK(now.rfind(kept, 0) == 0);  // with its times: nothing of it was asked again
        kept = now.substr(0, now.rfind('\n') + 1);
        CHECK(lines(kept).size() >= kibibytes / 4);
        CHECK_FALSE(has(kept, "\"partial\":true"));
    }
    const Run run = shell(folder, "litmus check t --format json --resume r.jsonl");
    CHECK(run.out == folder.read("r.jsonl"));
    CHECK(run.out.rfind(kept, 0) == 0);
    CHECK(lines(run.out)[50] == lines(before)[50]);
    CHECK(lines(run.out).size() == lines(folder.read("all.jsonl")).size());
    CHECK(shell(folder, "grep -c '\"partial\":true' r.jsonl").out == "1\n");  // the one that more time does not help
    CHECK(shell(folder, "ls | grep again; stat -c %a r.jsonl").out == "640\n");
    // what is beside is of another run: nothing is lost
    shell(folder, "cp cut.jsonl r.jsonl; litmus check t --format json --unroll 3 > r.jsonl.again");
    CHECK(has(shell(folder, "litmus check t --resume r.jsonl").err, "cannot resume from 'r.jsonl.again', line 1: that is not the answer"));
    CHECK(folder.read("r.jsonl") == folder.read("cut.jsonl"));
    // nor is anything begun for a file of another run
    shell(folder, "rm r.jsonl.again; litmus check t --unroll 5 --resume r.jsonl");
    CHECK_FALSE(fs::exists(folder.at("r.jsonl.again")));
}

TEST_CASE("a file that holds no results is left as it is") {
    const TemporaryFolder folder;
    folder.write("good.litmus", test_text("good"));
    shell(folder, "litmus check good.litmus --format json > result");
    const std::string result = folder.read("result"), binary = std::string("\0\xff\1", 3);
    std::string bytes;
    while (bytes.size() < 5000) bytes += binary;
    for (const std::string& text :
         {std::string("not a newline"), std::string("my thesis\nits last line"), bytes, result + "my notes", "notes\n" + result + "{\"file",
          std::string("{\"file\":\"report.txt\",\"pages\":12}"), std::string("{\"files\":"), std::string("\n\n{")}) {
        folder.write("mine", text);
        const Run run = shell(folder, "litmus check good.litmus --format json --resume mine");
        INFO(text << "\n" << run.err);
        CHECK(run.status == 2);
        CHECK(has(run.err, "cannot resume from 'mine': line "));
        CHECK(folder.read("mine") == text);
    }
    // one that begins like a result is one that was torn
    for (const size_t size : {size_t{1}, size_t{5}, size_t{40}, result.size() - 1}) {
        folder.write("mine", result.substr(0, size));
        const Run run = shell(folder, "litmus check good.litmus --format json --resume mine");
        CHECK(has(run.err, "is torn: it is dropped"));
        CHECK(json_lines(folder.read("mine")).size() == 1);
    }
    // a line has an end, or is none
    const Run run = shell(folder, "truncate -s 300M mine; ulimit -v 400000; litmus check good.litmus --resume mine");
    CHECK(run.status == 2);
    CHECK(has(run.err, "cannot resume from 'mine': line "));
    CHECK(fs::file_size(folder.at("mine")) == size_t{300} << 20);
}

TEST_CASE("a file of another run is not resumed") {
    const MixedFolder folder;
    shell(folder, std::string(whole) + " > good.jsonl");
    const auto complaint = [&](const std::string& prepare, const std::string& options = "") {
        const Run run = shell(folder, "cp good.jsonl r.jsonl; " + prepare + "\n" + whole + " --resume r.jsonl " + options);
        CHECK(run.status == 2);
        CHECK(folder.read("r.jsonl") == shell(folder, "cp good.jsonl r.jsonl; " + prepare + "\ncat r.jsonl").out);  // it is left as it was
        return run.err;
    };
    CHECK(has(complaint("", "--unroll 5"), "'r.jsonl', line 1: that is not the answer about 'a0' in t/a0.litmus"));
    CHECK(has(complaint("sed -i 3d r.jsonl"), "line 3: that is not the answer about"));
    CHECK(has(complaint("sed -i '4s/outcomes/outcome/' r.jsonl"), "line 4: that is no result"));
    CHECK(has(complaint("sed -i '5s/^{/x/' r.jsonl"), "line 5: that is no result"));
    CHECK(has(complaint("head -1 good.jsonl >> r.jsonl"), "this run has no more tests"));
    CHECK(has(complaint("sed -i 's/a1.litmus/a9.litmus/' r.jsonl"),
              "line 2: that is not the result of t/a1.litmus, which has its turn there"));
    CHECK(has(shell(folder, "litmus check t --resume t").err, "cannot resume from 't'"));
    CHECK(shell(folder, "litmus check t --resume t --format json").out.empty());  // no result of what was not asked
    CHECK(has(shell(folder, "exec 9<> r.jsonl; flock -n 9; litmus check t --resume r.jsonl").err, "another run has it"));
}

namespace {

uint64_t fnv1a(const std::string& text) {
    uint64_t digest = 0xcbf29ce484222325U;
    for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return digest;
}

std::string hexadecimal(uint64_t number) {
    std::ostringstream text;
    text << std::hex << std::setw(16) << std::setfill('0') << number;
    return text.str();
}

}  // namespace

TEST_CASE("a result that contradicts itself, or is about another test, is not recalled") {
    const MixedFolder folder;
    shell(folder, std::string(whole) + " > good.jsonl; " + whole + " --shard 1/1 > part.jsonl; litmus check t --no-time --cache c");
    const std::string all = folder.read("good.jsonl");
    const std::string cache = shell(folder, "find c -type f | xargs grep -l '\"test\":\"no\"'").out,
                      entry = cache.substr(0, cache.find('\n'));
    const std::string kept = folder.read(entry);
    const std::string to_ok = R"(s/"verdict":"[a-z-]*"/"verdict":"ok"/;)", holds = R"(s/"holds":false/"holds":true/;)",
                      cannot = R"(s/"can_hold":true/"can_hold":false/;)";
    struct Edit {
        std::string test, sed;
        bool in_part = true;  // the line alone tells
    };
    for (const Edit& edit :
         {Edit{"no", to_ok}, Edit{"no", to_ok + holds}, Edit{"no", to_ok + holds + cannot}, Edit{"no", holds}, Edit{"stuck", to_ok},
          Edit{"stuck", to_ok + holds}, Edit{"race", to_ok}, Edit{"a1", R"(s/"verdict":"ok"/"verdict":"race"/)"},
          Edit{"a1", R"(s/"verdict":"ok"/"verdict":"no"/)"}, Edit{"loops", to_ok}, Edit{"no", R"(s/"test":"no"/"test":"on"/)", false},
          Edit{"no", R"(s/== 1/== 2/g)", false}, Edit{"no", R"(s/"model":"ptx"/"model":"tso"/)", false}}) {
        const std::string only = "sed -i '/\"test\":\"" + edit.test + "\"/{" + edit.sed + "}' ";
        INFO(only);
        const Run resumed = shell(
            folder, "cp good.jsonl r.jsonl; " + only + "r.jsonl; cmp -s good.jsonl r.jsonl && exit 99; " + whole + " --resume r.jsonl");
        CHECK(resumed.status == 2);
        CHECK(has(resumed.err, "cannot resume from 'r.jsonl', line "));
        const Run merged = shell(folder, "cp part.jsonl p.jsonl; " + only + "p.jsonl; litmus merge p.jsonl --format json");
        CHECK(has(merged.err, "this is no result") == edit.in_part);
        if (edit.test != "no") continue;
        folder.write("line", lines(kept)[1] + "\n");
        shell(folder, only + "line");
        const std::string body = folder.read("line") + kept.substr(kept.find('\n', kept.find('\n') + 1) + 1);
        folder.write(entry, hexadecimal(fnv1a(body)) + "\n" + body);
        CHECK(shell(folder, std::string(whole) + " --cache c").out == all);
        const Json mended = Json::parse(lines(folder.read(entry))[1]);
        CHECK(mended["verdict"] == "no");
        CHECK(mended["test"] == "no");
    }
}

TEST_CASE("parts of two builds make no run") {
    const MixedFolder folder;
    shell(folder, "cp '" LITMUS_EXE "' other; echo >> other; " + std::string(whole) +
                      " --shard 1/2 > 1.jsonl; ./other check t --no-time --format json --shard 2/2 > 2.jsonl; rm other");
    CHECK(has(shell(folder, "litmus merge 1.jsonl 2.jsonl").err, "are results of different runs"));
}

TEST_CASE("what the cache knows is not asked again, and what is wrong in it is") {
    const MixedFolder folder;
    const std::string with = "litmus check t --no-time --format json --cache c";
    const Run first = shell(folder, with);
    const auto entries = [&] { return lines(shell(folder, "find c -type f | sort").out); };
    CHECK(first.out == shell(folder, whole).out);
    const std::vector<std::string> kept = entries();
    CHECK(kept.size() == lines(first.out).size() - 2);  // not the file that is no test, nor what a loop bound left open
    // Answers come from there: with a result that was made by hand, the entry's digest being right, that is what is printed.
    const Run second = shell(folder, with);
    CHECK(second.out == first.out);
    CHECK(second.err == first.err);
    CHECK(second.status == first.status);
    CHECK(entries() == kept);
    CHECK(shell(folder, "litmus check t --no-time --cache c").out == shell(folder, "litmus check t --no-time").out);
    // The file may have another name; the text, the model, the readings and the options may not be others.
    shell(folder, "mv t/a1.litmus t/b.litmus");
    CHECK(shell(folder, with).out == shell(folder, whole).out);
    CHECK(entries() == kept);
    shell(folder,
          "litmus check t/b.litmus --reading weakest --cache c; litmus check t/b.litmus --unroll 3 --cache c; litmus check t/b.litmus "
          "--model sc --cache c");
    CHECK(entries().size() == kept.size() + 3);
    // Torn, empty, spoiled, of another question: asked again, and mended.
    for (const std::string& damage : {std::string("truncate -s 40"), std::string("truncate -s 0"), std::string("sed -i 's/exists/exits/'"),
                                      std::string("cp $(find c -type f | sort | tail -1)")}) {
        const std::string before = shell(folder, "cat " + kept[0]).out;
        shell(folder, damage + " " + kept[0]);
        CHECK(shell(folder, "cat " + kept[0]).out != before);
        CHECK(shell(folder, with).out == shell(folder, whole).out);
        CHECK(lines(shell(folder, "cat " + kept[0]).out).back() == lines(before).back());
    }
    // What more time could change is not kept.
    shell(folder, "litmus check t --timeout 0.000001 --cache d");
    CHECK(shell(folder, "find d -type f").out.empty());
    CHECK(has(shell(folder, "litmus check t --cache t/no.litmus").err, "cannot make the folder"));
}

TEST_CASE("a model that was made to have another's digest gets no answer of it") {
    // Two models of one digest by 64-bit FNV-1a: the comment was calculated (by reduction of a lattice, in a second).
    const std::string truth = "\"m\"\ninclude \"prelude.cat\"\nacyclic po | rf | co | fr as order\n";
    const std::string forged =
        "\"m\"\ninclude \"prelude.cat\"\nacyclic rf as order\n// ummgra "
        "\177\001\001\001\006\002\003\003\002\004\014\004\003\016\007\004\077\006\035\001\076\001\n";
    REQUIRE(fnv1a(truth) == fnv1a(forged));
    const TemporaryFolder folder;
    folder.write("t.litmus",
                 "test \"mp\"\n.global .u32 x = 0;\n.global .u32 y = 0;\n"
                 "thread P0 @ cta0 { st.relaxed.gpu.u32 [x], 1; st.relaxed.gpu.u32 [y], 1; }\n"
                 "thread P1 @ cta1 { ld.relaxed.gpu.u32 r0, [y]; ld.relaxed.gpu.u32 r1, [x]; }\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n");
    const std::string check = "litmus check t.litmus --model ./m.cat --no-time --format json ";
    folder.write("m.cat", forged);
    CHECK(shell(folder, check + "--cache c --resume r.jsonl").status == 0);
    folder.write("m.cat", truth);
    CHECK(shell(folder, check + "--cache c").status == 1);
    const Run resumed = shell(folder, check + "--resume r.jsonl");
    CHECK(resumed.status == 2);
    CHECK(has(resumed.err, "'r.jsonl', line 1: that is not the answer about 'mp'"));
}

TEST_CASE("what is no entry of the cache is neither read nor written") {
    const TemporaryFolder folder;
    folder.write("a.litmus", test_text("a"));
    const std::string check = "timeout 60 '" LITMUS_EXE "' check a.litmus --no-time --format json --cache ";
    const Run first = shell(folder, check + "c");
    const std::string entry = lines(shell(folder, "find c -type f").out).at(0), parent = fs::path(entry).parent_path();
    folder.write("notes", "mine\n");
    for (const std::string& there : {"ln -s '" + folder.at("notes").string() + "' " + entry, "ln -s nowhere " + entry, "mkfifo " + entry,
                                     "mkdir " + entry, "rmdir " + parent + "; mkfifo " + parent,
                                     "rmdir " + parent + "; mkdir elsewhere; ln -s '" + folder.at("elsewhere").string() + "' " + parent}) {
        INFO(there);
        shell(folder, "rm -rf c/*/* && mkdir " + parent + " && " + there);
        const std::string before = shell(folder, "find . -printf '%p %y %l %s\\n' | grep -v '^./[.]' | sort").out;
        const Run run = shell(folder, check + "c");
        CHECK(run.out == first.out);
        CHECK(run.status == 0);
        CHECK(has(run.err, "note: a result could not be kept in 'c"));
        CHECK(shell(folder, "find . -printf '%p %y %l %s\\n' | grep -v '^./[.]' | sort").out == before);
        CHECK(folder.read("notes") == "mine\n");
    }
    // nor is anything written through a link in place of the folder of entries
    shell(folder, "rm -rf c d; " + check + "c; mkdir d; mv c/* d/own; ln -s ../d/own c/$(basename $(dirname $(dirname " + entry +
                      "))); rm -rf d/own/*");
    const Run linked = shell(folder, check + "c");
    CHECK(has(linked.err, "cannot make the folder"));
    CHECK(shell(folder, "find d -type f; rm -rf c").out.empty());
    // an entry that is a link to a true one is none either
    shell(folder, "rm -rf c/*/*; " + check + "c; mv " + entry + " good; ln -s '" + folder.at("good").string() + "' " + entry);
    CHECK(has(shell(folder, check + "c").err, "could not be kept"));
}

TEST_CASE("answers that another user could have written are not believed") {
    const TemporaryFolder folder;
    folder.write("a.litmus", test_text("a"));
    const std::string check = "litmus check a.litmus --no-time --format json ";
    const Run first = shell(folder, check + "--cache c");
    REQUIRE(first.status == 0);
    const std::string entry = lines(shell(folder, "find c -type f").out).at(0), inner = fs::path(entry).parent_path();
    const std::string build = fs::path(inner).parent_path();
    // the folder that is named, and that of the build: the run is refused
    for (const std::string& part : {std::string("c"), build})
        for (const char* mode : {"g+w", "o+w"}) {
            INFO(part << " " << mode);
            const Run refused = shell(folder, "chmod " + std::string(mode) + " " + part + "; " + check +
                                                  "--cache c; status=$?; chmod go-w " + part + "; exit $status");
            CHECK(refused.status == 2);
            CHECK(has(refused.err, "is not used: others may write to it, and what it holds is believed"));
            CHECK(has(refused.err, "chmod go-w "));
        }
    // an entry, or the folder that it is in: the test is asked again. A digest that anybody can make holds nobody up.
    const std::string forged = "no-such-answer";
    for (const std::string& part : {entry, inner}) {
        INFO(part);
        shell(folder, "chmod o+w " + part + "; echo '" + forged + "' > " + entry);
        CHECK(shell(folder, check + "--cache c").out == first.out);
        shell(folder, "chmod go-w " + part);
    }
    // a true entry that others may write to is no answer, either: it is replaced by one that they may not write to
    shell(folder, "rm -rf c; " + check + "--cache c; chmod o+w " + entry + "; touch -d '1 hour ago' " + entry);
    CHECK(shell(folder, check + "--cache c").out == first.out);
    CHECK(shell(folder, "find " + entry + " -mmin -30 -printf '%m'").out == "644");
    // a file of results
    CHECK(shell(folder, check + "--resume r.jsonl").status == 0);
    for (const char* mode : {"g+w", "o+w"}) {
        const Run refused = shell(
            folder, "chmod " + std::string(mode) + " r.jsonl; " + check + "--resume r.jsonl; status=$?; chmod go-w r.jsonl; exit $status");
        CHECK(refused.status == 2);
        CHECK(has(refused.err, "cannot resume from 'r.jsonl': others may write to it"));
    }
    CHECK(shell(folder, check + "--resume r.jsonl").status == 0);
    if (::geteuid() != 0) return;  // who may give files away
    for (const std::string& part : {std::string("c"), build}) {
        const Run refused =
            shell(folder, "chown 12345 " + part + "; " + check + "--cache c; status=$?; chown 0 " + part + "; exit $status");
        CHECK(refused.status == 2);
        CHECK(has(refused.err, "it belongs to another user"));
    }
    CHECK(shell(folder, "chown 12345 r.jsonl; " + check + "--resume r.jsonl").status == 2);
}

// The least of five runs: how two threads meet makes 2 MB of difference. The own solver is measured: it holds 14 MB. Where Z3's contexts
// come to lie in the heap moves its peak in steps of 8 MB, up or down, with as few as 60 files.
TEST_CASE("memory does not grow with the number of files") {
    const auto peak = [](int many) {
        TemporaryFolder folder;
        for (int i = 0; i < many; ++i) folder.write("t/" + std::to_string(i) + ".litmus", test_text("t" + std::to_string(i)));
        for (const char* format : {"json", "text"})
            REQUIRE(shell(folder, std::string("litmus check t -j 2 --solver cdcl --format ") + format + " > /dev/null").status == 0);
        long least = 0;
        for (int i = 0; i < 5; ++i) {
            const Run run = shell(folder,
                                  "python3 -c 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
                                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' '" LITMUS_EXE
                                  "' check t -j 2 --solver cdcl --format json");
            if (run.status != 0) return 0L;
            const long held = std::stol(run.out);  // KiB
            least = i == 0 ? held : std::min(least, held);
        }
        return least;
    };
    const long few = peak(60), many = peak(1000);
    if (few == 0) {
        MESSAGE("skipped: there is no python3 to measure with");
        return;
    }
    CHECK_MESSAGE(many < few + 2048, few, " KiB for 60 files, ", many, " KiB for 1,000");
}

TEST_CASE("a name that is used twice is warned of, and tables name files") {
    TemporaryFolder folder;
    folder.write("d/one.litmus", test_text("same"));
    folder.write("d/two.litmus", test_text("same", "fence.sc.gpu; "));
    folder.write("d/three.litmus", test_text("three"));
    const Run run = shell(folder, "litmus check d --no-time");
    CHECK(has(run.err, "warning: the test name 'same' is used twice: in d/one.litmus and d/two.litmus"));
    CHECK(has(run.out, "\nd/one.litmus: same  "));
    CHECK(has(run.out, "\nd/three.litmus      "));
    CHECK(has(shell(folder, "litmus check d --format json").err, "is used twice"));
    CHECK(shell(folder, "litmus check d/one.litmus d/three.litmus").err.empty());
}

TEST_CASE("formats of other tools, of check and conform") {
    const MixedFolder folder;
    const Run github = shell(folder, "litmus check t --format github");
    CHECK(
        has(github.out, "::error file=t/no.litmus,line=5,col=1,endColumn=21,title=litmus%3A no::no: ~exists (P1:r0 == 1) does not hold\n"));
    CHECK(has(github.out, "::error file=t/bad.litmus,line=2,"));
    CHECK(has(github.out, "::error file=t/sub/loops.litmus,line=9,"));
    CHECK(has(github.out, "title=litmus%3A deadlock::stuck: "));
    const Json sarif = Json::parse(shell(folder, "litmus check t --format sarif").out);
    CHECK(sarif["runs"][0]["results"].size() == 5);
    const Run junit = shell(folder, "litmus check t --no-time --format junit");
    CHECK(has(junit.out, "tests=\"19\" failures=\"3\" errors=\"2\""));
    if (shell(folder, "command -v xmllint").status == 0) {
        folder.write("out.xml", junit.out);
        CHECK(shell(folder, "xmllint --noout out.xml && xmllint --noout --relaxng '" LITMUS_SOURCE_DIR "/tests/print/junit.rng' out.xml")
                  .status == 0);
    } else {
        MESSAGE("skipped: there is no xmllint to validate JUnit XML with");
    }
    const std::string observed = "litmus conform '" LITMUS_SOURCE_DIR
                                 "'/litmus/observed/h100-stressed-exits.json --tests '" LITMUS_SOURCE_DIR "/litmus' --timeout 60 ";
    CHECK(has(shell(folder, observed + "--format junit").out, "<testcase name="));
    CHECK(Json::parse(shell(folder, observed + "--format sarif").out)["version"] == "2.1.0");
}
