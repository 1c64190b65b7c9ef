// A campaign in this process, on a driver that has no device (fake_driver.cpp): what runs, under what, what is skipped, what is written.
#include "gpu/run/campaign.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gpu/run/ledger.h"
#include "language/syntax/read.h"
#include "small_tests.h"

namespace fs = std::filesystem;
using namespace litmus;
using namespace litmus::gpu;
using nlohmann::json;

namespace {

const char* const blackwell = R"(test "Blackwell"
.global .u32 x = 0;
thread P0 @ cta0 { red.async.release.gpu.global.add.u32 [x], 1; }
exists (x == 1)
)";

const char* const own_write = R"(test "W"
.global .u32 x = 0;
thread P0 @ cta0 { st.relaxed.gpu.global.u32 [x], 1; ld.relaxed.gpu.global.u32 r0, [x]; }
exists (P0:r0 == 0)
)";

// Three tests, and what came of them.
class Run {
public:
    Run() {
        options.run.instances = 1000;
        options.output = (fs::temp_directory_path() / ("litmus-campaign-" + std::to_string(getpid()) + ".json")).string();
        fs::remove(options.output);
        for (const Test& test : all_) tasks.push_back({"t.litmus", &test, nullptr});
    }
    ~Run() { fs::remove(options.output); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    int status(const Notes& notes) { return run_campaign(options, configurations, tasks, notes, {out, err}); }
    int status() { return status(Notes(tasks.size())); }
    json observed() const { return json::parse(text_of_file(options.output)); }
    std::vector<std::string> names(const std::string& list) const {
        std::vector<std::string> result;
        const json all = observed();
        for (const json& entry : all[list]) result.push_back(entry["name"]);
        return result;
    }

    CampaignOptions options;
    Configurations configurations;
    std::vector<Task> tasks;
    std::ostringstream out, err;

private:
    static Test parsed(const char* text) { return parse_tests(make_source("t.litmus", text)).at(0); }

    std::vector<Test> all_ = {parsed(message_passing), parsed(blackwell), parsed(own_write)};
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("each test runs in its turn; what this machine lacks is skipped for a reason that is said and kept") {
    Run run;
    const Notes notes(run.tasks.size());
    CHECK(run.status(notes) == 0);
    CHECK(notes.all_done());
    CHECK(run.names("tests") == Names{"MP", "W"});
    CHECK(run.names("skipped") == Names{"Blackwell"});
    const std::string reason = run.observed()["skipped"][0]["reason"];
    CHECK(run.err.str() == "t.litmus: 'Blackwell' is skipped: " + reason + "\n");
    CHECK(run.out.str().find("Test MP") < run.out.str().find("Test W"));
}

TEST_CASE("tests that are done are left out, and what was written of them stays") {
    Run run;
    const Notes notes(run.tasks.size());
    notes.done(1);
    notes.done(2);
    CHECK(run.status(notes) == 0);
    CHECK(run.names("tests") == Names{"MP"});
    CHECK(notes->saved);
    const Notes rest(run.tasks.size());
    rest.done(0);
    rest->saved = rest->announced = true;
    run.out.str("");
    CHECK(run.status(rest) == 0);
    CHECK(run.names("tests") == Names{"MP", "W"});
    CHECK(run.out.str().find("Fake GPU") == std::string::npos);  // announced once
}

TEST_CASE("a run that was killed goes on where it was") {
    Run run;
    run.options.command = {"litmus-gpu", "run"};
    const auto resumed = [&] {
        const Notes notes(run.tasks.size());
        const size_t done = recall(run.options, run.tasks, notes);
        return std::pair(done, run.status(notes));
    };
    run.options.resume = true;
    CHECK(resumed() == std::pair(size_t{0}, 0));  // no such file: from the beginning
    const std::string whole = text_of_file(run.options.output);
    json torn = json::parse(whole);
    torn["tests"].erase(1);
    write_file(run.options.output, torn.dump());
    CHECK(resumed() == std::pair(size_t{2}, 0));
    CHECK(run.names("tests") == Names{"MP", "W"});
    CHECK(run.names("skipped") == Names{"Blackwell"});
    CHECK(resumed() == std::pair(size_t{3}, 0));  // nothing is left
    CHECK(run.names("tests") == Names{"MP", "W"});

    // Killed in the middle of a test: its counts stay, and it runs again.
    torn = json::parse(whole);
    torn["tests"].erase(1);
    torn["tests"][0]["instances"] = 999;
    torn["tests"][0]["timeouts"] = 999;
    torn["tests"][0]["histogram"] = json::array();
    write_file(run.options.output, torn.dump());
    CHECK(resumed() == std::pair(size_t{1}, 0));
    CHECK(run.names("tests") == Names{"MP", "MP", "W"});

    torn = json::parse(whole);
    torn["device"]["name"] = "Another GPU";
    write_file(run.options.output, torn.dump());
    CHECK_THROWS_WITH(resumed(), doctest::Contains("was observed on 'Another GPU'"));
    run.options.command.push_back("--seed");
    CHECK_THROWS_AS(resumed(), Failure);
    write_file(run.options.output, "{}");
    CHECK_THROWS_AS(resumed(), Failure);
}

TEST_CASE("a test runs under the configurations that are given for it, or untuned with a warning") {
    Run run;
    run.options.configured = true;
    Stress skewed;
    skewed.skew = 512;
    run.configurations.of_test["W"] = {skewed, {}};
    CHECK(run.status() == 0);
    const json all = run.observed()["tests"];
    REQUIRE(all.size() == 2);
    CHECK(all[0]["configuration"]["skew"] == 0);
    REQUIRE(all[1]["configuration"].size() == 2);
    CHECK(all[1]["configuration"][0]["skew"] == 512);
    CHECK(run.err.str().find("--config has nothing for 'MP'") != std::string::npos);
    CHECK(run.err.str().find("--config has nothing for 'W'") == std::string::npos);
}

TEST_CASE("a family shares what one search finds, where tests that cannot run take no part") {
    Run run;
    run.options.tune = 0.2;
    run.options.tune_families = run.options.verbose = true;
    CHECK(run.status() == 0);
    CHECK(run.out.str().find("tuned in") == run.out.str().rfind("tuned in"));
    const json all = run.observed()["tests"];
    REQUIRE(all.size() == 2);
    CHECK(all[0]["configuration"] == all[1]["configuration"]);
    CHECK(all[1]["tuned_instances"] > 0);  // the last of its directory is in the search
}

TEST_CASE("a task without a test is an error, and the others run") {
    Run run;
    const Failure failure(nullptr, {}, "no test");
    run.tasks[0] = {"bad.litmus", nullptr, &failure};
    CHECK(run.status() == 2);
    CHECK(run.names("tests") == Names{"W"});
    CHECK(run.err.str().find("no test") != std::string::npos);
}

TEST_CASE("nothing that runs is an error, and so is an interrupt; a file that is there stays") {
    Run run;
    write_file(run.options.output, "old");
    run.tasks = {run.tasks[1]};
    CHECK(run.status() == 2);
    CHECK(run.err.str().find("no test ran") != std::string::npos);
    const Notes notes(1);
    notes->interrupted = true;
    CHECK(run.status(notes) == 130);
    CHECK_FALSE(notes.is_done(0));
    CHECK(text_of_file(run.options.output) == "old");
}

TEST_CASE("what a signal has ended is said, and kept where there is a file") {
    Run run;
    const Notes notes(run.tasks.size());
    record_death(run.options, run.tasks[1], notes, "Aborted", run.err);
    CHECK(run.err.str() == "litmus-gpu: error: 'Blackwell': the process that ran it was ended by a signal: Aborted\n");
    CHECK(notes->status == 1);
    CHECK_FALSE(fs::exists(run.options.output));
    CHECK(run.status(notes) == 1);
    record_death(run.options, run.tasks[2], notes, "Aborted", run.err);
    CHECK(run.names("skipped") == Names{"Blackwell", "W"});
}
