// The examples of this folder do what they say: the steps for GitHub and GitLab, the rule for Bazel, the CTest helper, parts on several
// machines, kernels by Snakemake.
#include <array>
#include <regex>

#include "contents.h"
#include "tool/shell.h"

namespace {

const std::string examples = LITMUS_SOURCE_DIR "/tests/examples/";
const std::string workflow = examples + "github/workflows/litmus.yml";

// The tests of the CTest example, with their baseline, and `litmus` on the path of what is run.
class Folder : public TemporaryFolder {
public:
    Folder() { REQUIRE(run("cp -r '" + examples + "ctest/tests' tests && mkdir bin && ln -s '" LITMUS_EXE "' bin/litmus").status == 0); }
    Run run(const std::string& command) const { return shell(*this, "export PATH=\"$PWD/bin:$PATH\"; unset -f litmus\n" + command); }
    bool has_command(const std::string& name) const { return run("command -v " + name).status == 0; }
    void spoil() const { run("sed -i 's/st.release/st.relaxed/' tests/mp.litmus"); }
};

// What the workflow runs of litmus, in order.
std::vector<std::string> workflow_commands() {
    std::vector<std::string> commands;
    const std::string text = contents(workflow);
    const std::regex line("\n +(?:run: )?(litmus [^\n]*)");
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) commands.push_back((*at)[1]);
    return commands;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) text.replace(at, what.size(), by);
    return text;
}

// Whether each key and element of the first is in the second, which may have more keys.
bool is_within(const Json& part, const Json& whole) {
    if (part.type() != whole.type() || !part.is_structured()) return part == whole;
    if (part.is_array() && part.size() != whole.size()) return false;
    for (const auto& [key, value] : part.items()) {
        if (part.is_object() && !whole.contains(key)) return false;
        if (!is_within(value, part.is_object() ? whole[key] : whole[std::stoul(key)])) return false;
    }
    return true;
}

// Whether these commands are there; a message where one is not.
bool has_all(const Folder& folder, const std::vector<std::string>& names) {
    for (const std::string& name : names)
        if (!folder.has_command(name)) {
            MESSAGE("skipped: there is no ", name);
            return false;
        }
    return true;
}

// A file in YAML; null, with a message, where nothing reads it.
Json parsed_yaml(const Folder& folder, const std::string& path) {
    const Run run = folder.run("python3 -c 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))' '" + path + "'");
    if (run.status == 0) return Json::parse(run.out);
    if (folder.run("python3 -c 'import yaml'").status == 0) FAIL(run.err);
    MESSAGE("skipped: there is no python3 with yaml to parse ", path, " with");
    return {};
}

}  // namespace

TEST_CASE("the commands of the workflow") {
    const Folder folder;
    const std::vector<std::string> commands = workflow_commands();
    REQUIRE(commands.size() == 4);
    const auto run_all = [&] {
        std::vector<int> statuses;
        for (const std::string& command : commands) {
            int status = 0;
            if (has(command, "matrix.part"))
                for (const char* part : {"1", "2", "3", "4"})
                    status = std::max(status, folder.run("set -e\n" + replaced(command, "${{ matrix.part }}", part)).status);
            else
                status = folder.run("set -e\n" + command).status;
            statuses.push_back(status);
        }
        return statuses;
    };
    CHECK(run_all() == std::vector<int>{0, 0, 0, 0});
    CHECK(Json::parse(folder.read("litmus.sarif"))["runs"][0]["results"].empty());
    CHECK(has(folder.read("litmus.xml"), "tests=\"2\" failures=\"0\""));
    folder.spoil();
    CHECK(run_all() == std::vector<int>{1, 1, 0, 1});
    CHECK(Json::parse(folder.read("litmus.sarif"))["runs"][0]["results"].size() == 1);
    CHECK(has(folder.read("litmus.xml"), "failures=\"1\""));
    CHECK(has(folder.run(commands[0]).out, "::error file=tests/mp.litmus,"));
}

TEST_CASE("the jobs of the workflow: bounded in time, and all with the litmus of the first") {
    const Folder folder;
    const Json jobs = parsed_yaml(folder, workflow)["jobs"];
    if (jobs.is_null()) return;
    CHECK(jobs.size() == 4);
    for (const auto& [name, job] : jobs.items()) {
        INFO(name);
        CHECK(job.contains("timeout-minutes"));
        CHECK(job["steps"][0]["uses"] == "actions/checkout@v4");  // which brings the action
        CHECK(job["steps"][1]["uses"] == "./.github/actions/litmus");
        CHECK(job.value("needs", "") == (name == "package" ? "" : name == "whole" ? "part" : "package"));
    }
}

// Runs the action's own steps one by one, with the files that a runner gives them; a step that others' actions do is left out.
TEST_CASE("the action downloads a package, or builds the repository") {
    const Folder folder;
    const Json action = parsed_yaml(folder, examples + "github/actions/litmus/action.yml");
    if (action.is_null() || !has_all(folder, {"curl", "git"})) return;
    const auto run = [&](const std::string& from) {
        std::string script =
            "set -e; rm -rf temp; mkdir temp; export RUNNER_TEMP=$PWD/temp GITHUB_OUTPUT=$PWD/temp/outputs GITHUB_PATH=$PWD/temp/path "
            "FROM='" +
            from + "' REF=HEAD\n";
        for (const Json& step : action["runs"]["steps"])
            if (step.contains("run")) script += "bash -eo pipefail <<'STEP'\n" + step["run"].get<std::string>() + "STEP\n";
        return folder.run(script + "cat temp/outputs; PATH=$(cat temp/path):$PATH litmus check tests >/dev/null");
    };
    const std::string version = lines(folder.run("litmus --version").out).front();
    folder.run("mkdir -p litmus-1-linux/bin; ln -s '" LITMUS_EXE
               "' litmus-1-linux/bin/litmus; tar -czf litmus-1-linux.tar.gz litmus-1-linux");
    const Run downloaded = run("file://" + folder.at("litmus-1-linux.tar.gz").string());
    INFO(downloaded.err);
    CHECK(downloaded.status == 0);
    CHECK(has(downloaded.out, version + "\nkey=litmus-program-"));
    CHECK(run("file:///missing.tar.gz").status != 0);

    // A repository whose ./dev knows what the action asks for.
    folder.write("source/dev", "#!/bin/sh\n[ \"$*\" = 'build portable' ] && cd \"${0%/*}\" && mkdir build-portable && ln -s '" LITMUS_EXE
                               "' build-portable/litmus\n");
    const Run made = folder.run(
        "cd source && chmod +x dev && git init -q && git add dev && git -c user.name=n -c user.email=e commit -qm dev && git rev-parse "
        "HEAD");
    REQUIRE(made.status == 0);
    CHECK(has(folder.run("'" LITMUS_SOURCE_DIR "/dev' help").out, "build [PRESET] "));
    const Run built = run(folder.at("source").string());
    INFO(built.err);
    CHECK(built.status == 0);
    CHECK(has(built.out, "key=litmus-program-" + made.out));
    CHECK(run(folder.at("nowhere").string()).status != 0);
    const Run unset = run("");
    CHECK(unset.status == 1);
    CHECK(has(unset.out, "::error::set the variable LITMUS"));
}

TEST_CASE("the jobs for GitLab") {
    const Folder folder;
    const Json jobs = parsed_yaml(folder, examples + "gitlab-ci.yml");
    if (jobs.is_null() || !has_all(folder, {"curl"})) return;
    folder.run("mkdir -p litmus-1-linux/bin; ln -s '" LITMUS_EXE
               "' litmus-1-linux/bin/litmus; tar -czf litmus-1-linux.tar.gz litmus-1-linux");
    const std::string package = "export LITMUS=file://" + folder.at("litmus-1-linux.tar.gz").string() + "\n";
    const auto run_all = [&] {
        std::vector<int> statuses;
        for (const auto& [name, job] : jobs.items()) {
            CHECK_MESSAGE(job.contains("timeout"), name);
            std::string script = package + "set -eo pipefail\n";
            for (const Json& line : job["script"]) script += line.get<std::string>() + "\n";
            int status = 0;
            const int parts = job.value("parallel", 1);
            for (int part = 1; part <= parts; ++part)
                status = std::max(
                    status,
                    folder.run("export CI_NODE_INDEX=" + std::to_string(part) + " CI_NODE_TOTAL=" + std::to_string(parts) + "\n" + script)
                        .status);
            statuses.push_back(status);
        }
        return statuses;
    };
    CHECK(run_all() == std::vector<int>{0, 0, 0, 0});  // package, regress, part, whole
    CHECK(has(folder.read("litmus.xml"), "tests=\"2\" failures=\"0\""));
    folder.spoil();
    CHECK(run_all() == std::vector<int>{0, 1, 0, 1});
    CHECK(has(folder.read("litmus.xml"), "failures=\"1\""));
}

// Without a network: what Bazel would bring for coverage is an empty program here. Newer versions than Debian's ask the network for more.
TEST_CASE("the rule for Bazel") {
    const Folder folder;
    if (folder.run("dpkg -s bazel-bootstrap").status != 0) {
        MESSAGE("skipped: there is no bazel of Debian's package bazel-bootstrap");
        return;
    }
    folder.run("cp '" + examples + "bazel/'* . && mkdir -p package/bin && ln -s '" LITMUS_EXE "' package/bin/litmus");
    folder.write("WORKSPACE", "new_local_repository(name = \"litmus\", path = \"" + folder.at("package").string() +
                                  "\", build_file_content = \"exports_files([\\\"bin/litmus\\\"])\")\n");
    folder.write("none/WORKSPACE", "");
    folder.write("none/none.bzl",
                 "def _none_impl(ctx):\n    file = ctx.actions.declare_file(ctx.label.name)\n    ctx.actions.write(file, \"\", "
                 "is_executable = True)\n"
                 "    return [DefaultInfo(executable = file)]\n\nnone = rule(implementation = _none_impl, executable = True)\n");
    folder.write("none/BUILD",
                 "load(\":none.bzl\", \"none\")\nnone(name = \"coverage_report_generator\", visibility = [\"//visibility:public\"])\n");
    const std::string bazel = "export HOME=$PWD; bazel --output_user_root=$PWD/bazel ";
    const std::string test = bazel + "test //:all --override_repository=remote_coverage_tools=$PWD/none";
    const Run good = folder.run(test);
    INFO(good.out << good.err);
    CHECK(good.status == 0);
    CHECK(has(good.out, "Executed 2 out of 2 tests: 2 tests pass."));
    CHECK(has(folder.run("cat bazel-testlogs/litmus/shard_*_of_2/test.xml").out, "<testcase"));
    folder.spoil();
    const Run bad = folder.run(test);
    CHECK(bad.status == 3);  // Bazel's: some tests failed
    CHECK(has(bad.out, "Executed 2 out of 2 tests: 2 fail locally."));
    folder.run(bazel + "shutdown; chmod -R u+w bazel");
}

TEST_CASE("litmus_add_tests: a test for each file, and one for the baseline") {
    const Folder folder;
    if (!folder.has_command("ctest")) {
        MESSAGE("skipped: there is no ctest");
        return;
    }
    folder.run("cp '" + examples + "ctest/CMakeLists.txt' .");
    folder.write("CMakeLists.txt", replaced(folder.read("CMakeLists.txt"), "${CMAKE_CURRENT_LIST_DIR}/../../../", LITMUS_SOURCE_DIR "/"));
    const std::string build = "cmake -B build -DCMAKE_DISABLE_FIND_PACKAGE_litmus=ON && cmake --build build && ctest --test-dir build";
    const Run good = folder.run(build);
    INFO(good.out << good.err);
    CHECK(good.status == 0);
    for (const char* name : {"litmus/mp ", "litmus/sb ", "baseline/regress "}) CHECK(has(good.out, name));
    folder.spoil();
    const Run bad = folder.run("ctest --test-dir build");
    CHECK(bad.status != 0);
    CHECK(has(bad.out, "33% tests passed, 2 tests failed out of 3"));
    // A file that comes is noticed when the build is run.
    CHECK(
        has(folder.run("sed 's/\"sb\"/\"more\"/' tests/sb.litmus > tests/more.litmus; cmake --build build; ctest --test-dir build -N").out,
            "litmus/more"));
}

TEST_CASE("the tasks of a Slurm array, one after the other") {
    const Folder folder;
    const std::string tasks =
        "export TESTS=tests RESULTS=results PARTS=3 SLURM_CPUS_PER_TASK=2\n"
        "for i in 1 2 3; do SLURM_ARRAY_TASK_ID=$i '" +
        examples + "slurm-array.sh' || exit $?; done; litmus merge results/part-*.jsonl";
    const Run good = folder.run(tasks);
    CHECK(good.status == 0);
    CHECK(has(good.out, "2 tests: 2 ok\n"));
    // A task that is requeued asks nothing again.
    CHECK(folder.run(tasks).out == good.out);
    CHECK(lines(folder.run("cat results/*").out).size() == 2);
    folder.spoil();
    CHECK(folder.run("rm -r results\n" + tasks).status == 1);  // what the merged run says; no task fails
    CHECK(folder.run(replaced(tasks, "TESTS=tests", "TESTS=missing")).status == 2);
}

TEST_CASE("the pods of a Kubernetes Indexed Job, one after the other") {
    const Folder folder;
    const std::string file = examples + "kubernetes-job.yaml";
    const Json read = parsed_yaml(folder, file);
    if (read.is_null()) return;
    const Json &job = read, &spec = job["spec"], &pod = spec["template"]["spec"], &container = pod["containers"][0];
    CHECK(spec["completionMode"] == "Indexed");
    CHECK(spec["completions"] == std::stoi(container["env"][0]["value"].get<std::string>()));
    CHECK(spec["parallelism"] < spec["completions"]);
    CHECK(pod["restartPolicy"] == "Never");  // as backoffLimitPerIndex asks
    CHECK(container["volumeMounts"][0]["name"] == pod["volumes"][0]["name"]);
    CHECK(container["command"] == Json::parse(R"(["bash", "-euc"])"));

    folder.write("part", container["args"][0]);
    const std::string pods =
        "for i in 0 1 2; do JOB_COMPLETION_INDEX=$i PARTS=3 bash -euc \"$(cat part)\" || exit $?; done; "
        "litmus merge results/part-*.jsonl --no-time --format json";
    const Run good = folder.run(pods);
    CHECK(good.status == 0);
    CHECK(good.out == folder.run("litmus check tests --no-time --format json").out);
    CHECK(folder.run(pods).out == good.out);
    CHECK(lines(folder.run("cat results/*").out).size() == 2);
    folder.spoil();
    CHECK(folder.run("rm -r results\n" + pods).status == 1);  // what the merged run says; no pod fails
    CHECK(folder.run("rm -r results tests\n" + pods).status == 2);

    // The types of Kubernetes know every field: what they do not know does not come back.
    const Run version = folder.run("kubectl version --client -o json");
    if (version.status != 0 || std::stoi(Json::parse(version.out)["clientVersion"]["minor"].get<std::string>()) < 29) {
        MESSAGE("skipped with the types of Kubernetes: there is no kubectl, or one before 1.29");
        return;
    }
    const Run typed = folder.run("KUBECONFIG=/dev/null kubectl set image --local -f '" + file + "' part=another -o json");
    Json expected = job;
    expected["spec"]["template"]["spec"]["containers"][0]["image"] = "another";
    CHECK_MESSAGE(is_within(expected, Json::parse(typed.out)), typed.out);
}

TEST_CASE("kernels, launches and readings by Snakemake") {
    const Folder folder;
    if (!folder.has_command("snakemake")) {
        MESSAGE("skipped: there is no snakemake");
        return;
    }
    const std::string snakemake = "export XDG_CACHE_HOME=\"$PWD\"; snakemake -j 2 ";
    const Run first =
        folder.run("cp '" + examples +
                   "snakemake/'* . && mkdir kernels recorded && cp '" LITMUS_SOURCE_DIR
                   "/tests/kernel/cuda/bulk_total'*.ptx kernels && cp -r '" LITMUS_SOURCE_DIR "/tests/record/example/ring-1' recorded && " +
                   snakemake);
    INFO(first.err);
    CHECK(first.status == 0);
    std::string wanted;
    for (const auto& [kernel, launch, verdict] : std::vector<std::array<std::string, 3>>{
             {"bulk_total", "two_blocks", "open"}, {"bulk_total_unfenced", "two_blocks", "wrong"}, {"ring", "recorded", "right"}})
        for (const char* reading : {"weakest", "default", "strongest"})
            wanted.append(kernel).append(" ").append(launch).append(" ").append(reading).append(" ").append(verdict).append("\n");
    CHECK(folder.run("tr -s ' ' < results/table.txt").out == wanted);
    CHECK(Json::parse(folder.read("results/ring/recorded/weakest.json"))["reading"] == "weakest");
    // Asked again is what changed.
    const auto asked = [&] { return lines(folder.run(snakemake + "-n | grep '^ *output: results/.*json'").out).size(); };
    CHECK(asked() == 0);
    folder.run("echo '// another' >> kernels/bulk_total.ptx");
    CHECK(asked() == 3);
    folder.run("echo >> recorded/ring-1/launch.json");
    CHECK(asked() == 6);
    CHECK(folder.run(snakemake).status == 0);
    CHECK(asked() == 0);
}

TEST_CASE("GNU parallel over ssh") {
    const Folder folder;
    if (!folder.has_command("parallel") || !folder.has_command("ssh")) {
        MESSAGE("skipped: there is no GNU parallel, or no ssh");
        return;
    }
    const std::string run = "export LITMUS='" LITMUS_EXE "'\n'" + examples + "two_machines.sh' bash -c \"'" + examples +
                            "parallel-ssh.sh' 4 \\\"\\$HOSTS\\\" '$PWD/tests' results\"";
    const Run good = folder.run(run);
    if (good.status == 77) {
        MESSAGE("skipped: " << good.err);
        return;
    }
    INFO(good.err);
    CHECK(good.status == 0);
    CHECK(has(good.out, "2 tests: 2 ok\n"));
    const std::string log = folder.read("results/log");
    CHECK(lines(log).size() == 5);
    CHECK(has(log, "0.2"));  // the end of an address of one of the machines
    CHECK(folder.run("litmus merge results/part-*.jsonl --no-time --format json").out ==
          folder.run("litmus check \"$PWD/tests\" --no-time --format json").out);
}
