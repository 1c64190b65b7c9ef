// The executable against kernels and recordings that mean harm: what they may cost is --timeout and --memory, and what they may read is
// what the user has named.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "tool/shell.h"

namespace {

const char* const head = ".version 9.0\n.target sm_90a\n.address_size 64\n";

std::string kernel_of(const std::string& body, const std::string& parameters = ".param .u64 a") {
    return head + (".visible .entry k(" + parameters + ")\n{\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n") + body + "}\n";
}

// A command with the seconds that it took on the clock, as limits count.
struct Timed {
    Run run;
    double seconds = 0;
};

Timed timed(const TemporaryFolder& folder, const std::string& command) {
    const auto begin = std::chrono::steady_clock::now();
    Run run = shell(folder, command);
    return {std::move(run), std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

// A recording of a launch of ring, in a folder of its own, with other numbers.
void record(const TemporaryFolder& folder, const std::string& name, const std::string& pointer, const Json& value) {
    fs::copy(LITMUS_SOURCE_DIR "/tests/record/example/ring-1", folder.at(name));
    fs::permissions(folder.at(name), fs::perms::owner_all);
    Json json = Json::parse(folder.read(name + "/launch.json"));
    if (!pointer.empty()) json[Json::json_pointer(pointer)] = value;
    fs::remove(folder.at(name + "/launch.json"));
    folder.write(name + "/launch.json", json.dump());
}

void check_limits(const TemporaryFolder& folder, const std::string& command, const std::string& limits, const std::string& what) {
    const Timed one = timed(folder, command + " " + limits);
    INFO(command << " " << limits << ": status " << one.run.status << ", " << one.seconds << " s\n" << one.run.err);
    CHECK(one.run.status == 3);
    CHECK(has(one.run.err + one.run.out, "not decided within the " + what + " limit"));
    CHECK(one.seconds < 3);
}

}  // namespace

TEST_CASE("a kernel that allocates takes no more than its time and memory") {
    const TemporaryFolder folder;
    folder.write("k.ptx", std::string(head) + ".extern .func (.param .b64 r) malloc (.param .b64 p);\n" +
                              std::string(kernel_of("L:\n{\n.param .b64 p0;\nst.param.b64 [p0], 16777216;\n.param .b64 r0;\n"
                                                    "call.uni (r0), malloc, (p0);\n}\nbra L;\n"))
                                  .substr(std::string(head).size()));
    for (const char* block : {"1", "32"}) {
        const std::string sweep = std::string("litmus kernel k.ptx --grid 1 --arg 'a=u32[4]' --block ") + block;
        check_limits(folder, "ulimit -v 2000000; " + sweep, "--timeout 60 --memory 300", "memory");
    }
}

TEST_CASE("a kernel whose instructions take long has no more than its time") {
    const TemporaryFolder folder;
    // 32 copies of 1 MiB in each instruction
    folder.write("copies.ptx", std::string(head) + ".shared .align 128 .b8 s[1048576];\n.shared .align 8 .b8 bar[8];\n" +
                                   kernel_of("ld.param.u64 %rd1, [a];\nL:\n"
                                             "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 1048576;\nbra L;\n")
                                       .substr(std::string(head).size()));
    check_limits(folder, "litmus kernel copies.ptx --grid 1 --block 32 --arg 'a=u32[262144]'", "--timeout 1", "time");
    std::string parameters, arguments;
    for (int i = 0; i < 8'000; ++i) {
        parameters += (i == 0 ? ".param .u32 p" : ", .param .u32 p") + std::to_string(i);
        arguments += " --arg 0";
    }
    folder.write("parameters.ptx", kernel_of("ret;\n", parameters));
    const Timed many = timed(folder, "litmus kernel parameters.ptx --grid 1 --block 1" + arguments);
    INFO(many.run.err.substr(0, 300) << many.seconds);
    CHECK(many.run.status == 0);
    CHECK(many.seconds < 5);
}

TEST_CASE("an instruction without its operands is refused in its line") {
    const TemporaryFolder folder;
    for (const char* instruction : {"ld.param.u32",
                                    "ld.global.u32 %r1",
                                    "ld.global.u32 1, [%rd1]",
                                    "st.global.u32",
                                    "st.global.u32 [%rd1], [%rd1]",
                                    "add.u32",
                                    "mov.u32 %r1",
                                    "mov.u32 0",
                                    "mov.b64 %rd1, {}",
                                    "atom.global.add.u32 %r1, [%rd1]",
                                    "atom.global.add.u32 %p1|%p1, [%rd1], 1",
                                    "red.global.add.u32 [%rd1]",
                                    "cvta.to.global.u64 %rd1",
                                    "mapa.u64 %rd1, %rd1",
                                    "shfl.sync.idx.b32 %r1, %r1",
                                    "bar.sync {}",
                                    "bar.red.popc.u32",
                                    "mbarrier.init.shared.b64 [s], {%r1, %r1}",
                                    "mbarrier.arrive.shared.b64 %p1|%p1, [s]",
                                    "cp.async.ca.shared.global",
                                    "cp.async.bulk.global.shared::cta.bulk_group [%rd1]",
                                    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}"}) {
        folder.write("k.ptx", kernel_of(std::string(".shared .align 16 .b8 s[64];\nmov.u32 %r1, 1;\nld.param.u64 %rd1, [a];\n") +
                                        instruction + ";\nret;\n"));
        for (const char* question : {"", " --threads auto -o t.litmus", " --needed"}) {
            const Run run = shell(folder, std::string("litmus kernel k.ptx --grid 1 --block 32 --arg 'a=u32[64]'") + question);
            INFO(std::string(instruction) << question << "\n" << run.err);
            CHECK(run.status == 2);
            CHECK(has(run.err, "k.ptx:12:1: error: "));
        }
    }
}

TEST_CASE("recordings are read within the limits of the command") {
    const TemporaryFolder folder;
    record(folder, "ring", "/notes", std::vector<std::string>(40'000, "a note"));
    std::string launches;
    for (int i = 0; i < 400; ++i) launches += " ring";
    check_limits(folder, "litmus kernel --needed" + launches, "--timeout 0.5", "time");
    check_limits(folder, "litmus kernel" + launches, "--timeout 0.5", "time");
    check_limits(folder, "litmus kernel" + launches, "--timeout 60 --memory 50", "memory");
}

TEST_CASE("numbers of a recording are as the schema says, or the command says which are not") {
    const TemporaryFolder folder;
    record(folder, "good", "", {});
    CHECK(shell(folder, "litmus kernel good --no-time").status == 0);
    const auto refused = [&](const std::string& name, const std::string& pointer, const Json& value, const std::string& why) {
        record(folder, name, pointer, value);
        for (const char* question : {"", "--needed", "--compiled"}) {
            const Run run = shell(folder, "litmus kernel " + name + " " + question);
            INFO(name << " " << question << "\n" << run.err);
            CHECK(run.status == 2);
            CHECK(has(run.err, name + "/launch.json"));
            CHECK(has(run.err, why));
        }
    };
    refused("narrowed", "/grid/0", 4294967297, "`grid[0]` is 4294967297, and no whole number");
    refused("real", "/grid/0", 1.5, "`grid[0]` is 1.5, and no whole number");
    refused("truth", "/grid/0", true, "`grid[0]` is true, and no whole number");
    refused("four", "/grid", {1, 1, 1, 1}, "`grid` has 4 elements");
    refused("shared", "/shared_bytes", 4294967295, "`shared_bytes` is 4294967295");
    refused("negative", "/allocations/0/bytes", -1, "`allocations[0].bytes` is -1");
    refused("wraps", "/allocations/0/address", UINT64_MAX - 4096, "`allocations[0].bytes` is 4194304");
    record(folder, "twice", "", {});
    folder.write("twice/launch.json", folder.read("twice/launch.json").insert(1, "\"grid\": [7, 7, 7], "));
    const Run twice = shell(folder, "litmus kernel twice");
    CHECK(twice.status == 2);
    CHECK(has(twice.err, "twice/launch.json:1:"));
    CHECK(has(twice.err, "this key is there twice"));
    // two launches, of which one wraps
    const Run both = shell(folder, "litmus kernel good wraps");
    CHECK(both.status == 2);
    CHECK(has(both.err, "`allocations[0].bytes` is 4194304"));
}

TEST_CASE("the files of a recording lie in its folder, each of them") {
    const TemporaryFolder folder;
    for (const char* file : {"launch.json", "kernel.ptx", "parameters.bin", "memory-0-0.bin"}) {
        const std::string name = std::string("of-") + file, path = name + "/" + file;
        record(folder, name, "", {});
        const fs::path outside = folder.at(std::string("outside") + fs::path(file).extension().string());
        fs::copy_file(folder.at(path), outside, fs::copy_options::overwrite_existing);
        for (const char* kind : {"link", "pipe", "device", "folder"}) {
            fs::remove_all(folder.at(path));
            if (kind == std::string("link")) fs::create_symlink(outside, folder.at(path));
            if (kind == std::string("pipe")) REQUIRE(::mkfifo(folder.at(path).c_str(), 0600) == 0);
            if (kind == std::string("device")) fs::create_symlink("/dev/zero", folder.at(path));
            if (kind == std::string("folder")) fs::create_directory(folder.at(path));
            for (const char* question : {"", "--needed"}) {
                const Timed one = timed(folder, "litmus kernel " + name + " " + question + " --timeout 20");
                INFO(file << " " << kind << " " << question << "\n" << one.run.err);
                CHECK(one.run.status == 2);
                CHECK(has(one.run.err, "cannot read '" + path + "'"));
                CHECK(one.seconds < 10);  // nobody waits for a writer
            }
        }
        fs::remove_all(folder.at(path));
    }
}

TEST_CASE("CUDA sources are quoted from below folders that the user names") {
    const TemporaryFolder folder;
    const std::string line = "// hunter2: the line of a source\n";
    folder.write("secret/s.cu", line);
    folder.write("work/here.cu", line);
    folder.write("ptx/beside.cu", line);
    fs::create_symlink(folder.at("secret/s.cu"), folder.at("work/link.cu"));
    const auto page = [&](const std::string& named, const std::string& options = "") {
        folder.write("ptx/k.ptx", std::string(head) + ".file 1 \"" + named + "\"\n" +
                                      kernel_of("ld.param.u64 %rd1, [a];\n.loc 1 1 0\nst.relaxed.gpu.global.u32 [%rd1], 1;\nret;\n")
                                          .substr(std::string(head).size()));
        const Run run =
            shell(folder, "cd work && litmus kernel ../ptx/k.ptx --grid 2 --block 1 --arg 'a=u32[4]' --html ../page.html " + options);
        INFO(run.err);
        CHECK((run.status == 0 || run.status == 3));
        const bool quoted = has(folder.read("page.html"), "hunter2");
        const Run text = shell(folder, "cd work && litmus kernel ../ptx/k.ptx --grid 2 --block 1 --arg 'a=u32[4]' --threads auto -o t " +
                                           options + " > /dev/null; cat t; rm t");
        CHECK(has(text.out, "hunter2") == quoted);
        return quoted;
    };
    CHECK_FALSE(page(folder.at("secret/s.cu").string()));
    CHECK_FALSE(page("../secret/s.cu"));
    CHECK_FALSE(page("link.cu"));
    CHECK(page(folder.at("work/here.cu").string()));
    CHECK(page("here.cu"));
    CHECK(page("beside.cu"));
    CHECK(page(folder.at("ptx/beside.cu").string()));
    CHECK(page(folder.at("secret/s.cu").string(), "--sources ../secret"));
    CHECK(page("link.cu", "--sources ../secret"));
    const Run none = shell(folder, "litmus kernel ptx/k.ptx --grid 1 --block 1 --arg 'a=u32[4]' --sources nowhere");
    CHECK(none.status == 2);
    CHECK(has(none.err, "--sources: there is no folder 'nowhere'"));
}
