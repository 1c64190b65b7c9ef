// Files that many runs share, perhaps on a network file system: the folder of --cache with many writers, --resume where there are no locks.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <thread>

#include "base/hash.h"
#include "tool/shell.h"

namespace {

// Tests whose entries take a while to write: each has a comment of 200 KB.
class LongTests : public TemporaryFolder {
public:
    static constexpr int many = 24;
    LongTests() {
        for (int i = 0; i < many; ++i)
            write("t/" + std::to_string(i) + ".litmus", "test \"t" + std::to_string(i) + "\"\n// " + std::string(200'000, 'x') +
                                                            "\n.global .u32 x = 0;\nthread P0 @ cta0 { st.relaxed.gpu.u32 [x], " +
                                                            std::to_string(i + 1) +
                                                            "; }\nthread P1 @ cta1 { ld.relaxed.gpu.u32 r0, [x]; }\nexists (P1:r0 == 0)\n");
    }
};

// Of the entries that the cache has now, how many are not what their digest says.
size_t torn_entries(const fs::path& cache) {
    size_t torn = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator at(cache, error), end; !error && at != end; at.increment(error)) {
        if (!at->is_regular_file(error) || at->path().filename().string().find('.') != std::string::npos) continue;
        std::ifstream file(at->path(), std::ios::binary);
        const std::string entry{std::istreambuf_iterator<char>(file), {}};
        const size_t line = entry.find('\n');
        torn += line == std::string::npos || entry.substr(0, line) != litmus::digits(litmus::fnv1a(entry.substr(line + 1)));
    }
    return torn;
}

// Runs a bash command as on a file system without locks: flock() fails with this error.
int status_without_locks(const TemporaryFolder& folder, int error, const std::string& command) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::array<sock_filter, 4> filter = {{{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                                              {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_flock},
                                              {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)},
                                              {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}}};
        const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
        if (::chdir(folder.path().c_str()) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
            ::_exit(99);
        ::execl("/bin/bash", "bash", "-c", command.c_str(), nullptr);
        ::_exit(98);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

// As pods of a cluster do, each runs under the same process number, where this machine lets us make it so: names that have the number in
// them are no names of one process.
TEST_CASE("many processes write one cache at a time, and some are killed") {
    const LongTests folder;
    const std::string all = shell(folder, "litmus check t/*.litmus --no-time --format json | sort").out;
    REQUIRE(lines(all).size() == LongTests::many);
    std::atomic<bool> ended = false;
    size_t torn = 0;
    std::thread reader([&] {
        while (!ended) torn += torn_entries(folder.at("c"));
    });
    const Run run = shell(
        folder,
        "apart='unshare --pid --fork --kill-child'; $apart true 2> /dev/null || apart=\n"
        "for i in $(seq 12); do\n"
        "    timeout 100 $apart '" LITMUS_EXE
        "' check $(ls t/*.litmus | sort -R) -j 2 --no-time --format json --cache c > $i.out 2> $i.err &\n"
        "    timeout -s KILL 0.$((i * 7)) $apart '" LITMUS_EXE
        "' check $(ls t/*.litmus | sort -R) --cache c > killed 2>&1 &\n"
        "done\nwait\nfor i in $(seq 12); do sort $i.out | cmp - <(sort 1.out) || exit 1; done; cat *.err; sort 1.out; echo $apart >&2");
    ended = true;
    reader.join();
    if (run.err == "\n") MESSAGE("skipped under equal process numbers: this user cannot make them");
    CHECK(run.status == 0);
    CHECK(run.out == all);  // and no note that anything could not be kept
    CHECK(torn == 0);
    CHECK(torn_entries(folder.at("c")) == 0);
    CHECK(lines(shell(folder, "find c -type f -not -name '*.*'").out).size() == LongTests::many);
    // All is known: there is no time to ask anything.
    CHECK(shell(folder, "litmus check t/*.litmus --no-time --format json --cache c --timeout 0.000001 | sort").out == all);
}

TEST_CASE("entries that others tear while they are read are asked again") {
    const LongTests folder;
    const std::string check = "litmus check t --no-time --format json --cache c";
    const std::string all = shell(folder, check).out;
    const Run run =
        shell(folder,
              "while [ ! -e end ]; do for e in $(find c -type f -not -name '*.*'); do truncate -s $((RANDOM * 8)) $e; done; done &\n"
              "for i in $(seq 8); do " +
                  check + " > $i.out || exit 1; done\ntouch end; wait; cat ?.out");
    CHECK(run.status == 0);
    std::string wanted;
    for (int i = 0; i < 8; ++i) wanted += all;
    CHECK(run.out == wanted);
}

TEST_CASE("a run is resumed where the file system has no locks") {
    const LongTests folder;
    const std::string all = shell(folder, "litmus check t --no-time --format json").out,
                      check = "'" LITMUS_EXE "' check t --no-time --format json --resume r.jsonl > out 2>&1";
    for (const int error : {ENOSYS, ENOLCK, EOPNOTSUPP}) {
        folder.write("r.jsonl", all.substr(0, all.size() / 2));
        CHECK(status_without_locks(folder, error, check) == 0);
        CHECK(folder.read("r.jsonl") == all);
    }
    CHECK(status_without_locks(folder, EWOULDBLOCK, check) == 2);
    CHECK(has(folder.read("out"), "another run has it"));
    // What two runs at a time leave is told.
    folder.write("r.jsonl", lines(all)[0] + "\n" + lines(all)[0] + "\n");
    CHECK(status_without_locks(folder, ENOSYS, check) == 2);
    CHECK(has(folder.read("out"), "cannot resume from 'r.jsonl', line 2"));
}
