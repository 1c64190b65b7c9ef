// `litmus conform` from outside: files of observations made from tests of the library and from tests written here.
//
// LITMUS_EXE is the executable, LITMUS_SOURCE_DIR the root of the sources, in which it runs.
#include <utility>

#include "contents.h"
#include "gpu/run/observed.h"
#include "language/syntax/read.h"
#include "tool/shell.h"

namespace {

using litmus::Test;

constexpr const char* mp = "litmus/classic/mp/mp-fence-acq-rel.litmus";
constexpr const char* fenced = "litmus/async/proxy-raw/raw-bar-issuer-fences.litmus";
constexpr const char* pipeline = "litmus/async/pipelines/p2-two-stages.litmus";
constexpr const char* undefined = "litmus/async/multicast/mc-peer-trusts-leader.litmus";

// Files in a folder that goes away with it, by the paths that a command in the root of the sources needs.
class ObservationFolder {
public:
    std::string operator/(const std::string& name) const { return files.at(name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        files.write(name, text);
        return *this / name;
    }

    const TemporaryFolder files;
};

// `litmus conform` in the root of the sources, without input unless the arguments redirect some; paths have no spaces.
Run conform(const ObservationFolder& folder, const std::string& arguments) {
    return shell(folder.files, "cd '" LITMUS_SOURCE_DIR "' && litmus conform </dev/null " + arguments);
}

// One test's entry in a file: counts by the values of its observables.
using Counts = std::vector<std::pair<std::vector<std::string>, uint64_t>>;

Json entry(const std::string& path, const Counts& counts) {
    const std::string read_from = fs::path(path).is_absolute() ? path : std::string(LITMUS_SOURCE_DIR "/") + path;
    const Test test = litmus::parse_tests(litmus::read_source(read_from)).at(0);
    const litmus::gpu::Observation o = litmus::gpu::describe(test, litmus::gpu::make_plan(test, std::nullopt), path);
    Json json = {{"name", o.test},
                 {"file", path},
                 {"hash", o.hash},
                 {"instances", 0},
                 {"timeouts", 0},
                 {"unlisted", 0},
                 {"seconds", 1.0},
                 {"hung", false},
                 {"observables", Json::array()},
                 {"histogram", Json::array()}};
    for (const litmus::gpu::Observable& x : o.observables)
        json["observables"].push_back({{"name", x.name}, {"type", std::string(litmus::name(x.type))}});
    uint64_t instances = 0;
    for (const auto& [values, count] : counts) {
        Json outcome = Json::object();
        for (size_t i = 0; i < values.size(); ++i) outcome[o.observables.at(i).name] = values[i];
        Json line = Json::object();
        line["outcome"] = outcome;
        line["count"] = count;
        line["satisfies"] = false;
        json["histogram"].push_back(line);
        instances += count;
    }
    json["instances"] = instances;
    return json;
}

Json file_of(const std::vector<Json>& tests, const std::string& device = "Made Up GPU") {
    Json json = {{"schema", "litmus-observed"}, {"version", 1}};
    json["device"] = {{"name", device}, {"sm", 90}, {"driver", 13000}};
    json["tests"] = tests;
    return json;
}

const Counts mp_allowed{{{"0", "0"}, 5}, {{"0", "1"}, 10}, {{"1", "1"}, 985}};
const Counts mp_planted{{{"1", "1"}, 985}, {{"1", "0"}, 12}};

Json verdicts(const Json& report) {
    Json result = Json::object();
    for (const Json& test : report["devices"][0]["tests"]) result[test["name"].get<std::string>()] = test["verdict"];
    return result;
}

Json reading(const Json& report, const std::string& name) {
    for (const Json& r : report["devices"][0]["readings"])
        if (r["reading"] == name) return r;
    return nullptr;
}

}  // namespace

TEST_CASE("what is allowed conforms, with a bound for what was not seen") {
    const ObservationFolder folder;
    const std::string file = folder.write("o.json", file_of({entry(mp, {{{"0", "0"}, 100}, {{"1", "1"}, 200}})}).dump());
    const Run run = conform(folder, file);
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    CHECK(has(run.out, "Made Up GPU, sm_90: 1 test, 300 instances"));
    CHECK(has(run.out, "1 test compared with ptx, reading weakest: 1 as allowed, 0 forbidden\n"));
    CHECK(has(run.out, "Allowed and not seen: 1 outcome of 1 test"));
    CHECK_FALSE(has(run.out, "impossible"));
    CHECK_FALSE(has(run.out, "\x1b"));
    const Run verbose = conform(folder, file + " --verbose");
    CHECK(has(verbose.out, "allowed    mp-fence-acq-rel: 300 instances\n"));
    CHECK(has(verbose.out, "P1:r0=0; P1:r1=1;  rate < 0.01 (95 %)"));
    const Json report = Json::parse(conform(folder, file + " --format json").out);
    CHECK(report["schema"] == "litmus-conform");
    CHECK(report["version"] == 2);
    CHECK(report["status"] == 0);
    const Json test = report["devices"][0]["tests"][0];
    CHECK(test["not_seen"] == Json::parse(R"([{"outcome":{"P1:r0":"0","P1:r1":"1"},"bound":0.01}])"));
    CHECK(test["seen"][0]["count"] == 200);
    CHECK(test["seen"][0]["verdict"] == "allowed");
    CHECK(test["seen"][0]["why"].is_null());
}

TEST_CASE("a planted outcome fails, and is named with the axiom and an execution") {
    const ObservationFolder folder;
    const std::string file = folder.write("o.json", file_of({entry(mp, mp_planted), entry(fenced, {{{"1"}, 3}})}).dump());
    const Run run = conform(folder, file);
    CHECK(run.status == 1);
    CHECK(has(run.out, std::string("Forbidden mp-fence-acq-rel (") + mp + "): P1:r0=1; P1:r1=0; seen 12 times in 997 instances\n"));
    CHECK(has(run.out, "forbidden by causality"));
    CHECK(has(run.out, "fr:  f->a"));
    CHECK(has(run.out, "causality breaks on the cycle P1:"));
    CHECK(has(run.out, "2 tests compared with ptx, reading weakest: 1 as allowed, 1 forbidden\n"));
    const Json report = Json::parse(conform(folder, file + " --format json").out);
    CHECK(report["status"] == 1);
    CHECK(report["summary"]["forbidden"] == 1);
    const Json seen = report["devices"][0]["tests"][0]["seen"][1];
    CHECK(seen["verdict"] == "forbidden");
    CHECK(seen["outcome"] == Json::parse(R"({"P1:r0":"1","P1:r1":"0"})"));
    CHECK(seen["why"]["axioms"] == Json::parse(R"([["causality"]])"));
    // Another model allows it.
    CHECK(conform(folder, file + " --model ptx --reading strongest").status == 1);
    const std::string values = folder.write("v.json", file_of({entry(mp, {{{"7", "0"}, 1}})}).dump());
    CHECK(has(conform(folder, values).out, "no execution at all ends so"));
}

TEST_CASE("what other tools read of a planted outcome") {
    const ObservationFolder folder;
    const std::string file = folder.write("o.json", file_of({entry(mp, mp_planted), entry(fenced, {{{"1"}, 3}})}).dump());
    const Run github = conform(folder, file + " --format github");
    CHECK(github.status == 1);
    const std::string at =
        "::error file=" + std::string(mp) + ",line=" + std::to_string(lines(contents(LITMUS_SOURCE_DIR "/" + std::string(mp))).size());
    CHECK(has(github.out, at + ",col=1,"));
    CHECK(has(github.out, "P1:r0=1; P1:r1=0; was seen 12 times on Made Up GPU and is forbidden: forbidden by causality"));
    const Json sarif = Json::parse(conform(folder, file + " --format sarif").out);
    REQUIRE(sarif["runs"][0]["results"].size() == 1);
    CHECK(sarif["runs"][0]["results"][0]["ruleId"] == "forbidden-outcome");
    const Run junit = conform(folder, file + " --format junit");
    CHECK(has(junit.out, "tests=\"2\" failures=\"1\" errors=\"0\""));
    CHECK(has(junit.out, "<testcase name=\"mp-fence-acq-rel on Made Up GPU\""));
    // A known one is a note, and fails nothing; a file that cannot be used is an error.
    const std::string known = folder.write("known", "mp-fence-acq-rel | P1:r0=1; P1:r1=0; | the planted one\n");
    const Run noted = conform(folder, file + " --format github --known " + known);
    CHECK(noted.status == 0);
    CHECK(has(noted.out, "::notice file="));
    const Run missing = conform(folder, file + " nowhere.json --format junit");
    CHECK(missing.status == 2);
    CHECK(has(missing.out, "errors=\"1\""));
}

TEST_CASE("a known disagreement is shown with its reason and fails nothing; another outcome of the test does") {
    const ObservationFolder folder;
    const std::string file = folder.write("o.json", file_of({entry(mp, mp_planted)}).dump());
    const auto with = [&](const std::string& list) { return conform(folder, file + " --known " + folder.write("known", list)); };
    const Run known = with("# why\n\nmp-fence-acq-rel | P1:r0=1; P1:r1=0; | the planted one\n");
    CHECK(known.status == 0);
    CHECK(has(known.out, "Forbidden, as known mp-fence-acq-rel"));
    CHECK(has(known.out, "seen 12 times in 997 instances\n  the planted one\n"));
    CHECK(has(known.out, "0 as allowed, 1 forbidden (1 as known)\n"));
    CHECK(with("  \r\nmp-fence-acq-rel | P1:r0=1; P1:r1=0; | the planted one\r\n").status == 0);
    CHECK(with("mp-fence-acq-rel | P1:r0=1; P1:r1=0; | \n").status == 2);  // without a reason
    CHECK(with("mp-fence-acq-rel | P1:r0=1; P1:r1=1; | another outcome\n").status == 1);
    const Run other = with("mp | P1:r0=1; P1:r1=0; | another test\n");
    CHECK(other.status == 1);
    CHECK(has(other.out, "Known, but not among what was seen and is forbidden: mp | P1:r0=1; P1:r1=0;\n"));
    CHECK_FALSE(has(known.out, "Known, but not"));
    const Run bad = with("# a list\nmp-fence-acq-rel P1:r0=1; P1:r1=0;\n");
    CHECK(bad.status == 2);
    CHECK(has(bad.err, "known:2:1: error: a known disagreement is a line `TEST | OUTCOME | REASON`"));
    CHECK(conform(folder, file + " --known nowhere").status == 2);
    const Json report = Json::parse(conform(folder, file + " --format json --known " + folder / "known").out);
    CHECK(report["status"] == 2);
}

TEST_CASE("a change of doc or ref does not make a test another one; a change of what it does, does") {
    const ObservationFolder folder;
    const std::string text = contents(std::string(LITMUS_SOURCE_DIR "/") + mp);
    const std::string path = folder.write("mp.litmus", text);
    const std::string file = folder.write("o.json", file_of({entry(path, mp_allowed)}).dump());
    const auto replaced = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        folder.write("mp.litmus", changed);
        return conform(folder, file + " --tests nowhere").status;
    };
    CHECK(replaced("doc  \"", "doc  \"changed ") == 0);
    CHECK(replaced("ref  \"", "ref  \"changed ") == 0);
    CHECK(replaced("fence.acq_rel.gpu", "fence.sc.gpu") == 2);
}

TEST_CASE("a reading is refuted by what it forbids") {
    const ObservationFolder folder;
    const std::string file = folder.write("o.json", file_of({entry(fenced, {{{"1"}, 90}, {{"0"}, 10}})}).dump());
    const Run run = conform(folder, file);
    CHECK(run.status == 0);
    CHECK(has(run.out, std::string("      raw-bar-issuer-fences (") + fenced + "): P1:r0=0; seen 10 times\n"));
    const Json report = Json::parse(conform(folder, file + " --format json").out);
    CHECK(reading(report, "fence-cta")["verdict"] == "refuted");
    CHECK(reading(report, "fence-cta")["base"] == "default");
    CHECK(reading(report, "fence-cta")["refuted"] == Json::array());
    CHECK(reading(report, "war-unfenced")["refuted"] == Json::parse(R"(["H100","H200"])"));
    CHECK(has(run.out, "(the model says: refuted on H100, H200)"));
    CHECK(reading(report, "fence-cta")["tests"] == Json::parse(R"(["raw-bar-issuer-fences"])"));
    CHECK(reading(report, "fence-cta")["instances"] == 100);
    CHECK(reading(report, "fence-cta")["refuted_by"][0]["count"] == 10);
    CHECK(reading(report, "fence-path")["verdict"] == "refuted");
    CHECK(reading(report, "completion-carries")["verdict"] == "untested");
    CHECK(report["devices"][0]["readings"].size() >= 13);
    // Under that reading the same observation is forbidden.
    CHECK(conform(folder, file + " --reading weakest,fence-cta").status == 1);
    CHECK(has(conform(folder, file + " --verbose").out, "refutes fence-cta, fence-path"));
    const std::string other = folder.write("c.json", file_of({entry(fenced, {{{"1"}, 90}})}).dump());
    CHECK(reading(Json::parse(conform(folder, other + " --format json").out), "fence-cta")["verdict"] == "consistent");
    CHECK(has(conform(folder, other + " --verbose").out, "what it forbids was not seen in 90 instances, rate < 0.033 (95 %)"));
}

TEST_CASE("what is seen only where the compiler moved something refutes nothing of the device") {
    const ObservationFolder folder;
    const auto compiled = [](bool moved) {
        Json json = {{"compiler", "ptxas 13.0.88"}, {"moved", Json::array()}, {"gone", Json::array()}};
        if (moved) json["moved"].push_back({{"thread", "P1"}, {"instruction", "second"}, {"past", "first"}});
        return json;
    };
    Json disturbed = entry(fenced, {{{"1"}, 90}, {{"0"}, 10}}), in_order = entry(fenced, {{{"1"}, 5}}), both = entry(fenced, {{{"0"}, 3}});
    disturbed["compiled"] = compiled(true);
    in_order["compiled"] = both["compiled"] = compiled(false);
    const auto evidence = [&](const std::vector<Json>& entries) {
        const std::string file = folder.write("o.json", file_of(entries).dump());
        return reading(Json::parse(conform(folder, file + " --format json").out), "fence-cta");
    };
    const Json by_compiler = evidence({disturbed, in_order});
    CHECK(by_compiler["verdict"] == "by-compiler");
    CHECK(by_compiler["refuted_by"][0]["count"] == 10);
    CHECK(by_compiler["refuted_by"][0]["disturbed"] == 10);
    CHECK(by_compiler["refuted_by"][0]["in_order"] == 0);
    const Json by_device = evidence({disturbed, both});
    CHECK(by_device["verdict"] == "refuted");
    CHECK(by_device["refuted_by"][0]["disturbed"] == 10);
    CHECK(by_device["refuted_by"][0]["in_order"] == 3);
    CHECK(evidence({entry(fenced, {{{"0"}, 10}})})["verdict"] == "refuted");  // of which the order is not known
    const std::string file = folder.write("o.json", file_of({disturbed}).dump());
    CHECK(has(conform(folder, file).out, "P1:r0=0; seen 10 times, in code that the compiler did not leave in order\n"));
    CHECK(has(conform(folder, file + " --verbose").out, "    ptxas 13.0.88: P1: `second` is issued before `first`\n"));
    const Json report = Json::parse(conform(folder, file + " --format json").out);
    CHECK(report["devices"][0]["tests"][0]["compiled"][0] == "ptxas 13.0.88: P1: `second` is issued before `first`");
}

TEST_CASE("nothing is forbidden where behaviour is undefined") {
    const ObservationFolder folder;
    const Run run = conform(folder, folder.write("o.json", file_of({entry(undefined, {{{"0"}, 5}, {{"99"}, 1}})}).dump()));
    CHECK(run.status == 0);
    CHECK(has(run.out, "0 as allowed, 0 forbidden, 1 undefined"));
    CHECK(has(run.out, "multicast-all           refuted"));
}

TEST_CASE("a test whose text changed since the run is not compared") {
    const ObservationFolder folder;
    std::string text = contents(std::string(LITMUS_SOURCE_DIR "/") + mp);
    const std::string path = folder.write("mine.litmus", text);
    const std::string file = folder.write("o.json", file_of({entry(path, mp_planted), entry(fenced, {{{"1"}, 3}})}).dump());
    CHECK(conform(folder, file).status == 1);
    folder.write("mine.litmus", "// a comment is no part of the text\n" + text);
    CHECK(conform(folder, file + " --tests nowhere").status == 1);
    text.replace(text.find("acq_rel"), 7, "sc");
    folder.write("mine.litmus", text);
    const Run run = conform(folder, file + " --tests nowhere");
    CHECK(run.status == 0);
    CHECK(has(run.out, "Not compared: mp-fence-acq-rel (" + path + "): its text changed since the run: not compared\n"));
    CHECK(has(run.out, "1 as allowed, 0 forbidden, 1 not compared (changed)"));
    const Json report = Json::parse(conform(folder, file + " --tests nowhere --format json").out);
    CHECK(report["not_compared"][0]["reason"] == "changed");
    CHECK(report["summary"]["not_compared"] == 1);
    // The library still has the test as it was.
    CHECK(conform(folder, file).status == 1);
}

TEST_CASE("a test that is not there, or does not parse, is said") {
    const ObservationFolder folder;
    Json gone = entry(mp, mp_planted), broken = entry(fenced, {{{"1"}, 3}});
    gone["file"] = "gone.litmus";
    broken["file"] = folder.write("broken.litmus", "test \"raw-bar-issuer-fences\"\nthread\n");
    const std::string file = folder.write("o.json", file_of({gone, broken}).dump());
    const Run run = conform(folder, file + " --tests nowhere");
    CHECK(run.status == 2);
    CHECK(has(run.out, "Not compared: mp-fence-acq-rel (gone.litmus): there is no such file"));
    CHECK(has(run.out, "Not compared: raw-bar-issuer-fences (" + folder / "broken.litmus"));
    CHECK(has(run.err, "there is nothing to compare"));
    // By its name in the library.
    CHECK(conform(folder, file).status == 1);
    CHECK(conform(folder, file + " --tests litmus/async").status == 0);
}

TEST_CASE("runs are added up by device and test") {
    const ObservationFolder folder;
    const std::string a = folder.write("a.json", file_of({entry(mp, mp_allowed), entry(mp, mp_allowed)}).dump());
    const std::string b = folder.write("b.json", file_of({entry(mp, {{{"0", "0"}, 1}})}).dump());
    const std::string c = folder.write("c.json", file_of({entry(mp, mp_planted)}, "Other GPU").dump());
    const Json report = Json::parse(conform(folder, a + " " + b + " " + c + " --format json").out);
    REQUIRE(report["devices"].size() == 2);
    CHECK(report["devices"][0]["tests"].size() == 1);
    CHECK(report["devices"][0]["tests"][0]["instances"] == 2001);
    CHECK(report["devices"][0]["tests"][0]["verdict"] == "allowed");
    CHECK(report["devices"][1]["name"] == "Other GPU");
    CHECK(report["devices"][1]["tests"][0]["verdict"] == "forbidden");
    CHECK(report["files"].size() == 3);
    CHECK(report["status"] == 1);

    const Run twice = conform(folder, a + " " + a);  // what ran once counts once
    CHECK(twice.status == 2);
    CHECK(has(twice.err, "'" + a + "' is the same as '" + a + "'"));
}

TEST_CASE("time-outs, hangs, what was not listed, what did not run") {
    const ObservationFolder folder;
    Json slow = entry(mp, mp_allowed), lossy = entry(fenced, {{{"1"}, 3}}), none = entry(undefined, {});
    slow["timeouts"] = 7;
    slow["instances"] = 1007;
    slow["hung"] = true;
    lossy["unlisted"] = 2;
    lossy["instances"] = 5;
    Json file = file_of({slow, lossy, none});
    file["skipped"] = Json::parse(R"([{"name":"far","file":"far.litmus","reason":"it needs two GPUs"}])");
    const std::string path = folder.write("o.json", file.dump());
    const Run run = conform(folder, path + " --verbose");
    CHECK(run.status == 3);
    CHECK(has(run.out, "7 timed out"));
    CHECK(has(run.out, "Hung mp-fence-acq-rel"));
    CHECK(has(run.out, "Undecided raw-bar-issuer-fences"));
    CHECK(has(run.out, "2 instances ended in ways that the file does not list"));
    CHECK(has(run.out, "Not run: far (far.litmus): it needs two GPUs"));
    CHECK(has(run.out, "no instance ran"));
    const Json report = Json::parse(conform(folder, path + " --format json").out);
    CHECK(verdicts(report) == Json::parse(R"({"mp-fence-acq-rel":"allowed","raw-bar-issuer-fences":"undecided"})"));
    CHECK(report["skipped"].size() == 1);
    CHECK(report["not_compared"][0]["reason"] == "nothing ran");
    CHECK(report["devices"][0]["tests"][1]["not_seen"][0]["bound"].is_null());
}

TEST_CASE("tests that did not run are counted, not their entries; those that ran in another file, or until an error, are not") {
    const ObservationFolder folder;
    const auto skipped = [](const std::string& name, const std::string& reason) {
        return Json{{"name", name}, {"file", name + ".litmus"}, {"reason", reason}};
    };
    Json first = file_of({entry(mp, mp_allowed)}), second = file_of({entry(fenced, {{{"1"}, 3}})}, "Other GPU");
    first["skipped"] = {skipped("far", "it needs two GPUs"), skipped("mp-fence-acq-rel", "a trap")};
    second["skipped"] = {skipped("far", "it needs two GPUs"), skipped("far", "a hang"), skipped("mp-fence-acq-rel", "it needs sm_100a")};
    const std::string a = folder.write("a.json", first.dump()), b = folder.write("b.json", second.dump());
    const Run run = conform(folder, a + " " + b + " --verbose");
    CHECK(run.status == 0);
    CHECK(has(run.out,
              "Not run: far (far.litmus): it needs two GPUs\n"
              "Ran in part: mp-fence-acq-rel (mp-fence-acq-rel.litmus): a trap\n"
              "Not run: far (far.litmus): a hang\n"
              "Ran in part: mp-fence-acq-rel (mp-fence-acq-rel.litmus): it needs sm_100a\n"));
    CHECK(has(run.out, "2 as allowed, 0 forbidden, 1 not run\n"));
    // Whatever the order of the files, and without the file in which it ran.
    const Json report = Json::parse(conform(folder, b + " " + a + " --format json").out);
    CHECK(report["summary"]["skipped"] == 1);
    CHECK(report["skipped"].size() == 4);
    CHECK(report["skipped"][0] == Json::parse(R"({"name":"far","file":"far.litmus","reason":"it needs two GPUs","ran":false})"));
    CHECK(report["skipped"][2]["name"] == "mp-fence-acq-rel");
    CHECK(report["skipped"][2]["ran"] == true);
    CHECK(has(conform(folder, b).out, "1 as allowed, 0 forbidden, 2 not run\n"));
}

TEST_CASE("a test that was read from standard input is found among those that --tests names") {
    const ObservationFolder folder;
    const std::string text = contents(std::string(LITMUS_SOURCE_DIR "/") + mp);
    const std::string path = folder.write("some/mine.litmus", text);
    Json piped = entry(path, mp_planted);
    piped["file"] = "<stdin>";
    const std::string file = folder.write("o.json", file_of({piped, entry(fenced, {{{"1"}, 3}})}).dump());
    CHECK(conform(folder, file).status == 1);  // the library has it
    for (const std::string& place : {path, folder / "some"}) {
        const Run run = conform(folder, file + " --tests " + place);
        CHECK(run.status == 1);
        CHECK(has(run.out, "Forbidden mp-fence-acq-rel (" + path + "): P1:r0=1; P1:r1=0;"));
    }
    CHECK(conform(folder, file + " --tests - <" + path).status == 1);

    const auto told = [&](const std::string& place, const std::string& what) {
        const Run run = conform(folder, file + " --tests " + place);
        CHECK(run.status == 0);  // as for any test that is not found, where others are
        CHECK(has(run.out, "Not compared: mp-fence-acq-rel (" + what));
        return run.out;
    };
    CHECK(has(told(fenced, "<stdin>): it was read from standard input, and no test of this name is in '" + std::string(fenced) +
                               "': name a file or folder that has it with --tests\n"),
              "1 not compared (missing)"));
    std::string other = text;
    other.replace(other.find("acq_rel"), 7, "sc");
    const std::string changed = folder.write("changed.litmus", other);
    CHECK(has(told(changed, changed + "): another text was run, read from standard input: name a file that has it with --tests\n"),
              "1 not compared (changed)"));
    const std::string broken = folder.write("broken.litmus", "thread\n");
    CHECK(has(told(broken, broken + "): "), "1 not compared (unreadable)"));
    const Run alone = conform(folder, folder.write("alone.json", file_of({piped}).dump()) + " --tests nowhere");
    CHECK(alone.status == 2);
    CHECK(has(alone.err, "there is nothing to compare"));
    CHECK(has(alone.err, "name a file or the folder of the tests with --tests"));
}

TEST_CASE("files that are no observations: every error, status 2") {
    const ObservationFolder folder;
    const std::string whole = file_of({entry(mp, mp_planted)}).dump(2);
    const std::string cut = folder.write("cut.json", whole.substr(0, whole.size() / 2));
    const std::string foreign = folder.write("foreign.json", R"({"schema":"litmus-conform","version":1})");
    Json negative = file_of({entry(mp, mp_planted)});
    negative["tests"][0]["histogram"][0]["count"] = -985;
    const std::string wrong = folder.write("wrong.json", negative.dump());
    const std::string good = folder.write("good.json", whole);
    const Run run = conform(folder, cut + " " + foreign + " " + wrong + " " + good + " " + folder / "gone.json");
    CHECK(run.status == 2);
    CHECK(has(run.err, cut + ":"));
    CHECK(has(run.err, "the JSON text ends too early"));
    CHECK(has(run.err, "foreign.json' is no observed.json: its `schema`"));
    CHECK(has(run.err, "wrong.json: tests[0] \"mp-fence-acq-rel\": histogram[0]: `count` is -985"));
    CHECK(has(run.err, "cannot read '" + folder / "gone.json"));
    CHECK(conform(folder, good + " --known " + folder / "gone.txt").out.empty());
    CHECK(has(run.out, "Forbidden mp-fence-acq-rel"));  // the good one is compared all the same
    for (const std::string& file : {cut, foreign, wrong}) {
        const Run alone = conform(folder, file);
        CHECK(alone.status == 2);
        CHECK(alone.out.empty());
        CHECK_FALSE(has(alone.err, "nothing to compare"));
        CHECK(Json::parse(conform(folder, file + " --format json").out)["errors"].size() == 1);
    }
    CHECK(Json::parse(conform(folder, cut + " --format json").out)["errors"][0]["line"].get<int>() > 1);
}

TEST_CASE("a histogram of something else than the test observes") {
    const ObservationFolder folder;
    Json odd = entry(mp, {});
    odd["observables"][1]["name"] = "P1:r9";
    odd["instances"] = 1;
    odd["timeouts"] = 1;
    const Run run = conform(folder, folder.write("odd.json", file_of({odd}).dump()));
    CHECK(run.status == 2);
    CHECK(has(run.err, "odd.json: 'mp-fence-acq-rel': the file has P1:r0 (.u32), P1:r9 (.u32), where the test has P1:r0"));
}

TEST_CASE("models and readings, workers and time limits") {
    const ObservationFolder folder;
    const std::string file = folder.write("o.json", file_of({entry(mp, mp_allowed), entry(fenced, {{{"1"}, 3}})}).dump());
    const Run tso = conform(folder, file + " --model tso");
    CHECK(tso.status == 0);
    CHECK(has(tso.out, "model 'tso' does not cover the async proxy"));
    CHECK(has(tso.out, "1 not compared (not covered)"));
    CHECK(conform(folder, file + " --reading fence-pth").status == 2);
    CHECK(conform(folder, file + " --model nosuch").status == 2);
    const Run json = conform(folder, file + " --format json --reading fence-pth");
    CHECK(json.status == 2);
    CHECK(has(Json::parse(json.out)["errors"][0]["message"].get<std::string>(), "no reading `fence-pth`"));
    CHECK(conform(folder, "").status == 2);
    CHECK(conform(folder, file + " --jsno").status == 2);
    CHECK(has(conform(folder, file + " --fromat json").err, "did you mean '--format'?"));
    const Run one = conform(folder, file + " --format json -j 1");
    CHECK(conform(folder, file + " --format json -j 4").out == one.out);
    CHECK(conform(folder, file + " --timeout 0.000001").status == 3);
    const std::string large = folder.write("large.json", file_of({entry(pipeline, {{{"1", "2", "3", "4"}, 3}})}).dump());
    CHECK(conform(folder, large).status == 0);
    CHECK(conform(folder, large + " --memory 1").status == 3);
    const Run help = conform(folder, "--help");
    CHECK(help.status == 0);
    CHECK(has(help.out, "Examples:"));
    CHECK(has(help.out, "Exit status:"));
}
