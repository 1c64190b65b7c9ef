// The examples of this folder do what they say: the workflow's commands, the CTest helper, parts on several machines.
#include <regex>

#include "contents.h"
#include "tool/shell.h"

namespace {

const std::string examples = LITMUS_SOURCE_DIR "/tests/examples/";

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
    const std::string text = contents(examples + "github-actions.yml");
    const std::regex line("\n +(?:run: )?(litmus [^\n]*)");
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) commands.push_back((*at)[1]);
    return commands;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) text.replace(at, what.size(), by);
    return text;
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
    if (folder.run("python3 -c 'import yaml'").status == 0) {
        CHECK(folder
                  .run("python3 -c 'import sys, yaml; print(sorted(yaml.safe_load(open(sys.argv[1]))[\"jobs\"]))' '" + examples +
                       "github-actions.yml'")
                  .out == "['part', 'regress', 'whole']\n");
    } else {
        MESSAGE("skipped: there is no python3 with yaml to parse the workflow with");
    }
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
        "export TESTS=tests RESULTS=results SLURM_ARRAY_TASK_COUNT=3 SLURM_CPUS_PER_TASK=2\n"
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
    if (!folder.has_command("sbatch")) MESSAGE("skipped under Slurm itself: there is no sbatch");
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
