// litmus-gpu from outside, on a driver that has no device (fake_driver.cpp): what a run leaves behind, however it ends.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "small_tests.h"

namespace fs = std::filesystem;
using nlohmann::json;

using litmus::message_passing;

namespace {

struct Result {
    int status = -1;
    std::string out, err;
};

std::string content(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

const char* const blackwell = R"(test "B"
.global .u32 x = 0;
thread P0 @ cta0 { red.async.release.gpu.global.add.u32 [x], 1; }
exists (x == 1)
)";

const char* const alias = R"(test "A"
.global .u32 x = 0;
.global .u32 y alias x;
thread P0 @ cta0 { st.weak.global.u32 [x], 1; ld.weak.global.u32 r0, [y]; }
exists (P0:r0 == 0)
)";

const char* const two_gpus = R"(test "G"
.global .u32 x = 0;
.global .u32 y alias x;
thread P0 @ gpu0.cta0 { st.relaxed.sys.global.u32 [x], 1; }
thread P1 @ gpu3.cta1 { ld.relaxed.sys.global.u32 r0, [y]; }
exists (P1:r0 == 1)
)";

// A folder with tests and the results of runs.
class Harness {
public:
    Harness() {
        fs::create_directories(folder_ / "tests");
        write("mp.litmus", message_passing);
        write("alias.litmus", alias);
    }
    ~Harness() { fs::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / "tests" / name) << text; }
    std::string test(const std::string& name) const { return (folder_ / "tests" / name).string(); }
    std::string output() const { return (folder_ / "observed.json").string(); }
    json observed() const { return json::parse(content(output())); }

    // `before` stands before the command: variables, or a program that runs it. The fake GPU executes PTX: nothing is assembled.
    Result run(const std::string& arguments, const std::string& before = "") const {
        const std::string as_text = arguments.rfind("run ", 0) == 0 ? " --ptxas none" : "";
        const std::string out = (folder_ / "out").string(), err = (folder_ / "err").string();
        const std::string command = "LD_LIBRARY_PATH='" FAKE_DRIVER_FOLDER "' " + before + " '" LITMUS_GPU_EXE "' " + arguments + as_text +
                                    " >'" + out + "' 2>'" + err + "'";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
    }

private:
    fs::path folder_ = fs::temp_directory_path() / ("litmus-gpu-run-" + std::to_string(getpid()));
};

uint64_t counted(const json& test) {
    uint64_t sum = test["timeouts"].get<uint64_t>() + test["unlisted"].get<uint64_t>();
    for (const json& entry : test["histogram"]) sum += entry["count"].get<uint64_t>();
    return sum;
}

std::vector<std::string> names_of(const json& observed, const std::string& list) {
    std::vector<std::string> names;
    for (const json& entry : observed[list]) names.push_back(entry["name"]);
    return names;
}

}  // namespace

TEST_CASE("a run counts every instance, and repeats what it was told") {
    const Harness h;
    const Result r = h.run("run " + h.test("mp.litmus") + " --instances 20000000 --seed 7 -o " + h.output());
    CHECK(r.status == 0);
    CHECK(r.err.empty());  // no terminal: no progress
    CHECK(contains(r.out, "Test MP (packed, sm_90)"));
    const json o = h.observed();
    REQUIRE(o["tests"].size() == 1);
    const json& test = o["tests"][0];
    CHECK(test["instances"].get<uint64_t>() >= 20000000);
    CHECK(test["instances"] == counted(test));
    CHECK(test["tuned_instances"] == 0);
    CHECK(test["histogram"].size() == 2);
    CHECK(test["configuration"]["skew"] == 0);
    CHECK(o["seed"] == 7);
    CHECK(o["command"][0] == "litmus-gpu");
    CHECK(o["device"]["name"] == "Fake GPU");
    CHECK(o["skipped"].empty());
    CHECK_FALSE(fs::exists(h.output() + ".tmp"));
}

TEST_CASE("tuning finds what helps, its instances count, and the configuration can be used again") {
    const Harness h;
    const Result r = h.run("run " + h.test("mp.litmus") + " --instances 1000000 --tune 1 --verbose -o " + h.output());
    CHECK(r.status == 0);
    CHECK(contains(r.out, "tuned in "));
    CHECK(contains(r.out, "Configuration "));
    const json o = h.observed(), test = o["tests"][0];
    CHECK(test["configuration"]["skew"] > 0);  // a hundred times as many weak outcomes
    CHECK(test["tuned_instances"] > 0);
    CHECK(test["tuned_instances"] < test["instances"]);
    CHECK(test["tuned_seconds"].get<double>() == doctest::Approx(1).epsilon(0.4));
    CHECK(test["instances"] == counted(test));
    uint64_t tuned = 0;
    for (const json& entry : test["histogram"]) tuned += entry["tuned"].get<uint64_t>();
    CHECK(tuned == test["tuned_instances"]);

    const std::string first = h.output() + ".first";
    fs::copy_file(h.output(), first);
    CHECK(h.run("run " + h.test("mp.litmus") + " " + h.test("alias.litmus") + " --seconds 0.05 --config " + first + " -o " + h.output())
              .err == "litmus-gpu: warning: --config has nothing for 'A': it runs untuned\n");
    CHECK(h.observed()["tests"][0]["configuration"] == test["configuration"]);
    CHECK_FALSE(h.observed().contains("configuration"));
}

TEST_CASE("of several configurations each has its turn, however short the time") {
    const Harness h;
    for (const std::string much : {"--seconds 0.001", "--instances 1"}) {
        const std::string configurations =
            "'[{\"banks\": 2}, {\"banks\": 4}, {\"skew\": 512}]'";  // the third shows what the others hardly do
        CHECK(h.run("run " + h.test("mp.litmus") + " " + much + " --config " + configurations + " -o " + h.output()).status == 0);
        const json o = h.observed(), test = o["tests"][0];
        CHECK(o["configuration"].size() == 3);
        CHECK_FALSE(test.contains("configuration"));  // those for all tests
        CHECK(test["instances"] == counted(test));
        uint64_t weak = 0;
        for (const json& entry : test["histogram"])
            if (entry["satisfies"]) weak += entry["count"].get<uint64_t>();
        CHECK(10000 * weak > test["instances"].get<uint64_t>());
    }
}

TEST_CASE("a test for several GPUs runs on several, or is skipped for a reason") {
    const Harness h;
    h.write("g.litmus", two_gpus);
    const auto run = [&](const std::string& arguments, const std::string& environment) {
        return h.run("run " + h.test("g.litmus") + " " + h.test("mp.litmus") + " --seconds 0.05 -o " + h.output() + " " + arguments,
                     environment);
    };
    Result r = run("--tune 0.3", "FAKE_COUNT=2");
    CHECK(r.status == 0);
    CHECK(r.err.empty());
    CHECK(contains(r.out, "Test G (packed, sm_90, 2 GPUs)"));
    const json o = h.observed();
    REQUIRE(o["tests"].size() == 2);
    CHECK(o["tests"][0]["gpus"] == 2);
    CHECK(o["tests"][0]["instances"] == counted(o["tests"][0]));
    CHECK_FALSE(o["tests"][1].contains("gpus"));
    CHECK(run("--device 1", "FAKE_COUNT=2").status == 0);  // with GPU 0

    const auto reason = [&](const std::string& environment) {
        CHECK(run("", environment).status == 0);
        REQUIRE(names_of(h.observed(), "skipped") == std::vector<std::string>{"G"});
        CHECK(names_of(h.observed(), "tests") == std::vector<std::string>{"MP"});
        return h.observed()["skipped"][0]["reason"].get<std::string>();
    };
    CHECK(reason("FAKE_COUNT=1") == "it needs 2 GPUs, and the driver lists 1: run it where there are more");
    CHECK(reason("FAKE_COUNT=2 FAKE_PEERS=0") ==
          "it needs 2 GPUs that share memory: GPU 0 cannot access the memory of GPU 1: take GPUs that NVLink connects");
    CHECK(contains(reason("FAKE_COUNT=2 FAKE_SM_OF_1=75"), "it needs 2 GPUs that share memory: the GPU (Fake GPU) is sm_75"));
    CHECK(contains(reason("FAKE_COUNT=2 FAKE_SM_OF_1=100"), "the GPUs are of different kinds (Fake GPU, Fake GPU)"));
    CHECK(contains(reason("FAKE_COUNT=2 FAKE_ATOMICS=0"), "the link from GPU 0 to GPU 1 carries no atomic operations"));
}

TEST_CASE("several configurations are taken in turn, by a list or where tuning has seen nothing") {
    const Harness h;
    h.write("never.litmus",
            std::string(message_passing).replace(6, 2, "NV").replace(std::string(message_passing).find("P1:r1 == 0"), 10, "P1:r1 == 9"));
    CHECK(h.run("run " + h.test("never.litmus") + " --tune 0.3 --seconds 0.3 -o " + h.output()).status == 0);
    const json tuned = h.observed()["tests"][0];
    REQUIRE(tuned["configuration"].is_array());
    CHECK(tuned["configuration"].size() == 6);
    CHECK(tuned["instances"] == counted(tuned));

    const std::string list = R"('[{"skew": 64}, {"stride": 64}, {}]')";
    CHECK(h.run("run " + h.test("mp.litmus") + " --instances 40000000 --config " + list + " -o " + h.output()).status == 0);
    const json all = h.observed()["configuration"], test = h.observed()["tests"][0];
    CHECK(all.size() == 3);
    CHECK(all[0]["skew"] == 64);
    CHECK(test["instances"].get<uint64_t>() >= 40000000);
    const uint64_t weak = test["histogram"][1]["count"];  // a thousandth of a third, with skew; a hundred thousandth of the rest
    CHECK(weak > 40000000 / 1000 / 10);
    CHECK(weak < 40000000 / 1000 * 8 / 10);
    const std::string first = h.output() + ".first";
    fs::copy_file(h.output(), first);
    CHECK(h.run("run " + h.test("mp.litmus") + " --seconds 0.05 --config " + first + " -o " + h.output()).err.empty());
    CHECK(h.observed()["configuration"] == all);
}

TEST_CASE("a family is tuned once") {
    const Harness h;
    h.write("mp2.litmus", std::string(message_passing).replace(6, 2, "M2"));
    h.write("mp3.litmus", std::string(message_passing).replace(6, 2, "M3"));
    const Result r = h.run("run " + h.test("") + " --instances 1000 --tune 0.5 --tune-by family --verbose -o " + h.output());
    CHECK(r.status == 0);
    CHECK(r.out.find("tuned in") == r.out.rfind("tuned in"));
    const json o = h.observed();
    REQUIRE(o["tests"].size() == 4);
    for (const json& test : o["tests"]) {
        CHECK(test["configuration"] == o["tests"][0]["configuration"]);
        CHECK(test["instances"] == counted(test));
    }
    CHECK(o["tests"][1]["tuned_instances"] == 0);
    CHECK(o["tests"][3]["tuned_instances"] > 0);  // one of the three that stand for all
}

TEST_CASE("traffic runs beside the test and is told to end") {
    const Harness h;
    const std::string config = R"('{"occupancy": 50, "traffic": 2, "memory": "st-ld", "bulk": 256, "spread": true, "block": 1024}')";
    const Result r = h.run("run " + h.test("") + " --seconds 0.05 --config " + config + " -o " + h.output());
    CHECK(r.status == 0);
    CHECK(h.observed()["configuration"]["memory"] == "st-ld");
    CHECK(h.observed()["tests"].size() == 2);
}

TEST_CASE("an interrupt keeps what was counted") {
    const Harness h;
    const std::string interrupted = "timeout --foreground --preserve-status -s INT 2";
    for (const std::string how : {"--seconds 100", "--seconds 100 --tune 100", "--seconds 100 --tune 100 --tune-by family --progress"}) {
        const Result r = h.run("run " + h.test("") + " " + how + " -o " + h.output(), interrupted);
        CHECK(r.status == 130);
        CHECK(contains(r.err, "interrupted"));
        CHECK(contains(r.err, "] ") == contains(how, "--progress"));
        const json o = h.observed();
        REQUIRE(!o["tests"].empty());
        for (const json& test : o["tests"]) {
            CHECK(test["instances"] > 0);
            CHECK(test["instances"] == counted(test));
            CHECK(test["hung"] == false);
        }
    }
}

TEST_CASE("a launch that does not end is recorded, with what was counted before") {
    const Harness h;
    Result r = h.run("run " + h.test("mp.litmus") + " --seconds 100 --watchdog 0.3 -o " + h.output(), "FAKE_HANG=800");
    CHECK(r.status == 1);
    CHECK(r.err == "litmus-gpu: error: 'MP': a launch did not end within 0.3 s\n");
    CHECK(h.observed()["skipped"][0]["name"] == "MP");
    CHECK(h.observed()["skipped"][0]["reason"] == "a launch did not end within 0.3 s");
    json test = h.observed()["tests"][0];
    CHECK(test["hung"] == true);
    CHECK(test["instances"] > 0);
    CHECK(test["instances"] == counted(test));
    r = h.run("run " + h.test("mp.litmus") + " --tune 5 --watchdog 0.3 -o " + h.output(), "FAKE_HANG=100");
    CHECK(r.status == 1);
    CHECK(h.observed()["tests"][0]["hung"] == true);
    const std::string traffic = R"(--config '{"occupancy": 50, "traffic": 2, "peers": true}')";
    r = h.run("run " + h.test("mp.litmus") + " " + traffic + " --watchdog 0.3 -o " + h.output(), "FAKE_HANG=3");
    CHECK(r.status == 1);
    CHECK(h.observed()["tests"][0]["hung"] == true);
}

TEST_CASE("a driver call that fails says which and why; other tests get their turn") {
    const Harness h;
    const Result r = h.run("run " + h.test("") + " --seconds 0.05 -o " + h.output(), "FAKE_FAIL=1 FAKE_CODE=701");
    CHECK(r.status == 2);
    CHECK(contains(r.err, "litmus-gpu: error: 'A': cuLaunchKernelEx (litmus_test, "));
    CHECK(contains(r.err, "OTHER: a text"));
    REQUIRE(h.observed()["tests"].size() == 1);
    CHECK(h.observed()["tests"][0]["name"] == "MP");
    CHECK(h.observed()["skipped"][0]["name"] == "A");
    CHECK(contains(h.observed()["skipped"][0]["reason"], "cuLaunchKernelEx"));
}

TEST_CASE("after a fault the other tests run in a new process, and the file has all") {
    const Harness h;
    h.write("z.litmus", std::string(message_passing).replace(6, 2, "Z"));
    const auto campaign = [&](const std::string& environment, const std::string& more = "") {
        return h.run("run " + h.test("") + " --seconds 0.3 --watchdog 0.3 -o " + h.output() + more, environment);
    };
    const auto counts_are_whole = [&] {
        const json observed = h.observed();
        for (const json& test : observed["tests"]) {
            CHECK(test["instances"] == counted(test));
            CHECK((test["instances"] > 0 || test["hung"] == true));
        }
    };
    const auto printed = [](const Result& r, const std::string& text) {
        size_t count = 0;
        for (size_t at = r.out.find(text); at != std::string::npos; at = r.out.find(text, at + 1)) ++count;
        return count;
    };
    using Names = std::vector<std::string>;

    SUBCASE("a fault in the first, once some launches were counted") {
        const Result r = campaign("FAKE_IN=A FAKE_FAIL=60 FAKE_CODE=719", " --tune 0.5");  // a trial has 40 launches at most
        CHECK(r.status == 1);
        CHECK(contains(r.err, "'A': cuLaunchKernelEx"));
        CHECK(contains(r.err, "CUDA_ERROR_LAUNCH_FAILED: a text"));
        CHECK(names_of(h.observed(), "tests") == Names{"A", "MP", "Z"});
        CHECK(names_of(h.observed(), "skipped") == Names{"A"});
        CHECK(contains(h.observed()["skipped"][0]["reason"], "CUDA_ERROR_LAUNCH_FAILED"));
        CHECK(h.observed()["tests"][0]["hung"] == false);
        CHECK(printed(r, "Fake GPU") == 1);
        CHECK(printed(r, "Test MP") == 1);
        CHECK(printed(r, "Test Z") == 1);
    }
    SUBCASE("a fault before anything was counted") {
        CHECK(campaign("FAKE_IN=A FAKE_FAIL=1 FAKE_CODE=715").status == 1);
        CHECK(names_of(h.observed(), "tests") == Names{"MP", "Z"});
        CHECK(names_of(h.observed(), "skipped") == Names{"A"});
    }
    SUBCASE("a hang in the first") {
        const Result r = campaign("FAKE_IN=A FAKE_HANG=10");
        CHECK(r.status == 1);
        CHECK(r.err == "litmus-gpu: error: 'A': a launch did not end within 0.3 s\n");
        CHECK(names_of(h.observed(), "tests") == Names{"A", "MP", "Z"});
        CHECK(h.observed()["tests"][0]["hung"] == true);
        CHECK(h.observed()["tests"][1]["hung"] == false);
        CHECK(h.observed()["skipped"][0]["reason"] == "a launch did not end within 0.3 s");
    }
    SUBCASE("faults in the first and the last") {
        const Result r = campaign("FAKE_IN=A,Z FAKE_FAIL=1 FAKE_CODE=719");
        CHECK(r.status == 1);
        CHECK(names_of(h.observed(), "tests") == Names{"MP"});
        CHECK(names_of(h.observed(), "skipped") == Names{"A", "Z"});
        CHECK(printed(r, "Fake GPU") == 1);
    }
    SUBCASE("faults in all") {
        const Result r = campaign("FAKE_FAIL=1 FAKE_CODE=719");
        CHECK(r.status == 1);
        CHECK(h.observed()["tests"].empty());
        CHECK(names_of(h.observed(), "skipped") == Names{"A", "MP", "Z"});
    }
    SUBCASE("a fault in the last") {
        const Result r = campaign("FAKE_IN=Z FAKE_FAIL=1 FAKE_CODE=719");
        CHECK(r.status == 1);
        CHECK(names_of(h.observed(), "tests") == Names{"A", "MP"});
        CHECK(names_of(h.observed(), "skipped") == Names{"Z"});
    }
    SUBCASE("a crash of the process") {
        const Result r = campaign("FAKE_IN=MP FAKE_CRASH=3");
        CHECK(r.status == 1);
        CHECK(contains(r.err, "'MP': the process that ran it was ended by a signal: Aborted"));
        CHECK(names_of(h.observed(), "tests") == Names{"A", "Z"});
        CHECK(names_of(h.observed(), "skipped") == Names{"MP"});
        CHECK(contains(h.observed()["skipped"][0]["reason"], "Aborted"));
        CHECK(printed(r, "Test A") == 1);
    }
    SUBCASE("crashes of the first and the last") {
        CHECK(campaign("FAKE_IN=A,Z FAKE_CRASH=1").status == 1);
        CHECK(names_of(h.observed(), "tests") == Names{"MP"});
        CHECK(names_of(h.observed(), "skipped") == Names{"A", "Z"});
    }
    SUBCASE("a fault while a family is tuned is laid to the test that had it") {
        const Result r = campaign("FAKE_IN=Z FAKE_FAIL=5 FAKE_CODE=719", " --tune 0.5 --tune-by family");
        CHECK(r.status == 1);
        CHECK(contains(r.err, "'Z': cuLaunchKernelEx"));
        CHECK(names_of(h.observed(), "skipped") == Names{"Z"});
        CHECK(printed(r, "Test A") == 1);
        CHECK(printed(r, "Test MP") == 1);
        CHECK(printed(r, "Test Z") == 0);
    }
    SUBCASE("a hang while a family is tuned") {
        const Result r = campaign("FAKE_IN=Z FAKE_HANG=5", " --tune 0.5 --tune-by family");
        CHECK(r.status == 1);
        CHECK(names_of(h.observed(), "skipped") == Names{"Z"});
        const json observed = h.observed();
        for (const json& test : observed["tests"]) CHECK(test["hung"] == (test["name"] == "Z"));
        CHECK(printed(r, "Test MP") == 1);
    }
    SUBCASE("an error of its own is the worse") {
        h.write("broken.litmus", "test \"X\"\nthread P0 @ cta0 { nonsense; }\n");
        const Result r = campaign("FAKE_IN=A FAKE_FAIL=1 FAKE_CODE=719");
        CHECK(r.status == 2);
        CHECK(names_of(h.observed(), "tests") == Names{"MP", "Z"});
        CHECK(r.err.find("broken.litmus:2") == r.err.rfind("broken.litmus:2"));
    }
    SUBCASE("an older file of that name is no part of it") {
        CHECK(campaign("").status == 0);
        CHECK(campaign("FAKE_FAIL=1 FAKE_CODE=719").status == 1);
        CHECK(h.observed()["tests"].empty());
    }
    if (fs::exists(h.output())) counts_are_whole();
}

TEST_CASE("a fault without a file to write") {
    const Harness h;
    const Result r = h.run("run " + h.test("") + " --seconds 0.05", "FAKE_IN=A FAKE_FAIL=1 FAKE_CODE=719");
    CHECK(r.status == 1);
    CHECK(contains(r.out, "Test MP"));
    CHECK_FALSE(contains(r.out, "Test A"));
    CHECK(r.out.find("Fake GPU") == r.out.rfind("Fake GPU"));
    const Result crash = h.run("run " + h.test("") + " --seconds 0.05", "FAKE_IN=MP FAKE_CRASH=1");
    CHECK(crash.status == 1);
    CHECK(contains(crash.out, "Test A"));
}

TEST_CASE("the configurations of a file that is written over are still those that it had") {
    const Harness h;
    CHECK(h.run("run " + h.test("") + " --seconds 0.05 --tune 0.3 -o " + h.output()).status == 0);
    const json before = h.observed();
    const Result r =
        h.run("run " + h.test("") + " --seconds 0.05 --config " + h.output() + " -o " + h.output(), "FAKE_IN=A FAKE_FAIL=1 FAKE_CODE=719");
    CHECK(r.status == 1);
    CHECK_FALSE(contains(r.err, "untuned"));
    REQUIRE(names_of(h.observed(), "tests") == std::vector<std::string>{"MP"});
    CHECK(h.observed()["tests"][0]["configuration"] == before["tests"][1]["configuration"]);
}

TEST_CASE("an interrupt after a fault keeps what both processes counted") {
    const Harness h;
    const Result r = h.run("run " + h.test("") + " --seconds 100 --tune 0.5 -o " + h.output(),
                           "FAKE_IN=A FAKE_FAIL=60 FAKE_CODE=719 timeout --foreground --preserve-status -s INT 2");
    CHECK(r.status == 130);
    CHECK(contains(r.err, "interrupted"));
    CHECK(names_of(h.observed(), "tests") == std::vector<std::string>{"A", "MP"});
    CHECK(names_of(h.observed(), "skipped") == std::vector<std::string>{"A"});
}

TEST_CASE("a device that is lost ends the run; what was counted before is kept") {
    const Harness h;
    const Result r = h.run("run " + h.test("") + " --seconds 1 --tune 0.5 -o " + h.output(),
                           "FAKE_FAIL=60 FAKE_CODE=719 FAKE_LOST='" + h.output() + ".lost'");
    CHECK(r.status == 2);
    CHECK(contains(r.err, "CUDA_ERROR_LAUNCH_FAILED: a text"));
    CHECK(contains(r.err, "the device answers nothing more (no usable GPU"));
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 2);
    const json o = h.observed();
    REQUIRE(o["tests"].size() == 1);
    CHECK(o["tests"][0]["instances"] > 0);
    CHECK(o["tests"][0]["instances"] == counted(o["tests"][0]));
    CHECK(names_of(o, "skipped") == std::vector<std::string>{"A"});
}

TEST_CASE("what this machine cannot run is skipped and recorded; with nothing else that is an error") {
    const Harness h;
    h.write("b.litmus", blackwell);
    Result r = h.run("run " + h.test("") + " --seconds 0.05 -o " + h.output());
    CHECK(r.status == 0);
    CHECK(contains(r.err, "b.litmus: 'B' is skipped: it needs sm_100a; this device (Fake GPU) is sm_90: take another GPU\n"));
    json o = h.observed();
    REQUIRE(o["skipped"].size() == 1);
    CHECK(o["skipped"][0]["name"] == "B");
    CHECK(contains(o["skipped"][0]["reason"], "sm_100a"));
    CHECK(o["tests"].size() == 2);
    r = h.run("run " + h.test("b.litmus") + " -o " + h.output());
    CHECK(r.status == 2);
    CHECK(contains(r.err, "no test ran"));
    CHECK(h.observed() == o);  // what was there stays, since nothing ran
    std::filesystem::remove(h.output());
    CHECK(h.run("run " + h.test("b.litmus") + " --seconds 0.05 -o " + h.output(), "FAKE_SM=100 FAKE_DRIVER=12040").status == 2);
    CHECK(contains(h.observed()["skipped"][0]["reason"], "install a driver for CUDA 12."));
    CHECK(h.run("run " + h.test("b.litmus") + " --seconds 0.05 -o " + h.output(), "FAKE_SM=100").status == 0);
}

TEST_CASE("parts of a campaign run each test once, whatever says which part") {
    const Harness h;
    const std::string text = message_passing;
    for (const char* name : {"a", "b", "c", "d"})
        h.write(std::string(name) + ".litmus", "test \"" + std::string(name) + text.substr(text.find("MP") + 2));
    std::vector<std::string> ran;
    for (const std::string index : {"1", "2", "3"}) {
        const std::string tests = h.test(""), common = "run " + tests + " --instances 1000 -o " + h.output();
        const Result r = h.run(common + " --shard " + index + "/3");
        REQUIRE(r.status == 0);
        if (contains(r.out, "No test of this part")) continue;
        const std::vector<std::string> names = names_of(h.observed(), "tests");
        ran.insert(ran.end(), names.begin(), names.end());
        CHECK(h.run(common, "TEST_TOTAL_SHARDS=3 TEST_SHARD_INDEX=" + std::to_string(std::stoi(index) - 1)).status == 0);
        CHECK(names_of(h.observed(), "tests") == names);
    }
    std::sort(ran.begin(), ran.end());
    CHECK(ran == std::vector<std::string>{"A", "MP", "a", "b", "c", "d"});
    const Result wrong = h.run("run " + h.test("mp.litmus") + " --shard 4/3");
    CHECK(wrong.status == 2);
    CHECK(contains(wrong.err, "'4/3' is not I/N"));
}

TEST_CASE("results do not replace an input, and a signal to end keeps what was counted") {
    const Harness h;
    Result r = h.run("run " + h.test("mp.litmus") + " --seconds 0.05 -o " + h.test("mp.litmus"));
    CHECK(r.status == 2);
    CHECK(contains(r.err, "-o names an input"));
    CHECK(h.run("run " + h.test("mp.litmus") + " --tune nan -o " + h.output()).status == 2);
    r = h.run("run " + h.test("mp.litmus") + " --seconds 30 -o " + h.output(), "timeout --foreground --preserve-status -s TERM 2");
    CHECK(r.status == 130);
    CHECK(h.observed()["tests"][0]["instances"] > 0);
}

TEST_CASE("a syntax error is an error, and the other tests are kept") {
    const Harness h;
    h.write("broken.litmus", "test \"X\"\nthread P0 @ cta0 { nonsense; }\n");
    const Result r = h.run("run " + h.test("") + " --seconds 0.05 -o " + h.output());
    CHECK(r.status == 2);
    CHECK(h.observed()["tests"].size() == 2);
}

TEST_CASE("machines without a usable GPU: one line, exit 2") {
    const Harness h;
    const auto line = [&](const std::string& environment) {
        const Result r = h.run("run " + h.test("mp.litmus") + " --seconds 0.05", environment);
        CHECK(r.status == 2);
        CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
        CHECK(r.err.find("litmus-gpu: error: ") == 0);
        return r.err;
    };
    CHECK(contains(line("FAKE_INIT=100"), "no usable GPU (cuInit: CUDA_ERROR_NO_DEVICE: a text): run this where nvidia-smi lists a GPU"));
    CHECK(contains(line("FAKE_COUNT=0"), "there is no GPU number 0"));
    CHECK(contains(line("FAKE_DRIVER=11080"), "the driver is for CUDA 11.8: install a driver for CUDA 12.0 or newer"));
    CHECK(contains(line("FAKE_SM=80"), "the GPU (Fake GPU) is sm_80"));
}

TEST_CASE("mistakes on the command line come before those of the machine") {
    const Harness h;
    const auto line = [&](const std::string& arguments) {
        const Result r = h.run("run " + h.test("mp.litmus") + " " + arguments, "FAKE_INIT=100");
        CHECK(r.status == 2);
        return r.err;
    };
    CHECK(contains(line("--config '{\"skew\": 3}'"), "--config: 'skew' is 3; expected a power of two"));
    CHECK(contains(line("--config /nonexistent.json"), "cannot read '/nonexistent.json': No such file or directory (--config)"));
    CHECK(contains(line("--config '{}' --tune 1"), "--tune"));
    CHECK(contains(line("--tune-by family"), "--tune"));
    CHECK(contains(line("-o /nonexistent/o.json"), "cannot write '/nonexistent/o.json'"));
    CHECK(contains(line("-o /tmp"), "cannot write '/tmp'"));
}

TEST_CASE("a configuration from a device that never ends is refused") {
    const Harness h;
    const Result r = h.run("run " + h.test("mp.litmus") + " --config /dev/zero", "FAKE_INIT=100 timeout 60");
    CHECK(r.status == 2);
    CHECK(r.err == "litmus-gpu: error: cannot read '/dev/zero': it is larger than 128 MiB (--config)\n");
}

TEST_CASE("a link that leads out of the folder that was named is skipped, with a warning") {
    const Harness h;
    fs::create_symlink("/etc/passwd", fs::path(h.test("mp.litmus")).parent_path() / "out.litmus");
    const Result r = h.run("run " + fs::path(h.test("mp.litmus")).parent_path().string() + " --seconds 0.1", "FAKE_INIT=100 timeout 60");
    CHECK(contains(r.err, "out.litmus' is skipped: it is a link"));
    CHECK_FALSE(contains(r.out + r.err, "root:"));
}

TEST_CASE("names act on nothing that shows them") {
    const Harness h;
    const auto renamed = [](std::string text) { return text.replace(text.find('"') + 1, text.find('"', 6) - 6, "\\n::error::\\x1b[2J"); };
    const std::string shown = "\\n::error::\\x1b[2J", file = "\x1b[2J.litmus";
    h.write(file, renamed(message_passing));
    const std::string command = "run '" + h.test(file) + "' --seconds 0.05 -o " + h.output();
    Result r = h.run(command);
    CHECK(r.status == 0);
    CHECK(contains(r.out, "Test " + shown + " (packed"));
    CHECK_FALSE(contains(r.out, "\x1b"));
    h.write("mp.json", "{}");
    REQUIRE(h.run("run " + h.test("mp.litmus") + " --seconds 0.05 -o " + h.test("mp.json")).status == 0);
    CHECK(h.run(command + " --config " + h.test("mp.json")).err ==
          "litmus-gpu: warning: --config has nothing for '" + shown + "': it runs untuned\n");
    r = h.run(command, "FAKE_FAIL=1 FAKE_CODE=701");
    CHECK(r.err.find("litmus-gpu: error: '" + shown + "': cuLaunchKernelEx") == 0);
    h.write(file, renamed(blackwell));
    CHECK(contains(h.run(command).err, "\\x1b[2J.litmus: '" + shown + "' is skipped"));
    CHECK(contains(h.run("run '" + h.test("\x1b[2J") + "'").err, "\\x1b[2J'"));
    CHECK(contains(h.run("run " + h.test("mp.litmus") + " -o '/nonexistent/\x1b[2J'").err, "\\x1b[2J'"));
}

TEST_CASE("options that name nothing are refused before anything runs") {
    const Harness h;
    const auto message = [&](const std::string& arguments) {
        const Result r = h.run("run " + h.test("mp.litmus") + " " + arguments);
        CHECK(r.status == 2);
        CHECK(r.out.empty());
        return r.err;
    };
    CHECK(contains(message("--config ''"), "--config: it is empty"));
    CHECK(contains(message("-o ''"), "--output: it is empty"));
    const Result missing = h.run("run " + h.test("missing.litmus"), "FAKE_INIT=100");
    CHECK(missing.status == 2);
    CHECK(contains(missing.err, "missing.litmus"));
    CHECK_FALSE(contains(missing.err, "no usable GPU"));
    CHECK(contains(message("-o -"), "-o takes a file, since standard output has the histograms"));
}
